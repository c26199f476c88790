package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/report"
)

// flagsVariable is the environment variable with flags for every command that has them, as GOFLAGS is
// for the go command: -timeout=2m --format=text,sarif:out.sarif. The command line counts more, as what
// is given last does; a directive in the program counts less, as it is the author's and the
// environment that of the one who runs it.
const flagsVariable = "HBCHECK_FLAGS"

// withoutEnvironment are the commands that ignore the variable: they say what could be wrong with it.
var withoutEnvironment = []string{"help", "version", "completion", "man", "explain", "clean"}

// withEnvironment puts the flags of the environment that the command of args has after its name. The
// other ones are flags of other commands, or errors.
func withEnvironment(root *cobra.Command, args []string, value string) ([]string, error) {
	flags, err := splitQuoted(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", flagsVariable, err)
	}
	if len(flags) == 0 || len(args) == 0 || slices.Contains(withoutEnvironment, args[0]) || strings.HasPrefix(args[0], "_") {
		return args, nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return args, nil
	}
	var own []string
	for _, flag := range flags {
		name, _, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !strings.HasPrefix(flag, "-") || name == "" {
			return nil, fmt.Errorf("%s: %s is no flag", flagsVariable, flag)
		}
		var names []string
		known := false
		for _, c := range root.Commands() {
			f := flagNamed(c, name)
			known = known || f != nil
			if f != nil && f.NoOptDefVal == "" && !hasValue {
				return nil, fmt.Errorf("%s: %s needs its value after an =", flagsVariable, flag)
			}
			c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			if c == cmd && f != nil {
				own = append(own, "--"+f.Name+strings.TrimPrefix(strings.TrimLeft(flag, "-"), name))
			}
		}
		if !known {
			if best := report.Nearest(name, names); best != "" {
				return nil, fmt.Errorf("%s: %s: no such flag; did you mean --%s?", flagsVariable, flag, best)
			}
			return nil, fmt.Errorf("%s: %s: no command has such a flag", flagsVariable, flag)
		}
	}
	path := args[:len(args)-len(rest)]
	return slices.Concat(path, own, args[len(path):]), nil
}

// flagNamed returns the flag of cmd with that name or letter.
func flagNamed(cmd *cobra.Command, name string) *pflag.Flag {
	if len(name) == 1 {
		return cmd.Flags().ShorthandLookup(name)
	}
	return cmd.Flags().Lookup(name)
}

// splitQuoted splits a list at spaces; an element may be in single or double quotes as a whole.
func splitQuoted(s string) (list []string, err error) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return list, nil
		}
		end := " \t\r\n"
		quoted := s[0] == '\'' || s[0] == '"'
		if quoted {
			end, s = s[:1], s[1:]
		}
		i := strings.IndexAny(s, end)
		if i < 0 && quoted {
			return nil, fmt.Errorf("a quote is not closed")
		}
		if i < 0 {
			i = len(s)
		}
		list = append(list, s[:i])
		s = s[min(len(s), i+1):]
	}
}

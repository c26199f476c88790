package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/report"
)

// flagsVariable is the environment variable with flags for every command that has them, as GOFLAGS is
// for the go command: -timeout=2m --format=text,sarif:out.sarif. The command line has precedence, like the
// last of several flags. A directive in the program comes after the environment, because the author writes
// the directive, and the user sets the environment.
const flagsVariable = "HBCHECK_FLAGS"

// withoutEnvironment are the commands that ignore the variable, because they explain mistakes in it.
var withoutEnvironment = []string{"help", "version", "completion", "man", "explain", "clean"}

// withEnvironment inserts the flags of the environment that the command of args has, after the command's
// name. Other flags belong to other commands, or are errors.
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
			return nil, fmt.Errorf("%s: %s is not a flag", flagsVariable, flag)
		}
		var names []string
		known := false
		for _, c := range root.Commands() {
			f := flagNamed(c, name)
			known = known || f != nil
			if f != nil && f.NoOptDefVal == "" && !hasValue {
				return nil, fmt.Errorf("%s: %s needs a value after =", flagsVariable, flag)
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
			return nil, fmt.Errorf("%s: %s: no command has this flag", flagsVariable, flag)
		}
	}
	path := args[:len(args)-len(rest)]
	return slices.Concat(path, own, args[len(path):]), nil
}

// testFlags are hbcheck's flags that select tests as those of go test do. In GOFLAGS they apply to every go
// test.
var testFlags = []string{"run", "skip", "bench", "short", "count", "timeout"}

// withGoFlags puts testFlags of GOFLAGS before those of the command line and of HBCHECK_FLAGS, if the
// command is similar to go test. Package load handles the other flags of GOFLAGS.
func withGoFlags(args []string, value string) []string {
	if len(args) == 0 || args[0] != "explore" && args[0] != "watch" {
		return args
	}
	flags, _ := splitQuoted(value) // the go command reports errors in it
	own := []string{args[0]}
	for _, flag := range flags {
		flag = strings.TrimPrefix(strings.TrimLeft(flag, "-"), "test.")
		if name, _, _ := strings.Cut(flag, "="); slices.Contains(testFlags, name) {
			own = append(own, "--"+flag)
		}
	}
	return append(own, args[1:]...)
}

// goEnvironment returns a variable of the go command, from the environment or from the file of go env -w.
func goEnvironment(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	data, _ := os.ReadFile(file) // the file need not exist
	for line := range strings.Lines(string(data)) {
		if key, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && key == name {
			return v
		}
	}
	return ""
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
			return nil, fmt.Errorf("unclosed quote")
		}
		if i < 0 {
			i = len(s)
		}
		list = append(list, s[:i])
		s = s[min(len(s), i+1):]
	}
}

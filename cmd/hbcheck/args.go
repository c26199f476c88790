package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// implied puts the explore command before arguments that do not begin with a command: hbcheck ./... means
// hbcheck explore ./..., and so on for any package, file or flag. A word that is similar to a command's name
// is left to cobra, which reports the similarity.
func implied(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	first := args[0]
	switch {
	case first == cobra.ShellCompRequestCmd || first == cobra.ShellCompNoDescRequestCmd:
		return completed(root, args)
	case first == "completion":
		return args
	case slices.Contains([]string{"-h", "-help", "--help", "-version", "--version", "help"}, first):
		return args
	case slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == first }):
		return args
	case !strings.HasPrefix(first, "-") && !strings.ContainsAny(first, "./\\") && len(root.SuggestionsFor(first)) > 0:
		return args
	}
	return append([]string{"explore"}, args...)
}

// oneArgument refuses any number of arguments but one; want describes it.
func oneArgument(want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want one argument, %s; got %d", want, len(args))
		}
		return nil
	}
}

// goCommands maps commands of the go command to the command of hbcheck with the same purpose.
var goCommands = map[string]string{
	"test": "hbcheck explore", "build": "hbcheck explore, which builds what it explores", "vet": "go vet", "list": "go list",
	"doc": "hbcheck help", "env": "hbcheck help", "tool": "hbcheck help", "install": "go install", "get": "go get",
}

// goCommand returns an error if the first word is similar to a command of the go command, and is not a
// package.
func goCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], "./\\") {
		return nil
	}
	word := args[0]
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == word }) {
		return nil
	}
	if info, err := os.Stat(word); err == nil && info.IsDir() {
		return nil
	}
	meant := report.Nearest(word, slices.Sorted(maps.Keys(goCommands)))
	if meant == "" || len(root.SuggestionsFor(word)) > 0 && meant != word || len(word) < 3 {
		return nil
	}
	if meant == word {
		return fmt.Errorf("unknown command %q: did you mean %s?", word, goCommands[word])
	}
	return fmt.Errorf("unknown command %q: did you mean %s? Use %s instead", word, meant, goCommands[meant])
}

// goFlags adds a dash to long flags with one dash, as the go command has them: -run, -timeout=5s.
// One-letter flags, values of flags, and arguments after "--" stay unchanged.
func goFlags(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	out := slices.Clone(args)
	for i := 0; i < len(out); i++ {
		arg := out[i]
		if arg == "--" {
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := lookupFlag(cmd, name)
		switch {
		case strings.HasPrefix(arg, "--"):
		case (flag != nil || notNeeded[name] != "") && len(name) > 1:
			out[i] = "-" + arg
		default: // -v, -j 8, -j8, -vj8: pflag's
			flag = nil
			for k, c := range []byte(arg[1:]) {
				if flag = cmd.Flags().ShorthandLookup(string(c)); flag == nil {
					break
				}
				if flag.NoOptDefVal == "" { // the flag takes the rest, or the next argument, as its value
					hasValue = k+2 < len(arg)
					break
				}
			}
		}
		if flag != nil && flag.NoOptDefVal == "" && !hasValue {
			i++ // skip the flag's value
		}
	}
	return out
}

// lookupFlag returns cmd's flag with that name, or nil.
func lookupFlag(cmd *cobra.Command, name string) *pflag.Flag {
	if name == "help" {
		cmd.InitDefaultHelpFlag()
	}
	if name == "version" {
		cmd.InitDefaultVersionFlag()
	}
	return cmd.Flags().Lookup(name)
}

// notNeeded explains, for each flag of go build and go test that hbcheck lacks, why it has no such flag, or
// where hbcheck honours it.
var notNeeded = func() map[string]string {
	why := make(map[string]string)
	for name, f := range load.GoFlags {
		if f.Why != "" {
			why[name] = f.Why
		}
	}
	return why
}()

// flagError adds a suggestion to the error for an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	name := unknown.GetSpecifiedName()
	if group := unknown.GetSpecifiedShortnames(); group != "" {
		name, _, _ = strings.Cut(group, "=")
	}
	if why := notNeeded[name]; why != "" {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		return fmt.Errorf("unknown flag: %s%s: %s", dashes, name, why)
	}
	names := slices.Sorted(maps.Keys(notNeeded))
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	best := report.Nearest(name, names)
	if best == "" || len(name) < 2 {
		return fmt.Errorf("%w (hbcheck %s -h lists the flags)", err, cmd.Name())
	}
	why := notNeeded[best]
	if why != "" {
		why = " hbcheck does not have it: " + why
	}
	return fmt.Errorf("unknown flag: --%s: did you mean --%s?%s", name, best, why)
}

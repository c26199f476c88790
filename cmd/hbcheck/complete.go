package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/por/explorers"
)

// completeFlags makes shells complete the values of cmd's flags: those that its help lists, explorers,
// and names of tests.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		var values []string
		if name, _ := pflag.UnquoteUsage(f); strings.Contains(name, "|") {
			values = strings.Split(name, "|")
		}
		switch f.Name {
		case "por":
			values = append(values, autoPOR+"\ta portfolio of explorers")
			for _, e := range explorers.All() {
				values = append(values, e.Name+"\t"+e.Doc)
			}
		case "scale":
			values = []string{scaleOff, scaleAuto}
		case "run", "skip":
			complete(cmd, f.Name, func(args []string) []string { return testNames(args, "Test", "Fuzz", "Example") })
			return
		case "bench":
			complete(cmd, f.Name, func(args []string) []string { return testNames(args, "Benchmark") })
			return
		}
		if len(values) > 0 {
			complete(cmd, f.Name, func([]string) []string { return values })
		}
	})
}

func complete(cmd *cobra.Command, flag string, values func(args []string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
		other := func(v string) bool { return !strings.HasPrefix(v, begin) }
		return slices.DeleteFunc(slices.Clone(values(args)), other), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic("BUG: " + err.Error())
	}
}

// testNames returns the names of the functions that begin with one of the prefixes, in the test files of
// packages.
func testNames(patterns []string, prefixes ...string) (names []string) {
	list := []string{"list", "-e", "-f", `{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "--"}
	out, err := exec.Command("go", append(list, patterns...)...).Output()
	if err != nil {
		return nil
	}
	for _, file := range strings.Fields(string(out)) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			begins := func(p string) bool { return strings.HasPrefix(fn.Name.Name, p) }
			if ok && fn.Recv == nil && fn.Name.Name != "TestMain" && slices.ContainsFunc(prefixes, begins) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completed puts the explore command before the words that a shell completes, where it is implied.
func completed(root *cobra.Command, args []string) []string {
	request, rest := args[0], args[1:]
	if len(rest) == 1 && !strings.HasPrefix(rest[0], "-") {
		return args // the first word: a command, or a package
	}
	return append([]string{request}, goFlags(root, implied(root, rest))...)
}

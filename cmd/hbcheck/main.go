// Command hbcheck runs ordinary concurrent Go code under every schedule that
// can matter. This package has flags and exit codes; everything else is in the
// packages it calls.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK         = 0 // exhaustive, no bug
	exitBug        = 1 // bug found
	exitUsage      = 2 // usage, load or internal error
	exitIncomplete = 3 // no bug, but a bound, a timeout or an unsupported operation was encountered
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// exit is an error that only carries an exit code: everything has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// run executes one command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "hbcheck %s: internal error: %v\n\n%s\nPlease report this together with the program that caused it.\n", version(), r, debug.Stack())
			code = exitUsage
		}
	}()
	root := rootCommand()
	root.SetArgs(implied(root, args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return int(e)
	}
	fmt.Fprintln(stderr, err)
	return exitUsage
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hbcheck",
		Short: "Run concurrent Go code under every schedule that can matter",
		Long: `hbcheck runs ordinary Go programs and tests in a machine of its own and explores
every interleaving of their goroutines: it finds deadlocks, data races, leaked
goroutines, panics and failing tests together with the schedule that shows them,
or says that there is nothing to find, or what it did not cover.

	hbcheck ./...              explore every test and main function below here
	hbcheck explore file.go    explore one program
	hbcheck run file.go        execute one program under one schedule

Exit status: 0 exhaustive and no bug; 1 bug found; 2 usage, load or internal
error; 3 incomplete.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(exploreCommand(), analyzeCommand(), benchCommand(), runCommand(), replayCommand(), versionCommand())
	return root
}

// implied puts the explore command before arguments that begin with a
// package, a file or one of explore's flags: hbcheck ./... is hbcheck explore ./...
func implied(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	first := args[0]
	switch {
	case slices.Contains([]string{"-h", "--help", "--version", "help"}, first):
		return args
	case slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == first }):
		return args
	case strings.HasPrefix(first, "-"), strings.ContainsAny(first, "./\\"):
		return append([]string{"explore"}, args...)
	}
	return args
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of hbcheck",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "hbcheck %s\n", version())
			return err
		},
	}
}

// version is the version of the module that was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

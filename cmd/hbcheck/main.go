// Command hbcheck runs ordinary concurrent Go code under every schedule that
// can matter. This package has flags and exit codes; the rest is in the packages that it calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// The exit codes.
const (
	exitOK         = 0 // exhaustive, no bug
	exitBug        = 1 // bug found
	exitUsage      = 2 // usage, load or internal error
	exitIncomplete = 3 // interrupted; with --strict: incomplete, or something was assumed
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// exit is an error that only carries an exit code, because everything has been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// run executes one command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer survive(stderr, &code)
	defer closeOutlines()
	root := rootCommand()
	if err := goCommand(root, args); err != nil {
		complain(stderr, err)
		return exitUsage
	}
	args, err := withEnvironment(root, goFlags(root, implied(root, args)), os.Getenv(flagsVariable))
	if err == nil {
		args = withGoFlags(args, goEnvironment("GOFLAGS"))
	}
	if err != nil {
		complain(stderr, err)
		return exitUsage
	}
	return execute(context.WithValue(context.Background(), lineKey{}, args), args, stdin, stdout, stderr)
}

type lineKey struct{}

// commandLine returns the arguments of this process, with the flags of the environment.
func commandLine(cmd *cobra.Command) []string {
	line, _ := background(cmd).Value(lineKey{}).([]string)
	return line
}

// execute executes a command line without implied commands and returns the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer survive(stderr, &code)
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return int(e)
	}
	complain(stderr, err)
	return exitUsage
}

// survive, deferred, turns a panic into an internal error.
func survive(stderr io.Writer, code *int) {
	if r := recover(); r != nil {
		complain(stderr, internalError{r, debug.Stack()})
		*code = exitUsage
	}
}

// complain prints an error, which may quote the program's text.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, report.Printable(err.Error()))
}

// internalError is a mistake of hbcheck's own.
type internalError struct {
	mistake any // the value of the panic
	stack   []byte
}

func (e internalError) Error() string {
	return fmt.Sprintf("hbcheck %s: internal error: %v\n\n%s\nPlease report this together with the program that caused it.", version(), e.mistake, topFrames(e.stack))
}

// mostFrames bounds the frames that an internal error shows: several entries may have the same error.
const mostFrames = 12

// topFrames returns the first frames of a stack as package runtime/debug prints it, from the one that was
// the first to call panic.
func topFrames(stack []byte) string {
	lines := strings.Split(strings.TrimRight(string(stack), "\n"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		//mutant: the frames of recovering are shown [test ./cmd/hbcheck TestTopFrames]: "strings.HasPrefix(lines[i], \"panic(\")" -> "false"
		if strings.HasPrefix(lines[i], "panic(") {
			lines = lines[min(i+2, len(lines)):]
			break
		}
	}
	if n := len(lines)/2 - mostFrames; n > 0 {
		lines = append(lines[:2*mostFrames], fmt.Sprintf("...%d more frames...", n))
	}
	return strings.Join(lines, "\n") + "\n"
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hbcheck",
		Short: "Run concurrent Go code under every schedule that can matter",
		Long: `hbcheck runs ordinary Go programs and tests in a virtual machine and explores every
interleaving of their goroutines. It reports deadlocks, data races, leaked goroutines,
panics and failing tests, each with a schedule that shows it; or it reports that there
is none; or it names the behaviour that it did not cover.

	hbcheck ./...                   explore every test and main function below here
	hbcheck --run TestX ./pkg       explore one test
	hbcheck replay FILE.hbr         show a schedule that was found; -i debugs it
	hbcheck explain HB002           explain a code

Exit status: 0 no bug; 1 bug found; 2 usage, load or internal error (bugs found are
reported all the same); 3 interrupted, or, with --strict, an entry is incomplete
or assumes something about the environment.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SuggestionsMinimumDistance = 2
	root.Flags().Bool("version", false, "print the version of hbcheck") // without -v, which is --verbose
	root.SetVersionTemplate(versionText())
	root.SetFlagErrorFunc(flagError)
	explore := exploreCommand()
	showFirstFlags(root, explore)
	root.AddCommand(explore, analyzeCommand(), benchCommand(), workerCommand(), statusCommand(), runCommand(), replayCommand(), dapCommand(), reportCommand(), explainCommand(), watchCommand(), cleanCommand(), manCommand(), versionCommand())
	return root
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of hbcheck",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

// versionText returns the text of the version command: the version, the commit if it is known, the Go
// version of the build, and the releases of Go whose library hbcheck models.
func versionText() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = ", commit " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += " and changes"
			}
		}
	}
	return fmt.Sprintf("hbcheck %s%s, built with %s, models %s\n", version(), commit, runtime.Version(),
		strings.Join(load.Models(runtime.Version()), " and "))
}

// version returns the version of the module that was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

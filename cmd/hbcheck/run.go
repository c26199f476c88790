package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] package|file.go... [-- args]",
		Short: "Execute a program, or each test, under one schedule",
		Long: `Run executes a main package under one schedule, the same every time. Output, exit
status and the texts of panics and deadlocks are the program's own. Exit status 3
means that the program reached an operation that the machine does not support.

With --tests, --run or --skip, or if the packages have tests but no main function,
run executes each test once, which shows whether the machine supports it. Exit
status 1 means that a test failed, 3 that a test did not reach its end.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patterns, rest := splitArgs(args, cmd.ArgsLenAtDash())
			return f.execute(cmd, patterns, rest)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}

// runFlags are the flags of the run command.
type runFlags struct {
	loadFlags
	env       []string
	tests     bool
	run, skip string
	timeout   time.Duration
	verbose   bool
}

func (f *runFlags) register(fs *pflag.FlagSet) {
	f.loadFlags.register(fs)
	fs.StringArrayVar(&f.env, "env", nil, envUsage)
	fs.BoolVar(&f.tests, "tests", false, "execute the tests of the packages, each once")
	fs.StringVar(&f.run, "run", "", "execute only the tests that match `regexp`; Test/sub selects the subtests, too")
	fs.StringVar(&f.skip, "skip", "", "do not execute the tests and subtests that match `regexp`")
	fs.DurationVar(&f.timeout, "timeout", 0, "stop a test after this `duration`, and continue with the next")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of all tests, not only of those that fail")
}

func (f *runFlags) execute(cmd *cobra.Command, patterns, args []string) error {
	if err := checkEnv(f.env); err != nil {
		return err
	}
	defer pace(runPercent)()
	tests := f.tests || f.run != "" || f.skip != ""
	if !tests {
		prog, err := loadProgram(f.config(patterns, false))
		if err == nil {
			err = prog.HasEntries()
		}
		var none *load.NoEntryError
		var unlisted load.Errors
		switch {
		case err == nil:
			return f.runMain(cmd, prog, args)
		case !errors.As(err, &none) && !errors.As(err, &unlisted): // a package may have tests only
			return err
		}
		withTests, testErr := loadProgram(f.config(patterns, true))
		if testErr != nil || len(withTests.Entries) == 0 {
			return err
		}
		return f.runTests(cmd, withTests, args)
	}
	prog, err := loadProgram(f.config(patterns, true))
	if err != nil {
		return err
	}
	return f.runTests(cmd, prog, args)
}

// runMain executes the main function of prog.
func (f *runFlags) runMain(cmd *cobra.Command, prog *load.Program, args []string) error {
	stop, release := interrupts(cmd.Context(), false)
	defer release()
	e := prog.Entries[0]
	end, err := describe.RunOnce(prog, e, vm.Config{
		Args: programArgs(e, args), Env: environ(prog.WorkDir(e), f.env),
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
		Interrupt: func() bool { return stop.Err() != nil }, MaxHeap: uint64(defaultMemory()),
	})
	switch {
	case err != nil:
		return err
	case end.OverMemory:
		fmt.Fprintln(cmd.ErrOrStderr(), end.Unsupported+" (half of the memory of this computer)")
		return exit(exitIncomplete)
	case end.Unsupported != "":
		fmt.Fprintln(cmd.ErrOrStderr(), end.Unsupported)
		return exit(exitIncomplete)
	case end.Exit != 0:
		return exit(end.Exit)
	}
	return nil
}

// runTests executes each test of prog that is selected once, and writes a line for it, as go test -v
// does.
func (f *runFlags) runTests(cmd *cobra.Command, prog *load.Program, args []string) error {
	run, skip, _, err := (&machineFlags{run: f.run, skip: f.skip}).filters()
	if err != nil {
		return err
	}
	stop, release := interrupts(cmd.Context(), false)
	defer release()
	code, matched := exitOK, false
	for _, e := range prog.Entries {
		if e.Kind != load.Test || !selection.Selected(run, skip, e.Name) {
			continue
		}
		matched = true
		if stop.Err() != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "interrupted: not all tests were executed")
			return exit(exitIncomplete)
		}
		var out bytes.Buffer
		var late atomic.Bool
		begin := time.Now()
		if f.timeout > 0 {
			time.AfterFunc(f.timeout, func() { late.Store(true) })
		}
		end, err := describe.RunOnce(prog, e, vm.Config{
			Args: programArgs(e, args), Env: environ(prog.WorkDir(e), f.env), Stdout: &out, Stderr: &out,
			Subtest:   func(name string) bool { return selection.Selected(run, skip, name) },
			Interrupt: func() bool { return stop.Err() != nil || late.Load() }, MaxHeap: uint64(defaultMemory()),
		})
		if err != nil {
			return err
		}
		verdict, why := ran(&end)
		if end.Unsupported != "" && late.Load() && stop.Err() == nil {
			why = fmt.Sprintf("stopped after %v (--timeout)\t", f.timeout)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\t%s%.2fs\n", verdict, e.Path, e.Name, why, time.Since(begin).Seconds())
		if x := end.Failure; x != nil {
			fmt.Fprintf(cmd.OutOrStdout(), "    %s: %s\n", report.Paths{Base: prog.Dir}.Pos(x.Pos), report.Printable(x.Message))
		}
		if verdict == "FAIL" || f.verbose {
			for line := range strings.Lines(out.String()) {
				fmt.Fprintf(cmd.OutOrStdout(), "    %s\n", report.Printable(strings.TrimSuffix(line, "\n")))
			}
		}
		switch verdict {
		case "FAIL":
			code = exitBug
		case "??  ":
			if code == exitOK {
				code = exitIncomplete
			}
		}
	}
	if !matched {
		return errors.New("no tests to execute")
	}
	return status(code)
}

// ran returns the verdict of a test that was executed once.
func ran(end *describe.Once) (verdict, why string) {
	switch {
	case end.Unsupported != "":
		return "??  ", report.Printable(end.Unsupported) + "\t"
	case end.Failure != nil || end.Exit != 0:
		return "FAIL", ""
	case end.NotRun != nil:
		return "skip", report.NotRun(end.NotRun) + "\t"
	}
	return "ran ", ""
}

package main

import (
	"errors"
	"fmt"
	goversion "go/version"
	"path/filepath"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

func replayCommand() *cobra.Command {
	var f deviateFlags
	interactive := false
	cmd := &cobra.Command{
		Use:   "replay file.hbr",
		Short: "Execute a recorded schedule step by step",
		Long: `Replay loads the program again, executes the schedule of the file and shows every
step. If the program differs from the recording, replay stops at the first different
step with exit status 2. Otherwise the exit status is 1 if the bug occurs again, and
0 if it does not.

With --until, replay stops after a step and shows where every goroutine is. With
--then, another goroutine moves next; after that each goroutine follows the recording
as long as it can, and the program runs to its end. The exit status is 1 if this
execution has a bug.

With -i, replay is a debugger that steps forwards and backwards; its command help
lists the commands. If standard input is not a terminal, replay -i reads commands
from it.`,
		Args: oneArgument("a replay file such as .hbcheck/TestX.1.hbr"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if interactive {
				if cmd.Flags().Changed("until") || f.then != "" {
					return errors.New("-i excludes --until and --then: use its commands goto and take")
				}
				return debugReplay(cmd, args[0])
			}
			if cmd.Flags().Changed("until") || f.then != "" {
				return f.deviate(cmd, args[0])
			}
			return replay(cmd, args[0])
		},
	}
	cmd.Flags().BoolVarP(&interactive, "interactive", "i", false, "debug: step through the schedule, forwards and backwards, and print variables")
	cmd.Flags().IntVar(&f.until, "until", 0, "stop after step `n` of the recorded schedule")
	cmd.Flags().StringVar(&f.then, "then", "", "let this `goroutine` move after the step of --until: main, g1, g1.2")
	return cmd
}

// A recording is a replay file, and the machine that can repeat it.
type recording struct {
	name  string
	file  *report.Replay
	rec   schedule.Recording
	m     describe.Machine
	paths report.Paths

	prog *load.Program
	// again makes another machine like m, which a debugger watches.
	again func(watch func(*vm.Machine, vm.Point)) (describe.Machine, error)
}

// open reads a replay file and loads its program.
func open(name string) (*recording, error) { return openFor(name, false) }

// openFor is open; for debugging, the program has the names of variables.
func openFor(name string, debugging bool) (*recording, error) {
	file, err := report.ReadReplay(name)
	if err != nil {
		return nil, err
	}
	dir := filepath.FromSlash(file.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(name), dir)
	}
	flags := loadFlags{dir: dir, tags: file.Tags}
	cfg := flags.config(file.Patterns, file.Tests)
	cfg.Names = debugging
	if cfg.Edits, err = file.Edits(absolute(dir)); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	prog, err := loadProgram(cfg)
	if err != nil {
		return nil, err
	}
	rec, err := file.Recording(prog.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	machine, err := recorded(file.Args, file.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	machine.inputs = describe.Given(rec.Inputs)
	entries, err := selection.Select(prog, selection.Options{Entry: file.Package + "." + file.Entry, Symbolic: machine.symbolic}, machine.build)
	if err != nil {
		return nil, err
	}
	m, err := entries[0].New(func() bool { return false })
	if err != nil {
		return nil, err
	}
	again := func(watch func(*vm.Machine, vm.Point)) (describe.Machine, error) {
		machine.watch = watch
		return entries[0].New(func() bool { return false })
	}
	paths := report.Paths{Base: prog.Dir, Source: prog.Source, Edits: cfg.Edits}
	return &recording{name, file, rec, m, paths, prog, again}, nil
}

// absolute returns the absolute name of a directory, or its name unchanged if that fails.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// diverged returns the error for a program that no longer follows its schedule, because it has changed, or
// uses the standard library of another release.
func (r *recording) diverged(d *schedule.Divergence) error {
	why := "the program has changed since the schedule was recorded"
	if r.otherRelease() {
		why = fmt.Sprintf("the schedule was recorded with the standard library of %s, and the go command here is %s: type GOTOOLCHAIN=%s hbcheck replay %s",
			r.file.Go, r.prog.GoVersion, r.file.Go, r.name)
	}
	return fmt.Errorf("%s: %s\n%s", r.name, why, report.DivergenceText(r.paths, d))
}

// otherRelease reports whether r was recorded with another release of Go than that of its program now.
func (r *recording) otherRelease() bool {
	//mutant: a replay does not notice another release [test ./cmd/hbcheck ^TestReplayOfAnotherRelease$]: false
	return goversion.IsValid(r.file.Go) && goversion.Compare(goversion.Lang(r.file.Go), goversion.Lang(r.prog.GoVersion)) != 0
}

func replay(cmd *cobra.Command, name string) error {
	r, err := open(name)
	if err != nil {
		return err
	}
	events, bug, err := schedule.Replay(r.m, r.rec)
	if bug != nil {
		bug.Small = explore.SmallerBy(r.paths.Edits)
	}
	var d *schedule.Divergence
	switch {
	case errors.As(err, &d):
		report.WriteReplayed(cmd.OutOrStdout(), r.paths, events, nil)
		return r.diverged(d)
	case err != nil:
		return err
	}
	if err := report.WriteReplayed(cmd.OutOrStdout(), r.paths, events, bug); err != nil {
		return err
	}
	if bug == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "the recorded bug does not occur: %s\n", report.Printable(r.file.Pos+": "+r.file.Message))
		if r.otherRelease() {
			fmt.Fprintf(cmd.OutOrStdout(), "it was recorded with %s, and the go command here is %s\n", r.file.Go, r.prog.GoVersion)
		}
		return nil
	}
	return exit(exitBug)
}

// deviateFlags say after which step of a schedule another goroutine moves, and which.
type deviateFlags struct {
	until int
	then  string
}

// deviate executes a schedule that differs after the step of --until.
func (f *deviateFlags) deviate(cmd *cobra.Command, name string) error {
	r, err := open(name)
	if err != nil {
		return err
	}
	x, err := schedule.Deviate(r.m, r.rec, f.until, f.then)
	var d *schedule.Divergence
	switch {
	case errors.As(err, &d):
		return r.diverged(d)
	case err != nil:
		return err
	}
	if x.Bug != nil {
		x.Bug.Inputs = r.rec.Inputs
	}
	if err := report.WriteDeviation(cmd.OutOrStdout(), r.paths, x, r.m.Goroutines(), f.then != ""); err != nil {
		return err
	}
	if x.Bug != nil {
		return exit(exitBug)
	}
	return nil
}

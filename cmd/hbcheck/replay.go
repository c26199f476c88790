package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
)

func replayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay file.hbr",
		Short: "Execute a recorded schedule step by step",
		Long: `Replay loads the program again, executes the schedule of the file and shows every
step. It stops at the first step where the program does something else than
recorded, which is an error (exit status 2). Otherwise the exit status is 1 if
the bug shows again, and 0 if it does not.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return replay(cmd, args[0])
		},
	}
}

func replay(cmd *cobra.Command, name string) error {
	file, err := report.ReadReplay(name)
	if err != nil {
		return err
	}
	dir := filepath.FromSlash(file.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(name), dir)
	}
	flags := loadFlags{dir: dir, tags: file.Tags}
	prog, err := loadProgram(flags.config(file.Patterns, file.Tests))
	if err != nil {
		return err
	}
	rec, err := file.Recording(prog.Dir)
	if err != nil {
		return fmt.Errorf("%s: %v", name, err)
	}
	machine, err := recorded(file.Args, file.Options)
	if err != nil {
		return fmt.Errorf("%s: %v", name, err)
	}
	machine.inputs = explore.Given(rec.Inputs)
	entries, err := explore.Select(prog, explore.Selection{Entry: file.Package + "." + file.Entry, Symbolic: machine.symbolic}, machine.build)
	if err != nil {
		return err
	}
	m, err := entries[0].New(func() bool { return false })
	if err != nil {
		return err
	}
	paths := report.Paths{Base: prog.Dir}
	events, bug, err := explore.Replay(m, rec)
	var d *explore.Divergence
	switch {
	case errors.As(err, &d):
		report.WriteReplayed(cmd.OutOrStdout(), paths, events, nil)
		return fmt.Errorf("%s: the program has changed since the schedule was recorded\n%s", name, report.DivergenceText(paths, d))
	case err != nil:
		return err
	}
	if bug != nil {
		bug.Inputs = rec.Inputs
	}
	if err := report.WriteReplayed(cmd.OutOrStdout(), paths, events, bug); err != nil {
		return err
	}
	if bug == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "the recorded bug does not show: %s\n", report.Printable(file.Pos+": "+file.Message))
		return nil
	}
	return exit(exitBug)
}

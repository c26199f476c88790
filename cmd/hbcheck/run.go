package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

func runCommand() *cobra.Command {
	var f loadFlags
	var env []string
	cmd := &cobra.Command{
		Use:   "run [flags] package|file.go... [-- args]",
		Short: "Execute a program in the machine under one schedule",
		Long: `Run executes a main package under one schedule, the same every time. Its output
and its exit status are the program's own, and so are the texts of panics and
deadlocks. Status 3 means that the program did something the machine does not
support.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patterns, rest := splitArgs(args, cmd.ArgsLenAtDash())
			return runProgram(cmd, f.config(patterns, false), env, rest)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&env, "env", nil, envUsage)
	cmd.Flags().SortFlags = false
	return cmd
}

func runProgram(cmd *cobra.Command, cfg load.Config, env, args []string) error {
	if err := checkEnv(env); err != nil {
		return err
	}
	prog, err := loadProgram(cfg)
	if err != nil {
		return err
	}
	if err := prog.HasEntries(); err != nil {
		return err
	}
	stop, release := interrupts(cmd.Context())
	defer release()
	e := prog.Entries[0]
	end, err := explore.RunOnce(prog, e, vm.Config{
		Args: programArgs(e, args), Env: environ(prog.WorkDir(e), env),
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
		Interrupt: func() bool { return stop.Err() != nil }, MaxHeap: uint64(defaultMemory()),
	})
	switch {
	case err != nil:
		return err
	case end.OverMemory:
		fmt.Fprintln(cmd.ErrOrStderr(), end.Unsupported+", half of the computer's")
		return exit(exitIncomplete)
	case end.Unsupported != "":
		fmt.Fprintln(cmd.ErrOrStderr(), end.Unsupported)
		return exit(exitIncomplete)
	case end.Exit != 0:
		return exit(end.Exit)
	}
	return nil
}

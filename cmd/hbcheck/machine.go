package main

import (
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// machineFlags are what changes the machine, and so what a schedule means.
type machineFlags struct {
	args     []string // of the program, behind its name
	outcomes bool     // the order of writes to stdout and stderr matters
}

// build makes the machine an entry is explored in.
func (f *machineFlags) build(prog *load.Program, e *load.Entry) (explore.Machine, error) {
	return explore.NewMachine(prog, e, vm.Config{Races: true, Args: programArgs(e, f.args), VisibleOutput: f.outcomes})
}

// programArgs returns os.Args: the package's path stands for the program's name.
func programArgs(e *load.Entry, args []string) []string {
	return append([]string{e.Path}, args...)
}

// splitArgs returns the patterns of a command line and the arguments of the
// program, which follow "--". dash is their place, or negative.
func splitArgs(args []string, dash int) (patterns, rest []string) {
	if dash < 0 {
		return args, nil
	}
	return args[:dash], args[dash:]
}

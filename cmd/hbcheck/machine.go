package main

import (
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// builder makes the machines that entries are explored in.
func builder(prog *load.Program, e *load.Entry) (explore.Machine, error) {
	return explore.NewMachine(prog, e, vm.Config{})
}

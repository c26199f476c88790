package bench

import (
	"context"
	"fmt"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// A RealisticProgram is a program of the suite realistic with its arguments: typical code in growing sizes.
type RealisticProgram struct {
	Program string // directory
	Args    string // separated by spaces
	Large   bool   // its search takes seconds
}

// Name returns the program with its arguments.
func (s *RealisticProgram) Name() string { return s.Program + " " + s.Args }

// RealisticPrograms returns the programs of the suite realistic.
func RealisticPrograms() []RealisticProgram {
	return []RealisticProgram{
		{"pool", "2 3", false}, {"pool", "3 3", false}, {"pool", "4 4", true}, {"pool", "8 8", true},
		{"lru", "3 2", false}, {"lru", "4 2", false}, {"lru", "4 3", true}, {"lru", "6 4", true},
		{"hub", "2 2", false}, {"hub", "3 2", false}, {"hub", "4 2", true}, {"hub", "5 3", true},
		{"pipe", "3 3", false}, {"pipe", "4 4", false}, {"pipe", "6 6", true}, {"pipe", "10 10", true},
		{"contexts", "2", false}, {"contexts", "4", false}, {"contexts", "12", true},
		{"numbered", "5 5", true}, {"numbered", "8 8", true},
		{"parts", "1 3", false}, {"parts", "2 3", false}, {"parts", "3 3", true}, {"parts", "5 3", true},
		{"ballast", "0 3", false}, {"ballast", "100 3", false}, {"ballast", "10000 3", true},
	}
}

// RealisticRow is one exploration of a RealisticProgram.
type RealisticRow struct {
	RealisticProgram
	Result *explore.Result
	CPU    time.Duration // of the search alone, with the analysis
}

// ExploreRealistic explores s with an explorer, matching states if it can.
func (w *Workspace) ExploreRealistic(ctx context.Context, s RealisticProgram, o JPFOptions) (*RealisticRow, error) {
	opts := o.options()
	load := func() (*load.Program, *load.Entry, error) { return w.load("realistic/" + s.Program) }
	x, err := measureProgram(ctx, load, s.Program, s.Args, vm.Config{VisibleOutput: o.Outcomes}, opts, o.Count)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	nameFacts(x.result, o.Hybrid)
	return &RealisticRow{RealisticProgram: s, Result: x.result, CPU: x.cpu}, nil
}

package bench

import (
	"context"
	"fmt"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// A JPFProgram is a program of the suite jpf with its arguments.
type JPFProgram struct {
	Program   string // directory
	Args      string // separated by spaces
	First     bool   // stop at the first bug
	Published JPFPublished
}

// JPFPublished has the numbers that Java Pathfinder 8.0 (branch java-17) reports for the Java program with
// the same parameters. Its settings are the default ones: depth-first search, states matched,
// AllRunnablesSyncPolicy, PathSharednessPolicy.
type JPFPublished struct {
	States  uint64        // "new"
	Visited uint64        // arrivals at a state that was known
	CPU     time.Duration // of the whole process; 0.6 s of it are its start
}

// Rate returns the transitions in a second of CPU time, or 0 if the search is
// too short to measure. JPF's transitions are stretches between two states, so
// every one ends in a new or a visited state.
func (p JPFPublished) Rate() float64 {
	const startup, least = 600 * time.Millisecond, 2 * time.Second
	if p.CPU < least {
		return 0
	}
	return float64(p.States+p.Visited) / (p.CPU - startup).Seconds()
}

// Name returns the program with its arguments.
func (s *JPFProgram) Name() string { return s.Program + " " + s.Size() }

// Size returns the arguments and whether the search stops at the first bug.
func (s *JPFProgram) Size() string {
	if s.First {
		return s.Args + " first"
	}
	return s.Args
}

// JPFPrograms returns the programs of the suite jpf.
func JPFPrograms() []JPFProgram {
	const s = time.Second
	jpf := func(states, visited uint64, cpu time.Duration) JPFPublished {
		return JPFPublished{states, visited, cpu}
	}
	return []JPFProgram{
		{"fieldrace", "1", false, jpf(53, 45, s)},
		{"fieldrace", "2", false, jpf(166, 163, 1100*time.Millisecond)},
		{"fieldrace", "3", false, jpf(478, 521, 1400*time.Millisecond)},
		{"fieldrace", "1 assert", true, jpf(21, 4, 1100*time.Millisecond)},
		{"prodcons", "1 1 2 1", false, jpf(299, 265, 1100*time.Millisecond)},
		{"prodcons", "2 2 1 1", false, jpf(6_481, 12_229, 3100*time.Millisecond)},
		{"prodcons", "2 2 2 1", false, jpf(56_013, 108_213, 9400*time.Millisecond)},
		{"prodcons", "2 2 2 2", false, jpf(82_999, 162_821, 12600*time.Millisecond)},
		{"phil", "3 ordered 1", false, jpf(1_070, 1_704, 1900*time.Millisecond)},
		{"phil", "4 ordered 1", false, jpf(8_719, 20_263, 4*s)},
		{"phil", "5 ordered 1", false, jpf(68_273, 207_043, 14200*time.Millisecond)},
		{"phil", "3 cyclic 1", true, jpf(335, 389, 1400*time.Millisecond)},
		{"phil", "3 cyclic 1", false, jpf(1_114, 1_791, 1400*time.Millisecond)},
		{"rw", "2 1 1", false, jpf(3_438, 5_806, 2300*time.Millisecond)},
		{"rw", "2 2 1", false, jpf(30_744, 69_040, 7100*time.Millisecond)},
		{"bank", "2 ordered", false, jpf(147, 140, 1100*time.Millisecond)},
		{"bank", "3 ordered", false, jpf(907, 1_372, 1600*time.Millisecond)},
		{"bank", "4 ordered", false, jpf(5_007, 10_470, 2700*time.Millisecond)},
		{"bank", "2 crossed", true, jpf(49, 23, s)},
		{"bank", "2 crossed", false, jpf(158, 148, 1200*time.Millisecond)},
		{"fig1", "bare", true, jpf(12, 0, 800*time.Millisecond)},
		{"fig1", "bare", false, jpf(212, 300, 1200*time.Millisecond)},
		{"fig1", "guarded", false, jpf(233, 355, 1400*time.Millisecond)},
		{"alarm", "2 3", false, jpf(4_748, 7_635, 3200*time.Millisecond)},
		{"alarm", "2 5", false, jpf(13_381, 21_839, 4300*time.Millisecond)},
		{"workers", "2 2", false, jpf(5_499, 6_227, 2400*time.Millisecond)},
		{"workers", "2 4", false, jpf(54_965, 65_147, 7900*time.Millisecond)},
		{"workers", "3 2", false, jpf(106_622, 183_539, 13300*time.Millisecond)},
		{"putrace", "2", false, jpf(1_206, 0, 0)}, // for putrace only the numbers of states are published
		{"putrace", "3", false, jpf(3_491, 0, 0)},
		{"putrace", "4", false, jpf(7_901, 0, 0)},
	}
}

// JPFRow is one exploration of a JPFProgram.
type JPFRow struct {
	JPFProgram
	Result *explore.Result
	CPU    time.Duration // of the search alone: the least time of all repetitions
}

// Transitions returns the number of steps per second of CPU time.
func (r *JPFRow) Transitions() float64 { return rate(r.Result.Stats.Transitions, r.CPU) }

// Arrivals returns the number of states, new or known, that are reached in a second of CPU time; JPF calls
// them transitions.
func (r *JPFRow) Arrivals() float64 {
	return rate(r.Result.Stats.States+r.Result.Stats.Matched, r.CPU)
}

func rate(n uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// JPFOptions say how ExploreJPF measures.
type JPFOptions struct {
	POR       *por.Explorer
	Hybrid    oracle.Kind // "": none; Auto: the default of explore
	Count     int         // number of measured searches, the quickest of which counts; 0: a single search, whose time is inexact
	Outcomes  bool
	Symmetry  bool // states match up to symmetry
	MaxMemory int64
}

// ExploreJPF explores s with an explorer, matching states if it can.
func (w *Workspace) ExploreJPF(ctx context.Context, s JPFProgram, o JPFOptions) (*JPFRow, error) {
	opts := o.options()
	opts.All = !s.First
	load := func() (*load.Program, *load.Entry, error) { return w.load("jpf/" + s.Program) }
	cfg := vm.Config{VisibleOutput: o.Outcomes}
	x, err := measureProgram(ctx, load, s.Program, s.Args, cfg, opts, o.Count)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	nameFacts(x.result, o.Hybrid)
	return &JPFRow{JPFProgram: s, Result: x.result, CPU: x.cpu}, nil
}

// Auto is the kind of static facts that explore has by default: the facts of Parts. They are computed only
// when the search may gain from them, and queried only where they help.
const Auto oracle.Kind = "auto"

// options are those of a search that matches states.
func (o *JPFOptions) options() explore.Options {
	opts := explore.Options{POR: o.POR, Match: o.POR.Stateful, Symmetry: o.Symmetry, All: true, NoMinimise: true,
		Outcomes: o.Outcomes, MaxMemory: o.MaxMemory}
	useFacts(&opts, o.Hybrid)
	return opts
}

// useFacts lets a search have static facts of a kind.
func useFacts(opts *explore.Options, kind oracle.Kind) {
	opts.Hybrid, opts.LazyAnalysis = kind, kind == Auto
	if kind == Auto {
		opts.Hybrid = oracle.Parts
	}
}

// nameFacts sets the kind of static facts of a result to Auto, if that is the kind.
func nameFacts(r *explore.Result, kind oracle.Kind) {
	if kind == Auto {
		r.Hybrid = Auto
	}
}

package progen_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A resumedWay is a way to explore a program. It is tested that such a search can be left anywhere.
type resumedWay struct {
	name string
	opts explore.Options
}

func resumedWays() (list []resumedWay) {
	add := func(name string, opts explore.Options) {
		opts.All, opts.Outcomes, opts.NoMinimise, opts.MaxSteps, opts.MaxExecs = true, true, true, 2000, 1000
		opts.Symmetry = opts.Match
		list = append(list, resumedWay{name, opts})
	}
	for _, name := range []string{"full", "jpf"} {
		for _, match := range []bool{true, false} {
			add(fmt.Sprintf("%s match=%v", name, match), explore.Options{POR: explorers.With(name), Match: match})
		}
	}
	for _, k := range []oracle.Kind{oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Patterns, oracle.Full} {
		add("jpf "+string(k), explore.Options{POR: explorers.With("jpf"), Match: true, Hybrid: k, LazyAnalysis: k == oracle.Parts})
	}
	for _, name := range []string{"optimal", "source", "context", "clockvector", "graph"} {
		for _, k := range []oracle.Kind{oracle.None, oracle.MHB, oracle.Full} {
			add(name+" "+string(k), explore.Options{POR: explorers.With(name), Hybrid: k})
		}
	}
	add("rf", explore.Options{POR: explorers.With("optimal", "equivalence", "rf")})
	add("optimal without memory", explore.Options{POR: explorers.With("optimal", "prefix-memory", "-1")})
	add("optimal little memory", explore.Options{POR: explorers.With("optimal", "prefix-memory", "400")})
	add("optimal duplicates", explore.Options{POR: explorers.With("optimal"), CheckDuplicates: true})
	add("context css", explore.Options{POR: explorers.With("context", "context", "css")})
	add("graph restart", explore.Options{POR: explorers.With("graph", "replay", "restart")})
	for _, name := range []string{"random", "pct", "pos", "surw", "rff"} {
		add(name, explore.Options{POR: explorers.With(name), Seed: 3})
	}
	add("jpf preempt=1", explore.Options{POR: explorers.With("jpf"), Match: true, LimitPreempt: true, Preempt: 1})
	return list
}

var onlyWay = flag.String("way", "", "test only the way of this name")

// TestResume: a search that is stopped anywhere, any number of times, and resumed by another machine,
// has the findings and counts of an uninterrupted one.
func TestResume(t *testing.T) {
	n := deep.N(1, 6)
	all := []progen.Features{progen.All, progen.Locks | progen.Atomics, progen.Chans | progen.Selects, progen.Locks | progen.Groups | progen.Prints,
		progen.Atomics | progen.Unused, progen.All &^ progen.Panics}
	var progs []*progen.Prog
	for i := range n {
		progs = append(progs, progen.Generate(uint64(7000+i), all[i%len(all)]))
	}
	b := loadBatch(t, progs)
	left := make(map[string]int)
	for _, p := range progs {
		for _, way := range resumedWays() {
			if *onlyWay != "" && way.name != *onlyWay {
				continue
			}
			left[way.name] += testResumed(t, b, p, way)
		}
	}
	for _, way := range resumedWays() {
		if left[way.name] < n && *onlyWay == "" {
			t.Errorf("%s: left only %d times: the programs do not test it", way.name, left[way.name])
		}
	}
}

// testResumed tests one way with one program, and returns how often the search was left.
func testResumed(t *testing.T, b *batch, p *progen.Prog, way resumedWay) (left int) {
	e, err := b.prog.Lookup(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(p.Seed, 0x5a7ed))
	places := 0
	whole := resumable(t, b.prog, e, way.opts, &explore.Keep{Points: func() bool { places++; return false }})
	for round := range 2 {
		keep := &explore.Keep{Dir: t.TempDir(), Header: saved.Header{{Name: "program", Value: p.Name}}}
		mean := places >> (2 * round) // few long ones, or many short ones
		var r *explore.Result
		for stop := true; stop; keep.Resume = true {
			next := 1 + rng.IntN(mean+2)
			ctx, cancel := context.WithCancel(context.Background())
			stop = false
			keep.Points = func() bool { next--; return next == 0 }
			keep.Written = func() { stop = true; left++; cancel() }
			r = resumableUntil(ctx, t, b.prog, e, way.opts, keep)
			cancel()
		}
		if !reflect.DeepEqual(r, whole) {
			t.Fatalf("seed %d, %s, left %d times, at %d places: the result is another one\n%+v\n%+v\n%s",
				p.Seed, way.name, left, places, r, whole, p.Source())
		}
	}
	return left
}

// resumable explores e.
func resumable(t *testing.T, prog *load.Program, e *load.Entry, opts explore.Options, keep *explore.Keep) *explore.Result {
	return resumableUntil(context.Background(), t, prog, e, opts, keep)
}

// resumableUntil explores e until ctx is done. The result omits times and memory.
func resumableUntil(ctx context.Context, t *testing.T, prog *load.Program, e *load.Entry, opts explore.Options, keep *explore.Keep) *explore.Result {
	opts.Keep = keep
	entry := explore.Entry{Package: e.Path, Name: e.Name, Source: e, New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{VisibleOutput: true, Races: true, OrderedTime: true, Interrupt: interrupted})
	}}
	r, err := explore.Run(ctx, entry, opts)
	if err != nil {
		t.Fatalf("%s, %s %s: %v", e.Name, opts.POR.Name, opts.Hybrid, err)
	}
	r = r.Exported()
	r.Stats.Load, r.Stats.Static, r.Stats.Explore, r.Stats.PeakBytes, r.Resumed = 0, 0, 0, 0, nil
	return r
}

package bench

import (
	"context"
	"fmt"
	"math"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A SCTProgram is a program of the suite sct with its arguments. Each has a bug that some schedules show:
// the programs are rewritten in Go from those of SCTBench (Thomson, Donaldson and Betts, PPoPP 2014), with
// the same names.
type SCTProgram struct {
	Program string
	Args    string // separated by spaces
}

// Name returns the program with its arguments.
func (s *SCTProgram) Name() string { return strings.TrimSpace(s.Program + " " + s.Args) }

// SCTPrograms returns the programs of the suite sct.
func SCTPrograms() []SCTProgram {
	return []SCTProgram{
		{"account", ""}, {"aget", ""}, {"arithmetic", ""}, {"bluetooth", ""}, {"buffer", ""}, {"carter", ""},
		{"deadlock", "1"}, {"deadlock", "20"}, {"ferret", "2"}, {"ferret", "5"}, {"filesystem", ""},
		{"interlocked", "1 2"}, {"interlocked", "2 2"}, {"interlocked", "2 4"}, {"lazy", ""}, {"pbzip2", ""}, {"phase", ""},
		{"philosophers", "2"}, {"philosophers", "3"}, {"philosophers", "4"}, {"philosophers", "5"},
		{"philosophers", "6"}, {"philosophers", "7"}, {"queue", ""},
		{"radbench", "1"}, {"radbench", "2"}, {"radbench", "3"}, {"radbench", "4"}, {"radbench", "5"}, {"radbench", "6"},
		{"reorder", "2 1"}, {"reorder", "3 1"}, {"reorder", "4 1"}, {"reorder", "9 1"}, {"reorder", "19 1"},
		{"safestack", "2"}, {"sort", ""}, {"splash", "1"}, {"splash", "2"}, {"splash", "3"}, {"stack", ""},
		{"streamcluster", "1"}, {"streamcluster", "2"}, {"streamcluster", "3"}, {"stringbuffer", ""}, {"sync", "1 1 0"}, {"sync", "2 2 2"}, {"tokenring", ""}, {"trace", ""},
		{"twostage", "1 1"}, {"twostage", "9 1"}, {"twostage", "49 1"}, {"workqueue", ""}, {"wronglock", "1 1"}, {"wronglock", "3 7"},
	}
}

// SCTSeeds is the number of searches of each sampler, and SCTMost the most executions of each.
const SCTSeeds, SCTMost = 20, 1000

// SCTRow has the number of executions until a sampler finds the bug of a program.
type SCTRow struct {
	SCTProgram
	POR   string
	First []uint64 // by seed, from 1: the number of the execution with the bug; 0: none of SCTMost has it
}

// Found returns in how many of the searches the bug is found.
func (r *SCTRow) Found() (n int) {
	for _, x := range r.First {
		if x > 0 {
			n++
		}
	}
	return n
}

// Mean returns the geometric mean of the numbers of executions until the bug. A search without the
// bug counts as its number of executions plus one.
func (r *SCTRow) Mean() float64 {
	sum := 0.0
	for _, x := range r.First {
		if x == 0 {
			x = SCTMost + 1
		}
		sum += math.Log(float64(x))
	}
	return math.Exp(sum / float64(max(1, len(r.First))))
}

// SCT searches the bug of s with the sampler of that name, once for each seed. Every other way to end than
// the bug is an error.
func (w *Workspace) SCT(ctx context.Context, s SCTProgram, name string) (*SCTRow, error) {
	row := &SCTRow{SCTProgram: s, POR: name}
	load := func() (*load.Program, *load.Entry, error) { return w.load("sct/" + s.Program) }
	for seed := range uint64(SCTSeeds) {
		opts := explore.Options{POR: explorers.Lookup(name), MaxExecs: SCTMost, Seed: seed + 1, NoMinimise: true}
		x, err := measureProgram(ctx, load, s.Program, s.Args, vm.Config{Races: true}, opts, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name(), err)
		}
		first := uint64(0)
		for _, b := range x.result.Bugs {
			if b.Kind == bug.Race {
				return nil, fmt.Errorf("%s: a race at %v", s.Name(), b.Pos)
			}
			first = x.result.Stats.Executions
		}
		row.First = append(row.First, first)
	}
	return row, ctx.Err()
}

package bench

import (
	"context"
	"fmt"
	"math"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A SampledProgram is a program of one of the suites that compare samplers, with its arguments. Each
// has a bug that some schedules show.
type SampledProgram struct {
	Suite, Program string
	Args           string // separated by spaces
	Race           bool   // the bug is a data race
}

// Name returns the program with its arguments.
func (s *SampledProgram) Name() string { return strings.TrimSpace(s.Program + " " + s.Args) }

// SampledSuites are the suites that compare samplers. The programs of sct are rewritten in Go from those of
// SCTBench (Thomson, Donaldson and Betts, PPoPP 2014), with the same names. Those of jacontebe do what the
// reports of the bugs of JaConTeBe (Lin et al., ASE 2015) describe; their argument is the number of the bug.
// Into those of racebench bugs are put as RaceBench does (Liang et al., AsiaCCS 2023); their argument is the
// number of the bug. Those of kernels have bugs of the classes of GoBench (Yuan et al., CGO 2021).
func SampledSuites() []string { return []string{"sct", "jacontebe", "racebench", "kernels"} }

// sampled are the programs of the suites, and their arguments.
var sampled = map[string][]struct {
	program string
	args    []string
	race    bool // the bug is a data race
}{
	"sct": {
		{"account", []string{""}, false},
		{"aget", []string{""}, false},
		{"arithmetic", []string{""}, false},
		{"bluetooth", []string{""}, false},
		{"buffer", []string{""}, false},
		{"carter", []string{""}, false},
		{"deadlock", []string{"1", "20"}, false},
		{"ferret", []string{"2", "5"}, false},
		{"filesystem", []string{""}, false},
		{"interlocked", []string{"1 2", "2 2", "2 4"}, false},
		{"lazy", []string{""}, false},
		{"pbzip2", []string{""}, false},
		{"phase", []string{""}, false},
		{"philosophers", []string{"2", "3", "4", "5", "6", "7"}, false},
		{"queue", []string{""}, false},
		{"radbench", []string{"1", "2", "3", "4", "5", "6"}, false},
		{"reorder", []string{"2 1", "3 1", "4 1", "9 1", "19 1"}, false},
		{"safestack", []string{"2"}, false},
		{"sort", []string{""}, false},
		{"splash", []string{"1", "2", "3"}, false},
		{"stack", []string{""}, false},
		{"streamcluster", []string{"1", "2", "3"}, false},
		{"stringbuffer", []string{""}, false},
		{"sync", []string{"1 1 0", "2 2 2"}, false},
		{"tokenring", []string{""}, false},
		{"trace", []string{""}, false},
		{"twostage", []string{"1 1", "9 1", "49 1"}, false},
		{"workqueue", []string{""}, false},
		{"wronglock", []string{"1 1", "3 7"}, false},
	},
	"jacontebe": {
		{"dbcp", []string{"65", "270", "369"}, false},
		{"derby", []string{"764", "5447", "5560", "5561"}, false},
		{"groovy", []string{"3495", "4292", "6068", "6456"}, false},
		{"jdk", []string{"6492872", "6582568", "6648001", "7122142", "8010939", "8012019"}, false},
		{"jdk", []string{"4243978", "4742723", "4779253", "6436220", "7045594", "7100996", "7132378", "7132889"}, false},
		{"log4j", []string{"38137", "41214", "44032", "50463", "54325"}, false},
		{"lucene", []string{"1544", "2783"}, false},
		{"pool", []string{"120", "146", "149", "162"}, false},
	},
	"racebench": {
		{"blackscholes", []string{"1", "2"}, false},
		{"bodytrack", []string{"1", "2"}, false},
		{"canneal", []string{"1", "2"}, false},
		{"cholesky", []string{"1", "2"}, false},
		{"dedup", []string{"1", "2"}, false},
		{"ferret", []string{"1", "2"}, false},
		{"fluidanimate", []string{"1", "2"}, false},
		{"pigz", []string{"1", "2"}, false},
		{"raytrace", []string{"1", "2"}, false},
		{"raytrace2", []string{"1", "2"}, false},
		{"streamcluster", []string{"1", "2"}, false},
		{"volrend", []string{"1", "2"}, false},
		{"water_nsquared", []string{"1", "2"}, false},
		{"water_spatial", []string{"1", "2"}, false},
		{"x264", []string{"1", "2"}, false},
	},
	"kernels": {
		{"lock", []string{"double", "leaked", "abba", "ring", "rwr", "rwrw"}, false},
		{"channel", []string{"first", "stop", "full", "publish", "twice"}, false},
		{"channel", []string{"closed", "drained"}, true},
		{"context", []string{"send", "done", "replace"}, false},
		{"cond", []string{"kinds", "early", "once"}, false},
		{"group", []string{"add"}, true},
		{"group", []string{"locked"}, false},
		{"memory", []string{"lazy", "order", "late"}, false},
		{"race", []string{"reload", "closure"}, true},
	},
}

// SampledPrograms returns the programs of a suite.
func SampledPrograms(suite string) (list []SampledProgram) {
	for _, p := range sampled[suite] {
		for _, args := range p.args {
			list = append(list, SampledProgram{suite, p.program, args, p.race})
		}
	}
	return list
}

// SampledSeeds is the number of searches of each sampler, and SampledMost the maximum number of executions of
// a search.
const SampledSeeds, SampledMost = 20, 1000

// SampledRow has the number of executions until a sampler finds the bug of a program.
type SampledRow struct {
	SampledProgram
	POR   string
	First []uint64 // by seed, from 1: the number of the execution with the bug; 0: none of the SampledMost executions has it
	Steps uint64   // of an execution, on average
}

// Found returns in how many of the searches the bug is found.
func (r *SampledRow) Found() (n int) {
	for _, x := range r.First {
		if x > 0 {
			n++
		}
	}
	return n
}

// Mean returns the geometric mean of the numbers of executions until the bug. A search without the
// bug counts as its number of executions plus one.
func (r *SampledRow) Mean() float64 {
	sum := 0.0
	for _, x := range r.First {
		if x == 0 {
			x = SampledMost + 1
		}
		sum += math.Log(float64(x))
	}
	return math.Exp(sum / float64(max(1, len(r.First))))
}

// Sample searches the bug of s with the sampler of that name, once for each seed, each time on a new machine:
// the number of the execution is that of hbcheck explore with the same seed. A data race is an error, unless
// the bug of the program is one.
func (w *Workspace) Sample(ctx context.Context, s SampledProgram, name string) (*SampledRow, error) {
	prog, entry, err := w.load(s.Suite + "/" + s.Program)
	if err != nil {
		return nil, err
	}
	row := &SampledRow{SampledProgram: s, POR: name}
	steps, executions := uint64(0), uint64(0)
	for seed := range uint64(SampledSeeds) {
		e, err := onOneMachine(prog, entry, s.Program, s.Args, vm.Config{Races: true}, func() bool { return ctx.Err() != nil })
		if err != nil {
			return nil, err
		}
		opts := explore.Options{POR: explorers.Lookup(name), MaxExecs: SampledMost, Seed: seed + 1, NoMinimise: true}
		r, err := explore.Run(ctx, e, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name(), err)
		}
		steps += r.Stats.Transitions
		executions += r.Stats.Executions
		first := uint64(0)
		for _, b := range r.Bugs {
			if b.Kind == bug.Race && !s.Race {
				return nil, fmt.Errorf("%s: a race at %v", s.Name(), b.Pos)
			}
			first = r.Stats.Executions
			if b.Kind == bug.Race {
				//mutant: sampled: the execution with the race does not count [test ./bench TestSCT]: "first++" -> "first += 0"
				first++ // the search ends in the middle of the execution
			}
		}
		row.First = append(row.First, first)
	}
	row.Steps = steps / max(1, executions)
	return row, ctx.Err()
}

// Sampled returns s as a program for AnswerRows.
func (w *Workspace) Sampled(s *SampledProgram) (*AnswerProgram, error) {
	prog, entry, err := w.load(s.Suite + "/" + s.Program)
	if err != nil {
		return nil, err
	}
	return &AnswerProgram{Program: s.Program, Args: s.Args, Prog: prog, Entry: entry}, nil
}

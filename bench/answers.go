package bench

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
)

// An AnswerProgram is a program of the suite answers: a test as people write them, or a program of
// another suite with its arguments.
type AnswerProgram struct {
	Program string // "bank/bug TestCircle", "cdpor/reg"
	Args    string
	Prog    *load.Program
	Entry   *load.Entry
}

// Name returns the program with its arguments.
func (t *AnswerProgram) Name() string { return strings.TrimSpace(t.Program + " " + t.Args) }

// scaled are programs of other suites whose work grows with the arguments, and differently for different
// explorers: programs with actors have few classes and many states, the other programs have many classes and
// few states.
var scaled = []struct {
	suite, program string
	args           []string
}{
	{"cdpor", "pi", []string{"3", "5", "6", "7"}},
	{"cdpor", "reg", []string{"2", "3", "4", "5"}},
	{"cdpor", "fib", []string{"3", "4", "5", "6"}},
	{"cdpor", "msort", []string{"4", "9", "12"}},
	{"cdpor", "psort", []string{"3", "4", "5"}},
	{"cdpor", "pc", []string{"3", "5", "7", "9"}},
	{"jpf", "bank", []string{"3 ordered", "4 ordered"}},
	{"jpf", "prodcons", []string{"1 1 2 1", "2 2 1 1", "2 2 2 1"}},
	{"jpf", "phil", []string{"3 ordered 1", "4 ordered 1", "5 ordered 1"}},
	{"jpf", "rw", []string{"2 1 1", "2 2 1"}},
	{"jpf", "workers", []string{"2 2", "2 4"}},
	{"jpf", "putrace", []string{"2", "4"}},
}

// Answers returns the programs of the suite answers whose names are wanted.
func (w *Workspace) Answers(wanted func(name string) bool) ([]AnswerProgram, error) {
	tests, err := w.tests("answers")
	if err != nil {
		return nil, err
	}
	var list []AnswerProgram
	add := func(t AnswerProgram) {
		if wanted(t.Name()) {
			list = append(list, t)
		}
	}
	for _, e := range tests.Entries {
		_, dir, _ := strings.Cut(e.Path, "/answers/")
		add(AnswerProgram{Program: dir + " " + e.Name, Prog: tests, Entry: e})
	}
	for _, s := range scaled {
		prog, err := w.loadAll(s.suite)
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range prog.Entries {
			if path.Base(e.Path) != s.program {
				continue
			}
			found = true
			for _, args := range s.args {
				add(AnswerProgram{Program: s.suite + "/" + s.program, Args: args, Prog: prog, Entry: e})
			}
		}
		if !found {
			return nil, fmt.Errorf("no program %s in suite %s", s.program, s.suite)
		}
	}
	return list, nil
}

// tests loads the tests of a suite.
func (w *Workspace) tests(suite string) (*load.Program, error) {
	return load.Load(load.Config{Dir: filepath.Join(w.dir, suite), Patterns: []string{"./..."}, Tests: true,
		Implicit: []string{"runtime"}, Cache: &w.cache})
}

// Inputs returns the fuzz targets of the suite inputs whose names are wanted.
func (w *Workspace) Inputs(wanted func(name string) bool) ([]AnswerProgram, error) {
	tests, err := w.tests("inputs")
	if err != nil {
		return nil, err
	}
	var list []AnswerProgram
	for _, e := range tests.Entries {
		if t := (AnswerProgram{Program: e.Name, Prog: tests, Entry: e}); e.Fuzz && wanted(t.Name()) {
			list = append(list, t)
		}
	}
	return list, nil
}

// An AnswerRow is the answer of one explorer, or of the portfolio, for a program.
type AnswerRow struct {
	*AnswerProgram
	Explorer string // its name, or auto
	Result   *explore.Result
	CPU      time.Duration
	// Best is the least work of the single explorers that have an answer; 0: unknown, or none has an answer.
	Best uint64
}

// Work returns how many steps were executed until there was an answer.
func (r *AnswerRow) Work() uint64 {
	if r.Result.Auto {
		return r.Result.Work
	}
	return r.Result.Stats.Work()
}

// Answered reports whether there is an answer: a bug, or a proof that there is none.
func (r *AnswerRow) Answered() bool {
	return r.Verdict() != string(explore.Incomplete)
}

// Verdict returns the code of the bug, or "ok", or "incomplete".
func (r *AnswerRow) Verdict() string {
	for _, b := range r.Result.Bugs {
		if !b.Warning {
			return b.Kind.Code()
		}
	}
	for _, x := range r.Result.Incomplete {
		if x.Cause != explore.CauseAssumed {
			return string(explore.Incomplete)
		}
	}
	return string(explore.OK)
}

// Ratio returns the work divided by that of the best single explorer; 0 if no single explorer has an answer.
func (r *AnswerRow) Ratio() float64 {
	if r.Best == 0 {
		return 0
	}
	return float64(r.Work()) / float64(r.Best)
}

// Answer explores e, the entry of t, with opts. name is the explorer's name.
func Answer(ctx context.Context, t *AnswerProgram, name string, e explore.Entry, opts explore.Options) (*AnswerRow, error) {
	r, cpu, err := measure(ctx, e, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return &AnswerRow{AnswerProgram: t, Explorer: name, Result: r, CPU: cpu}, nil
}

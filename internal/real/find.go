package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/small"
	loader "hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// With -find the program searches for the small versions of stress tests (big.go), as hbcheck explore does.
// It has no limit on time, so that the page does not depend on the machine. Instead it bounds the executions
// of each search, the steps of an execution, and those of all together, because optimal may abandon many
// executions that do not count. It also bounds the loop iterations and calls of a search and of a reference
// execution, because a test may compute for long between two steps.

const (
	findExecutions  = 400
	findSteps       = 20_000
	findTransitions = 300_000
	findWork        = 100_000_000
)

// bounded returns a function that tells a machine to stop once it has done findWork of work, and sets cut.
// The machine asks at the same moments of each run, so that it stops at the same point on every computer.
func bounded(machine func() describe.Machine, interrupted func() bool, cut *bool) func() bool {
	return func() bool {
		if m := machine(); m != nil && m.Counters().Instructions > findWork {
			*cut = true
		}
		return *cut || interrupted()
	}
}

// found has the results about the small version of a test.
type found struct {
	Package, Entry string
	Numbers        []string
	Verdict        string // none: there is no small version
	Executions     uint64
	Bugs           []string
}

// findAnswers has the results of one module.
type findAnswers struct {
	Path, Version string
	Stress        int
	Found         []found
}

func (m module) findFile() string { return m.file() + ".find.json" }

// findAll finds the small versions of each module without kept results, and prints the page.
func findAll(w io.Writer, modules []module) {
	var all []findAnswers
	for _, m := range modules {
		var a findAnswers
		text, err := os.ReadFile(m.findFile())
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if (err != nil || a.Version != m.version || len(a.Found) < min(a.Stress, *limitFlag)) && !*printFlag {
			a, err = find(m)
		}
		if err != nil {
			log.Printf("%s: %v", m.path, err)
			continue
		}
		all = append(all, a)
	}
	findPage(w, all)
}

// find finds the small versions of a module's stress tests.
func find(m module) (findAnswers, error) {
	a := findAnswers{Path: m.path, Version: m.version}
	dir, err := fetch(m)
	if err != nil {
		return a, err
	}
	prog, err := loader.Load(loader.Config{Dir: dir, Patterns: m.packages, Tests: true, Implicit: []string{"runtime"}, Again: true})
	if err != nil {
		return a, err
	}
	list := stress(prog)
	a.Stress = len(list)
	n := min(len(list), *limitFlag)
	for i := range n {
		e := list[i*len(list)/n]
		log.Printf("%s: %s", m, e.Name)
		a.Found = append(a.Found, smallOf(prog, e))
		text, err := json.MarshalIndent(a, "", "\t")
		if err == nil {
			err = os.WriteFile(m.findFile(), text, 0o666)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// smallOf finds and explores the small version of a test.
func smallOf(prog *loader.Program, e *loader.Entry) (x found) {
	x.Package, x.Entry, x.Verdict = e.Path, e.Name, "none"
	defer func() {
		if p := recover(); p != nil {
			x.Verdict = "none: " + firstLine(fmt.Sprint(p))
		}
	}()
	config := func(interrupted func() bool) vm.Config {
		return vm.Config{
			Races: true, OrderedTime: true, Slack: 500_000, MaxLocal: findWork / 10,
			Interrupt: interrupted, Args: []string{e.Path}, Env: os.Environ(),
		}
	}
	var cut bool
	cuts := make(map[*explore.Result]bool)
	cfg := &small.Config{
		Prog: prog, Entry: explore.Entry{Package: e.Path, Name: e.Name, Source: e}, Load: prog.Again,
		Run: func(ctx context.Context, e explore.Entry, opts explore.Options) (*explore.Result, error) {
			cut = false
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			opts.ProgressDue = func() bool { return false }
			opts.Progress = func(p explore.Progress) {
				if p.Transitions > findTransitions {
					cut = true
					stop()
				}
			}
			r, err := explore.Run(ctx, e, opts)
			cuts[r] = cut
			return r, err
		},
		Options: explore.Options{POR: explorers.Lookup("optimal"), MaxExecs: findExecutions, MaxSteps: findSteps, Leaks: explore.LeaksWarn},
		Sample:  explore.Options{POR: explorers.Lookup("random"), MaxExecs: 10, MaxSteps: findSteps, Leaks: explore.LeaksWarn},
		Build: func(prog *loader.Program, e *loader.Entry, interrupted func() bool) (m describe.Machine, err error) {
			m, err = describe.NewMachine(prog, e, config(bounded(func() describe.Machine { return m }, interrupted, &cut)))
			return m, err
		},
		Once: func(prog *loader.Program, e *loader.Entry, interrupted func() bool) (describe.Once, error) {
			c := config(interrupted)
			c.MaxRun = findWork
			return describe.RunOnce(prog, e, c)
		},
	}
	v, err := cfg.Find(context.Background())
	if v == nil || err != nil {
		return x
	}
	s, err := cfg.Explore(context.Background(), v)
	if err != nil {
		return x
	}
	for _, c := range s.Constants {
		x.Numbers = append(x.Numbers, fmt.Sprintf("%s:%d: %d → %d", filepath.Base(c.Pos.Filename), c.Pos.Line, c.From, c.To))
	}
	x.Verdict, x.Executions = string(s.Result.Verdict), s.Result.Stats.Executions
	switch {
	case s.Result.Verdict == explore.Fail:
	case cuts[s.Result]:
		x.Verdict = "incomplete: too much work"
	case x.Executions == 0 && s.Result.Stats.Truncated > 0:
		x.Verdict = "incomplete: too many steps"
	}
	if s.Exhaustive() {
		x.Verdict = "exhaustive"
	}
	for _, b := range s.Result.Bugs {
		code := b.Kind.Code()
		if b.Warning {
			code += " (warning)"
		}
		x.Bugs = append(x.Bugs, code)
	}
	return x
}

const findHead = `# Big tests

The stress tests of published modules, unmodified. A stress test is one that bounds a loop which starts goroutines by a
number of at least %d, or another loop beside goroutines by one of at least %d, where the number is in its test files; of
each module at most %d are taken, evenly spread over its files. The table has the numbers that hbcheck made
smaller, and the outcome of %d executions of ` + "`optimal`" + ` of the small version
([small versions](../explorers.md#small-versions)). There is no limit on time, so that the table does not depend on the
machine: *too many steps* means that an execution has more than %s steps, *too much work* that the search took more than
%s steps, or %s loop iterations and calls. (` + "`hbcheck explore`" + ` has a limit on time, but not these bounds, and more
explorers.) A small version has to pass in the order in which gc schedules goroutines, and in at least half of ten random
executions. ` + "`go run ./internal/real -find -tests 3 -work DIR > page`" + ` makes this table. %s

| module | test | numbers | small version | executions |
|---|---|---|---|---|
`

// findPage prints the page.
func findPage(w io.Writer, all []findAnswers) {
	fmt.Fprintf(w, findHead, manyGoroutines, manyRounds, *limitFlag, findExecutions,
		thousands(findSteps), thousands(findTransitions), thousands(findWork), *noteFlag)
	tests, small, exhaustive, red, modules := 0, 0, 0, 0, 0
	for _, a := range all {
		if len(a.Found) > 0 {
			modules++
		}
		for _, x := range a.Found {
			tests++
			verdict := x.Verdict
			switch {
			case strings.HasPrefix(verdict, "none"):
			case verdict == "exhaustive":
				exhaustive++
				fallthrough
			default:
				small++
			}
			if x.Executions == 0 && verdict == "incomplete" {
				verdict += ": none ended"
			}
			if len(x.Bugs) > 0 {
				verdict += ": " + strings.Join(slices.Compact(x.Bugs), ", ")
			}
			if x.Verdict == "fail" {
				red++
			}
			numbers := x.Numbers
			if n := len(numbers) - 6; n > 0 {
				numbers = append(slices.Clone(numbers[:6]), fmt.Sprintf("and %d more", n))
			}
			fmt.Fprintf(w, "| %s %s | %s | %s | %s | %d |\n", a.Path, a.Version, x.Entry, strings.Join(numbers, ", "), verdict, x.Executions)
		}
	}
	fmt.Fprintf(w, "\n%d tests of %d modules: %d (%.0f %%) have a small version; of these %d are exhaustive within the bound, and in %d a bug was found.\n",
		tests, modules, small, 100*float64(small)/float64(max(1, tests)), exhaustive, red)
}

// thousands returns n with a comma after each three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

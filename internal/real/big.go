package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	loader "hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
)

// With -big the tests are stress tests, with a large number in the test files. The number bounds a loop that
// starts goroutines, and is at least manyGoroutines; or it bounds another loop beside goroutines, and is at
// least manyRounds. Of each module at most -tests are explored, evenly spread. The page lists them with their
// small versions.

//go:embed big.txt
var bigText string

const (
	manyGoroutines = 8
	manyRounds     = 50
)

// bigResult is the part of hbcheck's answer that the page needs.
type bigResult struct {
	Package, Entry, Verdict, Error string
	Bugs                           []struct {
		Code, Severity, Message, Pos string
		Small                        bool
	}
	Incomplete []string
	Stats      bigStats
	Small      *struct {
		Verdict   string
		Constants []struct {
			Pos      string
			From, To int64
		}
		Stats bigStats
	}
}

type bigStats struct {
	Executions, States, Goroutines, MaxDepth int
	Explore                                  float64 `json:"explore_s"`
}

// bigAnswers has the results of one module.
type bigAnswers struct {
	Path, Version string
	Stress        int // stress tests that it has
	Explored      []bigResult
}

func (m module) bigFile() string { return m.file() + ".big.json" }

// bigAll explores the stress tests of each module without kept results, and prints the page.
func bigAll(w io.Writer, modules []module, hbcheck string) {
	var all []bigAnswers
	for _, m := range modules {
		var a bigAnswers
		text, err := os.ReadFile(m.bigFile())
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if (err != nil || a.Version != m.version) && !*printFlag {
			a, err = big(m, hbcheck)
			if err == nil {
				if text, err = json.MarshalIndent(a, "", "\t"); err == nil {
					err = os.WriteFile(m.bigFile(), text, 0o666)
				}
			}
		}
		if err != nil {
			log.Printf("%s: %v", m.path, err)
			continue
		}
		all = append(all, a)
	}
	bigPage(w, all)
}

// big explores the stress tests of a module.
func big(m module, hbcheck string) (bigAnswers, error) {
	a := bigAnswers{Path: m.path, Version: m.version}
	dir, err := fetch(m)
	if err != nil {
		return a, err
	}
	prog, err := loader.Load(loader.Config{Dir: dir, Patterns: m.packages, Tests: true, Implicit: []string{"runtime"}})
	if err != nil {
		return a, err
	}
	list := stress(prog)
	a.Stress = len(list)
	var names, packages []string
	for i := range min(len(list), *limitFlag) {
		t := list[i*len(list)/min(len(list), *limitFlag)]
		names, packages = append(names, t.Name), append(packages, t.Path)
	}
	if len(names) == 0 {
		return a, nil
	}
	slices.Sort(packages)
	log.Printf("%s: %s", m, strings.Join(names, ", "))
	args := []string{"--timeout=" + *timeFlag, "--parallel=1", "--run=^(" + strings.Join(names, "|") + ")$"}
	for _, line := range runLines(dir, hbcheck, append(args, slices.Compact(packages)...)) {
		var r bigResult
		if err := json.Unmarshal(line, &r); err == nil && r.Entry != "" && !strings.Contains(r.Entry, "+") {
			a.Explored = append(a.Explored, r)
		}
	}
	return a, nil
}

// stress returns the stress tests of a program.
func stress(prog *loader.Program) (list []*loader.Entry) {
	for _, e := range prog.Entries {
		if e.Kind != loader.Test || e.Fuzz || e.Example != nil {
			continue
		}
		starts, many := false, false
		for _, c := range scale.Find(prog, e) {
			switch c.Role {
			case scale.Goroutines:
				starts, many = true, many || c.From >= manyGoroutines
			case scale.Rounds:
				many = many || c.From >= manyRounds
			}
		}
		if starts && many {
			list = append(list, e)
		}
	}
	return list
}

// bigOutcome is the result for a test.
func bigOutcome(r *bigResult) string {
	red := slices.ContainsFunc(r.Bugs, func(b struct {
		Code, Severity, Message, Pos string
		Small                        bool
	}) bool {
		return b.Severity == "error" && b.Small
	})
	switch {
	case r.Error != "":
		return "not explored: " + firstLine(r.Error)
	case red:
		return "small: " + r.Bugs[len(r.Bugs)-1].Code
	case r.Verdict == "fail":
		return "full size: " + r.Bugs[0].Code
	case r.Verdict == "ok":
		return "full size: exhaustive"
	case r.Small == nil && len(r.Incomplete) > 0:
		return "no small version: " + firstLine(r.Incomplete[0])
	case r.Small == nil:
		return "no small version"
	case r.Small.Verdict == "ok":
		return "small: exhaustive"
	}
	return "small: no bug so far"
}

const bigHead = `# Big tests

The stress tests of published modules, unmodified, with hbcheck's default flags and %s for each. A stress test is one
that bounds a loop which starts goroutines by a number of at least %d, or another loop by one of at least %d, where
the number is in its test files; of each module at most %d are explored, evenly spread. The tests of
a module are explored by one command, so that a small version comes in the second pass. "Full size" is what was
decided about the test itself. All others are too big; the table says which numbers were made
smaller, and what was found out about the small version ([small versions](../explorers.md#small-versions)). A small
version has to pass in the order of gc, and mostly in random ones.
` + "`go run ./internal/real -big -tests 3 -timeout 30s -work DIR HBCHECK > page`" + ` makes this page. %s

| module | test | numbers | verdict | small: executions, states |
|---|---|---|---|---|
`

// bigPage prints the page.
func bigPage(w io.Writer, all []bigAnswers) {
	fmt.Fprintf(w, bigHead, *timeFlag, manyGoroutines, manyRounds, *limitFlag, *noteFlag)
	tests, decided, small, exhaustive, modules := 0, 0, 0, 0, 0
	for _, a := range all {
		if len(a.Explored) > 0 {
			modules++
		}
		for _, r := range a.Explored {
			tests++
			var numbers []string
			size := ""
			if r.Small != nil {
				for _, c := range r.Small.Constants {
					pos := filepath.Base(c.Pos)
					pos = pos[:strings.LastIndexByte(pos, ':')]
					numbers = append(numbers, fmt.Sprintf("%s: %d → %d", pos, c.From, c.To))
				}
				size = fmt.Sprintf("%d, %d", r.Small.Stats.Executions, r.Small.Stats.States)
			}
			outcome := bigOutcome(&r)
			switch {
			case strings.HasPrefix(outcome, "full size"):
				decided++
			case strings.HasPrefix(outcome, "small"):
				small++
				if r.Small.Verdict != "incomplete" {
					exhaustive++
				}
			}
			fmt.Fprintf(w, "| %s %s | %s | %s | %s | %s |\n", a.Path, a.Version, r.Entry, strings.Join(numbers, ", "), outcome, size)
		}
	}
	fmt.Fprintf(w, "\n%d tests of %d modules: %d decided at full size; of the other %d, %d (%.0f %%) have a small version, and %d of these are decided.\n",
		tests, modules, decided, tests-decided, small, 100*float64(small)/float64(max(1, tests-decided)), exhaustive)
}

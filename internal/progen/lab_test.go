package progen_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var cache load.Cache

// batch is a set of generated programs loaded as one package.
type batch struct {
	dir  string
	prog *load.Program
}

// loadBatch loads the programs. It calls their Source.
func loadBatch(t testing.TB, progs []*progen.Prog) *batch {
	t.Helper()
	b := &batch{dir: t.TempDir()}
	files := map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "helpers.go": progen.Helpers(), "main.go": "package main\n\nfunc main() {}\n"}
	for _, p := range progs {
		files[strings.ToLower(p.Name)+".go"] = p.Source()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: b.dir, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	b.prog = prog
	return b
}

// machine returns a machine at the start of p.
func (b *batch) machine(t testing.TB, p *progen.Prog, cfg vm.Config) *vm.Machine {
	t.Helper()
	e, err := b.prog.Lookup(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	cfg.VisibleOutput = true
	m, err := vm.New(b.prog, e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// observer collects the findings of a search as a progen.Result.
type observer struct {
	t        testing.TB
	m        *vm.Machine
	outcomes map[string]bool
	races    map[string]bool
	loops    int  // livelocks
	finals   bool // outcomes are distinguished by their last states
	onLeaf   func()
}

func newObserver(t testing.TB, m *vm.Machine) *observer {
	return &observer{t: t, m: m, outcomes: map[string]bool{}, races: map[string]bool{}}
}

// ending returns the ending of the machine's present execution.
func ending(m *vm.Machine, st por.Status) string {
	var printed []string
	for l := range strings.Lines(m.Report().Output(1)) {
		if rest, ok := strings.CutPrefix(l, "P "); ok {
			printed = append(printed, strings.TrimSpace(rest))
		}
	}
	var lines []int
	for _, g := range m.Report().Goroutines() {
		// The generated program's own line, not that inside a model.
		for _, f := range g.Stack {
			if strings.HasPrefix(filepath.Base(f.Pos.Filename), "p") && !f.Std {
				lines = append(lines, f.Pos.Line)
				break
			}
		}
	}
	slices.Sort(lines)
	end := "exit"
	switch f := m.Report().Fault(); {
	case st == por.Cut:
		end = "cut: " + m.Report().CutReason()
	case f != nil && !f.Fatal:
		end = "panic: " + lastPanic(m.Report().Output(2))
	case f != nil:
		end = "fatal: " + f.Message
	case st == por.Stuck && m.Report().MainEnded():
		end = fmt.Sprintf("leak %v", lines)
	case st == por.Stuck:
		end = fmt.Sprintf("deadlock %v", lines)
	}
	return progen.Outcome(printed, end)
}

// lastPanic returns the value of the newest of the panics in a crash message.
func lastPanic(text string) string {
	last := ""
	for l := range strings.Lines(text) {
		if _, v, ok := strings.Cut(l, "panic: "); ok {
			last = strings.TrimSpace(strings.Split(v, " [recovered")[0])
		}
	}
	return last
}

// Leaf implements por.Visitor.
func (o *observer) Leaf(_ trace.Schedule, st por.Status) bool {
	if o.onLeaf != nil {
		o.onLeaf()
	}
	if st != por.Running { // not cut by a bound
		end := ending(o.m, st)
		if o.finals {
			end += fmt.Sprintf(" %x", o.m.Hash())
		}
		o.outcomes[end] = true
	}
	return true
}

// Race implements por.Visitor.
func (o *observer) Race(_ trace.Schedule, a, b trace.Op) bool {
	o.races[progen.RaceName(o.m.Report().Pos(a).Line, o.m.Report().Pos(b).Line)] = true
	return true
}

// Livelock implements por.Visitor.
func (o *observer) Livelock(trace.Schedule, int) bool { o.loops++; return true }

// Restart implements por.Visitor.
func (o *observer) Restart() {}

// search explores p and returns the findings.
func search(t testing.TB, m *vm.Machine, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) (*observer, por.Result) {
	o := newObserver(t, m)
	return o, run(m, o, cfg)
}

// searchFinals is search for outcomes that are distinguished by their last states.
func searchFinals(t testing.TB, m *vm.Machine, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) (*observer, por.Result) {
	o := newObserver(t, m)
	o.finals = true
	return o, run(m, o, cfg)
}

// difference lists the elements that are in only one of the sets.
func difference(got, want map[string]bool) string {
	var d []string
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if !want[k] {
			d = append(d, "  extra   "+k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !got[k] {
			d = append(d, "  missing "+k)
		}
	}
	return strings.Join(d, "\n")
}

// numbered prints a source with line numbers.
func numbered(src string) string {
	var b strings.Builder
	for i, l := range strings.Split(src, "\n") {
		fmt.Fprintf(&b, "%3d %s\n", i+1, l)
	}
	return b.String()
}

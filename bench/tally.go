package bench

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A Tally is a program whose executions have been counted: by a formula, by another
// tool, in a paper. The suites of tallies are listed by TallySuites.
type Tally struct {
	Suite   string
	Program string // directory in that of the suite, or the name of the litmus test
	Args    string // separated by spaces
	Large   bool   // more than some thousand executions: left out with --size small

	// Classes is how many Mazurkiewicz classes of executions there are, those that end and
	// those in which somebody waits for ever; RF is how many there are if only what reads from
	// what is looked at. 0: not known.
	Classes, RF uint64

	// Want are other counts that ours must be equal to.
	Want []Count
	// Published is what others report for the program, or for what it was made after.
	Published []Count
}

// A Count is a number somebody got.
type Count struct {
	By   string // the way to explore, or a tool
	What string // "executions", "blocked", "states", ...
	N    uint64
}

// Name tells the program with its arguments.
func (t *Tally) Name() string { return strings.TrimSpace(t.Program + " " + t.Args) }

// TallySuites returns the names of the suites of tallies.
func TallySuites() []string {
	return []string{"litmus", "smc", "condpor-det", "cdpor", "clockvector", "dporengine", "await"}
}

// Tallies returns the programs of a suite.
func Tallies(suite string) ([]Tally, error) {
	switch suite {
	case "litmus":
		return litmusTallies()
	case "smc":
		return smcTallies(), nil
	case "condpor-det":
		return condporTallies()
	case "cdpor":
		return cdporTallies(), nil
	case "clockvector":
		return clockvectorTallies(), nil
	case "dporengine":
		return dporengineTallies(), nil
	case "await":
		return awaitTallies(), nil
	}
	return nil, fmt.Errorf("no suite %q", suite)
}

// A Way is an explorer with options of its own.
type Way struct {
	POR *por.Explorer
	// Variant names the options POR has: the values that are not the defaults.
	Variant string
}

// Name tells the explorer and its options.
func (w Way) Name() string { return strings.TrimSpace(w.POR.Name + " " + w.Variant) }

// variants are the ways in which suites use explorers, if not only by their defaults.
var variants = []struct {
	suite, explorer, variant string
	options                  []string // names and values in turn
}{
	{"dporengine", "graph", "restart", []string{"replay", "restart"}},
	{"dporengine", "graph", "everyaccess restart", []string{"client", "everyaccess", "replay", "restart"}},
	{"dporengine", "graph", "", nil},
	{"dporengine", "graph", "everyaccess", []string{"client", "everyaccess"}},
	{"clockvector", "jpf", "counted", []string{"counted", "true"}},
	{"cdpor", "context", "", nil},
	{"cdpor", "context", "paper", []string{"context", "paper"}},
	{"cdpor", "context", "css", []string{"context", "css"}},
	{"litmus", "optimal", "", nil},
	{"litmus", "optimal", "rf", []string{"equivalence", "rf"}},
	{"smc", "optimal", "", nil},
	{"smc", "optimal", "rf", []string{"equivalence", "rf"}},
}

// WaysOf returns the ways in which a suite uses the explorer called name.
func WaysOf(suite, name string) (ways []Way) {
	for _, v := range variants {
		if v.suite == suite && v.explorer == name {
			ways = append(ways, Way{explorers.With(name, v.options...), v.variant})
		}
	}
	if len(ways) == 0 {
		ways = []Way{{explorers.With(name), ""}}
	}
	return ways
}

// SuiteWays returns what a suite of tallies is about, by default.
func SuiteWays(suite string) (ways []Way) {
	names := []string{"source", "optimal"}
	switch suite {
	case "cdpor":
		names = append(names, "context")
	case "clockvector":
		names = []string{"jpf", "clockvector"}
	case "dporengine":
		names = []string{"graph"}
	}
	for _, name := range names {
		ways = append(ways, WaysOf(suite, name)...)
	}
	return ways
}

// optimalExplorers execute each class once; the executions other explorers complete are those
// and more.
var optimalExplorers = []string{"optimal", "source"}

// Expected returns how many executions a way to explore has to complete, and the other
// counts it must arrive at.
func (t *Tally) Expected(way Way) (want []Count) {
	if t.Classes > 0 && way.Variant == "" && slices.Contains(optimalExplorers, way.POR.Name) {
		want = append(want, Count{way.POR.Name, "executions", t.Classes})
	}
	if t.RF > 0 && way.Name() == "optimal rf" {
		want = append(want, Count{way.Name(), "executions", t.RF})
	}
	for _, c := range t.Want {
		if c.By == way.Name() {
			want = append(want, c)
		}
	}
	return want
}

// TallyRow is one exploration of a Tally.
type TallyRow struct {
	*Tally
	Way    Way
	Result *explore.Result
	CPU    time.Duration // of the search alone: the least of all times it was repeated
}

// Rate returns how many executions are completed in a second of CPU time.
func (r *TallyRow) Rate() float64 { return rate(r.Result.Stats.Executions, r.CPU) }

// Count returns the number ours has for what.
func (r *TallyRow) Count(what string) (n uint64, known bool) {
	s := &r.Result.Stats
	switch what {
	case "executions":
		return s.Executions, true
	case "blocked":
		return s.Blocked, true
	case "graphs":
		return s.Graphs, true
	case "replays":
		return s.Replays, true
	case "states":
		if !r.Result.Match && s.States == 0 {
			return s.Transitions + 1, true // every node of the tree
		}
		return s.States, true
	}
	return 0, false
}

// Check returns what is wrong with the row. An incomplete search is not compared.
func (r *TallyRow) Check() []string {
	if len(r.Result.Incomplete) > 0 {
		return nil
	}
	var list []string
	for _, want := range r.Expected(r.Way) {
		if n, known := r.Count(want.What); !known || n != want.N {
			list = append(list, fmt.Sprintf("%s %s, %s, --hybrid %s: %d %s, want %d", r.Suite, r.Name(), r.Way.Name(), r.Result.Hybrid, n, want.What, want.N))
		}
	}
	return list
}

// TallyOptions say how Tally explores.
type TallyOptions struct {
	Way       Way
	Hybrid    oracle.Kind // "": none
	Count     int         // measured searches; the quickest counts. 0: one
	MaxMemory int64
	// CheckDuplicates makes it an error if a class is explored twice.
	CheckDuplicates bool
}

// Tally explores t. Executions are what is counted, so states are matched only by an explorer that cannot
// do without.
func (w *Workspace) Tally(ctx context.Context, t *Tally, o TallyOptions) (*TallyRow, error) {
	begin := time.Now()
	prog, entry, err := w.tally(t)
	if err != nil {
		return nil, err
	}
	args := append([]string{t.Program}, strings.Fields(t.Args)...)
	m, err := explore.NewMachine(prog, entry, vm.Config{Args: args, Interrupt: func() bool { return ctx.Err() != nil }})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	loaded := time.Since(begin)
	e := explore.Entry{Package: t.Program, Name: "main", New: func(func() bool) (explore.Machine, error) { return m, nil }}
	opts := explore.Options{POR: o.Way.POR, Hybrid: o.Hybrid, Match: !o.Way.POR.Stateless, All: true, NoMinimise: true,
		MaxMemory: o.MaxMemory, CheckDuplicates: o.CheckDuplicates && o.Way.POR.NoDuplicates}
	row := &TallyRow{Tally: t, Way: o.Way}
	for range max(1, o.Count) {
		if o.Count > 0 {
			runtime.GC() // so that it is not in the middle of something
		}
		c := cpuTime()
		r, err := explore.Run(ctx, e, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name(), err)
		}
		c = cpuTime() - c
		if row.Result == nil {
			row.Result, row.CPU = r, c // a machine's counters are never set back
		}
		row.CPU = min(row.CPU, c)
		if ctx.Err() != nil {
			break
		}
	}
	row.Result.Stats.Load = loaded
	return row, nil
}

// tally loads the program of t, with all others of its suite.
func (w *Workspace) tally(t *Tally) (*load.Program, *load.Entry, error) {
	if t.Suite == "litmus" {
		return w.litmus(t.Program)
	}
	prog, err := w.loadAll(t.Suite)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range prog.Entries {
		if path.Base(e.Path) == t.Program {
			return prog, e, nil
		}
	}
	return nil, nil, fmt.Errorf("no program %s in suite %s", t.Program, t.Suite)
}

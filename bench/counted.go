package bench

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A CountedProgram is a program whose executions have been counted: by a formula, by another
// tool, in a paper. CountedSuites lists the suites.
type CountedProgram struct {
	Suite   string
	Program string // directory inside the suite's, or the name of the litmus test
	Args    string // separated by spaces
	Large   bool   // more than some thousand executions: left out with --size small
	HasBug  bool   // the count is the number of executions until it is found

	// Classes is the number of Mazurkiewicz classes of executions, including those in which a goroutine
	// waits forever; RF is the number of reads-from classes. 0: not known.
	Classes, RF uint64

	// Exact are other counts to which ours must be equal.
	Exact []Count
	// Published has the numbers of papers and other tools for the program, or for its model.
	Published []Count
}

// A Count is a published or an expected number.
type Count struct {
	By   string // the name of a configuration, or a tool
	What string // "executions", "blocked", "states", ...
	N    uint64
}

// Name returns the program with its arguments.
func (t *CountedProgram) Name() string { return strings.TrimSpace(t.Program + " " + t.Args) }

// CountedSuites returns the names of the suites in which executions are counted.
func CountedSuites() []string {
	return []string{"litmus", "smc", "condpor-det", "condpor", "cdpor", "clockvector", "dporengine", "await"}
}

// CountedPrograms returns the programs of a suite.
func CountedPrograms(suite string) ([]CountedProgram, error) {
	switch suite {
	case "litmus":
		return litmusPrograms()
	case "smc":
		return smcPrograms(), nil
	case "condpor-det":
		return condporPrograms()
	case "condpor":
		return symbolicPrograms()
	case "cdpor":
		return cdporPrograms(), nil
	case "clockvector":
		return clockvectorPrograms(), nil
	case "dporengine":
		return dporenginePrograms(), nil
	case "await":
		return awaitPrograms(), nil
	}
	return nil, fmt.Errorf("no suite %q", suite)
}

// A Configuration is an explorer with options of its own.
type Configuration struct {
	POR *por.Explorer
	// Variant names those options of POR that do not have their default values.
	Variant string
	// States: states are stored, up to symmetry, and parts of the program are explored one after the other,
	// as explore does by default.
	States bool
}

// Name returns the names of the explorer and of its options.
func (w Configuration) Name() string { return strings.TrimSpace(w.POR.Name + " " + w.Variant) }

// variants are the configurations of suites and explorers other than the defaults.
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
	{"cdpor", "jpf", statesVariant, nil},
	{"litmus", "optimal", "", nil},
	{"litmus", "optimal", "rf", []string{"equivalence", "rf"}},
	{"smc", "optimal", "", nil},
	{"smc", "optimal", "rf", []string{"equivalence", "rf"}},
}

// statesVariant is the name of configurations with States.
const statesVariant = "states"

// ConfigurationsOf returns the configurations in which a suite uses the explorer called name.
func ConfigurationsOf(suite, name string) (list []Configuration) {
	for _, v := range variants {
		if v.suite == suite && v.explorer == name {
			list = append(list, Configuration{explorers.With(name, v.options...), v.variant, v.variant == statesVariant})
		}
	}
	if len(list) == 0 {
		list = []Configuration{{POR: explorers.With(name)}}
	}
	return list
}

// DefaultConfigurations returns the default configurations of a suite.
func DefaultConfigurations(suite string) (list []Configuration) {
	names := []string{"source", "optimal"}
	switch suite {
	case "condpor":
		names = []string{"source", "condpor"}
	case "cdpor":
		names = append(names, "context", "jpf")
	case "clockvector":
		names = []string{"jpf", "clockvector"}
	case "dporengine":
		names = []string{"graph"}
	}
	for _, name := range names {
		list = append(list, ConfigurationsOf(suite, name)...)
	}
	return list
}

// Expected returns how many executions a configuration has to complete, and the other
// counts it must arrive at. Explorers that may execute a class more than once, or omit one, have only these
// expected counts.
func (t *CountedProgram) Expected(cfg Configuration) (want []Count) {
	switch {
	case cfg.POR.OnePerClass && t.Classes > 0:
		want = append(want, Count{cfg.Name(), "executions", t.Classes})
	case cfg.POR.Equivalence == "rf" && t.RF > 0:
		want = append(want, Count{cfg.Name(), "executions", t.RF})
	}
	for _, c := range t.Exact {
		if c.By == cfg.Name() {
			want = append(want, c)
		}
	}
	return want
}

// CountedRow is one exploration of a CountedProgram.
type CountedRow struct {
	*CountedProgram
	Configuration Configuration
	Result        *explore.Result
	CPU           time.Duration // of the search alone: the least time of all repetitions
	Solver        vm.Solving    // queries about inputs in the first search, which later ones remember
}

// Rate returns how many executions are completed in a second of CPU time.
func (r *CountedRow) Rate() float64 { return rate(r.Result.Stats.Executions, r.CPU) }

// Count returns our number for what.
func (r *CountedRow) Count(what string) (n uint64, known bool) {
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

// Check returns the faults of the row. An incomplete search is not compared.
func (r *CountedRow) Check() []string {
	if len(r.Result.Incomplete) > 0 {
		return nil
	}
	var list []string
	if r.HasBug && len(r.Result.Bugs) == 0 {
		list = append(list, fmt.Sprintf("%s %s, %s, --hybrid %s: no bug found", r.Suite, r.Name(), r.Configuration.Name(), r.Result.Hybrid))
	}
	for _, want := range r.Expected(r.Configuration) {
		if n, known := r.Count(want.What); !known || n != want.N {
			list = append(list, fmt.Sprintf("%s %s, %s, --hybrid %s: %d %s, want %d", r.Suite, r.Name(), r.Configuration.Name(), r.Result.Hybrid, n, want.What, want.N))
		}
	}
	return list
}

// CountOptions say how CountExecutions explores.
type CountOptions struct {
	Configuration Configuration
	Hybrid        oracle.Kind // "": none
	Count         int         // measured searches; the quickest counts. 0: one
	MaxMemory     int64
	Races         bool // data races are detected as well, as by explore
	// CheckDuplicates makes it an error if a class is explored twice.
	CheckDuplicates bool
}

// CountExecutions explores t. It counts executions, so states are matched only if the explorer or the
// configuration requires it.
func (w *Workspace) CountExecutions(ctx context.Context, t *CountedProgram, o CountOptions) (*CountedRow, error) {
	if o.Hybrid == Auto {
		return nil, fmt.Errorf("--hybrid auto: executions are counted with static facts that are always asked")
	}
	opts := explore.Options{POR: o.Configuration.POR, Hybrid: o.Hybrid, Match: !o.Configuration.POR.Stateless, All: !t.HasBug, NoMinimise: true,
		MaxMemory: o.MaxMemory, CheckDuplicates: o.CheckDuplicates && o.Configuration.POR.NoDuplicates}
	if o.Configuration.States {
		opts.Match, opts.Symmetry = true, true
		if opts.Hybrid == oracle.None || opts.Hybrid == "" {
			opts.Hybrid = oracle.Parts
		}
	}
	load := func() (*load.Program, *load.Entry, error) { return w.counted(t) }
	x, err := measureProgram(ctx, load, t.Program, t.Args, vm.Config{Races: o.Races, OrderedTime: o.Races}, opts, o.Count)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return &CountedRow{CountedProgram: t, Configuration: o.Configuration, Result: x.result, CPU: x.cpu, Solver: x.solver}, nil
}

// counted loads the program of t, together with its suite.
func (w *Workspace) counted(t *CountedProgram) (*load.Program, *load.Entry, error) {
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

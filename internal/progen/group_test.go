package progen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A group is a number of programs with one entry, which chooses one of them. They share a machine,
// so that packages are initialised once, and one static analysis. Apart from this choice, the code
// is executed as in a single program.
type group struct {
	m        *vm.Machine
	analysis *oracle.Analysis
	main     trace.GID
	oracles  map[oracleKey]por.Oracle
	blocks   []load.Block // if coverage is recorded
	loops    bool         // the present program has a livelock
}

type oracleKey struct {
	h   oracle.Kind
	off mhb.Stages
}

// A unit is a program of a group: a file with a function called Name.
type unit struct{ Name, Source string }

// units prints generated programs in the form that Explore needs.
func units(progs []*progen.Prog) (list []unit) {
	for _, p := range progs {
		list = append(list, unit{p.Name, p.Source()})
	}
	return list
}

// choosing is package hbtest for generated modules. They have hbcheck's own module path, because
// they contain it.
const choosing = "package hbtest\n\nfunc Choose(n int) int { return 0 }\n"

// loadGroup loads the programs as one package, with an entry for all of them.
func loadGroup(t testing.TB, list []unit) *group {
	t.Helper()
	return loadGroupWith(t, list, vm.Config{VisibleOutput: true})
}

// loadGroupWith is loadGroup for machines with a configuration of their own.
func loadGroupWith(t testing.TB, list []unit, cfg vm.Config) *group {
	t.Helper()
	return loadGroupCounting(t, list, cfg, false)
}

// loadGroupCounting is loadGroupWith; if cover is set, the programs note which blocks are executed.
func loadGroupCounting(t testing.TB, list []unit, cfg vm.Config, cover bool) *group {
	t.Helper()
	if len(list) == 1 { // an entry that has nothing to choose makes no choice
		list = append(list, unit{"Pnothing", "package main\n\nfunc Pnothing() {}\n"})
	}
	dir := t.TempDir()
	files := map[string]string{
		"go.mod":           "module hbcheck.dev/hbcheck\n\ngo 1.26\n",
		"hbtest/choose.go": choosing,
		"helpers.go":       progen.Helpers(),
		"main.go":          "package main\n\nfunc main() {}\n",
	}
	var all strings.Builder
	all.WriteString("package main\n\nimport \"hbcheck.dev/hbcheck/hbtest\"\n\n")
	fmt.Fprintf(&all, "func All() {\n\tswitch hbtest.Choose(%d) {\n", len(list))
	for i, u := range list {
		files[strings.ToLower(u.Name)+".go"] = u.Source
		fmt.Fprintf(&all, "\tcase %d:\n\t\t%s()\n", i, u.Name)
	}
	all.WriteString("\t}\n}\n")
	files["all.go"] = all.String()
	if err := os.Mkdir(filepath.Join(dir, "hbtest"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &cache, Cover: cover})
	if err != nil {
		t.Fatal(err)
	}
	e, err := prog.Lookup("All")
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	g := &group{m: m, analysis: oracle.Analyze(m, prog, e), oracles: make(map[oracleKey]por.Oracle), blocks: prog.Blocks()}
	first := m.Enabled(nil)
	if len(first) != 1 || m.Next(first[0]).Kind != trace.Choose || m.Alternatives(first[0]) != len(list) {
		t.Fatalf("the entry does not begin with its choice")
	}
	g.main = first[0]
	return g
}

// in calls f with the machine at the beginning of program i.
func (g *group) in(i int, f func()) {
	k := g.m.Mark()
	g.m.Step(g.main, i)
	f()
	g.m.Rewind(k)
	g.m.Release(k)
}

// oracle returns the oracle h without the stages in off.
func (g *group) oracle(h oracle.Kind, off mhb.Stages) por.Oracle {
	k := oracleKey{h, off}
	o := g.oracles[k]
	if o == nil {
		o = g.analysis.Oracle(h, off)
		g.oracles[k] = o
	}
	return o
}

// A mode is one way to search.
type mode struct {
	name string
	run  func(por.System, por.Visitor, por.Config) por.Result
	h    oracle.Kind
	off  mhb.Stages

	noLook, noAny bool // without LookAhead, without AnyGoroutine
	only          bool // of Parts: parts and nothing else
	check         bool // every skipped choice
	symmetry      bool // por.Config.Symmetry
	groups        int  // of Parts: the maximum number of groups of goroutines; 0: as many as possible
}

func (x mode) String() string {
	s := fmt.Sprintf("%s, hybrid %s", x.name, x.h)
	if x.off != 0 {
		s += fmt.Sprintf(" without stages %#x", uint16(x.off))
	}
	if x.noLook {
		s += " without LookAhead"
	}
	if x.only {
		s += " alone"
	}
	if x.symmetry {
		s += " with symmetry"
	}
	if x.noAny {
		s += " without AnyGoroutine"
	}
	return s
}

// search explores the present program. If check is not nil, every choice the
// oracle skips is checked.
func (g *group) search(t testing.TB, x mode, check *skipCheck) (*observer, por.Result) {
	cfg := por.Config{Match: true, Symmetry: x.symmetry, Dive: 12} // nearly all programs have longer executions
	if x.h != oracle.None {
		cfg.AnyGoroutine = x.h != oracle.None && !x.noAny
		cfg.Oracle = g.oracle(x.h, x.off)
		if l, ok := cfg.Oracle.(*lookahead.Oracle); ok && x.noLook {
			cfg.Oracle = l.Fallback()
		}
		if check != nil {
			check.Oracle, check.m = cfg.Oracle, g.m
			cfg.Oracle = check
		}
	}
	if x.only {
		cfg.Oracle, cfg.AnyGoroutine = nil, false
	}
	if x.h == oracle.Parts {
		cfg.Parts = oracle.NewPartition(g.m)
		if x.groups > 0 {
			cfg.Parts = oracle.NewPartitionOf(g.m, x.groups)
		}
		if check != nil {
			cfg.Parts = checkedParts{cfg.Parts, check}
		}
	}
	return search(t, g.m, x.run, cfg)
}

// skipCheck is an oracle that checks whether the choices that another oracle skips satisfy the criterion:
// no operation that others can execute while the goroutine waits conflicts with its operation.
type skipCheck struct {
	por.Oracle
	m     *vm.Machine
	seen  map[skipped]bool
	wrong []string
}

type skipped struct {
	state por.Hash
	gs    string
}

// maxParked bounds the states inspected for one skipped choice.
const maxParked = 500

// Skip implements por.Oracle.
func (c *skipCheck) Skip(g trace.GID, op *trace.Op) string {
	reason := c.Oracle.Skip(g, op)
	if reason != "" {
		c.verify([]trace.GID{g}, reason, lookahead.PersistentSet)
	}
	return reason
}

// A criterion is lookahead.PersistentSet, or PersistentPart.
type criterion func(sys por.System, gs []trace.GID, limit uint64) (conflict trace.Schedule, complete bool)

// verify checks that the pending operations of gs are a persistent set.
func (c *skipCheck) verify(gs []trace.GID, reason string, is criterion) {
	k := skipped{c.m.Hash(), fmt.Sprint(gs)}
	if c.seen[k] {
		return
	}
	if c.seen == nil {
		c.seen = make(map[skipped]bool)
	}
	c.seen[k] = true
	conflict, _ := is(c.m, gs, maxParked)
	if conflict == nil {
		return
	}
	text := "no choice but"
	for _, g := range gs {
		op := c.m.Next(g)
		text += fmt.Sprintf(" %s at %v by g%d,", op.Kind, c.m.Report().Pos(op), g)
	}
	c.wrong = append(c.wrong, fmt.Sprintf("%s (%s) but while they wait: %v", text, reason, conflict))
}

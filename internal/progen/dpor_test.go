package progen_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var featuresFlag = flag.Uint("features", 0, "features of the programs of TestOptimal; 0: vary")

// counter collects the executions it is shown, to count their classes.
type counter struct {
	*observer
	crashes   bool
	restarts  int
	schedules []trace.Schedule
}

func (c *counter) Leaf(path trace.Schedule, st por.Status) bool {
	c.schedules = append(c.schedules, append(trace.Schedule(nil), path...))
	if c.m.Report().Fault() != nil || st == por.Cut {
		c.crashes = true
	}
	return c.observer.Leaf(path, st)
}

// Restart: the classes from here on are others.
func (c *counter) Restart() { c.schedules, c.restarts = nil, c.restarts+1 }

// assumptions returns which assumptions about channels the explorer has not given up, and whether it has
// given up another one. restarts is how often it began again.
func assumptions(t testing.TB, run func(por.System, por.Visitor, por.Config) por.Result, g *group, cfg por.Config, restarts int) (oneCloses, onlyReceived, other bool) {
	if restarts == 0 {
		return true, true, false
	}
	var lines restartLines
	cfg.Trace = &lines
	run(g.m, newObserver(t, g.m), cfg)
	oneCloses = !strings.Contains(lines.text, "several goroutines that send to it")
	onlyReceived = !strings.Contains(lines.text, "of which other executions only receive")
	known := strings.Count(lines.text, "from which others have received before")
	for _, held := range []bool{oneCloses, onlyReceived} {
		if !held {
			known++
		}
	}
	return oneCloses, onlyReceived, known != restarts
}

// restartLines keeps the lines of a transcript that say why the search begins again.
type restartLines struct{ text string }

func (r *restartLines) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "restart: ") {
		r.text += string(p)
	}
	return len(p), nil
}

// TestOptimal: the outcomes are those of the reference, and each class is explored once.
func TestOptimal(t *testing.T) { testClasses(t, optimalOnce, 500) }

// TestReadsFrom: the outcomes and races are those of the reference, and each reads-from class is
// explored once.
func TestReadsFrom(t *testing.T) { testClasses(t, readsFromOnce, 400) }

// TestSource: the checks of TestOptimal for Source, which begins other executions, too.
func TestSource(t *testing.T) { testClasses(t, sourceOnce, 400) }

// TestContext: the outcomes are those of the reference; some classes are omitted.
func TestContext(t *testing.T) { testClasses(t, contextOnce, 500) }

// TestClassesHybrid: the same checks with static facts of every kind.
func TestClassesHybrid(t *testing.T) {
	for _, r := range []reduction{optimalOnce, readsFromOnce, sourceOnce, contextOnce} {
		r.hybrids = []oracle.Kind{oracle.FieldAccess, oracle.Patterns, oracle.MHB, oracle.Full}
		testClasses(t, r, 100)
	}
}

// A reduction is an explorer that is to explore each class once.
type reduction struct {
	run   func(por.System, por.Visitor, por.Config) por.Result
	exact bool // it does
	rf    bool // classes are those of reads-from
	// oneCloses: closing a channel is independent of receives, if one goroutine sends and closes.
	oneCloses bool
	// hybrids are the kinds of static facts it has, one after the other. nil: none
	hybrids []oracle.Kind
}

var (
	optimalOnce   = reduction{run: explorers.With("optimal").Explore, exact: true, oneCloses: true}
	readsFromOnce = reduction{run: explorers.With("optimal", "equivalence", "rf").Explore, exact: true, rf: true}
	sourceOnce    = reduction{run: explorers.With("source").Explore, exact: true, oneCloses: true}
	contextOnce   = reduction{run: explorers.With("context").Explore}
)

// TestKnownClasses: the checks of TestOptimal and the others, for known programs.
func TestKnownClasses(t *testing.T) {
	for _, k := range deep.Failed(t) {
		p := progen.Generate(k.Seed, progen.Features(k.Features))
		g := loadGroup(t, units([]*progen.Prog{p}))
		for _, r := range []reduction{optimalOnce, readsFromOnce, sourceOnce, contextOnce} {
			c := &classCheck{T: t, reduction: r}
			if c.program(g, 0, p, progen.Features(k.Features)); c.checked == 0 {
				t.Errorf("seed %d is left out", k.Seed)
			}
		}
	}
}

// TestKnownClassesHybrid: the checks of TestClassesHybrid, for known programs.
func TestKnownClassesHybrid(t *testing.T) {
	for _, k := range deep.Failed(t) {
		p := progen.Generate(k.Seed, progen.Features(k.Features))
		g := loadGroup(t, units([]*progen.Prog{p}))
		for _, r := range []reduction{optimalOnce, sourceOnce} {
			r.hybrids = []oracle.Kind{oracle.MHB, oracle.Full}
			c := &classCheck{T: t, reduction: r}
			if c.program(g, 0, p, progen.Features(k.Features)); c.checked == 0 {
				t.Errorf("seed %d is left out", k.Seed)
			}
		}
	}
}

// relation is the relation for programs without misuse. For WaitGroups it is the same as in package por.
func relation(m *vm.Machine) classes.Relation {
	return classes.Relation{
		Dependent: func(a, b *trace.Op) bool {
			if a.Kind == trace.WgAdd && b.Kind == trace.WgAdd {
				return hb.Dependent(a, b)
			}
			return a.Kind == trace.Output && b.Kind == trace.Output || classes.Conflicts(a, b)
		},
		Partner: m.Partner, Label: m.Label, Touches: m.Touches,
		Buffer: func(op *trace.Op) (length, room int, closed bool) { return m.Buffer(op.G) },
	}
}

func testClasses(t *testing.T, r reduction, total int) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	perBatch := uint64(100)
	if r.hybrids != nil { // a set of features each
		perBatch = 20
	}
	perBatch = deep.Pick(min(perBatch/20, 2), perBatch) // quick: each set of features once
	sets := []progen.Features{progen.All | progen.Unused, progen.Locks | progen.Groups | progen.Atomics | progen.Unused, progen.Atomics | progen.Unused, progen.Chans | progen.Locks, progen.Chans | progen.Selects,
		progen.Chans | progen.Selects | progen.Trying,
		progen.Locks | progen.Maps | progen.Prints}
	if r.rf {
		sets = []progen.Features{progen.Atomics, progen.Locks | progen.Groups | progen.Atomics, progen.Atomics | progen.Prints | progen.Unused, progen.Locks | progen.Atomics, progen.Maps | progen.Atomics, progen.All}
	}
	total = deep.N(len(sets)*int(perBatch), total)
	c := &classCheck{T: t, reduction: r}
	for first := deep.Seed(); c.checked+c.left < total; first += perBatch {
		f := sets[first/perBatch%uint64(len(sets))]
		if *featuresFlag != 0 {
			f = progen.Features(*featuresFlag)
		}
		var progs []*progen.Prog
		for i := range min(perBatch, uint64(total-c.checked-c.left)) {
			progs = append(progs, progen.Generate(first+i, f))
		}
		g := loadGroup(t, units(progs))
		for i, p := range progs {
			c.program(g, i, p, f)
		}
	}
	c.report()
}

// classCheck compares the explored classes of a reduction with all classes.
type classCheck struct {
	*testing.T
	reduction
	checked, left, counted, fewer, bad, most int
}

func (c *classCheck) report() {
	c.Helper()
	c.Logf("%d programs checked, %d left out; of %d the classes were counted, at most %d", c.checked, c.left, c.counted, c.most)
	if c.checked < deep.Pick(1, 3)*c.left {
		c.Errorf("%d programs are too few", c.checked)
	}
	if c.rf {
		c.Logf("%d have fewer classes than Mazurkiewicz's", c.fewer)
	}
}

// program checks program i of g, which is p with features f.
func (c *classCheck) program(g *group, i int, p *progen.Prog, f progen.Features) {
	want := progen.Explore(p, maxStates)
	if !want.Complete {
		c.left++
		return
	}
	g.in(i, func() {
		defer func() {
			if r := recover(); r != nil {
				c.Logf("seed %d:\n%s", p.Seed, numbered(p.Source()))
				panic(r)
			}
		}()
		c.explored(g, p, f, want)
	})
	if c.bad > 2 {
		c.Fatal("enough")
	}
}

// wrong reports an error about p.
func (c *classCheck) wrong(p *progen.Prog, format string, args ...any) {
	c.Helper()
	c.bad++
	c.Errorf("seed %d: %s\n%s", p.Seed, fmt.Sprintf(format, args...), numbered(p.Source()))
}

// explored explores p, at whose beginning g is, with static facts of each kind.
func (c *classCheck) explored(g *group, p *progen.Prog, f progen.Features, want progen.Result) {
	hybrids := c.hybrids
	if hybrids == nil {
		hybrids = []oracle.Kind{oracle.None}
	}
	var there *classesOf
	for i, h := range hybrids {
		cfg := por.Config{MaxExecutions: 20000, MaxSteps: 500, CheckDuplicates: true}
		if h != oracle.None {
			cfg.Oracle, cfg.AnyGoroutine = g.oracle(h, 0), true
		}
		o := &counter{observer: &observer{t: c, m: g.m, outcomes: map[string]bool{}, races: map[string]bool{}}}
		r := c.run(g.m, o, cfg)
		if r.Duplicate != nil {
			c.wrong(p, "hybrid %s: %v", h, r.Duplicate)
		}
		if len(r.Incomplete) > 0 {
			c.left++
			return
		}
		if i == 0 {
			c.checked++
		}
		if d := difference(o.outcomes, want.Outcomes); d != "" {
			c.wrong(p, "hybrid %s: outcomes (extra or missing in the machine):\n%s", h, d)
		}
		oneCloses, onlyReceived, other := assumptions(c, c.run, g, cfg, o.restarts) // other: its classes are others
		if c.rf {
			other = r.FallbackTo != ""
		}
		if c.exact && !other {
			if d := difference(o.races, want.Races); d != "" {
				c.wrong(p, "hybrid %s: races (extra or missing in the machine):\n%s", h, d)
			}
		}
		if !c.exact || o.crashes || other || f&progen.Trying != 0 && f&progen.Locks != 0 {
			continue
		}
		if there == nil {
			if there = c.classes(g.m, p, f, oneCloses && c.oneCloses, onlyReceived); there == nil {
				continue
			}
		}
		if n := there.distinct(g.m, o.schedules, c.rf); n != there.total || len(o.schedules) != n {
			c.wrong(p, "hybrid %s: %d executions of %d classes, want %d", h, len(o.schedules), n, there.total)
		}
	}
}

// classesOf is how many classes a program has, by a relation.
type classesOf struct {
	total    int
	relation classes.Relation
}

// classes counts those of p; nil if they are too many.
func (c *classCheck) classes(m *vm.Machine, p *progen.Prog, f progen.Features, oneCloses, onlyReceived bool) *classesOf {
	rel := relation(m)
	rel.OneCloses = oneCloses
	if onlyReceived && !c.rf {
		rel.Cases = m.Cases
	}
	if c.rf { // which lets nothing commute that conflicts
		rel.Dependent = func(a, b *trace.Op) bool {
			return (a.Commutes == trace.Increments || a.Commutes == trace.Reads) && a.Conflicts(&trace.Op{N: b.N, Access: b.Access}) || relation(m).Dependent(a, b)
		}
	}
	count, limit := classes.Merge, 3000
	if f&progen.Groups != 0 { // a goroutine can observe whether it waited when a counter reached zero
		count, limit = classes.All, 20000
	}
	all, err := count(m, rel, limit)
	if err != nil {
		if !errors.As(err, new(classes.Limit)) {
			c.wrong(p, "%v", err)
		}
		return nil
	}
	c.counted++
	n := all.Total()
	if c.rf {
		if n = all.RFEnded + all.RFStuck; n < all.Total() {
			c.fewer++
		}
	}
	c.most = max(c.most, n)
	return &classesOf{n, rel}
}

// distinct returns how many classes the executions belong to.
func (c *classesOf) distinct(m *vm.Machine, list []trace.Schedule, rf bool) int {
	seen := make(map[classes.Class]bool)
	for _, s := range list {
		class, reads := classes.Of(m, c.relation, s)
		if rf {
			class = reads
		}
		seen[class] = true
	}
	return len(seen)
}

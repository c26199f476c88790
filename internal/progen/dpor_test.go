package progen_test

import (
	"errors"
	"flag"
	"runtime/debug"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var featuresFlag = flag.Uint("features", 0, "features of the programs of TestOptimal; 0: vary")

// counter collects the executions it is shown, to count their classes.
type counter struct {
	*observer
	classes   map[classes.Class]bool
	crashes   bool
	restarts  int
	schedules []trace.Schedule
}

func (c *counter) Leaf(path trace.Schedule, st por.Status) bool {
	c.schedules = append(c.schedules, append(trace.Schedule(nil), path...))
	if c.m.Fault() != nil || st == por.Cut {
		c.crashes = true
	}
	return c.observer.Leaf(path, st)
}

// Restart: what comes are not the same classes.
func (c *counter) Restart() { c.schedules, c.restarts = nil, c.restarts+1 }

// TestOptimal: the outcomes are those of the reference, and each class is explored once.
func TestOptimal(t *testing.T) { testClasses(t, por.Optimal, 1000, true) }

// TestReadsFrom: the outcomes and races are those of the reference, and each reads-from class is explored once.
func TestReadsFrom(t *testing.T) {
	testClasses(t, func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
		cfg.ReadsFrom = true
		return por.Optimal(sys, v, cfg)
	}, 600, true, readsFrom)
}

// readsFrom says that classes are told by what reads from what.
const readsFrom = "reads from"

// TestSource: the same of Source, which begins other executions, too.
func TestSource(t *testing.T) { testClasses(t, por.Source, 200, true) }

// TestContext: the outcomes are those of the reference; classes are left out.
func TestContext(t *testing.T) { testClasses(t, por.Context, 200, false) }

// relation is that of programs in which nothing is misused. That of WaitGroups is por's.
func relation(m *vm.Machine) classes.Relation {
	return classes.Relation{
		Dependent: func(a, b *trace.Op) bool {
			if a.Kind == trace.WgAdd && b.Kind == trace.WgAdd {
				return por.Dependent(a, b)
			}
			return a.Kind == trace.Output && b.Kind == trace.Output || classes.Conflicts(a, b)
		},
		Partner: m.Partner, Label: m.Label,
		Buffer: func(op *trace.Op) (length, room int) { length, room, _ = m.Queue(op.G); return },
	}
}

func testClasses(t *testing.T, explorer func(por.System, por.Visitor, por.Config) por.Result, total int, exact bool, how ...string) {
	rf := slices.Contains(how, readsFrom)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	const perBatch = 100
	if *countFlag > 0 {
		total = *countFlag
	} else if testing.Short() {
		total = perBatch
	}
	sets := []progen.Features{progen.All | progen.Unused, progen.Locks | progen.Groups | progen.Atomics | progen.Unused, progen.Atomics | progen.Unused, progen.Chans | progen.Locks, progen.Chans | progen.Selects,
		progen.Locks | progen.Maps | progen.Prints}
	if rf {
		sets = []progen.Features{progen.Atomics, progen.Locks | progen.Groups | progen.Atomics, progen.Atomics | progen.Prints | progen.Unused, progen.Locks | progen.Atomics, progen.Maps | progen.Atomics, progen.All}
	}
	checked, left, counted, fewer, bad, most := 0, 0, 0, 0, 0, 0
	for first := *seedFlag; checked+left < total; first += perBatch {
		f := sets[first/perBatch%uint64(len(sets))]
		if *featuresFlag != 0 {
			f = progen.Features(*featuresFlag)
		}
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total-checked-left)) {
			progs = append(progs, progen.Generate(first+i, f))
		}
		g := loadGroup(t, units(progs))
		for i, p := range progs {
			want := progen.Explore(p, maxStates)
			if !want.Complete {
				left++
				continue
			}
			g.in(i, func() {
				defer func() {
					if r := recover(); r != nil {
						t.Logf("seed %d:\n%s", p.Seed, numbered(p.Source()))
						panic(r)
					}
				}()
				o := &counter{observer: &observer{t: t, m: g.m, outcomes: map[string]bool{}, races: map[string]bool{}}, classes: map[classes.Class]bool{}}
				r := explorer(g.m, o, por.Config{MaxExecutions: 20000, MaxSteps: 500, CheckDuplicates: true})
				if r.Duplicate != nil {
					bad++
					t.Errorf("seed %d: %v\n%s", p.Seed, r.Duplicate, numbered(p.Source()))
				}
				if len(r.Incomplete) > 0 {
					left++
					return
				}
				checked++
				if d := difference(o.outcomes, want.Outcomes); d != "" {
					bad++
					t.Errorf("seed %d: outcomes (extra or missing in the machine):\n%s\n%s", p.Seed, d, numbered(p.Source()))
				}
				if rf && o.restarts == 0 {
					if d := difference(o.races, want.Races); d != "" {
						bad++
						t.Errorf("seed %d: races (extra or missing in the machine):\n%s\n%s", p.Seed, d, numbered(p.Source()))
					}
				}
				if !exact || o.crashes || o.restarts > 0 || f&progen.Trying != 0 {
					return
				}
				rel := relation(g.m)
				if rf { // which lets nothing commute that conflicts
					rel.Dependent = func(a, b *trace.Op) bool {
						return (a.Commutes == trace.Increments || a.Commutes == trace.Reads) && a.Conflicts(&trace.Op{N: b.N, Access: b.Access}) || relation(g.m).Dependent(a, b)
					}
				}
				count, limit := classes.Merge, 3000
				if f&progen.Groups != 0 { // a goroutine knows whether it waited when a counter reached zero
					count, limit = classes.All, 20000
				}
				all, err := count(g.m, rel, limit)
				if err != nil {
					if !errors.As(err, new(classes.Limit)) {
						t.Errorf("seed %d: %v\n%s", p.Seed, err, numbered(p.Source()))
						bad++
					}
					return
				}
				counted++
				total := all.Total()
				if rf {
					if total = all.RFEnded + all.RFStuck; total < all.Total() {
						fewer++
					}
				}
				most = max(most, total)
				for _, s := range o.schedules {
					c, r := classes.Of(g.m, rel, s)
					if rf {
						c = r
					}
					o.classes[c] = true
				}
				if len(o.classes) != total || len(o.schedules) != total {
					bad++
					t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", p.Seed, len(o.schedules), len(o.classes), total, numbered(p.Source()))
				}
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out; of %d the classes were counted, at most %d", checked, left, counted, most)
	if rf {
		t.Logf("%d have fewer classes than Mazurkiewicz's", fewer)
	}
}

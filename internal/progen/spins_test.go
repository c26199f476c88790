package progen_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

func spinsOf(seed uint64, sums bool) progen.Text {
	return progen.Spins(fmt.Sprintf("P%d", seed), rand.New(rand.NewPCG(seed, 0x5b145)), sums)
}

// waiter collects the findings of explorers in programs with loops that wait.
type waiter struct {
	*observer
	schedules []trace.Schedule
	restarts  int
}

// Leaf implements por.Visitor.
func (w *waiter) Leaf(path trace.Schedule, st por.Status) bool {
	w.schedules = append(w.schedules, slices.Clone(path))
	if st == por.Stuck && len(w.m.SpinSchedule()) > 0 {
		return w.Livelock(nil, 0)
	}
	return w.observer.Leaf(path, st)
}

// Livelock implements por.Visitor.
func (w *waiter) Livelock(trace.Schedule, int) bool {
	w.outcomes[strings.ReplaceAll(w.m.Report().Output(1), "\n", ";")+"|livelock"] = true
	return true
}

// Restart implements por.Visitor.
func (w *waiter) Restart() { w.schedules, w.restarts = nil, w.restarts+1 }

// explore explores the present program. a says what the machine does about iterations without
// effect.
func (g *group) explore(t testing.TB, e *por.Explorer, a vm.Await, cfg por.Config) (*waiter, por.Result) {
	g.m.Await(a)
	defer g.m.Await(vm.AwaitNever)
	w := &waiter{observer: newObserver(t, g.m)}
	return w, e.Explore(g.m, w, cfg)
}

// TestSpins: in programs with loops that wait, explorers that store no states have the findings of a full
// search that stores them, and samplers have no others; source and optimal complete each class of
// executions without zero-effect iterations once.
func TestSpins(t *testing.T) {
	testSpins(t, func(seed uint64) progen.Text { return spinsOf(seed, false) }, vm.AwaitOnce, false)
}

// TestSums: the same for programs whose additions and readers would commute if no loop waited for
// them.
func TestSums(t *testing.T) {
	testSpins(t, func(seed uint64) progen.Text { return spinsOf(seed, true) }, vm.AwaitOnce, false)
}

// TestLockedSpins: the same for programs whose iterations may lock; samplers repeat such
// iterations.
func TestLockedSpins(t *testing.T) {
	testSpins(t, func(seed uint64) progen.Text {
		return progen.LockedSpins(fmt.Sprintf("P%d", seed), rand.New(rand.NewPCG(seed, 0x10c4ed)))
	}, vm.AwaitLocked, false)
}

// TestBigSpins: the checks of outcomes of TestSpins if the own state of each goroutine counts as big. Then an
// iteration without effect is left out only when it comes the second time.
func TestBigSpins(t *testing.T) {
	testSpins(t, func(seed uint64) progen.Text {
		p := spinsOf(seed, false)
		const own = "own := make([]int, 1)\ndefer func() { own[0]++ }()\n"
		p.Source = strings.NewReplacer("go func() {", "go func() {\n"+own, "\tt := new(", own+"\tt := new(",
			"\truntime.Gosched()", "\tif own[0]++; own[0] == 3 {\npanic(\"the third time\")\n}\nruntime.Gosched()").Replace(p.Source)
		return p
	}, vm.AwaitOnce, true)
}

func testSpins(t *testing.T, text func(seed uint64) progen.Text, await vm.Await, big bool) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	full := explorers.Lookup("full")
	checked, left, counted, cut, most, bad := 0, 0, 0, 0, 0, 0
	for seeds := range slices.Chunk(deep.Seeds(t, 4, 300), 100) {
		var texts []progen.Text
		var us []unit
		for i, seed := range seeds {
			texts = append(texts, text(seed))
			us = append(us, unit{texts[i].Name, texts[i].Source})
		}
		g := loadGroupWith(t, us, vm.Config{VisibleOutput: true, SmallLimits: big})
		for i, p := range texts {
			g.in(i, func() {
				failed := func(format string, args ...any) {
					bad++
					t.Errorf("%s: %s\n%s", p.Name, fmt.Sprintf(format, args...), numbered(p.Source))
				}
				defer func() {
					if r := recover(); r != nil {
						t.Logf("%s\n%s", p.Name, numbered(p.Source))
						panic(r)
					}
				}()
				want, r := g.explore(t, full, vm.AwaitNever, por.Config{Match: true, MaxStates: 20000})
				if len(r.Incomplete) > 0 {
					left++
					return
				}
				checked++
				// The classes that are left when iterations without effect are not completed.
				g.m.Await(await)
				rel := classes.Relation{Dependent: hb.Dependent, Partner: g.m.Partner, Label: g.m.Label}
				all, err := classes.Merge(g.m, rel, 3000)
				g.m.Await(vm.AwaitNever)
				if err != nil && !errors.As(err, new(classes.Limit)) {
					failed("%v", err)
				}
				for _, e := range samplers() {
					if await == vm.AwaitLocked {
						break
					}
					w, r := g.explore(t, e, vm.AwaitChange, por.Config{MaxExecutions: 20, MaxSteps: 2000, Seed: deep.Seed()})
					if r.Truncated > 0 {
						failed("%s: %d executions do not end", e.Name, r.Truncated)
					}
					for o := range w.outcomes {
						if !want.outcomes[o] {
							failed("%s: %s", e.Name, o)
						}
					}
				}
				for _, e := range stateless() {
					w, r := g.explore(t, e, await, por.Config{MaxExecutions: 3000, MaxSteps: 300})
					if r.Truncated > 0 {
						failed("%s: %d executions do not end", e.Name, r.Truncated)
					}
					if len(r.Incomplete) > 0 {
						cut++
						continue
					}
					if d := difference(w.outcomes, want.outcomes); d != "" {
						failed("%s: outcomes (extra or missing):\n%s", e.Name, d)
					}
					if err != nil || big || w.restarts > 0 || e.Name != "optimal" && e.Name != "source" {
						continue
					}
					counted++
					most = max(most, all.Total())
					found := map[classes.Class]bool{}
					g.m.Await(await)
					for _, s := range w.schedules {
						c, _ := classes.Of(g.m, rel, s)
						found[c] = true
					}
					g.m.Await(vm.AwaitNever)
					if len(found) != all.Total() || len(w.schedules) != all.Total() || e.Name == "optimal" && int(r.Blocked) != all.Cut {
						failed("%s: %d executions of %d classes and %d abandoned, want %d, %d", e.Name, len(w.schedules), len(found), r.Blocked, all.Total(), all.Cut)
					}
				}
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out; %d searches not exhaustive; %d times the classes were counted, at most %d", checked, left, cut, counted, most)
}

// samplers are the explorers that sample.
func samplers() []*por.Explorer {
	return slices.DeleteFunc(explorers.All(), func(e *por.Explorer) bool { return !e.Samples })
}

// stateless are the explorers that TestSpins compares.
func stateless() []*por.Explorer {
	all := append(explorers.Exhaustive(), named("optimal-rf", explorers.With("optimal", "equivalence", "rf")))
	return slices.DeleteFunc(all, func(e *por.Explorer) bool {
		return *reductionFlag != "" && *reductionFlag != e.Name
	})
}

package report

import (
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestCauses: a goroutine reads a value, is interrupted, and acts on the value. The value is a
// cause only if another goroutine has written the location and the first one has not read it again.
func TestCauses(t *testing.T) {
	step := func(g trace.GID, kind trace.Kind, loc uint64, write bool, preempts string) describe.Event {
		name := []string{"main", "g1", "g2"}[g]
		e := ev(g, name, kind, "n", "", "f", at("x.go", 10*int(g)+int(kind), 1), loc, write)
		e.Preempts = preempts
		return e
	}
	load, add, lock := trace.AtomicLoad, trace.AtomicRMW, trace.Lock
	for _, test := range []struct {
		events []describe.Event
		want   string
	}{
		{[]describe.Event{step(1, load, 7, false, ""), step(2, load, 7, false, "g1"), step(2, add, 7, true, ""), step(1, add, 7, true, "")},
			"steps 1-4 of g1 are not atomic: it reads n in step 1 and acts on that in step 4 (atomic-rmw n), but g2 writes it in between (step 3)."},
		{[]describe.Event{step(1, load, 7, false, ""), step(2, load, 7, false, "g1"), step(2, add, 7, true, ""), step(1, load, 7, false, ""), step(1, add, 7, true, "")},
			"g1 is interrupted before step 4 (atomic-load n), and step 3 of g2 (atomic-rmw n) comes first."},
		{[]describe.Event{step(1, load, 7, false, ""), step(2, load, 8, false, "g1"), step(2, add, 8, true, ""), step(1, add, 7, true, "")}, ""},
		{[]describe.Event{step(1, load, 7, false, ""), step(1, lock, 9, true, ""), step(2, add, 7, true, "g1"), step(1, add, 6, true, "")},
			"steps 1-4 of g1 are not atomic: it reads n in step 1 and acts on that in step 4 (atomic-rmw n), but g2 writes it in between (step 3)."},
	} {
		b := &bug.Bug{Kind: bug.Failure, G: "main", Loop: -1, Events: test.events, Preemptions: 1, Detail: bug.TestFailed{}}
		if got := causeOf(b).text; got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
	b := &bug.Bug{Kind: bug.Failure, G: "main", Loop: -1, Events: []describe.Event{step(0, load, 7, false, "")}, Detail: bug.TestFailed{},
		NotRun: []describe.Related{{Pos: step(1, load, 0, false, "").Pos, Role: describe.RoleStarted, Goroutine: "g1"}}}
	if got := why(b); !strings.HasPrefix(got, "g1 (started at x.go:") || !strings.HasSuffix(got, "has not run yet. It needs no preemption.") {
		t.Error(got)
	}
}

// TestStaleRead: the cause is the same as by a search that looks at every read before every interruption,
// which takes too long for schedules of big tests.
func TestStaleRead(t *testing.T) {
	slow := func(b *bug.Bug, all []*describe.Event) []int {
		for p := len(all) - 1; p >= 0; p-- {
			if all[p].Preempts == "" {
				continue
			}
			last := previous(all, p, func(e *describe.Event) bool { return e.Name == all[p].Preempts })
			if last < 0 {
				continue
			}
			g, next := all[last].G, p
			for next < len(all) && all[next].G != g {
				next++
			}
			for r := last; r >= 0 && !all[r].Brief; r-- {
				if all[r].G != g || !reads(all[r]) {
					continue
				}
				w := previous(all, next, func(e *describe.Event) bool { return e.G != g && e.Write && e.Loc == all[r].Loc })
				if act := acts(b, all, next, all[r]); w >= p && act >= 0 {
					return []int{r + 1, act + 1, w + 1}
				}
			}
		}
		return nil
	}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 3000 {
		b := &bug.Bug{Kind: bug.Failure, Events: make([]describe.Event, 30)}
		for i := range b.Events {
			g := trace.GID(r.IntN(3))
			kinds := []trace.Kind{trace.AtomicLoad, trace.AtomicRMW, trace.AtomicStore, trace.Lock}
			kind := kinds[r.IntN(len(kinds))]
			e := describe.Event{G: g, Name: []string{"main", "g1", "g2"}[g], Kind: kind, Loc: uint64(1 + r.IntN(4)), Write: kind != trace.AtomicLoad, Brief: r.IntN(60) == 0}
			if i > 0 && b.Events[i-1].G != g && r.IntN(2) == 0 {
				e.Preempts = b.Events[i-1].Name
			}
			b.Events[i] = e
		}
		got, want := staleRead(b, steps(b.Events)).steps, slow(b, steps(b.Events))
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		if want != nil {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d of the schedules have a stale read", found)
	}
}

// TestOnlyThis: choices after a failure do not cause it.
func TestOnlyThis(t *testing.T) {
	choice := describe.Event{Name: "main", Kind: trace.Choose}
	drawn := []vm.Assumption{{What: vm.RandSampled, Pos: token.Position{Filename: "/x/a.go", Line: 5}}}
	for _, x := range []struct {
		bug  bug.Bug
		want string
	}{
		{bug.Bug{FailsAtStart: true, Inputs: []describe.Input{{}}, Events: []describe.Event{choice}}, " It needs no preemption, only these inputs."},
		{bug.Bug{FailsAtStart: true}, " It happens before the first step, so in every schedule."},
		{bug.Bug{FailsAtStart: true, Drawn: drawn}, " It happens before the first step, so in every schedule with these values: math/rand (a.go:5)."},
		{bug.Bug{Events: []describe.Event{choice}, Delay: &bug.Delay{For: 5, Runner: "g2"}}, " It needs no preemption, but 5ns to pass while g2 could run and the choice in step 1."},
		{bug.Bug{Events: []describe.Event{choice}}, " It needs no preemption, only the choice in step 1."},
		{bug.Bug{Events: []describe.Event{{Kind: trace.Select, Picks: true, Fails: true}, choice}}, " It needs no preemption, only the case that the select in step 1 takes."},
		{bug.Bug{Events: []describe.Event{{Kind: trace.Select}, {Kind: trace.Read}}}, " It needs no preemption."},
	} {
		x.bug.Kind = bug.Failure
		if got := needed(&x.bug); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

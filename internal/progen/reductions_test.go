package progen_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

var reductionFlag = flag.String("reduction", "", "the only explorer that TestReductions compares")

// TestReductions: explorers that reduce by dependence and store no states have the findings of the
// reference interpreter, except for livelocks.
func TestReductions(t *testing.T) {
	const perBatch = 100
	total := deep.N(6, 300)
	checked, left, large, bad := 0, 0, 0, 0
	for first := deep.Seed(); checked+left < total; first += perBatch {
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total-checked-left)) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		b := loadBatch(t, progs)
		for _, p := range progs {
			want := progen.Explore(p, maxStates)
			if !want.Complete || want.Endless {
				left++
				continue
			}
			checked++
			m := b.machine(t, p, vm.Config{})
			for _, e := range reductions() {
				got, r := search(t, m, e.Explore, por.Config{MaxExecutions: 3000})
				if len(r.Incomplete) > 0 {
					large++
				}
				if !agrees(t, p, e.Name, got, r, want) {
					bad++
					t.Logf("seed %d:\n%s", p.Seed, numbered(p.Source()))
				}
			}
			if bad > 3 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%d programs checked, %d left out, %d searches not exhaustive", checked, left, large)
}

// named gives e a name with its options.
func named(name string, e *por.Explorer) *por.Explorer {
	e.Name = name
	return e
}

// reductions are the explorers to compare, and the clients of Graph.
func reductions() []*por.Explorer {
	list := append(explorers.Exhaustive(),
		named("graph-everyaccess", explorers.With("graph", "client", "everyaccess")), named("graph-restart", explorers.With("graph", "replay", "restart")))
	return slices.DeleteFunc(list, func(e *por.Explorer) bool {
		switch {
		case e.Stateful:
			return true
		case *reductionFlag != "":
			return *reductionFlag != e.Name
		}
		return !strings.HasPrefix(e.Name, "graph") && e.Name != "clockvector" // the others have tests of their own
	})
}

// agrees compares an explorer's findings with the expected ones. If it has not explored everything, its
// findings only have to be right.
func agrees(t *testing.T, p *progen.Prog, name string, got *observer, r por.Result, want progen.Result) bool {
	t.Helper()
	ok := true
	for _, set := range []struct {
		name      string
		got, want map[string]bool
	}{{"outcomes", got.outcomes, want.Outcomes}, {"races", got.races, want.Races}} {
		want := set.want
		if len(r.Incomplete) > 0 {
			want = map[string]bool{}
			for k := range set.got {
				if set.want[k] {
					want[k] = true
				}
			}
		}
		if d := difference(set.got, want); d != "" {
			t.Errorf("seed %d, %s: %s (extra or missing in the machine):\n%s", p.Seed, name, set.name, d)
			ok = false
		}
	}
	return ok
}

// TestReductionsHybrid: these explorers find the same with static facts.
func TestReductionsHybrid(t *testing.T) {
	var progs []*progen.Prog
	for _, seed := range deep.Seeds(t, 8, 100) {
		progs = append(progs, progen.Generate(seed, features))
	}
	g := loadGroup(t, units(progs))
	complete := 0
	for i, p := range progs {
		want := progen.Explore(p, maxStates)
		if !want.Complete || want.Endless {
			continue
		}
		g.in(i, func() {
			for _, e := range reductions() {
				for _, h := range []oracle.Kind{oracle.Full, oracle.MHB} {
					got, r := search(t, g.m, e.Explore, por.Config{MaxExecutions: 1000, Oracle: g.oracle(h, 0), AnyGoroutine: h == oracle.Full})
					if len(r.Incomplete) == 0 {
						complete++
					}
					if !agrees(t, p, e.Name+", hybrid "+string(h), got, r, want) {
						t.Fatalf("seed %d:\n%s", p.Seed, numbered(p.Source()))
					}
				}
			}
		})
	}
	t.Logf("%d searches exhaustive", complete)
}

package progen_test

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// TestHybrid: choices that static facts make unnecessary are unnecessary. With
// every oracle and explorer the outcomes and races are exactly those of the
// reference, and no oracle makes more choices than a weaker one.
func TestHybrid(t *testing.T) {
	const perBatch = 75
	total := 150
	if *countFlag > 0 {
		total = *countFlag
	} else if testing.Short() {
		total = perBatch
	}
	checked, left, bad := 0, 0, 0
	eliminated := map[string]uint64{}
	for first := *seedFlag; checked+left < total; first += perBatch {
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total-checked-left)) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		b := loadBatch(t, progs)
		for _, p := range progs {
			want := progen.Explore(p, maxStates)
			if !want.Complete {
				left++
				continue
			}
			checked++
			if !compareHybrid(t, b, p, want, eliminated) {
				if bad++; bad > 3 {
					t.Fatal("too many differences")
				}
			}
		}
	}
	t.Logf("%d programs checked, %d left out; eliminated %v", checked, left, eliminated)
	for _, reason := range []string{"nofuture", "lock", "join", "receive"} {
		if eliminated[reason] == 0 && *countFlag == 0 && !testing.Short() {
			t.Errorf("no choice was eliminated for the reason %q: the programs do not test it", reason)
		}
	}
}

func compareHybrid(t *testing.T, b *batch, p *progen.Prog, want progen.Result, eliminated map[string]uint64) bool {
	t.Helper()
	e, err := b.prog.Lookup(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	ok := true
	for _, x := range []struct {
		name string
		run  func(por.System, por.Visitor, por.Config) por.Result
	}{{"jpf", por.JPF}, {"full", por.Full}} {
		choices := ^uint64(0)
		for _, h := range []explore.Hybrid{explore.NoHybrid, explore.FieldAccess, explore.Patterns, explore.MHB, explore.FullHybrid} {
			m := b.machine(t, p, vm.Config{})
			cfg := por.Config{Match: true}
			if h != explore.NoHybrid {
				cfg.AnyGoroutine = h == explore.FullHybrid
				cfg.Oracle = explore.NewOracle(m, b.prog, e, h)
			}
			got, r := search(t, m, x.run, cfg)
			if d := difference(got.outcomes, want.Outcomes); d != "" {
				t.Errorf("seed %d, %s, hybrid %s: outcomes (extra or missing in the machine):\n%s", p.Seed, x.name, h, d)
				ok = false
			}
			if d := difference(got.races, want.Races); d != "" {
				t.Errorf("seed %d, %s, hybrid %s: races:\n%s", p.Seed, x.name, h, d)
				ok = false
			}
			if r.Choices > choices {
				t.Logf("seed %d, %s: hybrid %s makes %d choices, the weaker oracle %d", p.Seed, x.name, h, r.Choices, choices)
			}
			choices = r.Choices
			for reason, n := range r.Eliminated {
				eliminated[reason] += n
			}
		}
	}
	if !ok {
		t.Logf("seed %d:\n%s", p.Seed, numbered(p.Source()))
	}
	return ok
}

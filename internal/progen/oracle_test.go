package progen_test

import (
	"flag"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

var (
	checkFlag = flag.Bool("check", false, "verify the machine's invariants, too")
)

// maxStates bounds the reference's enumeration; programs with more states are left out.
const maxStates = 3000

// TestOracle: on generated programs the machine has exactly the findings of the reference interpreter, with
// full search, with and without state matching, and with JPF's reduction.
func TestOracle(t *testing.T) {
	const perBatch = 250
	total := deep.N(20, 1000)
	checked, left, bad := 0, 0, 0
	for first := deep.Seed(); checked+left < total; first += perBatch {
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
			if !compare(t, b, p, want) {
				if bad++; bad > 3 {
					t.Fatal("too many differences")
				}
			}
		}
	}
	t.Logf("%d programs checked, %d left out", checked, left)
}

const features = progen.All

// compare checks one program.
func compare(t *testing.T, b *batch, p *progen.Prog, want progen.Result) bool {
	t.Helper()
	ok := true
	var cfg vm.Config
	if *checkFlag || p.Seed%8 == 0 { // it takes several times as long
		cfg.Check = vm.CheckLiveness | vm.CheckState
	}
	m := b.machine(t, p, cfg)
	for _, mode := range []struct {
		name string
		run  func(por.System, por.Visitor, por.Config) por.Result
		cfg  por.Config
	}{
		{"full with matching", stateful.Full, por.Config{Match: true}},
		{"jpf with matching", stateful.JPF, por.Config{Match: true}},
		{"full", stateful.Full, por.Config{MaxExecutions: 200, MaxSteps: 200}},
	} {
		got, r := search(t, m, mode.run, mode.cfg)
		for _, set := range []struct {
			name      string
			got, want map[string]bool
		}{{"outcomes", got.outcomes, want.Outcomes}, {"races", got.races, want.Races}} {
			want := set.want
			if len(r.Incomplete) > 0 { // then only the findings must be right
				want = map[string]bool{}
				for k := range set.got {
					if set.want[k] {
						want[k] = true
					}
				}
			}
			if d := difference(set.got, want); d != "" {
				t.Errorf("seed %d, %s: %s (extra or missing in the machine):\n%s", p.Seed, mode.name, set.name, d)
				ok = false
			}
		}
	}
	if !ok {
		t.Logf("seed %d:\n%s", p.Seed, numbered(p.Source()))
	}
	return ok
}

package progen_test

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestCheckStatic: on generated programs static facts agree with the machine's steps, and every skipped
// choice satisfies the criterion itself.
func TestCheckStatic(t *testing.T) {
	const perBatch = 40
	var sum check.Counts
	bad := 0
	seeds := deep.Seeds(t, 3, 40)
	for list := range slices.Chunk(seeds, perBatch) {
		var progs []*progen.Prog
		for _, seed := range list {
			progs = append(progs, progen.Generate(seed, features))
		}
		b := loadBatch(t, progs)
		for _, p := range progs {
			if !progen.Explore(p, maxStates).Complete {
				continue
			}
			e, err := b.prog.Lookup(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []oracle.Kind{oracle.FieldAccess, oracle.MHB, oracle.Full, oracle.Patterns} {
				m := b.machine(t, p, vm.Config{})
				o := oracle.New(m, b.prog, e, h)
				if l, ok := o.(*lookahead.Oracle); ok && p.Seed%2 == 0 {
					o = l.Fallback() // what it falls back on
				}
				c := check.NewMachine(m, b.prog, e, o)
				stateful.JPF(c, newObserver(t, m), por.Config{Match: true, Oracle: c.Oracle(o)})
				sum.Steps += c.Counts.Steps
				sum.Skips += c.Counts.Skips
				sum.Bounded += c.Counts.Bounded
				if err := c.Err(); err != nil {
					t.Errorf("seed %d, hybrid %s: %v\n%s", p.Seed, h, err, numbered(p.Source()))
					if bad++; bad > 3 {
						t.Fatal("too many differences")
					}
				}
			}
		}
	}
	t.Logf("%d steps, %d skips, of which %d were not explored completely", sum.Steps, sum.Skips, sum.Bounded)
	if sum.Skips < uint64(len(seeds))*10 || sum.Bounded > sum.Skips/10 {
		t.Error("not much has been verified")
	}
}

package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestNumbers: in programs of goroutines that are equal but for a number, searches that match states up to
// renaming the numbers have the findings of a full search, also if the numbers are used as numbers.
func TestNumbers(t *testing.T) {
	const perBatch = 50
	checked, left, fewer, looked, livelocks := 0, 0, 0, 0, 0
	seeds := deep.Seeds(t, 12, 2000)
	for len(seeds) > 0 {
		batch := seeds[:min(perBatch, len(seeds))]
		seeds = seeds[len(batch):]
		files := map[string]string{"go.mod": "module hbcheck.dev/hbcheck\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n", "helpers.go": progen.Helpers()}
		var texts []progen.Text
		for i, seed := range batch {
			texts = append(texts, progen.Numbers(fmt.Sprint("P", seed), rand.New(rand.NewPCG(seed, 0x4a3e5))))
			files[fmt.Sprintf("p%d.go", seed)] = texts[i].Source
		}
		prog := loadFiles(t, files)
		for i, text := range texts {
			m, e := machineOf(t, prog, text.Name)
			want, all := search(t, m, stateful.Full, por.Config{Match: true, MaxStates: 20000})
			if len(all.Incomplete) > 0 {
				left++
				continue
			}
			checked++
			_, equal := search(t, m, stateful.Full, por.Config{Match: true, Symmetry: true})
			for k, x := range []mode{
				{name: "full", run: stateful.Full},
				{name: "jpf", run: stateful.JPF},
				{name: "jpf", run: stateful.JPF, h: oracle.Parts},
				{name: "jpf", run: stateful.JPF, h: oracle.Full},
			} {
				m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, Names: vm.NamesEvery})
				if err != nil {
					t.Fatal(err)
				}
				for range 20 {
					cfg := por.Config{Match: true, Symmetry: true}
					if x.h != "" {
						cfg.Oracle, cfg.AnyGoroutine = oracle.New(m, prog, e, x.h), true
					}
					if x.h == oracle.Parts {
						cfg.Parts = oracle.NewPartition(m)
					}
					got, r := search(t, m, x.run, cfg)
					if m.Environment().NeedsRefining() {
						looked++
						if m, err = m.With(m.Refined().Refine, nil); err != nil {
							t.Fatal(err)
						}
						continue
					}
					d := difference(got.outcomes, want.outcomes) + difference(got.races, want.races)
					if d != "" || len(r.Incomplete) > 0 {
						t.Errorf("seed %d, %s: %v\n%s\n%s", batch[i], x, r.Incomplete, d, numbered(text.Source))
					}
					if k == 0 {
						if r.States < equal.States {
							fewer++
						}
						if (got.loops > 0) != (want.loops > 0) {
							t.Errorf("seed %d: livelocks: %d, want %d\n%s", batch[i], got.loops, want.loops, numbered(text.Source))
						}
						livelocks += want.loops
					}
					m = nil
					break
				}
				if m != nil {
					t.Errorf("seed %d: the search begins again forever", batch[i])
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	t.Logf("%d programs checked, %d left out; of %d there were fewer states; searches began again %d times; %d livelocks", checked, left, fewer, looked, livelocks)
	if fewer == 0 || looked == 0 {
		t.Error("they do not test it")
	}
}

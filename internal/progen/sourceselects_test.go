package progen_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestSelectsSource: Source completes one execution of each class of programs with selects, and
// Context finds their outcomes.
func TestSelectsSource(t *testing.T) {
	const perBatch = 100
	total := deep.N(10, 800)
	checked, counted, left, bad := 0, 0, 0, 0
	var executions, blocked, most uint64
	for first := deep.Seed(); checked+left < total; first += perBatch {
		var list []unit
		for i := range uint64(min(perBatch, total-checked-left)) {
			name := fmt.Sprintf("Pdense%d", i)
			list = append(list, unit{name, dense(rand.New(rand.NewPCG(first+i, 0x5e1)), name, style(i%4/3))})
		}
		g := loadGroup(t, list)
		for i, u := range list {
			g.in(i, func() {
				run := func(e func(por.System, por.Visitor, por.Config) por.Result) (*counter, por.Result) {
					o := &counter{observer: newObserver(t, g.m)}
					return o, e(g.m, o, por.Config{MaxExecutions: 10000, CheckDuplicates: true})
				}
				o, r := run(explorers.With("source").Explore)
				if o.restarts > 0 || r.Duplicate == nil && len(r.Incomplete) > 0 {
					left++
					return
				}
				checked++
				executions += r.Executions
				blocked += r.Blocked
				most = max(most, r.Executions)
				if !o.crashes {
					rel := relation(g.m)
					rel.OneCloses, rel.Cases = true, g.m.Cases // there was no restart
					all, err := classes.Merge(g.m, rel, 10000)
					if errors.As(err, new(classes.Limit)) {
						left++
						return
					}
					counted++
					switch {
					case err != nil:
						bad++
						t.Errorf("seed %d: %v\n%s", first+uint64(i), err, u.Source)
					case uint64(all.Total()) != r.Executions || r.Duplicate != nil:
						bad++
						t.Errorf("seed %d: %d executions of %d classes, %v\n%s", first+uint64(i), r.Executions, all.Total(), r.Duplicate, u.Source)
					}
				}
				want, full := search(t, g.m, stateful.Full, por.Config{Match: true})
				c, _ := run(explorers.With("context").Explore)
				if len(full.Incomplete) > 0 || !maps.Equal(o.outcomes, want.outcomes) || !maps.Equal(c.outcomes, want.outcomes) {
					bad++
					t.Errorf("seed %d: %v, context %v, want %v\n%s", first+uint64(i), o.outcomes, c.outcomes, want.outcomes, u.Source)
				}
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, classes counted of %d, %d left out; %d executions (at most %d), and %d begun for nothing", checked, counted, left, executions, most, blocked)
}

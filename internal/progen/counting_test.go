package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// counters is a program of goroutines that count with a WaitGroup or two, as one should and otherwise: some
// counters become negative, some are raised again while a goroutine waits, and panics are recovered from in
// some. Signals by channels make what one does come after what another one did.
func counters(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nfunc %s() {\n", name)
	wgs, chans := 1+r.IntN(5)/4, 1+r.IntN(2)
	for w := range wgs {
		fmt.Fprintf(&b, "var w%d sync.WaitGroup\nw%d.Add(%d)\n", w, w, r.IntN(4))
	}
	for c := range chans {
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, r.IntN(3), c)
	}
	stmt := func() string {
		w, c := r.IntN(wgs), r.IntN(chans)
		switch k := r.IntN(20); {
		case k < 8:
			return fmt.Sprintf("w%d.Done()", w)
		case k < 11:
			return fmt.Sprintf("w%d.Wait()", w)
		case k < 13:
			return fmt.Sprintf("w%d.Add(1)", w)
		case k < 14:
			return fmt.Sprintf("w%d.Add(%d)", w, []int{2, -2, 0}[r.IntN(3)])
		case k < 15:
			return fmt.Sprintf("func() {\ndefer func() { if recover() != nil { say(7) } }()\nw%d.Done()\n}()", w)
		case k < 16:
			return fmt.Sprintf("w%d.Go(func() { say(8) })", w)
		case k < 18:
			return fmt.Sprintf("c%d <- 1", c)
		}
		return fmt.Sprintf("<-c%d", c)
	}
	body := func(n int) string {
		var list []string
		for range 1 + r.IntN(4) {
			list = append(list, stmt())
		}
		if r.IntN(2) == 0 {
			list = append(list, fmt.Sprintf("say(%d)", n))
		}
		return strings.Join(list, "\n")
	}
	for n := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "for range %d {\ngo func() {\n%s\n}()\n}\n", 1+r.IntN(5)/4, body(n+1))
	}
	return b.String() + body(0) + "\n}\n"
}

// noParts are Parts of which there are none.
type noParts struct{}

func (noParts) Part([]trace.GID) []trace.GID { return nil }

// TestCounting: jpf, which makes no choice before Done, finds in such programs what a search of all states
// finds.
func TestCounting(t *testing.T) {
	const perBatch = 100
	total := 500
	if *countFlag > 0 {
		total = *countFlag
	} else if testing.Short() {
		total = perBatch
	}
	kinds := []oracle.Kind{oracle.None, oracle.MHB, oracle.Parts, oracle.Full}
	checked, left, bad, again, fewer := 0, 0, 0, 0, 0
	for first := *seedFlag; checked+left < total; first += perBatch {
		var list []unit
		for i := range uint64(perBatch) {
			name := fmt.Sprintf("Pcount%d", i)
			list = append(list, unit{name, counters(rand.New(rand.NewPCG(first+i, 0xc0)), name)})
		}
		g := loadGroup(t, list)
		for i, u := range list {
			g.in(i, func() {
				want, all := search(t, g.m, stateful.Full, por.Config{MaxStates: 20000, Match: true})
				if len(all.Incomplete) > 0 {
					left++
					return
				}
				checked++
				compare := func(cfg por.Config, kind oracle.Kind) {
					if cfg.Match = true; kind != oracle.None {
						cfg.Oracle, cfg.AnyGoroutine = g.oracle(kind, 0), true
					}
					if cfg.Parts = (noParts{}); kind == oracle.Parts {
						cfg.Parts = oracle.NewPartition(g.m)
					}
					o := &counter{observer: &observer{t: t, m: g.m, outcomes: map[string]bool{}, races: map[string]bool{}}}
					r := stateful.JPF(g.m, o, cfg)
					if o.restarts > 0 {
						again++
					} else if kind == oracle.None && r.States < all.States {
						fewer++
					}
					if !maps.Equal(o.outcomes, want.outcomes) || len(r.Incomplete) > 0 {
						bad++
						t.Errorf("seed %d, %s, symmetry %v: %v\n%s\n%s", first+uint64(i), kind, cfg.Symmetry, r.Incomplete,
							difference(o.outcomes, want.outcomes), numbered(u.Source))
					}
				}
				compare(por.Config{}, oracle.None)
				compare(por.Config{Symmetry: true}, kinds[i%4])
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out; %d searches began again, %d without had fewer states", checked, left, again, fewer)
	if again == 0 || fewer < checked/8 {
		t.Error("they do not test it")
	}
}

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

// counters is a program of goroutines that count with a WaitGroup or two, correctly or not: some counters
// become negative, some are raised again while a goroutine waits, and some panics are recovered. Channels
// order operations of different goroutines.
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

// noParts are Parts that find no part.
type noParts struct{}

func (noParts) Part([]trace.GID) []trace.GID { return nil }

func (noParts) Separate([]trace.GID) ([]trace.GID, por.Separation) { return nil, nil }

// TestCounting: jpf, which makes no choice before Done, has the findings of a search of all states in such
// programs.
func TestCounting(t *testing.T) {
	kinds := []oracle.Kind{oracle.None, oracle.MHB, oracle.Parts, oracle.Full}
	again, fewer := 0, 0
	programs := printed{print: counters, salt: 0xc0, perBatch: 100, total: 500, short: 6, bound: por.Config{MaxStates: 20000}}
	checked, _ := programs.each(t, func(s *subject) {
		compare := func(cfg por.Config, kind oracle.Kind) {
			if cfg.Match = true; kind != oracle.None {
				cfg.Oracle, cfg.AnyGoroutine = s.g.oracle(kind, 0), true
			}
			if cfg.Parts = (noParts{}); kind == oracle.Parts {
				cfg.Parts = oracle.NewPartition(s.g.m)
			}
			o := &counter{observer: newObserver(t, s.g.m)}
			r := stateful.JPF(s.g.m, o, cfg)
			if o.restarts > 0 {
				again++
			} else if kind == oracle.None && r.States < s.full.States {
				fewer++
			}
			if !maps.Equal(o.outcomes, s.want.outcomes) || len(r.Incomplete) > 0 {
				s.errorf("%s, symmetry %v: %v\n%s", kind, cfg.Symmetry, r.Incomplete, difference(o.outcomes, s.want.outcomes))
			}
		}
		compare(por.Config{}, oracle.None)
		compare(por.Config{Symmetry: true}, kinds[s.i%4])
	})
	t.Logf("%d searches began again, %d without had fewer states", again, fewer)
	if again == 0 || fewer < checked/8 {
		t.Error("they do not test it")
	}
}

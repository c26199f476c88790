package hb_test

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestDigests: the digest of an event is that of its clock, also after the path was cut and has continued
// otherwise.
func TestDigests(t *testing.T) {
	cut := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		sys := toys.Random(r, 2+r.IntN(3), 8, false)
		x := hb.NewExecution(sys, hb.Relation{})
		marks := []por.Mark{sys.Mark()}
		for range 200 {
			enabled := x.Enabled()
			if n := len(x.Events); n > 0 && (len(enabled) == 0 || r.IntN(4) == 0) {
				n = r.IntN(n)
				for last := len(marks) - 1; last > n; last-- {
					sys.Rewind(marks[last])
					sys.Release(marks[last])
				}
				sys.Rewind(marks[n])
				marks = marks[:n+1]
				x.Truncate(n)
				cut++
			} else if len(enabled) > 0 {
				g := enabled[r.IntN(len(enabled))]
				x.Execute(g, r.IntN(sys.Alternatives(g)))
				marks = append(marks, sys.Mark())
			}
			for i := range x.Events {
				if r.IntN(3) > 0 {
					if got, want := x.DigestOf(i), x.DigestWith(i, x.Clock(i)); got != want {
						t.Fatalf("seed %d: event %d has %v, want %v", seed, i, got, want)
					}
				}
			}
		}
	}
	if cut < 1000 {
		t.Errorf("only %d paths were cut", cut)
	}
}

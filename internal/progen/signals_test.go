package progen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
)

// signalling prints a program with channels to which no goroutine sends, like those of contexts. It
// also has channels to which goroutines send always, only in some executions, or before the others
// start. Some operations do not wait, so parking is a step.
func signalling(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nvar %s_results [10]int // what goroutines have found\n\nfunc %s() {\nvar mu sync.Mutex\nx := 0\n_, _ = &mu, &x\n", name, name)
	done, data := 1+r.IntN(2), r.IntN(3)
	for c := range done {
		fmt.Fprintf(&b, "d%d := make(chan int, %d)\n_ = d%d\n", c, r.IntN(4)/3, c)
	}
	for c := range data {
		room := r.IntN(3)
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, room, c)
		for i := range room {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "c%d <- %d\n", c, 5+i)
			}
		}
	}
	tries := r.IntN(3) > 0
	any := func() string {
		if k := r.IntN(done + data); k >= done {
			return fmt.Sprintf("c%d", k-done)
		}
		return fmt.Sprintf("d%d", r.IntN(done))
	}
	to := func() string { // a channel to which goroutines send
		if data == 0 || r.IntN(30) == 0 {
			return fmt.Sprintf("d%d", r.IntN(done))
		}
		return fmt.Sprintf("c%d", r.IntN(data))
	}
	sends := data > 0 || r.IntN(8) == 0
	selects := func() string {
		s := "select {\n"
		for k := range 1 + r.IntN(3) {
			if sends && r.IntN(4) == 0 {
				s += fmt.Sprintf("case %s <- %d: h = h*5 + %d\n", to(), k+1, k)
			} else {
				s += fmt.Sprintf("case v, ok := <-%s: h = h*5 + v + %d; if !ok { h += 9 }\n", any(), k)
			}
		}
		if tries && r.IntN(3) == 0 {
			s += "default: h++\n"
		}
		return s + "}"
	}
	stmt := func() string {
		switch k := r.IntN(24); {
		case k < 11:
			return selects()
		case k < 14:
			return fmt.Sprintf("{ v, ok := <-%s; h = h*3 + v; if !ok { h += 7 } }", any())
		case k < 18:
			return fmt.Sprintf("close(d%d)", r.IntN(done))
		case k < 20 && sends:
			return fmt.Sprintf("%s <- %d", to(), 1+r.IntN(3))
		case k < 21 && sends: // in some executions
			return fmt.Sprintf("mu.Lock()\nodd := x%%2 == 1\nmu.Unlock()\nif odd { %s <- 4 }", to())
		case k < 22:
			return fmt.Sprintf("h = h*3 + len(%s)", any())
		}
		return "mu.Lock()\nx = x*3 + h%3 + 1\nmu.Unlock()"
	}
	printGoroutines(&b, r, name, stmt)
	return b.String()
}

// TestSignalPrograms: explorers find the outcomes of all interleavings of such programs, and optimal
// explores each of their classes once.
func TestSignalPrograms(t *testing.T) {
	programs := printed{salt: 0x5197a1, perBatch: 100, total: 2000, short: 7, bound: por.Config{MaxExecutions: 20000}, print: signalling}
	programs.classes(t)
}

// TestUntriedPrograms: programs have the same outcomes if not all uses of their channels are known, because a
// function returns the channels; then parking is a step on each of them.
func TestUntriedPrograms(t *testing.T) {
	const perBatch = 10
	total := deep.N(10, 1000)
	for first := uint64(0); first < uint64(total); first += perBatch {
		var list []unit
		for i := range uint64(perBatch) {
			for _, known := range []bool{true, false} {
				name := fmt.Sprintf("Known%d", i)
				if !known {
					name = fmt.Sprintf("Given%d", i)
				}
				text := signalling(rand.New(rand.NewPCG(deep.Seed()+first+i, 0x5197a1)), name)
				if !known {
					text = strings.ReplaceAll(text, "make(chan int, ", name+"_made(")
				}
				text += fmt.Sprintf("\nfunc %s_made(n int) chan int { return make(chan int, n) }\n", name)
				list = append(list, unit{name, text})
			}
		}
		g := loadGroup(t, list)
		var want *observer
		for i := range list {
			g.in(i, func() {
				got, r := search(t, g.m, stateful.Full, por.Config{MaxExecutions: 20000, Match: true})
				if i%2 == 0 {
					if want = got; len(r.Incomplete) > 0 {
						want = nil
					}
				} else if want == nil || len(r.Incomplete) > 0 {
					return
				} else if d := difference(got.outcomes, want.outcomes); d != "" {
					t.Errorf("%s\n%s", d, numbered(list[i-1].Source))
				}
			})
		}
	}
}

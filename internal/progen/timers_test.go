package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// timed is a program of a few goroutines that share a timer, which they wait for, stop and reset, and
// channels, and, sometimes, other memory. The places where the goroutines are blocked show their
// observations.
func timed(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"sync\"\n\"sync/atomic\"\n\"time\"\n)\n\nfunc %s() {\n", name)
	const chans = 2
	for c := range chans {
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, r.IntN(3), c)
	}
	b.WriteString("var none chan int\n_ = none\nt := time.NewTimer(1)\n_ = t\nvar x atomic.Int64\n_ = &x\nvar mu sync.Mutex\n_ = &mu\n")
	memory := r.IntN(2) == 0
	op := func() string {
		switch r.IntN(6) {
		case 0, 1:
			return "<-t.C"
		case 2, 3:
			return fmt.Sprintf("c%d <- 1", r.IntN(chans))
		}
		return fmt.Sprintf("<-c%d", r.IntN(chans))
	}
	choice := func(cases int, other bool) string {
		s := "select {\n"
		for range cases {
			s += "case " + op() + ":\n"
			if r.IntN(3) == 0 {
				s += "<-none\n"
			}
		}
		if other {
			s += "default:\n"
		}
		return s + "}"
	}
	stmt := func() string {
		switch k := r.IntN(40); {
		case k < 1:
			return fmt.Sprintf("close(c%d)", r.IntN(chans))
		case k < 5:
			return "if t.Stop() {\n<-none\n}"
		case k < 8:
			return "if t.Reset(1) {\n<-none\n}"
		case k < 10 && memory:
			return "x.Add(1)"
		case k < 13 && memory:
			return "if x.Load() == 1 {\n" + op() + "\n}"
		case k < 14 && memory:
			return "mu.Lock()\n" + op() + "\nmu.Unlock()"
		case k < 16:
			return choice(1, true)
		case k < 26:
			return choice(2+r.IntN(3), false)
		}
		return op()
	}
	body := func() string {
		list := []string{stmt()}
		for range r.IntN(3) {
			list = append(list, stmt())
		}
		return strings.Join(list, "\n")
	}
	for range 1 + r.IntN(2) {
		fmt.Fprintf(&b, "go func() {\n%s\n}()\n", body())
	}
	return b.String() + body() + "\n}\n"
}

// TestTimers: explorers that store no states find all outcomes of programs with timers. Classes are not
// counted: a timer does not fire after all goroutines have ended, so the end of a goroutine, which should
// be independent of everything, disables the timer.
func TestTimers(t *testing.T) {
	programs := printed{print: timed, salt: 0x71e, perBatch: 50, total: 300, short: 6, bound: por.Config{MaxStates: 20000}}
	programs.each(t, func(s *subject) {
		for _, e := range explorers.Exhaustive() {
			if e.Stateful {
				continue
			}
			got := &counter{observer: newObserver(t, s.g.m)}
			r := e.Explore(s.g.m, got, por.Config{MaxExecutions: 5000, CheckDuplicates: true})
			if r.Duplicate != nil || len(r.Incomplete) == 0 && !maps.Equal(got.outcomes, s.want.outcomes) {
				s.errorf("%s: %v\n%s", e.Name, r.Duplicate, difference(got.outcomes, s.want.outcomes))
			}
		}
	})
}

package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// parkers is a program of goroutines, some of which are equal. They meet at a few channels, mostly
// without buffer. Many operations do not wait: such an operation finds another goroutine only if
// that has parked. In some programs time passes, and some are in bubbles with a goroutine outside,
// so that the next event requires all others to wait. Each goroutine prints its observations when
// it ends.
func parkers(r *rand.Rand, name string) string {
	bubble, timed := r.IntN(3) == 0, r.IntN(2) == 0
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"sync\"\n\"testing\"\n\"testing/synctest\"\n\"time\"\n)\n\nfunc %s() {\n", name)
	b.WriteString("var t testing.T\n_, _, _ = &t, synctest.Wait, time.Sleep\n")
	if bubble && r.IntN(2) == 0 {
		b.WriteString("go func() {\nsay(9, 1)\nsay(9, 2)\n}()\n")
	}
	if bubble {
		b.WriteString("synctest.Test(&t, func(*testing.T) {\n")
	}
	chans := 1 + r.IntN(3)
	for c := range chans {
		room := 0
		if r.IntN(5) == 0 {
			room = 1
		}
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, room, c)
	}
	b.WriteString("var mu sync.Mutex\n_ = &mu\n")
	op := func() string {
		c := fmt.Sprintf("c%d", r.IntN(chans))
		if r.IntN(2) == 0 {
			return c + " <- 1"
		}
		return "<-" + c
	}
	choice := func(cases int, other bool) string {
		s := "select {\n"
		for k := range cases {
			s += fmt.Sprintf("case %s: h = h*4 + %d\n", op(), k+1)
		}
		if other {
			s += "default: h = h*4\n"
		}
		return s + "}"
	}
	stmt := func() string {
		switch k := r.IntN(32); {
		case k < 1:
			return fmt.Sprintf("close(c%d)", r.IntN(chans))
		case k < 9:
			return choice(1, true)
		case k < 11:
			return choice(2, true)
		case k < 15:
			return choice(2, false)
		case k < 17:
			return "mu.Lock()\n" + op() + "\nmu.Unlock()"
		case k < 21 && timed:
			return fmt.Sprintf("time.Sleep(%d)", 1+r.IntN(3))
		case k < 23 && bubble:
			return "synctest.Wait()"
		case k < 24:
			return "for range 2 {\n" + op() + "\n}"
		}
		return op()
	}
	body := func(n int) string {
		list := []string{"h := 1"}
		for range 1 + r.IntN(3) {
			list = append(list, stmt())
		}
		return strings.Join(append(list, fmt.Sprintf("say(%d, h)", n)), "\n")
	}
	for n := range 1 + r.IntN(2) {
		fmt.Fprintf(&b, "for range %d {\ngo func() {\n%s\n}()\n}\n", 1+r.IntN(3), body(n+1))
	}
	b.WriteString(body(0))
	if bubble {
		b.WriteString("\n})")
	}
	return b.String() + "\n}\n"
}

// TestParking: jpf postpones parking until it matters. In such programs it has the findings of a
// search of all states, also with symmetry and static facts, and finds a livelock if there is one.
func TestParking(t *testing.T) {
	kinds := []oracle.Kind{oracle.None, oracle.MHB, oracle.Parts, oracle.Full}
	fewer := 0
	programs := printed{print: parkers, salt: 0x9a4, perBatch: 50, total: 400, short: 4, bound: por.Config{MaxStates: 20000},
		config: func(seed uint64) vm.Config {
			slack := int64(seed / 50 % 3 * 2)
			return vm.Config{VisibleOutput: true, OrderedTime: true, Slack: slack, VisibleArming: slack > 0}
		}}
	checked, _ := programs.each(t, func(s *subject) {
		compare := func(name string, cfg por.Config, kind oracle.Kind) {
			if cfg.Match = true; kind != oracle.None {
				cfg.Oracle, cfg.AnyGoroutine = s.g.oracle(kind, 0), true
			}
			if kind == oracle.Parts {
				cfg.Parts = oracle.NewPartition(s.g.m)
			}
			got, r := search(t, s.g.m, stateful.JPF, cfg)
			if name == "jpf" && r.States < s.full.States {
				fewer++
			}
			if !maps.Equal(got.outcomes, s.want.outcomes) || len(r.Incomplete) > 0 {
				s.errorf("%s %s: %v\n%s", name, kind, r.Incomplete, difference(got.outcomes, s.want.outcomes))
			}
		}
		compare("jpf", por.Config{}, oracle.None)
		compare("jpf with symmetry", por.Config{Symmetry: true}, kinds[s.i%4])
		compare("jpf in turns", por.Config{Symmetry: true, Dive: 5}, kinds[(s.i+1)%4])
	})
	t.Logf("of %d there were fewer states", fewer)
	if fewer < checked/4 {
		t.Error("they do not test it")
	}
}

// TestParkingLoops: loops of operations that do not wait are livelocks with postponed parking if,
// and only if, they are livelocks without it.
func TestParkingLoops(t *testing.T) {
	tests := []struct {
		name, body string
		loops      bool
	}{
		{"who is found ends the loop", `
			c := make(chan int)
			go func() { <-c }()
			for { select { case c <- 1: return; default: } }`, false},
		{"who is found comes again", `
			c := make(chan int)
			go func() { for { <-c } }()
			for { select { case c <- 1: default: } }`, true},
		{"nobody is there to be found", `
			c, d := make(chan int), make(chan int)
			go func() { <-d }()
			for { select { case c <- 1: return; default: } }`, true},
		{"one is found for ever, and another one ends it", `
			c, d := make(chan int), make(chan int)
			go func() { for { <-c } }()
			go func() { <-d }()
			for { select { case c <- 1: case d <- 1: return; default: } }`, false},
	}
	var list []unit
	for i, p := range tests {
		name := fmt.Sprintf("Ploop%d", i)
		list = append(list, unit{name, fmt.Sprintf("package main\n\nfunc %s() {%s\n}\n", name, p.body)})
	}
	g := loadGroup(t, list)
	for i, p := range tests {
		t.Run(p.name, func(t *testing.T) {
			g.in(i, func() {
				for _, x := range []mode{{name: "full", run: stateful.Full}, {name: "jpf", run: stateful.JPF}} {
					for _, symmetry := range []bool{false, true} {
						got, r := search(t, g.m, x.run, por.Config{Match: true, Symmetry: symmetry})
						if (got.loops > 0) != p.loops {
							t.Errorf("%s, symmetry %v: %d livelocks, %d states, %v", x.name, symmetry, got.loops, r.States, slices.Sorted(maps.Keys(got.outcomes)))
						}
					}
				}
			})
		})
	}
}

// TestParkingTime: if time passes only when all goroutines wait, a goroutine that can park does so
// before time passes. It does not wait until the slack is used up. Here, if the first goroutine has
// parked, no goroutine can move when time passes to 1, and the slack suffices to reach 3 from
// there.
func TestParkingTime(t *testing.T) {
	list := []unit{{"Ptime", `package main

import "time"

func Ptime() {
	c := make(chan int)
	go func() { <-c }()
	go func() { time.Sleep(1); say(1) }()
	go func() { time.Sleep(3); say(3) }()
	time.Sleep(9)
	select { case c <- 1: default: }
}
`}}
	g := loadGroupWith(t, list, vm.Config{VisibleOutput: true, OrderedTime: true, Slack: 2, VisibleArming: true})
	g.in(0, func() {
		want, _ := search(t, g.m, stateful.Full, por.Config{Match: true})
		got, _ := search(t, g.m, stateful.JPF, por.Config{Match: true})
		if !want.outcomes["3;1|exit"] || !maps.Equal(got.outcomes, want.outcomes) {
			t.Errorf("%v\n%s", slices.Sorted(maps.Keys(want.outcomes)), difference(got.outcomes, want.outcomes))
		}
	})
}

package progen_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// closings are programs that close channels with buffers, with the numbers of their classes.
var closings = []struct {
	name, body string
	want       uint64
}{
	{"one sends and closes", "c := make(chan int, 2)\ngo func() { c <- 1; c <- 2; close(c) }()\nfor range c { }", 1},
	{"four times", "for range 4 {\nc := make(chan int, 2)\ngo func() { c <- 1; c <- 2; close(c) }()\nfor range c { }\n}", 1},
	{"two receive", "c := make(chan int, 2)\nfor range 2 { go func() { for range c { } }() }\nc <- 1\nc <- 2\nclose(c)", 4},
	{"another sends before", "c := make(chan int, 2)\nd := make(chan int)\ngo func() { c <- 1; d <- 1 }()\ngo func() { <-d; c <- 2; close(c) }()\nfor range c { }", 3},
	{"another sends beside", "c := make(chan int, 2)\ngo func() { defer func() { recover() }(); c <- 1 }()\nc <- 1\ngo func() { <-c }()\nclose(c)", 6},
	{"another sends in a select", "c := make(chan int, 1)\ngo func() { defer func() { recover() }(); select { case c <- 1: case <-c: } }()\nc <- 1\nclose(c)", 4},
	{"another sends in a select beside a receive", "c := make(chan int, 1)\nd := make(chan int)\nc <- 1\ngo func() { defer func() { recover() }(); select { case c <- 1: case <-d: } }()\ngo func() { <-c }()\nclose(c)", 4},
	{"closed twice", "c := make(chan int, 1)\ngo func() { defer func() { recover() }(); close(c); close(c) }()\ngo func() { <-c }()\n<-c", 4},
	{"another closes", "c := make(chan int, 1)\nfor range 2 { go func() { defer func() { recover() }(); close(c) }() }\n<-c", 4},
	{"its length tells", "c := make(chan int, 2)\ngo func() { c <- 1; close(c) }()\nif len(c) == 1 { <-c }", 3},
	{"many find it closed", "c := make(chan int, 1)\nfor range 3 { go func() { <-c }() }\nclose(c)", 1},
}

// checkClosing compares the executions of an explorer, optimal or source, with the classes of the program at
// whose beginning g is, and returns their number. left is set if there are too many.
func checkClosing(t *testing.T, g *group, explorer string) (executions uint64, left bool, err error) {
	o := &counter{observer: newObserver(t, g.m)}
	r := explorers.With(explorer).Explore(g.m, o, por.Config{MaxExecutions: 5000, CheckDuplicates: true})
	oneCloses, onlyReceived, other := assumptions(t, explorers.With(explorer).Explore, g, por.Config{MaxExecutions: 5000}, o.restarts)
	if o.crashes || other || r.Duplicate == nil && len(r.Incomplete) > 0 {
		return 0, true, nil
	}
	rel := relation(g.m)
	rel.OneCloses = oneCloses
	if onlyReceived {
		rel.Cases = g.m.Cases
	}
	all, err := classes.Merge(g.m, rel, 10000)
	switch {
	case errors.As(err, new(classes.Limit)):
		return 0, true, nil
	case err == nil && (uint64(all.Total()) != r.Executions || r.Duplicate != nil):
		err = fmt.Errorf("%s: %d executions, %+v, %v", explorer, r.Executions, all.Counts, r.Duplicate)
	}
	return r.Executions, false, err
}

// TestClosings: each class of these programs is explored once.
func TestClosings(t *testing.T) {
	var list []unit
	for i, x := range closings {
		name := fmt.Sprintf("Closing%d", i)
		list = append(list, unit{name, fmt.Sprintf("package main\n\nfunc %s() {\n%s\n}\n", name, x.body)})
	}
	g := loadGroup(t, list)
	for i, x := range closings {
		g.in(i, func() {
			for _, e := range []string{"optimal", "source"} {
				n, left, err := checkClosing(t, g, e)
				if err != nil || left || n != x.want {
					t.Errorf("%s: %s: %d executions, want %d (%v)", x.name, e, n, x.want, err)
				}
			}
		})
	}
}

// closing prints a program whose goroutines send to channels with buffers, receive from them, and
// close them. Mostly each goroutine closes its own channel.
func closing(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nvar %s_results [10]int // what goroutines have found\n\nfunc %s() {\n", name, name)
	chans, mix := 1+r.IntN(2), r.IntN(6)
	for c := range chans {
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, []int{1, 1, 2, 2, 3, 0}[r.IntN(6)], c)
	}
	b.WriteString("var mu sync.Mutex\nx := 0\n_, _ = &mu, &x\n")
	stmt := func(own int) string {
		c := own
		if own < 0 || r.IntN(10) < mix {
			c = r.IntN(chans)
		}
		any := r.IntN(chans)
		switch k := r.IntN(24); {
		case own >= 0 && k < 7:
			return fmt.Sprintf("c%d <- %d", c, 1+r.IntN(3))
		case own >= 0 && k < 10:
			return fmt.Sprintf("close(c%d)", c)
		case own >= 0 && k < 12:
			return fmt.Sprintf("select { case c%d <- 4: h++; default: h += 3 }", c)
		case own >= 0 && k < 13:
			return fmt.Sprintf("select { case c%d <- 5: h++; case v, ok := <-c%d: h = h*3 + v; if !ok { h++ } }", c, any)
		case k < 16:
			return fmt.Sprintf("for v := range c%d { h = h*3 + v }", any)
		case k < 20:
			return fmt.Sprintf("{ v, ok := <-c%d; h = h*3 + v; if !ok { h += 7 } }", any)
		case k < 21:
			return fmt.Sprintf("select { case v, ok := <-c%d: h = h*5 + v; if !ok { h += 7 }; default: h++ }", any)
		case k < 22:
			return fmt.Sprintf("h = h*3 + len(c%d)", any)
		case k < 23:
			return "mu.Lock()\nx = x*3 + h%3 + 1\nmu.Unlock()"
		}
		return fmt.Sprintf("h = h*7 + %d", r.IntN(3))
	}
	body := func(k, own int) {
		fmt.Fprintf(&b, "h := 0\ndefer func() {\nif e := recover(); e != nil { h = h*11 + 5 }\n%s_results[%d] = h\n}()\n", name, k)
		for range 1 + r.IntN(4) {
			b.WriteString(stmt(own) + "\n")
		}
	}
	for k := range 1 + r.IntN(3) {
		own := k
		if k >= chans {
			own = -1
		}
		b.WriteString("go func() {\n")
		body(k, own)
		b.WriteString("}()\n")
	}
	body(9, -1)
	b.WriteString("}\n")
	return b.String()
}

// passing prints a program whose goroutines make channels of their own, and pass them to others, which
// receive from them, and sometimes send. The number of a channel depends on what its goroutine has read.
func passing(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync/atomic\"\n\ntype %s_ struct{ next *%s_ }\n\nvar %s_results [10]int // what goroutines have found\n\nfunc %s() {\n", name, name, name, name)
	fmt.Fprintf(&b, "reg := make(chan chan int, %d)\nvar x atomic.Int32\nvar keep atomic.Pointer[%s_]\n_, _ = &x, &keep\n", r.IntN(3), name)
	use := func(c string) string {
		switch r.IntN(8) {
		case 0:
			return fmt.Sprintf("func() {\ndefer func() { if recover() != nil { h += 100 } }()\n%s <- 7\n}()", c)
		case 1:
			return fmt.Sprintf("func() {\ndefer func() { if recover() != nil { h += 100 } }()\nselect {\ncase %s <- 8: h++\ndefault: h += 2\n}\n}()", c)
		case 2:
			return "x.Add(1)"
		case 3:
			return fmt.Sprintf("h = h*3 + len(%s)", c)
		case 4:
			return fmt.Sprintf("select {\ncase v, ok := <-%s: h = h*3 + v; if !ok { h += 20 }\ndefault: h += 2\n}", c)
		case 5:
			return fmt.Sprintf("for v := range %s { h = h*3 + v }", c)
		default:
			return fmt.Sprintf("{\nv, ok := <-%s\nh = h*3 + v\nif !ok { h += 20 }\n}", c)
		}
	}
	makers := 1 + r.IntN(2)
	for k := range makers {
		b.WriteString("go func() {\n")
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "if x.Load() == %d { keep.Store(&%s_{keep.Load()}) }\n", r.IntN(2), name)
		}
		fmt.Fprintf(&b, "c := make(chan int, %d)\n", 1+r.IntN(2))
		first := r.IntN(2) == 0
		if first {
			b.WriteString("reg <- c\n")
		}
		for range r.IntN(3) {
			fmt.Fprintf(&b, "c <- %d\n", k+1)
		}
		if r.IntN(4) > 0 {
			b.WriteString("close(c)\n")
		}
		if !first {
			b.WriteString("reg <- c\n")
		}
		b.WriteString("}()\n")
	}
	if r.IntN(2) == 0 {
		b.WriteString("go func() { x.Add(1) }()\n")
	}
	b.WriteString("h := 0\n")
	for k := range makers {
		b.WriteString("{\nc := <-reg\n_ = c\n")
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "go func() {\nh := 0\n%s\n%s_results[%d] = h\n}()\n", use("c"), name, k)
		}
		for range 1 + r.IntN(2) {
			b.WriteString(use("c") + "\n")
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "%s_results[9] = h\n}\n", name)
	return b.String()
}

// TestClosingPrograms: explorers find the outcomes of all interleavings of such programs, and optimal and
// source explore each of their classes once.
func TestClosingPrograms(t *testing.T) {
	n := 0
	programs := printed{salt: 0xc105e, perBatch: 100, total: 2000, short: 6, bound: por.Config{MaxExecutions: 20000}, print: func(r *rand.Rand, name string) string {
		if n++; n%2 == 0 {
			return passing(r, name)
		}
		return closing(r, name)
	}}
	programs.classes(t)
}

// classes checks that explorers find the outcomes of all interleavings of the programs, and that optimal
// and source explore each of their classes once.
func (p printed) classes(t *testing.T) {
	counted := 0
	p.finals = true
	p.each(t, func(s *subject) {
		for _, e := range explorers.Exhaustive() {
			got, r := searchFinals(t, s.g.m, e.Explore, por.Config{MaxExecutions: 20000, Match: e.Stateful})
			if len(r.Incomplete) == 0 && !maps.Equal(got.outcomes, s.want.outcomes) {
				s.errorf("%s\n%s", e.Name, difference(got.outcomes, s.want.outcomes))
			}
		}
		for _, e := range []string{"optimal", "source"} {
			_, left, err := checkClosing(t, s.g, e)
			if err != nil {
				s.errorf("%v", err)
			}
			if !left {
				counted++
			}
		}
	})
	t.Logf("the classes of %d were counted", counted/2)
}

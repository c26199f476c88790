package progen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
)

// receives are programs whose goroutines wait for channels that are closed, with the numbers of
// their classes. Operations that do not wait are on channels of bool.
// Only on these channels is parking a step, unless all uses of the channel are known and wait.
var receives = []struct {
	name, body string
	want       uint64
}{
	{"many wait for one close", "done := make(chan int)\nfor range 3 { go func() { <-done }() }\nclose(done)", 1},
	{"many wait for one of two", "done, other := make(chan int), make(chan int)\nfor range 3 { go func() { select { case <-done: case <-other: } }() }\nclose(done)", 1},
	{"three channels", "a, b, c := make(chan int), make(chan int), make(chan int)\nfor range 2 { go func() { select { case <-a: case <-b: case <-c: } }() }\nclose(a)\nclose(b)", 9},
	{"both are closed", "a, b := make(chan int), make(chan int)\ngo func() { select { case <-a: case <-b: } }()\ngo func() { select { case <-b: case <-a: } }()\nclose(a)\nclose(b)", 9},
	{"polls", "done := make(chan bool)\nfor range 2 { go func() { for range 2 { select { case <-done: default: } } }() }\nclose(done)", 9},
	{"workers", "jobs := make(chan int)\nfor range 2 { go func() { for range jobs { } }() }\njobs <- 1\njobs <- 2\nclose(jobs)", 4},
	{"workers with a buffer", "jobs := make(chan int, 2)\nfor range 2 { go func() { for range jobs { } }() }\njobs <- 1\njobs <- 2\nclose(jobs)", 4},
	{"a buffer in a select", "a, b := make(chan int, 1), make(chan int)\nfor range 2 { go func() { select { case <-a: case <-b: } }() }\na <- 1\nclose(a)", 4},
	{"one may send", "done, c := make(chan int), make(chan int)\ngo func() { select { case <-done: case c <- 1: } }()\ngo func() { select { case <-done: case <-c: } }()\nclose(done)", 3},
	{"one sends and does not wait", "done, c := make(chan bool), make(chan bool)\ngo func() { select { case c <- true: default: } }()\ngo func() { select { case <-done: case <-c: } }()\nclose(done)", 6},
	{"a select finds a parked one", "a, b := make(chan bool), make(chan bool)\ngo func() { select { case a <- true: case b <- true: } }()\ngo func() { select { case <-a: default: } }()\ngo func() { select { case <-a: case <-b: } }()", 27},
	{"closed twice", "c := make(chan int)\nfor range 2 { go func() { defer func() { recover() }(); close(c) }() }\nfor range 2 { go func() { <-c }() }", 8},
	{"receives that may park", "var x any = make(chan bool)\nc := x.(chan bool)\nfor range 2 { go func() { <-c }() }\nclose(c)", 4},
	{"receives, and sends next", "c := make(chan bool)\ngo func() { _ = len(c) }()\nselect { case <-c: default: }\nc <- true", 3},
	{"its length", "c := make(chan int)\ngo func() { <-c }()\ngo func() { _ = len(c) }()\nclose(c)", 2},
}

// TestReceives: each class of these programs is explored once.
func TestReceives(t *testing.T) {
	var list []unit
	for i, x := range receives {
		name := fmt.Sprintf("Receive%d", i)
		list = append(list, unit{name, fmt.Sprintf("package main\n\nfunc %s() {\n%s\n}\n", name, x.body)})
	}
	g := loadGroup(t, list)
	for i, x := range receives {
		g.in(i, func() {
			for _, e := range []string{"optimal", "source"} {
				n, left, err := checkClosing(t, g, e)
				if err != nil || left || n != x.want {
					t.Errorf("%s: %s: %d executions, want %d (%v, %v)", x.name, e, n, x.want, left, err)
				}
			}
		})
	}
}

// receiving prints a program whose goroutines receive from channels, most of which have no buffer and are
// closed sooner or later, by one or by several; a few send. No operation sends without waiting: then parking
// would be a step of receivers, and none of them would be among trace.Receives.
func receiving(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nvar %s_results [10]int // what goroutines have found\n\nfunc %s() {\n", name, name)
	chans := 1 + r.IntN(3)
	for c := range chans {
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, []int{0, 0, 0, 0, 1, 2}[r.IntN(6)], c)
	}
	b.WriteString("var mu sync.Mutex\nx := 0\n_, _ = &mu, &x\nvar none chan int\n_ = none\n")
	any := func() string {
		if r.IntN(20) == 0 {
			return "none"
		}
		return fmt.Sprintf("c%d", r.IntN(chans))
	}
	sends := r.IntN(4)
	clause := func(k int, waits bool) string {
		if waits && r.IntN(12) < sends {
			return fmt.Sprintf("case %s <- %d: h = h*5 + %d\n", any(), k+1, k)
		}
		return fmt.Sprintf("case v, ok := <-%s: h = h*5 + v + %d; if !ok { h += 9 }\n", any(), k)
	}
	stmt := func() string {
		switch k := r.IntN(24); {
		case k < 5:
			return fmt.Sprintf("{ v, ok := <-c%d; h = h*3 + v; if !ok { h += 7 } }", r.IntN(chans))
		case k < 7:
			return fmt.Sprintf("for v := range c%d { h = h*3 + v }", r.IntN(chans))
		case k < 15:
			s, waits := "select {\n", r.IntN(3) > 0
			for k := range 1 + r.IntN(3) {
				s += clause(k, waits)
			}
			if !waits {
				s += "default: h++\n"
			}
			return s + "}"
		case k < 19:
			return fmt.Sprintf("close(c%d)", r.IntN(chans))
		case k < 20 || k < 22 && sends > 0:
			return fmt.Sprintf("c%d <- %d", r.IntN(chans), 1+r.IntN(3))
		case k < 23:
			return fmt.Sprintf("h = h*3 + len(c%d)", r.IntN(chans))
		}
		return "mu.Lock()\nx = x*3 + h%3 + 1\nmu.Unlock()"
	}
	printGoroutines(&b, r, name, stmt)
	return b.String()
}

// printGoroutines prints one to three goroutines and the rest of function name: statements, and the number h
// that they have computed in the results of the program. A panic changes h.
func printGoroutines(b *strings.Builder, r *rand.Rand, name string, stmt func() string) {
	body := func(k int) {
		fmt.Fprintf(b, "h := 0\ndefer func() {\nif e := recover(); e != nil { h = h*11 + 5 }\n%s_results[%d] = h\n}()\n", name, k)
		for range 1 + r.IntN(3) {
			b.WriteString("{\n" + stmt() + "\n}\n")
		}
	}
	for k := range 1 + r.IntN(3) {
		b.WriteString("go func() {\n")
		body(k)
		b.WriteString("}()\n")
	}
	body(9)
	b.WriteString("}\n")
}

// TestReceivePrograms: explorers find the outcomes of all interleavings of such programs, and optimal
// and source explore each of their classes once.
func TestReceivePrograms(t *testing.T) {
	programs := printed{salt: 0x4ece1e, perBatch: 100, total: 2000, short: 6, bound: por.Config{MaxExecutions: 20000}, print: receiving}
	programs.classes(t)
}

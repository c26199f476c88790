package progen_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// style is the purpose of dense programs.
type style int

const (
	pure    style = iota
	mixed         // some statements use a lock or a variable instead of channels
	telling       // see dense
)

// dense returns a program of a few goroutines that only use a few channels, mostly in selects. So its
// operations interact more often than those of other generated programs. With telling, a goroutine blocks
// in the end at a line that depends on the cases it has taken and the values it has received.
func dense(r *rand.Rand, name string, how style) string {
	telling := how == telling
	var b strings.Builder
	if how == mixed {
		fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nfunc %s() {\nvar mu sync.Mutex\nmu.Lock()\nmu.Unlock()\nx := 0\n_ = x\n", name)
	} else {
		fmt.Fprintf(&b, "package main\n\nfunc %s() {\n", name)
	}
	chans := 2 + r.IntN(2)
	for c := range chans {
		room := r.IntN(3)
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, room, c)
		if room > 0 && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "c%d <- 9\n", c)
		}
	}
	if telling {
		b.WriteString("var none chan int\n_ = none\n")
	}
	ways := 1
	channel := func() string {
		if telling && r.IntN(16) == 0 {
			return "none"
		}
		return fmt.Sprintf("c%d", r.IntN(chans))
	}
	op := func() string {
		send := r.IntN(2) == 0
		switch c := channel(); {
		case send:
			return c + " <- 1"
		case telling:
			return "v, ok := <-" + c
		default:
			return "<-" + c
		}
	}
	// after returns the statement after op, the receive in case k of n: it records the received value.
	after := func(op string, k, n int) string {
		switch {
		case !telling:
			return ""
		case strings.HasPrefix(op, "v"):
			return fmt.Sprintf("h = (h*%d+%d)*3; if !ok { h++ } else if v == 9 { h += 2 }", n, k)
		}
		return fmt.Sprintf("h = (h*%d+%d)*3", n, k)
	}
	choice := func(n int, other bool) string {
		all := n
		if other {
			all++
		}
		ways *= 3 * all
		var s strings.Builder
		s.WriteString("select {\n")
		for k := range n {
			o := op()
			fmt.Fprintf(&s, "case %s: %s\n", o, after(o, k, all))
		}
		if other {
			fmt.Fprintf(&s, "default: %s\n", after("", n, all))
		}
		return s.String() + "}"
	}
	stmt := func() string {
		if how == mixed && r.IntN(3) == 0 {
			return []string{"mu.Lock()\nmu.Unlock()", "x = 1", "_ = x"}[r.IntN(3)]
		}
		switch k := r.IntN(40); {
		case k < 1:
			return fmt.Sprintf("close(c%d)", r.IntN(chans))
		case k < 5:
			return choice(1, true)
		case k < 6:
			return choice(2, true)
		case k < 17:
			return choice(2, false)
		case k < 19:
			return choice(3, false)
		}
		send := r.IntN(2) == 0
		o := fmt.Sprintf("c%d", r.IntN(chans))
		switch {
		case send:
			return o + " <- 1"
		case telling:
			ways *= 3
			return "{ v, ok := <-" + o + "; " + after("v", 0, 1) + " }"
		}
		return "<-" + o
	}
	body := func() string {
		ways = 1
		list := []string{stmt()}
		for range r.IntN(3) {
			list = append(list, stmt())
		}
		text := strings.Join(list, "\n")
		if !telling {
			return text
		}
		text = "h := 0\n" + text + "\nswitch h {\n"
		for h := range ways {
			text += fmt.Sprintf("case %d:\nselect {}\n", h)
		}
		return text + "}"
	}
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "go func() {\n%s\n}()\n", body())
	}
	b.WriteString(body() + "\n}\n")
	return b.String()
}

// TestSelects: each class of programs with selects is explored once.
func TestSelects(t *testing.T) {
	const perBatch = 100
	total := deep.N(10, 800)
	checked, left, bad := 0, 0, 0
	for first := deep.Seed(); checked+left < total; first += perBatch {
		var list []unit
		for i := range uint64(min(perBatch, total-checked-left)) {
			name := fmt.Sprintf("Pdense%d", i)
			list = append(list, unit{name, dense(rand.New(rand.NewPCG(first+i, 0x5e1)), name, style(i%4/3))})
		}
		g := loadGroup(t, list)
		for i, u := range list {
			g.in(i, func() {
				o := &counter{observer: newObserver(t, g.m)}
				r := explorers.With("optimal", "prefix-memory", strconv.Itoa(1+i%2<<25)).Explore(g.m, o, por.Config{MaxExecutions: 5000, CheckDuplicates: true})
				if o.restarts > 0 || o.crashes || r.Duplicate == nil && len(r.Incomplete) > 0 {
					left++
					return
				}
				rel := relation(g.m)
				rel.OneCloses, rel.Cases = true, g.m.Cases // there was no restart
				all, err := classes.Merge(g.m, rel, 10000)
				if errors.As(err, new(classes.Limit)) {
					left++
					return
				}
				checked++
				if err != nil || uint64(all.Total()) != r.Executions || r.Duplicate != nil {
					bad++
					t.Errorf("seed %d: %d executions, %+v, %v, %v\n%s", first+uint64(i), r.Executions, all.Counts, err, r.Duplicate, u.Source)
				}
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out", checked, left)
}

// meetings are programs in which the rendezvous partner of a goroutine also depends on operations of other
// goroutines. One has a select with default, so parking is an operation of its own in all of them.
var meetings = []struct {
	name    string
	classes uint64
	body    string
}{
	{"a nil channel", 4, `
		a, b := make(chan int), make(chan int)
		var none chan int
		go func() { _ = len(b) }()
		go func() { select { case <-a: case none <- 1: } }()
		select { case a <- 1: case b <- 1: }`},
	{"ready, and not", 14, `
		a, b, c := make(chan int, 1), make(chan int), make(chan int, 1)
		go func() { select { case b <- 1: case c <- 1: } }()
		go func() { a <- 1; <-a }()
		select { case <-a: case <-b: }`},
	{"made ready", 6, `
		a, b, c := make(chan int, 1), make(chan int), make(chan int, 1)
		c <- 9
		go func() { _ = len(a) }()
		go func() { select { case <-b: case <-a: } }()
		go func() { <-c }()
		select { case b <- 1: case c <- 1: }`},
	{"parked", 6, `
		a, b := make(chan int), make(chan int, 1)
		go func() { select { case <-a: case <-b: } }()
		go func() { select { case a <- 1: default: } }()
		b <- 1`},
	{"met again", 20, `
		a, b := make(chan int, 1), make(chan int)
		go func() { b <- 1; b <- 1 }()
		go func() { <-a }()
		a <- 1
		select { case <-b: case a <- 1: }
		select { case <-b: case a <- 1: }
		select {}`},
	{"ready, and a write elsewhere", 21, `
		a, b, c, v := make(chan int, 1), make(chan int), make(chan int, 1), 0
		go func() { select { case b <- 1: case c <- 1: } }()
		go func() { a <- 1; v = 1 }()
		go func() { select { case <-b: case <-a: } }()
		v = 2
		_ = v
		select {}`},
	{"a pipeline that is cancelled", 500, `
		a, b, done := make(chan int), make(chan int), make(chan int)
		go func() { for i := range 2 { select { case a <- i: case <-done: return } } }()
		go func() { for { select { case v := <-a: select { case b <- v: case <-done: return }; case <-done: return } } }()
		select { case <-b: case <-done: }
		close(done)`},
}

// TestMeetings: each of their classes is explored once, by Optimal and by Source.
func TestMeetings(t *testing.T) {
	var list []unit
	for i, p := range meetings {
		name := fmt.Sprintf("Pmeet%d", i)
		// Not all uses of a channel that a function returns are known, so parking is a step.
		made := fmt.Sprintf("func %s_made(n int) chan int { return make(chan int, n) }\n", name)
		body := strings.NewReplacer("make(chan int)", name+"_made(0)", "make(chan int, ", name+"_made(").Replace(p.body)
		list = append(list, unit{name, fmt.Sprintf("package main\n\n%s\nfunc %s() {%s\n}\n", made, name, body)})
	}
	g := loadGroup(t, list)
	for i, p := range meetings {
		t.Run(p.name, func(t *testing.T) {
			g.in(i, func() {
				o := &counter{observer: newObserver(t, g.m)}
				r := explorers.With("optimal").Explore(g.m, o, por.Config{CheckDuplicates: true})
				rel := relation(g.m)
				rel.Cases = g.m.Cases
				all, err := classes.Merge(g.m, rel, 10000)
				_, _, other := assumptions(t, explorers.With("optimal").Explore, g, por.Config{}, o.restarts)
				if err != nil || other || uint64(all.Total()) != p.classes || r.Executions != p.classes || r.Duplicate != nil {
					t.Errorf("%d executions, restarted %d times, %+v, %v, %v, want %d", r.Executions, o.restarts, all.Counts, err, r.Duplicate, p.classes)
				}
				if r := explorers.With("source").Explore(g.m, o, por.Config{CheckDuplicates: true}); r.Executions != p.classes || r.Duplicate != nil {
					t.Errorf("source: %d executions, %v, want %d", r.Executions, r.Duplicate, p.classes)
				}
			})
		})
	}
}

// TestSelectsOutcomes: explorers find the outcomes of all interleavings of such programs.
func TestSelectsOutcomes(t *testing.T) {
	programs := printed{salt: 0x5e2, perBatch: 50, total: 200, short: 5, bound: por.Config{MaxExecutions: 20000},
		print: func(r *rand.Rand, name string) string { return dense(r, name, telling) }}
	programs.each(t, func(s *subject) {
		for _, e := range explorers.Exhaustive() {
			if e.Stateful {
				continue
			}
			got, r := search(t, s.g.m, e.Explore, por.Config{MaxExecutions: 20000})
			if len(r.Incomplete) == 0 && !maps.Equal(got.outcomes, s.want.outcomes) {
				s.errorf("%s\n%s", e.Name, difference(got.outcomes, s.want.outcomes))
			}
		}
	})
}

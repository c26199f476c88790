package progen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestParts: in programs of several parts, searches that explore one part after the other have the findings
// of a full search, and each part is a persistent set. A livelock that the full search finds is a livelock
// in the other searches, too.
func TestParts(t *testing.T) {
	c := newComparison(t)
	c.batches(1000, func(seeds []uint64) {
		var list []objectProgram
		for _, seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 0x9a475))
			list = append(list, objectProgram{seed, progen.Parts(fmt.Sprintf("P%d", seed), rng)})
		}
		c.objects(list, partModes)
	})
	t.Logf("optimal: %d searches, %d without an end; %d executions of parts", c.finished, c.unfinished, c.partExecutions)
	if c.parts == 0 || c.partExecutions == 0 || c.finished < c.unfinished {
		t.Error("no part was explored alone: the programs do not test it")
	}
}

// TestTimedParts is TestParts for programs in which goroutines also wait for timers. Time passes
// only when all goroutines wait.
func TestTimedParts(t *testing.T) {
	c := newComparison(t)
	c.config = vm.Config{VisibleOutput: true, OrderedTime: true}
	c.batches(100, func(seeds []uint64) {
		var list []objectProgram
		for _, seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 0x9a476))
			list = append(list, objectProgram{seed, progen.TimedParts(fmt.Sprintf("P%d", seed), rng)})
		}
		c.objects(list, partModes)
	})
	if c.parts == 0 {
		t.Error("no part was explored alone: the programs do not test it")
	}
}

// partModes returns searches by parts: with the explorers that store states, with facts and without.
func partModes(seed uint64) []mode {
	list := []mode{
		{name: "jpf", run: stateful.JPF, h: oracle.Parts, only: true, check: true},
		{name: "full", run: stateful.Full, h: oracle.Parts, only: true},
		{name: "jpf", run: stateful.JPF, h: oracle.Parts},
		{name: "jpf", run: stateful.JPF, h: oracle.Parts, only: true, groups: 2 + int(seed%3), check: seed%4 == 0},
	}
	list[seed%2+1].check = true
	list = append(list, mode{name: "optimal", run: optimalParts, h: oracle.Parts, only: true, groups: 2 + int(seed%2)*60})
	if seed%3 == 0 {
		list = append(list, mode{name: "optimal", run: optimalParts, h: oracle.Parts})
	}
	return list
}

// optimalParts is an optimal search in parts, of programs that are not too large for it.
func optimalParts(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	cfg.Match, cfg.MaxSteps, cfg.MaxExecutions = false, 400, 3000
	return explorers.With("optimal").Explore(sys, v, cfg)
}

// checkedParts checks each part by the criterion itself.
type checkedParts struct {
	por.Parts
	*skipCheck
}

// Part implements por.Parts.
func (c checkedParts) Part(enabled []trace.GID) []trace.GID {
	part := c.Parts.Part(enabled)
	if part != nil {
		c.verify(part, "parts", lookahead.PersistentPart)
	}
	return part
}

// partTexts are programs with a part for which exactly one condition of the proof does not hold, or
// holds only just.
var partTexts = []string{
	// Goroutines that have one channel each meet a select on all three.
	`func P1() {
	a, b, c := make(chan int), make(chan int), make(chan int)
	go func() { a <- 1 }()
	go func() { b <- 2 }()
	go func() { c <- 3 }()
	select {
	case x := <-a:
		say(x)
	case x := <-b:
		say(x)
	case x := <-c:
		say(x)
	}
}`,
	// Only one goroutine can receive an element of a closed channel.
	`func P2() {
	c := make(chan int, 1)
	c <- 5
	close(c)
	go func() { say(<-c) }()
	say(<-c + 10)
}`,
	// An object is reached by a longer way, too, which is found later.
	`type p3_node struct {
	next *p3_node
	n    int
}

var p3_v int

func P3() {
	a := &p3_node{next: &p3_node{}}
	c := &p3_node{next: &p3_node{next: a}}
	go func() {
		if p3_v == 0 {
			c.next.next.next.n++
		}
	}()
	go func() { a.next.n = 5; say(a.next.n) }()
}`,
	// An empty channel does not remain so.
	`func P4() {
	c := make(chan int, 1)
	d := make(chan int, 1)
	go func() { c <- 1 }()
	go func() { d <- 2 }()
	select {
	case x := <-c:
		say(x)
	case x := <-d:
		say(x)
	default:
		say(0)
	}
}`,
	// A variable refers to an object made later.
	`var p5_v *int

func P5() {
	x := new(int)
	done := make(chan int)
	go func() { p5_v = x; done <- 1; *x = 1; say(*x) }()
	go func() { <-done; *p5_v = 2 }()
}`,
	// All goroutines can access a variable.
	`var p6_v int

func P6() {
	go func() { p6_v++ }()
	go func() { p6_v = 5; say(p6_v) }()
}`,
	// Releasing a lock that is not held ends the program, though no other goroutine has it any more.
	`import "sync"

func P7() {
	p := new(sync.Mutex)
	go func() {
		p.Lock()
		p.Unlock()
		q := new(int)
		go func() { *q = 1 }()
		say(1)
	}()
	p.Unlock()
	say(2)
}`,
	// Where time has no order, a timer may fire at once.
	`import "time"

func P8() {
	t := time.AfterFunc(time.Second, func() { say(1) })
	if t.Stop() {
		say(2)
	}
}`,
	// A part ends where one of its goroutines passes on an object that another still uses.
	`import "sync"

type p9_T struct {
	mu sync.Mutex
	n  int
}

func P9() {
	hand := make(chan *p9_T, 1)
	go func() {
		o := &p9_T{}
		go func() {
			o.mu.Lock()
			o.n++
			o.mu.Unlock()
		}()
		o.mu.Lock()
		o.n += 10
		o.mu.Unlock()
		hand <- o
	}()
	say(1)
	o := <-hand
	o.mu.Lock()
	say(o.n)
	o.mu.Unlock()
}`,
	// ... or passes on something that lets another goroutine continue to such a place.
	`import "sync/atomic"

func P10() {
	hand := make(chan int, 1)
	go func() {
		z, c := new(atomic.Int32), make(chan int)
		go func() {
			<-c
			say(int(z.Load()))
		}()
		go p10_add(z)
		p10_hand(z, c, hand)
	}()
	say(1)
	say(<-hand)
}

func p10_add(z *atomic.Int32) { z.Add(2) }

func p10_hand(z *atomic.Int32, c, hand chan int) {
	z.Add(10)
	hand <- 1
	c <- 1
}`,
	// It ends where another goroutine can access an object of one of its own.
	`import (
	"sync"
	"sync/atomic"
)

func P11() {
	x := new(atomic.Int32)
	go func() {
		mu := new(sync.Mutex)
		go func() {
			mu.Lock()
			mu.Unlock()
		}()
		mu.Lock()
		mu.Unlock()
		x.Store(1)
	}()
	say(int(x.Load()))
}`,
}

// timedTexts are such programs where time passes only when all goroutines wait.
var timedTexts = []string{
	// Of two timers with one deadline each may be the first.
	`import "time"

func P1() {
	var a, b *time.Timer
	ready := make(chan int)
	a = time.AfterFunc(time.Second, func() {
		<-ready
		if b.Stop() {
			say(1)
		}
	})
	b = time.AfterFunc(time.Second, func() {
		<-ready
		if a.Stop() {
			say(2)
		}
	})
	close(ready)
}`,
	// A timer whose deadline has come waits for nothing.
	`import "time"

func P2() {
	t := time.AfterFunc(time.Second, func() { say(1) })
	time.Sleep(time.Second)
	if t.Stop() {
		say(2)
	}
}`,
	// Another goroutine makes a timer of a part fire at once.
	`import "time"

func P3() {
	c := make(chan int)
	d := make(chan int)
	t := time.AfterFunc(time.Hour, func() {
		select {
		case c <- 1:
		default:
			say(1)
		}
	})
	go func() {
		d <- 0
		t.Reset(0)
	}()
	go func() { c <- 2 }()
	<-d
	say(<-c + 10)
}`,
}

// TestPartTexts: searches by parts have the findings of a full search.
func TestPartTexts(t *testing.T) {
	for _, x := range []struct {
		texts []string
		vm.Config
	}{{partTexts, vm.Config{VisibleOutput: true}}, {timedTexts, vm.Config{VisibleOutput: true, OrderedTime: true}}} {
		c := newComparison(t)
		c.config = x.Config
		var list []objectProgram
		for i, text := range x.texts {
			name := fmt.Sprintf("P%d", i+1)
			list = append(list, objectProgram{uint64(i), progen.Text{Name: name, Source: "package main\n\n" + text + "\n"}})
		}
		c.objects(list, func(seed uint64) []mode {
			return append(slices.Delete(partModes(seed), 2, 3), mode{name: "optimal", run: optimalParts, h: oracle.Parts, only: true})
		})
		if c.checked != len(x.texts) {
			t.Errorf("%d of %d programs checked", c.checked, len(x.texts))
		}
	}
}

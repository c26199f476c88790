package progen_test

import (
	"fmt"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// exact are programs whose classes are counted by hand.
var exact = []struct {
	name, body string
	classes    uint64
}{
	{"additions", "var n atomic.Int64\nfor range 4 { go func() { n.Add(1) }() }", 1},
	{"additions and a load: any of them come before it", "var n atomic.Int64\nfor range 3 { go func() { n.Add(1) }() }\nn.Load()", 8},
	{"one addition behind another, and one beside them", "var n atomic.Int64\nc := make(chan int, 1)\ngo func() { <-c; n.Add(1) }()\ngo func() { n.Add(1) }()\ngo func() { n.Add(1); c <- 1 }()\nn.Load()", 6},
	{"additions whose result is used, and one whose is not", "var n atomic.Int64\nvar a [2]int64\nfor i := range a { go func() { a[i] = n.Add(1) }() }\nn.Add(1)", 6},
	{"additions to overlapping words", "var n int64\ngo func() { atomic.AddInt64(&n, 1) }()\natomic.AddInt32((*int32)(unsafe.Pointer(&n)), 1)", 2},
	{"a load comes after another one by what follows that, and both before a store", "var v, w atomic.Int64\ngo func() { w.Load(); v.Load() }()\ngo func() { v.Load(); w.Store(1) }()\nv.Store(1)", 7},
	{"a compare-and-swap comes after a load if it does not fail", "var v atomic.Int64\ngo func() { v.CompareAndSwap(0, 5) }()\ngo func() { v.Load() }()\nv.Store(1)", 5},
	{"many wait", "var wg sync.WaitGroup\nwg.Add(1)\nfor range 3 { go func() { wg.Wait() }() }\nwg.Done()", 1},
	{"readers", "var mu sync.RWMutex\nfor range 4 { go func() { mu.RLock(); mu.RUnlock() }() }", 1},
	{"a writer comes before, behind or between Lock and Unlock of each reader", "var mu sync.RWMutex\nfor range 3 { go func() { mu.RLock(); mu.RUnlock() }() }\nmu.Lock()\nmu.Unlock()", 27},
	{"one sends, one receives", "c := make(chan int, 2)\ngo func() { for i := range 5 { c <- i } }()\nfor range 5 { <-c }", 1},
	{"room for one", "c := make(chan int, 1)\ngo func() { for i := range 5 { c <- i } }()\nfor range 5 { <-c }", 1},
	{"some has been sent before", "c := make(chan int, 3)\nc <- 1\nc <- 2\ngo func() { for i := range 3 { c <- i } }()\nfor range 5 { <-c }", 1},
	{"two send, one receives", "c := make(chan int, 1)\nfor i := range 2 { go func() { c <- i; c <- i }() }\nfor range 4 { <-c }", 6},
	{"two send, two receive", "c := make(chan int, 1)\nfor i := range 2 { go func() { c <- i }(); go func() { <-c }() }", 4},
	{"the length tells", "c := make(chan int, 2)\ngo func() { c <- 1; c <- 2 }()\n_ = len(c)", 3},
	{"two send, one closes: it is closed before either receive, or after both", "c := make(chan int, 2)\nd := make(chan int)\ngo func() { c <- 1; d <- 1 }()\ngo func() { <-d; c <- 2; close(c) }()\nfor range c { }", 3},
	{"many find it closed", "c := make(chan int, 1)\nfor range 3 { go func() { <-c }() }\nclose(c)", 1},
	{"a timer fires before it is stopped, or never", "t := time.NewTimer(1)\ngo func() { t.Stop() }()\n<-(chan int)(nil)", 2},
	{"either stops it first, and it may fire before", "t := time.NewTimer(1)\nfor range 2 { go func() { t.Stop() }() }\n<-(chan int)(nil)", 4},
	{"it fires when it was made, when it is set again, both times or never", "t := time.NewTimer(1)\ngo func() { t.Reset(1); t.Stop() }()\n<-(chan int)(nil)", 4},
}

// TestExact: optimal explores one execution for each class. Another number would mean that the
// relation lacks a dependence, or has one too many.
func TestExact(t *testing.T) {
	var list []unit
	for i, x := range exact {
		list = append(list, unit{fmt.Sprintf("Exact%d", i), fmt.Sprintf(
			"package main\n\nimport (\n\"sync\"\n\"sync/atomic\"\n\"time\"\n\"unsafe\"\n)\n\nvar (\n_ sync.Mutex\n_ atomic.Int64\n_ unsafe.Pointer\n_ time.Time\n)\n\nfunc Exact%d() {\n%s\n}\n", i, x.body)})
	}
	g := loadGroup(t, list)
	for i, x := range exact {
		g.in(i, func() {
			o := newObserver(t, g.m)
			if r := explorers.With("optimal").Explore(g.m, o, por.Config{}); r.Executions != x.classes || len(r.Incomplete) > 0 {
				t.Errorf("%s: optimal: %d executions, want %d; %v", x.name, r.Executions, x.classes, r.Incomplete)
			}
			if r := explorers.With("source").Explore(g.m, o, por.Config{}); r.Executions != x.classes {
				t.Errorf("%s: source: %d executions, want %d", x.name, r.Executions, x.classes)
			}
			rel := relation(g.m)
			rel.Cases = g.m.Cases
			e, err := classes.Merge(g.m, rel, 10000)
			if err != nil || uint64(e.Total()) != x.classes {
				t.Errorf("%s: %+v, want %d classes (%v)", x.name, e, x.classes, err)
			}
		})
	}
}

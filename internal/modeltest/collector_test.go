package modeltest

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
)

// Programs with actions of the garbage collector, and with operations that show the positions of all
// goroutines: these observe every step of other goroutines. They are explored with all kinds of static
// facts.

func init() {
	programs = append(programs, collectorPrograms...)
}

const collectorHead = `
type thing struct {
	n    int
	next *thing
}

// watch makes a thing and drops it; its finalizer calls f.
func watch(f func()) { runtime.SetFinalizer(&thing{}, func(*thing) { f() }) }

var last int32

// tell prints n, which is part of the last state, too.
func tell(n int32) { last = n; print(n) }

//go:noinline
func within(f func()) { f(); runtime.Gosched() }

// inside returns how many goroutines are in the function within.
func inside() int32 {
	buf := make([]byte, 10_000)
	return int32(strings.Count(string(buf[:runtime.Stack(buf, true)]), "main.within("))
}
`

var collectorPrograms = []program{
	{"finalizerWakes", "ab", `
		c := make(chan bool)
		watch(func() { close(c) })
		print("a")
		<-c
		print("b")`},
	{"finalizerUnlocks", "ab", `
		var mu sync.Mutex
		mu.Lock()
		watch(mu.Unlock)
		print("a")
		mu.Lock()
		print("b")`},
	{"finalizerUseless", "a", `
		c := make(chan bool)
		watch(func() {})
		print("a")
		<-c
		print("b")`},
	{"finalizerRemoved", "a", `
		c, x := make(chan bool), &thing{}
		runtime.SetFinalizer(x, func(*thing) { close(c) })
		runtime.SetFinalizer(x, nil)
		print("a")
		<-c
		print("b")`},
	{"finalizerInUse", "a", `
		c, x := make(chan bool), &thing{}
		runtime.SetFinalizer(x, func(*thing) { close(c) })
		print("a")
		<-c
		print("b")
		runtime.KeepAlive(x)`},
	{"finalizerHeld", "a", `
		c, x := make(chan bool), &thing{}
		runtime.SetFinalizer(x, func(*thing) { close(c) })
		go func() { <-make(chan bool); x.n++ }()
		print("a")
		<-c
		print("b")`},
	{"finalizerCycle", "a", `
		c, x := make(chan bool), &thing{}
		x.next = &thing{next: x}
		runtime.SetFinalizer(x, func(*thing) { close(c) })
		print("a")
		<-c
		print("b")`},
	{"finalizerChain", "a12b", `
		c, x := make(chan bool), &thing{}
		runtime.SetFinalizer(x, func(*thing) { print("2"); close(c) })
		runtime.SetFinalizer(&thing{next: x}, func(*thing) { print("1") })
		print("a")
		<-c
		print("b")`},
	{"finalizersOneByOne", "a", `
		c, d := make(chan bool), make(chan bool)
		watch(func() { <-d })
		watch(func() { close(d); close(c) })
		print("a")
		<-c
		print("b")`},
	{"finalizersLater", "ab", `
		c, d := make(chan bool), make(chan bool)
		watch(func() { close(d); <-make(chan bool) })
		print("a")
		<-d
		print("b")
		watch(func() { close(c) })
		<-c
		print("c")`},
	{"finalizerGoes", "ab", `
		c := make(chan bool)
		watch(func() { go close(c) })
		print("a")
		<-c
		print("b")`},
	{"finalizerRevives", "a1b2", `
		c := make(chan *thing)
		runtime.SetFinalizer(&thing{n: 1}, func(x *thing) { c <- x })
		print("a")
		x := <-c
		print(x.n, "b")
		x.n++
		runtime.SetFinalizer(x, func(x *thing) { c <- x })
		x = nil
		print((<-c).n)`},
	{"finalizerOrders", "1", `
		n, c := 0, make(chan bool)
		watch(func() { n++; close(c) })
		<-c
		print(n)`},
	{"finalizerBeside", "0|1", `
		var a atomic.Int32
		c := make(chan bool)
		watch(func() { close(c); a.Store(1) })
		<-c
		tell(a.Load())`},
	{"cleanupWakes", "ab", `
		c := make(chan bool)
		runtime.AddCleanup(&thing{}, func(c chan bool) { close(c) }, c)
		print("a")
		<-c
		print("b")`},
	{"cleanupStopped", "a", `
		c := make(chan bool)
		runtime.AddCleanup(&thing{}, func(c chan bool) { close(c) }, c).Stop()
		print("a")
		<-c
		print("b")`},
	{"cleanupBeside", "ab", `
		c := make(chan bool)
		watch(func() { <-make(chan bool) })
		runtime.AddCleanup(&thing{}, func(c chan bool) { close(c) }, c)
		print("a")
		<-c
		print("b")`},
	{"cleanupSelf", "ab", ` // a cleanup does not keep what it refers to beside its object
		c, x := make(chan bool), &thing{}
		x.next = &thing{next: x}
		runtime.AddCleanup(x, func(c chan bool) { close(c) }, c)
		x = nil
		print("a")
		<-c
		print("b")`},
	{"weakCleared", "false true", `
		c, x := make(chan bool), &thing{}
		w := weak.Make(x)
		watch(func() { close(c) })
		print(w.Value() == nil)
		<-c
		print(" ", w.Value() == nil)`},
	{"collectorLast", "ab", ` // not while a goroutine can do something
		c, d := make(chan string), make(chan bool)
		watch(func() { close(d) })
		go func() { runtime.Gosched(); c <- "a" }()
		select {
		case s := <-c:
			print(s)
		case <-d:
			print("d")
		}
		<-d
		print("b")`},

	{"weakPrivate", "false|true", `
		x := &thing{}
		w := weak.Make(x)
		gone := false
		together(func() { runtime.GC(); gone = w.Value() == nil }, func() {
			y := x
			x = nil
			runtime.Gosched()
			y.n++
			runtime.Gosched()
		})
		print(gone)`},
	{"stackYields", "0|1", `
		n := int32(0)
		together(func() { n = inside() }, func() { within(func() {}) })
		tell(n)`},
	{"stackPrivate", "0|1|2", `
		var a atomic.Int32
		var l [2]int32
		n := int32(0)
		f := func(i int) { within(func() { l[i] = a.Add(1) }); l[i]++ }
		together(func() { n = inside() }, func() { together(func() { f(0) }, func() { f(1) }) })
		tell(n)`},
	{"stackTwice", "0|4|5", `
		own := make([]int, 2)
		n := int32(0)
		together(func() { own[1]++; n = inside(); n = n*4 + inside() }, func() { within(func() { own[0]++ }) })
		tell(n)`},
	{"stackUnlocks", "0|1|2", `
		var a, b sync.Mutex
		n := int32(0)
		f := func(mu *sync.Mutex) { within(func() { mu.Lock(); mu.Unlock() }) }
		together(func() { n = inside() }, func() { together(func() { f(&a) }, func() { f(&b) }) })
		tell(n)`},
}

// TestInspected: each search finds all outcomes, with every kind of static facts.
func TestInspected(t *testing.T) {
	prog, name := load1(t)
	for _, p := range collectorPrograms {
		if !*every && !strings.HasPrefix(p.name, "stack") && p.name != "weakPrivate" && p.name != "finalizerBeside" {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			e, err := prog.Lookup(p.name)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range explorers.Exhaustive() {
				if x.Run == nil || !*every && x.Name != "jpf" && x.Name != "source" {
					continue
				}
				for _, h := range []oracle.Kind{oracle.FieldAccess, oracle.MHB, oracle.Full, oracle.Patterns} {
					if got := explore(t, prog, e, x, h); got != name(p.want) {
						t.Errorf("%s, hybrid %s: %s, want %s", x.Name, h, got, name(p.want))
					}
				}
			}
		})
	}
}

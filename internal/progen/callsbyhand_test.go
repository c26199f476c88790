package progen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
)

// waits is a library of calls that wait and loop.
const waits = `package waits

import (
	"sync"
	"sync/atomic"
	"time"
)

type Box struct {
	mu   sync.Mutex
	n    int
	flag atomic.Bool
	a, b chan int
}

func New() *Box { return &Box{a: make(chan int, 1), b: make(chan int, 1)} }

func (x *Box) Set(k int)        { x.mu.Lock(); x.n = k; x.mu.Unlock() }
func (x *Box) Get() int         { x.mu.Lock(); defer x.mu.Unlock(); return x.n }
func (x *Box) Raise()           { x.flag.Store(true) }
func (x *Box) Call(f func())    { x.Set(1); f() }
func (x *Box) Panic()           { x.Set(1); panic(1) }
func (x *Box) Recover()         { recover(); x.Set(1) }
func (x *Box) Spin()            { for !x.flag.Load() {} }
func (x *Box) Sleep() int       { x.Set(1); time.Sleep(time.Microsecond); return x.Get() }
func (x *Box) Iter(f func() bool) { x.Set(1); f() }

func (x *Box) Values(f func(int) bool) {
	for f(x.Get()) {
	}
}

func (x *Box) SpinChoosing() (n int) {
	for ; !x.flag.Load(); n++ {
		x.a <- n
		x.b <- 1
		select {
		case <-x.a:
			<-x.b
		case <-x.b:
			<-x.a
		}
	}
	return n
}
`

// byHand has programs in which the second call of the library, y.Get, sees 7 if the other goroutine moves
// between the two calls, or while the call waits or loops; or in which goroutines loop forever.
var byHand = []struct{ name, body, want string }{
	{"plain", "x.Set(1); see()", "P 7"},
	{"callback", "x.Call(see)", "P 7"},
	{"declared function", "x.Call(get); seen = last; show()", "P 7"},
	{"callback without operations", "n := 0; x.Call(func() { n++ }); see()", "P 7"},
	{"body of a loop", "for range x.Iter { see() }", "P 7"},
	{"deferred function after a panic", "defer func() { recover(); see() }(); x.Panic()", "P 7"},
	{"deferred calls after a panic", "defer recover(); defer func() { show() }(); defer func(r *int) { *r = y.Get() }(&seen); x.Panic()", "P 7"},
	{"after a recovery", "func() { defer x.Recover(); panic(1) }(); see()", "P 7"},
	{"deferred calls", "func() { defer show(); defer y.Note(&seen); defer x.Set(1) }()", "P 7"},
	{"method value", "f := x.Set; f(1); see()", "P 7"},
	{"Goexit in a callback", "done := make(chan bool); go func() { defer close(done); defer see(); x.Call(runtime.Goexit) }(); <-done", "P 7"},
	{"two values of a sequence", "next, stop := iter.Pull(x.Values); defer stop(); a, _ := next(); b, _ := next(); if a == 0 { seen = b }; show()", "P 7"},
	{"two rounds of a loop", "a := 1; for v := range x.Values { if a == 0 { seen = v; break }; a = v }; show()", "P 7"},
	{"sleep", "seen = x.Sleep(); show()", "P 7"},
	{"pool of the reader", "var p sync.Pool; p.Put(1); p.Put(2); if p.Get() == 1 { seen = 5 }; show()", "P 5"},
	{"spin", "x.Spin()", "loop"},
	{"spin while choosing", "if x.SpinChoosing() > 0 { seen = 5 }; show()", "P 5"},
}

// TestWholeCallsByHand: between two calls of a library other goroutines move, wherever the calls begin, and
// also while a call waits or loops.
func TestWholeCallsByHand(t *testing.T) {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\"iter\"; \"runtime\"; \"sync\"; \"example.com/waits\")\n\nvar _ = runtime.Goexit\n\nfunc main() {}\n")
	for i, x := range byHand {
		other := "if x.Get() == 1 { y.Set(7); x.Set(7) }"
		switch x.name {
		case "spin":
			other = "x.Spin()"
		case "two values of a sequence", "two rounds of a loop":
			other = "x.Set(7)"
		case "declared function":
			other = "if x.Get() == 1 { shared.Set(7); x.Set(7) }"
		case "spin while choosing":
			other = "x.Raise()"
		}
		fmt.Fprintf(&b, `
func P%d() {
	x, y, seen := waits.New(), waits.New(), 0
	show := func() { if seen != 0 { println("P", seen); last = seen } }
	see := func() { seen = y.Get(); show() }
	_, _, _ = y, show, see
	done := make(chan bool)
	go func() { %s; close(done) }()
	func() { %s }()
	<-done
}
`, i, other, x.body)
	}
	b.WriteString("\nvar last int\nvar shared = waits.New()\n\nfunc get() { last = shared.Get() }\n")
	prog := loadFiles(t, map[string]string{
		"go.mod":       "module example.com/main\n\ngo 1.26\n\nrequire example.com/waits v0.0.0\n\nreplace example.com/waits => ./waits\n",
		"waits/go.mod": "module example.com/waits\n\ngo 1.26\n", "waits/waits.go": waits + "\nfunc (x *Box) Note(p *int) { *p = x.Get() }\n", "main.go": b.String(),
	})
	for i, x := range byHand {
		for _, e := range []*por.Explorer{stateful.FullExplorer(), stateful.JPFExplorer()} {
			m, _ := machineOf(t, prog, fmt.Sprintf("P%d", i))
			var printed []string
			o := newObserver(t, m)
			o.onLeaf = func() { printed = append(printed, m.Report().Output(2)) }
			r := e.Explore(m, o, por.Config{Match: true, WholeCalls: true, MaxSteps: 200_000})
			if o.loops > 0 {
				printed = append(printed, "loop")
			}
			if !slices.ContainsFunc(printed, func(s string) bool { return strings.Contains(s, x.want) }) {
				t.Errorf("%s, %s: no %q in %q, incomplete: %v", x.name, e.Name, x.want, printed, r.Incomplete)
			}
		}
	}
}

package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// leftPrograms are bodies of functions that leave goroutines, each with the verdict of LeaksWarn.
var leftPrograms = []struct{ body, want string }{
	// The function could have stopped it.
	{`s := start(); <-s.ready`, "warning"},
	{`s := start(); <-s.ready; t := start(); <-t.ready; close(s.stop)`, "warning"},
	{`c := make(chan int); go func() { c <- 1 }(); go func() { c <- 2 }(); <-c`, "fail"}, // one of the two
	{`for range 2 {
		s := start()
		<-s.ready
		var n [2]atomic.Int32
		go func() { n[0].Add(1); n[1].Add(1) }()
		go func() { n[1].Add(1); n[0].Add(1) }()
		go func() { <-s.stop }()
	}`, "warning"},
	// The first goroutine and the second end by the same operation; the second exists in some schedules
	// only.
	{`s := start()
	<-s.ready
	var go2 atomic.Bool
	go func() { if go2.Load() { <-s.stop } }()
	go2.Store(true)`, "warning"},
	{`c := make(chan *server, 1); c <- start(); wait(<-c)`, "warning"}, // an argument of a call
	{`use(start())`, "warning"},                                        // an argument between two steps
	{`if s := start(); s == nil { panic(0) }`, "warning"},
	{`var s server; s.start()`, "warning"},
	{`stop := make(chan chan bool, 1); func() { stop <- start().stop }()`, "warning"},
	{`func() { start() }()`, "fail"},
	// A function that the entry has called left it.
	{`leaky()`, "fail"},
	{`start(); s := start(); <-s.ready; close(s.stop)`, "fail"},
	// In some schedules only.
	{`c, d := make(chan int), make(chan int, 1)
	go func() { c <- 1 }()
	go func() { d <- 1 }()
	select { case <-c: case <-d: }`, "fail"},
	{`s := start()
	ok := make(chan bool, 1)
	go func() { ok <- true }()
	select { case <-ok: close(s.stop); default: }`, "fail"},
	// It waits for a lock.
	{`var mu sync.Mutex; mu.Lock(); done := make(chan bool); go func() { close(done); mu.Lock() }(); <-done`, "fail"},
	{`var wg sync.WaitGroup; wg.Add(1); done := make(chan bool); go func() { close(done); wg.Wait() }(); <-done`, "warning"},
	// In the first program the holder of the lock could have been ended. In the second one two
	// goroutines wait for each other's locks.
	{`c := make(chan bool); hold(c)`, "warning"},
	{`var a, b sync.Mutex; d := make(chan bool, 2); go func() { a.Lock(); d <- true; <-d; b.Lock() }(); go func() { b.Lock(); <-d; d <- true; a.Lock() }()`, "fail"},
	// The entry could have ended one goroutine, which would have ended the other one. In the
	// last program it could end neither.
	{`s := start(); <-s.ready; finish(s)`, "warning"},
	{`finish(start())`, "warning"},
	{`finish(&server{stop: nil})`, "fail"},
	{`for range 2 { go func() { <-jobs }() }`, "warning"}, // any function could have sent
	{`done := make(chan bool, 1); go func() { done <- true; <-jobs }(); select { case <-done: close(jobs); default: }`, "fail"},
	// The search finds the other bugs, too.
	{`s := start(); <-s.ready; x := 0; go func() { x++ }(); x++`, "fail"},
	{`s := start(); <-s.ready; c := make(chan int, 2); go func() { c <- 1 }(); go func() { c <- 2 }(); if <-c == 2 { panic(2) }`, "fail"},
	// Nothing is left.
	{`s := start(); <-s.ready; close(s.stop)`, "ok"},
}

// leftHead comes before these bodies.
const leftHead = `package main

import (
	"sync"
	"sync/atomic"
)

var _ sync.Mutex
var _ atomic.Int32

var jobs = make(chan int)

type server struct{ ready, stop chan bool }

func hold(until chan bool) {
	var mu sync.Mutex
	held := make(chan bool)
	go func() { mu.Lock(); held <- true; <-until; mu.Unlock() }()
	<-held
	go func() { mu.Lock(); mu.Unlock() }()
}

func start() *server {
	s := &server{make(chan bool), make(chan bool)}
	go func() { close(s.ready); <-s.stop }()
	return s
}

func (s *server) start() { *s = *start() }

// finish leaves a goroutine that waits for another one, which waits for s.
func finish(s *server) {
	var wg sync.WaitGroup
	wg.Add(1)
	stop := s.stop
	begun := make(chan bool)
	go func() { close(begun); <-stop; wg.Done() }()
	<-begun
	go wg.Wait()
}

func use(*server) {}

func wait(s *server) { <-s.ready }

func leaky() { c := make(chan int); go func() { c <- 1 }() }

func main() {}
`

// TestLeftBehind: a goroutine that the entry could have stopped, and leaves in every schedule, is a
// warning and does not end the search. Every other one is a bug.
func TestLeftBehind(t *testing.T) {
	src := leftHead
	for i, p := range leftPrograms {
		src += fmt.Sprintf("\nfunc P%d() {\n%s\n}\n", i, p.body)
	}
	prog := vmtest.Load(t, src)
	for i, p := range leftPrograms {
		entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		checkLeft(t, e, bug.Leak, p.want, p.body)
	}
}

// leftParts are blocks of a function. The verdict of each function follows from the definition: its
// goroutines are left in every schedule although the function could end them; or only in some schedules, or
// by another function, or at a lock; or in none.
var leftParts = []struct{ block, want string }{
	{`s := start(); <-s.ready`, "warning"},
	{`start()`, "fail"},
	{`m := map[int]*server{0: start()}; wait(m[0])`, "warning"},
	{`s := start(); go func() { <-s.stop }(); <-s.ready`, "warning"},
	{`s := start(); defer func() { <-s.ready }()`, "warning"},
	{`s := start(); <-s.ready; close(s.stop)`, "ok"},
	{`s := start(); defer close(s.stop)`, "ok"},
	{`s := start(); d := make(chan bool); go func() { close(s.stop); close(d) }(); <-d`, "ok"},
	{`s := start(); <-s.ready; go func() { close(s.stop) }()`, "ok"},
	{`d := make(chan bool); go func() { close(d) }(); <-d`, "ok"},
	{`s := start(); ok := make(chan bool, 1); go func() { ok <- true }(); select { case <-ok: close(s.stop); default: }`, "fail"},
	{`s := start(); var x atomic.Bool; go x.Store(true); <-s.ready; if x.Load() { close(s.stop) }`, "fail"},
	{`leaky()`, "fail"},
	{`var mu sync.Mutex; mu.Lock(); d := make(chan bool); go func() { close(d); mu.Lock() }(); <-d`, "fail"},
}

// TestLeftParts: the leak of a function of several blocks is a bug if it is a bug in any block, and a
// warning if it is a warning in some block and a bug in none.
func TestLeftParts(t *testing.T) {
	type function struct{ body, want string }
	var list []function
	src := leftHead
	for i, seed := range deep.Seeds(t, 20, 300) {
		r := rand.New(rand.NewPCG(46, seed))
		f := function{want: "ok"}
		for k := range 1 + r.IntN(3) {
			x := leftParts[r.IntN(len(leftParts))]
			if k > 0 && x.want == "fail" { // few have only warnings
				x = leftParts[r.IntN(len(leftParts))]
			}
			f.body += fmt.Sprintf("\t{ %s }\n", x.block)
			if x.want == "fail" || f.want == "ok" {
				f.want = x.want
			}
		}
		list = append(list, f)
		src += fmt.Sprintf("\nfunc P%d() {\n%s}\n", i, f.body)
	}
	prog := vmtest.Load(t, src)
	count := make(map[string]int)
	for i, f := range list {
		count[f.want]++
		entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		searches := []Options{
			{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.Parts}, {POR: explorers.With("source")},
			{POR: explorers.With("optimal"), Hybrid: oracle.Parts}, {POR: explorers.With("optimal"), Jobs: 2}, {POR: explorers.With("full"), Match: true},
		}
		for k := range deep.Pick(1, len(searches)) {
			k = (i + k) % len(searches)
			opts := searches[k]
			opts.Leaks = LeaksWarn
			r, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			got := string(r.Verdict)
			for _, b := range r.Bugs {
				if b.Always && b.Kind == bug.Leak && b.Warning && r.Verdict == OK {
					got = "warning"
				}
			}
			if got != f.want {
				t.Errorf("search %d: %s, want %s:\n%s", k, got, f.want, f.body)
			}
		}
	}
	if len(count) < 3 {
		t.Errorf("%v: they say too little", count)
	}
}

// leftLoops are bodies of functions that leave goroutines which loop, each with the verdict of LeaksWarn.
var leftLoops = []struct{ body, want string }{
	{`var stop atomic.Bool; go spin(&stop)`, "warning"},
	{`var stop atomic.Bool; for range 2 { go spin(&stop) }`, "warning"},
	{`go spin(&global)`, "warning"}, // any function could end it
	{`var stop atomic.Bool; go spin(&stop); stop.Store(true)`, "ok"},
	{`var stop atomic.Bool; go spin(&stop); s := start(); <-s.ready`, "warning"},
	{`spinning()`, "fail"},
	{`var stop atomic.Bool; go spin(&stop); spinning()`, "fail"},
	{`go func() { for {} }()`, "fail"}, // nothing could end it
	{`var stop, some atomic.Bool; go spin(&stop); go some.Store(true); if some.Load() { stop.Store(true) }`, "fail"},
	{`var stop, other, some atomic.Bool; go spin(&stop); go spin(&other); go some.Store(true); if some.Load() { stop.Store(true) }`, "fail"},
	{`var stop atomic.Bool; go spin(&stop); x := 0; go func() { x++ }(); x++`, "fail"},
	{`var stop, done atomic.Bool; go func() { spin(&stop); done.Store(true) }(); for !done.Load() {}`, "fail"}, // main waits for it
}

// TestLeftLoops is TestLeftBehind for goroutines that loop.
func TestLeftLoops(t *testing.T) {
	src := leftHead + `
var global atomic.Bool

func spin(stop *atomic.Bool) { for !stop.Load() {} }

func spinning() { var stop atomic.Bool; go spin(&stop) }
`
	for i, p := range leftLoops {
		src += fmt.Sprintf("\nfunc P%d() {\n%s\n}\n", i, p.body)
	}
	prog := vmtest.Load(t, src)
	for i, p := range leftLoops {
		entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		checkLeft(t, e, bug.Livelock, p.want, p.body)
	}
}

// TestLeftTogether: the exploration restarts once for all goroutines that are left at the end of an
// execution, and reports only one error if one of them does not stay.
func TestLeftTogether(t *testing.T) {
	prog := vmtest.Load(t, leftHead+`
func P() {
	a, b, c := make(chan int), make(chan int), make(chan int)
	go func() { <-a }()
	go func() { <-b }()
	go func() { <-c }()
}

func Q() {
	a, b := make(chan int), make(chan int)
	go func() { <-a }()
	leaky()
	go func() { <-b }()
}
`)
	for _, tt := range []struct {
		name               string
		verdict            Verdict
		errors, warns, new int
	}{{"P", OK, 0, 3, 2}, {"Q", Fail, 1, 0, 1}} {
		entry, err := prog.Lookup(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		machines := 0
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			machines++
			return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		r, err := Run(context.Background(), e, Options{POR: explorers.With("optimal"), Leaks: LeaksWarn})
		if err != nil {
			t.Fatal(err)
		}
		errors, warns := 0, 0
		for _, b := range r.Bugs {
			if b.Warning {
				warns++
			} else {
				errors++
			}
		}
		if r.Verdict != tt.verdict || errors != tt.errors || warns != tt.warns || machines != tt.new {
			t.Errorf("%s: %s, %d errors, %d warnings, %d machines; want %+v", tt.name, r.Verdict, errors, warns, machines, tt)
		}
	}
}

// TestLeftInTime: a leak is not an error if there is no time to determine who could have stopped the
// goroutine.
func TestLeftInTime(t *testing.T) {
	prog := vmtest.Load(t, leftHead+"func P() { start() }\nfunc Q() { s := start(); <-s.ready }\n")
	for _, name := range []string{"P", "Q"} {
		entry, err := prog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		ctx, cancel := context.WithCancel(t.Context())
		s, err := prepare(ctx, e, Options{POR: explorers.With("source"), Leaks: LeaksWarn})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.finish(s.search()); err != nil || len(s.result.Bugs) != 1 {
			t.Fatalf("%v %v", err, s.result.Bugs)
		}
		b := s.result.Bugs[0]
		b.Noted.Stays = true
		if s.judgeLeft(b); b.Noted.Stays != (name == "Q") {
			t.Errorf("%s: it stays: %v", name, b.Noted.Stays)
		}
		b.Noted.Stays = true
		cancel()
		s.limit.late = time.Now().Add(-1)
		if s.judgeLeft(b); !b.Noted.Stays {
			t.Errorf("%s: without time it is an error", name)
		}
	}
}

// TestLeftDoubted: a goroutine that a function leaves because two clock reads are alike is doubted.
// The search does not begin to read the clock in all ways because of a goroutine that may stay.
func TestLeftDoubted(t *testing.T) {
	const head = "package main\n\nimport (\n\t\"strconv\"\n\t\"time\"\n)\n\n" +
		"func text() string { return strconv.FormatInt(time.Now().UnixNano(), 10) }\n\nfunc alike() bool { return text() == text() }\n\n" +
		"func leave(always bool) {\n\tc := make(chan int)\n\tgo func() { <-c }()\n\tif !alike() && !always {\n\t\tclose(c)\n\t}\n}\n"
	prog := vmtest.Load(t, head+`
func Alike()   { leave(false) }
func Function() { leave(true) }
func Entry() {
	c := make(chan int)
	go func() { <-c }()
	if alike() {
		println()
	}
}
func main() {}
`)
	for name, want := range map[string]string{"Alike": "ok looks", "Function": "fail looks", "Entry": "ok warning"} {
		entry, err := prog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, Slack: 500_000, Interrupt: interrupted})
		}}
		for i, opts := range []Options{{Portfolio: portfolioOf(true)}, {POR: explorers.With("optimal")}, {POR: explorers.With("jpf"), Match: true}} {
			opts.Leaks = LeaksWarn
			r, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			got := "ok" // assuming clock values
			if r.Verdict == Fail {
				got = "fail"
			}
			if r.Refinement.VisibleArming {
				got += " looks"
			}
			for _, b := range r.Bugs {
				if b.Warning {
					got += " warning"
				}
			}
			if got != want {
				t.Errorf("%s, options %d: %s, want %s", name, i, got, want)
			}
		}
	}
}

// TestLeftLate: if time is up before an execution of the second exploration has ended, the executions of
// the first one count, and their leaks are warnings.
func TestLeftLate(t *testing.T) {
	prog := vmtest.Load(t, leftHead+"\nfunc P() {\ns := start(); <-s.ready\n}\n")
	entry, err := prog.Lookup("P")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	begun := 0
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		if begun++; begun == 2 {
			cancel(errors.New("enough"))
		}
		return describe.NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
	}}
	r, err := Run(ctx, e, Options{POR: explorers.With("optimal"), Leaks: LeaksWarn})
	if err != nil || begun < 2 || r.Verdict != Incomplete || r.Ended() == 0 || len(r.Bugs) != 1 || !r.Bugs[0].Always || !r.Bugs[0].Warning {
		t.Errorf("%v, begun %d times: %+v", err, begun, r)
	}
}

// checkLeft explores e with several explorers, and the portfolio with each rule. want is "ok", "fail", or
// "warning": a bug of that kind that every execution leaves, and no other.
func checkLeft(t *testing.T, e Entry, kind bug.Kind, want, body string) {
	t.Helper()
	for k, opts := range []Options{
		{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.Parts}, {POR: explorers.With("source")},
		{POR: explorers.With("optimal"), Hybrid: oracle.Parts}, {POR: explorers.With("optimal"), Jobs: 2},
		{POR: explorers.With("jpf"), Match: true, Jobs: 2}, {POR: explorers.With("full"), Match: true, All: kind == bug.Leak},
	} {
		for _, rule := range []LeakRule{LeaksWarn, LeaksOff, LeaksAreErrors} {
			if rule != LeaksWarn && k > 0 {
				continue
			}
			opts.Leaks = rule
			r, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			got := string(r.Verdict)
			for _, b := range r.Bugs {
				if b.Always && b.Kind == kind && b.Warning && r.Verdict == OK {
					got = "warning"
				}
			}
			want := want
			if want == "warning" {
				want = map[LeakRule]string{LeaksWarn: "warning", LeaksOff: "ok", LeaksAreErrors: "fail"}[rule]
			}
			if got != want {
				t.Errorf("options %d, rule %d: %s, want %s:\n%s", k, rule, got, want, body)
			}
		}
	}
}

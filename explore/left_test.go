package explore

import (
	"context"
	"fmt"
	"testing"

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
	// What ends the first one ends the second one, which is there in some schedules only.
	{`s := start()
	<-s.ready
	var go2 atomic.Bool
	go func() { if go2.Load() { <-s.stop } }()
	go2.Store(true)`, "warning"},
	{`c := make(chan *server, 1); c <- start(); wait(<-c)`, "warning"}, // an argument of a call
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
	// The search finds the other bugs, too.
	{`s := start(); <-s.ready; x := 0; go func() { x++ }(); x++`, "fail"},
	{`s := start(); <-s.ready; c := make(chan int, 2); go func() { c <- 1 }(); go func() { c <- 2 }(); if <-c == 2 { panic(2) }`, "fail"},
	// Nothing is left.
	{`s := start(); <-s.ready; close(s.stop)`, "ok"},
}

// TestLeftBehind: a goroutine that the entry could have stopped, and leaves in every schedule, is a
// warning and does not end the search. Every other one is a bug.
func TestLeftBehind(t *testing.T) {
	src := `package main

import (
	"sync"
	"sync/atomic"
)

var _ sync.Mutex
var _ atomic.Int32

type server struct{ ready, stop chan bool }

func start() *server {
	s := &server{make(chan bool), make(chan bool)}
	go func() { close(s.ready); <-s.stop }()
	return s
}

func wait(s *server) { <-s.ready }

func leaky() { c := make(chan int); go func() { c <- 1 }() }

func main() {}
`
	for i, p := range leftPrograms {
		src += fmt.Sprintf("\nfunc P%d() {\n%s\n}\n", i, p.body)
	}
	prog := vmtest.Load(t, src)
	for i, p := range leftPrograms {
		entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (Machine, error) {
			return NewMachine(prog, entry, vm.Config{Races: true, Interrupt: interrupted})
		}}
		for k, opts := range []Options{
			{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.Parts}, {POR: explorers.With("source")},
			{POR: explorers.With("optimal"), Hybrid: oracle.Parts}, {POR: explorers.With("optimal"), Jobs: 2}, {POR: explorers.With("jpf"), Match: true, Jobs: 2}, {POR: explorers.With("full"), Match: true, All: true},
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
					if b.Always && b.Kind == Leak && b.Warning && r.Verdict == OK {
						got = "warning"
					}
				}
				want := p.want
				if want == "warning" {
					want = map[LeakRule]string{LeaksWarn: "warning", LeaksOff: "ok", LeaksAreErrors: "fail"}[rule]
				}
				if got != want {
					t.Errorf("options %d, rule %d: %s, want %s:\n%s", k, rule, got, want, p.body)
				}
			}
		}
	}
}

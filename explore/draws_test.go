package explore

import (
	"context"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestRaise: the first search has many short executions, and then some longer than its bound.
// Executions drawn at random show that they are finite, and raise the bound.
func TestRaise(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync/atomic"
func main() {
	var a, first atomic.Int32
	done := make(chan bool, 4)
	go func() { first.CompareAndSwap(0, 2); done <- true }()
	for i := range int32(3) { go func() { for range 2 { a.Store(i) }; done <- true }() }
	first.CompareAndSwap(0, 1)
	for range 4 { <-done }
	if first.Load() == 2 { for range 100 { a.Add(1) } }
}`)
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	for _, raise := range []bool{false, true} {
		first := Options{POR: explorers.With("optimal"), MaxSteps: 60, StopTruncated: true, RaiseSteps: raise}
		sample := Options{POR: explorers.With("random"), MaxExecs: 20, MaxSteps: 10_000}
		r, err := Run(context.Background(), e, Options{Portfolio: &Portfolio{Searches: []Options{first}, Samples: []Options{sample}}})
		if err != nil {
			t.Fatal(err)
		}
		if (r.Verdict == OK) != raise || r.Stats.MaxDepth < 60 {
			t.Errorf("bound raised: %v; %s %v, %d executions, depth %d", raise, r.Verdict, r.Incomplete, r.Stats.Executions, r.Stats.MaxDepth)
		}
		t.Log(r.Verdict, r.Stats.Executions, r.Stats.Transitions, r.Sampled, r.Work)
	}
}

package explore

import (
	"context"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestWaypoints: the moment at which a goroutine starts its timer makes no difference to a long run
// of another goroutine. In searches with states, each possible moment costs only a part of the run,
// not all the rest of it. Without states, a search does not repeat the reversal of the same two
// steps again and again.
func TestWaypoints(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("sync"; "time")
type cache struct { mu sync.Mutex; every time.Duration; done chan struct{}; n int }
func main() {
	c := &cache{every: time.Hour, done: make(chan struct{})}
	go func() {
		t := time.NewTicker(c.every)
		defer t.Stop()
		for {
			select {
			case <-c.done: return
			case <-t.C: c.mu.Lock(); c.n--; c.mu.Unlock()
			}
		}
	}()
	for range 1000 { c.mu.Lock(); c.n++; c.mu.Unlock() }
	close(c.done)
}`)
	for _, name := range []string{"jpf", "source"} {
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Interrupt: interrupted})
		}}
		r, err := Run(context.Background(), e, Options{POR: explorers.With(name), Match: name == "jpf", All: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Incomplete) > 0 || len(r.Bugs) > 0 {
			t.Errorf("%s: %s, %v", name, r.Verdict, r.Incomplete)
		}
		if name == "jpf" && (r.Stats.Transitions > 1_000_000 || r.Stats.Choices < 2000) {
			t.Errorf("%d steps, %d choices", r.Stats.Transitions, r.Stats.Choices)
		}
		t.Logf("%s: %+v", name, r.Stats)
	}
}

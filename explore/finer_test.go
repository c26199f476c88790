package explore

import (
	"context"
	"errors"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestFiner: with Options.All, a bug found before the search has to begin again with a finer
// machine does not end the search. It finds the race after the loop, too.
func TestFiner(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("sync"; "time")
func main() {
	p, q := 0, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		p++
		q++
	})
	p++
	for end := time.Now().Add(time.Millisecond); time.Now().Before(end); { p++ }
	q++
	wg.Wait()
}`)
	for _, auto := range []bool{false, true} {
		opts := Options{POR: portfolioOf(true).Searches[0].POR, All: true}
		if auto {
			opts.Portfolio = portfolioOf(true)
			for i := range opts.Portfolio.Searches {
				opts.Portfolio.Searches[i].All = true
			}
		}
		r, err := Run(context.Background(), Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
		}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		lines := make(map[int]bool)
		for _, b := range r.Bugs {
			lines[b.Pos.Line] = true
		}
		if r.FirstOnly || !lines[7] || !lines[8] {
			t.Errorf("portfolio %v: first only %v, races in lines %v, want 7 and 8", auto, r.FirstOnly, lines)
		}
	}
}

// refining is a machine that needs refining each time.
type refining struct {
	describe.Machine
	again func() (describe.Machine, error)
}

func (r refining) NeedsRefining() bool { return true }

func (r refining) With(func(*vm.Config), func() bool) (describe.Machine, error) { return r.again() }

// TestRefiningEnds: a search that begins again and again, before its first step, ends when it is
// interrupted, and when its time is up.
func TestRefiningEnds(t *testing.T) {
	prog := vmtest.Load(t, "package main\nfunc main() { go func() {}() }")
	for _, timeout := range []time.Duration{0, 1} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		made := 0
		var machine func() (describe.Machine, error)
		machine = func() (describe.Machine, error) {
			if made++; made == 5 && timeout == 0 {
				cancel()
			}
			if made > 100 {
				return nil, errors.New("made too often")
			}
			m, err := describe.NewMachine(prog, prog.Entries[0], vm.Config{})
			return refining{m, machine}, err
		}
		r, err := Run(ctx, Entry{Name: "main", New: func(func() bool) (describe.Machine, error) { return machine() }},
			Options{POR: explorers.With("full"), Timeout: timeout})
		if err != nil || !r.stopped() || r.Verdict != Incomplete {
			t.Errorf("timeout %v: %+v, %v after %d machines", timeout, r, err, made)
		}
	}
}

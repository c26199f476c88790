package explore

import (
	"context"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
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
		r, err := Run(context.Background(), Entry{Name: "main", New: func(interrupted func() bool) (Machine, error) {
			return NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
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

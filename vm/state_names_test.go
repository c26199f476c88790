package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

const namedSource = `package main

import "sync"

func main() {}

// Each counts its jobs, and notes the number of another one.
func pool(note func(id int)) {
	jobs, done := make(chan int), map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for id := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range jobs {
				mu.Lock()
				done[id]++
				note(id)
				mu.Unlock()
			}
		}()
	}
	for i := range 4 {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

func Named() { pool(func(int) {}) }

func Compared() {
	last := -1
	pool(func(id int) { last = max(last, id) })
}

func Few() {
	for id := range 2 {
		go func() {
			var mu sync.Mutex
			mu.Lock()
			_ = map[int]int{id: 1}
		}()
	}
}
`

// TestNames: a search that meets many states of goroutines with numbers begins again with names, and has fewer
// states. If the numbers are compared, it begins again without.
func TestNames(t *testing.T) {
	prog := vmtest.Load(t, namedSource)
	for _, tt := range []struct {
		name     string
		searches int
		fewer    bool
	}{{"Named", 2, true}, {"Compared", 3, false}, {"Few", 1, false}} {
		entry, err := prog.Lookup(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(prog, entry, vm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var states []uint64
		for range 10 {
			r := stateful.Full(m, &endings{m, map[string]bool{}}, por.Config{Match: true, Symmetry: true})
			states = append(states, r.States)
			if !m.Environment().NeedsRefining() {
				break
			}
			if m, err = m.With(m.Refined().Refine, nil); err != nil {
				t.Fatal(err)
			}
		}
		last := states[len(states)-1]
		t.Logf("%s: %d states", tt.name, states)
		if len(states) != tt.searches || (last*4 < states[0]) != tt.fewer {
			t.Errorf("%s: searches with %d states, want %d searches, fewer states: %v", tt.name, states, tt.searches, tt.fewer)
		}
		if n := len(m.Environment().Assumed()); n > 0 {
			t.Errorf("%s: %d assumptions", tt.name, n)
		}
	}
}

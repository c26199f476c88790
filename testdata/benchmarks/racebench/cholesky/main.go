// Factorization of a sparse matrix: a column goes to the queue of tasks when all columns that modify it are done
// (splash2/cholesky of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, columns = 4, 7

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"start", 4}, {"modify", 3}, {"column", 4}},
		Pattern: harness.WAW, Parts: []string{"completed", "take", "completed"}, Locked: []int{2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"start", 4}, {"column", 4}, {"modify", 5}},
		Pattern: harness.RWA, Parts: []string{"done", "modified", "done"},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"modified", 5}, {"completed", 5}},
			Pattern: harness.RWA, Parts: []string{"modify", "take", "modify"},
		},
	},
)

// modifies has, for each column, the later columns that it modifies.
var modifies = [columns][]int{0: {3}, 1: {3, 4}, 2: {4}, 3: {5}, 4: {5, 6}, 5: {6}}

type factorization struct {
	mu      sync.Mutex
	more    *sync.Cond
	tasks   []int
	left    int // columns that are not done
	missing [columns]int
	locks   [columns]sync.Mutex
	sums    [columns]int
}

// take returns a column that can be done, or false after the last one.
func (f *factorization) take() (int, bool) {
	bug.At("take")
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.tasks) == 0 && f.left > 0 {
		f.more.Wait()
	}
	if len(f.tasks) == 0 {
		return 0, false
	}
	c := f.tasks[0]
	f.tasks = f.tasks[1:]
	return c, true
}

// modified counts a modification of a column.
func (f *factorization) modified(c int) {
	bug.At("modified")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missing[c]--; f.missing[c] == 0 {
		bug.At("ready")
		f.tasks = append(f.tasks, c)
		f.more.Signal()
	}
}

func (f *factorization) done() {
	bug.At("done")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left == 0 {
		bug.At("last")
		f.more.Broadcast()
	}
}

func (f *factorization) work() {
	bug.At("start")
	for {
		c, ok := f.take()
		if !ok {
			break
		}
		bug.At("column")
		f.locks[c].Lock()
		f.sums[c]++
		own := f.sums[c]
		f.locks[c].Unlock()
		bug.At("completed")
		for _, d := range modifies[c] {
			bug.At("modify")
			f.locks[d].Lock()
			f.sums[d] += own
			f.locks[d].Unlock()
			f.modified(d)
		}
		f.done()
	}
	bug.At("end")
}

func main() {
	f := &factorization{left: columns}
	f.more = sync.NewCond(&f.mu)
	for _, list := range modifies {
		for _, d := range list {
			f.missing[d]++
		}
	}
	for c, n := range f.missing {
		if n == 0 {
			f.tasks = append(f.tasks, c)
		}
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(f.work)
	}
	wg.Wait()
}

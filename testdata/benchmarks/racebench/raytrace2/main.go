// Rays in bundles of pixels: each goroutine has a pool of bundles, and takes from the others' when its own is empty
// (splash2/raytrace of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, bundles = 3, 3 // bundles of each goroutine

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"background", 4}, {"get", 10}},
		Pattern: harness.RWA, Parts: []string{"empty", "hit", "empty"},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"identity", 3}},
		Pattern: harness.WAW, Parts: []string{"start", "start", "start"}, Locked: []int{1, 2},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"ray", 3}, {"hit", 2}},
			Pattern: harness.NoWait, Parts: []string{"get", "allocated"}, Locked: []int{0, 1},
		},
	},
)

type pool struct {
	mu   sync.Mutex
	jobs []int
}

type tracer struct {
	pools [goroutines]pool
	ids   struct {
		sync.Mutex
		last int
	}
	memory struct {
		sync.Mutex
		used int
	}
}

func (t *tracer) identity() int {
	bug.At("identity")
	t.ids.Lock()
	defer t.ids.Unlock()
	t.ids.last++
	return t.ids.last - 1
}

func (t *tracer) get(pool int) (job int, ok bool) {
	bug.At("get")
	p := &t.pools[pool]
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.jobs) == 0 {
		bug.At("empty")
		return 0, false
	}
	job = p.jobs[0]
	p.jobs = p.jobs[1:]
	return job, true
}

func (t *tracer) allocate(n int) {
	bug.At("allocate")
	t.memory.Lock()
	t.memory.used += n
	t.memory.Unlock()
	bug.At("allocated")
}

func (t *tracer) trace(job int) {
	bug.At("ray")
	if job%2 == 0 {
		bug.At("hit")
		t.allocate(job)
		bug.At("shade")
		return
	}
	bug.At("background")
}

func (t *tracer) work() {
	me := t.identity()
	bug.At("start")
	for i := range goroutines {
		pool := (me + i) % goroutines
		bug.At("pool")
		for {
			job, ok := t.get(pool)
			if !ok {
				break
			}
			t.trace(job)
		}
	}
	bug.At("end")
}

func main() {
	t := &tracer{}
	for i := range t.pools {
		for j := range bundles {
			t.pools[i].jobs = append(t.pools[i].jobs, i*bundles+j)
		}
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(t.work)
	}
	wg.Wait()
}

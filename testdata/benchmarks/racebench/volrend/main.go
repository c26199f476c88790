// An image of a volume: goroutines compute opacities, meet, and cast rays for blocks of the image; who is done
// with its own blocks takes others' (splash2/volrend of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, blocks, slices = 3, 3, 6 // blocks of each goroutine; slices of the volume

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"opacity", 3}, {"render", 3}},
		Pattern: harness.WWA, Parts: []string{"ray", "queue", "ray"}, Locked: []int{0},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"start", 3}, {"opacity", 3}, {"pixel", 3}},
		Pattern: harness.RWA, Parts: []string{"ray", "opaque", "ray"},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"opaque", 9}, {"pixel", 9}},
			Pattern: harness.RWA, Parts: []string{"queue", "queue", "queue"},
		},
	},
)

type queue struct {
	mu   sync.Mutex
	next int
}

type volume struct {
	meet      *harness.Barrier
	opacities [slices]int
	queues    [goroutines]queue
	counters  struct {
		sync.Mutex
		index, done int
	}
}

func (v *volume) opacity(me int) {
	bug.At("opacity")
	for z := me * slices / goroutines; z < (me+1)*slices/goroutines; z++ {
		v.opacities[z] = z * 10
		bug.At("gradient")
	}
	bug.At("classified")
	v.meet.Wait()
}

func (v *volume) cast(block int) {
	bug.At("ray")
	sum := 0
	for z := range slices {
		if sum += v.opacities[z]; sum > 20+block {
			bug.At("opaque")
			return
		}
	}
	bug.At("through")
}

func (v *volume) render(me int) {
	bug.At("render")
	for i := range goroutines {
		q := &v.queues[(me+i)%goroutines]
		for {
			bug.At("queue")
			q.mu.Lock()
			block := q.next
			q.next++
			q.mu.Unlock()
			if block >= blocks {
				break
			}
			v.cast(block)
			bug.At("pixel")
		}
		bug.At("other")
	}
}

func (v *volume) work() {
	v.counters.Lock()
	me := v.counters.index
	v.counters.index++
	v.counters.Unlock()
	bug.At("start")
	v.opacity(me)
	v.render(me)
	v.counters.Lock()
	v.counters.done++
	v.counters.Unlock()
	bug.At("end")
}

func main() {
	v := &volume{meet: harness.NewBarrier(goroutines)}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(v.work)
	}
	wg.Wait()
}

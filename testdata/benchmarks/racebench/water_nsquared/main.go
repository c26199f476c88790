// Forces between all pairs of molecules. Each molecule has a lock, the sums have another, and all goroutines meet
// after each phase of a step (splash2/water-nsquared of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, molecules, steps = 3, 6, 1

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"predict", 3}},
		Pattern: harness.RWA, Parts: []string{"predicted", "predicted", "predicted"},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"corrected", 6}},
			Pattern: harness.WWA, Parts: []string{"end", "step", "end"}, Locked: []int{0, 1},
		},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"predict", 3}, {"predicted", 6}, {"forces", 3}},
		Pattern: harness.Disorder, Parts: []string{"force", "lock", "lock"}, Locked: []int{1, 2},
	},
)

type molecule struct {
	mu       sync.Mutex
	position int
	force    int
}

type water struct {
	molecules [molecules]molecule
	meet      *harness.Barrier
	sums      struct {
		sync.Mutex
		potential, kinetic int
	}
}

func (w *water) add(i, force int) {
	bug.At("lock")
	m := &w.molecules[i]
	m.mu.Lock()
	m.force += force
	bug.At("force")
	m.mu.Unlock()
}

func (w *water) sum(potential, kinetic int) {
	bug.At("sum")
	w.sums.Lock()
	w.sums.potential += potential
	w.sums.kinetic += kinetic
	w.sums.Unlock()
	bug.At("summed")
}

func (w *water) step(from, to int) {
	bug.At("predict")
	for i := from; i < to; i++ {
		w.molecules[i].position += w.molecules[i].force
		bug.At("predicted")
	}
	w.meet.Wait()
	bug.At("forces")
	potential := 0
	for i := from; i < to; i++ {
		j := (i + molecules/2) % molecules
		d := w.molecules[i].position - w.molecules[j].position
		bug.At("pair")
		w.add(i, d)
		w.add(j, -d)
		potential += d * d
	}
	w.sum(potential, 0)
	w.meet.Wait()
	bug.At("correct")
	kinetic := 0
	for i := from; i < to; i++ {
		kinetic += w.molecules[i].force
		bug.At("corrected")
	}
	w.sum(0, kinetic)
	w.meet.Wait()
}

func main() {
	w := &water{meet: harness.NewBarrier(goroutines)}
	for i := range w.molecules {
		w.molecules[i].position = i * i
	}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() {
			bug.At("start")
			for range steps {
				w.step(me*molecules/goroutines, (me+1)*molecules/goroutines)
				bug.At("step")
			}
			bug.At("end")
		})
	}
	wg.Wait()
}

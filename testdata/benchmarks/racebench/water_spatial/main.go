// Molecules in boxes: a molecule that leaves its box goes to the list of another one, which has a lock, and forces
// are computed from the boxes beside it (splash2/water-spatial of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, boxes, steps = 3, 6, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"start", 3}, {"moved", 6}, {"box", 6}},
		Pattern: harness.RWA, Parts: []string{"leave", "stay", "leave"}, Locked: []int{0, 2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"step", 3}, {"leave", 8}, {"moved", 7}},
		Pattern: harness.WWA, Parts: []string{"list", "enter", "list"}, Locked: []int{0},
	},
)

type box struct {
	mu        sync.Mutex
	molecules []int // their speeds
}

type water struct {
	boxes  [boxes]box
	meet   *harness.Barrier
	energy struct {
		sync.Mutex
		sum int
	}
}

// move moves the fast molecules of a box to the next one.
func (w *water) move(i int) {
	bug.At("box")
	b := &w.boxes[i]
	b.mu.Lock()
	var stay, leave []int
	for _, speed := range b.molecules {
		if (speed+i)%2 == 0 {
			leave = append(leave, speed)
		} else {
			stay = append(stay, speed)
		}
	}
	b.molecules = stay
	bug.At("stay")
	b.mu.Unlock()
	for _, speed := range leave {
		bug.At("leave")
		next := &w.boxes[(i+1)%boxes]
		next.mu.Lock()
		next.molecules = append(next.molecules, speed)
		bug.At("enter")
		next.mu.Unlock()
		bug.At("moved")
	}
}

func (w *water) count(i int) int {
	bug.At("count")
	b := &w.boxes[i]
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.molecules)
}

func (w *water) step(from, to int) {
	bug.At("step")
	for i := from; i < to; i++ {
		w.move(i)
	}
	bug.At("list")
	w.meet.Wait()
	sum := 0
	for i := from; i < to; i++ {
		sum += w.count(i) * w.count((i+1)%boxes)
		bug.At("forces")
	}
	bug.At("sum")
	w.energy.Lock()
	w.energy.sum += sum
	bug.At("energy")
	w.energy.Unlock()
	w.meet.Wait()
}

func main() {
	w := &water{meet: harness.NewBarrier(goroutines)}
	for i := range w.boxes {
		w.boxes[i].molecules = []int{i, 2 * i}
	}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() {
			bug.At("start")
			for range steps {
				w.step(me*boxes/goroutines, (me+1)*boxes/goroutines)
			}
			bug.At("end")
		})
	}
	wg.Wait()
}

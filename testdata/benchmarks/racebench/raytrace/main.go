// Frames of tiles, which goroutines take from a common counter; they meet after each frame, and the first one
// moves the camera (parsec/raytrace of RaceBench).
package main

import (
	"sync"
	"sync/atomic"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, tiles, frames = 3, 5, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"shade", 8}, {"hit", 5}, {"pixel", 8}},
		Pattern: harness.RWA, Parts: []string{"traverse", "rendered", "traverse"},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"traverse", 8}, {"shade", 8}, {"pixel", 8}},
		Pattern: harness.RWA, Parts: []string{"tile", "rendered", "tile"}, Locked: []int{0, 1},
	},
)

type scene struct {
	next   atomic.Int32
	camera atomic.Int32
	frame  *harness.Barrier
	pixels [tiles]atomic.Int32
}

func (s *scene) intersect(ray int32) int32 {
	bug.At("traverse")
	if ray%3 == 0 {
		bug.At("miss")
		return 0
	}
	bug.At("hit")
	return ray * ray
}

func (s *scene) render() {
	for {
		tile := s.next.Add(1) - 1
		if tile >= tiles {
			return
		}
		bug.At("tile")
		color := s.intersect(tile + s.camera.Load())
		bug.At("shade")
		s.pixels[tile].Store(color)
		bug.At("pixel")
	}
}

func (s *scene) work(me int) {
	bug.At("start")
	for range frames {
		bug.At("frame")
		s.render()
		bug.At("rendered")
		s.frame.Wait()
		if me == 0 {
			bug.At("move")
			s.camera.Add(1)
			s.next.Store(0)
		}
		s.frame.Wait()
	}
	bug.At("end")
}

func main() {
	s := &scene{frame: harness.NewBarrier(goroutines)}
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() { s.work(me) })
	}
	wg.Wait()
}

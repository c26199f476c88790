// Search for similar images, in a pipeline: load, segment, extract, rank, output (parsec/ferret of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const images, workers = 3, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"load", 3}, {"loaded", 3}, {"regions", 2}},
		Pattern: harness.Disorder, Parts: []string{"segment", "extract", "segment"}, Locked: []int{2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"segment", 3}, {"extract", 2}},
		Pattern: harness.WWA, Parts: []string{"query", "loaded", "query"}, Locked: []int{0},
	},
)

// stage starts workers that pass on what they receive.
func stage(in <-chan int, do func(int) int) <-chan int {
	out := make(chan int, 1)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range in {
				out <- do(i)
			}
		})
	}
	go func() {
		wg.Wait()
		bug.At("stage")
		close(out)
	}()
	return out
}

func load() <-chan int {
	out := make(chan int, 1)
	go func() {
		for i := range images {
			bug.At("load")
			out <- i
			bug.At("loaded")
		}
		close(out)
	}()
	return out
}

func segment(i int) int {
	bug.At("segment")
	i *= 2
	bug.At("regions")
	return i
}

func extract(i int) int {
	bug.At("extract")
	i += 3
	bug.At("features")
	return i
}

type index struct {
	mu    sync.RWMutex
	count int
}

func (x *index) rank(i int) int {
	bug.At("query")
	x.mu.RLock()
	n := x.count
	x.mu.RUnlock()
	bug.At("rank")
	return i + n
}

func main() {
	x := &index{count: 5}
	for range stage(stage(stage(load(), segment), extract), x.rank) {
		bug.At("output")
	}
	bug.At("end")
}

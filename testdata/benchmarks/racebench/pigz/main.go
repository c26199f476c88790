// Compression of blocks: the first goroutine reads them, two compress, and one writes them in their order; each
// waits for a number that others change (pigz of RaceBench).
package main

import (
	"slices"
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const blocks, compressors = 4, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"compressor", 2}, {"possess", 4}, {"take", 3}},
		Pattern: harness.Disorder, Parts: []string{"twist", "compress", "twist"}, Locked: []int{0, 2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"read", 4}, {"compressor", 2}, {"take", 4}},
		Pattern: harness.WAW, Parts: []string{"combine", "twist", "combine"}, Locked: []int{2},
	},
)

// A list is what waits for goroutines, with the lock that they need.
type list struct {
	mu    sync.Mutex
	more  *sync.Cond
	jobs  []job
	ended bool
}

type job struct{ number, sum int }

func newList() *list {
	l := &list{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *list) put(j job) {
	bug.At("possess")
	l.mu.Lock()
	l.jobs = append(l.jobs, j)
	bug.At("twist")
	l.more.Broadcast()
	l.mu.Unlock()
}

func (l *list) end() {
	l.mu.Lock()
	l.ended = true
	bug.At("finish")
	l.more.Broadcast()
	l.mu.Unlock()
}

// take waits for a job that is wanted; or returns false at the end.
func (l *list) take(wanted func(job) bool) (job, bool) {
	bug.At("take")
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if i := slices.IndexFunc(l.jobs, wanted); i >= 0 {
			bug.At("release")
			j := l.jobs[i]
			l.jobs = slices.Delete(l.jobs, i, i+1)
			return j, true
		}
		if l.ended {
			return job{}, false
		}
		l.more.Wait()
	}
}

func compress(from, to *list) {
	bug.At("compressor")
	for {
		j, ok := from.take(func(job) bool { return true })
		if !ok {
			break
		}
		bug.At("compress")
		j.sum += 1 + j.number
		bug.At("check")
		to.put(j)
	}
	bug.At("compressed")
}

func write(from *list) {
	bug.At("header")
	total := 0
	for next := range blocks {
		j, _ := from.take(func(j job) bool { return j.number == next })
		bug.At("write")
		total += j.sum
		bug.At("combine")
	}
	bug.At("trailer")
}

func main() {
	read, compressed := newList(), newList()
	var wg sync.WaitGroup
	for range compressors {
		wg.Go(func() { compress(read, compressed) })
	}
	wg.Go(func() { write(compressed) })
	for i := range blocks {
		bug.At("read")
		read.put(job{number: i})
	}
	read.end()
	wg.Wait()
}

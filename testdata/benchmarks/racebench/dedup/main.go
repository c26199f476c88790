// A pipeline that drops duplicate chunks, with two goroutines for each inner stage; the last stage puts the
// chunks in order (parsec/dedup of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"fragment", 6}, {"compress", 3}},
		Pattern: harness.RWA, Parts: []string{"insert", "write", "insert"}, Locked: []int{2},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"insert", 6}, {"unique", 4}, {"lookup", 6}},
		Pattern: harness.WAW, Parts: []string{"through", "write", "through"}, Locked: []int{2},
		Then: &harness.Bug{
			Path:    []harness.Pass{{"compressed", 4}, {"write", 4}},
			Pattern: harness.WWA, Parts: []string{"through", "through", "through"}, Locked: []int{0},
		},
	},
)

type chunk struct {
	number, text int
	double       bool
}

type table struct {
	mu   sync.Mutex
	seen map[int]bool
}

func (t *table) add(text int) (double bool) {
	bug.At("lookup")
	t.mu.Lock()
	defer t.mu.Unlock()
	double = t.seen[text]
	bug.At("insert")
	t.seen[text] = true
	return double
}

func fragment(out chan<- chunk) {
	for i, text := range []int{7, 3, 7, 5, 3, 9} {
		bug.At("fragment")
		out <- chunk{number: i, text: text}
	}
	bug.At("fragmented")
	close(out)
}

func hash(t *table, in <-chan chunk, unique, all chan<- chunk) {
	for c := range in {
		bug.At("hash")
		c.double = t.add(c.text)
		if c.double {
			bug.At("double")
			all <- c
		} else {
			bug.At("unique")
			unique <- c
		}
	}
	bug.At("hashed")
}

func compress(in <-chan chunk, all chan<- chunk) {
	for c := range in {
		bug.At("compress")
		c.text /= 2
		bug.At("compressed")
		all <- c
	}
	bug.At("through")
}

func order(in <-chan chunk) {
	waiting, next := map[int]chunk{}, 0
	for c := range in {
		bug.At("arrived")
		waiting[c.number] = c
		for {
			if _, ok := waiting[next]; !ok {
				break
			}
			bug.At("write")
			next++
		}
	}
	bug.At("written")
}

func main() {
	fragments, unique, all := make(chan chunk, 2), make(chan chunk, 2), make(chan chunk, 2)
	t := &table{seen: map[int]bool{}}
	var hashers, compressors, output sync.WaitGroup
	for range 2 {
		hashers.Go(func() { hash(t, fragments, unique, all) })
		compressors.Go(func() { compress(unique, all) })
	}
	output.Go(func() { order(all) })
	fragment(fragments)
	hashers.Wait()
	close(unique)
	compressors.Wait()
	close(all)
	output.Wait()
}

package main

import "sync"

// inOrder calls do for 0 to n-1, at most workers at the same time, as next chooses them. It calls
// done for each result, in order, one at a time. do may call before for a number i for which
// q.after is true: before returns when done has been called for all smaller numbers. After an error
// of done, inOrder begins nothing more and returns the error.
func inOrder[T any](workers, n int, q *queue, do func(i int, before func()) T, done func(i int, v T) error) error {
	results := make([]chan T, n)
	earlier := make([]chan struct{}, n+1) // closed when done has been called for all smaller numbers
	for i := range results {
		results[i], earlier[i+1] = make(chan T, 1), make(chan struct{})
	}
	earlier[0] = make(chan struct{})
	if n > 0 {
		close(earlier[0])
	}
	q.begun, q.first, q.opened, q.stopped = make([]bool, n), 0, make(map[string]bool), false
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := q.next(); i >= 0; i = q.next() {
				results[i] <- do(i, func() { <-earlier[i] })
				q.ended(i)
			}
		})
	}
	for i := range n {
		err := done(i, <-results[i])
		if err != nil {
			q.stop() // stop before another entry may begin
		}
		close(earlier[i+1])
		if err != nil {
			for k := i + 1; k < n; k++ {
				close(earlier[k+1])
			}
			all.Wait()
			return err
		}
	}
	all.Wait()
	return nil
}

// A queue chooses the order in which entries begin. The first entry of a package initialises the package.
// Other entries of the package would wait for that, so in the meantime entries of other packages begin.
type queue struct {
	group func(i int) string // the package of number i
	after func(i int) bool   // number i begins after all smaller ones

	mu      sync.Mutex // guards the following fields
	begun   []bool
	first   int             // all smaller ones have begun
	opened  map[string]bool // by group: whether an entry of the group has ended; absent: no entry has begun
	stopped bool
}

// next returns the number that begins now, or -1: the smallest one whose group has not just begun, or else
// the smallest one.
func (q *queue) next() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.first < len(q.begun) && q.begun[q.first] {
		q.first++
	}
	if q.first == len(q.begun) || q.stopped {
		return -1
	}
	best, missing := q.first, false
	for i := q.first; i < len(q.begun); i++ {
		if q.begun[i] {
			continue
		}
		opened, begun := q.opened[q.group(i)]
		//mutant: a pair of tests begins before its tests [test ./cmd/hbcheck TestQueue]: "missing && q" -> "missing && false && q"
		if (opened || !begun) && !(missing && q.after(i)) {
			best = i
			break
		}
		missing = true
	}
	q.begun[best] = true
	q.opened[q.group(best)] = q.opened[q.group(best)]
	return best
}

func (q *queue) ended(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.opened[q.group(i)] = true
}

func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
}

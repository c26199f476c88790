// Replicated workers: a library that runs workers over a pool of work items,
// with adaptive quadrature as its client: an interval whose estimates differ
// too much is split in two, else its area is a result.
//
// Shared: the pool, the coordinator's count of waiting takers, and done, under
// the coordinator's lock (main writes done without it, as in Java: a race that
// nobody notices there); a barrier and a semaphore, each with a lock; the total
// under the semaphore. Locks are those of the Java text, where the pool is a
// vector with a lock of its own; a worker's own lists are plain slices here.
//
//	repworkers workers items 1000*epsilon
package main

import (
	"os"
	"strconv"
	"sync"
)

// configuration chooses among the library's variants.
type configuration struct{ results, execution, subProblem int }

const (
	exclusive = iota
	synchronous
	someValues
)

func (c *configuration) isExclusive() bool   { return c.results == exclusive }
func (c *configuration) isSynchronous() bool { return c.execution == synchronous }
func (c *configuration) isSome() bool        { return c.subProblem == someValues }

// fifo is a queue whose single operations are locked.
type fifo[T any] struct {
	mu    sync.Mutex
	items []T
}

func (q *fifo[T]) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

func (q *fifo[T]) add(x T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, x)
}

func (q *fifo[T]) first() T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items[0]
}

func (q *fifo[T]) removeFirst() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = q.items[1:]
}

// take removes the first item, in two operations.
func (q *fifo[T]) take() T {
	x := q.first()
	q.removeFirst()
	return x
}

// semaphore counts permits; below zero, goroutines that wait for one.
type semaphore struct {
	mu       sync.Mutex
	released sync.Cond
	permits  int
}

func newSemaphore(permits int) *semaphore {
	s := &semaphore{permits: permits}
	s.released.L = &s.mu
	return s
}

func (s *semaphore) acquire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permits--
	if s.permits < 0 {
		s.released.Wait()
	}
}

func (s *semaphore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.permits
	s.permits++
	if old < 0 {
		s.released.Signal()
	}
}

// barrier lets nobody pass until all participants have come, and nobody come
// again until all have gone.
type barrier struct {
	mu           sync.Mutex
	changed      sync.Cond
	participants int
	numBlocked   int
	numReleased  int
	allBlocked   bool
	allReleased  bool
}

func newBarrier(participants int) *barrier {
	b := &barrier{participants: participants}
	b.changed.L = &b.mu
	return b
}

func (b *barrier) await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.blockAll()
	b.releaseAll()
}

func (b *barrier) blockAll() {
	b.numBlocked++
	b.allBlocked = false
	for b.numBlocked < b.participants && !b.allBlocked {
		b.changed.Wait()
	}
	b.allBlocked = true
	b.numBlocked = 0
	b.changed.Broadcast()
}

func (b *barrier) releaseAll() {
	b.numReleased++
	b.allReleased = false
	for b.numReleased < b.participants && !b.allReleased {
		b.changed.Wait()
	}
	b.allReleased = true
	b.numReleased = 0
	b.changed.Broadcast()
}

// workItem and resultItem are what a client of the library provides.
type workItem interface {
	doWork(work *[]workItem, results *[]resultItem) (done bool)
}

type resultItem interface {
	doResults() (done bool)
}

// replicatedWorkers is the library's front.
type replicatedWorkers struct {
	mu         sync.Mutex
	config     *configuration
	numWorkers int
	numItems   int
	stop       bool
	done       bool
	resultLock *semaphore
	barrier    *barrier
	pool       *fifo[workItem]
	coord      *coordinator
	wg         sync.WaitGroup
}

func newReplicatedWorkers(config *configuration, workers, items int) *replicatedWorkers {
	rw := &replicatedWorkers{config: config, numWorkers: workers, numItems: items, done: true,
		resultLock: newSemaphore(1), barrier: newBarrier(workers + 1), pool: new(fifo[workItem])}
	rw.coord = newCoordinator(rw)
	for range workers {
		w := &worker{rw: rw}
		rw.wg.Go(w.run)
	}
	return rw
}

func (rw *replicatedWorkers) putWork(work []workItem) {
	rw.mu.Lock()
	defer rw.mu.Unlock()
	rw.coord.add(work)
}

func (rw *replicatedWorkers) execute() {
	rw.mu.Lock()
	defer rw.mu.Unlock()
	rw.done = false
	rw.barrier.await()
	if rw.config.isSynchronous() {
		rw.coord.awaitTermination()
		rw.done = true
		rw.coord.notifyDone()
		rw.barrier.await()
	}
}

func (rw *replicatedWorkers) destroy() {
	rw.mu.Lock()
	defer rw.mu.Unlock()
	rw.stop = true
	rw.barrier.await()
}

// coordinator hands out the work.
type coordinator struct {
	mu            sync.Mutex
	changed       sync.Cond
	blockedTakers int
	rw            *replicatedWorkers
}

func newCoordinator(rw *replicatedWorkers) *coordinator {
	c := &coordinator{rw: rw}
	c.changed.L = &c.mu
	return c
}

// The notify methods broadcast if there is something to tell; notifyDone takes
// the lock, the others are called with it.

func (c *coordinator) notifyTakers() {
	if c.blockedTakers == c.rw.numWorkers {
		c.changed.Broadcast()
	}
}

func (c *coordinator) notifyPool() {
	if n := c.rw.pool.size(); n >= c.rw.numItems || c.rw.config.isSome() && n >= 0 {
		c.changed.Broadcast()
	}
}

func (c *coordinator) notifyDone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rw.done {
		c.changed.Broadcast()
	}
}

func (c *coordinator) awaitTermination() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.blockedTakers != c.rw.numWorkers && !c.rw.done {
		c.changed.Wait()
	}
}

func (c *coordinator) add(work []workItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range work {
		c.rw.pool.add(x)
	}
	c.notifyPool()
}

// take returns up to n items, none if the work is done.
func (c *coordinator) take(n int) []workItem {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blockedTakers++
	if c.lacks(n) {
		c.notifyTakers()
	}
	for c.lacks(n) {
		c.changed.Wait()
	}
	var taken []workItem
	if !c.rw.done {
		for range min(n, c.rw.pool.size()) {
			taken = append(taken, c.rw.pool.take())
		}
	}
	c.blockedTakers--
	c.notifyTakers()
	return taken
}

func (c *coordinator) lacks(n int) bool {
	size := c.rw.pool.size()
	return size < n && (!c.rw.config.isSome() || size == 0) && !c.rw.done
}

type worker struct{ rw *replicatedWorkers }

func (w *worker) run() {
	rw := w.rw
	for {
		rw.barrier.await()
		if rw.stop {
			return
		}
		for w.round() {
		}
		rw.barrier.await()
	}
}

// round works on some items; it reports whether there were any.
func (w *worker) round() bool {
	rw := w.rw
	work := rw.coord.take(rw.numItems)
	if len(work) == 0 {
		return false
	}
	var newWork []workItem
	var results []resultItem
	done := false
	for _, x := range work {
		if done = x.doWork(&newWork, &results); done {
			break
		}
	}
	if done {
		rw.done = true
		rw.coord.notifyDone()
	}
	if len(results) > 0 {
		if rw.config.isExclusive() {
			rw.resultLock.acquire()
		}
		for _, r := range results {
			if r.doResults() {
				break
			}
		}
		if rw.config.isExclusive() {
			rw.resultLock.release()
		}
	}
	rw.coord.add(newWork)
	return true
}

// quadrature is the work on one interval.
type quadrature struct{ start, end, epsilon float32 }

func f(x float32) float32 { return x*x - x }

func (q *quadrature) doWork(work *[]workItem, results *[]resultItem) bool {
	x1 := (q.start + q.end) / 2
	x2, x3 := (q.start+x1)/2, (x1+q.end)/2
	d := f(x2)/2 + f(x3)/2 - f(x1)
	if d < 0 {
		d = -d
	}
	if d/10 >= q.epsilon {
		*work = append(*work, &quadrature{q.start, x1, q.epsilon}, &quadrature{x1, q.end, q.epsilon})
	} else {
		*results = append(*results, &area{(x1 - q.start) * (f(x2) + f(x3))})
	}
	return false
}

// area is the result of one interval.
type area struct{ value float32 }

//lint:ignore U1000 the result, which nobody reads
var total float32

func (a *area) doResults() bool {
	total += a.value
	return false
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *replicatedWorkers

func main() {
	workers, items, epsilon := number(1), number(2), float32(number(3))/1000
	rw := newReplicatedWorkers(&configuration{exclusive, synchronous, someValues}, workers, items)
	rw.putWork([]workItem{&quadrature{0, 10, epsilon}})
	rw.execute()
	rw.destroy()
	rw.wg.Wait()
	final = rw
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

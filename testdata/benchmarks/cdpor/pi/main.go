// A master asks n workers for a part of a sum each; they send it back in any order, and
// when the last one has come they are told to stop: n! executions.
//
// The sums are of integers. In the paper they are of floating-point numbers, whose order
// makes a difference.
//
//	pi n
package main

import (
	"os"
	"strconv"
	"sync"
)

// wg counts the messages that have not been handled.
var wg sync.WaitGroup

type master struct {
	workers []*worker

	mu     sync.Mutex
	count  int
	result int
}

func (m *master) boot() {
	for i, w := range m.workers {
		wg.Go(func() { w.interval(m, i+1) })
	}
}

func (m *master) sum(part int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	m.result += part
	if m.count == len(m.workers) {
		for _, w := range m.workers {
			wg.Go(w.stop)
		}
	}
}

type worker struct {
	mu      sync.Mutex
	stopped bool
}

func (w *worker) interval(m *master, i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wg.Go(func() { m.sum(i * i) })
}

func (w *worker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

func main() {
	m := new(master)
	for range number(1) {
		m.workers = append(m.workers, new(worker))
	}
	wg.Go(m.boot)
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

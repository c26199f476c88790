// Two messages make a secretary tell n workers to register, and each does so when it is told
// for the first time. The registry counts workers and, separately, secretaries: 2^n·n!
// executions.
//
// The secretary writes nothing, and so has no lock.
//
//	reg n
package main

import (
	"os"
	"strconv"
	"sync"
)

// wg counts the messages that have not been handled.
var wg sync.WaitGroup

type registry struct {
	secretaryMu sync.Mutex
	secretaries int

	workerMu sync.Mutex
	workers  int
}

func (r *registry) addSecretary() {
	r.secretaryMu.Lock()
	defer r.secretaryMu.Unlock()
	r.secretaries++
}

func (r *registry) addWorker() {
	r.workerMu.Lock()
	defer r.workerMu.Unlock()
	r.workers++
}

type worker struct {
	mu         sync.Mutex
	registered bool
}

func (w *worker) register(r *registry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.registered {
		w.registered = true
		wg.Go(r.addWorker)
	}
}

type secretary struct {
	registry *registry
	workers  []*worker
}

func (s *secretary) register() { wg.Go(s.registry.addSecretary) }

func (s *secretary) tellWorkers() {
	for _, w := range s.workers {
		wg.Go(func() { w.register(s.registry) })
	}
}

func main() {
	s := &secretary{registry: new(registry)}
	for range number(1) {
		s.workers = append(s.workers, new(worker))
	}
	wg.Add(3)
	for _, task := range []func(){s.register, s.tellWorkers, s.tellWorkers} {
		go func() {
			defer wg.Done()
			task()
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

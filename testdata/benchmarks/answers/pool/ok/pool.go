// Package pool executes jobs by workers. Jobs are given out while results are taken.
package pool

import "sync"

// Pool has workers that take jobs.
type Pool struct {
	jobs    chan func() int
	results chan int
	wg      sync.WaitGroup
}

// New starts n workers.
func New(n int) *Pool {
	p := &Pool{jobs: make(chan func() int), results: make(chan int)}
	for range n {
		p.wg.Add(1)
		go func() {
			defer p.wg.Done()
			for job := range p.jobs {
				p.results <- job()
			}
		}()
	}
	return p
}

// Sum executes all jobs and returns the sum of their results.
func (p *Pool) Sum(jobs []func() int) int {
	go func() {
		for _, job := range jobs {
			p.jobs <- job
		}
		close(p.jobs)
		p.wg.Wait()
		close(p.results)
	}()
	sum := 0
	for x := range p.results {
		sum += x
	}
	return sum
}

// Package pool executes jobs by workers. Sum gives out all jobs before it takes a result.
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
	for _, job := range jobs {
		p.jobs <- job
	}
	close(p.jobs)
	sum := 0
	for range jobs {
		sum += <-p.results
	}
	p.wg.Wait()
	return sum
}

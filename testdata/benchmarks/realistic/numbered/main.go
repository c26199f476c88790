// Workers with numbers take jobs from a channel; each counts its jobs under its number, and says so in its
// results.
//
//	numbered workers jobs
package main

import (
	"os"
	"strconv"
	"sync"
)

type result struct{ worker, job int }

type pool struct {
	jobs    chan int
	results chan result
	mu      sync.Mutex
	done    map[int]int
	wg      sync.WaitGroup
}

func (p *pool) worker(id int) {
	defer p.wg.Done()
	for j := range p.jobs {
		p.mu.Lock()
		p.done[id]++
		p.mu.Unlock()
		p.results <- result{id, j}
	}
}

func main() {
	workers, _ := strconv.Atoi(os.Args[1])
	jobs, _ := strconv.Atoi(os.Args[2])
	p := &pool{jobs: make(chan int), results: make(chan result, jobs), done: map[int]int{}}
	for id := range workers {
		p.wg.Add(1)
		go p.worker(id)
	}
	for j := range jobs {
		p.jobs <- j + 1
	}
	close(p.jobs)
	p.wg.Wait()
	close(p.results)
	sum, done := 0, 0
	for r := range p.results {
		if p.done[r.worker] == 0 {
			panic("a result without a job")
		}
		sum += r.job
	}
	for _, n := range p.done {
		done += n
	}
	if sum != jobs*(jobs+1)/2 || done != jobs {
		panic(sum)
	}
}

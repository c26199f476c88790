// Consumers compress the blocks of a queue. Main frees the queue when all blocks are written, but a consumer may be
// about to look for another one (pbzip2-0.9.4 of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

const consumers, blocks = 2, 3

type queue struct {
	freed  atomic.Bool
	mu     sync.Mutex
	blocks int
}

func (q *queue) take() bool {
	if q.freed.Load() {
		panic("the queue is used after it was freed")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.blocks == 0 {
		return false
	}
	q.blocks--
	return true
}

func main() {
	q := &queue{blocks: blocks}
	var written, ended sync.WaitGroup
	written.Add(blocks)
	for range consumers {
		ended.Go(func() {
			for q.take() {
				written.Done()
			}
		})
	}
	written.Wait()
	q.freed.Store(true)
	ended.Wait()
}

// Package queue has queues for one consumer.
package queue

import "sync/atomic"

// A Queue has a head.
type Queue struct{ head, tail atomic.Uint64 }

// Pop is called with a lock.
func (q *Queue) Pop() uint64 {
	h := q.head.Load()
	q.head.Store(h + 1)
	return h
}

// Push is not.
func (q *Queue) Push() uint64 {
	t := q.tail.Load()
	q.tail.Store(t + 1) // want HBA403 "an update by another goroutine in between is lost" medium
	return t
}

// Package outside has code that shares functions, channels, timers and variables with unknown code.
package outside

import (
	"errors"
	"math"
	"sync"
	"time"
)

// A Client calls functions of its user.
type Client struct {
	mu       sync.Mutex
	requests map[int]func(error)
}

// Send has a deferred call that locks: it locks once, also if the callback panics.
func (c *Client) Send(id int, done chan struct{}) {
	go func() {
		defer c.remove(id)
		<-done
		c.mu.Lock()
		f := c.requests[id]
		c.mu.Unlock()
		f(nil)
	}()
}

func (c *Client) remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, id)
}

// SendHeld panics while it holds the lock for which its deferred call waits.
func SendHeld(done chan struct{}) {
	c := &Client{requests: map[int]func(error){}}
	go func() {
		defer func() {
			c.mu.Lock() // want HBA112 "for a lock"
			defer c.mu.Unlock()
			delete(c.requests, 1)
		}()
		<-done
		c.mu.Lock()
		f := c.requests[1]
		f(nil)
		c.mu.Unlock()
	}()
}

// A Progress has a goroutine, which somebody else has started, that executes functions.
type Progress struct {
	operate chan func(map[int]int)
	done    chan struct{}
}

// Ask sends a function that answers.
func (p *Progress) Ask(id int) (int, error) {
	answer := make(chan int)
	select {
	case p.operate <- func(m map[int]int) { answer <- m[id] }:
		return <-answer, nil
	case <-p.done:
		return 0, errors.New("done")
	}
}

// AskNothing sends a function that does not answer.
func (p *Progress) AskNothing(id int) (int, error) {
	answer := make(chan int)
	go func() { _ = answer }()
	p.operate <- func(m map[int]int) { m[id]++ }
	return <-answer, nil // want HBA202 "this receive may wait forever"
}

// A question goes to somebody else as a value.
type question struct {
	id     int
	answer chan int
}

// AskQuestion waits for an answer, unless there is none.
func AskQuestion(questions chan question, id int) int {
	q := question{id, make(chan int)}
	go func() { questions <- q }()
	return <-q.answer
}

// Deadline begins with a timer that never happens.
func Deadline(cancel func()) *time.Timer {
	t := time.AfterFunc(math.MaxInt64, cancel)
	go func() { cancel() }()
	if !t.Stop() {
		<-t.C
	}
	return t
}

// Soon has a timer that may have happened, and that has no channel.
func Soon(cancel func()) *time.Timer {
	t := time.AfterFunc(time.Millisecond, cancel)
	go func() { cancel() }()
	if !t.Stop() {
		<-t.C // want HBA202 "this receive may wait forever"
	}
	return t
}

// Stopped stops timers twice, the second time in vain, and uses a value that has not been received.
func Stopped(work func()) {
	t := time.NewTimer(time.Second)
	go func() { work() }()
	if !t.Stop() {
		<-t.C
	}
	t.Reset(time.Second)
	<-t.C
}

var queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	list []int
}

// StartWorkers starts goroutines that wait for Push.
func StartWorkers() {
	queue.cond = sync.NewCond(&queue.mu)
	for range 2 {
		go func() {
			queue.mu.Lock()
			for len(queue.list) == 0 {
				queue.cond.Wait()
			}
			queue.list = queue.list[1:]
			queue.mu.Unlock()
		}()
	}
}

// Push wakes one of them.
func Push(n int) {
	queue.mu.Lock()
	queue.list = append(queue.list, n)
	queue.mu.Unlock()
	queue.cond.Signal()
}

// StartOwn starts goroutines that wait for a Cond that nobody else has.
func StartOwn() {
	var mu sync.Mutex
	var list []int
	cond := sync.NewCond(&mu)
	for range 2 {
		go func() {
			mu.Lock()
			for len(list) == 0 {
				cond.Wait() // want HBA306 "this Cond.Wait may wait forever"
			}
			mu.Unlock()
		}()
	}
}

// All waits for as many goroutines as it starts.
func All(n int, work func()) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			defer wg.Done()
			work()
		}()
	}
	wg.Wait()
}

// AllButOne starts one less.
func AllButOne(n int, work func()) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 1; i < n; i++ {
		go func() {
			defer wg.Done()
			work()
		}()
	}
	wg.Wait() // want HBA302 "this Wait may never return"
}

// Rest sends what is left to a channel that only tests set.
func Rest(work chan int) {
	var rest chan int
	defer func() {
		if rest != nil {
			for x := range work {
				rest <- x
			}
		}
		if rest == nil {
			rest <- 1 // want HBA205 "no channel is ever assigned"
		}
	}()
	<-work
}

// Lost sends to a variable without a channel.
func Lost(work chan int) {
	var rest chan int
	defer func() {
		for x := range work {
			rest <- x // want HBA205 "no channel is ever assigned"
		}
	}()
	<-work
}

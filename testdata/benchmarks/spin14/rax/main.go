// RAX Extended: the core of the Remote Agent of NASA's Deep Space 1. A planner
// makes plans when the executive asks for one; the executive executes them; a
// diagnosis goroutine sends the executive back to the first token of its plan.
// They wake each other with events whose counters wrap around.
//
// Shared: two events, each a counter with a lock, and the plan with its lock.
// Different from the Java text: the loops are bounded (in Java they run for
// ever and states are matched), and diagnosis ends when main closes the event
// it waits for. With "safe" an event is tested and waited for under one lock.
// With "lost" the test is not locked, as in the space craft: a signal in
// between is lost, which is a deadlock.
//
//	rax safe|lost rounds wrap groups
package main

import (
	"os"
	"strconv"
	"sync"
)

type event struct {
	mu       sync.Mutex
	signaled sync.Cond
	count    int
	wrap     int
	closed   bool
}

func newEvent(wrap int) *event {
	e := &event{wrap: wrap}
	e.signaled.L = &e.mu
	return e
}

// wait waits for the next signal. It reports whether there can be more.
func (e *event) wait() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.signaled.Wait()
	return !e.closed
}

// waitUnless waits for a signal unless there was one since count was read.
func (e *event) waitUnless(count int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count == count {
		e.signaled.Wait()
	}
}

func (e *event) signal() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count = (e.count + 1) % e.wrap
	e.signaled.Broadcast()
}

func (e *event) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.signaled.Broadcast()
}

// The events, as in Java, are known to everybody.
var planEvent, execEvent *event

const tokens = 5

type plan struct {
	mu       sync.Mutex
	timeline []int
	current  int
}

func (p *plan) generate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.timeline {
		p.timeline[i] = 10 + i
	}
	p.current = 0
}

func (p *plan) done() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current == tokens
}

func (p *plan) executeToken() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current++
}

func (p *plan) repair() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = 0
}

type planner struct {
	plan   *plan
	count  int
	rounds int
	safe   bool
}

func (p *planner) run() {
	for range p.rounds {
		if p.safe {
			planEvent.waitUnless(p.count)
		} else if p.count == planEvent.count {
			planEvent.wait()
		}
		p.count = planEvent.count
		p.plan.generate()
		execEvent.signal()
	}
}

type executive struct {
	plan   *plan
	count  int
	rounds int
	safe   bool
}

func (e *executive) run() {
	for range e.rounds {
		planEvent.signal()
		if e.safe {
			execEvent.waitUnless(e.count)
		} else if e.count == execEvent.count {
			execEvent.wait()
		}
		e.count = execEvent.count
		for !e.plan.done() {
			e.plan.executeToken()
		}
	}
}

type diagnosis struct{ plan *plan }

func (d *diagnosis) run() {
	for execEvent.wait() {
		d.plan.repair()
	}
}

// shared and its tasks are what surrounds the agent: the groups of goroutines
// that make the program "extended".
type shared struct {
	mu sync.Mutex
	x  int
}

func (s *shared) write(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.x = v
}

type task struct {
	shared *shared
	rounds int
}

func (t *task) run() {
	for range t.rounds {
		t.shared.write(0)
	}
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *plan

func main() {
	safe, rounds, wrap, groups := os.Args[1] == "safe", number(2), number(3), number(4)
	planEvent, execEvent = newEvent(wrap), newEvent(wrap)
	pl := &plan{timeline: make([]int, tokens)}
	var agent, rest sync.WaitGroup
	for range groups {
		s := new(shared)
		for range 2 {
			t := &task{s, rounds}
			rest.Go(t.run)
		}
	}
	p := &planner{plan: pl, count: planEvent.count, rounds: rounds, safe: safe}
	agent.Go(p.run)
	e := &executive{plan: pl, count: execEvent.count, rounds: rounds, safe: safe}
	agent.Go(e.run)
	d := &diagnosis{pl}
	rest.Go(d.run)
	agent.Wait()
	execEvent.close()
	rest.Wait()
	final = pl
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

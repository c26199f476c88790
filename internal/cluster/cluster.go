// Package cluster distributes tasks over machines, so that together they have the same findings as one
// machine, even if some of them die.
//
//	coordinator   Publish roots ······························ Next record ─ Next record ─ Done
//	a queue             └─ Pull ┐                     ┌ Commit ─────┴─ Publish children ─┐
//	a worker                    └ Lookup ─ executes ──┘                                  └ Acknowledge
//
// The rule: committed records count, acknowledgements never do. docs/dev/cluster.md has the claims.
//
//	cluster.go   a worker's step, and what a coordinator knows
//	pieces.go    pieces of a task that its worker lets others execute
//	memory.go    a queue in memory, for tests
//
// Package jetstream, below this one, has the queue on NATS JetStream.
package cluster

import "errors"

// A Task is a piece of work. Its name stands for it: there is one record for each name.
type Task struct {
	Name string
	Data []byte
}

// A Record is the outcome of a task: its result, and the tasks into which the rest of it was cut. Two
// executions of a task may cut it in different ways; the record that was committed counts.
type Record struct {
	Result   []byte
	Children []Task
}

// A Delivery is a task that a queue has given to a worker. The queue gives it to another worker if the
// first does not acknowledge it in time.
type Delivery interface {
	Task() Task
	// Acknowledge returns when the queue knows that the task is done. It may be late: another worker may have
	// the task by then.
	Acknowledge() error
}

// A Queue has the tasks and the records of a run. Its methods may be called by several goroutines.
type Queue interface {
	// Publish adds a task. It may add it twice.
	Publish(Task) error
	// Pull returns a task. It returns each task that was published and not acknowledged at least
	// once. It waits until there is one; the error is ErrClosed if there will be none.
	Pull() (Delivery, error)
	// Commit keeps r as the record of a task, unless there is one, and reports whether it has.
	Commit(name string, r Record) (won bool, err error)
	// Lookup returns the record of a task, if there is one.
	Lookup(name string) (r Record, ok bool, err error)
	// Next returns a record, in some order; existing records come first. It waits until there is
	// one. It may return a record again.
	Next() (name string, r Record, err error)
}

// ErrClosed is the error of a queue that has been closed.
var ErrClosed = errors.New("cluster: the queue is closed")

// Handle executes a delivered task.
func Handle(q Queue, d Delivery, execute func(Task) (Record, error)) error {
	t := d.Task()
	r, known, err := q.Lookup(t.Name)
	if err != nil {
		return err
	}
	if !known {
		if r, err = execute(t); err != nil {
			return err
		}
		won, err := q.Commit(t.Name, r)
		if err == nil && !won {
			r, _, err = q.Lookup(t.Name)
		}
		if err != nil {
			return err
		}
	}
	// Now there is a record, and r is it. The worker that committed it may have died before this line.
	for _, c := range r.Children {
		if err := q.Publish(c); err != nil {
			return err
		}
	}
	return d.Acknowledge()
}

// A Collector is a coordinator's knowledge of a run: its tasks, and those that have a record.
type Collector struct {
	open    map[string]bool   // tasks that are named and have no record
	records map[string]Record // records of tasks that are named
	early   map[string]Record // records of tasks that are not named yet
}

// NewCollector returns a collector without tasks.
func NewCollector() *Collector {
	return &Collector{open: make(map[string]bool), records: make(map[string]Record), early: make(map[string]Record)}
}

// Expect names a task, and calls found for it if its record is known, and for its children.
func (c *Collector) Expect(name string, found func(name string, r Record)) {
	if _, ok := c.records[name]; ok || c.open[name] {
		return
	}
	c.open[name] = true
	if r, ok := c.early[name]; ok {
		delete(c.early, name)
		c.Add(name, r, found)
	}
}

// Add adds a record. It calls found once for each task that is named and has one.
func (c *Collector) Add(name string, r Record, found func(name string, r Record)) {
	if _, ok := c.records[name]; ok {
		return
	}
	if !c.open[name] {
		c.early[name] = r
		return
	}
	delete(c.open, name)
	c.records[name] = r
	found(name, r)
	for _, t := range r.Children {
		c.Expect(t.Name, found)
	}
}

// Done reports whether each task that is named has a record.
func (c *Collector) Done() bool { return len(c.open) == 0 }

// Resume publishes the tasks that are named and have no record: roots, and children of records. A
// coordinator does this when it starts, and when it restarts.
func Resume(q Queue, roots []Task) error {
	for next := roots; len(next) > 0; {
		t := next[0]
		next = next[1:]
		r, known, err := q.Lookup(t.Name)
		if err == nil && !known {
			err = q.Publish(t)
		}
		if err != nil {
			return err
		}
		next = append(next[:len(next):len(next)], r.Children...)
	}
	return nil
}

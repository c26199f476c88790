package cluster

import "sync"

// A Memory is a queue in memory. The zero value is empty.
//
// As with a real queue, a task may be delivered again while it is being executed (Redeliver), and a late
// acknowledgement counts.
type Memory struct {
	mu      sync.Mutex
	changed sync.Cond
	ready   []Task
	taken   []Task // delivered, and not acknowledged
	records map[string]Record
	log     []string // names of records, in the order of commits
	acks    []string // names of tasks, in the order of acknowledgements
	read    int      // of log
	closed  bool
}

// NewMemory returns an empty queue.
func NewMemory() *Memory {
	q := &Memory{records: make(map[string]Record)}
	q.changed.L = &q.mu
	return q
}

type memoryDelivery struct {
	q *Memory
	t Task
}

func (d memoryDelivery) Task() Task { return d.t }

// Acknowledge implements Delivery.
func (d memoryDelivery) Acknowledge() error {
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken, q.ready = without(q.taken, d.t.Name), without(q.ready, d.t.Name)
	q.acks = append(q.acks, d.t.Name)
	q.changed.Broadcast()
	return nil
}

// without returns list without the tasks of a name.
func without(list []Task, name string) (rest []Task) {
	for _, t := range list {
		if t.Name != name {
			rest = append(rest, t)
		}
	}
	return rest
}

// Publish implements Queue.
func (q *Memory) Publish(t Task) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = append(q.ready, t)
	q.changed.Broadcast()
	return nil
}

// Pull implements Queue.
func (q *Memory) Pull() (Delivery, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil, ErrClosed
	}
	t := q.ready[0]
	q.ready = q.ready[1:]
	q.taken = append(q.taken, t)
	return memoryDelivery{q, t}, nil
}

// Redeliver delivers all tasks again that have not been acknowledged: their workers are late, or dead.
func (q *Memory) Redeliver() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = append(q.ready, q.taken...)
	q.taken = nil
	q.changed.Broadcast()
}

// Lose loses all tasks, as if workers had dropped the messages because the run was stopped.
func (q *Memory) Lose() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready, q.taken = nil, nil
}

// Commit implements Queue.
func (q *Memory) Commit(name string, r Record) (won bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.records[name]; ok {
		return false, nil
	}
	q.records[name] = r
	q.log = append(q.log, name)
	q.changed.Broadcast()
	return true, nil
}

// Lookup implements Queue.
func (q *Memory) Lookup(name string) (Record, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.records[name]
	return r, ok, nil
}

// Next implements Queue.
func (q *Memory) Next() (string, Record, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.read == len(q.log) && !q.closed {
		q.changed.Wait()
	}
	if q.read == len(q.log) {
		return "", Record{}, ErrClosed
	}
	name := q.log[q.read]
	q.read++
	return name, q.records[name], nil
}

// Acked is Next for acknowledgements, which coordinators should ignore.
func (q *Memory) Acked() (string, Record, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.read == len(q.acks) && !q.closed {
		q.changed.Wait()
	}
	if q.read == len(q.acks) {
		return "", Record{}, ErrClosed
	}
	name := q.acks[q.read]
	q.read++
	return name, q.records[name], nil
}

// Again lets Next begin again, for a new coordinator.
func (q *Memory) Again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.read = 0
}

// Close ends all calls that wait.
func (q *Memory) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

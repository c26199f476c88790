package cluster

import "sync"

// Pieces are pieces of a task that the worker which executes it, its owner, lets others execute. They have a
// queue of their own. What comes back is part of the owner's record, and of no other: if the owner
// dies, who gets its task begins again, with pieces of other names.
type Pieces struct {
	q       Queue
	mu      sync.Mutex
	waiting map[string]chan Record
}

// NewPieces returns the pieces in q.
func NewPieces(q Queue) *Pieces { return &Pieces{q: q, waiting: make(map[string]chan Record)} }

// Listen takes records until the queue is closed.
func (p *Pieces) Listen() error {
	for {
		name, r, err := p.q.Next()
		if err != nil {
			return err
		}
		p.mu.Lock()
		c := p.waiting[name]
		delete(p.waiting, name)
		p.mu.Unlock()
		if c != nil {
			c <- r
		}
	}
}

// Ask publishes a piece. Its record comes once, from back, unless the owner gives the piece up.
func (p *Pieces) Ask(t Task) (back <-chan Record, err error) {
	c := make(chan Record, 1)
	p.mu.Lock()
	p.waiting[t.Name] = c
	p.mu.Unlock()
	if err := p.q.Publish(t); err != nil {
		p.GiveUp(t.Name)
		return nil, err
	}
	return c, nil
}

// GiveUp is called when the owner does not want the record of a piece: it executes the piece itself.
func (p *Pieces) GiveUp(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, name)
}

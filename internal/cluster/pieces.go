package cluster

import (
	"fmt"
	"sync"
)

// Pieces are pieces of a task that the worker which executes it, its owner, lets others execute. They have a
// queue of their own. The results are part of the owner's record only: if the owner dies, the worker that
// gets its task starts from the beginning, with pieces of other names.
//
// Data that several pieces need are kept under a name of the owner and a number. A piece has the number up
// to which it needs these data, and the worker that executes it uses no later ones.
type Pieces struct {
	q, shown Queue
	owner    string
	mu       sync.Mutex
	waiting  map[string]chan Record
	showing  sync.Mutex
	shows    int // the number of the last shown data
}

// NewPieces returns the pieces of an owner in q. What they are shown is kept in shown.
func NewPieces(q, shown Queue, owner string) *Pieces {
	return &Pieces{q: q, shown: shown, owner: owner, waiting: make(map[string]chan Record)}
}

// Show shows data to all pieces, and returns its number: one more than the last time.
func (p *Pieces) Show(data []byte) (number int, err error) {
	p.showing.Lock()
	defer p.showing.Unlock()
	if _, err := p.shown.Commit(shownName(p.owner, p.shows+1), Record{Result: data}); err != nil {
		return 0, err
	}
	p.shows++
	return p.shows, nil
}

// Shows returns how often something was shown.
func (p *Pieces) Shows() int {
	p.showing.Lock()
	defer p.showing.Unlock()
	return p.shows
}

// Shown returns the data that an owner has shown with a number.
func Shown(shown Queue, owner string, number int) ([]byte, error) {
	r, ok, err := shown.Lookup(shownName(owner, number))
	if err == nil && !ok {
		err = fmt.Errorf("cluster: %s has not shown number %d", owner, number)
	}
	return r.Result, err
}

func shownName(owner string, number int) string { return fmt.Sprintf("shown-%s-%d", owner, number) }

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

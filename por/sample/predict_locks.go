package sample

// The locks of a predictor: rule 4, and the orders in which goroutines hold them.

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A holding says what a goroutine holds after k steps.
type holding struct {
	k    int32
	held []*section
}

// A section is a critical section.
type section struct {
	g       trace.GID
	lock    uint64
	at      point
	acquire int32 // number of the step,
	index   int   // its index in the execution,
	needs   needed
	release int32 // number of the step; -1: none
	past    needed
	shared  bool
}

// lockHistory has the sections of a lock by goroutine.
type lockHistory [][]*section

// heldAs is a lock, and how it is held.
type heldAs struct {
	lock   uint64
	shared bool
}

// A lockStep is an acquisition of a lock with another one held.
type lockStep struct {
	g        trace.GID
	from, to heldAs
	at       point
	lockset  int
	moments  moments
}

// acquire notes that x acquires the lock.
func (p *predictor) acquire(t *predicted, x moment, op *trace.Op, lock uint64, shared bool) {
	for _, s := range t.held {
		if s.lock == lock { // t holds the lock for reading already
			return
		}
	}
	for _, s := range t.held {
		p.order(x, heldAs{s.lock, s.shared}, heldAs{lock, shared}, pointOf(op), t.lockset)
	}
	h := p.locks[lock]
	if h == nil {
		h = new(lockHistory)
		p.locks[lock] = h
	}
	for int(x.g) >= len(*h) {
		*h = append(*h, nil)
	}
	s := &section{g: x.g, lock: lock, at: pointOf(op), acquire: x.k, index: p.steps, needs: x.past, release: -1, shared: shared}
	(*h)[x.g] = append((*h)[x.g], s)
	t.held = append(slices.Clone(t.held), s)
	p.holds(t, x.k+1)
}

// release notes that x releases the lock.
func (p *predictor) release(t *predicted, x moment, lock uint64) {
	i := slices.IndexFunc(t.held, func(s *section) bool { return s.lock == lock })
	if i < 0 {
		return
	}
	s := t.held[i]
	s.release, s.past = x.k, x.past
	t.held = slices.Delete(slices.Clone(t.held), i, i+1)
	p.holds(t, x.k+1)
}

// holds records the locks that t holds after k steps.
func (p *predictor) holds(t *predicted, k int32) {
	t.holdings = append(t.holdings, holding{k, t.held})
	set := make([]heldAs, 0, len(t.held))
	for _, s := range t.held {
		set = append(set, heldAs{s.lock, s.shared})
	}
	slices.SortFunc(set, func(a, b heldAs) int {
		if a.lock < b.lock {
			return -1
		}
		return 1
	})
	p.key = p.key[:0]
	for _, l := range set {
		how := byte(0)
		if l.shared {
			how = 1
		}
		for shift := range 8 {
			p.key = append(p.key, byte(l.lock>>(8*shift)))
		}
		p.key = append(p.key, how)
	}
	n, known := p.locksets[string(p.key)]
	if !known {
		n = len(p.sets)
		p.locksets[string(p.key)] = n
		p.sets = append(p.sets, set)
	}
	t.lockset = n
}

// order notes that x acquires to and holds from.
func (p *predictor) order(x moment, from, to heldAs, at point, lockset int) {
	for _, o := range p.orders {
		if o.g == x.g && o.from == from && o.to == to && o.at == at && o.lockset == lockset {
			o.moments.add(x)
			return
		}
	}
	if len(p.orders) == mostEdges {
		return
	}
	o := &lockStep{g: x.g, from: from, to: to, at: at, lockset: lockset}
	o.moments.add(x)
	p.orders = append(p.orders, o)
}

// exclude reports whether two goroutines cannot hold these two sets of locks at the same time. The ideal
// would show that, too, at a higher cost.
func (p *predictor) exclude(a, b int) bool {
	for _, l := range p.sets[a] {
		for _, k := range p.sets[b] {
			if l.lock == k.lock && !(l.shared && k.shared) {
				return true
			}
		}
	}
	return false
}

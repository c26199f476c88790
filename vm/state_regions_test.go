package vm

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
)

// heaps is a program with all changes of a heap that regions have to notice: lists and trees that
// change shape or only contents, objects that are reached in another way or no longer, locks and Times in
// objects, large objects, and references into the middle.
const heaps = `package main

import (
	"sync"
	"time"
)

type node struct {
	mu         sync.Mutex
	next, prev *node
	list       *list
	n          int
	at         time.Time
}

type list struct {
	mu     sync.RWMutex
	first  *node
	last   *node
	middle *int
	byN    map[int]*node
	text   []byte
	free   *node
}

var (
	lastMu sync.Mutex
	last   time.Time
)

var shared, other = &list{byN: map[int]*node{}, text: make([]byte, 9000)}, &list{byN: map[int]*node{}}

func (l *list) push(x *node) {
	x.list, x.next = l, l.first
	if l.first != nil {
		l.first.prev = x
	} else {
		l.last = x
	}
	l.first, l.byN[x.n%3] = x, x
}

func (l *list) pop() *node {
	x := l.first
	if x == nil {
		return nil
	}
	if l.first = x.next; l.first != nil {
		l.first.prev = nil
	} else {
		l.last = nil
	}
	x.next, x.list = nil, nil
	return x
}

func work(g int, l, to *list, c chan *node) {
	own := &node{n: 100 * g}
	for i := range 3 {
		l.mu.Lock()
		own.next = &node{n: i, next: own.next}
		if x := l.pop(); x != nil && i > 0 {
			x.mu.Lock()
			x.n += g
			l.middle = &x.n
			x.at = time.Now()
			to.push(x)
			x.mu.Unlock()
		} else {
			l.push(&node{n: g})
		}
		if len(l.text) > 0 {
			l.text[g]++
		}
		l.mu.Unlock()
		lastMu.Lock()
		last = time.Now()
		lastMu.Unlock()
		l.mu.RLock()
		y := l.last
		l.mu.RUnlock()
		if i == g {
			time.Sleep(time.Second)
		}
		select {
		case c <- own.next:
			own.next = nil
		case z := <-c:
			z.mu.Lock()
			z.n++
			z.next = y
			z.mu.Unlock()
			own.prev = z
		default:
		}
	}
	l.mu.Lock()
	l.free = own
	l.mu.Unlock()
}

func main() {
	var wg sync.WaitGroup
	c := make(chan *node, 1)
	kept := &list{byN: map[int]*node{}}
	for i := range 6 {
		kept.push(&node{n: i})
	}
	for g := range 3 {
		wg.Go(func() {
			if g == 2 {
				work(g, kept, shared, c)
			} else {
				work(g, shared, kept, c)
			}
		})
	}
	wg.Wait()
	other.first = kept.first
	if x := kept.pop(); x != nil {
		other.push(x)
	}
}
`

// pairs is a program with states that differ only by an exchange of the contents of two objects of a
// region, or of the targets, in other regions, of an object's references.
const pairs = `package main

import "sync"

type pair struct {
	n    int
	a, b *int
}

type holder struct{ p *int }

var one, two *pair

func main() {
	one, two = &pair{a: new(int), b: new(int)}, &pair{a: new(int), b: new(int)}
	from := &holder{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			to := []*int{one.a, one.b, &one.n, &two.n}[g]
			mu.Lock()
			if from.p == nil {
				from.p = to
			}
			mu.Unlock()
			mu.Lock()
			if *two.a == 0 {
				*two.a = g
			} else {
				*two.b = g
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	from.p = nil
}
`

// TestRegions takes random walks with marks, rewinds and collections, and computes fingerprints now
// and then. They distinguish the same states as fingerprints that write a state as a whole, and are
// equal to those computed from scratch.
func TestRegions(t *testing.T) {
	walks, n := deep.N(2, 40), deep.Pick(2, 20)
	t.Run("heaps", func(t *testing.T) {
		s, kept := source(t, heaps), 0
		for seed := range uint64(2) {
			kept += s.walkRegions(t, walks, seed)
		}
		if s = source(t, pairs); kept+s.walkRegions(t, 4*walks, 0) < 1000 {
			t.Errorf("only %d regions were kept", kept)
		}
	})
	t.Run("others", func(t *testing.T) {
		kept := 0
		for i, s := range subjects(t, n) {
			kept += s.walkRegions(t, 3, uint64(i))
		}
		if kept < 1000 {
			t.Errorf("only %d regions were kept", kept)
		}
	})
}

// walkRegions takes walks and returns how often a region's record was used.
func (s *subject) walkRegions(t *testing.T, walks int, seed uint64) int {
	m := s.machine(t, Config{OrderedTime: seed%2 == 0})
	r := regionWalk{walker: newWalker(m, seed), t: t, name: s.name}
	root := m.Mark()
	for range walks {
		r.walk(800, 0)
		m.Rewind(root)
	}
	t.Logf("%s: %d fingerprints, %d states, %d up to exchange; %d regions kept", s.name, r.n, len(r.pairs[0][0]), len(r.pairs[1][0]), r.kept)
	return r.kept
}

type regionWalk struct {
	*walker
	t       *testing.T
	name    string
	pairs   [2][2]map[por.Hash]por.Hash
	n, kept int
}

// walk takes steps, now and then from a mark to which it returns.
func (r *regionWalk) walk(steps, depth int) {
	for ; steps > 0; steps-- {
		switch r.rng.IntN(12) {
		case 0, 1, 2:
			if depth > 6 {
				continue
			}
			k := r.m.Mark()
			if r.rng.IntN(3) == 0 {
				r.hash()
			}
			r.walk(1+r.rng.IntN(6), depth+1)
			if r.rng.IntN(4) > 0 {
				r.m.Rewind(k)
				if r.rng.IntN(3) == 0 {
					r.hash()
				}
			}
			r.m.Release(k)
		case 3:
			r.m.collect()
		case 4, 5, 6, 7:
			r.hash()
		default:
			if _, ok := r.step(); !ok {
				return
			}
		}
	}
}

// hash compares the fingerprints of the present state.
func (r *regionWalk) hash() {
	m := r.m
	r.n++
	for i, hash := range []func() por.Hash{m.Hash, func() por.Hash { h, _ := m.SymmetricHash(nil); return h }} {
		if r.rng.IntN(4) == 0 {
			continue
		}
		kept := hash()
		r.kept += m.canon.Reused
		if r.rng.IntN(20) == 0 {
			m.forgetHashes()
			if h := hash(); h != kept {
				r.t.Fatalf("%s: fingerprint %d, %d: %x, from nothing %x", r.name, r.n, i, kept, h)
			}
		}
		m.canon.whole = true
		whole := hash()
		m.canon.whole = false
		for k, x := range [2][2]por.Hash{{kept, whole}, {whole, kept}} {
			seen := &r.pairs[i][k]
			if *seen == nil {
				*seen = map[por.Hash]por.Hash{}
			}
			if y, ok := (*seen)[x[0]]; ok && y != x[1] {
				r.t.Fatalf("%s: fingerprint %d, %d: %x of one state, %x of another one; as a whole %x and %x", r.name, r.n, i, kept, kept, x[1], y)
			}
			(*seen)[x[0]] = x[1]
		}
	}
}

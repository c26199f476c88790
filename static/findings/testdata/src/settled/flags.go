package settled

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Locks whose holders depend on a flag, on an error, or on an interface.

// A Topic has locks in a map.
type Topic struct {
	mu    sync.Mutex
	locks sync.Map
	list  []string
	state int
	keep  bool
}

// Subscribe leaves its lock to a goroutine, which has it as an interface.
func (t *Topic) Subscribe(name string) {
	lock, _ := t.locks.LoadOrStore(name, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	if !t.keep {
		lock.(*sync.Mutex).Unlock()
		return
	}
	go func() {
		defer t.mu.Unlock()
		defer lock.(*sync.Mutex).Unlock()
		t.mu.Lock()
		t.list = append(t.list, name)
	}()
}

// SubscribeWrong leaves it to nobody.
func (t *Topic) SubscribeWrong(name string) {
	lock, _ := t.locks.LoadOrStore(name, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	if !t.keep {
		lock.(*sync.Mutex).Unlock()
		return
	}
	go func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.list = append(t.list, name)
	}()
} // want HBA103 "return without LoadOrStore"

// Begin locks in a deferred literal, unless it has done so.
func (t *Topic) Begin(try func() error) (err error) {
	locked := false
	defer func() { // want HBA101 "t.mu is locked" low
		if !locked {
			t.mu.Lock()
		}
		t.state++
		t.mu.Unlock()
	}()
	if err = try(); err != nil {
		return err
	}
	t.mu.Lock()
	locked = true
	return nil
}

// A Breaker has its lock elsewhere.
type Breaker struct {
	mu     *sync.RWMutex
	opened int64
	closed int64
}

// NewBreaker returns a breaker.
func NewBreaker() *Breaker { return &Breaker{mu: new(sync.RWMutex)} }

// Allow and Open exclude each other.
func (b *Breaker) Allow(now int64) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	at := atomic.LoadInt64(&b.opened)
	return atomic.CompareAndSwapInt64(&b.opened, at, now) && atomic.CompareAndSwapInt64(&b.closed, at, now)
}

func (b *Breaker) Open(now int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = now
}

// Close has no lock.
func (b *Breaker) Close(now int64) {
	b.closed = now // want HBA402 "b.closed is written without sync/atomic" medium
	b.mu.Lock()
	defer b.mu.Unlock()
}

// A Store has a buffer that a goroutine uses.
type Store struct {
	buf  []byte
	rest []byte
	name string
}

// OpenStore starts the goroutine only if there is no error.
func OpenStore(name string, open func(string) error) (*Store, error) {
	s := &Store{name: name}
	err := open(name)
	if err == nil {
		go s.run()
	}
	if err != nil {
		s.buf = nil
		return nil, err
	}
	s.rest = nil // want HBA401 "rest is written"
	return s, nil
}

func (s *Store) run() { _, _ = len(s.buf), len(s.rest) }

// Many has more conditions than states; each of them is about one lock only.
func (t *Topic) Many(a, b, c, d, e, f bool, ctx context.Context) error {
	n := 0
	if a {
		n++
	}
	if a {
		n++
	}
	if b {
		n++
	}
	if b {
		n++
	}
	if c {
		n++
	}
	if c {
		n++
	}
	if d {
		n++
	}
	if d {
		n++
	}
	if e {
		n++
	}
	if e {
		n++
	}
	err := ctx.Err()
	if err == nil {
		t.mu.Lock()
		t.state += n
	}
	if err == nil {
		t.mu.Unlock()
	}
	if f {
		return errors.New("f")
	}
	return nil
}

// A Group has queues.
type Group struct {
	mu    sync.Mutex
	queue *Group
	all   []*Group
	n     int
}

// Ack locks the queue, if there is one.
func (g *Group) Ack(add func(*Group)) {
	q := g.queue
	if q != nil {
		q.mu.Lock()
	}
	for _, x := range g.all {
		add(x)
	}
	if q != nil {
		q.mu.Unlock()
	}
}

// AckWrong does so depending on something else.
func (g *Group) AckWrong(add func(*Group)) {
	q := g.queue
	if q != nil {
		q.mu.Lock()
	}
	for _, x := range g.all {
		add(x)
	}
	if q != nil && q.n > 0 {
		q.mu.Unlock()
	}
} // want HBA103 "return without g.queue.mu.Unlock"

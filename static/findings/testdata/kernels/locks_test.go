package kernels

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// Double locking: a method that locks calls another one that does.

type registry struct {
	mu    sync.Mutex
	names map[string]int
}

func (r *registry) lookup(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names[name]
}

func (r *registry) addWrong(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lookup(name) == 0 {
		r.names[name] = 1
	}
}

func (r *registry) addRight(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names[name] == 0 {
		r.names[name] = 1
	}
}

func TestWrongDoubleLock(t *testing.T) {
	r := &registry{names: map[string]int{}}
	r.addWrong("a")
}

func TestRightDoubleLock(t *testing.T) {
	r := &registry{names: map[string]int{}}
	r.addRight("a")
}

// Double locking through an interface and a callback.

type listener interface{ onChange(key string) }

type store struct {
	mu        sync.RWMutex
	data      map[string]string
	listeners []listener
}

type audit struct{ s *store }

func (a *audit) onChange(key string) { a.s.get(key) }

func (s *store) get(key string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.data[key]
}

func (s *store) setWrong(key, val string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = val
	for _, l := range s.listeners {
		l.onChange(key)
	}
}

func (s *store) setRight(key, val string) {
	s.mu.Lock()
	s.data[key] = val
	list := s.listeners
	s.mu.Unlock()
	for _, l := range list {
		l.onChange(key)
	}
}

func TestWrongCallbackLock(t *testing.T) {
	s := &store{data: map[string]string{}}
	s.listeners = append(s.listeners, &audit{s})
	s.setWrong("k", "v")
}

func TestRightCallbackLock(t *testing.T) {
	s := &store{data: map[string]string{}}
	s.listeners = append(s.listeners, &audit{s})
	s.setRight("k", "v")
}

// A lock that is not released on an error.

type lease struct {
	mu   sync.RWMutex
	dead bool
}

var errClosed = errors.New("closed")

func (l *lease) renewWrong() error {
	l.mu.RLock()
	if l.dead {
		return errClosed
	}
	l.mu.RUnlock()
	return nil
}

func (l *lease) renewRight() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.dead {
		return errClosed
	}
	return nil
}

func (l *lease) close() {
	l.mu.Lock()
	l.dead = true
	l.mu.Unlock()
}

func TestWrongMissingUnlock(t *testing.T) {
	l := new(lease)
	l.close()
	l.renewWrong()
	l.close()
}

func TestRightMissingUnlock(t *testing.T) {
	l := new(lease)
	l.close()
	l.renewRight()
	l.close()
}

// A loop that leaves without unlocking.

type gossip struct {
	mu     sync.Mutex
	closed bool
}

func (g *gossip) manageWrong() {
	for {
		g.mu.Lock()
		if g.closed {
			break
		}
		g.mu.Unlock()
	}
}

func (g *gossip) manageRight() {
	for {
		g.mu.Lock()
		if g.closed {
			g.mu.Unlock()
			break
		}
		g.mu.Unlock()
	}
}

func TestWrongBreak(t *testing.T) {
	g := &gossip{closed: true}
	done := make(chan bool)
	go func() {
		g.manageWrong()
		g.mu.Lock()
		g.mu.Unlock()
		close(done)
	}()
	<-done
}

func TestRightBreak(t *testing.T) {
	g := &gossip{closed: true}
	done := make(chan bool)
	go func() {
		g.manageRight()
		g.mu.Lock()
		g.mu.Unlock()
		close(done)
	}()
	<-done
}

// AB-BA: a container and a device lock each other.

type devices struct {
	mu   sync.Mutex
	list map[string]*device
}

type device struct {
	mu  sync.Mutex
	set *devices
}

func (s *devices) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.list[name]
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(s.list, name)
}

func (d *device) statusWrong() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.set.mu.Lock()
	defer d.set.mu.Unlock()
	return len(d.set.list)
}

func (d *device) statusRight() int {
	d.set.mu.Lock()
	defer d.set.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.set.list)
}

func newDevices() (*devices, *device) {
	s := &devices{list: map[string]*device{}}
	d := &device{set: s}
	s.list["d"] = d
	return s, d
}

func TestWrongABBA(t *testing.T) {
	s, d := newDevices()
	go s.remove("d")
	go d.statusWrong()
	time.Sleep(time.Second)
}

func TestRightABBA(t *testing.T) {
	s, d := newDevices()
	go s.remove("d")
	go d.statusRight()
	time.Sleep(time.Second)
}

// AB-BA of local locks.

func TestWrongLocalABBA(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		defer wg.Done()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	wg.Wait()
}

func TestRightLocalABBA(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Unlock()
		}()
	}
	wg.Wait()
}

// Accounts.

type account struct {
	mu  sync.Mutex
	id  int
	bal int
}

func transferWrong(from, to *account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.bal--
	to.bal++
}

func transferRight(from, to *account) {
	a, b := from, to
	if a.id > b.id {
		a, b = b, a
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	from.bal--
	to.bal++
}

func TestWrongTransfer(t *testing.T) {
	x, y := &account{id: 1}, &account{id: 2}
	var wg sync.WaitGroup
	wg.Go(func() { transferWrong(x, y) })
	wg.Go(func() { transferWrong(y, x) })
	wg.Wait()
}

func TestRightTransfer(t *testing.T) {
	x, y := &account{id: 1}, &account{id: 2}
	var wg sync.WaitGroup
	wg.Go(func() { transferRight(x, y) })
	wg.Go(func() { transferRight(y, x) })
	wg.Wait()
}

// RWR: a read lock inside of a read lock, and a writer in between.

type view struct {
	mu sync.RWMutex
	n  int
}

func (v *view) size() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.n
}

func (v *view) stringWrong() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.size()
}

func (v *view) stringRight() int { return v.size() }

func (v *view) grow() {
	v.mu.Lock()
	v.n++
	v.mu.Unlock()
}

func TestWrongRWR(t *testing.T) {
	v := new(view)
	var wg sync.WaitGroup
	wg.Go(func() { v.stringWrong() })
	wg.Go(v.grow)
	wg.Wait()
}

func TestRightRWR(t *testing.T) {
	v := new(view)
	var wg sync.WaitGroup
	wg.Go(func() { v.stringRight() })
	wg.Go(v.grow)
	wg.Wait()
}

// A read lock that waits for a goroutine that needs the write lock.

func TestWrongReadWait(t *testing.T) {
	var mu sync.RWMutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		done <- true
	}()
	mu.RLock()
	defer mu.RUnlock()
	<-done
}

func TestRightReadWait(t *testing.T) {
	var mu sync.RWMutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		done <- true
	}()
	mu.RLock()
	mu.RUnlock()
	<-done
}

// A lock that an unknown function gets, which may release it: gorm's prepared statements.

type statements interface {
	add(query string, held sync.Locker) error
}

type prepared struct {
	mu    sync.Mutex
	store statements
}

func (p *prepared) prepareRight(query string) error {
	p.mu.Lock()
	if query == "" {
		p.mu.Unlock()
		return nil
	}
	return p.store.add(query, &p.mu)
}

func (p *prepared) prepareWrong(query string) error {
	p.mu.Lock()
	if query == "" {
		p.mu.Unlock()
		return nil
	}
	return p.store.add(query, nil)
}

func TestRightHandedOver(t *testing.T) {
	p := &prepared{}
	p.prepareRight("")
}

func TestWrongHandedOver(t *testing.T) {
	p := &prepared{}
	p.prepareWrong("")
}

// A Wait outside of a loop, after which the condition is checked again: docker's BytesPipe.

type bytesPipe struct {
	mu   sync.Mutex
	wait *sync.Cond
	size int
}

func (p *bytesPipe) readRight() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size == 0 {
		p.wait.Wait()
		if p.size == 0 {
			return 0
		}
	}
	p.size--
	return 1
}

func (p *bytesPipe) readWrong() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size == 0 {
		p.wait.Wait()
	}
	p.size--
	return 1
}

func (p *bytesPipe) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size++
	p.wait.Broadcast()
}

func newBytesPipe() *bytesPipe {
	p := &bytesPipe{}
	p.wait = sync.NewCond(&p.mu)
	return p
}

func TestRightChecksAgain(t *testing.T) {
	p := newBytesPipe()
	p.write()
	p.readRight()
}

func TestWrongChecksAgain(t *testing.T) {
	p := newBytesPipe()
	p.write()
	p.readWrong()
}

package kernels

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Data races of fields.

type stats struct {
	mu sync.Mutex
	n  int
}

func (s *stats) addWrong() { s.n++ }

func (s *stats) addLocked() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func TestWrongRace(t *testing.T) {
	s := new(stats)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(s.addWrong)
	}
	wg.Wait()
}

func TestRightRace(t *testing.T) {
	s := new(stats)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(s.addLocked)
	}
	wg.Wait()
}

// Reads without the lock.

func TestWrongHalfLocked(t *testing.T) {
	s := new(stats)
	done := make(chan bool)
	go func() {
		s.addLocked()
		close(done)
	}()
	if s.n > 0 {
		t.Log("early")
	}
	<-done
}

func TestRightHalfLocked(t *testing.T) {
	s := new(stats)
	done := make(chan bool)
	go func() {
		s.addLocked()
		close(done)
	}()
	<-done
	if s.n == 0 {
		t.Log("late")
	}
}

// Anonymous functions that share a variable.

func TestWrongAnonymous(t *testing.T) {
	var wg sync.WaitGroup
	var err error
	for _, f := range []func() error{first, second} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err = f(); err != nil {
				return
			}
		}()
	}
	wg.Wait()
}

func TestRightAnonymous(t *testing.T) {
	var wg sync.WaitGroup
	for _, f := range []func() error{first, second} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil {
				return
			}
		}()
	}
	wg.Wait()
}

func first() error  { return nil }
func second() error { return nil }

func TestWrongLoopVariable(t *testing.T) {
	var wg sync.WaitGroup
	var i int
	for i = 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			print(i)
		}()
	}
	wg.Wait()
}

func TestRightLoopVariable(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			print(i)
		}()
	}
	wg.Wait()
}

// Order violation: it is used before it is made.

type conn struct{ peer *conn }

type dialer struct {
	c    *conn
	made chan bool
}

func (d *dialer) use() *conn { return d.c.peer }

func TestWrongOrder(t *testing.T) {
	d := &dialer{made: make(chan bool)}
	go func() {
		d.c = new(conn)
		close(d.made)
	}()
	d.use()
	<-d.made
}

func TestRightOrder(t *testing.T) {
	d := &dialer{made: make(chan bool)}
	go func() {
		d.c = new(conn)
		close(d.made)
	}()
	<-d.made
	d.use()
}

// A map.

func TestWrongMap(t *testing.T) {
	m := map[int]int{}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { m[i] = i })
	}
	wg.Wait()
}

func TestRightMap(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { m.Store(i, i) })
	}
	wg.Wait()
}

// A channel that is closed twice, or sent to when closed.

type closer struct {
	once sync.Once
	ch   chan int
}

func (c *closer) closeWrong() { close(c.ch) }
func (c *closer) closeRight() { c.once.Do(func() { close(c.ch) }) }

func TestWrongCloseTwice(t *testing.T) {
	c := &closer{ch: make(chan int)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.closeWrong)
	}
	wg.Wait()
}

func TestRightCloseTwice(t *testing.T) {
	c := &closer{ch: make(chan int)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.closeRight)
	}
	wg.Wait()
}

func TestWrongSendClosed(t *testing.T) {
	ch := make(chan int, 2)
	done := make(chan bool)
	go func() {
		ch <- 1
		close(done)
	}()
	close(ch)
	<-done
}

func TestRightSendClosed(t *testing.T) {
	ch := make(chan int, 2)
	done := make(chan bool)
	go func() {
		ch <- 1
		close(done)
	}()
	<-done
	close(ch)
}

// Atomic and plain.

func TestWrongAtomic(t *testing.T) {
	var n int64
	var wg sync.WaitGroup
	wg.Go(func() { atomic.AddInt64(&n, 1) })
	n++
	wg.Wait()
}

func TestRightAtomic(t *testing.T) {
	var n int64
	var wg sync.WaitGroup
	wg.Go(func() { atomic.AddInt64(&n, 1) })
	atomic.AddInt64(&n, 1)
	wg.Wait()
}

// A lost update.

type level struct{ n atomic.Int64 }

func (l *level) raiseWrong() { l.n.Store(l.n.Load() + 1) }
func (l *level) raiseRight() { l.n.Add(1) }

func TestWrongUpdate(t *testing.T) {
	l := new(level)
	var wg sync.WaitGroup
	wg.Go(l.raiseWrong)
	wg.Go(l.raiseWrong)
	wg.Wait()
}

func TestRightUpdate(t *testing.T) {
	l := new(level)
	var wg sync.WaitGroup
	wg.Go(l.raiseRight)
	wg.Go(l.raiseRight)
	wg.Wait()
}

// WaitGroup misuse.

func TestWrongAdd(t *testing.T) {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		wg.Done()
	}()
	wg.Wait()
}

func TestRightAdd(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
	}()
	wg.Wait()
}

// The testing library.

func TestWrongFatal(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		if first() != nil {
			t.Fatal("first")
		}
	}()
	<-done
}

func TestRightFatal(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		if first() != nil {
			t.Error("first")
		}
	}()
	<-done
}

// Written under a read lock.

type cache struct {
	mu sync.RWMutex
	m  map[int]int
}

func (c *cache) getWrong(k int) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = k
	return k
}

func (c *cache) getRight(k int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = k
	return k
}

func TestWrongReadLocked(t *testing.T) {
	c := &cache{m: map[int]int{}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { c.getWrong(i) })
	}
	wg.Wait()
}

func TestRightReadLocked(t *testing.T) {
	c := &cache{m: map[int]int{}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { c.getRight(i) })
	}
	wg.Wait()
}

// Published through a channel.

func TestWrongPublish(t *testing.T) {
	ch := make(chan *stats, 1)
	go func() {
		s := <-ch
		s.n++
	}()
	s := new(stats)
	ch <- s
	s.n++
}

func TestRightPublish(t *testing.T) {
	ch := make(chan *stats, 1)
	go func() {
		s := <-ch
		s.n++
	}()
	s := new(stats)
	s.n++
	ch <- s
}

// A memory that is shared, or not, for all its life.

type pages struct {
	shared bool
	size   int64
}

func (p *pages) growRight(n int64) {
	if p.shared {
		atomic.AddInt64(&p.size, n)
	} else {
		p.size += n
	}
}

func (p *pages) growWrong(n int64, shared bool) {
	if shared {
		atomic.AddInt64(&p.size, n)
	} else {
		p.size += n
	}
}

func TestRightSharedFlag(t *testing.T) {
	p := &pages{shared: true}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { p.growRight(1) })
	}
	wg.Wait()
}

func TestWrongSharedFlag(t *testing.T) {
	p := &pages{}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { p.growWrong(1, i == 0) })
	}
	wg.Wait()
}

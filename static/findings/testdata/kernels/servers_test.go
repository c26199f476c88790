package kernels

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A server that ticks for ever, and a client that waits for a lock that it never releases.

type ticking struct {
	sync.Mutex
	quit chan struct{}
	n    int
}

func (s *ticking) run(forget bool) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.Lock()
			s.n++
			if forget && s.n == 1 {
				continue
			}
			s.Unlock()
		case <-s.quit:
			return
		}
	}
}

func (s *ticking) stop() {
	s.Lock()
	defer s.Unlock()
	close(s.quit)
}

func TestWrongTicker(t *testing.T) {
	s := &ticking{quit: make(chan struct{})}
	go s.run(true)
	time.Sleep(time.Minute)
	s.stop()
}

func TestRightTicker(t *testing.T) {
	s := &ticking{quit: make(chan struct{})}
	go s.run(false)
	time.Sleep(time.Minute)
	s.stop()
}

// A variable of the package.

var requests = make(chan int)

func serveWrong(n int) {
	for range n {
		<-requests
	}
}

func TestWrongGlobal(t *testing.T) {
	go serveWrong(1)
	requests <- 1
	requests <- 2
}

func TestRightGlobal(t *testing.T) {
	go serveWrong(2)
	requests <- 1
	requests <- 2
}

// A watcher whose stop channel and result channel wait for each other.

type watcher interface {
	Stop()
	Results() <-chan int
}

type stream struct {
	results chan int
	done    chan struct{}
	once    sync.Once
	mu      sync.Mutex
	stopped bool
}

func (s *stream) Results() <-chan int { return s.results }

func (s *stream) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.stopped = true
		close(s.done)
	}
}

func (s *stream) feedWrong() {
	defer close(s.results)
	for i := 0; ; i++ {
		s.mu.Lock()
		over := s.stopped
		s.mu.Unlock()
		if over {
			return
		}
		s.results <- i
	}
}

func (s *stream) feedRight() {
	defer close(s.results)
	for i := 0; ; i++ {
		select {
		case s.results <- i:
		case <-s.done:
			return
		}
	}
}

func use(w watcher) {
	<-w.Results()
	w.Stop()
}

func TestWrongWatcher(t *testing.T) {
	s := &stream{results: make(chan int), done: make(chan struct{})}
	go s.feedWrong()
	use(s)
}

func TestRightWatcher(t *testing.T) {
	s := &stream{results: make(chan int), done: make(chan struct{})}
	go s.feedRight()
	use(s)
}

// A pool of workers; an error ends one early.

type task struct{ err error }

func workWrong(tasks []task) error {
	in, errs := make(chan task), make(chan error)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := range in {
				if t.err != nil {
					errs <- t.err
					return
				}
			}
		}()
	}
	for _, t := range tasks {
		in <- t
	}
	close(in)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

func workRight(tasks []task) error {
	in, errs := make(chan task), make(chan error, len(tasks))
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := range in {
				if t.err != nil {
					errs <- t.err
				}
			}
		}()
	}
	for _, t := range tasks {
		in <- t
	}
	close(in)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

func TestWrongPool(t *testing.T) { workWrong([]task{{}, {errors.New("no")}, {}}) }
func TestRightPool(t *testing.T) { workRight([]task{{}, {errors.New("no")}, {}}) }

// A random branch.

func TestWrongRandom(t *testing.T) {
	ch := make(chan int)
	go func() {
		if rand.Intn(2) == 0 {
			return
		}
		ch <- 1
	}()
	<-ch
}

func TestRightRandom(t *testing.T) {
	ch := make(chan int)
	go func() {
		defer close(ch)
		if rand.Intn(2) == 0 {
			return
		}
		ch <- 1
	}()
	<-ch
}

// A stop function that is called by what it waits for.

type manager struct {
	mu    sync.RWMutex
	wg    sync.WaitGroup
	stops []func()
}

func (m *manager) add(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stops = append(m.stops, f)
}

func (m *manager) stopWrong() {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, f := range m.stops {
		f()
	}
	m.wg.Wait()
}

func (m *manager) stopRight() {
	m.mu.RLock()
	list := m.stops
	m.mu.RUnlock()
	for _, f := range list {
		f()
	}
	m.wg.Wait()
}

func newManager() *manager {
	m := new(manager)
	quit := make(chan struct{})
	m.add(func() { close(quit) })
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		<-quit
		m.add(func() {})
	}()
	return m
}

func TestWrongManager(t *testing.T) { newManager().stopWrong() }
func TestRightManager(t *testing.T) { newManager().stopRight() }

// A context that ends the reader, and a writer that waits for the reader.

type link struct {
	ctx    context.Context
	cancel context.CancelFunc
	out    chan []byte
	err    atomic.Value
}

func newLink() *link {
	l := &link{out: make(chan []byte)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

func (l *link) read() {
	for {
		select {
		case <-l.out:
		case <-l.ctx.Done():
			return
		}
	}
}

func (l *link) writeWrong(b []byte) { l.out <- b }

func (l *link) writeRight(b []byte) error {
	select {
	case l.out <- b:
		return nil
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
}

func TestWrongLink(t *testing.T) {
	l := newLink()
	var wg sync.WaitGroup
	wg.Go(l.read)
	wg.Go(l.cancel)
	l.writeWrong(nil)
	wg.Wait()
}

func TestRightLink(t *testing.T) {
	l := newLink()
	var wg sync.WaitGroup
	wg.Go(l.read)
	wg.Go(l.cancel)
	l.writeRight(nil)
	wg.Wait()
}

// A test that fails after a timeout is no leak.

func TestRightGivesUp(t *testing.T) {
	done := make(chan bool)
	go func() { done <- true }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("too slow")
	}
}

func TestRightCleanup(t *testing.T) {
	stop, done := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(stop); <-done })
	go func() {
		<-stop
		close(done)
	}()
}

// A notification that is not repeated.

type broadcaster struct {
	mu   sync.Mutex
	subs []chan int
}

func (b *broadcaster) subscribe() chan int {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := make(chan int)
	b.subs = append(b.subs, c)
	return c
}

func (b *broadcaster) sendWrong(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.subs {
		c <- n
	}
}

func (b *broadcaster) sendRight(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.subs {
		select {
		case c <- n:
		default:
		}
	}
}

func (b *broadcaster) unsubscribe(c chan int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, x := range b.subs {
		if x == c {
			b.subs = append(b.subs[:i], b.subs[i+1:]...)
			return
		}
	}
}

func TestWrongBroadcast(t *testing.T) {
	b := new(broadcaster)
	c := b.subscribe()
	go b.sendWrong(1)
	b.unsubscribe(c)
}

func TestRightBroadcast(t *testing.T) {
	b := new(broadcaster)
	c := b.subscribe()
	go b.sendRight(1)
	b.unsubscribe(c)
}

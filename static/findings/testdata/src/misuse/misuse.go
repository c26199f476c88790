// Package misuse has operations of package sync and others that are wrong wherever they are.
package misuse

import (
	"os"
	"os/signal"
	"sync"
)

type Q struct {
	mu   sync.Mutex
	cond *sync.Cond
	list []int
	once sync.Once
	too  sync.Once
}

func New() *Q {
	q := new(Q)
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Q) Wrong() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		q.cond.Wait() // want HBA305 "Cond.Wait outside of a loop"
	}
	return q.list[0]
}

func (q *Q) Right() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 {
		q.cond.Wait()
	}
	return q.list[0]
}

func (q *Q) wait() { q.cond.Wait() }

func (q *Q) RightHelper() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 {
		q.wait()
	}
}

func (q *Q) Init() {
	q.once.Do(func() { // want HBA304 "the function of q.once.Do calls Do of the same Once"
		q.Init()
	})
}

func (q *Q) RightInit() {
	q.too.Do(func() {
		q.once.Do(func() {})
	})
}

func Signals() {
	c := make(chan os.Signal)
	signal.Notify(c, os.Interrupt) // want HBA206 "signal.Notify with a channel without a buffer"
	<-c
}

func RightSignals() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	<-c
}

func Add(n int) {
	var wg sync.WaitGroup
	for range n {
		go func() {
			wg.Add(1) // want HBA301 "wg.Add in the goroutine that it counts"
			defer wg.Done()
		}()
	}
	wg.Wait()
}

// Spawn waits for goroutines that another goroutine starts.
func Spawn(stop chan bool) {
	var wg sync.WaitGroup
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				wg.Add(1) // want HBA301 "wg.Add in a goroutine for which nothing was added"
				go wg.Done()
			}
		}
	}()
	stop <- true
	wg.Wait()
}

func RightAdd(n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			wg.Add(1)
			go wg.Done()
		}()
	}
	wg.Wait()
}

type buf struct{ b []byte }

var pool = sync.Pool{New: func() any { return new(buf) }}

func Put() []byte {
	b := pool.Get().(*buf)
	b.b = append(b.b, 1)
	pool.Put(b)
	return b.b // want HBA307 "b is used after it has been given back|is used after it has been given back"
}

func RightPut() {
	for range 2 {
		b := pool.Get().(*buf)
		b.b = append(b.b, 1)
		pool.Put(b)
	}
	b := pool.Get().(*buf)
	defer pool.Put(b)
	b.b = nil
}

func Nil() {
	var c chan int
	<-c // want HBA205 "receive from a nil channel blocks forever"
}

var never chan int

func NilGlobal() {
	never <- 1 // want HBA205 "send to never, to which no channel is ever assigned" medium
}

var C chan int // users may set it

func RightGlobal() { C <- 1 }

func Twice(ok bool) {
	c := make(chan int)
	defer close(c) // want HBA203 "c is closed again after it has been closed"
	if ok {
		close(c)
	}
}

func SendClosed() {
	c := make(chan int, 1)
	close(c)
	c <- 1 // want HBA203 "c is sent to after it has been closed"
}

func RightClose(list []chan int) {
	for _, c := range list {
		close(c)
	}
	c := make(chan int, 1)
	c <- 1
	close(c)
}

func (q *Q) RightStop(stop chan bool) {
	select {
	case <-stop:
	default:
		close(stop)
	}
}

// Session is what users get.
type Session interface{ Signals(c chan<- int) }

type session struct{ sig, other chan<- int }

// Signals is called by users.
func (s *session) Signals(c chan<- int) { s.sig = c }

// Serve serves one session.
func Serve(h func(Session)) {
	s := &session{}
	h(s)
	if h != nil {
		s.sig <- 1
	}
	if h != nil {
		s.other <- 1 // want HBA205 "send to (s|complit).other, to which no channel is ever assigned"
	}
}

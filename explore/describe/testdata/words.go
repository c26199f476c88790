package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type account struct {
	mu    sync.Mutex
	bal   int
	name  string
	tags  []string
	next  *account
	limit float64
	open  bool
}

type bank struct {
	sync.RWMutex
	accounts map[string]*account
	list     [3]int
	count    atomic.Int64
	raw      int32
	ptr      atomic.Pointer[account]
}

var total int

func (b *bank) locked(a *account) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bal
}

func work(b *bank, a *account, c chan int, quit chan bool) {
	a.bal = 5
	a.bal++
	a.bal += 2
	a.name = "gopher"
	a.tags = append(a.tags, a.name)
	a.tags[0] = "x"
	a.next = a
	a.next.open = true
	a.limit = 1.5
	p := &a.bal
	*p = 9
	total = *p
	b.list[1] = 7
	b.accounts["a"] = a
	_ = b.accounts["a"].bal
	delete(b.accounts, "a")
	for range b.list {
		break
	}
	for _, x := range a.tags {
		_ = x
	}
	b.locked(a)
	b.Lock()
	b.Unlock()
	b.RLock()
	b.RUnlock()
	b.count.Add(1)
	atomic.AddInt32(&b.raw, 3)
	b.ptr.Store(a)
	b.ptr.CompareAndSwap(a, nil)
	c <- 4
	c <- <-c
	select {
	case x := <-c:
		_ = x
	case quit <- true:
	}
	close(c)
	time.Sleep(1)
	fmt.Println("done", a.bal)
	copy(a.tags, a.tags)
}

// given panics: the deferred calls are executed where it does.
func given(b *bank) {
	defer func() { _ = recover() }()
	b.Lock()
	defer b.Unlock()
	defer b.count.Add(1)
	panic(nil)
}

func main() {
	b := &bank{accounts: map[string]*account{}}
	a := &account{}
	c := make(chan int, 1)
	quit := make(chan bool)
	var wg sync.WaitGroup
	var once sync.Once
	ready := sync.NewCond(&a.mu)
	wg.Add(1)
	go func() {
		defer wg.Done()
		work(b, a, c, quit)
	}()
	wg.Wait()
	once.Do(func() {})
	ready.Broadcast()
	given(b)
}

// Package library is small tests of programs that use what the standard library has for concurrency, and print what they find.
package library

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	res := make(chan int, 1)
	go func() { res <- 1 }()
	select {
	case v := <-res:
		fmt.Println("got", v)
	case <-ctx.Done():
		fmt.Println("late", ctx.Err())
	}
}

func TestAfterLoop(t *testing.T) {
	c := make(chan int)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2 {
			select {
			case c <- i:
			case <-time.After(time.Millisecond):
				fmt.Println("skip", i)
			}
		}
	}()
	for {
		select {
		case v := <-c:
			fmt.Println("v", v)
			continue
		case <-done:
		}
		break
	}
}

func TestTicker(t *testing.T) {
	tk := time.NewTicker(time.Second)
	stop := make(chan bool)
	go func() { stop <- true }()
	n := 0
	for n < 2 {
		select {
		case <-tk.C:
			n++
			continue
		case <-stop:
		}
		break
	}
	tk.Stop()
	fmt.Println(n)
	if n == 2 {
		<-stop
	}
}

func TestOnceMapPool(t *testing.T) {
	var once sync.Once
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			once.Do(func() { m.Store("first", i) })
			_, loaded := m.LoadOrStore("k", i)
			fmt.Println(i, loaded)
		})
	}
	wg.Wait()
	v, _ := m.Load("first")
	k, _ := m.Load("k")
	fmt.Println(v, k)
}

func TestRW(t *testing.T) {
	var mu sync.RWMutex
	x := 0
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer wg.Done(); mu.Lock(); x++; mu.Unlock() }()
	go func() { defer wg.Done(); mu.RLock(); fmt.Println("r", x); mu.RUnlock() }()
	go func() {
		defer wg.Done()
		if mu.TryLock() {
			x += 10
			mu.Unlock()
		} else if mu.TryRLock() {
			fmt.Println("tr", x)
			mu.RUnlock()
		}
	}()
	wg.Wait()
	fmt.Println(x)
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			for ready == 0 {
				c.Wait()
			}
			ready--
			fmt.Println("w", i)
			mu.Unlock()
		}()
	}
	mu.Lock()
	ready = 2
	c.Signal()
	mu.Unlock()
	c.Broadcast()
	wg.Wait()
}

func TestGoexit(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		defer func() { fmt.Println("rec", recover()) }()
		runtime.Goexit()
	}()
	go func() {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println("recovered", r)
			}
		}()
		c <- 1
	}()
	v, ok := <-c
	fmt.Println(v, ok)
	runtime.Gosched()
}

func TestErrgroup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var once sync.Once
	var first error
	var wg sync.WaitGroup
	do := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil {
				once.Do(func() { first = err; cancel(err) })
			}
		}()
	}
	do(func() error { return errors.New("a") })
	do(func() error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
			return errors.New("b")
		}
	})
	wg.Wait()
	fmt.Println(first)
}

func TestAtomicFlags(t *testing.T) {
	var a, b atomic.Bool
	var v atomic.Value
	done := make(chan int, 2)
	go func() { a.Store(true); v.Store("x"); fmt.Println("b", b.Load()); done <- 1 }()
	go func() { b.Store(true); fmt.Println("a", a.Swap(false), v.Load()); done <- 2 }()
	fmt.Println(<-done)
	fmt.Println(<-done)
}

func TestMergeFanIn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan string)
	src := func(n string) <-chan string {
		c := make(chan string)
		go func() {
			defer close(c)
			for i := range 1 {
				select {
				case c <- fmt.Sprint(n, i):
				case <-ctx.Done():
					return
				}
			}
		}()
		return c
	}
	a, b := src("a"), make(chan string)
	close(b)
	go func() {
		defer close(out)
		second := b
		for a != nil || second != nil {
			var v string
			var ok bool
			select {
			case v, ok = <-a:
				if !ok {
					a = nil
					continue
				}
			case v, ok = <-second:
				if !ok {
					second = nil
					continue
				}
			case <-ctx.Done():
				return
			}
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	fmt.Println(<-out)
	cancel()
	v, ok := <-out
	fmt.Println(v, ok)
}

func TestTryAndSelect(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() {
		select {
		case a <- 1:
			fmt.Println("sent a")
		case v := <-b:
			fmt.Println("got b", v)
		}
	}()
	go func() {
		select {
		case v := <-a:
			fmt.Println("try a", v)
		default:
			fmt.Println("nothing")
		}
	}()
	select {
	case b <- 2:
		fmt.Println("main sent")
	case v := <-a:
		fmt.Println("main got", v)
	}
}

func TestStopTimer(t *testing.T) {
	tm := time.NewTimer(time.Second)
	c := make(chan int, 1)
	go func() {
		select {
		case <-tm.C:
			c <- 1
		case <-time.After(2 * time.Second):
			c <- 2
		}
	}()
	fmt.Println(tm.Stop())
	fmt.Println(<-c)
}

func TestPanicRace(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1; close(c) }()
	go func() {
		defer func() { fmt.Println("r", recover()) }()
		c <- 2
	}()
	fmt.Println(<-c)
	v, ok := <-c
	fmt.Println(v, ok)
}

func TestWGReuse(t *testing.T) {
	var wg sync.WaitGroup
	var n atomic.Int32
	wg.Add(1)
	go func() { n.Add(1); wg.Done() }()
	go func() { wg.Wait(); fmt.Println("second", n.Load()) }()
	wg.Wait()
	wg.Add(1)
	go func() { n.Add(1); wg.Done() }()
	wg.Wait()
	fmt.Println(n.Load())
}

// A loop waits for a sum: additions that commute enable it only together.
func TestSum(t *testing.T) {
	var v atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() { v.Add(1) })
	wg.Go(func() {
		v.Add(1)
		for v.Load() != 0 {
		}
	})
	wg.Go(func() { v.Add(-1) })
	wg.Wait()
	fmt.Println(v.Load())
}

// A loop waits until there are no readers, who commute.
func TestNoReaders(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.RLock()
			mu.RUnlock()
		})
	}
	wg.Go(func() {
		mu.RLock()
		fmt.Println("read")
		for mu.RUnlock(); !mu.TryLock(); {
		}
		fmt.Println("wrote")
		mu.Unlock()
	})
	wg.Wait()
}

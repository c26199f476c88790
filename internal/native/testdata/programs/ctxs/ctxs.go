// Package ctxs has programs about package context, and groups of goroutines.
package ctxs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Cancel: Err before or after.
func Cancel() {
	ctx, cancel := context.WithCancel(context.Background())
	par(func() { cancel() }, func() { fmt.Print(ctx.Err()) })
}

// CancelTwice: either cause is first.
func CancelTwice() {
	ctx, cancel := context.WithCancelCause(context.Background())
	par(func() { cancel(errors.New("a")) }, func() { cancel(errors.New("b")) })
	fmt.Print(context.Cause(ctx), ctx.Err())
}

// Child: a child is cancelled with its parent.
func Child() {
	parent, cancel := context.WithCancel(context.Background())
	child, stop := context.WithCancel(parent)
	defer stop()
	go cancel()
	<-child.Done()
	fmt.Print(child.Err(), parent.Err())
}

// ChildFirst: when the child is done by itself the parent is not.
func ChildFirst() {
	parent, cancel := context.WithCancel(context.Background())
	child, stop := context.WithCancel(parent)
	par(stop, func() { fmt.Print(child.Err() == nil, parent.Err() == nil) })
	cancel()
}

// ChildLate: a child made beside the cancelling of its parent.
func ChildLate() {
	parent, cancel := context.WithCancel(context.Background())
	par(func() { cancel() }, func() {
		child, stop := context.WithCancel(parent)
		fmt.Print(child.Err() == nil)
		stop()
		<-child.Done()
	})
}

// Value: found in a parent.
func Value() {
	type key int
	ctx := context.WithValue(context.WithValue(context.Background(), key(1), "a"), key(2), "b")
	fmt.Print(ctx.Value(key(1)), ctx.Value(key(2)), ctx.Value(1))
}

// Timeout: it ends at last.
func Timeout() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	fmt.Print(ctx.Err(), context.Cause(ctx))
}

// TimeoutOrCancel: one of the two.
func TimeoutOrCancel() {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Microsecond)
	time.Sleep(50 * time.Microsecond)
	cancel()
	fmt.Print(ctx.Err())
}

// TimeoutLong: an hour does not pass.
func TimeoutLong() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	select {
	case <-ctx.Done():
		panic("timeout")
	default:
	}
	cancel()
	fmt.Print(ctx.Err())
}

// TimeoutWork: quick work under a timeout of an hour.
func TimeoutWork() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-ctx.Done():
		panic("timeout")
	case v := <-c:
		fmt.Print(v)
	}
}

// Past: a deadline that is over.
func Past() {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	fmt.Print(ctx.Err())
}

// DeadlineEarlier: the earlier of two deadlines counts.
func DeadlineEarlier() {
	a, stop := context.WithTimeout(context.Background(), time.Hour)
	defer stop()
	b, cancel := context.WithTimeout(a, 2*time.Hour)
	defer cancel()
	x, _ := a.Deadline()
	y, ok := b.Deadline()
	fmt.Print(x.Equal(y), ok)
}

// AfterFunc: called when the context is done, in a goroutine.
func AfterFunc() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan string)
	context.AfterFunc(ctx, func() { c <- "called" })
	cancel()
	fmt.Print(<-c)
}

// AfterFuncStop: stopped in time or not.
func AfterFuncStop() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int, 1)
	stop := context.AfterFunc(ctx, func() { c <- 1 })
	stopped := false
	par(func() { cancel() }, func() { stopped = stop() })
	if !stopped {
		<-c
	}
	fmt.Print(stopped)
}

// AfterFuncTwice: stop says true once.
func AfterFuncTwice() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := context.AfterFunc(ctx, func() {})
	fmt.Print(stop(), stop())
}

// WithoutCancel: not cancelled.
func WithoutCancel() {
	ctx, cancel := context.WithCancel(context.Background())
	d := context.WithoutCancel(ctx)
	cancel()
	fmt.Print(d.Err(), d.Done() == nil)
}

// CauseTimeout: the cause of a timeout.
func CauseTimeout() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Microsecond, errors.New("slow"))
	defer cancel()
	<-ctx.Done()
	fmt.Print(ctx.Err(), context.Cause(ctx))
}

// DoneOnce: Done is the same channel for all.
func DoneOnce() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var a, b <-chan struct{}
	par(func() { a = ctx.Done() }, func() { b = ctx.Done() })
	fmt.Print(a == b)
}

// custom is a context of one's own.
type custom struct {
	context.Context
	done chan struct{}
	mu   sync.Mutex
	err  error
}

func (c *custom) Done() <-chan struct{} { return c.done }
func (c *custom) Err() error            { c.mu.Lock(); defer c.mu.Unlock(); return c.err }

// Custom: a child of a foreign context is cancelled through a goroutine.
func Custom() {
	c := &custom{Context: context.Background(), done: make(chan struct{})}
	child, stop := context.WithCancel(c)
	defer stop()
	c.mu.Lock()
	c.err = errors.New("own")
	c.mu.Unlock()
	close(c.done)
	<-child.Done()
	fmt.Print(child.Err())
}

// Leak: a cancel that is never called leaves nothing waiting.
func Leak() {
	ctx, _ := context.WithCancel(context.Background()) //nolint
	fmt.Print(ctx.Err())
}

// group is errgroup in short.
type group struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelFunc
}

func (g *group) start(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				if g.cancel != nil {
					g.cancel()
				}
			})
		}
	}()
}

func (g *group) wait() error { g.wg.Wait(); return g.err }

// GroupFirst: the first error is kept.
func GroupFirst() {
	var g group
	g.start(func() error { return errors.New("a") })
	g.start(func() error { return errors.New("b") })
	fmt.Print(g.wait())
}

// GroupCancel: an error cancels the others.
func GroupCancel() {
	ctx, cancel := context.WithCancel(context.Background())
	g := group{cancel: cancel}
	c := make(chan int, 1)
	c <- 1
	g.start(func() error { return errors.New("a") })
	g.start(func() error {
		select {
		case <-ctx.Done():
			fmt.Print("cancelled ")
		case <-c:
			fmt.Print("worked ")
		}
		return nil
	})
	fmt.Print(g.wait())
}

// GroupPanic: a panic in a goroutine ends the program.
func GroupPanic() {
	var g group
	g.start(func() error { panic("inside") })
	_ = g.wait()
	fmt.Print("ok")
}

// Merge: done when the second of two is.
func Merge() {
	a, stopA := context.WithCancel(context.Background())
	b, stopB := context.WithCancel(context.Background())
	m, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(errors.New("b")) })
	go stopB()
	<-m.Done()
	stopA()
	stop()
	fmt.Print(context.Cause(m))
}

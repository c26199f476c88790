// Package chans has programs about channels and select.
package chans

import (
	"fmt"
	"sync"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Unbuffered: two senders, either is first.
func Unbuffered() {
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	a := <-c
	fmt.Print(a, <-c)
}

// Buffered: the order of sends is that of receives.
func Buffered() {
	c := make(chan int, 2)
	par(func() { c <- 1 }, func() { c <- 2 })
	a := <-c
	fmt.Print(a, <-c)
}

// BufferedFull: a third send waits.
func BufferedFull() {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	c <- 3
}

// Len: what len sees.
func Len() {
	c := make(chan int, 2)
	n := 0
	par(func() { c <- 1; c <- 2 }, func() { n = len(c) })
	fmt.Print(n, cap(c))
}

// Close: a receive sees values, then the end.
func Close() {
	c := make(chan int, 1)
	c <- 1
	close(c)
	a, ok := <-c
	b, no := <-c
	fmt.Print(a, ok, b, no)
}

// CloseBeside: a receive beside a close.
func CloseBeside() {
	c := make(chan int, 1)
	var v int
	var ok bool
	par(func() { c <- 1; close(c) }, func() { v, ok = <-c })
	fmt.Print(v, ok)
}

// CloseTwice panics.
func CloseTwice() {
	c := make(chan int)
	close(c)
	close(c)
}

// CloseNil panics.
func CloseNil() {
	var c chan int
	close(c)
}

// SendClosed: a send that waits when the channel is closed panics.
func SendClosed() {
	c := make(chan int)
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		c <- 1
	}()
	close(c)
	fmt.Print(<-done)
}

// SendOrClose: close beside a buffered send.
func SendOrClose() {
	c := make(chan int, 1)
	var r any
	par(func() { defer func() { r = recover() }(); c <- 1 }, func() { close(c) })
	fmt.Print(r)
}

// CloseRace: two goroutines close.
func CloseRace() {
	c := make(chan int)
	n := make(chan any, 2)
	cl := func() { defer func() { n <- recover() }(); close(c) }
	par(cl, cl)
	a := <-n
	b := <-n
	fmt.Print((a == nil) != (b == nil))
}

// NilBlocks: a nil channel is never ready.
func NilBlocks() {
	var c chan int
	select {
	case <-c:
		fmt.Print("no")
	default:
		fmt.Print("ok")
	}
}

// NilForever: sending to it waits forever.
func NilForever() {
	var c chan int
	c <- 1
}

// EmptySelect waits forever.
func EmptySelect() {
	select {}
}

// SelectFair: both cases are ready.
func SelectFair() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 1
	select {
	case <-a:
		fmt.Print("a")
	case <-b:
		fmt.Print("b")
	}
}

// SelectSend: sends and receives.
func SelectSend() {
	c := make(chan int, 1)
	for i := range 2 {
		select {
		case c <- i:
			fmt.Print("s")
		case v := <-c:
			fmt.Print(v)
		}
	}
}

// SelectBoth: two goroutines select on the same two channels.
func SelectBoth() {
	a, b := make(chan int), make(chan int)
	s := func(x int) func() {
		return func() {
			select {
			case a <- x:
			case v := <-a:
				fmt.Print("a", x, v)
			case b <- x:
			case v := <-b:
				fmt.Print("b", x, v)
			}
		}
	}
	par(s(1), s(2))
}

// SelectDefault: nothing may be ready yet.
func SelectDefault() {
	c := make(chan int, 1)
	par(func() { c <- 1 }, func() {
		select {
		case v := <-c:
			fmt.Print(v)
		default:
			fmt.Print("none")
		}
	})
}

// SelectClosed: a closed channel is always ready.
func SelectClosed() {
	c, d := make(chan int), make(chan int, 1)
	close(c)
	d <- 1
	n := 0
	for range 3 {
		select {
		case <-c:
		case <-d:
			n++
		}
	}
	fmt.Print(n)
}

// SelectSendClosed: a send to a closed channel in a select panics, if it is chosen.
func SelectSendClosed() {
	c, d := make(chan int), make(chan int, 1)
	close(c)
	defer func() { fmt.Print(recover()) }()
	select {
	case c <- 1:
	case d <- 1:
		fmt.Print("d")
	}
}

// SelectSame: one channel in two cases.
func SelectSame() {
	c := make(chan int, 1)
	c <- 1
	select {
	case <-c:
		fmt.Print("a")
	case <-c:
		fmt.Print("b")
	}
}

// SelectNil: a case is switched off.
func SelectNil() {
	a, b := make(chan int, 1), make(chan int, 2)
	a <- 1
	b <- 2
	for a != nil || b != nil {
		select {
		case v := <-a:
			fmt.Print(v)
			a = nil
		case v := <-b:
			fmt.Print(v)
			b = nil
		}
	}
}

// SelectOrder: operands are evaluated once, in order.
func SelectOrder() {
	c := make(chan int, 1)
	f := func(s string) chan int { fmt.Print(s); return c }
	select {
	case f("a") <- len("x"):
	case <-f("b"):
	}
}

// RangeChannel: until it is closed.
func RangeChannel() {
	c := make(chan int)
	go func() {
		for i := range 3 {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		fmt.Print(v)
	}
}

// RangeOpen: nobody closes it.
func RangeOpen() {
	c := make(chan int, 1)
	c <- 1
	for v := range c {
		fmt.Print(v)
	}
}

// WorkersTwo: who gets what.
func WorkersTwo() {
	jobs := make(chan int, 2)
	out := make(chan string, 2)
	for _, name := range []string{"a", "b"} {
		go func() {
			for j := range jobs {
				out <- fmt.Sprint(name, j)
			}
		}()
	}
	jobs <- 1
	jobs <- 2
	close(jobs)
	a := <-out
	fmt.Print(a, <-out)
}

// Semaphore: at most one is inside.
func Semaphore() {
	sem := make(chan struct{}, 1)
	n := 0
	use := func() { sem <- struct{}{}; n++; <-sem }
	par(use, use)
	fmt.Print(n)
}

// SemaphoreWide: with room for two there is a race.
func SemaphoreWide() {
	sem := make(chan struct{}, 2)
	n := 0
	use := func() { sem <- struct{}{}; n++; <-sem }
	par(use, use)
}

// Done: a receiver is told to stop.
func Done() {
	done, c := make(chan struct{}), make(chan int, 1)
	par(func() { close(done) }, func() {
		select {
		case <-done:
			fmt.Print("done")
		case c <- 1:
			fmt.Print("sent")
		}
	})
}

// Leak: a goroutine waits forever when main returns.
//
//native:bug HB003 its send has no receiver
func Leak() {
	c := make(chan int)
	go func() { c <- 1 }()
	fmt.Print("ok")
}

// FirstOfTwo: the slower of two waits forever.
//
//native:bug HB003 its send has no receiver
func FirstOfTwo() {
	c := make(chan int)
	for i := range 2 {
		go func() { c <- i }()
	}
	fmt.Print(<-c)
}

// HandOver: a channel through a channel.
func HandOver() {
	cc := make(chan chan int)
	go func() { c := <-cc; c <- 1 }()
	c := make(chan int)
	cc <- c
	fmt.Print(<-c)
}

// Ping: two goroutines in turns.
func Ping() {
	a, b := make(chan int), make(chan int)
	go func() {
		for v := range a {
			b <- v + 1
		}
		close(b)
	}()
	x := 0
	for range 3 {
		a <- x
		x = <-b
	}
	close(a)
	<-b
	fmt.Print(x)
}

// Zero: elements of no size.
func Zero() {
	c := make(chan struct{}, 1<<20)
	c <- struct{}{}
	fmt.Print(len(c), cap(c))
}

// Large: a channel of more than a program can use.
func Large() {
	c := make(chan int, 1<<16)
	fmt.Print(cap(c))
}

// TooLarge: a negative size.
func TooLarge() {
	n := -1
	_ = make(chan int, n)
}

// Straggler: main does not wait for what it started.
//
//native:straggler
func Straggler() {
	go func() { fmt.Print("late") }()
	fmt.Print("main")
}

// Interrupted: a loop that is told to stop sends some values.
func Interrupted() {
	c, stop := make(chan int), make(chan bool)
	go func() {
		for i := 0; ; i++ {
			select {
			case c <- i:
			case <-stop:
				close(c)
				return
			}
		}
	}()
	fmt.Print(<-c)
	select {
	case stop <- true:
	case v := <-c:
		fmt.Print(v)
		stop <- true
	}
}

// Directions: conversions keep the channel.
func Directions() {
	c := make(chan int, 1)
	var s chan<- int = c
	var r <-chan int = c
	s <- 1
	fmt.Print(<-r, len(s), cap(r))
}

// Compare: channels are equal if they are the same.
func Compare() {
	a, b := make(chan int), make(chan int)
	fmt.Print(a == b, a == a, (<-chan int)(a) == a)
}

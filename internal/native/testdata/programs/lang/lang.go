// Package lang has programs about panics, closures, iterators and the language's own rules.
package lang

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strings"
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

// Panic with a text.
func Panic() { panic("boom") }

// PanicError prints the error.
func PanicError() { panic(errors.New("bad")) }

// PanicNumber prints the type, too.
func PanicNumber() { panic(7) }

// PanicNil is an error of its own.
func PanicNil() {
	defer func() { fmt.Print(recover()) }()
	panic(nil)
}

// PanicRecovered goes on.
func PanicRecovered() {
	defer func() { fmt.Print(recover(), recover()) }()
	panic("x")
}

// PanicAgain: the second panic is seen.
func PanicAgain() {
	defer func() { fmt.Print(recover()) }()
	defer func() { panic("second") }()
	panic("first")
}

// PanicReplaced prints both.
func PanicReplaced() {
	defer func() { panic("second") }()
	panic("first")
}

// PanicElsewhere ends the program from another goroutine.
func PanicElsewhere() {
	c := make(chan int)
	go func() { panic("elsewhere") }()
	<-c
}

// PanicOrExit: a panic beside an exit.
func PanicOrExit() {
	c := make(chan int)
	go func() { panic("elsewhere") }()
	go func() { os.Exit(3) }()
	<-c
}

// PanicTexts of the runtime.
func PanicTexts() {
	try := func(f func()) {
		defer func() { fmt.Println(recover()) }()
		f()
	}
	var s []int
	var m map[string]int
	var p *struct{ x int }
	var e any = "s"
	zero := 0
	try(func() { _ = s[3] })
	try(func() { _ = s[1:] })
	try(func() { m["a"] = 1 })
	try(func() { _ = p.x })
	try(func() { _ = e.(int) })
	try(func() { _ = e.(fmt.Stringer) })
	try(func() { _ = 1 / zero })
	try(func() { _ = [2]int(s) })
	try(func() { _ = make([]int, zero-1) })
}

// PanicLikeRuntime: a text that only looks like one of the runtime.
func PanicLikeRuntime() { panic("sync: unlock of unlocked mutex") }

// PanicGoexit: a recovered panic and Goexit.
func PanicGoexit() {
	c := make(chan string, 1)
	go func() {
		defer func() { c <- fmt.Sprint("r=", recover()) }()
		defer runtime.Goexit()
		panic("x")
	}()
	fmt.Print(<-c)
}

// ErrorsJoin and As.
func ErrorsJoin() {
	a := errors.New("a")
	j := errors.Join(a, fmt.Errorf("b: %w", os.ErrNotExist))
	fmt.Print(errors.Is(j, a), errors.Is(j, os.ErrNotExist), strings.Count(j.Error(), "\n"))
}

// LoopVariable: each iteration has its own.
func LoopVariable() {
	c := make(chan int, 3)
	for i := range 3 {
		go func() { c <- i }()
	}
	fmt.Print(<-c + <-c + <-c)
}

// LoopShared: a variable outside is shared.
func LoopShared() {
	n := 0
	par(func() { n++ }, func() { n++ })
}

// ClosureCounter: closures share what they capture.
func ClosureCounter() {
	n := 0
	inc, get := func() { n++ }, func() int { return n }
	for range 70000 {
		inc()
	}
	fmt.Print(get())
}

// DeferOrder: last in, first out.
func DeferOrder() {
	for i := range 3 {
		defer fmt.Print(i)
	}
}

// DeferArguments are evaluated at once.
func DeferArguments() {
	x := 1
	defer fmt.Print(x)
	x = 2
}

// DeferResult may change the result.
func DeferResult() {
	f := func() (n int) { defer func() { n *= 2 }(); return 3 }
	fmt.Print(f())
}

// seq yields up to n.
func seq(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Print("end")
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// RangeFunc to its end.
func RangeFunc() {
	for v := range seq(3) {
		fmt.Print(v)
	}
}

// RangeFuncBreak ends the function.
func RangeFuncBreak() {
	for v := range seq(3) {
		if v == 1 {
			break
		}
		fmt.Print(v)
	}
}

// RangeFuncReturn from inside.
func RangeFuncReturn() {
	f := func() int {
		for v := range seq(5) {
			if v == 2 {
				return v
			}
		}
		return -1
	}
	fmt.Print(f())
}

// RangeFuncPanic in the body.
func RangeFuncPanic() {
	defer func() { fmt.Print(recover()) }()
	for range seq(3) {
		panic("body")
	}
}

// RangeFuncOver: a function that goes on after break.
func RangeFuncOver() {
	defer func() { fmt.Print(recover()) }()
	for range func(yield func() bool) { yield(); yield() } {
		break
	}
}

// RangeFuncLater: the body called when the loop is over.
func RangeFuncLater() {
	var keep func() bool
	for range func(yield func() bool) { keep = yield } {
	}
	defer func() { fmt.Print(recover()) }()
	keep()
}

// RangeFuncDefer: deferred calls run at the end of the function.
func RangeFuncDefer() {
	f := func() {
		for v := range seq(2) {
			defer fmt.Print("d", v)
		}
		fmt.Print("f")
	}
	f()
}

// RangeFuncGoroutine: the body called by another goroutine.
func RangeFuncGoroutine() {
	n := 0
	for v := range func(yield func(int) bool) {
		done := make(chan bool)
		go func() { done <- yield(1) }()
		<-done
	} {
		n += v
	}
	fmt.Print(n)
}

// Pull values.
func Pull() {
	next, stop := iter.Pull(seq(2))
	a, ok := next()
	b, _ := next()
	_, no := next()
	stop()
	fmt.Print(a, b, ok, no)
}

// PullStop early.
func PullStop() {
	next, stop := iter.Pull(seq(5))
	next()
	stop()
	_, ok := next()
	fmt.Print(ok)
}

// PullShared: next in two goroutines is a race.
func PullShared() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	})
	var mu sync.Mutex
	_ = &mu
	par(func() {
		defer func() { _ = recover() }()
		next()
	}, func() {
		defer func() { _ = recover() }()
		next()
	})
	stop()
}

// PullLocked: with a lock, who gets which.
func PullLocked() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	})
	var mu sync.Mutex
	var a, b int
	get := func(to *int) func() { return func() { mu.Lock(); *to, _ = next(); mu.Unlock() } }
	par(get(&a), get(&b))
	stop()
	fmt.Print(a, b)
}

// PullPanic comes out of next.
func PullPanic() {
	next, _ := iter.Pull(func(yield func(int) bool) { panic("inside") })
	defer func() { fmt.Print(recover()) }()
	next()
}

// PullLeft: a coroutine that is never finished.
func PullLeft() {
	next, _ := iter.Pull(seq(3))
	fmt.Print(next())
}

// Strings are compared by content.
func Strings() {
	a := strings.Repeat("x", 3)
	fmt.Print(a == "xxx", len("é"), []rune("é")[0])
}

// Conversions of numbers.
func Conversions() {
	x := 300
	f := 1e20
	fmt.Print(uint8(x), int8(x), f > 1e19)
}

// Shifts by much.
func Shifts() {
	n := uint(70)
	fmt.Print(1<<n == 0, -1>>n)
}

// MinMax and clear.
func MinMax() {
	m := map[int]int{1: 1}
	clear(m)
	fmt.Print(min(1, 2.5), max("a", "b"), len(m))
}

// Generic functions in goroutines.
func Generic() {
	a := apply(func(x int) int { return x + 1 }, 1)
	b := apply(strings.ToUpper, "x")
	fmt.Print(a, b)
}

func apply[T any](f func(T) T, x T) T {
	c := make(chan T)
	go func() { c <- f(x) }()
	return <-c
}

// Assignment is in two phases.
func Assignment() {
	a := []int{1, 2}
	i := 0
	i, a[i] = 1, 9
	fmt.Print(i, a)
}

// Interface torn by a race.
//
//native:race
func Interface() {
	var x any = 1
	par(func() { x = "s" }, func() { _ = x })
}

// SliceRace: append in two goroutines.
func SliceRace() {
	s := make([]int, 0, 4)
	par(func() { s = append(s, 1) }, func() { s = append(s, 2) })
}

// SliceElements are different objects.
func SliceElements() {
	s := make([]int, 2)
	par(func() { s[0] = 1 }, func() { s[1] = 2 })
	fmt.Print(s)
}

// FieldsSame: one word, two fields.
func FieldsSame() {
	x := struct{ a, b byte }{}
	par(func() { x.a = 1 }, func() { x.b = 2 })
	fmt.Print(x)
}

// InitOnce: a variable of the package.
func InitOnce() { fmt.Print(initialised) }

var initialised = func() int { return 42 }()

// Labels: leaving two loops.
func Labels() {
outer:
	for i := range 3 {
		for j := range 3 {
			if j == 2 {
				continue outer
			}
			if i == 1 {
				break outer
			}
			fmt.Print(i, j, ";")
		}
	}
}

// Switch falls through.
func Switch() {
	switch x := 1; x {
	case 1:
		fmt.Print("a")
		fallthrough
	case 2:
		fmt.Print("b")
	default:
		fmt.Print("c")
	}
}

// Goto jumps.
func Goto() {
	i := 0
again:
	if i++; i < 3 {
		goto again
	}
	fmt.Print(i)
}

// Overflow of the stack.
func Overflow() {
	var f func(int) int
	f = func(n int) int { return f(n+1) + 1 }
	fmt.Print(f(0))
}

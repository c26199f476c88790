// Package clocks has programs about package time.
package clocks

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
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

// SleepForward: after Sleep(d) the clock is d further.
func SleepForward() {
	t := time.Now()
	time.Sleep(100 * time.Microsecond)
	fmt.Print(time.Since(t) >= 100*time.Microsecond)
}

// SleepAfter: after Sleep(d), Now is after start + d.
func SleepAfter() {
	t := time.Now()
	time.Sleep(time.Millisecond)
	fmt.Print(time.Now().After(t.Add(time.Millisecond)))
}

// Monotonic: the clock does not go back.
func Monotonic() {
	a := time.Now()
	b := time.Now()
	fmt.Print(b.Before(a))
}

// Moves: two looks at the clock differ.
func Moves() {
	a := time.Now()
	for range 1000 {
	}
	b := time.Now()
	fmt.Print(b.After(a))
}

// Small: less than an hour passes in between.
func Small() {
	a := time.Now()
	fmt.Print(time.Since(a) < time.Hour)
}

// Micro: perhaps some microseconds pass.
func Micro() {
	a := time.Now()
	par(func() {})
	fmt.Print(time.Since(a) > 20*time.Microsecond)
}

// Sleepers: two of one duration, either is first.
func Sleepers() {
	c := make(chan int, 2)
	for i := range 2 {
		go func() { time.Sleep(time.Millisecond); c <- i }()
	}
	a := <-c
	fmt.Print(a, <-c)
}

// SleepersUpdate: an update of two sleepers may be lost.
func SleepersUpdate() {
	var n atomic.Int32
	inc := func() { time.Sleep(50 * time.Microsecond); x := n.Load(); n.Store(x + 1) }
	par(inc, inc)
	fmt.Print(n.Load())
}

// SleepersFar: a millisecond and an hour's timeout.
func SleepersFar() {
	c := make(chan int)
	go func() { time.Sleep(time.Millisecond); c <- 1 }()
	select {
	case v := <-c:
		fmt.Print(v)
	case <-time.After(time.Hour):
		fmt.Print("timeout")
	}
}

// SleepersOrder: ten microseconds and twenty.
func SleepersOrder() {
	c := make(chan int, 2)
	go func() { time.Sleep(10 * time.Microsecond); c <- 1 }()
	go func() { time.Sleep(20 * time.Microsecond); c <- 2 }()
	a := <-c
	fmt.Print(a, <-c)
}

// SleepNot: no time to sleep.
func SleepNot() {
	time.Sleep(0)
	time.Sleep(-1)
	fmt.Print("ok")
}

// AfterFires: the time is sent.
func AfterFires() {
	t := time.Now()
	fmt.Print((<-time.After(time.Microsecond)).After(t))
}

// AfterOrSend: a timeout beside quick work.
func AfterOrSend() {
	c := make(chan int)
	go func() {
		select {
		case c <- 1:
		case <-time.After(time.Millisecond):
		}
	}()
	select {
	case v := <-c:
		fmt.Print(v)
	case <-time.After(50 * time.Microsecond):
		fmt.Print("timeout")
	}
}

// AfterTwo: two timers of one duration.
func AfterTwo() {
	a, b := time.After(50*time.Microsecond), time.After(50*time.Microsecond)
	select {
	case <-a:
		fmt.Print("a")
	case <-b:
		fmt.Print("b")
	}
}

// StopInTime: Stop of a timer of an hour.
func StopInTime() {
	t := time.NewTimer(time.Hour)
	fmt.Print(t.Stop(), t.Stop())
}

// StopLate: it has fired and was read.
func StopLate() {
	t := time.NewTimer(time.Microsecond)
	<-t.C
	fmt.Print(t.Stop())
}

// StopPerhaps: either way nothing is received after Stop.
func StopPerhaps() {
	t := time.NewTimer(50 * time.Microsecond)
	time.Sleep(50 * time.Microsecond)
	t.Stop()
	select {
	case <-t.C:
		fmt.Print("received")
	default:
		fmt.Print("empty")
	}
}

// ResetFires: it fires again.
func ResetFires() {
	t := time.NewTimer(time.Microsecond)
	<-t.C
	fmt.Print(t.Reset(time.Microsecond))
	<-t.C
}

// ResetActive: Reset of an active timer says true.
func ResetActive() {
	t := time.NewTimer(time.Hour)
	fmt.Print(t.Reset(time.Microsecond))
	<-t.C
}

// ResetStale: after Reset no old time is received.
func ResetStale() {
	t := time.NewTimer(time.Microsecond)
	time.Sleep(100 * time.Microsecond)
	t.Reset(time.Hour)
	select {
	case <-t.C:
		fmt.Print("stale")
	default:
		fmt.Print("ok")
	}
}

// TimerLen: the channel of a timer seems unbuffered.
func TimerLen() {
	t := time.NewTimer(time.Nanosecond)
	time.Sleep(100 * time.Microsecond)
	fmt.Print(len(t.C), cap(t.C))
}

// AfterFuncRuns: the function runs in a goroutine of its own.
func AfterFuncRuns() {
	c := make(chan int)
	time.AfterFunc(time.Microsecond, func() { c <- 1 })
	fmt.Print(<-c)
}

// AfterFuncStop: if Stop says true it does not run.
func AfterFuncStop() {
	c := make(chan int, 1)
	t := time.AfterFunc(30*time.Microsecond, func() { c <- 1 })
	time.Sleep(30 * time.Microsecond)
	if t.Stop() {
		fmt.Print("stopped")
		return
	}
	fmt.Print("ran", <-c)
}

// AfterFuncReset: it runs twice.
func AfterFuncReset() {
	c := make(chan int)
	t := time.AfterFunc(time.Microsecond, func() { c <- 1 })
	<-c
	t.Reset(time.Microsecond)
	fmt.Print(<-c)
}

// AfterFuncBeside: its function beside main.
func AfterFuncBeside() {
	var mu sync.Mutex
	s := ""
	done := make(chan bool)
	time.AfterFunc(10*time.Microsecond, func() { mu.Lock(); s += "t"; mu.Unlock(); done <- true })
	mu.Lock()
	s += "m"
	mu.Unlock()
	<-done
	fmt.Print(s)
}

// AfterFuncRace: without a lock it races.
func AfterFuncRace() {
	n := 0
	done := make(chan bool)
	time.AfterFunc(time.Microsecond, func() { n++; done <- true })
	n++
	<-done
}

// AfterFuncSees: what was written before AfterFunc is seen.
func AfterFuncSees() {
	done := make(chan bool)
	n := 1
	time.AfterFunc(time.Microsecond, func() { fmt.Print(n); done <- true })
	<-done
}

// AfterFuncSelf: a function that stops its own timer.
func AfterFuncSelf() {
	done := make(chan bool)
	var t atomic.Pointer[time.Timer]
	t.Store(time.AfterFunc(time.Hour, func() {}))
	u := time.AfterFunc(time.Microsecond, func() { done <- t.Load().Stop() })
	fmt.Print(<-done, u.Stop())
}

// TickerTwo: two ticks, then Stop.
func TickerTwo() {
	t := time.NewTicker(10 * time.Microsecond)
	<-t.C
	<-t.C
	t.Stop()
	select {
	case <-t.C:
		fmt.Print("tick")
	default:
		fmt.Print("ok")
	}
}

// TickerDrops: ticks that are not received in time are dropped.
func TickerDrops() {
	t := time.NewTicker(10 * time.Microsecond)
	defer t.Stop()
	time.Sleep(200 * time.Microsecond)
	n := 0
	for range 3 {
		select {
		case <-t.C:
			n++
		default:
		}
	}
	fmt.Print(n >= 1)
}

// TickerReset: another period.
func TickerReset() {
	t := time.NewTicker(time.Hour)
	t.Reset(time.Microsecond)
	<-t.C
	t.Stop()
	fmt.Print("ok")
}

// TickerWork: work beside ticks. Five of them fit into the slack of the suite; executions grow with the cube of
// that number, as the goroutine can be late to sleep, to close, and main to look at done.
func TickerWork() {
	t := time.NewTicker(time.Millisecond)
	defer t.Stop()
	done := make(chan bool)
	go func() { time.Sleep(1500 * time.Microsecond); close(done) }()
	n := 0
	for {
		select {
		case <-t.C:
			n++
		case <-done:
			fmt.Print(n > 0)
			return
		}
	}
}

// TickerZero panics.
func TickerZero() {
	time.NewTicker(0)
}

// Tick of zero is nil.
func TickZero() {
	fmt.Print(time.Tick(0) == nil)
}

// Since of two goroutines: the order of looks.
func SinceOrder() {
	var a, b time.Time
	par(func() { a = time.Now() }, func() { b = time.Now() })
	fmt.Print(a.Before(b))
}

// SinceSleepers: what two sleepers read from the clock.
func SinceSleepers() {
	t := time.Now()
	read := func(d time.Duration) func() {
		return func() {
			time.Sleep(d)
			if time.Since(t) < d {
				panic("early")
			}
		}
	}
	par(read(20*time.Microsecond), read(50*time.Microsecond))
	fmt.Print("ok")
}

// SinceLate: a reader is later than a sleeper that perhaps slept.
func SinceLate() {
	var x atomic.Int32
	t := time.Now()
	done := make(chan bool)
	go func() {
		if x.Load() == 1 {
			time.Sleep(time.Millisecond)
		}
		close(done)
	}()
	x.Store(1)
	<-done
	fmt.Print(time.Since(t) >= time.Millisecond)
}

// Deadline: a loop until a time.
func Deadline() {
	end := time.Now().Add(100 * time.Microsecond)
	for time.Now().Before(end) {
		time.Sleep(30 * time.Microsecond)
	}
	fmt.Print("ok")
}

// Busy: a loop that watches the clock.
func Busy() {
	end := time.Now().Add(10 * time.Microsecond)
	for time.Now().Before(end) {
	}
	fmt.Print("ok")
}

// Retry: a loop that waits longer each time.
func Retry() {
	var ready atomic.Bool
	go func() { time.Sleep(50 * time.Microsecond); ready.Store(true) }()
	for d := 20 * time.Microsecond; !ready.Load(); d *= 2 {
		time.Sleep(d)
	}
	fmt.Print("ok")
}

// Debounce: the last of two calls wins.
func Debounce() {
	done := make(chan int, 2)
	var t *time.Timer
	for i := range 2 {
		if t != nil {
			t.Stop()
		}
		t = time.AfterFunc(100*time.Microsecond, func() { done <- i })
	}
	v := <-done
	fmt.Print(v == 1 || <-done == 1)
}

// Janitor: a goroutine that wakes forever when main has returned.
func Janitor() {
	go func() {
		for range time.Tick(10 * time.Microsecond) {
		}
	}()
	fmt.Print("ok")
}

// RetryForever: an endless loop of timers in the background.
func RetryForever() {
	go func() {
		for n := 0; ; n++ {
			<-time.After(10 * time.Microsecond)
		}
	}()
	fmt.Print("ok")
}

// Format: the printed time of a fixed one.
func Format() {
	fmt.Print(time.Unix(0, 0).UTC().Format(time.RFC3339), time.Duration(90)*time.Second)
}

// UnmarshalBeside: a Time is read while it is set.
//
//native:race
func UnmarshalBeside() {
	t := time.Unix(0, 0).UTC()
	par(func() { _ = t.UnmarshalText([]byte("2020-01-02T03:04:05Z")) }, func() { _ = t.Year() })
}

// Stopwatch: two measurements of one start.
func Stopwatch() {
	t := time.Now()
	a := time.Since(t)
	b := time.Since(t)
	fmt.Print(b >= a, a >= 0)
}

// Throttle: at least the interval lies between two.
func Throttle() {
	last := time.Now()
	time.Sleep(10 * time.Microsecond)
	if time.Since(last) < 10*time.Microsecond {
		panic("too early")
	}
	fmt.Print("ok")
}

// Expired: a value with a lifetime.
func Expired() {
	made := time.Now()
	time.Sleep(10 * time.Microsecond)
	if time.Since(made) > 40*time.Microsecond {
		fmt.Print("expired")
	} else {
		fmt.Print("fresh")
	}
}

// ExpiredNow: time passes without a sleep, too.
func ExpiredNow() {
	made := time.Now()
	fmt.Sprint("some work")
	if time.Since(made) > 2*time.Microsecond {
		fmt.Print("expired")
	} else {
		fmt.Print("fresh")
	}
}

// SendElapsed: how long it took beside sleepers.
func SendElapsed() {
	t := time.Now()
	c := make(chan time.Duration)
	go func() { c <- time.Since(t) }()
	time.Sleep(100 * time.Microsecond)
	fmt.Print(<-c >= 100*time.Microsecond)
}

// TimeOfDay: the time as a number, read twice beside a sleeper.
func TimeOfDay() {
	var x atomic.Bool
	var from, to syscall.Timeval
	par(func() {
		syscall.Gettimeofday(&from)
		x.Store(true)
		syscall.Gettimeofday(&to)
		fmt.Print(to.Nano()-from.Nano() >= 1e6)
	}, func() {
		if x.Load() {
			time.Sleep(time.Millisecond)
		}
	})
}

// Reading: what the clock and timers show has a monotonic reading, which texts and zones do not keep.
func Reading() {
	t := time.Now()
	fmt.Print(t == t.Round(0), t.Equal(t.Round(0)), t == t.Local(), t == t.UTC(), t.Round(0) == t.Local())
	for _, t := range []time.Time{<-time.After(1), t.Add(1), t.AddDate(0, 0, 1)} {
		fmt.Print(" ", t == t.Round(0))
	}
	seen := map[time.Time]bool{t: true}
	fmt.Print(" ", seen[t], seen[t.Truncate(0)])
}

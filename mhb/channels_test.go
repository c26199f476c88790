package mhb_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/microtest"
)

// Each program of meetings tests one condition under which an operation on channels needs no choice.
var meetings = []microtest.Program{
	// Two goroutines send, and the first value sent is received first.
	{"secondSender", "-send", `
	c := make(chan int, 2)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { c <- 2 })
	wg.Wait()
	say(<-c, <-c)`},
	// The same, but it is not known to which channel the second goroutine sends.
	{"unknownSender", "", `
	c := make(chan int, 2)
	var p atomic.Pointer[chan int]
	p.Store(&c)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { *p.Load() <- 2 })
	wg.Wait()
	say(<-c, <-c)`},
	{"secondReceiver", "", `
	x, y := 0, 0
	c := make(chan int, 2)
	c <- 1
	c <- 2
	var wg sync.WaitGroup
	wg.Go(func() { x = <-c })
	wg.Go(func() { y = <-c })
	wg.Wait()
	say(x, y)`},
	// One goroutine sends, and another one receives a value that was sent before.
	{"otherEnd", "mhb:join", `
	x := 0
	c := make(chan int, 2)
	c <- 1
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { c <- 2 })
	wg.Go(func() { x = <-c })
	wg.Wait()
	say(x, <-c)`},
	// Two selects that both have a case ready do not meet.
	{"readyElsewhere", "", `
	x, y := 0, 0
	c, e, u := make(chan int, 1), make(chan int, 1), make(chan int)
	e <- 1
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { select { case <-c: x = 1; case u <- 1: x = 2 } })
	go func() { select { case <-u: y = 1; case <-e: y = 2 } }()
	wg.Wait()
	say(x, y)`},
	{"unknownReady", "", `
	x, y := 0, 0
	c, e, u := make(chan int, 1), make(chan int, 1), make(chan int)
	e <- 1
	var p atomic.Pointer[chan int]
	p.Store(&c)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { d := *p.Load(); select { case <-d: x = 1; case u <- 1: x = 2 } })
	go func() { select { case <-u: y = 1; case <-e: y = 2 } }()
	wg.Wait()
	say(x, y)`},
	{"closedElsewhere", "", `
	x, y := 0, 0
	c, e, u := make(chan int, 1), make(chan int, 1), make(chan int)
	e <- 1
	var wg sync.WaitGroup
	wg.Go(func() { close(c) })
	wg.Go(func() { select { case <-c: x = 1; case u <- 1: x = 2 } })
	go func() { select { case <-u: y = 1; case <-e: y = 2 } }()
	wg.Wait()
	say(x, y)`},
	// Sending to a closed channel panics, and so does closing it.
	{"closeAndSend", "", `
	x := 0
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { close(c) })
	wg.Go(func() { defer func() { recover() }(); c <- 1; x = 1 })
	wg.Wait()
	say(x)`},
	{"closeTwice", "", `
	x, y := 0, 0
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { defer func() { recover() }(); close(c); x = 1 })
	wg.Go(func() { defer func() { recover() }(); close(c); y = 1 })
	wg.Wait()
	say(x, y)`},
	{"sendAndClose", "", `
	x := 0
	c := make(chan int, 2)
	c <- 1
	var wg sync.WaitGroup
	wg.Go(func() { defer func() { recover() }(); c <- 1; x = 1 })
	wg.Go(func() { close(c) })
	wg.Wait()
	say(x)`},
	// A value that has been sent is received whether or not the channel is closed.
	{"receiveAndClose", "mhb:join", `
	x := 0
	c := make(chan int, 2)
	c <- 1
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { x = <-c })
	wg.Go(func() { close(c) })
	wg.Wait()
	say(x)`},
	// Another case of the select becomes ready, because a goroutine closes the channel,
	{"closedMeanwhile", "", `
	x := 0
	c, d := make(chan int, 1), make(chan int, 1)
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() { select { case <-c: x = 1; case <-d: x = 2 } })
	wg.Go(func() { ticks.Add(1); close(c) })
	wg.Wait()
	say(x)`},
	// or closes it by a deferred call,
	{"closedInTheEnd", "", `
	x := 0
	c, d := make(chan int, 1), make(chan int, 1)
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() { select { case <-c: x = 1; case <-d: x = 2 } })
	wg.Go(func() { defer close(c); ticks.Add(1) })
	wg.Wait()
	say(x)`},
	// or comes as a partner,
	{"partnerComes", "", `
	x := 0
	d, u := make(chan int, 1), make(chan int)
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() { select { case u <- 1: x = 1; case <-d: x = 2 } })
	go func() { ticks.Add(1); <-u }()
	wg.Wait()
	say(x)`},
	// or sends an element that the select can receive,
	{"sentMeanwhile", "", `
	x := 0
	c, d := make(chan int, 1), make(chan int, 1)
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() { select { case <-c: x = 1; case <-d: x = 2 } })
	wg.Go(func() { ticks.Add(1); c <- 1 })
	wg.Wait()
	say(x)`},
	// or receives, which leaves room for an element,
	{"receivedMeanwhile", "", `
	x := 0
	c, d := make(chan int, 1), make(chan int, 1)
	c <- 1
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() { select { case c <- 2: x = 1; case <-d: x = 2 } })
	wg.Go(func() { ticks.Add(1); <-c })
	wg.Wait()
	say(x)`},
	// or because a timer fires.
	{"timerMeanwhile", "", `
	x := 0
	d := make(chan int, 1)
	d <- 1
	t := time.After(time.Second)
	var wg sync.WaitGroup
	wg.Go(func() { select { case <-t: x = 1; case <-d: x = 2 } })
	wg.Wait()
	say(x)`},
	// The partner may leave because a timer fires,
	{"timerOfPartner", "", `
	x := 0
	u := make(chan int)
	t := time.After(time.Second)
	var wg sync.WaitGroup
	go func() { u <- 1 }()
	wg.Go(func() { select { case <-t: x = 1; case <-u: x = 2 } })
	wg.Wait()
	say(x)`},
	// or because another goroutine waits for it already,
	{"competitor", "", `
	x := 0
	u := make(chan int)
	var wg sync.WaitGroup
	go func() { u <- 1 }()
	go func() { u <- 2 }()
	wg.Go(func() { x = <-u })
	wg.Wait()
	say(x)`},
	// or comes to the channel where it waits,
	{"competitorComes", "", `
	x := 0
	u := make(chan int)
	var wg sync.WaitGroup
	go func() { u <- 1 }()
	go func() { ticks.Add(1); u <- 2 }()
	wg.Go(func() { x = <-u })
	wg.Wait()
	say(x)`},
	// or to another channel where it waits.
	{"partnerHasOthers", "", `
	x := 0
	u, v := make(chan int), make(chan int)
	var wg sync.WaitGroup
	go func() { u <- 1 }()
	go func() { ticks.Add(1); v <- 2 }()
	wg.Go(func() { select { case x = <-u: case x = <-v: } })
	wg.Wait()
	say(x)`},
	// No other goroutine reaches the channel where the two wait.
	{"twoAlone", "mhb:receive", `
	x, y := 0, 0
	u, v := make(chan int), make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { select { case u <- 1: x++; case <-v: } })
	wg.Go(func() { y = <-u; y++ })
	wg.Go(func() { ticks.Add(1); v <- 2 })
	<-v
	wg.Wait()
	say(x, y)`},
	// An operation that does not wait observes the state and the length of the channel.
	{"tried", "", `
	x := 0
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { select { case x = <-c: default: x = 9 } })
	wg.Wait()
	say(x)`},
	{"length", "", `
	x := 0
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { x = len(c) })
	wg.Wait()
	say(x)`},
	{"lengthOnly", "", `
	x := 0
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1; say(x) })
	wg.Go(func() { x = 1; if empty(c) { say(9) } })
	wg.Wait()`},
	// The operations that closing the channel disturbs depend on its contents.
	{"emptiedFirst", "", `
	n := 0
	c, d := make(chan int, 1), make(chan int, 2)
	c <- 1
	d <- 1
	d <- 1
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 2 {
			select { case <-c: n++; case <-d: n += 10 }
		}
	})
	wg.Go(func() { close(c) })
	wg.Wait()
	say(n)`},
}

// TestChannels: before operations on channels the search makes the choices that are needed, and no
// others.
func TestChannels(t *testing.T) {
	compare(t, microtest.Load(t, "", "func empty(c chan int) bool { return len(c) == 0 }\n", meetings))
}

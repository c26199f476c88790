package vm

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// TestSilent: steps that change the alternatives of goroutines that wait at channels, though the steps
// are not operations on channels. The machine compares the kept views with new ones (CheckState).
func TestSilent(t *testing.T) {
	some := false
	for name, src := range map[string]string{
		"a goroutine comes to a channel": `package main
var x, y int
func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { y = 1; y = 2; x = 1; <-c; x = 2 }()
	x = 3
}`,
		"a goroutine is started": `package main
var x int
func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	x = 1
	go func() { <-c }()
	x = 2
}`,
		"a timer fires": `package main
import "time"
var x int
func main() {
	t := time.NewTimer(time.Second)
	go func() { x++; x = 5 }()
	x = 1
	<-t.C
}`,
		"a timer is stopped": `package main
import "time"
func main() {
	t, d := time.NewTimer(time.Second), make(chan int)
	go func() { select { case <-t.C: case <-d: } }()
	time.Sleep(2 * time.Second)
	t.Stop()
	t.Reset(time.Second)
	close(d)
}`,
		"a coroutine comes to a channel": `package main
import "iter"
var x int
func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	next, stop := iter.Pull(func(yield func(int) bool) {
		x = 1
		<-c
		yield(1)
	})
	x = 2
	next()
	stop()
}`,
		"a coroutine leaves another one at a channel": `package main
import "iter"
var x int
func main() {
	c := make(chan int)
	go func() { x = 3; c <- 1 }()
	next, stop := iter.Pull(func(yield func(int) bool) { yield(<-c) })
	x = 2
	next()
	x = 1
	stop()
}`,
		"a channel is written by another name": `package main
import "unsafe"
func main() {
	c := make(chan int, 1)
	p := *(**[5]uint64)(unsafe.Pointer(&c))
	go func() { <-c }()
	p[0] = 1
	p[0] = 0
	c <- 1
}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t, src)
			for _, cfg := range []Config{{}, {OrderedTime: true}} {
				cfg.Check = CheckState
				m := s.machine(t, cfg)
				e := &ends{m: m, seen: map[string]bool{}}
				want := stateful.Full(m, e, por.Config{Match: true}).States
				some = some || m.silent.until != 0
				cfg.Check = 0 // which asks for all views after each step
				if _, n := explored(t, &s, cfg, por.Config{Match: true}); n != want {
					t.Errorf("%d states, want %d", n, want)
				}
			}
		})
	}
	if !some {
		t.Error("no step is silent")
	}
}

// TestSilenceBegins: a silence of a path that is left does not hold on the path taken instead.
func TestSilenceBegins(t *testing.T) {
	s := source(t, `package main
var x, y int
func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { x = 1; <-c }()
	y = 1
	y = 2
}`)
	m := s.machine(t, Config{})
	const main, sender, receiver = 0, 1, 2
	for m.Next(main).Kind != trace.Write {
		m.Step(main, 0)
	}
	k := m.Mark()
	m.Step(receiver, 0)
	if !slices.Contains(m.Enabled(nil), sender) {
		t.Error("the sender cannot send")
	}
	m.Rewind(k)
	m.Step(main, 0)
	if m.silent.until != m.moment {
		t.Error("an access to a variable is not silent")
	}
	if slices.Contains(m.Enabled(nil), sender) {
		t.Error("the sender can send to nobody")
	}
}

package vm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// ends collects the endings of executions.
type ends struct {
	m     *Machine
	seen  map[string]bool
	races int
}

func (e *ends) Leaf(_ trace.Schedule, st por.Status) bool {
	if st != por.Running {
		text := fmt.Sprint(st, " ", e.m.Report().Output(1), " ", e.m.Report().CutReason())
		if f := e.m.Report().Fault(); f != nil {
			text += f.Text()
		}
		e.seen[text] = true
	}
	return true
}
func (e *ends) Race(trace.Schedule, trace.Op, trace.Op) bool { e.races++; return true }
func (e *ends) Livelock(trace.Schedule, int) bool            { return true }
func (e *ends) Restart()                                     {}

// explored returns the endings of the executions of s, as one text, and the number of states.
func explored(t *testing.T, s *subject, cfg Config, pcfg por.Config) (string, uint64) {
	t.Helper()
	e := &ends{m: s.machine(t, cfg), seen: map[string]bool{}}
	r := stateful.Full(e.m, e, pcfg)
	return strings.Join(slices.Sorted(maps.Keys(e.seen)), "\n"), r.States
}

// TestInvariants: with Config.Check, which overwrites dead registers and searches for objects that
// several goroutines reach without being flagged, the results are the same as without it.
func TestInvariants(t *testing.T) {
	n, steps := deep.N(2, 15), deep.Pick(60, 600)
	for _, s := range subjects(t, n) {
		t.Run(s.name, func(t *testing.T) {
			cfg := por.Config{Match: true, MaxStates: uint64(steps)}
			for _, c := range []Config{{VisibleOutput: true}, {VisibleOutput: true, OrderedTime: true}} {
				plain, states := explored(t, &s, c, cfg)
				c.Check = CheckLiveness | CheckState
				if checked, n := explored(t, &s, c, cfg); checked != plain || n != states {
					t.Errorf("%d states:\n%s\nwith Check %d states:\n%s", states, plain, n, checked)
				}
			}
		})
	}
}

// TestEscape: programs in which an object becomes reachable by several
// goroutines in an unusual way. Each is explored with Config.Check, and races.
func TestEscape(t *testing.T) {
	for name, src := range map[string]string{
		"a closure that captures nothing last": `package main
type none struct{}
func use(none) {}
func main() {
	p, e, c := new(int), none{}, make(chan int)
	go func() { *p = 1; use(e); c <- 1 }()
	*p = 2
	<-c
}`,
		"a deferred call with an argument of no size": `package main
type none struct{}
func f(p *int, c chan int, e none) { *p = 3; c <- 1 }
func main() {
	p, c := new(int), make(chan int)
	go func() { defer f(p, c, none{}) }()
	*p = 2
	<-c
}`,
		"what a goroutine started by init can reach": `package main
var p *int
var c, d = make(chan int), make(chan int)
func init() {
	go func() { <-c; *p = 1; d <- 1 }()
	p = new(int)
}
func main() {
	c <- 1
	*p = 2
	<-d
}`,
		"what is stored while a goroutine started by init waits": `package main
type node struct { next *node; n int }
var root = &node{}
var c, d = make(chan int), make(chan int)
func init() {
	go func() { <-c; root.next.next.n = 1; d <- 1 }()
	root.next = &node{next: &node{}}
}
func main() {
	c <- 1
	root.next.next.n = 2
	<-d
}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t, src)
			m := s.machine(t, Config{Check: CheckLiveness | CheckState})
			e := &ends{m: m, seen: map[string]bool{}}
			stateful.Full(m, e, por.Config{Match: true})
			if e.races == 0 {
				t.Error("the race is not found")
			}
		})
	}
}

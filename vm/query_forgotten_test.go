package vm

import (
	"regexp"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// A rememberer is a machine that searches each state for forgotten goroutines, and checks that none of them
// moves in later states.
type rememberer struct {
	*Machine
	t     *testing.T
	path  []remembered
	marks []int
	found map[trace.GID]bool
	moved bool
}

// remembered is a forgotten goroutine, and where it waits.
type remembered struct {
	g  trace.GID
	op trace.Op
}

func (r *rememberer) Step(g trace.GID, choice int) {
	r.Machine.Step(g, choice)
	list, main := r.Report().Forgotten()
	if main {
		list = append(list, 0)
	}
	for _, x := range r.path {
		if op := r.Next(x.g); !r.moved && (x.g == g || op != x.op || r.Status() == por.Running && !slices.Contains(list, x.g)) {
			r.moved = true
			r.t.Errorf("goroutine %d was forgotten at %v, and is at %v now", x.g, x.op, op)
		}
	}
	for _, g := range list {
		r.found[g] = true
		if !slices.ContainsFunc(r.path, func(x remembered) bool { return x.g == g }) {
			r.path = append(r.path, remembered{g, r.Next(g)})
		}
	}
}

func (r *rememberer) Mark() por.Mark {
	r.marks = append(r.marks, len(r.path))
	return r.Machine.Mark()
}

func (r *rememberer) Rewind(m por.Mark) {
	r.Machine.Rewind(m)
	r.path = r.path[:r.marks[len(r.marks)-1]]
}

func (r *rememberer) Release(m por.Mark) {
	r.Machine.Release(m)
	r.marks = r.marks[:len(r.marks)-1]
}

// remember explores s and returns the goroutines that were forgotten in some state.
func remember(t *testing.T, s subject, cfg Config, maxStates uint64) map[trace.GID]bool {
	t.Helper()
	r := &rememberer{Machine: s.machine(t, cfg), t: t, found: map[trace.GID]bool{}}
	stateful.Full(r, &ends{m: r.Machine, seen: map[string]bool{}}, por.Config{Match: true, MaxStates: maxStates})
	return r.found
}

// TestForgotten: a forgotten goroutine does not move in any later state. The test explores every
// state of generated programs, under three models of time.
func TestForgotten(t *testing.T) {
	n, states := deep.N(8, 60), deep.Pick(400, uint64(3000))
	total := 0
	for _, s := range subjects(t, n) {
		for _, cfg := range []Config{{}, {OrderedTime: true}, {OrderedTime: true, Slack: 5e6, VisibleArming: true}} {
			total += len(remember(t, s, cfg, states))
		}
	}
	if total < n {
		t.Errorf("only %d goroutines were forgotten", total)
	}
}

// TestRefersToWhatWakes: the references that keep a waiting goroutine from being forgotten.
func TestRefersToWhatWakes(t *testing.T) {
	prog := loadFiles(t, t.TempDir(), map[string]string{"go.mod": "module forgotten\n\ngo 1.26\n", "main.go": forgetting})
	for _, f := range regexp.MustCompile(`func ((Forgotten|Remembered)\w+)\(`).FindAllStringSubmatch(forgetting, -1) {
		t.Run(f[1], func(t *testing.T) {
			e, err := prog.Lookup(f[1])
			if err != nil {
				t.Fatal(err)
			}
			cfg := Config{OrderedTime: true} // spin begins when all others wait
			if got := remember(t, subject{f[1], prog, e}, cfg, 300); (len(got) > 0) != (f[2] == "Forgotten") {
				t.Errorf("forgotten: %v", got)
			}
		})
	}
}

// forgetting has programs in which a goroutine that waits is remembered, and some in which it is not.
const forgetting = `package main

import (
	"context"
	"iter"
	"os"
	"os/signal"
	"reflect"
	"sync"
	"time"
)

func main() {}

// spin never ends.
func spin() { for n := 0; ; n++ { turn.Lock(); turn.Unlock() } }

var turn sync.Mutex

var global chan int
var globals struct{ p *struct{ c chan int } }

func RememberedVariable() { global = make(chan int); go func() { <-global }(); go func() { global <- 1 }() }
func RememberedDeep() {
	globals.p = &struct{ c chan int }{make(chan int)}
	go func() { <-globals.p.c }()
	var mu sync.Mutex
	for range 3 { mu.Lock(); mu.Unlock() }
	globals.p.c <- 1
}
func RememberedRegister() { c := make(chan int); go func() { <-c }(); var mu sync.Mutex; for range 3 { mu.Lock(); mu.Unlock() }; c <- 1 }
func RememberedDefer() { c := make(chan int); go func() { <-c }(); var mu sync.Mutex; defer close(c); mu.Lock(); mu.Unlock() }
func RememberedDefers() {
	c := make(chan int)
	go func(c chan int) { <-c }(c)
	var mu sync.Mutex
	for range 2 { defer func() { if d := c; d != nil { c = nil; close(d) } }() }
	defer func() { recover() }()
	mu.Lock(); mu.Unlock()
	panic(1)
}
func RememberedSleeper() { c := make(chan int); go func() { time.Sleep(time.Hour); c <- 1 }(); <-c }
func RememberedSecondSleeper() {
	c := make(chan int)
	go func() { time.Sleep(2 * time.Hour); c <- 1 }()
	go time.Sleep(time.Hour)
	<-c
}
func RememberedPanic() {
	c := make(chan int)
	go func() { <-c }()
	defer func() { turn.Lock(); turn.Unlock(); recover().(chan int) <- 1 }()
	panic(c)
}
func RememberedFunc() { c := make(chan int); time.AfterFunc(time.Hour, func() { close(c) }); go func() { <-c }() }
func RememberedTimer() { t := time.NewTimer(time.Hour); go func() { <-t.C }() }
func RememberedContext() { ctx, stop := context.WithTimeout(context.Background(), time.Hour); _ = stop; go func() { <-ctx.Done() }() }
func RememberedByWaiting() {
	a, b := make(chan int), make(chan int)
	go func() { <-a; b <- 1 }()
	go func() { <-b }()
	time.Sleep(time.Second)
	a <- 1
}
func RememberedCondition() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ok := false
	go func() { mu.Lock(); for !ok { c.Wait() }; mu.Unlock() }()
	mu.Lock(); ok = true; c.Signal(); mu.Unlock()
}
func RememberedGroup() { var wg sync.WaitGroup; wg.Add(1); go wg.Wait(); wg.Done() }
func RememberedCoroutine() {
	c := make(chan int)
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1); c <- 1; yield(2) })
	next()
	go func() { <-c }()
	var mu sync.Mutex
	for range 3 { mu.Lock(); mu.Unlock() }
	next()
	stop()
}
func RememberedInCoroutine() {
	c, d := make(chan int), make(chan int)
	next, stop := iter.Pull(func(yield func(int) bool) { e := c; go func() { <-d }(); yield(1); e <- 1; yield(2) })
	next()
	go func(c chan int) { <-c }(c)
	c = nil
	for range 3 { turn.Lock(); turn.Unlock() }
	next()
	close(d)
	stop()
}
func RememberedSignal() { c := make(chan os.Signal, 1); signal.Notify(c, os.Interrupt); go func() { <-c }() }
func RememberedInterface() {
	var x any = make(chan int)
	m := map[string]any{"c": x}
	go func() { <-x.(chan int) }()
	var mu sync.Mutex
	mu.Lock(); mu.Unlock()
	m["c"].(chan int) <- 1
}
func RememberedCases() {
	c := []chan int{make(chan int), make(chan int), make(chan int), make(chan int)}
	go func() {
		var l []reflect.SelectCase
		for _, c := range c { l = append(l, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}) }
		reflect.Select(l)
	}()
	d := c[3]
	var mu sync.Mutex
	mu.Lock(); mu.Unlock()
	d <- 1
}
func RememberedLastCase() {
	a, b, c, d := make(chan int), make(chan int), make(chan int), make(chan int)
	go func() { select { case <-a: case <-b: case <-c: case <-d: } }()
	var mu sync.Mutex
	mu.Lock(); mu.Unlock()
	d <- 1
}
func RememberedTest() { // the goroutine that polls is not blocked
	var mu sync.Mutex
	done := false
	go func() { for { mu.Lock(); if done { mu.Unlock(); return }; mu.Unlock() } }()
	mu.Lock(); done = true; mu.Unlock()
}

func ForgottenChannel() { go func() { <-make(chan int) }(); time.Sleep(1); spin() }
func ForgottenNil() { var c chan int; go func() { c <- 1 }(); time.Sleep(1); spin() }
func ForgottenMutex() { go func() { var mu sync.Mutex; mu.Lock(); mu.Lock() }(); time.Sleep(1); spin() }
func ForgottenGroup() { go func() { var wg sync.WaitGroup; wg.Add(1); wg.Wait() }(); time.Sleep(1); spin() }
func ForgottenCondition() { go func() { var mu sync.Mutex; mu.Lock(); sync.NewCond(&mu).Wait() }(); time.Sleep(1); spin() }
func ForgottenCircle() {
	a, b := make(chan int), make(chan int)
	go func() { <-a; b <- 1 }()
	go func() { <-b; a <- 1 }()
	time.Sleep(1)
	spin()
}
func ForgottenAfterUse() {
	c := make(chan int)
	go func() { for range c { } }()
	c <- 1
	time.Sleep(1)
	spin()
}
func ForgottenTicks() {
	go func() { <-make(chan int) }()
	n := 0
	for range time.Tick(time.Second) { n++ }
}
`

package patterns_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/microtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
)

// Each program is about one condition of a pattern; "we" are the goroutine whose access is
// considered. The output depends on the order, so a wrongly skipped choice loses an outcome.
var programs = []microtest.Program{
	// Section 3, figure 2a: the waiter is waiting, and only we can notify it.
	{"waitNotify", "wait", `
	var mu sync.Mutex
	var c sync.Cond
	c.L = &mu
	x := 0
	waiting := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); waiting <- true; c.Wait(); say(x); mu.Unlock() })
	wg.Go(func() { <-waiting; mu.Lock(); mu.Unlock(); x = 1; x++; c.Signal() })
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	wg.Wait()`},
	// A third goroutine can notify the waiter.
	{"waitNotifyThird", "", `
	var mu sync.Mutex
	var c sync.Cond
	c.L = &mu
	x := 0
	waiting, begin := make(chan bool, 1), make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); waiting <- true; c.Wait(); x = x * 2; mu.Unlock() })
	wg.Go(func() { <-waiting; mu.Lock(); mu.Unlock(); begin <- true; x = 1; x++ })
	wg.Go(func() { <-begin; c.Broadcast() })
	wg.Wait()
	say(x)`},
	// A third goroutine can notify the waiter in its future. The pattern does not see that we have
	// to enable it first.
	{"waitNotifyLater", "-wait", `
	var mu sync.Mutex
	var c sync.Cond
	c.L = &mu
	x := 0
	waiting, after := make(chan bool, 1), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	wg.Go(func() { <-after; c.Broadcast() })
	wg.Go(func() { mu.Lock(); waiting <- true; c.Wait(); x = x * 2; mu.Unlock() })
	wg.Go(func() { <-waiting; mu.Lock(); mu.Unlock(); x = 1; x++; after <- true })
	wg.Wait()
	say(x)`},
	// The waiter has been notified already.
	{"waitNotified", "", `
	var mu sync.Mutex
	var c sync.Cond
	c.L = &mu
	x := 0
	waiting := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); waiting <- true; c.Wait(); x = x * 2; mu.Unlock() })
	wg.Go(func() { <-waiting; mu.Lock(); mu.Unlock(); c.Signal(); x = 1; x++ })
	wg.Wait()
	say(x)`},
	// Figure 2b, with a global lock.
	{"globalLock", "lock", `
	shared = 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { global.Lock(); shared++; global.Unlock() })
	}
	wg.Go(func() { runtime.Gosched() })
	wg.Wait()
	say(shared)`},
	// A goroutine unlocks a mutex that it has not locked.
	{"globalLockForeign", "-lock -guard", `
	shared = 0
	global.Lock()
	var wg sync.WaitGroup
	wg.Go(func() { shared = 1; shared++; shared *= 2 })
	wg.Go(func() { global.Lock(); shared = 5; global.Unlock() })
	wg.Go(func() { global.Unlock() })
	wg.Wait()
	say(shared)`},
	// The unlocked mutex is unknown.
	{"globalLockUnknown", "-lock -guard", `
	shared = 0
	global.Lock()
	c := make(chan *sync.Mutex, 1)
	c <- &global
	var wg sync.WaitGroup
	wg.Go(func() { shared = 1; shared++; shared *= 2 })
	wg.Go(func() { global.Lock(); shared = 5; global.Unlock() })
	wg.Go(func() { (<-c).Unlock() })
	wg.Wait()
	say(shared)`},
	// A goroutine starts a goroutine that unlocks the mutex, or, in the second program, that
	// accesses the variable.
	{"startedUnlocks", "-lock -guard", `
	shared = 0
	global.Lock()
	var wg sync.WaitGroup
	wg.Go(func() { shared = 1; shared++; shared *= 2 })
	wg.Go(func() { global.Lock(); shared = 5; global.Unlock() })
	wg.Go(func() { runtime.Gosched(); done := make(chan bool); go func() { global.Unlock(); done <- true }(); <-done })
	wg.Wait()
	say(shared)`},
	{"startedAccesses", "", `
	shared = 0
	var wg sync.WaitGroup
	wg.Go(func() { shared = 1; shared++ })
	wg.Go(func() { runtime.Gosched(); done := make(chan bool); go func() { shared = 5; done <- true }(); <-done })
	wg.Wait()
	say(shared)`},
	// Figure 2c: the objects are not known, but each access is guarded by its
	// object's own lock.
	{"thisLock", "guard", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { for k := range list { list[(i+k)%2].inc() } })
	}
	wg.Go(func() { runtime.Gosched() })
	wg.Wait()
	say(list[0].n, list[1].n)`},
	// One of the accesses is not guarded.
	{"thisLockUnguarded", "-guard", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	wg.Go(func() { for k := range list { list[k].inc() } })
	wg.Go(func() { for k := range list { list[1-k].n = 5 } })
	wg.Wait()
	say(list[0].n, list[1].n)`},
	// Another goroutine unlocks the mutex between the Lock and the access.
	{"thisLockForeign", "-guard", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { list[i/2].incForGood() })
	}
	wg.Go(func() { list[0].mu.Unlock(); runtime.Gosched() })
	wg.Wait()
	say(list[0].n)`},
	// The first deferred call runs last, after the unlock.
	{"thisLockDeferred", "-guard", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { list[i/2].incDeferred() })
	}
	wg.Wait()
	say(list[0].n)`},
	// A helper accesses the field, and all its callers hold the lock.
	{"thisLockHelper", "guard", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { for k := range list { list[(i+k)%2].incByHelper() } })
	}
	wg.Go(func() { runtime.Gosched() })
	wg.Wait()
	say(list[0].n, list[1].n)`},
	// The lock may be that of another object.
	{"otherLock", "-guard -lock", `
	list := []*object{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { list[i].mu.Lock(); list[0].n++; list[i].mu.Unlock() })
	}
	wg.Wait()
	say(list[0].n)`},
	// Readers do not exclude each other.
	{"readLock", "-guard", `
	list := []*rwObject{{}, {}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { o := list[i/2]; o.mu.RLock(); o.n++; o.mu.RUnlock() })
	}
	wg.Wait()
	say(list[0].n)`},
	// The receiver is a copy, and so is its lock.
	{"valueReceiver", "-guard -lock", `
	o := &object{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { o.copied(o) })
	}
	wg.Wait()
	say(o.n)`},
	// Figure 2d.
	{"join", "join", `
	x, y := 0, 0
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); x = 1; x++ }()
	go func() { defer wg.Done(); y = 1; y++ }()
	wg.Wait()
	say(x, y)`},
	// The counter can become zero without our Done.
	{"joinTooEarly", "-join", `
	x := 0
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; wg.Done() }()
	go func() { defer func() { recover() }(); wg.Done() }()
	wg.Wait()
	say(x)`},
	// Another goroutine adds an unknown number to the counter.
	{"joinUnknown", "-join", `
	x := 0
	var wg sync.WaitGroup
	wg.Add(2)
	n := make(chan int, 1)
	n <- -1
	go func() { defer func() { recover() }(); wg.Done(); x = 1; x++ }()
	go func() { defer func() { recover() }(); wg.Add(<-n) }()
	wg.Wait()
	say(x)`},
	{"receive", "receive", `
	x := 0
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; done <- true })
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	<-done
	say(x)
	wg.Wait()`},
	// Another goroutine can send, too.
	{"receiveThird", "", `
	x := 0
	done, begin := make(chan bool, 2), make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { begin <- true; x = 1; x++; done <- true })
	wg.Go(func() { <-begin; done <- false })
	<-done
	say(x)
	wg.Wait()`},
	{"receiveLater", "-receive", `
	x := 0
	done, after := make(chan bool, 2), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	wg.Go(func() { <-after; done <- false })
	wg.Go(func() { x = 1; x++; after <- true })
	<-done
	say(x)
	wg.Wait()`},
	// Another goroutine can close the channel.
	{"receiveClosed", "", `
	x := 0
	done, begin := make(chan bool, 2), make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { begin <- true; x = 1; x++ })
	wg.Go(func() { <-begin; close(done) })
	<-done
	say(x)
	wg.Wait()`},
	// The runtime sends to the channel of a timer, too.
	{"receiveOrTimeout", "-receive", `
	x := 0
	done := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; done <- true })
	select {
	case <-done:
	case <-time.After(1):
	}
	say(x)
	wg.Wait()`},
	// Only we receive from a full channel.
	{"send", "send", `
	x := 0
	c := make(chan bool, 1)
	c <- true
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; <-c })
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	c <- false
	say(x)
	wg.Wait()`},
	// A third goroutine receives from the full channel.
	{"sendThird", "", `
	x := 0
	c := make(chan bool, 1)
	c <- true
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++ })
	wg.Go(func() { runtime.Gosched(); runtime.Gosched(); <-c })
	c <- false
	say(x)
	wg.Wait()`},
	// The accesses are in the function of a Once.
	{"once", "once", `
	x := 0
	var o sync.Once
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { o.Do(func() { runtime.Gosched(); x = 1; x++ }); say(x) })
	}
	wg.Go(func() { runtime.Gosched(); runtime.Gosched() })
	wg.Wait()`},
	// A panic before the Lock leads to the deferred access, without the lock.
	{"panics", "-lock -guard", `
	o := &object{}
	var p *int
	var wg sync.WaitGroup
	wg.Go(func() { o.inc() })
	wg.Go(func() {
		defer func() { recover(); o.n = 5 }()
		*p = 1
		o.mu.Lock()
		o.mu.Unlock()
	})
	wg.Wait()
	say(o.n)`},
	// Two writes conflict.
	{"writeWrite", "", `
	var x, u, v int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { u = 1; x = 1; wg.Done() }()
	go func() { v = u; x = 2; wg.Done() }()
	wg.Wait()
	say(v, x)`},
}

// decls are the variables and types of the programs.
const decls = `
var (
	global sync.Mutex
	shared int
)

type object struct { mu sync.Mutex; n int }

func (o *object) inc() { o.mu.Lock(); defer o.mu.Unlock(); o.n++ }

func (o *object) incByHelper() { o.mu.Lock(); o.incLocked(); o.mu.Unlock() }

func (o *object) incDeferred() { defer o.incLocked(); o.mu.Lock(); defer o.mu.Unlock(); runtime.Gosched() }

func (o *object) incForGood() { o.mu.Lock(); runtime.Gosched(); o.n++ }

func (o *object) incLocked() { o.n++ }

func (o object) copied(p *object) { o.mu.Lock(); p.n++; o.mu.Unlock() }

type rwObject struct { mu sync.RWMutex; n int }
`

// TestPatterns explores each program with and without the oracle.
func TestPatterns(t *testing.T) {
	s := microtest.Load(t, "", decls, programs)
	s.Each(t, func(t *testing.T, p microtest.Program, e *load.Entry) {
		all, none := s.Explore(t, e, oracle.None, stateful.JPF)
		got, r := s.Explore(t, e, oracle.Patterns, stateful.JPF)
		microtest.Same(t, oracle.Patterns, got, all)
		if r.Choices > none.Choices {
			t.Errorf("%d choices, without static facts %d", r.Choices, none.Choices)
		}
		microtest.Reasons(t, oracle.Patterns, r, p.Want)
	})
}

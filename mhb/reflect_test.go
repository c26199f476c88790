package mhb_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/microtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
)

// reflected are programs that access primitives of package sync without their methods; these accesses
// conflict with the methods.
var reflected = []microtest.Program{
	{"field", "", `
	var s struct { mu sync.Mutex; f int }
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	wg.Go(func() { say(int(reflect.ValueOf(&s).Elem().Field(0).Field(1).Field(0).Int())) })
	wg.Wait()`},
	{"counter", "", `
	var mu sync.RWMutex
	var wg sync.WaitGroup
	v := reflect.ValueOf(&mu).Elem()
	wg.Go(func() { mu.RLock(); mu.RUnlock() })
	wg.Go(func() { say(int(v.FieldByName("readerCount").FieldByName("v").Int())) })
	wg.Wait()`},
	{"once", "", `
	var once sync.Once
	var wg sync.WaitGroup
	v := reflect.ValueOf(&once).Elem()
	wg.Go(func() { once.Do(func() { ticks.Add(1) }) })
	wg.Go(func() { say(v.NumField()); if !v.IsZero() { say(1) } })
	wg.Wait()`},
	{"group", "", `
	var group sync.WaitGroup
	done := make(chan bool, 2)
	v := reflect.ValueOf(&group).Elem()
	go func() { group.Add(1); group.Done(); done <- true }()
	go func() { if !v.IsZero() { say(1) } else { say(0) }; done <- true }()
	<-done
	<-done`},
	{"length", "", `
	c := make(chan int, 2)
	n := 0
	v := reflect.ValueOf(c)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1 })
	wg.Go(func() { n = v.Len() })
	wg.Wait()
	say(n)`},
	{"lengthLater", "", `
	c := make(chan int, 2)
	x, n := 0, 0
	v := reflect.ValueOf(c)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1; say(x) })
	wg.Go(func() { x = 1; n = v.Len() })
	wg.Wait()
	say(n)`},
	{"receivedLater", "", `
	c := make(chan int, 2)
	x := 0
	v := reflect.ValueOf(c)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1; say(x) })
	wg.Go(func() { x = 1; if _, ok := v.TryRecv(); ok { say(9) } })
	wg.Wait()`},
	{"closedByReflection", "", `
	c := make(chan int, 2)
	x := 0
	v := reflect.ValueOf(c)
	var wg sync.WaitGroup
	wg.Go(func() { defer func() { recover(); say(x) }(); c <- 1; say(9) })
	wg.Go(func() { x = 1; v.Close() })
	wg.Wait()`},
	{"set", "", `
	s := &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.f++; defer func() { recover() }(); s.mu.Unlock() })
	wg.Go(func() { reflect.ValueOf(s).Elem().SetZero() })
	wg.Go(func() { s.mu.Lock(); s.f = 10 })
	wg.Wait()
	say(s.f)`},
	{"unsafely", "", `
	var mu sync.Mutex
	var f int
	done := make(chan bool, 3)
	mu.Lock()
	go func() { f = 1; f++; done <- true }()
	go func() { mu.Lock(); f = 10; done <- true }()
	go func() { ticks.Add(1); *(*int64)(unsafe.Pointer(&mu)) = 0; done <- true }()
	<-done
	<-done
	<-done
	say(f)`},
	// The walk does not see that this store unlocks the mutex. So it proves nothing about what
	// comes after the store.
	{"unsafelyAtomic", "", `
	var mu [1]sync.Mutex
	var f int
	done := make(chan bool, 3)
	mu[0].Lock()
	go func() { f = 1; f++; done <- true }()
	go func() { mu[0].Lock(); f = 10; done <- true }()
	go func() { ticks.Add(1); atomic.StoreInt64((*int64)(unsafe.Pointer(&mu)), 0); done <- true }()
	<-done
	<-done
	<-done
	say(f)`},
	// This store changes no lock.
	{"elsewhere", "receive", `
	var page [4]int64
	var f int
	done, go2 := make(chan bool, 3), make(chan bool)
	go func() { <-go2; f = 10; done <- true }()
	go func() { atomic.StoreInt64((*int64)(unsafe.Pointer(&page)), 0); done <- true }()
	f = 1
	f++
	close(go2)
	<-done
	<-done
	say(f, int(page[0]))`},
	{"printed", "", `
	s := &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	wg.Go(func() { syscall.Write(1, []byte(fmt.Sprint(s))) })
	wg.Wait()`},
}

// TestReflected: no outcome is lost in programs that read the memory of a lock.
func TestReflected(t *testing.T) {
	s := microtest.Load(t, "\t\"fmt\"\n\t\"reflect\"\n\t\"unsafe\"\n", "type copied struct { mu sync.Mutex; f int }\n", reflected)
	s.Each(t, func(t *testing.T, p microtest.Program, e *load.Entry) {
		all, _ := s.Explore(t, e, oracle.None, stateful.Full)
		t.Log(all)
		for _, h := range []oracle.Kind{oracle.None, oracle.Patterns, oracle.MHB, microtest.Walks, oracle.Full} {
			got, r := s.Explore(t, e, h, stateful.JPF)
			microtest.Same(t, h, got, all)
			if h == oracle.MHB {
				microtest.Reasons(t, h, r, p.Want)
			}
		}
	})
}

// Accesses that static analyses have to foresee, each by another goroutine
// than the one that might go on without a choice. TestStaticPrograms explores
// every function.
package main

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

var mu sync.Mutex

func step() { mu.Lock(); mu.Unlock() }

func AtomicPlain() {
	var x int32
	go func() { atomic.AddInt32(&x, 1) }()
	step()
	x = 5
	step()
}

type M struct {
	mu sync.Mutex
	n  int
}

func MutexCopy() {
	m := &M{}
	go func() { m.mu.Lock(); m.mu.Unlock() }()
	step()
	c := *m
	_ = c
	step()
	if c.mu.TryLock() {
		step()
	}
}

func Copy() {
	s := []int{3, 1}
	d := make([]int, 2)
	go func() { copy(d, s) }()
	step()
	s[0] = 1
	step()
}

func Append() {
	s := make([]int, 1, 4)
	go func() { _ = append(s, 1) }()
	step()
	x := s[:4]
	x[1] = 4
	step()
}

func StringBytes() {
	b := []byte("abc")
	go func() { _ = string(b) }()
	step()
	b[1] = 4
	step()
}

func Unsafe2() {
	var x struct{ a, b int64 }
	go func() { p := (*[2]int64)(unsafe.Pointer(&x)); p[1] = 3 }()
	step()
	x.b = 4
	step()
}

func UnsafeSlice() {
	var x struct{ a, b int64 }
	go func() { p := unsafe.Slice(&x.a, 2); p[1] = 3 }()
	step()
	x.b = 4
	step()
}

func MapRange() {
	m := map[int]int{1: 2}
	go func() {
		for k := range m {
			_ = k
		}
	}()
	step()
	m[2] = 3
	step()
}

func Clear() {
	m := map[int]int{1: 2}
	go func() { clear(m) }()
	step()
	_ = m[1]
	step()
}

func Pool() {
	x := 0
	_ = x
	p := sync.Pool{New: func() any { x++; return 1 }}
	go func() { p.Get() }()
	step()
	x = 3
	step()
}

func SyncMap() {
	x := 0
	_ = x
	var m sync.Map
	m.Store(1, 2)
	go func() { m.Range(func(k, v any) bool { x++; return true }) }()
	step()
	x = 3
	step()
}

func OnceValue() {
	x := 0
	_ = x
	f := sync.OnceValue(func() int { x++; return x })
	go f()
	step()
	x = 3
	step()
}

func Defer() {
	n := 0
	go func() { defer func() { recover(); n++ }(); panic(1) }()
	step()
	n = 3
	step()
}

func RuntimePanic() {
	n := 0
	go func() {
		defer func() { recover(); n++ }()
		var p *int
		*p = 1
	}()
	step()
	n = 3
	step()
}

func Embedded() {
	type A struct{ x, y int }
	type B struct {
		A
		z int
	}
	b := &B{}
	go func() { a := &b.A; *a = A{1, 2} }()
	step()
	b.y = 3
	step()
}

func ArrayCopy() {
	var a [3]int
	go func() { b := a; _ = b }()
	step()
	a[1] = 3
	step()
}

func SliceToArray() {
	s := []int{1, 2, 3}
	go func() { b := [3]int(s); _ = b }()
	step()
	s[1] = 3
	step()
}

func ArrayCompare() {
	a := &[3]int{}
	b := [3]int{}
	go func() { _ = *a == b }()
	step()
	a[1] = 3
	step()
}

func ChanOfPointers() {
	c := make(chan *int, 1)
	x := 0
	_ = x
	go func() { p := <-c; *p = 3 }()
	step()
	x = 1
	c <- &x
	step()
	x = 2
	step()
}

func AtomicValue() {
	var v atomic.Value
	x := 0
	_ = x
	go func() {
		p, _ := v.Load().(*int)
		if p != nil {
			*p = 2
		}
	}()
	step()
	x = 1
	v.Store(&x)
	step()
	x = 3
}

func MapKeyCompare() {
	type K struct{ a any }
	m := map[K]int{}
	go func() { m[K{1}]++ }()
	step()
	delete(m, K{1})
	step()
}

func MutexCopy2() {
	m := &M{}
	go func() { c := *m; _ = c }()
	step()
	m.mu.Lock()
	m.mu.Unlock()
	step()
}

func IfaceField() {
	type N struct{ v any }
	n := &N{}
	go func() { n.v = 1 }()
	step()
	_, _ = n.v.(int)
	step()
}

func StringField() {
	type N struct{ v string }
	n := &N{}
	go func() { n.v = "abc" }()
	step()
	_ = n.v == "x"
	step()
}

func PtrEq() {
	a := [2]struct{ x, y int }{}
	go func() { p := &a[1]; p.y = 2 }()
	step()
	b := a
	_ = b
	step()
}

func SelectMany() {
	var cs [4]chan int
	for i := range cs {
		cs[i] = make(chan int, 1)
	}
	x := 0
	_ = x
	go func() { x = 1; cs[3] <- 1 }()
	step()
	select {
	case <-cs[0]:
	case <-cs[1]:
	case <-cs[2]:
	case <-cs[3]:
		x = 2
	}
	step()
}

func Cond() {
	c := sync.NewCond(&mu)
	x := 0
	_ = x
	go func() { mu.Lock(); x = 1; c.Signal(); mu.Unlock() }()
	mu.Lock()
	for x == 0 {
		c.Wait()
	}
	x = 2
	mu.Unlock()
	step()
}

func RW() {
	var rw sync.RWMutex
	x := 0
	_ = x
	go func() { rw.RLock(); _ = x; rw.RUnlock() }()
	go func() { rw.Lock(); x = 1; rw.Unlock() }()
	step()
	rw.RLock()
	_ = x
	rw.RUnlock()
	step()
}

func WG() {
	var wg sync.WaitGroup
	x := [2]int{}
	for i := range 2 {
		wg.Go(func() { x[i]++ })
	}
	wg.Wait()
	step()
	x[0] = 3
}

func Buf2() {
	c := make(chan int, 2)
	x := 0
	_ = x
	go func() { c <- 1; x = 1; c <- 2 }()
	go func() { <-c; step(); <-c; x = 2 }()
	step()
	x = 3
	step()
}

func PtrMap() {
	m := map[string]*int{"a": new(int)}
	go func() { *m["a"] = 1 }()
	step()
	*m["a"] = 2
	step()
}

func MapStruct() {
	type K struct{ p *int }
	m := map[K][]int{}
	m[K{nil}] = []int{1}
	go func() { m[K{nil}][0] = 1 }()
	step()
	m[K{nil}][0]++
	step()
}

func GenericStack() {
	s := &Stack[int]{}
	go func() { s.Push(1) }()
	step()
	s.Push(2)
	step()
	s.v[0] = 3
	step()
}

type Stack[T any] struct {
	mu sync.Mutex
	v  []T
}

func (s *Stack[T]) Push(x T) { s.mu.Lock(); defer s.mu.Unlock(); s.v = append(s.v, x) }

func PanicLock() {
	m := &M{}
	go func() {
		defer func() { recover(); m.n = 5 }()
		m.mu.Lock()
		defer m.mu.Unlock()
		panic(1)
	}()
	step()
	m.mu.Lock()
	m.n = 3
	m.mu.Unlock()
	step()
}

func Once() {
	var o sync.Once
	x := 0
	_ = x
	f := func() { x = 1 }
	go func() { o.Do(f) }()
	step()
	o.Do(f)
	x = 2
	step()
}

func main() {}

func SliceToArrayLoad() {
	s := make([]int, 3)
	go func() { b := [3]int(s); _ = b }()
	step()
	s[1] = 3
	step()
}

type twin struct{ x, y int64 }

func set(p *[2]int64) { p[1] = 3 }

func PunnedElsewhere() {
	t := &twin{}
	p := (*[2]int64)(unsafe.Pointer(t))
	go set(p)
	step()
	t.y = 4
	step()
}

// HasRecovered: the deferred call that is running has called recover already.
func HasRecovered() {
	x, y := 0, 0
	_, _ = x, y
	go func() {
		func() {
			defer func() {
				recover()
				y = 1
			}()
			panic(1)
		}()
		x = 1
	}()
	step()
	x = 2
	y = 2
	step()
}

// Memory of all kinds: interfaces, generic types, unsafe, reflection.
package main

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

var mu sync.Mutex

func step() { mu.Lock(); mu.Unlock() }

type Shape interface{ Area() *int }
type Sq struct{ n *int }

func (s Sq) Area() *int { return s.n }

type Wrap struct {
	Shape
	k int
}

func EmbeddedIface() {
	n := 0
	w := Wrap{Shape: Sq{&n}}
	var s Shape = w
	go func() { *s.Area() = 1 }()
	step()
	n = 2
	step()
}

func EmbeddedIfaceGo() {
	n := 0
	var s fmt.Stringer = St{Str{&n}}
	go s.String()
	step()
	n = 2
	step()
}

type Str struct{ n *int }

func (s Str) String() string { *s.n++; return "" }

type St struct{ Str }

func MethodExpr() {
	n := 0
	f := Str.String
	g := (*St).String
	go func() { f(Str{&n}) }()
	go func() { g(&St{Str{&n}}) }()
	step()
	n = 2
	step()
}

func ChanChan() {
	cc := make(chan chan *int, 1)
	n := 0
	go func() { c := <-cc; p := <-c; *p = 2 }()
	c := make(chan *int)
	cc <- c
	c <- &n
	step()
	n = 3
	step()
}

func ClosureLoop() {
	var fs []func()
	xs := [3]int{}
	for i := range xs {
		fs = append(fs, func() { xs[i]++ })
	}
	for _, f := range fs[1:] {
		go f()
	}
	step()
	fs[0]()
	xs[1] = 3
	step()
}

func GenericMap() {
	m := &SMap[string, *int]{m: map[string]*int{}}
	n := 0
	m.Set("a", &n)
	go func() { *m.Get("a") = 2 }()
	step()
	n = 3
	step()
}

type SMap[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func (s *SMap[K, V]) Get(k K) V    { s.mu.RLock(); defer s.mu.RUnlock(); return s.m[k] }
func (s *SMap[K, V]) Set(k K, v V) { s.mu.Lock(); defer s.mu.Unlock(); s.m[k] = v }

func UnsafeField() {
	var s struct{ a, b int64 }
	go func() { p := (*int64)(unsafe.Add(unsafe.Pointer(&s), 8)); *p = 3 }()
	step()
	s.b = 3
	step()
}

func Uintptr() {
	var s struct{ a, b int64 }
	go func() { p := (*int64)(unsafe.Pointer(uintptr(unsafe.Pointer(&s)) + 8)); *p = 3 }()
	step()
	s.b = 3
	step()
}

func StringData() {
	b := []byte("abc")
	s := unsafe.String(unsafe.SliceData(b), 3)
	go func() { _ = s[1] }()
	step()
	b[1] = 3
	step()
}

func StringMapKey() {
	b := []byte("abc")
	m := map[string]int{"abc": 1}
	go func() { _ = m[string(b)] }()
	step()
	b[1] = 3
	step()
}

func RangeString() {
	b := []byte("abc")
	go func() {
		for range string(b) {
		}
	}()
	step()
	b[1] = 3
	step()
}

func AppendBytes() {
	b := []byte("abc")
	go func() { _ = append([]byte(nil), b...); _ = append([]byte("x"), "y"...) }()
	step()
	b[1] = 3
	step()
}

func InterfaceCompare() {
	a := &[2]any{1, 2}
	go func() { _ = a[0] == a[1] }()
	step()
	a[1] = 3
	step()
}

func StructCompare() {
	type P struct{ x, y any }
	a := &P{1, 2}
	go func() { _ = *a == P{1, 3} }()
	step()
	a.y = 3
	step()
}

func MinMax() {
	s := []int{1, 2}
	go func() { _ = slices.Max(s) }()
	step()
	s[1] = 3
	step()
}

func ReflectSelect() {
	c := make(chan int, 1)
	x := 0
	_ = x
	go func() {
		i, _, _ := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}})
		x = i
	}()
	step()
	x = 3
	c <- 1
	step()
}

func ReflectSend() {
	c := make(chan *int, 1)
	x := 0
	go func() { reflect.ValueOf(c).Send(reflect.ValueOf(&x)) }()
	step()
	x = 1
	p := <-c
	*p = 3
	step()
}

func ReflectFieldPtr() {
	var s struct{ A, B int }
	p := reflect.ValueOf(&s).Elem().Field(1).Addr().Interface().(*int)
	go func() { *p = 3 }()
	step()
	s.B = 3
	step()
}

func ReflectAppend() {
	s := make([]int, 1, 4)
	go func() { reflect.Append(reflect.ValueOf(s), reflect.ValueOf(2)) }()
	step()
	s[:2][1] = 3
	step()
}

func ReflectCopy() {
	s := make([]int, 2)
	go func() { reflect.Copy(reflect.ValueOf(s), reflect.ValueOf([]int{1, 2})) }()
	step()
	s[1] = 3
	step()
}

func SingletonArray() {
	var a [4]struct {
		mu sync.Mutex
		n  int
	}
	go func() {
		for i := range a {
			a[i].mu.Lock()
			a[i].n++
			a[i].mu.Unlock()
		}
	}()
	step()
	a[2].mu.Lock()
	a[2].n = 3
	a[2].mu.Unlock()
}

func DeferMethod() {
	x := 0
	var i fmt.Stringer = Str{&x}
	go func() { defer i.String() }()
	step()
	x = 2
	step()
}

func main() {}

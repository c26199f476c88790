// More of what library.go has.
package main

import (
	"bufio"
	"bytes"
	"container/list"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"unsafe"
	"weak"
)

var mu sync.Mutex

func step() { mu.Lock(); mu.Unlock() }

func Finalizer() {
	x := 0
	p := &struct{ a, b int }{}
	runtime.SetFinalizer(p, func(*struct{ a, b int }) { x++ })
	p = nil
	go runtime.GC()
	step()
	x = 3
	step()
}

func Cleanup() {
	x := 0
	p := &struct{ a, b int }{}
	runtime.AddCleanup(p, func(n *int) { *n++ }, &x)
	p = nil
	go runtime.GC()
	step()
	x = 3
	step()
}

func Weak() {
	p := &struct{ a, b int }{}
	w := weak.Make(p)
	go func() {
		if q := w.Value(); q != nil {
			q.a = 3
		}
	}()
	step()
	p.a = 2
	step()
}

func Unique() {
	h := unique.Make("a")
	x := 0
	_ = x
	go func() {
		if h == unique.Make("a") {
			x = 1
		}
	}()
	step()
	x = 2
	step()
}

func List() {
	l := list.New()
	e := l.PushBack(1)
	go func() { l.PushBack(2) }()
	step()
	e.Value = 3
	_ = l.Len()
	step()
}

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

func CASPublish() {
	var p atomic.Pointer[int]
	n := 0
	go func() {
		if q := p.Load(); q != nil {
			*q = 3
		}
	}()
	step()
	n = 1
	p.CompareAndSwap(nil, &n)
	step()
	n = 2
	step()
}

func CtxValue() {
	n := 0
	ctx := context.WithValue(context.Background(), "k", &n)
	go func() { *ctx.Value("k").(*int) = 2 }()
	step()
	n = 2
	step()
}

func ErrorsAs() {
	n := 0
	err := fmt.Errorf("x %w", &Er{&n})
	go func() {
		var e *Er
		if errors.As(err, &e) {
			*e.n = 3
		}
	}()
	step()
	n = 2
	step()
}

type Er struct{ n *int }

func (e *Er) Error() string { return "" }

func LoadOrStore() {
	var m sync.Map
	n := 0
	m.Store("a", &n)
	go func() { v, _ := m.LoadOrStore("a", new(int)); *v.(*int) = 3 }()
	step()
	n = 2
	step()
}

func Bufio() {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	go func() { w.WriteString("abc"); w.Flush() }()
	step()
	_ = b.Len()
	step()
}

func Log() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	go func() { l.Println("x") }()
	step()
	_ = b.String()
	step()
}

func Stdout() {
	b := []byte("abc")
	go func() { os.Stdout.Write(b) }()
	step()
	b[0] = 'x'
	step()
}

func Binary() {
	b := make([]byte, 8)
	go func() { binary.LittleEndian.PutUint32(b, 7) }()
	step()
	b[1] = 'x'
	step()
}

func BinaryRead() {
	var s struct{ A, B uint16 }
	go func() { binary.Read(bytes.NewReader([]byte{1, 2, 3, 4}), binary.LittleEndian, &s) }()
	step()
	s.B = 3
	step()
}

func Sscan() {
	n := 0
	go func() { fmt.Sscan("12", &n) }()
	step()
	n = 3
	step()
}

func Regexp() {
	b := []byte("abc")
	r := regexp.MustCompile("b")
	go func() { r.Match(b) }()
	step()
	b[1] = 'x'
	step()
}

func Rand() {
	b := make([]byte, 2)
	r := rand.New(rand.NewSource(1))
	go func() { r.Read(b) }()
	step()
	b[1] = 'x'
	step()
}

func Shuffle() {
	s := []int{1, 2}
	go func() { slices.Reverse(s) }()
	step()
	s[1] = 'x'
	step()
}

func SortStable() {
	s := sort.IntSlice([]int{2, 1})
	go sort.Stable(s)
	step()
	s[1] = 'x'
	step()
}

func Pipe() {
	r, w := io.Pipe()
	b := make([]byte, 3)
	go func() { w.Write([]byte("abc")); w.Close() }()
	go func() { io.ReadFull(r, b) }()
	step()
	b[0] = 1
	step()
}

func CopyBuf() {
	var d strings.Builder
	s := []byte("abc")
	go func() { io.Copy(&d, bytes.NewReader(s)) }()
	step()
	s[0] = 1
	step()
}

func Pull2() {
	x := 0
	seq := func(yield func(int) bool) {
		for i := range 2 {
			x++
			if !yield(i) {
				return
			}
		}
	}
	next, stop := iter.Pull(iter.Seq[int](seq))
	next()
	go func() { next(); stop() }()
	step()
	x = 3
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

func TimerReset() {
	x := 0
	tm := time.AfterFunc(10, func() { x++ })
	go func() { tm.Reset(5) }()
	step()
	x = 3
	step()
}

func TickerLoop() {
	tk := time.NewTicker(10)
	x := 0
	go func() { <-tk.C; x++; tk.Stop() }()
	step()
	x = 3
	step()
}

func ErrgroupLike() {
	sem := make(chan struct{}, 1)
	var wg sync.WaitGroup
	x := 0
	for range 2 {
		wg.Add(1)
		sem <- struct{}{}
		go func() { defer func() { <-sem; wg.Done() }(); x++ }()
	}
	wg.Wait()
	x++
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

func Goexit() {
	x := 0
	go func() { defer func() { x++ }(); runtime.Goexit() }()
	step()
	x = 3
	step()
}

func NestedPanic() {
	x := 0
	go func() {
		defer func() { recover(); x++ }()
		defer func() { panic(2) }()
		panic(1)
	}()
	step()
	x = 3
	step()
}

func RecoverContinue() {
	x := 0
	_ = x
	f := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = io.EOF
			}
		}()
		panic(1)
	}
	go func() {
		if f() != nil {
			x = 3
		}
	}()
	step()
	x = 2
	step()
}

func NamedResult() {
	x := 0
	f := func() (p *int) { defer func() { recover() }(); p = &x; panic(1) }
	go func() { *f() = 3 }()
	step()
	x = 2
	step()
}

func DeferLoop() {
	xs := [2]int{}
	go func() {
		for i := range xs {
			defer func() { xs[i]++ }()
		}
	}()
	step()
	xs[1] = 2
	step()
}

func DeferMethod() {
	x := 0
	var i fmt.Stringer = Str{&x}
	go func() { defer i.String() }()
	step()
	x = 2
	step()
}

func GoBuiltin() {
	m := map[int]int{1: 1}
	go delete(m, 1)
	step()
	m[1] = 2
	step()
}

func DeferBuiltin() {
	m := map[int]int{1: 1}
	go func() { defer delete(m, 1) }()
	step()
	m[1] = 2
	step()
}

func GoCopy() {
	s := []int{1, 2}
	go copy(s, []int{3})
	step()
	s[0] = 2
	step()
}

func RangeFuncDefer() {
	x := 0
	go func() {
		for i := range slices.Values([]int{1}) {
			defer func() { x += i }()
		}
	}()
	step()
	x = 2
	step()
}

func Locker() {
	var l sync.Locker = &sync.Mutex{}
	var rw sync.RWMutex
	r := rw.RLocker()
	x := 0
	go func() {
		l.Lock()
		x++
		l.Unlock()
		r.Lock()
		_ = x
		r.Unlock()
	}()
	step()
	l.Lock()
	x = 2
	l.Unlock()
	rw.Lock()
	x = 3
	rw.Unlock()
}

func ForeignUnlock() {
	var l sync.Mutex
	x := 0
	l.Lock()
	go func() { l.Lock(); x++; l.Unlock() }()
	go func() { l.Unlock() }()
	step()
	x = 2
	step()
}

func SemChannel() {
	sem := make(chan int, 1)
	x := 0
	go func() { sem <- 1; x++; <-sem }()
	step()
	sem <- 1
	x = 2
	<-sem
}

func ClosedChannel() {
	c := make(chan int)
	x := 0
	go func() {
		for range c {
			x++
		}
		x++
	}()
	step()
	x = 3
	close(c)
	step()
}

func OnceFuncPanics() {
	x := 0
	f := sync.OnceFunc(func() { x++; panic(1) })
	g := func() { defer func() { recover() }(); f() }
	go g()
	step()
	g()
	x = 3
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

func main() {}

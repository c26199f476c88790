// Package corners has programs about corners of the library that no other area has.
package corners

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"log/slog"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"
	"unique"
	"weak"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// caught calls f and prints what it panics with.
func caught(f func()) {
	defer func() { fmt.Print(recover(), ";") }()
	f()
}

// AfterFuncStop beside cancel: f runs, or stop says that it does not.
func AfterFuncStop() {
	ctx, cancel := context.WithCancelCause(context.Background())
	ran := make(chan bool, 1)
	stop := context.AfterFunc(ctx, func() { ran <- true })
	var stopped bool
	par(func() { cancel(errors.New("why")) }, func() { stopped = stop() })
	if !stopped {
		<-ran
	}
	fmt.Print(stopped, context.Cause(ctx))
}

// AfterFuncTwice: two functions of one context, in any order.
func AfterFuncTwice() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Add(2)
	var mu sync.Mutex
	for i := range 2 {
		context.AfterFunc(ctx, func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			fmt.Print(i)
		})
	}
	cancel()
	wg.Wait()
}

// WithoutCancel is not ended with its parent, and has its values.
func WithoutCancel() {
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, 7))
	ctx := context.WithoutCancel(parent)
	child, stop := context.WithTimeoutCause(ctx, time.Hour, errors.New("late"))
	defer stop()
	cancel()
	fmt.Print(ctx.Err(), child.Err(), parent.Err(), ctx.Value(key{}), context.Cause(child), ctx.Done() == nil)
}

// CauseFirst: the first of two causes counts.
func CauseFirst() {
	ctx, cancel := context.WithCancelCause(context.Background())
	par(func() { cancel(errors.New("a")) }, func() { cancel(errors.New("b")) })
	fmt.Print(ctx.Err(), context.Cause(ctx))
}

// CauseChild: who is cancelled first, parent or child.
func CauseChild() {
	parent, cancel := context.WithCancelCause(context.Background())
	child, stop := context.WithCancelCause(parent)
	par(func() { cancel(errors.New("parent")) }, func() { stop(errors.New("child")) })
	fmt.Print(context.Cause(parent), context.Cause(child))
}

// OnceValuesPanic: each caller gets the panic.
func OnceValuesPanic() {
	n := 0
	f := sync.OnceValues(func() (int, error) { n++; panic(fmt.Sprint("p", n)) })
	var mu sync.Mutex
	call := func() {
		defer func() {
			r := recover()
			mu.Lock()
			fmt.Print(r, " ")
			mu.Unlock()
		}()
		f()
	}
	par(call, call)
	fmt.Print(n)
}

// OnceFuncGoexit: a function that ends the goroutine is done all the same.
func OnceFuncGoexit() {
	var once sync.Once
	n := 0
	par(func() { once.Do(func() { n++; func() { defer func() { recover() }(); panic("x") }() }) }, func() { once.Do(func() { n += 2 }) })
	fmt.Print(n)
}

// CondUnlocked: Wait without the lock.
func CondUnlocked() {
	c := sync.NewCond(&sync.Mutex{})
	go c.Signal()
	c.Wait()
}

// ResetRace: a timer that may have fired when it is reset.
func ResetRace() {
	t := time.NewTimer(time.Millisecond)
	time.Sleep(time.Millisecond)
	active := t.Reset(time.Millisecond)
	<-t.C
	select {
	case <-t.C:
		fmt.Print("twice ")
	default:
	}
	_ = active
	fmt.Print("once")
}

// BuilderCopy panics when it is written to.
func BuilderCopy() {
	var b strings.Builder
	b.WriteString("a")
	c := b
	caught(func() { c.WriteString("b") })
	fmt.Print(c.String(), b.Len())
}

// SharedReader: bufio without a lock.
func SharedReader() {
	r := bufio.NewReader(strings.NewReader("ab"))
	par(func() { r.ReadByte() }, func() { r.ReadByte() })
}

// ReaderLocked: who gets which byte.
func ReaderLocked() {
	r := bufio.NewReader(strings.NewReader("ab"))
	var mu sync.Mutex
	var got [2]byte
	read := func(i int) func() {
		return func() { mu.Lock(); defer mu.Unlock(); got[i], _ = r.ReadByte() }
	}
	par(read(0), read(1))
	fmt.Print(string(got[:]))
}

// ValueTypes: an atomic.Value that two types are stored in.
func ValueTypes() {
	var v atomic.Value
	var failed atomic.Int32
	store := func(x any) func() {
		return func() {
			defer func() {
				if recover() != nil {
					failed.Add(1)
				}
			}()
			v.Store(x)
		}
	}
	par(store(1), store("a"))
	fmt.Print(v.Load(), failed.Load())
}

// PullStopTwice is nothing, and next after it neither.
func PullStopTwice() {
	next, stop := iter.Pull2(maps.All(map[int]string{1: "a"}))
	k, v, ok := next()
	stop()
	stop()
	_, _, more := next()
	fmt.Print(k, v, ok, more)
}

// PullPanics: next panics with what the sequence does, once.
func PullPanics() {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1); panic("seq") })
	next()
	caught(func() { next() })
	caught(func() { next() })
	caught(stop)
}

// PullReentrant: next inside of the sequence.
func PullReentrant() {
	var next func() (int, bool)
	next, stop := iter.Pull(func(yield func(int) bool) {
		caught(func() { next() })
		yield(1)
	})
	fmt.Print(next())
	stop()
}

// handler prints the message and what it has been given.
type handler struct {
	mu    *sync.Mutex
	attrs string
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Print(r.Message, h.attrs, " ")
	return nil
}
func (h handler) WithAttrs(as []slog.Attr) slog.Handler {
	return handler{h.mu, h.attrs + fmt.Sprint(as)}
}
func (h handler) WithGroup(name string) slog.Handler { return handler{h.mu, h.attrs + name + "."} }

// SlogHandler of two loggers.
func SlogHandler() {
	l := slog.New(handler{mu: &sync.Mutex{}})
	par(func() { l.With("a", 1).Info("x") }, func() { l.WithGroup("g").Warn("y") })
}

// LogPrefix changes beside a line.
func LogPrefix() {
	var b bytes.Buffer
	l := log.New(&b, "a ", log.Lmsgprefix)
	par(func() { l.SetPrefix("b ") }, func() { l.Print("x") })
	fmt.Print(b.String(), l.Prefix())
}

// TemplateBeside: one template executed twice at a time.
func TemplateBeside() {
	t := template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper}).Parse(`{{range .}}{{up .}}{{end}}`))
	var a, b strings.Builder
	par(func() { t.Execute(&a, []string{"x", "y"}) }, func() { t.Execute(&b, []string{"z"}) })
	fmt.Print(a.String(), b.String())
}

// UniqueBeside: handles of equal values are equal, of whichever goroutine.
func UniqueBeside() {
	var a, b unique.Handle[string]
	par(func() { a = unique.Make("x" + fmt.Sprint(1)) }, func() { b = unique.Make("x1") })
	fmt.Print(a == b, a.Value())
}

// WeakKept is not cleared while there is a pointer.
func WeakKept() {
	p := new(int)
	w := weak.Make(p)
	fmt.Print(w.Value() == p, w == weak.Make(p), weak.Make[int](nil).Value() == nil)
	*p = 1
}

// CloneBeside: a map that is cloned while it is written. The detector does not see what maps.Clone reads.
//
//native:race
func CloneBeside() {
	m := map[int]int{1: 1}
	par(func() { m[2] = 2 }, func() { _ = maps.Clone(m) })
}

// JoinErrors: Is and As look into all.
func JoinErrors() {
	e := errors.Join(nil, fmt.Errorf("a: %w", context.Canceled), errors.New("b"))
	var x interface{ Unwrap() []error }
	fmt.Printf("%q %v %v", e.Error(), errors.Is(e, context.Canceled), errors.As(e, &x))
}

// JSONMaps are sorted.
func JSONMaps() {
	b, err := json.Marshal(map[string]any{"b": 1, "a": []int(nil), "c": map[int]bool{2: true, 1: false}})
	fmt.Print(string(b), err)
}

// SharedSource without a lock.
func SharedSource() {
	r := rand.New(rand.NewPCG(1, 2))
	par(func() { r.Uint64() }, func() { r.Uint64() })
}

// CompareAndDelete beside a store, and Clear.
func CompareAndDelete() {
	var m sync.Map
	m.Store("k", 1)
	var deleted, swapped bool
	par(func() { deleted = m.CompareAndDelete("k", 1) }, func() { swapped = m.CompareAndSwap("k", 1, 2) })
	v, ok := m.Load("k")
	fmt.Print(deleted, swapped, v, ok)
	m.Clear()
	_, ok = m.Load("k")
	fmt.Print(ok)
}

// ClearBeside: entries stored beside Clear stay or go.
func ClearBeside() {
	var m sync.Map
	m.Store(1, 1)
	par(m.Clear, func() { m.Store(2, 2) })
	var keys []int
	m.Range(func(k, _ any) bool { keys = append(keys, k.(int)); return true })
	fmt.Print(keys)
}

// NilChannels in a select are not ready.
func NilChannels() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	var c chan int
	for range 2 {
		select {
		case v := <-a:
			a = nil
			fmt.Print(v)
		case v := <-b:
			b = nil
			fmt.Print(v)
		case c <- 3:
			fmt.Print("never")
		}
	}
}

// Conversions of constants, slices and numbers that panic or wrap.
func Conversions() {
	n := -1
	caught(func() { _ = make([]int, n) })
	s := []int{1, 2}
	caught(func() { _ = [3]int(s) })
	caught(func() { n = 0; n = 1 / n })
	var i any = uint8(200)
	caught(func() { _ = i.(int8) })
	u := uint8(200)
	fmt.Print(int8(u), uint32(int64(-1)&0xff), min(3, 1, 2), max(1.5, 2))
}

// Pair is an alias with a parameter.
type Pair[T any] = struct{ A, B T }

// GenericAlias is the type that it stands for.
func GenericAlias() {
	var p Pair[int] = struct{ A, B int }{1, 2}
	clear(map[int]int{})
	fmt.Printf("%T %v", p, reflect.TypeOf(p) == reflect.TypeOf(Pair[int]{}))
}

// StackOfOther has the goroutine's own frames.
func StackOfOther() {
	done := make(chan string)
	go func() { done <- string(debug.Stack()) }()
	s := <-done
	fmt.Print(strings.Contains(s, "StackOfOther.func1"), strings.Contains(s, "created by"))
}

// Slices: Compact and Chunk.
func Slices() {
	s := slices.Compact([]int{1, 1, 2, 2, 1})
	for c := range slices.Chunk(s, 2) {
		fmt.Print(c)
	}
	caught(func() { _ = slices.Chunk(s, 0) })
	fmt.Print(slices.Sorted(maps.Keys(map[int]bool{3: true, 1: true})))
}

// WaitGroupGoPanic ends the program.
func WaitGroupGoPanic() {
	var wg sync.WaitGroup
	wg.Go(func() { panic("in go") })
	wg.Wait()
}

// RangeWrite: a map that is written while another goroutine ranges over it.
func RangeWrite() {
	m := map[int]int{1: 1, 2: 2}
	par(func() { m[3] = 3 }, func() {
		for range m {
		}
	})
}

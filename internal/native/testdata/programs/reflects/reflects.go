// Package reflects has programs about package reflect.
package reflects

import (
	"fmt"
	"reflect"
	"sync"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Select: both cases are ready.
func Select() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	i, v, ok := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)},
	})
	fmt.Print(i, v, ok)
}

// SelectDefault beside a send.
func SelectDefault() {
	c := make(chan int, 1)
	par(func() { c <- 1 }, func() {
		i, _, ok := reflect.Select([]reflect.SelectCase{
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)},
			{Dir: reflect.SelectDefault},
		})
		fmt.Print(i, ok)
	})
}

// SelectSend and receive.
func SelectSend() {
	c := make(chan int)
	go func() { c <- 1 }()
	d := make(chan int, 1)
	i, _, _ := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectSend, Chan: reflect.ValueOf(d), Send: reflect.ValueOf(3)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)},
	})
	fmt.Print(i)
	if i == 0 {
		<-c
	}
}

// SelectClosed: a closed channel is ready.
func SelectClosed() {
	c := make(chan int)
	close(c)
	i, v, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}})
	fmt.Print(i, v, ok)
}

// SelectNothing waits forever.
func SelectNothing() {
	reflect.Select(nil)
}

// Send and Recv.
func Send() {
	c := reflect.MakeChan(reflect.TypeFor[chan int](), 1)
	par(func() { c.Send(reflect.ValueOf(1)) }, func() { v, ok := c.Recv(); fmt.Print(v, ok) })
}

// TrySend beside TryRecv.
func TrySend() {
	c := reflect.MakeChan(reflect.TypeFor[chan int](), 1)
	var a, b bool
	par(func() { a = c.TrySend(reflect.ValueOf(1)) }, func() { _, b = c.TryRecv() })
	fmt.Print(a, b)
}

// Close a channel.
func Close() {
	c := make(chan int)
	reflect.ValueOf(c).Close()
	_, ok := <-c
	fmt.Print(ok)
}

// SetRace: a store through reflect races.
func SetRace() {
	n := 0
	par(func() { reflect.ValueOf(&n).Elem().SetInt(1) }, func() { n = 2 })
}

// MapRace: so does one in a map.
func MapRace() {
	m := map[int]int{}
	par(func() { reflect.ValueOf(m).SetMapIndex(reflect.ValueOf(1), reflect.ValueOf(1)) }, func() { _ = m[1] })
}

// FieldRace: and one in a field.
func FieldRace() {
	x := struct{ A, B int }{}
	par(func() { reflect.ValueOf(&x).Elem().Field(0).SetInt(1) }, func() { x.A = 2 })
}

// FieldOther: another field does not.
func FieldOther() {
	x := struct{ A, B int }{}
	par(func() { reflect.ValueOf(&x).Elem().Field(0).SetInt(1) }, func() { x.B = 2 })
	fmt.Print(x)
}

// Call a function.
func Call() {
	var mu sync.Mutex
	n := 0
	f := reflect.ValueOf(func(k int) { mu.Lock(); n = n*10 + k; mu.Unlock() })
	par(func() { f.Call([]reflect.Value{reflect.ValueOf(1)}) }, func() { f.Call([]reflect.Value{reflect.ValueOf(2)}) })
	fmt.Print(n)
}

// MakeFunc: a function of one's own.
func MakeFunc() {
	f := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(int(a[0].Int()) + 1)}
	}).Interface().(func(int) int)
	fmt.Print(f(1))
}

// Method by name.
func Method() {
	var wg sync.WaitGroup
	reflect.ValueOf(&wg).MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(1)})
	go reflect.ValueOf(&wg).MethodByName("Done").Call(nil)
	wg.Wait()
	fmt.Print("ok")
}

// Lock through reflect.
func Lock() {
	var mu sync.Mutex
	lock := reflect.ValueOf(&mu).MethodByName("TryLock")
	var a, b bool
	par(func() { a = lock.Call(nil)[0].Bool() }, func() { b = mu.TryLock() })
	fmt.Print(a, b)
}

// DeepEqual of cycles.
func DeepEqual() {
	type n struct{ next *n }
	a, b := &n{}, &n{}
	a.next, b.next = a, b
	fmt.Print(reflect.DeepEqual(a, b), reflect.DeepEqual([]int{1}, []int{2}))
}

// DeepEqualRace reads all.
func DeepEqualRace() {
	a, b := []int{1}, []int{1}
	par(func() { reflect.DeepEqual(a, b) }, func() { b[0] = 2 })
}

// Swapper in two goroutines.
func Swapper() {
	s := []int{1, 2}
	swap := reflect.Swapper(s)
	swap(0, 1)
	fmt.Print(s)
}

// Append and Slice.
func Append() {
	v := reflect.Append(reflect.ValueOf([]int{1}), reflect.ValueOf(2))
	fmt.Print(v.Slice(1, 2), v.Len())
}

// Types are the same everywhere.
func Types() {
	var a, b reflect.Type
	par(func() { a = reflect.SliceOf(reflect.TypeFor[int]()) }, func() { b = reflect.TypeFor[[]int]() })
	fmt.Print(a == b, a)
}

// Tags of fields.
func Tags() {
	f, _ := reflect.TypeFor[struct {
		A int `k:"v"`
	}]().FieldByName("A")
	fmt.Print(f.Tag.Get("k"))
}

// Panics with the method and the kind.
func Panics() {
	defer func() { fmt.Print(recover()) }()
	reflect.ValueOf(1).Len()
}

// Unexported fields cannot be set.
func Unexported() {
	defer func() { fmt.Print(recover()) }()
	x := struct{ a int }{}
	reflect.ValueOf(&x).Elem().Field(0).SetInt(1)
}

// CopyRace: reflect.Copy reads and writes.
func CopyRace() {
	a, b := []int{1}, []int{2}
	par(func() { reflect.Copy(reflect.ValueOf(a), reflect.ValueOf(b)) }, func() { _ = a[0] })
}

// Seq ranges over a value.
func Seq() {
	for v := range reflect.ValueOf(3).Seq() {
		fmt.Print(v)
	}
}

type bound struct{ n int }

func (b *bound) Incr() { b.n++ }

func (b bound) Get() {}

type boundOf[T any] struct{ x T }

func (b *boundOf[T]) Incr() {}

// MethodValues of one method have one code pointer, wherever they are made, and those of a method of
// an interface have another one.
func MethodValues() {
	pc := func(f any) uintptr { return reflect.ValueOf(f).Pointer() }
	a, b := &bound{}, &bound{}
	var i, j interface{ Incr() } = a, b
	c, d, e := &boundOf[int]{}, &boundOf[int]{}, &boundOf[string]{}
	fmt.Print(pc(a.Incr) == pc(b.Incr), pc(i.Incr) == pc(j.Incr), pc(a.Incr) == pc(i.Incr), pc(a.Get) == pc(bound{}.Get),
		pc(a.Get) == pc(a.Incr), pc(c.Incr) == pc(d.Incr), pc(c.Incr) == pc(e.Incr))
}

// Accesses that the library makes or leads to: see plain.go.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unsafe"
)

var mu sync.Mutex

func step() { mu.Lock(); mu.Unlock() }

type M struct {
	mu sync.Mutex
	n  int
}

func Sprint() {
	m := &M{}
	go func() { _ = fmt.Sprint(m) }()
	step()
	m.n = 1
	step()
}

func JSON() {
	m := &struct{ N int }{}
	go func() { json.Marshal(m) }()
	step()
	m.N = 1
	step()
}

func ReflectSet() {
	m := &struct{ N int }{}
	go func() { reflect.ValueOf(m).Elem().Field(0).SetInt(3) }()
	step()
	m.N = 1
	step()
}

func ReflectLen() {
	m := map[string]int{}
	go func() { _ = reflect.ValueOf(m).Len() }()
	step()
	m["a"] = 1
	step()
}

func Sort() {
	s := []int{3, 1}
	go func() { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }()
	step()
	s[0] = 1
	step()
}

func SortInts() {
	s := []int{3, 1}
	go func() { slices.Sort(s) }()
	step()
	s[0] = 1
	step()
}

func BytesEqual() {
	b := []byte("abc")
	go func() { _ = bytes.Equal(b, []byte("abd")) }()
	step()
	b[1] = 4
	step()
}

func IndexByte() {
	b := []byte("abc")
	go func() { _ = bytes.IndexByte(b, 'c') }()
	step()
	b[1] = 4
	step()
}

func Unsafe() {
	b := []byte("abc")
	go func() { s := unsafe.String(&b[0], 3); _ = strings.Index(s, "c") }()
	step()
	b[1] = 4
	step()
}

func AfterFunc() {
	x := 0
	_ = x
	time.AfterFunc(1, func() { x = 1 })
	step()
	x = 2
	step()
}

func CtxAfterFunc() {
	x := 0
	_ = x
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { x = 1 })
	go cancel()
	step()
	x = 2
	step()
}

type E struct{ n *int }

func (e E) Error() string { *e.n++; return "" }

func (e *E) Is(error) bool { *e.n++; return false }

func Err() {
	n := 0
	go func() { errors.Is(&E{&n}, io.EOF) }()
	step()
	n = 2
	step()
}

type S struct{ n *int }

func (s S) String() string { *s.n++; return "" }

func Stringer() {
	n := 0
	go func() { _ = fmt.Sprintf("%v", []any{S{&n}}) }()
	step()
	n = 2
	step()
}

func MapsKeys() {
	m := map[int]int{1: 2}
	go func() { _ = slices.Collect(maps.Keys(m)) }()
	step()
	m[2] = 3
	step()
}

func MapsClone() {
	m := map[int]int{1: 2}
	go func() { _ = maps.Clone(m) }()
	step()
	m[2] = 3
	step()
}

func Pull() {
	x := 0
	_ = x
	seq := func(yield func(int) bool) { x++; yield(1) }
	go func() { next, stop := iter.Pull(iter.Seq[int](seq)); next(); stop() }()
	step()
	x = 3
	step()
}

func MethodValue() {
	n := 0
	f := S{&n}.String
	go f()
	step()
	n = 3
	step()
}

type I interface{ String() string }

func InterfaceGo() {
	n := 0
	var i I = S{&n}
	go i.String()
	step()
	n = 3
	step()
}

func Buffer() {
	var b bytes.Buffer
	b.WriteString("abc")
	go func() { b.WriteByte('x') }()
	step()
	b.Len()
	step()
}

func Builder() {
	var b strings.Builder
	go func() { fmt.Fprintf(&b, "x") }()
	step()
	b.Len()
	step()
}

func DeepEqual() {
	m := &M{}
	go func() { reflect.DeepEqual(m, &M{}) }()
	step()
	m.n = 3
	step()
}

func Swapper() {
	s := []int{1, 2}
	sw := reflect.Swapper(s)
	go sw(0, 1)
	step()
	s[0] = 3
	step()
}

func ReflectCall() {
	x := 0
	_ = x
	f := reflect.ValueOf(func() { x++ })
	go f.Call(nil)
	step()
	x = 3
	step()
}

func ReflectMethod() {
	x := 0
	_ = x
	f := reflect.ValueOf(S{&x}).MethodByName("String")
	go f.Call(nil)
	step()
	x = 3
	step()
}

func MakeFunc() {
	x := 0
	_ = x
	f := reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { x++; return nil }).Interface().(func())
	go f()
	step()
	x = 3
	step()
}

func Reader() {
	x := []byte("abc")
	r := bytes.NewReader(x)
	buf := make([]byte, 3)
	go func() { io.ReadFull(r, buf) }()
	step()
	x[1] = 'c'
	step()
	buf[0] = 1
	step()
}

func RangeFunc() {
	x := 0
	_ = x
	go func() {
		for k := range maps.Keys(map[int]int{1: 1}) {
			x += k
		}
	}()
	step()
	x = 1
	step()
}

func ReflectMap() {
	m := reflect.MakeMap(reflect.TypeFor[map[int]int]()).Interface().(map[int]int)
	go func() { m[1] = 2 }()
	step()
	m[2] = 3
	step()
}

func ReflectSlice() {
	m := reflect.MakeSlice(reflect.TypeFor[[]int](), 2, 2).Interface().([]int)
	go func() { m[1] = 2 }()
	step()
	m[1] = 3
	step()
}

func ReflectNew() {
	m := reflect.New(reflect.TypeFor[int]()).Interface().(*int)
	go func() { *m = 2 }()
	step()
	*m = 3
	step()
}

func Ctx() {
	ctx, cancel := context.WithTimeout(context.Background(), 5)
	defer cancel()
	x := 0
	_ = x
	go func() { <-ctx.Done(); x = 1 }()
	step()
	x = 2
	step()
}

func Ticker() {
	tk := time.NewTimer(5)
	x := 0
	_ = x
	go func() { <-tk.C; x = 1 }()
	step()
	x = 2
	tk.Stop()
	step()
}

func main() {}

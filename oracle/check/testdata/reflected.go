// Accesses by package reflect, and by natives that get slices, while another goroutine accesses the
// same memory. All of it is in package variables, so the first prediction is about the whole future.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sync"
)

// together runs f and g beside each other.
func together(f, g func()) {
	done := make(chan bool)
	go func() { f(); done <- true }()
	g()
	<-done
}

func main() {}

type numbers struct{ A, B int }

type hidden struct{ p *numbers }

type hiding struct{ h *hidden }

type locked struct {
	mu sync.Mutex
	n  int
}

type pointers struct {
	N int
	P *int
}

var (
	x, y   int
	two    numbers
	first  = &hiding{&hidden{&numbers{1, 2}}}
	second = &hiding{&hidden{&numbers{1, 2}}}
	table  = map[string]int{"a": 1}
	three  = []int{1, 2, 3}
	tail   = three[:1]
	bunch  pointers
	given  locked
	text   = []byte("abc")
	other  = []byte("abd")
	words  = []big.Word{1, 2}
	value  = reflect.ValueOf(&x)
	handed = make(chan any, 1)
	list   struct{ A []int }
	iter   = reflect.ValueOf(map[int]int{1: 2, 3: 4}).MapRange()
)

func Print() { together(func() { fmt.Sprint(&two) }, func() { two.A = 2 }) }

func Hidden() { together(func() { reflect.DeepEqual(first, second) }, func() { first.h.p.A = 2 }) }

func Set() { together(func() { value.Elem().SetInt(3) }, func() { x++ }) }

func Field() {
	together(func() { reflect.ValueOf(&two).Elem().Field(1).SetInt(3) }, func() { two.B++ })
}

func Map() {
	together(func() { reflect.ValueOf(table).MapIndex(reflect.ValueOf("a")).Int() }, func() { table["b"] = 2 })
}

func MapSet() {
	together(func() { reflect.ValueOf(table).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(3)) }, func() { _ = table["b"] })
}

func Iterated() {
	iter.Next()
	together(func() { iter.Next() }, func() { iter.Value() })
}

func Slice() {
	together(func() { reflect.Copy(reflect.ValueOf(three), reflect.ValueOf([]int{4})) }, func() { three[0]++ })
}

func Append() {
	together(func() { reflect.Append(reflect.ValueOf(tail), reflect.ValueOf(4)) }, func() { three[1]++ })
}

func Struct() {
	together(func() { reflect.ValueOf(&bunch).Elem().Set(reflect.ValueOf(pointers{N: 3})) }, func() { bunch.P = nil })
}

func Len() { together(func() { reflect.ValueOf(&three).Elem().SetLen(1) }, func() { _ = len(three) }) }

func Handed() {
	handed <- value
	together(func() { v := (<-handed).(reflect.Value); fmt.Sprint(v.Elem()) }, func() { x = 2 })
}

func Lock() {
	guarded := func() { given.mu.Lock(); y++; given.mu.Unlock() }
	together(func() { reflect.ValueOf(&given).Elem().SetZero(); guarded() }, guarded)
}

func Deferred() { together(func() { defer value.Elem().SetInt(3); y = 1 }, func() { x++ }) }

func BytesRead() { together(func() { bytes.IndexByte(text, 'c') }, func() { text[1] = 'x' }) }

func BytesCompared() { together(func() { bytes.Equal(text, other) }, func() { other[1] = 'x' }) }

func WordsWritten() {
	n := new(big.Int).SetBits(words)
	together(func() { n.Mul(n, big.NewInt(3)); n.Add(n, n) }, func() { words[0]++ })
}

func Decoded() {
	together(func() { json.Unmarshal([]byte(`{"A":[1]}`), &list) }, func() { _ = list.A })
}

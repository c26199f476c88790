// Package mapiter has programs about the order of maps.
package mapiter

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
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

// Two: either key is first.
func Two() {
	for k := range map[string]int{"a": 1, "b": 2} {
		fmt.Print(k)
	}
}

// First of three.
func First() {
	for k := range map[int]bool{1: true, 2: true, 3: true} {
		fmt.Print(k)
		break
	}
}

// Last of two.
func Last() {
	last := 0
	for k := range map[int]bool{1: true, 2: true} {
		last = k
	}
	fmt.Print(last)
}

// Sum does not depend on the order.
func Sum() {
	n := 0
	for _, v := range map[string]int{"a": 1, "b": 2, "c": 4} {
		n += v
	}
	fmt.Print(n)
}

// Sorted keys.
func Sorted() {
	fmt.Print(slices.Sorted(maps.Keys(map[int]int{3: 1, 1: 1, 2: 1})))
}

// Printed by fmt: sorted.
func Printed() {
	fmt.Print(map[int]string{2: "b", 1: "a"})
}

// Keys of package maps.
func Keys() {
	for k := range maps.Keys(map[int]int{1: 1, 2: 1}) {
		fmt.Print(k)
	}
}

// Delete while ranging: the other is visited or not.
func Delete() {
	m := map[int]int{1: 2, 2: 1}
	n := 0
	for k, v := range m {
		delete(m, v)
		n++
		_ = k
	}
	fmt.Print(n)
}

// Insert while ranging: visited or not.
func Insert() {
	m := map[int]bool{0: true}
	n := 0
	for k := range m {
		if k < 3 {
			m[k+1] = true
		}
		n++
	}
	fmt.Print(n >= 1)
}

// InsertSeen: a new entry may be visited.
func InsertSeen() {
	m := map[int]bool{0: true}
	n := 0
	for range m {
		m[1] = true
		n++
	}
	fmt.Print(n)
}

// Reinsert: the canonical form of keys; it ends.
func Reinsert() {
	m := map[string]int{"A": 1, "b": 2}
	for k, v := range m {
		delete(m, k)
		m[strings.ToLower(k)] = v
	}
	fmt.Print(len(m))
}

// ReinsertSame: an entry deleted and inserted again.
func ReinsertSame() {
	m := map[int]int{1: 0}
	n := 0
	for k := range m {
		delete(m, k)
		m[k] = 1
		if n++; n > 100 {
			break
		}
	}
	fmt.Print(n < 100, len(m))
}

// Grow while ranging.
func Grow() {
	m := map[int]int{1: 1}
	for k := range m {
		if len(m) < 20 {
			m[k+1] = 1
		}
	}
	fmt.Print(len(m) >= 2)
}

// Clear while ranging.
func Clear() {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for range m {
		clear(m)
		n++
	}
	fmt.Print(n, len(m))
}

// Update while ranging: every entry once.
func Update() {
	m := map[int]int{1: 1, 2: 2}
	for k := range m {
		m[k] *= 2
	}
	fmt.Print(m)
}

// NaN keys: each is a new entry.
func NaN() {
	m := map[float64]int{math.NaN(): 1, math.NaN(): 2}
	s := 0
	for _, v := range m {
		s += v
	}
	_, ok := m[math.NaN()]
	clear(m)
	fmt.Print(s, ok, len(m))
}

// Reflect iterates in any order, too.
func Reflect() {
	it := reflect.ValueOf(map[int]int{1: 1, 2: 2}).MapRange()
	for it.Next() {
		fmt.Print(it.Key())
	}
}

// ReflectKeys in any order.
func ReflectKeys() {
	fmt.Print(reflect.ValueOf(map[int]int{1: 1, 2: 2}).MapKeys()[0])
}

// JSON sorts keys.
func JSON() {
	b, _ := json.Marshal(map[string]int{"b": 1, "a": 2})
	fmt.Print(string(b))
}

// Collect a slice in the order of a map.
func Collect() {
	fmt.Print(slices.Collect(maps.Values(map[int]string{1: "x", 2: "y"})))
}

// Max with ties: the first found wins.
func Max() {
	best, n := "", 0
	for k, v := range map[string]int{"a": 1, "b": 1} {
		if v > n {
			best, n = k, v
		}
	}
	fmt.Print(best)
}

// Write beside a read: a race, or the runtime notices.
func Write() {
	m := map[int]int{}
	par(func() { m[1] = 1 }, func() { _ = m[1] })
}

// WriteKeys: two keys of one map.
func WriteKeys() {
	m := map[int]int{}
	par(func() { m[1] = 1 }, func() { m[2] = 1 })
}

// RangeBeside: ranging beside a write.
func RangeBeside() {
	m := map[int]int{1: 1, 2: 2}
	par(func() {
		for range m {
		}
	}, func() { m[1] = 2 })
}

// Read beside a read.
func Read() {
	m := map[int]int{1: 1}
	par(func() { _ = m[1] }, func() { _ = len(m) })
	fmt.Print("ok")
}

// Nil map: reading is fine, writing panics.
func Nil() {
	var m map[int]int
	delete(m, 1)
	fmt.Print(m[1], len(m))
	m[1] = 1
}

// Unhashable keys panic.
func Unhashable() {
	m := map[any]int{}
	m[[]int{}] = 1
}

// Jobs are started in the order of a map.
func Jobs() {
	c := make(chan int, 2)
	for k := range map[int]bool{1: true, 2: true} {
		c <- k
	}
	fmt.Print(<-c)
}

// Locks are taken in the order of a map: two ranges may take them the other way.
func Locks() {
	m := map[int]*sync.Mutex{1: {}, 2: {}}
	all := func() {
		for _, l := range m {
			l.Lock()
			defer l.Unlock()
		}
	}
	par(all, all)
	fmt.Print("ok")
}

// Twice: two ranges over one map need not agree.
func Twice() {
	m := map[int]bool{1: true, 2: true}
	f := func() int {
		for k := range m {
			return k
		}
		return 0
	}
	fmt.Print(f() == f())
}

// Panic in the order of a map.
func Panic() {
	for k := range map[string]bool{"a": true, "b": true} {
		panic(k)
	}
}

// Float sums depend on the order.
func Float() {
	s := 0.0
	for _, v := range map[int]float64{1: 1e16, 2: 1, 3: -1e16} {
		s += v
	}
	fmt.Print(s)
}

// Stringify builds a text in the order of a map.
func Stringify() {
	var b strings.Builder
	for k, v := range map[string]string{"x": "1", "y": "2"} {
		b.WriteString(k + v)
	}
	fmt.Print(b.String())
}

// Lazy evaluation stops at the first match.
func Lazy() {
	n := 0
	for k := range map[int]bool{1: true, 2: true, 3: true} {
		n++
		if k == 2 {
			break
		}
	}
	fmt.Print(n)
}

// Large: a map of many entries; its first key is one of them.
func Large() {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i
	}
	for k, v := range m {
		if k != v {
			panic("wrong")
		}
	}
	fmt.Print(len(m))
}

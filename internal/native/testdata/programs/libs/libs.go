// Package libs has programs about other packages of the standard library on shared data.
package libs

import (
	"bytes"
	"container/heap"
	"container/list"
	"container/ring"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// ListLocked: either is first.
func ListLocked() {
	var mu sync.Mutex
	l := list.New()
	add := func(v int) func() { return func() { mu.Lock(); l.PushBack(v); mu.Unlock() } }
	par(add(1), add(2))
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Print(e.Value)
	}
}

// ListRace: without a lock.
func ListRace() {
	l := list.New()
	par(func() { l.PushBack(1) }, func() { l.Len() })
}

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

// Heap sorts.
func Heap() {
	h := &ints{3, 1, 2}
	heap.Init(h)
	fmt.Print(heap.Pop(h), heap.Pop(h), heap.Pop(h))
}

// HeapLocked: what is popped beside a push.
func HeapLocked() {
	var mu sync.Mutex
	h := &ints{2}
	par(func() { mu.Lock(); heap.Push(h, 1); mu.Unlock() }, func() { mu.Lock(); fmt.Print(heap.Pop(h)); mu.Unlock() })
}

// HeapRace: without a lock.
func HeapRace() {
	h := &ints{2}
	par(func() { heap.Push(h, 1) }, func() { _ = h.Len() })
}

// Ring: three elements.
func Ring() {
	r := ring.New(3)
	for i := range 3 {
		r.Value = i
		r = r.Next()
	}
	r.Do(func(v any) { fmt.Print(v) })
}

// SortRace: sorting what another reads.
func SortRace() {
	s := []int{2, 1}
	par(func() { sort.Ints(s) }, func() { _ = s[0] })
}

// SortStable keeps the order of equals.
func SortStable() {
	s := []string{"b1", "a1", "b0", "a0"}
	slices.SortStableFunc(s, func(x, y string) int { return int(x[0]) - int(y[0]) })
	fmt.Print(s)
}

type shared struct {
	mu sync.Mutex
	N  int
}

func (s *shared) MarshalJSON() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Marshal(s.N)
}

// JSONLocked: a marshaller of one's own.
func JSONLocked() {
	s := &shared{}
	var b []byte
	par(func() { s.mu.Lock(); s.N++; s.mu.Unlock() }, func() { b, _ = json.Marshal(s) })
	fmt.Print(string(b))
}

// JSONRace: a field written beside Marshal.
func JSONRace() {
	x := &struct{ N int }{}
	par(func() { x.N = 1 }, func() { json.Marshal(x) })
}

// JSONBoth: types are cached for both.
func JSONBoth() {
	type t struct{ A int }
	var a, b []byte
	par(func() { a, _ = json.Marshal(t{1}) }, func() { b, _ = json.Marshal(t{2}) })
	fmt.Print(string(a), string(b))
}

// JSONDecode: unknown fields are ignored.
func JSONDecode() {
	var x struct{ A []int }
	err := json.Unmarshal([]byte(`{"A":[1,2],"B":3}`), &x)
	fmt.Print(x, err)
}

// JSONError names the place.
func JSONError() {
	var x int
	var s *json.SyntaxError
	fmt.Print(errors.As(json.Unmarshal([]byte(`{`), &x), &s))
}

// Template: one for two goroutines.
func Template() {
	t := template.Must(template.New("x").Parse("<{{.}}>"))
	var a, b bytes.Buffer
	par(func() { t.Execute(&a, 1) }, func() { t.Execute(&b, 2) })
	fmt.Print(a.String(), b.String())
}

// TemplateRace: its data changes.
func TemplateRace() {
	t := template.Must(template.New("x").Parse("{{.N}}"))
	x := &struct{ N int }{}
	var b bytes.Buffer
	par(func() { t.Execute(&b, x) }, func() { x.N = 1 })
}

// TemplateLock: a method that locks.
func TemplateLock() {
	t := template.Must(template.New("x").Parse("{{.Get}}"))
	x := &counter{}
	var b bytes.Buffer
	par(func() { t.Execute(&b, x) }, func() { x.mu.Lock(); x.n = 1; x.mu.Unlock() })
	fmt.Print(b.String())
}

type counter struct {
	mu sync.Mutex
	n  int
}

// Get returns the number.
func (c *counter) Get() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

// Regexp: one for two goroutines.
func Regexp() {
	re := regexp.MustCompile(`a+`)
	var a, b string
	par(func() { a = re.FindString("xaay") }, func() { b = re.FindString("a") })
	fmt.Print(a, b)
}

// Big numbers in two goroutines.
func Big() {
	x := big.NewInt(1)
	par(func() { x.Add(x, x) }, func() { _ = x.Sign() })
}

// Replacer is built once for both.
func Replacer() {
	r := strings.NewReplacer("a", "1", "b", "2")
	var x, y string
	par(func() { x = r.Replace("ab") }, func() { y = r.Replace("ba") })
	fmt.Print(x, y)
}

// Strconv errors.
func Strconv() {
	_, err := strconv.Atoi("x1")
	fmt.Print(err)
}

// Cache: load once, by hand with two locks; both may load.
func Cache() {
	var mu sync.Mutex
	m := map[string]int{}
	loads := 0
	get := func() {
		mu.Lock()
		_, ok := m["k"]
		mu.Unlock()
		if !ok {
			mu.Lock()
			loads++
			m["k"] = 1
			mu.Unlock()
		}
	}
	par(get, get)
	fmt.Print(loads)
}

// Singleflight: the second waits for the first or loads again.
func Singleflight() {
	var mu sync.Mutex
	type call struct {
		wg sync.WaitGroup
		n  int
	}
	var cur *call
	loads := 0
	do := func() {
		mu.Lock()
		if c := cur; c != nil {
			mu.Unlock()
			c.wg.Wait()
			return
		}
		c := &call{}
		c.wg.Add(1)
		cur = c
		mu.Unlock()
		mu.Lock()
		loads++
		cur = nil
		mu.Unlock()
		c.wg.Done()
	}
	par(do, do)
	fmt.Print(loads)
}

// Events: subscribers are called under a read lock.
func Events() {
	var mu sync.RWMutex
	var subs []func(string)
	var out sync.Mutex
	got := ""
	par(func() {
		mu.Lock()
		subs = append(subs, func(s string) { out.Lock(); got += s; out.Unlock() })
		mu.Unlock()
	}, func() {
		mu.RLock()
		defer mu.RUnlock()
		for _, f := range subs {
			f("e")
		}
	})
	fmt.Print(got == "e")
}

// Pipeline of two stages.
func Pipeline() {
	src, dst := make(chan int), make(chan int)
	go func() {
		defer close(src)
		for i := range 3 {
			src <- i
		}
	}()
	go func() {
		defer close(dst)
		for v := range src {
			dst <- v * v
		}
	}()
	n := 0
	for v := range dst {
		n += v
	}
	fmt.Print(n)
}

// Barrier: nobody goes on before all have come.
func Barrier() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	n := 0
	late := false
	wait := func() {
		mu.Lock()
		n++
		if n == 2 {
			c.Broadcast()
		}
		for n < 2 {
			c.Wait()
		}
		late = late || n < 2
		mu.Unlock()
	}
	par(wait, wait)
	fmt.Print(late)
}

// Batch: what is collected by size or by the end.
func Batch() {
	in := make(chan int)
	out := make(chan int, 3)
	go func() {
		n := 0
		for range in {
			if n++; n == 2 {
				out <- n
				n = 0
			}
		}
		out <- n
		close(out)
	}()
	for i := range 3 {
		in <- i
	}
	close(in)
	for n := range out {
		fmt.Print(n)
	}
}

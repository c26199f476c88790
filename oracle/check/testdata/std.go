// Operations of the library that library.go does not have.
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
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unique"
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

func main() {}

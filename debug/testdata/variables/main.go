// Command variables calls see with names of variables and their values, in all kinds of code, and check
// afterwards, when not all of them are needed any more: TestDebugVariables compares both with what the
// debugger says.
package main

import (
	"errors"
	"fmt"
	"strings"
)

//go:noinline
func see(names string, values ...any) {}

//go:noinline
func check() {}

type point struct{ x, y int }

type big struct {
	a [20]int
	s string
}

type shape interface{ area() int }

func (p point) area() int { return p.x * p.y }

func (p *point) move(dx int) (old int, err error) {
	old = p.x
	see("dx old err", dx, old, err)
	p.x += dx
	if p.x > 10 {
		err = errors.New("far")
		see("dx old err", dx, old, err)
		return old, err
	}
	check()
	return
}

func loops(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i
		see("n i sum", n, i, sum)
		for j := range i {
			k := i*10 + j
			see("i j k sum", i, j, k, sum)
			if j == 1 {
				continue
			}
			sum += k
			see("i j k sum", i, j, k, sum)
			check()
		}
	}
	see("n sum", n, sum)
	for i, r := range "aé" {
		see("i r", i, r)
		check()
	}
	m := map[string]int{"one": 1}
	for k, v := range m {
		see("k v", k, v)
		v++
		see("k v", k, v)
	}
	for x := range func(yield func(int) bool) { _ = yield(7) && yield(8) } {
		y := x + sum
		see("x y", x, y)
		check()
	}
	return sum
}

func swap(a, b string) (string, string) {
	see("a b", a, b)
	a, b = b, a
	see("a b", a, b)
	if a > b {
		a := a + "!"
		see("a b", a, b)
		b = a
		check()
	}
	see("a b", a, b)
	return a, b
}

func recovered(d int) (result int, what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprint(r)
			see("result what d", result, what, d)
		}
	}()
	result = 3
	see("result d", result, d)
	result = 10 / d
	return result, "fine"
}

func closures() int {
	total, step := 0, 2
	add := func(n int) int {
		total += n * step
		inner := func() int { return total + n }
		x := inner()
		see("total n step x", total, n, step, x)
		return x
	}
	a := add(1)
	b := add(2)
	see("total step a b", total, step, a, b)
	check()
	return a + b
}

func kinds(v any) string {
	switch v := v.(type) {
	case int:
		w := v + 1
		see("v w", v, w)
		return fmt.Sprint(w)
	case shape:
		a := v.area()
		see("a", a)
		return fmt.Sprint(a)
	case nil:
		return "nil"
	default:
		see("v", v)
		return "?"
	}
}

func generic[T int | string, S ~[]T](list S, zero T) (last T) {
	last = zero
	for i, x := range list {
		last = x
		see("i x last", i, x, last)
	}
	check()
	return last
}

func structs() {
	p := point{1, 2}
	q := p
	q.y = 5
	see("p q", p, q)
	ptr := &p
	ptr.x = 4
	see("p q", p, q)
	var b big
	b.a[3] = 7
	b.s = "big"
	c := b
	c.a[3]++
	see("b c", b, c)
	check()
	arr := [3]int8{1, -2, 3}
	sl := arr[1:]
	sl[0] = 9
	see("arr sl", arr, sl)
	var e error
	var f func()
	var z complex128 = 1 + 2i
	u, fl := uint8(250), float32(1.5)
	u += 10
	see("e z u fl", e, z, u, fl)
	_ = f
	t := strings.Repeat("ab", 3)
	u2 := t[1:3]
	see("t u2", t, u2)
	check()
}

func channels() (got int) {
	ch, done := make(chan int, 2), make(chan string)
	go func() {
		defer close(done)
		for v := range ch {
			got += v
			see("v got", v, got)
		}
	}()
	for i := range 3 {
		select {
		case ch <- i * i:
			see("i", i)
		case s, ok := <-done:
			see("s ok", s, ok)
		}
	}
	close(ch)
	s, ok := <-done
	see("s ok got", s, ok, got)
	return got
}

func jumps(n int) int {
	i, found := 0, -1
loop:
	if i < n {
		switch {
		case i == 2:
			found = i
			fallthrough
		case i > 4:
			found++
		default:
			see("i found n", i, found, n)
			check()
		}
		see("i found n", i, found, n)
		i++
		goto loop
	}
	return found
}

// paths meet, and x is not used any more: it has two values there.
func meeting(n int) {
	x := n + 1
	see("x", x)
	if n > 2 {
		x = n * 2
		see("x", x)
	}
	check()
}

// a and b are one register, as b begins with a's value, and a is not used any more.
func shared(n int) int {
	a := n * 3
	see("a", a)
	b := a
	for b < 100 {
		b *= 2
	}
	check()
	return b
}

// Of the values of last only the present one is in its register.
func latest(list []int) int {
	first, last := list[0], 0
	see("first", first)
	for _, x := range list {
		last = x + first
		if last > 5 {
			first = last
			see("first", first)
		}
		check()
	}
	return last
}

func main() {
	meeting(1)
	meeting(4)
	check()
	shared(2)
	latest([]int{3, 4, 1})
	p := &point{1, 2}
	for _, d := range []int{3, 30} {
		old, err := p.move(d)
		see("d old err", d, old, err)
	}
	s := loops(4)
	x, y := swap("b", "a")
	r, w := recovered(0)
	r2, w2 := recovered(5)
	see("s x y r w r2 w2", s, x, y, r, w, r2, w2)
	check()
	c := closures()
	for _, v := range []any{3, point{2, 3}, nil, "text"} {
		k := kinds(v)
		see("k c", k, c)
	}
	l := generic([]string{"a", "b"}, "z")
	n := generic([]int{4, 5}, 0)
	structs()
	g := channels()
	j := jumps(6)
	see("l n g j", l, n, g, j)
}

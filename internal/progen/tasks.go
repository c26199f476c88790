package progen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Tasks returns a program whose goroutines start others, which a WaitGroup counts: with Go, with
// Add and Done in various ways, through functions, in loops and by recursion. Sometimes the program
// counts wrongly: without an Add, with one that is not always executed, or with two Dones. It is
// for tests of reductions that count Adds and Dones.
func Tasks(name string, rng *rand.Rand) Text {
	t := &tasks{objects: objects{rng: rng, prefix: strings.ToLower(name), used: map[string]bool{}}}
	var body strings.Builder
	t.w = &body
	t.main(name)
	return Text{Name: name, Source: strings.ReplaceAll(body.String(), "$", t.prefix+"_")}
}

type tasks struct {
	objects
	budget int // remaining goroutines
	wrong  bool
}

func (t *tasks) main(name string) {
	t.ln("package main\n\nimport \"sync\"")
	t.ln("var G sync.WaitGroup")
	t.ln("func $raise(w *sync.WaitGroup) { w.Add(1) }")
	t.ln("func $leave(w *sync.WaitGroup) {}")
	t.ln("func $safely(w *sync.WaitGroup, n int) { defer func() { recover() }(); $ignore(1 / n); w.Add(1) }")
	t.ln("func $ignore(int) {}")
	t.ln("func $caught(f func()) { defer func() { recover() }(); f() }")
	t.ln("func $walk(w *sync.WaitGroup, n int, f func()) {\nif n > 0 {\nw.Go(func() { $walk(w, n-1, f) })\nf()\n}\n}")
	t.ln("func $down(w *sync.WaitGroup, n int) {\nif n > 0 {\nw.Done()\n$down(w, n-1)\n}\n}")
	t.ln("func %s() {", name)
	t.ln("var wg sync.WaitGroup\nvar mu sync.Mutex\nx, y, no := 0, 0, 0\nw := &wg")
	t.ln("_, _, _, _, _ = &mu, no, w, &x, &y")
	t.budget, t.wrong = 2+t.n(4), t.chance(40)
	for range 1 + t.n(2) {
		t.start(0)
	}
	if t.chance(50) {
		t.touch()
	}
	if t.chance(80) {
		t.ln("%s.Wait()", t.group())
		t.ln("say(x, y)")
	}
	t.ln("}")
}

// group returns the WaitGroup of an operation: mostly the same one.
func (t *tasks) group() string { return []string{"wg", "wg", "wg", "w", "G"}[t.n(5)] }

// touch prints a statement on shared objects.
func (t *tasks) touch() {
	t.ln("%s", []string{"x++", "x = 2", "y = x", "mu.Lock()\nx++\nmu.Unlock()", "mu.Lock()\ny++\nmu.Unlock()"}[t.n(5)])
}

// task prints the statements of a goroutine.
func (t *tasks) task(depth int) {
	if t.chance(25) {
		t.ln("defer func() { recover() }()")
	}
	for range 1 + t.n(2) {
		if depth < 3 && t.chance(50) {
			t.start(depth + 1)
		} else {
			t.touch()
		}
	}
}

// start prints statements that start goroutines.
func (t *tasks) start(depth int) {
	if t.budget <= 0 {
		t.touch()
		return
	}
	t.budget--
	g := t.group()
	p := "&" + g
	if g == "w" {
		p = g
	}
	switch k := t.n(13); {
	case k < 3:
		t.goes(g, depth)
	case k == 3:
		t.budget--
		t.ln("for range 2 {")
		t.goes(g, depth)
		t.ln("}")
	case k == 4:
		t.ln("$walk(%s, %d, func() { y++ })", p, 1+t.n(2))
	case k == 5:
		t.budget--
		t.ln("%s.Add(2)", g)
		t.counted(g, depth)
		t.counted(g, depth)
	case k == 6:
		t.ln("$raise(%s)", p)
		t.counted(g, depth)
	case k == 7 && t.wrong:
		t.ln("$safely(%s, no)", p)
		t.counted(g, depth)
	case k == 8 && t.wrong:
		t.ln("[]func(*sync.WaitGroup){$raise, $leave}[x&1](%s)", p)
		t.counted(g, depth)
	case k == 9 && t.wrong:
		t.ln("if x == 0 {\ny = 1\n} else {\n%s.Add(1)\n}", g)
		t.counted(g, depth)
	case k == 10 && t.wrong:
		t.ln("$caught(func() {\nx = 1\n%s\n%s.Add(1)\n})", []string{"y = 1 / no", "$ignore(1 / no)"}[t.n(2)], g)
		t.counted(g, depth)
	case k == 11 && t.wrong:
		t.ln("%s.Add(1)\ngo $down(%s, %d)", g, p, 1+t.n(2))
	default:
		if !t.wrong || t.chance(70) {
			t.ln("%s.Add(1)", g)
		}
		if t.chance(30) {
			t.touch()
		}
		t.counted(g, depth)
	}
}

// goes prints a call of Go.
func (t *tasks) goes(g string, depth int) {
	t.ln("%s.Go(func() {", g)
	t.task(depth)
	t.ln("})")
}

// counted prints the start of a goroutine that calls Done.
func (t *tasks) counted(g string, depth int) {
	done := fmt.Sprintf("%s.Done()", g)
	deferred := t.chance(50)
	t.ln("go func() {")
	if deferred {
		t.ln("defer %s", done)
	}
	t.task(depth)
	if !deferred {
		t.ln("%s", done)
	}
	if t.wrong && t.chance(15) {
		t.ln("%s", done)
	}
	t.ln("}()")
}

package progen

import (
	"fmt"
)

// Statements of programs with objects.

const numFlavours = 13

func (o *objects) flavour(f int) {
	i := o.n(2)
	switch f {
	case 0, 1: // a lock on an object
		o.object()
		o.ln("o.mu.Lock()")
		o.guarded()
		if !o.chance(8) {
			o.ln("o.mu.Unlock()")
		}
		o.ln("}")
	case 2: // methods and helpers
		switch o.n(4) {
		case 0:
			o.ln("%s.inc()", o.method())
		case 1:
			o.ln("r += %s.get()", o.method())
		default:
			o.object()
			o.ln("o.lock()")
			o.guarded()
			o.ln("o.unlock() }")
		}
	case 3: // deferred unlock, perhaps with a panic
		o.object()
		o.ln("func() {")
		if o.chance(70) {
			o.ln("defer func() { if recover() != nil { r += 9 } }()")
		}
		o.ln("o.mu.Lock()")
		o.ln("defer o.mu.Unlock()")
		o.guarded()
		if o.chance(40) {
			o.ln("if r == %d { panic(r) }", i)
		}
		o.ln("}() }")
	case 4: // interfaces
		if o.chance(50) {
			o.ln("is[%d].inc()", i)
		} else {
			o.ln("r += is[r&1].get()")
		}
	case 5: // condition variables
		c := fmt.Sprintf("conds[%d]", i)
		if o.chance(30) {
			c = "conds[r&1]"
		}
		o.ln("{ c := %s; o := []*T{a, b}[%d]; _ = o", c, i)
		switch o.n(4) {
		case 0, 1:
			o.ln("c.L.Lock()")
			if o.chance(70) {
				o.ln("for o.f == %d { c.Wait() }", i)
			} else {
				o.ln("c.Wait()")
			}
			o.guarded()
			o.ln("c.L.Unlock()")
		case 2:
			o.ln("c.L.Lock()")
			o.ln("o.f = 2")
			o.ln("c.%s()", []string{"Signal", "Broadcast"}[o.n(2)])
			o.ln("c.L.Unlock()")
		default:
			o.ln("c.%s()", []string{"Signal", "Broadcast"}[o.n(2)])
		}
		o.ln("}")
	case 6: // RWMutex, TryLock
		o.object()
		switch o.n(4) {
		case 0:
			o.ln("o.rw.RLock()")
			o.guarded()
			o.ln("o.rw.RUnlock()")
		case 1, 2:
			o.ln("o.rw.Lock()")
			o.guarded()
			o.ln("o.rw.Unlock()")
		case 3:
			o.ln("if o.mu.TryLock() {")
			o.guarded()
			o.ln("o.mu.Unlock() } else { r++ }")
		}
		o.ln("}")
	case 7: // Once, and unlocking a mutex that another goroutine has locked
		switch o.n(4) {
		case 0:
			o.object()
			o.ln("if r == %d { o.mu.Unlock() } }", i)
		case 1:
			o.ln("a.mu.Unlock()")
		default:
			o.ln("once.Do(func() {")
			o.statement()
			o.ln("})")
		}
	case 8: // atomics
		o.object()
		o.ln("%s }", []string{
			"r += int(o.n.Add(1))", "r += int(o.n.Load())", "if o.n.CompareAndSwap(0, 1) { o.f++ }", "o.n.Store(3)",
			"atomic.AddInt32(&o.p, 1)", "r += int(o.p)", "if o.n.Load() == 1 { r += o.f }", "o.f++; o.n.Store(1)",
		}[o.n(8)])
	case 9: // publication
		o.ln("%s", []string{
			"ap.Store(&T{f: 4})", "ap.Store(b)", "{ t := &T{f: 4}; t.g = 5; ap.Store(t); t.f++ }", "{ t := ap.Load(); t.inc(); r += t.f }",
			"och <- &T{f: 6}", "{ t := <-och; t.f++; r += t.f }", "G = &T{f: 8}", "{ t := new(T); t.f = 2; G = t }",
		}[o.n(8)])
	case 10: // channels
		e := o.prefix + "_e"
		o.ln("%s", []string{
			"ch <- " + e + "(r)", "r += int(<-ch)", "select { case ch <- 1: case v := <-ch: r += int(v) }", "select { case v := <-ch: r += int(v); default: r++ }",
			"close(ch)", "select { case ch <- 2: x++; default: }", "ch <- " + e + "(x)", "if v, ok := <-ch; ok { x += int(v) }",
		}[o.n(8)])
	case 11: // goroutines started by others, WaitGroups used by them, closures
		switch o.n(5) {
		case 0:
			o.ln("wg.Add(1)")
			o.ln("go func() { r := 0")
			o.statement()
			o.ln("_ = r; wg.Done() }()")
		case 1:
			o.ln("go func() { r := 0")
			o.statement()
			o.ln("_ = r }()")
		case 2:
			o.closures++
			f := fmt.Sprintf("f%d", o.closures)
			o.ln("%s := func() {", f)
			o.statement()
			o.ln("}")
			o.ln("%s()", f)
			if o.chance(40) {
				o.ln("fch <- %s", f)
			}
		case 3:
			o.ln("select { case f := <-fch: f(); default: }")
		case 4:
			o.ln("wg.Done()")
		}
	case 12: // slices, maps, variables captured by reference
		o.ln("%s", []string{
			"sl = append(sl, r)", "r += sl[len(sl)-1]", "im[r]++", "r += len(im)", "x++", "r += x", "delete(im, 0)", "{ s := append(sl[:1], 9); r += s[1] }",
		}[o.n(8)])
	}
}

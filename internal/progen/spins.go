package progen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Spins returns a program about loops that wait: for atomic variables, for plain memory, for several
// variables, with compare-and-swap, TryLock and Gosched, nested and in functions; some cannot be
// distinguished from loops that continue, some never end. No iteration that is repeated forever has an
// effect. If sums is set, additions with unused results replace most stores, and readers replace locks.
func Spins(name string, rng *rand.Rand, sums bool) Text {
	s := &spins{rng: rng, prefix: strings.ToLower(name), sums: sums}
	s.plain = s.n(4) == 0
	return s.text(name)
}

// LockedSpins returns a program like those of Spins, in which most loops lock. None attempts to lock.
func LockedSpins(name string, rng *rand.Rand) Text {
	s := &spins{rng: rng, prefix: strings.ToLower(name), locked: true}
	s.sums = s.n(2) == 0
	return s.text(name)
}

func (s *spins) text(name string) Text {
	var body strings.Builder
	s.w = &body
	s.main()
	var decl strings.Builder
	fmt.Fprintf(&decl, "package main\n\nimport (\n\t\"runtime\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ = runtime.Gosched\n\n")
	fmt.Fprintf(&decl, "type t%s struct {\n\ta, b, c atomic.Int32\n\tx int\n\tmu sync.%s\n\tp atomic.Pointer[int]\n}\n\n", s.prefix, map[bool]string{false: "Mutex", true: "RWMutex"}[s.sums])
	fmt.Fprintf(&decl, "func (t *t%[1]s) is(a *atomic.Int32, v int32) bool { return a.Load() == v }\n\nfunc (t *t%[1]s) acquire(a *atomic.Int32) {\n\tfor {\n\t\tfor a.Load() != 0 {\n\t\t}\n\t\tif a.CompareAndSwap(0, 1) {\n\t\t\treturn\n\t\t}\n\t}\n}\n\n", s.prefix)
	if s.locked {
		fmt.Fprintf(&decl, "var mu%[1]s sync.Mutex\n\nfunc (t *t%[1]s) has(v int) bool { t.mu.%[2]sLock(); defer t.mu.%[2]sUnlock(); return t.x == v }\n\n", s.prefix, s.reader())
	}
	return Text{Name: name, Source: decl.String() + fmt.Sprintf("func %s() {\n", name) + body.String() + "}\n"}
}

type spins struct {
	rng    *rand.Rand
	prefix string
	plain  bool
	sums   bool
	locked bool
	w      *strings.Builder
	loops  int
}

func (s *spins) n(n int) int { return s.rng.IntN(n) }

func (s *spins) ln(depth int, format string, args ...any) {
	fmt.Fprintf(s.w, "%s%s\n", strings.Repeat("\t", depth), fmt.Sprintf(format, args...))
}

func (s *spins) main() {
	s.ln(1, "t := new(t%s)", s.prefix)
	gs := 1 + s.n(3)
	for g := range gs {
		s.ln(1, "go func() {")
		s.ln(2, "v, ok := int32(0), false")
		s.loops = 0
		for range 1 + s.n(5-gs) {
			s.statement(2)
		}
		s.ln(2, "_, _ = v, ok")
		if s.n(2) == 0 {
			s.ln(2, "say(%d, int(v))", g)
		}
		s.ln(1, "}()")
	}
	s.ln(1, "v, ok := int32(0), false")
	s.loops = 0
	for range s.n(3) {
		s.statement(1)
	}
	s.ln(1, "_, _ = v, ok")
	s.ln(1, "say(9, int(v), int(t.a.Load()))")
}

func (s *spins) atom() string { return []string{"t.a", "t.a", "t.b", "t.b", "t.c"}[s.n(5)] }

func (s *spins) reader() string { return map[bool]string{true: "R"}[s.sums] }

func (s *spins) statement(depth int) {
	if s.locked && s.n(2) == 0 {
		s.change(depth)
		return
	}
	if s.loops < 2 && s.n(3) > 0 {
		s.loops++
		s.loop(depth)
		return
	}
	switch a := s.atom(); s.n(9) {
	case 0, 1, 2:
		s.store(depth, a)
	case 3:
		s.ln(depth, "v = %s.Add(1)", a)
	case 4:
		s.ln(depth, "v = %s.Swap(%d)", a, s.n(3))
	case 5:
		s.ln(depth, "ok = %s.CompareAndSwap(%d, %d)", a, s.n(2), s.n(3))
	case 6:
		s.ln(depth, "v = %s.Load()", a)
	case 7:
		r := s.reader()
		s.ln(depth, "t.mu.%sLock()", r)
		if s.locked {
			s.store(depth, a)
		} else {
			s.statement(depth)
		}
		s.ln(depth, "t.mu.%sUnlock()", r)
	default:
		if s.plain {
			s.ln(depth, "t.x = %d", s.n(3))
			return
		}
		s.store(depth, a)
	}
}

// change changes t.x under its lock, now and then while another lock is held.
func (s *spins) change(depth int) {
	outer := s.n(6) == 0
	if outer {
		s.ln(depth, "mu%s.Lock()", s.prefix)
	}
	s.ln(depth, "t.mu.Lock()")
	s.ln(depth, "t.x = %d", s.n(3))
	s.ln(depth, "t.mu.Unlock()")
	if outer {
		s.ln(depth, "mu%s.Unlock()", s.prefix)
	}
}

// store changes a.
func (s *spins) store(depth int, a string) {
	switch v := s.n(3); {
	case s.sums && v == 0:
		s.ln(depth, "%s.Add(-1)", a)
	case s.sums:
		s.ln(depth, "%s.Add(1)", a)
	default:
		s.ln(depth, "%s.Store(%d)", a, v)
	}
}

// cond returns a condition without effect.
func (s *spins) cond() string {
	a, k := s.atom(), s.n(3)
	switch s.n(8) {
	case 0, 1:
		return fmt.Sprintf("%s.Load() != %d", a, k)
	case 2:
		return fmt.Sprintf("%s.Load() == %d", a, k)
	case 3:
		return fmt.Sprintf("!t.is(&%s, %d)", a, k)
	case 4:
		return fmt.Sprintf("%s.Load() < %d", a, 1+s.n(2))
	case 5:
		return fmt.Sprintf("%s.Load() == %d && %s.Load() != %d", a, k, s.atom(), s.n(3))
	case 6:
		return fmt.Sprintf("%s.Load() == %d || %s.Load() == %d", a, k, s.atom(), s.n(3))
	default:
		if s.plain {
			return fmt.Sprintf("t.x != %d", s.n(3))
		}
		return fmt.Sprintf("%s.Load() == 0", a)
	}
}

// lockedLoop writes a loop that locks in each iteration.
func (s *spins) lockedLoop(depth int) {
	r := s.reader()
	cond := fmt.Sprintf("t.x == %d", s.n(3))
	if s.n(4) == 0 {
		cond = s.cond()
	}
	kind := s.n(11)
	if kind == 7 && s.sums {
		kind = 8 // a writer that waits holds up readers, which is an effect
	}
	switch kind {
	case 4: // loops in loops
		s.ln(depth, "for {")
		s.ln(depth+1, "t.mu.%sLock()", r)
		s.ln(depth+1, "for !(%s) {", cond)
		s.ln(depth+2, "t.mu.%sUnlock()", r)
		s.ln(depth+2, "t.mu.%sLock()", r)
		s.ln(depth+1, "}")
		s.ln(depth+1, "t.mu.%sUnlock()", r)
		s.ln(depth+1, "if %s {", s.cond())
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 5: // the lock is held after the loop
		s.ln(depth, "for {")
		s.ln(depth+1, "t.mu.%sLock()", r)
		s.ln(depth+1, "if %s {", cond)
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth+1, "t.mu.%sUnlock()", r)
		s.ln(depth, "}")
		s.store(depth, s.atom())
		s.ln(depth, "t.mu.%sUnlock()", r)
	case 6: // a lock is taken before the other one is released
		s.ln(depth, "for !ok {")
		s.ln(depth+1, "mu%s.Lock()", s.prefix)
		s.ln(depth+1, "t.mu.%sLock()", r)
		s.ln(depth+1, "mu%s.Unlock()", s.prefix)
		s.ln(depth+1, "ok = %s", cond)
		s.ln(depth+1, "t.mu.%sUnlock()", r)
		s.ln(depth, "}")
		s.ln(depth, "ok = false")
	case 7: // the value read under the lock may have changed before it is written
		s.ln(depth, "for {")
		s.ln(depth+1, "t.mu.Lock()")
		s.ln(depth+1, "x := t.x")
		s.ln(depth+1, "t.mu.Unlock()")
		s.ln(depth+1, "t.mu.Lock()")
		s.ln(depth+1, "if ok = t.x == x && (%s); ok {", cond)
		s.ln(depth+2, "t.x = %d", s.n(3))
		s.ln(depth+1, "}")
		s.ln(depth+1, "t.mu.Unlock()")
		s.ln(depth+1, "if ok {")
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 8: // two conditions, at different times
		s.ln(depth, "for %st.has(%d) || t.has(%d) {", []string{"", "!"}[s.n(2)], s.n(3), s.n(3))
		if s.n(3) == 0 {
			s.ln(depth+1, "if %s {", s.cond())
			s.ln(depth+2, "break")
			s.ln(depth+1, "}")
		}
		s.ln(depth, "}")
	case 0:
		s.ln(depth, "for !t.has(%d) {", s.n(3))
		if s.n(2) == 0 {
			s.ln(depth+1, "runtime.Gosched()")
		}
		s.ln(depth, "}")
	case 1:
		s.ln(depth, "t.mu.%sLock()", r)
		s.ln(depth, "for !(%s) {", cond)
		s.ln(depth+1, "t.mu.%sUnlock()", r)
		s.ln(depth+1, "t.mu.%sLock()", r)
		s.ln(depth, "}")
		if s.n(2) == 0 {
			s.store(depth, s.atom())
		}
		s.ln(depth, "t.mu.%sUnlock()", r)
	case 2:
		s.ln(depth, "for {")
		s.ln(depth+1, "mu%s.Lock()", s.prefix)
		s.ln(depth+1, "ok = t.has(%d)", s.n(3))
		s.ln(depth+1, "mu%s.Unlock()", s.prefix)
		s.ln(depth+1, "if ok || %s {", s.cond())
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 3:
		s.ln(depth, "mu%s.Lock()", s.prefix)
		s.ln(depth, "for !t.has(%d) {", s.n(3))
		s.ln(depth, "}")
		s.ln(depth, "mu%s.Unlock()", s.prefix)
	default:
		s.ln(depth, "for {")
		s.ln(depth+1, "t.mu.%sLock()", r)
		s.ln(depth+1, "ok = %s", cond)
		s.ln(depth+1, "t.mu.%sUnlock()", r)
		s.ln(depth+1, "if ok {")
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	}
}

func (s *spins) loop(depth int) {
	if s.locked && s.n(4) > 0 {
		s.lockedLoop(depth)
		return
	}
	a := s.atom()
	switch s.n(12) {
	case 0, 1, 2:
		s.ln(depth, "for %s {", s.cond())
		if s.n(4) == 0 {
			s.ln(depth+1, "runtime.Gosched()")
		}
		s.ln(depth, "}")
	case 3:
		s.ln(depth, "for !%s.CompareAndSwap(%d, %d) {", a, s.n(2), 1+s.n(2))
		s.ln(depth, "}")
	case 4:
		s.ln(depth, "t.acquire(&%s)", a)
		s.statement(depth)
		s.ln(depth, "%s.Store(0)", a)
	case 5:
		s.ln(depth, "for {")
		s.ln(depth+1, "v = %s.Load()", a)
		s.ln(depth+1, "if %s.CompareAndSwap(v, v+1) {", a)
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 6:
		s.ln(depth, "for %s {", s.cond())
		s.ln(depth+1, "if %s {", s.cond())
		switch s.n(3) {
		case 0:
			s.ln(depth+2, "break")
		case 1:
			s.ln(depth+2, "%s.Store(%d)", a, s.n(3))
			s.ln(depth+2, "return")
		default:
			s.ln(depth+2, "for %s {", s.cond())
			s.ln(depth+2, "}")
		}
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 7:
		s.ln(depth, "for i := 0; i < %d && %s; i++ {", 1+s.n(2), s.cond())
		s.ln(depth, "}")
	case 8:
		if s.locked {
			s.lockedLoop(depth)
			return
		}
		s.ln(depth, "for !t.mu.TryLock() {")
		s.ln(depth, "}")
		s.ln(depth, "t.mu.Unlock()")
	case 9:
		s.ln(depth, "for {")
		s.ln(depth+1, "v = %s.Load()", a)
		s.ln(depth+1, "if %s.Load() == v {", s.atom())
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	case 10:
		s.ln(depth, "for p := t.p.Load(); ; p = t.p.Load() {")
		s.ln(depth+1, "n := 1")
		s.ln(depth+1, "if p == nil && t.p.CompareAndSwap(p, &n) || p != nil && %s {", s.cond())
		s.ln(depth+2, "break")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	default:
		s.ln(depth, "for n := 0; n < 2 && %s; {", s.cond())
		s.ln(depth+1, "if %s {", s.cond())
		s.ln(depth+2, "n++")
		s.ln(depth+1, "}")
		s.ln(depth, "}")
	}
}

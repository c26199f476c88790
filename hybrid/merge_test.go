package hybrid_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/vm"
)

const source = `package main

import "sync"

var x, y, z int

type S struct{ mu, nu sync.Mutex }

func here() {}

func inner(s *S) {
	here() // inner
	s.mu.Lock()
	x = 1
}

func outer(s, t *S) {
	inner(s) // outer
	t.nu.Lock()
	y = 1
}

func deferring(s *S) {
	defer s.mu.Unlock()
	here() // deferring
}

func closing(s *S) {
	defer func() { s.mu.Unlock() }()
	here() // closing
}

func recovering(s *S) {
	defer func() { recover(); y = 1 }()
	inner(s) // recovering
	z = 1
}

func adds(wg *sync.WaitGroup) {
	wg.Add(-2) // adds
}

func main() {
	s := &S{}
	outer(s, s)
	deferring(s)
	closing(s)
	recovering(s)
	adds(new(sync.WaitGroup))
}
`

// fake is a goroutine put together by hand.
type fake struct {
	stack    []hybrid.Frame
	regs     []map[string]uint64
	deferred [][]call
	memory   map[uint64]uint64
}

type call struct {
	fn             *ssa.Function
	args, captured []uint64
}

func (f *fake) Stack() []hybrid.Frame { return f.stack }

func (f *fake) Register(i int, v ssa.Value) (uint64, bool) {
	x, ok := f.regs[i][v.Name()]
	return x, ok
}

func (f *fake) Deferred(i int, visit func(fn *ssa.Function, args, captured []uint64)) {
	if i < len(f.deferred) {
		for _, d := range f.deferred[i] {
			visit(d.fn, d.args, d.captured)
		}
	}
}

func (f *fake) ByValue(*ssa.Function, int) bool { return true }

func (f *fake) Word(p uint64) (uint64, bool) { x, ok := f.memory[p]; return x, ok }

func (f *fake) Address(g *ssa.Global) uint64 { return 1 << 40 }

func (f *fake) Operand() uint64 { return 0 }

// fixture is the program with its static facts.
type fixture struct {
	t    *testing.T
	prog *load.Program
	base *static.Base
	main *ssa.Package
	ids  uint64
}

func newFixture(t *testing.T) *fixture {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module test\n\ngo 1.26\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	e := prog.Entries[0]
	m, err := vm.New(prog, e, vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t: t, prog: prog, base: static.NewBase(static.NewCallGraph(prog, e, natives{m})), main: e.Func.Pkg}
}

type natives struct{ m *vm.Machine }

func (n natives) Native(fn *ssa.Function) bool  { return n.m.StaticView().IsNative(fn) }
func (n natives) Trusted(fn *ssa.Function) bool { return n.m.StaticView().IsTrusted(fn) }

// frame returns a frame of fn. It is at the RunDefers of fn if runDefers is set, otherwise in the
// call on the line with a comment with fn's name.
func (x *fixture) frame(fn *ssa.Function, runDefers bool) hybrid.Frame {
	lines := strings.Split(source, "\n")
	x.ids++
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.RunDefers:
				if runDefers {
					return hybrid.Frame{Instr: i, Fn: fn, Unwinding: true, ID: x.ids}
				}
			case *ssa.Call:
				if line := x.prog.Fset.Position(i.Pos()).Line; !runDefers && line > 0 && strings.HasSuffix(lines[line-1], "// "+fn.Name()) {
					return hybrid.Frame{Instr: i, Fn: fn, ID: x.ids}
				}
			}
		}
	}
	x.t.Fatal("no such place in ", fn)
	panic("unreachable")
}

// before lists the locks that are certain before the variable is written.
func (x *fixture) before(a *static.FirstAccess, v static.Before, variable string) []uint64 {
	s, ok := a.Of(v, func(n int) bool {
		return strings.HasSuffix(x.base.Acc.String(n), "write variable of type int in "+variable)
	})
	if !ok {
		return []uint64{0}
	}
	var list []uint64
	for _, n := range x.base.Sets.Elems(s) {
		p, _ := x.base.Paths.Addr(a.Objects().At(n).Path)
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

const (
	object1 = 0x1_0000_0000
	object2 = 0x2_0000_0000
)

func (x *fixture) equal(what string, got []uint64, want ...uint64) {
	x.t.Helper()
	if !slices.Equal(got, want) {
		x.t.Errorf("%s: %#x, want %#x", what, got, want)
	}
}

// TestMerge: facts of inner frames come before those of outer ones, each in terms
// of its own parameters.
func TestMerge(t *testing.T) {
	x := newFixture(t)
	locks := static.NewMustLock(x.base)
	m := hybrid.NewMerger(x.base, locks.Engine)
	inner, outer := x.frame(x.main.Func("inner"), false), x.frame(x.main.Func("outer"), false)
	g := &fake{
		stack: []hybrid.Frame{inner, outer, {Main: true}},
		regs:  []map[string]uint64{{"s": object1}, {"t": object2}, nil},
	}
	v := m.FutureOf(g)
	x.equal("x", x.before(locks, v, "x"), object1)
	x.equal("y", x.before(locks, v, "y"), object1, object2+8)

	// The same stack with other arguments.
	g.regs[0]["s"], g.regs[1]["t"] = object2, object1
	x.equal("y with other arguments", x.before(locks, m.FutureOf(g), "y"), object1+8, object2)

	// An unknown object is not certain.
	g.regs[0] = nil
	v = m.FutureOf(g)
	x.equal("x with an unknown argument", x.before(locks, v, "x"))
	x.equal("y with an unknown argument", x.before(locks, v, "y"), object1+8)

	// Only the inner frame.
	g.stack, g.regs = g.stack[:1], []map[string]uint64{{"s": object1}}
	x.equal("y of the inner frame", x.before(locks, m.FutureOf(g), "y"), 0)
}

// TestMergePanics: a panic in the inner frame, before it has the lock, leads to the outer one's
// deferred call, and, if that call recovers, back to its caller.
func TestMergePanics(t *testing.T) {
	x := newFixture(t)
	locks := static.NewMustLock(x.base)
	m := hybrid.NewMerger(x.base, locks.Engine)
	inner, outer := x.frame(x.main.Func("inner"), false), x.frame(x.main.Func("recovering"), false)
	g := &fake{stack: []hybrid.Frame{inner, outer}, regs: []map[string]uint64{{"s": object1}, nil}}
	v := m.FutureOf(g)
	x.equal("z", x.before(locks, v, "z"), object1)
	x.equal("y", x.before(locks, v, "y"))
}

// unlocked lists the mutexes that are unlocked without having been locked.
func unlocked(x *fixture, a *static.ForeignUnlock, v static.Unlocks) (list []uint64) {
	a.Paths(v, func(p static.Path) {
		u, _ := x.base.Paths.Addr(p)
		list = append(list, u)
	})
	slices.Sort(list)
	return list
}

// TestMergeDeferred: pending deferred calls have their arguments, even if nothing else has them any more.
func TestMergeDeferred(t *testing.T) {
	x := newFixture(t)
	unheld := static.NewForeignUnlock(x.base)
	m := hybrid.NewMerger(x.base, unheld.Engine)
	fn := x.main.Func("deferring")
	var mutexUnlock *ssa.Function
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				mutexUnlock = d.Call.StaticCallee()
			}
		}
	}
	g := &fake{
		stack:    []hybrid.Frame{x.frame(fn, false)},
		regs:     []map[string]uint64{{}},
		deferred: [][]call{{{fn: mutexUnlock, args: []uint64{object1}}}},
	}
	x.equal("deferred", unlocked(x, unheld, m.FutureOf(g)), object1)

	// The function runs its deferred calls. First this one is still to come, then it is not.
	g.stack = []hybrid.Frame{x.frame(fn, true)}
	x.equal("pending", unlocked(x, unheld, m.FutureOf(g)), object1)
	g.deferred = nil
	x.equal("done", unlocked(x, unheld, m.FutureOf(g)))

	// A closure has a copy of the variable.
	fn = x.main.Func("closing")
	g = &fake{
		stack:    []hybrid.Frame{x.frame(fn, false)},
		regs:     []map[string]uint64{{}},
		deferred: [][]call{{{fn: fn.AnonFuncs[0], captured: []uint64{object2}}}},
	}
	x.equal("closure", unlocked(x, unheld, m.FutureOf(g)), object2)
}

// TestMergeAdd: for a goroutine in the middle of WaitGroup.Add the number is known.
func TestMergeAdd(t *testing.T) {
	x := newFixture(t)
	prefix := static.NewMinPrefix(x.base)
	m := hybrid.NewMerger(x.base, prefix.Engine)
	adds := x.frame(x.main.Func("adds"), false)
	add := adds.Instr.(*ssa.Call).Call.StaticCallee()
	at := hybrid.Frame{Fn: add, ID: 1000}
	for _, b := range add.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "hbWgAdd" {
				at.Instr = c
			}
		}
	}
	minus := int64(-2)
	g := &fake{stack: []hybrid.Frame{at, adds}, regs: []map[string]uint64{{"wg": object1, "delta": uint64(minus)}, {}}}
	least := map[uint64]int{}
	collect := func() map[uint64]int {
		clear(least)
		prefix.Least(m.FutureOf(g), func(p static.Path, n int) {
			a, _ := x.base.Paths.Addr(p)
			least[a] = n
		})
		return least
	}
	if got := collect(); len(got) != 1 || got[object1] != -2 {
		t.Errorf("least prefixes %v", got)
	}
	g.regs[0]["delta"] = 3
	if got := collect(); len(got) != 0 {
		t.Errorf("least prefixes %v of an addition", got)
	}
	delete(g.regs[0], "delta")
	if got := collect(); got[object1] != static.Unbounded {
		t.Errorf("least prefixes %v of an unknown addition", got)
	}
}

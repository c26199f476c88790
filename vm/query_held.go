package vm

import (
	"go/types"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/reach"
)

// EntryEnded reports whether the function of the entry has returned: main, or the test function.
func (v Report) EntryEnded() bool { return v.m.tested || v.m.mainEnd }

// WaitsForLock reports whether goroutine id waits for a lock.
func (v Report) WaitsForLock(id trace.GID) bool { return v.m.Next(id).Kind.Row().On == trace.OnLock }

// AwaitedBy returns the objects that goroutine id waits for.
func (v Report) AwaitedBy(id trace.GID) (objs []uint32) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.Fn == nil {
		return nil
	}
	m.anyAwaited(g, func(p ptr) bool {
		objs = append(objs, uint32(p>>32))
		return false
	})
	return objs
}

// SubtestEnded reports whether a subtest has ended, with its cleanups.
func (v Report) SubtestEnded() bool {
	return slices.ContainsFunc(v.m.gs, func(g *goroutine) bool { return g.leaves })
}

// RunningTests returns the goroutines that execute a test or a subtest that has not ended, with its cleanups.
func (v Report) RunningTests() (list []trace.GID) {
	if v.EntryEnded() {
		return nil
	}
	for _, s := range v.m.order {
		if g := v.m.gs[s]; g.status != gEnded && !g.leaves && (g.parent == trace.NoGID || g.test != "") {
			list = append(list, g.ID)
		}
	}
	return list
}

// HangsInTest reports whether goroutine id executes a select without cases in test code, which means that
// it waits forever on purpose.
func (v Report) HangsInTest(id trace.GID) bool {
	m := v.m
	g := m.gOf(id)
	return g.status == gReady && g.Fn != nil && m.isTest(g.Fn) && g.Fn.Code[g.PC].Op == bytecode.Select && len(m.chanCases(g, nil)) == 0
}

// EntryMade reports whether the entry's function has made one of objs.
func (v Report) EntryMade(objs []uint32) bool {
	return slices.ContainsFunc(objs, func(obj uint32) bool {
		fn := v.m.heap.Objs[obj].Site >> 32
		return fn < uint64(len(v.m.link.Code)) && v.m.link.Code[fn] != nil && v.m.link.Code[fn].SSA == v.m.entry.Func
	})
}

// HeldByVariables reports whether package variables refer to one of objs, directly or through other objects.
func (v Report) HeldByVariables(objs []uint32) bool {
	seen := reach.NewSet(v.m.heap)
	seen.AddVariables()
	return seen.HasAny(objs)
}

// TestsHolding returns the goroutines that execute a test, or a subtest, with a frame that refers to one of
// objs, directly or through other objects, by a live register. The frames of a test are those of test code
// (isTest) and of its callers, in the test's goroutine and in those that it started. Frames of functions
// that test code has called do not count (for their arguments see WatchCalls), and neither does goroutine
// waiter.
func (v Report) TestsHolding(objs []uint32, waiter trace.GID) (tests []trace.GID) {
	m := v.m
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded || g.Fn == nil || g.ID == waiter {
			continue
		}
		seen := reach.NewSet(m.heap)
		inside := false
		m.eachLive(g, func(fn *bytecode.Func, fp uint32, live []uint16, _ bool) {
			if inside = inside || m.isTest(fn); !inside {
				return
			}
			for _, e := range live {
				if e&1 != 0 {
					seen.Add(g.Stack[fp+uint32(e>>1)])
				}
			}
			seen.Add(g.Stack[fp-hdrDefer])
		})
		if inside && seen.HasAny(objs) {
			tests = append(tests, m.testOf(g))
		}
	}
	return tests
}

// Referring returns the goroutines, except but, that refer to one of objs, directly or through other objects.
func (v Report) Referring(objs []uint32, but trace.GID) (list []trace.GID) {
	m := v.m
	for _, s := range m.order {
		g := m.gs[s]
		if g.status == gEnded || g.Fn == nil || g.ID == but {
			continue
		}
		seen := reach.NewSet(m.heap)
		m.addHeld(seen, g)
		if seen.HasAny(objs) {
			list = append(list, g.ID)
		}
	}
	return list
}

// testOf returns the goroutine that executes the test in which g was started, or g itself.
func (m *Machine) testOf(g *goroutine) trace.GID {
	for g.parent != trace.NoGID && g.test == "" {
		g = m.gOf(g.parent)
	}
	return g.ID
}

// TestName returns the name of the test or subtest in which goroutine id was started.
func (v Report) TestName(id trace.GID) string { return v.m.gOf(v.m.testOf(v.m.gOf(id))).test }

// isTest reports whether fn is test code: the entry's function, a function with a parameter by which it can
// fail a test, or a literal in one of them.
func (m *Machine) isTest(fn *bytecode.Func) bool {
	for f := fn.SSA; f != nil; f = f.Parent() {
		if f == m.entry.Func {
			return true
		}
		if p := m.prog.PackageOf(f); p == nil || p.Path == "testing" || f.Signature == nil {
			continue
		}
		//mutant: a subtest is not test code [test ./cmd/hbcheck TestScripts/left]: remove
		for v := range f.Signature.Params().Variables() {
			if isTester(v.Type()) {
				return true
			}
		}
	}
	return false
}

// isTester reports whether t is *testing.T, *testing.B, *testing.F or testing.TB.
func isTester(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "testing" {
		return false
	}
	return slices.Contains([]string{"T", "B", "F", "TB"}, named.Obj().Name())
}

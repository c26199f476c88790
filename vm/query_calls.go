package vm

import (
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/reach"
)

// The references of a test between two steps are found by watching its calls: a value that a function
// returns to a test, and that the test passes to the next function, may be dead before any of them reaches
// an operation. When a call by test code returns, or a panic leaves it, the test has held its arguments,
// the function value, and those results that it uses:
//
//	s := Start()     the result s         no step between the two calls
//	Configure(s)     the argument s
//
// Results that the test discards do not count: the test cannot end the goroutine by them.

// WatchCalls returns the change of a configuration by which returned is called after each call by test
// code: with the calling goroutine, the goroutine that executes the test, and a function that reports
// whether the test has held one of objs. Schedules of m are schedules of such a machine, and all such
// machines use the same numbers for objects. The calls before the first visible operation count, too.
func (m *Machine) WatchCalls(returned callReturned) func(*Config) {
	m.ShareGIDs()
	return func(c *Config) { c.Observer, c.sharedGIDs, c.returned = nil, m.sharedGIDs, returned }
}

// newTestCalls returns the calls when the entry begins; nil if they are not wanted.
func newTestCalls(cfg *Config) *testCalls {
	if cfg.returned == nil {
		return nil
	}
	return &testCalls{cfg.returned, make(map[uint32]bool), make(map[trace.GID][]openCall)}
}

// isTest is Machine.isTest, and keeps the answers.
func (c *testCalls) isTest(m *Machine, f *bytecode.Func) bool {
	is, ok := c.tests[f.ID]
	if !ok {
		is = m.isTest(f)
		c.tests[f.ID] = is
	}
	return is
}

// at is called before g executes an instruction of f.
func (c *testCalls) at(m *Machine, g *goroutine, f *bytecode.Func) {
	open := c.open[g.ID]
	for len(open) > 0 && open[len(open)-1].fp > g.FP { // a panic has left the test
		if x := &open[len(open)-1]; x.known {
			c.notify(m, g, x.words)
		}
		open = open[:len(open)-1]
	}
	if n := len(open) - 1; n >= 0 {
		x := &open[n]
		switch {
		case x.fp < g.FP && !x.known:
			x.words, x.known = append(x.words, g.Stack[g.FP:g.FP+uint32(f.NParam)]...), true
		case x.fp == g.FP:
			open = open[:n]
			if x.known && x.fn == f.ID {
				c.end(m, g, f, x)
			}
		}
	}
	if in := f.Code[g.PC]; c.isTest(m, f) {
		x := openCall{fp: g.FP, win: uint32(in.A), fn: f.ID, pc: g.PC}
		switch in.Op {
		case bytecode.CallC:
			x.words = append(x.words, g.Stack[g.FP+uint32(in.B)])
			fallthrough
		case bytecode.Call, bytecode.CallI:
			open = append(open, x)
		}
	}
	c.open[g.ID] = open
}

// end calls returned for the call x by f, which has returned to f.
func (c *testCalls) end(m *Machine, g *goroutine, f *bytecode.Func, x *openCall) {
	words := x.words
	// The code after the call moves its results.
	for _, in := range f.Code[g.PC:] {
		if thrownAway(f.InstrAt(int(x.pc))) {
			break
		}
		n := uint32(0)
		switch in.Op {
		case bytecode.Mov:
			n = 1
		case bytecode.Mov2:
			n = 2
		case bytecode.Mov3:
			n = 3
		case bytecode.MovN:
			n = uint32(in.C)
		}
		from := uint32(in.B)
		if n == 0 || from < x.win {
			break
		}
		words = append(words, g.Stack[g.FP+from:g.FP+from+n]...)
	}
	c.notify(m, g, words)
}

// notify notifies that g's test has held words.
func (c *testCalls) notify(m *Machine, g *goroutine, words []uint64) {
	c.returned(g.ID, m.testOf(g), func(objs []uint32) bool {
		seen := reach.NewSet(m.heap)
		for _, w := range words {
			seen.Add(w)
		}
		return seen.HasAny(objs)
	})
}

// thrownAway reports whether nothing uses the result of a call. A tuple's components that nothing uses are
// not moved at all.
func thrownAway(call ssa.Instruction) bool {
	v, ok := call.(ssa.Value)
	return ok && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		_, debug := r.(*ssa.DebugRef)
		return !debug
	})
}

package sketch

import (
	"golang.org/x/tools/go/ssa"
)

// deferred is a deferred call.
type deferred struct {
	t       target
	builtin *ssa.Builtin
	instr   ssa.Instruction
	common  *ssa.CallCommon
}

// panicking is a panic that unwinds the stack.
type panicking struct {
	kind   CrashKind
	exits  bool // Goexit
	origin Crash
}

func (r *Run) deferCall(fr *frame, i *ssa.Defer) {
	d := deferred{instr: i, common: &i.Call}
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		d.builtin = b
		for _, a := range i.Call.Args {
			d.t.args = append(d.t.args, r.force(fr, a))
		}
	} else {
		d.t = r.resolve(fr, &i.Call)
	}
	fr.defers = append(fr.defers, d)
}

// runDeferred calls the newest deferred call of fr.
func (r *Run) runDeferred(g *goroutine, fr *frame) {
	d := fr.defers[len(fr.defers)-1]
	fr.defers = fr.defers[:len(fr.defers)-1]
	if d.builtin != nil {
		pc := fr.pc
		r.builtin(g, fr, d.builtin, d.t.args, nil, d.common)
		if !fr.unwinds {
			fr.pc = pc
		}
		return
	}
	n := len(g.frames)
	r.enter(g, d.t, d.common.Signature().Results(), d.instr, func(value) {})
	if len(g.frames) > n {
		g.top().deferOf = fr
	}
}

// ret returns from fr.
func (r *Run) ret(g *goroutine, fr *frame, i *ssa.Return) {
	var v value = tuple{}
	switch len(i.Results) {
	case 0:
	case 1:
		v = r.get(fr, i.Results[0])
	default:
		t := make(tuple, len(i.Results))
		for k, x := range i.Results {
			t[k] = r.get(fr, x)
		}
		v = t
	}
	r.leave(g, fr, v)
}

// leave ends fr with results v.
func (r *Run) leave(g *goroutine, fr *frame, v value) {
	g.frames = g.frames[:len(g.frames)-1]
	for n := len(r.cleanups); g.id == 0 && len(g.frames) == 0 && n > 0; n = len(r.cleanups) {
		f := r.cleanups[n-1] // cleanups of the test, in reverse order
		r.cleanups = r.cleanups[:n-1]
		switch {
		case f.native != nil:
			f.native(r, g)
		case f.fn != nil && r.executes(f.fn):
			r.push(g, f.fn, nil, f.bind, func(value) {})
			return
		}
	}
	if len(g.frames) == 0 {
		g.done = true
		if g.id == 0 {
			r.result = v
		}
		if fr.back != nil {
			fr.back(v)
		}
		if g.after != nil {
			g.after()
		}
		g.tick()
		return
	}
	if fr.back != nil {
		fr.back(v)
	}
}

// fail begins a panic in g.
func (r *Run) fail(g *goroutine, k CrashKind) {
	c := Crash{At: r.userAt(g), Kind: k, Go: g.site}
	for i := len(g.frames) - 2; i >= 0; i-- {
		c.Chain = append(c.Chain, g.frames[i].at())
	}
	g.panicked = &panicking{kind: k, origin: c}
	g.top().unwinds = true
}

// exit ends g as Goexit does.
func (r *Run) exit(g *goroutine) {
	g.panicked = &panicking{exits: true}
	g.top().unwinds = true
}

// unwind executes the next deferred call of the function that a panic leaves, or leaves it.
func (r *Run) unwind(g *goroutine) {
	fr := g.top()
	if g.panicked == nil { // recovered: the function returns
		if len(fr.defers) > 0 {
			r.runDeferred(g, fr)
			return
		}
		fr.unwinds = false
		if fr.fn.Recover != nil {
			fr.prev, fr.block, fr.pc = fr.block, fr.fn.Recover, 0
			return
		}
		r.leave(g, fr, zero(fr.fn.Signature.Results()))
		return
	}
	if len(fr.defers) > 0 {
		r.runDeferred(g, fr)
		return
	}
	g.frames = g.frames[:len(g.frames)-1]
	if len(g.frames) > 0 {
		g.top().unwinds = true
		return
	}
	g.done = true
	if !g.panicked.exits {
		c := g.panicked.origin
		r.Crash, r.stopped = &c, true
	} else if g.after != nil {
		//mutant: sketch: Goexit in WaitGroup.Go is no Done [test ./static/findings TestWant]: "g.after()" -> ""
		g.after()
	}
}

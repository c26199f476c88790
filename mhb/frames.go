package mhb

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// The goroutine's live stack, from which the walk begins. Each frame is in the middle of its
// code, has deferred calls that are pending, and may be returned to, or not, by the one above it:
//
//	frame 0   f   ◂ next instruction    returns?  ── yes ──▶ frame 1, after its call
//	frame 1   g   in the call of f                ── no, only by a panic ──▶ g's deferred calls;
//	frame 2   h   in the call of g                    if one recovers, frame 2, after its call

// frames walks the code ahead of g, frame by frame, beginning with the innermost one. A frame that cannot
// return can still panic, for reasons that the walk does not search for: then the deferred calls of its
// callers run, and one of them may recover, so that its own caller continues.
//
// unwinding is passed from one frame to the next. As long as it is set, the walk omits the code after the
// call, and visits only deferred calls. It ends at a frame that may recover.
func (w *walk) frames(g trace.GID, v *visit) {
	n := len(w.v.s.Stack(g))
	unwinding := false // control certainly reaches this frame only in a panic
	for i := 0; i < n && !w.conflict; i++ {
		fr := w.v.s.Stack(g)[i]
		if fr.Main {
			return
		}
		// A goroutine that is blocked at its next operation does not panic either.
		if i == 0 && w.blockedAtNext(g, v) {
			return
		}
		w.v.ask(question{kind: askDeferred, i: i})
		// The deferred call that runs now is not among the pending ones. It may already have recovered, and
		// so may the calls before it.
		//mutant: the running deferred call has not recovered [micro recoveredAlready]: false
		//mutant: those before the running deferred call have not recovered [micro recoveredBefore]: drop 3
		recovered := i > 0 && fr.Unwinding && (w.v.s.Stack(g)[i-1].Recovered || mayRecover(w.v.s.Stack(g)[i-1].Fn))
		for _, d := range w.v.s.Deferred(g, i) {
			if unwinding && w.panicsAgain(g, i, d.Fn) {
				continue
			}
			r := w.deferred(d, v)
			recovered = recovered || r
		}
		switch {
		//mutant: callers are not unwound [micro unwoundTwice]: " && !recovered:\n\t\t\tcontinue" -> ":\n\t\t\treturn"
		case unwinding && !recovered:
			continue
		case fr.Builtin == "close" && i == 0:
			a := w.v.ask(question{kind: askClosing})
			//mutant: closing now enables nothing [micro closingNow]
			w.closes(ref{p: a.x, known: a.ok})
			continue
		case fr.Instr == nil && fr.Fn == nil: // another builtin
			w.top()
			return
		case fr.Instr == nil: // a native
			unwinding = !w.native(&invocation{fn: fr.Fn}, v) && !recovered
			continue
		case !w.o.fut.F.Known(fr.Instr.Parent()):
			w.top()
			return
		}
		act := &activation{fn: fr.Instr.Parent(), live: true, i: i, at: fr.Instr}
		if unwinding {
			w.recovery(act)
			//mutant: panics come after Adds [micro unwoundBeforeAdd]: ", v.raises = false, events{}" -> " = false"
			unwinding, v.raises = false, events{} // the panic may have come before any Add
			continue
		}
		unwinding = !w.body(act, fr.Instr, i == 0 || fr.Unwinding, v) && !recovered
	}
}

// recovery walks the code after a recovered panic in act's function, which loads the results.
//
// The function's Recover block loads named results and returns; nothing in it blocks.
func (w *walk) recovery(act *activation) {
	if r := act.fn.Recover; r != nil {
		for _, x := range r.Instrs {
			w.direct(act, x)
		}
	}
}

// panicsAgain reports whether fn, which is pending in frame i of g, is the function that
// WaitGroup.Go defers, and finds a panic: it then does not call Done.
//
// Without this a goroutine of wg.Go that is certain to panic would count as one that may call
// Done, and so enable Wait.
func (w *walk) panicsAgain(g trace.GID, i int, fn *ssa.Function) bool {
	if !rethrows(fn) {
		return false
	}
	for _, fr := range w.v.s.Stack(g)[:i] {
		if fr.Fn == nil || w.o.exits(fr.Fn) {
			return false
		}
	}
	return true
}

// rethrows reports whether fn, declared in WaitGroup.Go, begins with
//
//	if x := recover(); x != nil {
//		panic(...)
//	}
//
// Its form is compared, not the closure's name: the numbers that are given to closures are not
// stable.
func rethrows(fn *ssa.Function) bool {
	if fn == nil || fn.Parent() == nil || len(fn.Blocks) == 0 {
		return false
	}
	outer := fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	first := fn.Blocks[0].Instrs
	test, ok := first[len(first)-1].(*ssa.If)
	if !ok || outer.String() != static.WaitGroupGo {
		return false
	}
	cond, ok := test.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.NEQ {
		return false
	}
	call, ok := cond.X.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "recover" {
		return false
	}
	for _, instr := range fn.Blocks[0].Succs[0].Instrs {
		switch instr.(type) {
		case ssa.CallInstruction:
			return false
		case *ssa.Panic:
			return true
		}
	}
	return false
}

// exits reports whether a call of fn may call runtime.Goexit, which runs deferred
// calls without a panic.
//
// It searches the call graph, once for each function.
func (o *Oracle) exits(fn *ssa.Function) bool {
	r, ok := o.mayGoexit[fn]
	if ok {
		return r
	}
	seen := map[*ssa.Function]bool{}
	work := []*ssa.Function{fn}
	for len(work) > 0 && !r {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[f] {
			continue
		}
		seen[f] = true
		b := o.prog.Body(f)
		if b == nil {
			r = f.String() == "runtime.Goexit"
			continue
		}
		for _, blk := range b.Blocks {
			for _, i := range blk.Instrs {
				if c, ok := i.(ssa.CallInstruction); ok {
					work = append(work, o.prog.Callees(c)...)
				}
			}
		}
	}
	o.mayGoexit[fn] = r
	return r
}

// blockedAtNext reports whether the pending operation of g is disabled and stays so. If so, the operation
// is noted among the stops.
//
// The same questions are asked when body reaches the instruction. They are asked here, too, because the stack
// of a blocked goroutine need not be walked: neither its frames, nor its deferred calls, because it cannot
// panic.
func (w *walk) blockedAtNext(g trace.GID, v *visit) bool {
	fr := w.v.s.Stack(g)[0]
	if w.canMove || fr.Instr == nil || !w.o.fut.F.Known(fr.Instr.Parent()) {
		return false
	}
	act := &activation{fn: fr.Instr.Parent(), live: true, at: fr.Instr}
	switch x := fr.Instr.(type) {
	case *ssa.Send:
		return !w.send(act, x.Chan, x)
	case *ssa.Select:
		return !w.selects(act, x)
	case *ssa.UnOp:
		return x.Op == token.ARROW && !w.receive(act, x.X, x)
	case *ssa.Call:
		if fn := x.Call.StaticCallee(); fn != nil && w.o.prog.Body(fn) == nil {
			_, args := w.arguments(act, x, fn)
			return !w.native(&invocation{fn: fn, site: x, args: args, atNext: true}, v)
		}
	}
	return false
}

// deferred walks a deferred call with known arguments; it reports whether it may recover.
//
// The record has the words of the arguments, so more is known than about a call in code, for example the
// address of the mutex that a deferred Unlock unlocks.
func (w *walk) deferred(d Deferred, v *visit) bool {
	switch {
	case d.Builtin == "close":
		//mutant: deferred closing enables nothing [micro closedDeferred]
		w.closes(ref{p: d.Args[0], known: true})
		return false
	case d.Fn == nil:
		w.top() // another builtin: delete, ...
		return true
	}
	if w.irrelevant(w.o.prog.Body(d.Fn)) {
		return mayRecover(d.Fn)
	}
	vals := map[ssa.Value]uint64{}
	k := 0
	for _, p := range d.Fn.Params {
		n := w.o.words(p.Type())
		if n == 1 && k < len(d.Args) {
			vals[p] = d.Args[k]
		}
		k += n
	}
	k = 0
	for i, fv := range d.Fn.FreeVars {
		n := 1
		if w.o.prog.ByValue(d.Fn, i) {
			n = w.o.words(fv.Type().Underlying().(*types.Pointer).Elem())
		}
		if n == 1 && k < len(d.Captured) {
			vals[fv] = d.Captured[k]
		}
		k += n
	}
	args := make(argRefs, len(d.Args))
	for i, x := range d.Args {
		args[i] = ref{p: x, known: true}
	}
	w.function(&invocation{fn: d.Fn, vals: vals, args: args}, v)
	return mayRecover(d.Fn)
}

func (o *Oracle) sizeof(t types.Type) int64 {
	n, ok := o.sizes[t]
	if !ok {
		n = sizes.Sizeof(t)
		o.sizes[t] = n
	}
	return n
}

func (o *Oracle) words(t types.Type) int { return int(o.sizeof(t)+7) / 8 }

var sizes = types.SizesFor("gc", "amd64")

// mayRecover reports whether fn itself calls recover, like a deferred function that stops a panic. Natives
// and wrappers are unknown, and count as if they did.
func mayRecover(fn *ssa.Function) bool {
	if fn == nil {
		return true
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok {
				//mutant: recover is not looked for [micro recoveredAlready]: "\"recover" -> "\"recovers"
				if x, ok := c.Call.Value.(*ssa.Builtin); ok && x.Name() == "recover" {
					return true
				}
			}
		}
	}
	//mutant: no goroutine recovers [micro recoveringWrapper]: false
	return len(fn.Blocks) == 0 || fn.Synthetic != ""
}

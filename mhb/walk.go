package mhb

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// The walk over code: goroutines, frames, functions, blocks. It is an abstract interpretation of the code
// that remains of a goroutine. Its domain is small: one summary per goroutine has all that may happen, in
// any order, and each block of a function is visited once for each different call of the function.
//
//	frames     each frame of the live stack, innermost first, with its pending defers (frames.go)
//	  body     the blocks reachable from where the frame is
//	    act    one instruction that matters, with the accesses of those before it
//	      callee → function → visited → body     calls, once for each visitKey (calls.go)
//	                        → native             or the operations of package sync (ops.go)
//
// It is precise because it stops at an operation that certainly blocks the goroutine (blocked), and at a
// call that cannot return. Values of operands come from eval.go.

// visit is the walk of one function with known parameters.
//
// The caller needs only two results of a visit: whether control may come back, and the Dones, which count
// once for each call. Everything else is added to the summary of the goroutine, in which there is no order.
type visit struct {
	returns bool
	open    bool    // the function has not returned yet
	assumed *events // the function was called recursively meanwhile, and the caller assumed these dones of the call
	dones   events  // the largest amounts by which it can decrement the counters of WaitGroups

	// By how much Adds have certainly incremented counters, minus the Dones paid for so far (counters.go):
	credit events // in the block that is walked, up to the present instruction
	raises events // by the end of the first block
}

// body walks act's function from instr on, or from the next instruction on if including is not set. It
// reports whether the function may return to its caller. A block is entered only if the walk has passed all
// instructions of one of its predecessors. After a conflict the rest does not matter, and the function may do
// anything.
//
// Each block is walked once, whatever path leads to it: no fact of a visit depends on the path. The first
// one may be walked twice, from the middle and, if a loop leads back to it, from its beginning.
//
//	frame at mu.Lock():   [ x = 1 │ mu.Lock() y = 2 ] ──▶ [ ... ]
//	                              └ from here on    ◀──────┘ all of it, when the loop comes back
func (w *walk) body(act *activation, instr ssa.Instruction, including bool, v *visit) (returns bool) {
	f := w.o.flow(act.fn)
	seen := make([]bool, len(act.fn.Blocks))
	work := []*ssa.BasicBlock{}
	v.credit = v.raises.clone()
	run := func(b *ssa.BasicBlock, code []action) {
		passed := true
		for i := range code {
			if w.work++; w.work > maxWork || w.o.over() {
				w.top()
			} else {
				passed = w.act(act, &code[i], v, &returns)
			}
			if w.conflict {
				returns = true
				return
			}
			if !passed {
				return
			}
		}
		work = append(work, b.Succs...)
	}
	b := instr.Block()
	start := slices.Index(b.Instrs, instr)
	if !including {
		start++
	}
	if start == 0 {
		seen[b.Index] = true
	}
	run(b, w.o.code(f, b, start))
	v.leave(act.fn)
	for len(work) > 0 && !w.conflict {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[b.Index] {
			seen[b.Index] = true
			//mutant: Adds on some ways are on all [micro addOnOneWay]
			v.credit = events{}
			run(b, w.o.code(f, b, 0))
		}
	}
	if r := act.fn.Recover; r != nil && !seen[r.Index] && !w.conflict {
		w.recovery(act)
	}
	return returns
}

// act walks an action. It reports whether control continues from there, and sets
// returns if it may leave the function.
//
// Accesses come first: they belong to the instructions before a.instr, and happen even if a.instr blocks.
func (w *walk) act(act *activation, a *action, v *visit, returns *bool) bool {
	if a.accesses != static.Empty {
		w.accesses(act, a)
	}
	if a.instr == nil || w.conflict {
		return true
	}
	w.current = a.instr
	switch x := a.instr.(type) {
	case *ssa.Return:
		*returns = true
	case *ssa.Defer:
		if w.starts(act, x, a, v) {
			*returns = true
		}
		w.builtin(act, x)
	case *ssa.Go:
		w.starts(act, x, a, v)
		w.builtin(act, x)
	case *ssa.Send:
		return w.send(act, x.Chan, x)
	case *ssa.Select:
		return w.selects(act, x)
	case *ssa.UnOp:
		return w.receive(act, x.X, x)
	case *ssa.Call:
		w.builtin(act, x)
		return w.call(act, x, a, v)
	}
	return true
}

// accesses notes the accesses of the instructions of a.
//
// If the target collects, they are only added to the set. Otherwise the instructions are checked one by one,
// because some of the accesses that seem to conflict are certainly to other memory.
func (w *walk) accesses(act *activation, a *action) {
	switch {
	case w.t.collects:
		w.reached = w.o.fut.F.Sets.Union(w.reached, a.accesses)
	case w.t.op.Kind.Memory() && w.o.conflicts(a.accesses, w.t):
		for _, x := range a.touching {
			w.current = x
			if w.direct(act, x); w.conflict {
				return
			}
		}
	}
}

// starts walks the call of a go or defer statement. It reports whether the
// function may recover a panic.
//
// A deferred function will run when this one returns, and a new goroutine at any time. Both belong to the
// code ahead, from this statement on.
func (w *walk) starts(act *activation, x ssa.CallInstruction, a *action, v *visit) (recover bool) {
	for i := range a.callees {
		c := &a.callees[i]
		recover = recover || c.recovers
		if !w.irrelevant(c.body) {
			w.callee(act, x, c, v, a, len(a.callees) == 1)
		}
	}
	return recover
}

// call walks a call and reports whether control may come back from it.
//
// A dynamic call has only one callee if the receiver's type is certain. If the graph has no callee, for
// example for a nil func value, the walk assumes that the call returns.
func (w *walk) call(act *activation, x *ssa.Call, a *action, v *visit) bool {
	if _, ok := x.Call.Value.(*ssa.Builtin); ok {
		return true
	}
	callees := a.callees
	back := len(callees) == 0
	if t := w.dynamicType(act, x); t != nil {
		if i := slices.IndexFunc(callees, func(c callee) bool {
			return len(c.fn.Params) > 0 && types.Identical(c.fn.Params[0].Type(), t)
		}); i >= 0 {
			callees = callees[i : i+1]
		}
	}
	for i := range callees {
		if c := &callees[i]; w.irrelevant(c.body) || w.callee(act, x, c, v, a, len(callees) == 1) {
			back = true
		}
		if w.conflict {
			return true
		}
	}
	return back
}

// callee walks a call of c by a, and reports whether it may return. only is set if a can call nothing else.
//
// Known values of arguments, and locks acquired ahead of the call, are known in the callee, too.
func (w *walk) callee(act *activation, site ssa.CallInstruction, c *callee, v *visit, a *action, only bool) bool {
	vals, args := w.arguments(act, site, c.fn)
	atNext := act.live && act.i == 0 && site == w.nextCall
	return w.function(&invocation{
		fn: c.fn, site: site, vals: vals, args: args, guards: w.guards(act, site, c.fn),
		loop: a.loop, atNext: atNext, held: w.holds(act, site, c.fn), only: only,
	}, v)
}

// callOf returns the call that instr is.
func callOf(instr ssa.Instruction) (*ssa.CallCommon, bool) {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil, false
	}
	return c.Common(), true
}

// send notes that channel ch may be sent to and reports whether it may happen.
//
// A send is noted even if it blocks here: noting too much is sound.
func (w *walk) send(act *activation, ch ssa.Value, use ssa.Instruction) bool {
	r := w.ref(act, ch, use)
	//mutant: sending enables nothing [micro sentByThird]
	w.o.note(&w.eff.sends, r)
	//mutant: channels: no goroutine sends [channels secondSender]
	w.comesTo(trace.Send, r)
	return !w.blockedChan(r, askFullNoReceiver, opSend, "send")
}

// receive notes that channel ch may be received from and reports whether it
// may happen.
func (w *walk) receive(act *activation, ch ssa.Value, use ssa.Instruction) bool {
	r := w.ref(act, ch, use)
	//mutant: receiving enables nothing [micro receivedByThird]
	w.o.note(&w.eff.recvs, r)
	//mutant: channels: no goroutine receives [channels secondReceiver]
	w.comesTo(trace.Recv, r)
	return !w.blockedChan(r, askEmptyNoSender, opRecv, "receive")
}

// blockedChan reports whether an operation on channel ch blocks: because ch is nil, or because the answer
// to ask is yes and the others cannot change that.
//
// An operation on a nil channel blocks forever, whatever the others do: no stop is noted. An operation on
// an uncertain channel is passed.
func (w *walk) blockedChan(ch ref, ask questionKind, op opKind, reason string) bool {
	switch {
	case !ch.known:
		return false
	case ch.p == 0:
		return true
	}
	return w.v.ask(question{kind: ask, p: ch.p}).ok && w.blocked(stop{op, ch.p}, reason)
}

// selects notes the operations that a select may execute, and reports whether one of them may happen.
//
// It blocks if all of its cases do; then each of them is a stop, and any one that is enabled lets
// the next round continue. Whether a case is ready matters to a rendezvous of another one: both
// goroutines cannot have had another case ready, see vm/step_partners.go.
func (w *walk) selects(act *activation, x *ssa.Select) bool {
	able, last := 0, 0
	for i, st := range x.States {
		may := false
		if st.Dir == types.SendOnly {
			may = w.send(act, st.Chan, x)
		} else {
			may = w.receive(act, st.Chan, x)
		}
		if may {
			able, last = able+1, i
		}
	}
	for i, st := range x.States {
		switch {
		case !w.t.collects:
		case !x.Blocking:
			//mutant: channels: no goroutine tries [channels tried]
			w.comesTo(trace.TrySelect, w.ref(act, st.Chan, x))
		//mutant: channels: one other case that can be executed is none [channels readyElsewhere]: "& last !" -> "& last ="
		//mutant: channels: several other cases that can be executed are none [channels unknownReady]: drop 1
		case able > 1 || able == 1 && last != i:
			w.comesTo(trace.Select, w.ref(act, st.Chan, x))
		}
	}
	//mutant: select waits for its first case [micro selectDefault]: drop 2
	return able > 0 || !x.Blocking
}

// builtin notes the effect of a builtin on channels. The length of a channel with a buffer is an operation
// on it.
func (w *walk) builtin(act *activation, x ssa.CallInstruction) {
	c := x.Common()
	b, ok := c.Value.(*ssa.Builtin)
	switch {
	case !ok:
	case b.Name() == "close":
		w.closes(w.ref(act, c.Args[0], x))
	case b.Name() == "len" && isChan(c.Args[0].Type()):
		//mutant: channels: no goroutine takes the length [channels length]
		w.comesTo(trace.TrySelect, w.ref(act, c.Args[0], x))
	}
}

// closes notes that channel r may be closed.
//
// Closing enables both: receivers get zero values, and senders panic.
func (w *walk) closes(r ref) {
	//mutant: closing enables nothing [micro closedLater]: remove 2
	w.o.note(&w.eff.sends, r)
	w.o.note(&w.eff.recvs, r)
	//mutant: channels: no goroutine closes [channels closeAndSend]
	w.comesTo(trace.Close, r)
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// direct notes the accesses instr itself makes.
//
// One instruction may make several accesses: a range over a map reads its header and an entry.
func (w *walk) direct(act *activation, instr ssa.Instruction) {
	for _, x := range w.o.accesses(instr) {
		switch {
		case w.t.collects:
			w.access(x)
		case w.mayConflict(x) && !w.disjoint(act, instr):
			w.foundConflict()
			return
		}
	}
}

// arguments evaluates the arguments of a call of fn: as values of its
// parameters, and as words for natives.
//
// Natives take words. Values of parameters are known only if the callee is certain to be fn, because they
// are used in its body. A value that is not one word (a string, an interface) has unknown words.
func (w *walk) arguments(act *activation, site ssa.CallInstruction, fn *ssa.Function) (map[ssa.Value]uint64, argRefs) {
	c := site.Common()
	vals := map[ssa.Value]uint64{}
	if c.IsInvoke() {
		r := ref{}
		if w.o.has(Receivers) {
			r.objs = w.o.prog.Receivers(site)
		}
		onPointer := fn.Signature.Recv() != nil && pointer(fn.Signature.Recv().Type())
		if data, ok := w.dataWord(act, c.Value, site); ok && onPointer {
			r = ref{p: data, known: true}
			if len(fn.Params) > 0 {
				vals[fn.Params[0]] = data
			}
		}
		return vals, argRefs{r}
	}
	args := make(argRefs, 0, len(c.Args))
	for i, a := range c.Args {
		if i == 3 && w.o.opOf(fn) == wakeOp {
			break // a waiter, see askNotified
		}
		n := w.o.words(a.Type())
		if n != 1 {
			args = append(args, make(argRefs, n)...)
			continue
		}
		r := w.ref(act, a, site)
		if r.known && i < len(fn.Params) && c.StaticCallee() == fn {
			vals[fn.Params[i]] = r.p
		}
		args = append(args, r)
	}
	if (act.held || act.lockers != static.Empty) && len(args) > 1 && !args[1].known {
		if op := w.o.opOf(fn); op == parkOp || op == wakeOp {
			args[1].objs, args[1].ahead = act.lockers, act.held
		}
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok && mc.Fn == fn {
		for i, b := range mc.Bindings {
			if w.o.prog.ByValue(fn, i) {
				if x, ok := w.capturedValue(act, b, mc); ok {
					vals[fn.FreeVars[i]] = x
				}
			} else if x, ok := w.eval(act, b, mc); ok {
				vals[fn.FreeVars[i]] = x
			}
		}
	}
	return vals, args
}

// ref evaluates v.
//
// If the address is not certain, the points-to analysis has the objects that it may be in: this is less
// precise, but usually enough to show that the object is not T_c's.
func (w *walk) ref(act *activation, v ssa.Value, use ssa.Instruction) ref {
	r := ref{}
	if r.p, r.known = w.eval(act, v, use); r.known {
		return r
	}
	if !w.o.has(Narrowing) {
		return r
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer, *types.Chan:
		r.objs = w.o.prog.Where(v)
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			r.objs = w.o.prog.Where(v)
		}
	}
	return r
}

package mhb

import (
	"encoding/binary"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// The walk over code: goroutines, frames, functions, blocks. It is an abstract interpretation
// of the code that remains of a goroutine. Its domain is small: what may happen is collected
// in one summary per goroutine, whatever the order, and each block of a function is
// visited once for each different call of the function.
//
//	frames     each frame of the live stack, innermost first, with its pending defers
//	  body     the blocks reachable from where the frame is
//	    act    one instruction that matters, with the accesses of those before it
//	      callee → function → visited → body     calls, once for each visitKey
//	                        → native             or the operations of package sync (ops.go)
//
// What makes it precise is where it does not continue: after an operation at which the
// goroutine is certain to block (blocked), and after a call that cannot return. Values of
// operands come from eval.go.

// visit is the walk of one function with known parameters.
type visit struct {
	returns bool
	open    bool   // it has not returned yet: a recursive call
	dones   events // how far it can take the counters of WaitGroups down
}

// frames walks what is ahead of g from its frames, innermost first. A frame
// that cannot return can still panic, for reasons that the walk does not search for:
// then the deferred calls of its callers run, and one of them may recover, so
// that its own caller continues.
func (w *walk) frames(g trace.GID, v *visit) {
	n := len(w.v.s.Stack(g))
	unwinding := false // it is certain that control does not come to this frame but in a panic
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
		// The deferred call that runs now is none of the pending ones. It may have
		// recovered already, and so may those before it.
		recovered := i > 0 && fr.Unwinding && (w.v.s.Stack(g)[i-1].Recovered || mayRecover(w.v.s.Stack(g)[i-1].Fn))
		for _, d := range w.v.s.Deferred(g, i) {
			if unwinding && w.panicsAgain(g, i, d.Fn) {
				continue
			}
			r := w.deferred(d, v)
			recovered = recovered || r
		}
		switch {
		case unwinding && !recovered:
			continue
		case fr.Instr == nil && fr.Fn == nil: // a builtin as the goroutine's function
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
			unwinding = false
			continue
		}
		unwinding = !w.body(act, fr.Instr, i == 0 || fr.Unwinding, v) && !recovered
	}
}

// recovery walks what follows a recovered panic in act's function: the results
// are loaded.
func (w *walk) recovery(act *activation) {
	if r := act.fn.Recover; r != nil {
		for _, x := range r.Instrs {
			w.direct(act, x)
		}
	}
}

// panicsAgain reports whether fn, which is pending in frame i of g, is the function that
// WaitGroup.Go defers, and finds a panic: it then does not call Done.
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

// blockedAtNext reports whether the pending operation of g is disabled and stays so. If
// it is, what it waits for is noted among the stops.
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
func (w *walk) deferred(d Deferred, v *visit) bool {
	if d.Fn == nil {
		w.top() // a builtin: close, delete, ...
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

// mayRecover reports whether fn calls recover itself, as deferred functions do
// that stop a panic.
func mayRecover(fn *ssa.Function) bool {
	if fn == nil {
		return true
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok {
				if x, ok := c.Call.Value.(*ssa.Builtin); ok && x.Name() == "recover" {
					return true
				}
			}
		}
	}
	return len(fn.Blocks) == 0 || fn.Synthetic != ""
}

// An invocation is a call of fn as the walk comes to it.
type invocation struct {
	fn     *ssa.Function
	site   ssa.CallInstruction  // nil: none in the program's code, or it is not known
	vals   map[ssa.Value]uint64 // known parameters and captured variables
	args   argRefs              // the words of the arguments, for natives
	guards []guard              // what is locked ahead of the call, in terms of fn's parameters
	loop   bool                 // it can be executed more than once
	atNext bool                 // it is the next instruction of the goroutine
	held   bool                 // of Cond.Wait: the lock of the Cond is locked ahead
}

// function walks a call of a function that is relevant, made by the function that into is of,
// and reports whether it may return.
func (w *walk) function(c *invocation, into *visit) bool {
	fn, vals := c.fn, c.vals
	b := w.o.prog.Body(fn)
	if b == nil {
		return w.native(c, into)
	}
	if b != fn && len(vals) > 0 {
		vals = nil // parameters of another declaration
	}
	act := &activation{fn: b, vals: vals, guards: c.guards}
	if c.site != nil && len(vals) == 0 && c.site.Common().StaticCallee() == fn && condWait(fn) {
		act.lockers, act.held = w.o.prog.Lockers(c.site), c.held
	}
	k := w.key(b, vals, c.guards)
	k.lockers, k.held = act.lockers, act.held
	returns, dones := w.visited(k, act)
	// Each call of the function counts, though it is walked once.
	n := 1
	if c.loop {
		n = many
	}
	w.o.unite(&into.dones, dones, n)
	return returns
}

// visited walks act's function, unless that has been done: in this walk or in an
// earlier one that got the same answers from the state. It reports whether the
// function may return, and how far it takes the counters of WaitGroups down.
//
// The summary of the function is computed apart, from an empty one, and merged with the
// summary of what is walked around it: so it can be the leaf of a decision tree of its own,
// for callers in other states.
//
// What is recursive, or calls what is, is only remembered for this walk: what
// a recursive call adds depends on where the recursion began.
func (w *walk) visited(k visitKey, act *activation) (returns bool, dones *events) {
	if v := w.memo[k]; v != nil {
		w.recursive++
		if v.open {
			return true, &events{any: true} // how often is not known
		}
		return v.returns, &v.dones
	}
	ck := callKey{k, w.later}
	tree := w.t.calls[ck]
	if tree == nil {
		tree = &callTree{root: new(node)}
		w.t.calls[ck] = tree
		w.o.nodes++
	}
	if !tree.recursive {
		if x := w.v.recall(tree.root); x != nil {
			w.merge(x)
			return x.returns, &x.eff.dones
		}
		w.v.record(tree.root)
	}
	outer, before, work := w.summary, w.recursive, w.work
	w.summary = summary{}
	v := &visit{open: true}
	w.memo[k] = v
	v.returns = w.body(act, act.fn.Blocks[0].Instrs[0], true, v)
	v.open = false
	x := w.summary
	x.returns, x.eff.dones, x.work = v.returns, v.dones, w.work-work
	w.summary, w.work = outer, work
	if !tree.recursive {
		leaf := w.v.recorded()
		if w.recursive == before && w.work+x.work <= maxWork {
			leaf.leaf = &x
			delete(w.memo, k)
		} else {
			tree.recursive = tree.recursive || w.recursive != before
		}
	}
	w.merge(&x)
	return v.returns, &v.dones
}

// merge adds what the walk of a function has found.
func (w *walk) merge(x *summary) {
	w.work += x.work
	if w.work > maxWork && !w.conflict {
		w.top()
	}
	if x.conflict && !w.conflict {
		w.conflict, w.witness = true, x.witness
	}
	if x.reason != "" {
		w.reason = rarer(w.reason, x.reason)
	}
	w.reached = w.o.fut.F.Sets.Union(w.reached, x.reached)
	mine, theirs := w.eff.each(), x.eff.each()
	for i := range mine {
		if mine[i] != &w.eff.dones {
			w.o.unite(mine[i], theirs[i], 1)
		}
	}
	for _, m := range x.syncs {
		w.syncs = addSync(w.syncs, m)
	}
	for _, st := range x.stops {
		if !slices.Contains(w.stops, st) {
			w.stops = append(w.stops, st)
		}
	}
}

// callKey identifies a walk of a function, in the first round or a later one.
type callKey struct {
	visitKey
	later bool
}

// callTree remembers walks of a function.
type callTree struct {
	root      *node
	recursive bool // they are not remembered
}

// visitKey identifies a walk: the function, what is known of its parameters and
// captured variables, nine bytes each, and its guards.
type visitKey struct {
	fn      *ssa.Function
	vals    string
	lockers static.Set
	held    bool
}

// key returns the key without what concerns Cond.Wait. A value that is not known is one zero
// byte.
func (w *walk) key(fn *ssa.Function, vals map[ssa.Value]uint64, guards []guard) visitKey {
	b := w.buf[:0]
	add := func(v ssa.Value) {
		x, ok := vals[v]
		if !ok {
			b = append(b, 0)
			return
		}
		b = binary.LittleEndian.AppendUint64(append(b, 1), x)
	}
	for _, p := range fn.Params {
		add(p)
	}
	for _, p := range fn.FreeVars {
		add(p)
	}
	for _, g := range guards {
		b = append(b, 2, byte(slices.Index(fn.Params, g.base)))
		b = binary.LittleEndian.AppendUint64(b, g.offset)
	}
	w.buf = b
	return visitKey{fn: fn, vals: string(b)}
}

// relevant reports whether a call with these accesses has to be walked: it may conflict
// with the target, or synchronise and so block or enable other goroutines.
func (w *walk) relevant(s static.Set) bool {
	return w.o.fut.F.Sets.Has(s, w.o.fut.F.Sync()) || w.o.conflicts(s, w.t)
}

// irrelevant reports whether a call of a function with body b needs no walk, and then
// notes what it does.
func (w *walk) irrelevant(b *ssa.Function) bool {
	if b == nil {
		return false
	}
	whole := w.o.fut.F.Whole(b)
	if w.relevant(whole) {
		return false
	}
	if w.t.collects {
		w.reached = w.o.fut.F.Sets.Union(w.reached, whole)
	}
	return true
}

// body walks act's function from instr on (after it without including) and
// reports whether it may return to its caller. A block is entered only if the walk has
// passed all instructions of one before it. Once there is a conflict the rest does not
// matter, and it may do anything.
func (w *walk) body(act *activation, instr ssa.Instruction, including bool, v *visit) (returns bool) {
	f := w.o.flow(act.fn)
	seen := make([]bool, len(act.fn.Blocks))
	work := []*ssa.BasicBlock{}
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
	for len(work) > 0 && !w.conflict {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[b.Index] {
			seen[b.Index] = true
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
func (w *walk) starts(act *activation, x ssa.CallInstruction, a *action, v *visit) (recover bool) {
	for i := range a.callees {
		c := &a.callees[i]
		recover = recover || c.recovers
		if !w.irrelevant(c.body) {
			w.callee(act, x, c, v, a.loop)
		}
	}
	return recover
}

// call walks a call and reports whether control may come back from it.
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
		if c := &callees[i]; w.irrelevant(c.body) || w.callee(act, x, c, v, a.loop) {
			back = true
		}
		if w.conflict {
			return true
		}
	}
	return back
}

// callee walks a call of c and reports whether it may return.
func (w *walk) callee(act *activation, site ssa.CallInstruction, c *callee, v *visit, loop bool) bool {
	vals, args := w.arguments(act, site, c.fn)
	atNext := act.live && act.i == 0 && site == w.nextCall
	return w.function(&invocation{
		fn: c.fn, site: site, vals: vals, args: args, guards: w.guards(act, site, c.fn),
		loop: loop, atNext: atNext, held: w.holds(act, site, c.fn),
	}, v)
}

func callOf(instr ssa.Instruction) (*ssa.CallCommon, bool) {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil, false
	}
	return c.Common(), true
}

// send notes that channel ch may be sent to and reports whether it may happen.
func (w *walk) send(act *activation, ch ssa.Value, use ssa.Instruction) bool {
	r := w.ref(act, ch, use)
	w.o.note(&w.eff.sends, r)
	return !w.blockedChan(r, askFullNoReceiver, opSend, "send")
}

// receive notes that channel ch may be received from and reports whether it
// may happen.
func (w *walk) receive(act *activation, ch ssa.Value, use ssa.Instruction) bool {
	r := w.ref(act, ch, use)
	w.o.note(&w.eff.recvs, r)
	return !w.blockedChan(r, askEmptyNoSender, opRecv, "receive")
}

// blockedChan reports whether an operation on channel ch blocks: forever if that is nil, and
// as long as the others do nothing about it if the answer to ask is yes.
func (w *walk) blockedChan(ch ref, ask questionKind, op opKind, reason string) bool {
	switch {
	case !ch.known:
		return false
	case ch.p == 0:
		return true
	}
	return w.v.ask(question{kind: ask, p: ch.p}).ok && w.blocked(stop{op, ch.p}, reason)
}

// selects notes what a select may do, and reports whether it may happen.
func (w *walk) selects(act *activation, x *ssa.Select) bool {
	continues := !x.Blocking
	for _, st := range x.States {
		if st.Dir == types.SendOnly {
			continues = w.send(act, st.Chan, x) || continues
		} else {
			continues = w.receive(act, st.Chan, x) || continues
		}
	}
	return continues
}

// builtin notes what a builtin does to channels.
func (w *walk) builtin(act *activation, x ssa.CallInstruction) {
	c := x.Common()
	b, ok := c.Value.(*ssa.Builtin)
	if !ok || b.Name() != "close" {
		return
	}
	r := w.ref(act, c.Args[0], x)
	w.o.note(&w.eff.sends, r)
	w.o.note(&w.eff.recvs, r)
}

// direct notes the accesses instr itself makes.
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

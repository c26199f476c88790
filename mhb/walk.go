package mhb

import (
	"encoding/binary"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// walk is one parked closure.
type walk struct {
	o      *Oracle
	s      State
	tc     trace.GID
	locs   []fieldaccess.Location
	ranges []Range

	conflict bool // a conflicting access can be reached
	work     int
	reason   string

	eff   effects // what the others can do, found so far in this round
	known effects // and in the rounds before: nothing here counts as disabled
	stops []stop  // where this round's walk ended
	memo  map[visitKey]*visit
	buf   []byte
}

// effects are operations of the others that can enable blocked operations.
type effects struct {
	unlocks   []uint64 // mutexes
	unlockAny bool
	dones     []uint64 // WaitGroups, as often as their counter can go down
	doneAny   bool
	sends     []uint64 // channels sent to or closed
	sendAny   bool
}

// stop is an operation the walk did not pass.
type stop struct {
	op   opKind
	addr uint64
}

// visit is the walk of one function with known parameters.
type visit struct {
	returns bool
	open    bool // under way: a recursive call
	dones   []uint64
	doneAny bool
}

func (w *walk) begin() {
	w.conflict = false
	w.stops, w.reason = w.stops[:0], ""
	w.eff = effects{}
	w.memo = map[visitKey]*visit{}
}

// enables reports whether something found in this round enables an operation
// the walk stopped at, and if so makes it known.
func (w *walk) enables() bool {
	again := false
	for _, x := range w.stops {
		again = again || !w.disabledBy(&w.eff, x)
	}
	// A walk that passes more finds no less, so nothing known is lost.
	w.known = w.eff
	return again
}

// disabledBy reports whether x stays disabled if the others do e.
func (w *walk) disabledBy(e *effects, x stop) bool {
	switch x.op {
	case opLock:
		return !e.unlockAny && !slices.Contains(e.unlocks, x.addr)
	case opWgWait:
		n, ok := w.s.Word(x.addr)
		return ok && !e.doneAny && int64(n>>32) > int64(count(e.dones, x.addr))
	case opRecv:
		return !e.sendAny && !slices.Contains(e.sends, x.addr)
	}
	return false
}

func count(list []uint64, x uint64) int {
	n := 0
	for _, y := range list {
		if y == x {
			n++
		}
	}
	return n
}

// scope evaluates values of one activation.
type scope struct {
	fn   *ssa.Function
	vals map[ssa.Value]uint64 // known parameters and captured variables
	live bool                 // a frame on a stack: registers can be looked at
	g    trace.GID
	i    int
	at   ssa.Instruction // where the frame stands
}

// goroutine walks what g can do, frame by frame.
func (w *walk) goroutine(g trace.GID) {
	v := &visit{}
	w.frames(g, v)
	w.eff.dones = append(w.eff.dones, v.dones...)
	w.eff.doneAny = w.eff.doneAny || v.doneAny
}

func (w *walk) frames(g trace.GID, v *visit) {
	n := len(w.s.Stack(g))
	for i := 0; i < n && !w.conflict; i++ {
		fr := w.s.Stack(g)[i]
		if fr.Main {
			return
		}
		recovers := false
		w.s.Deferred(g, i, func(fn *ssa.Function, args, captured []uint64) {
			r := w.deferred(fn, args, captured, v)
			recovers = recovers || r
		})
		if fr.Instr == nil {
			// A native or a builtin as the goroutine's function.
			if fr.Fn == nil {
				w.anything()
				return
			}
			if !w.native(fr.Fn, nil, v, false) && !recovers {
				return
			}
			continue
		}
		sc := &scope{fn: fr.Instr.Parent(), live: true, g: g, i: i, at: fr.Instr}
		if !w.body(sc, fr.Instr, i == 0 || fr.Again, v) && !recovers {
			return
		}
	}
}

// deferred walks a deferred call with known arguments; it reports whether it may recover.
func (w *walk) deferred(fn *ssa.Function, args, captured []uint64, v *visit) bool {
	if fn == nil {
		w.anything() // a builtin: close, delete, ...
		return true
	}
	vals := map[ssa.Value]uint64{}
	k := 0
	for _, p := range fn.Params {
		n := words(p.Type())
		if n == 1 && k < len(args) {
			vals[p] = args[k]
		}
		k += n
	}
	k = 0
	for i, fv := range fn.FreeVars {
		n := 1
		if w.o.prog.ByValue(fn, i) {
			n = words(fv.Type().Underlying().(*types.Pointer).Elem())
		}
		if n == 1 && k < len(captured) {
			vals[fv] = captured[k]
		}
		k += n
	}
	w.function(fn, vals, args, v, false)
	return recovers(fn)
}

func words(t types.Type) int { return int(sizes.Sizeof(t)+7) / 8 }

var sizes = types.SizesFor("gc", "amd64")

// recovers reports whether fn calls recover itself, as deferred functions do
// that stop a panic.
func recovers(fn *ssa.Function) bool {
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

// anything notes that something unknown may happen.
func (w *walk) anything() { w.conflict = true }

// function walks a call of fn and reports whether it may return. args are the
// words of the arguments if they are known (for natives).
func (w *walk) function(fn *ssa.Function, vals map[ssa.Value]uint64, args []uint64, into *visit, loop bool) bool {
	b := w.o.prog.Body(fn)
	if b == nil {
		return w.native(fn, args, into, loop)
	}
	if !w.interesting(w.o.fut.F.Whole(b)) {
		return true
	}
	if b != fn && len(vals) > 0 {
		vals = nil // parameters of another declaration
	}
	k := w.key(b, vals)
	v := w.memo[k]
	if v == nil {
		v = &visit{open: true}
		w.memo[k] = v
		v.returns = w.body(&scope{fn: b, vals: vals}, b.Blocks[0].Instrs[0], true, v)
		v.open = false
	}
	if v.open {
		into.doneAny = true // recursion: how often is not known
		return true
	}
	// Each call of the function counts, though it is walked once.
	into.doneAny = into.doneAny || v.doneAny || loop && len(v.dones) > 0
	into.dones = append(into.dones, v.dones...)
	return v.returns
}

// visitKey names a walk: the function and what is known of its parameters and
// captured variables, nine bytes each.
type visitKey struct {
	fn   *ssa.Function
	vals string
}

func (w *walk) key(fn *ssa.Function, vals map[ssa.Value]uint64) visitKey {
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
	w.buf = b
	return visitKey{fn, string(b)}
}

// interesting reports whether a call with these accesses has to be walked:
// it may conflict or synchronise.
func (w *walk) interesting(s static.Set) bool {
	if w.o.fut.F.Sets.Has(s, w.o.fut.F.Sync()) {
		return true
	}
	for i := range w.locs {
		if w.o.fa.Conflict(s, &w.locs[i]) {
			return true
		}
	}
	return false
}

// body walks sc's function from instr on (behind it without including) and
// reports whether it may return to its caller.
func (w *walk) body(sc *scope, instr ssa.Instruction, including bool, v *visit) (returns bool) {
	type point struct {
		b *ssa.BasicBlock
		i int
	}
	start := slices.Index(instr.Block().Instrs, instr)
	if !including {
		start++
	}
	cyclic := func(b *ssa.BasicBlock) bool { return w.o.flow(sc.fn).after(b)[b.Index] }
	work := []point{{instr.Block(), start}}
	seen := map[int]bool{}
	for len(work) > 0 && !w.conflict {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if p.i == 0 {
			if seen[p.b.Index] {
				continue
			}
			seen[p.b.Index] = true
		}
		passed := true
		for _, x := range p.b.Instrs[p.i:] {
			if w.work++; w.work > maxWork {
				w.conflict = true
				return true
			}
			switch x := x.(type) {
			case *ssa.Return:
				returns = true
			case *ssa.Defer:
				for _, fn := range w.o.prog.Callees(x) {
					vals, args := w.arguments(sc, &x.Call, fn)
					w.function(fn, vals, args, v, cyclic(p.b))
					if recovers(fn) {
						returns = true
					}
				}
				w.direct(sc, x)
				w.closes(sc, &x.Call)
			case *ssa.Go:
				for _, fn := range w.o.prog.Callees(x) {
					vals, args := w.arguments(sc, &x.Call, fn)
					w.function(fn, vals, args, v, cyclic(p.b))
				}
				w.direct(sc, x)
				w.closes(sc, &x.Call)
			case *ssa.Send:
				w.send(sc, x.Chan)
			case *ssa.Select:
				for _, st := range x.States {
					if st.Dir == types.SendOnly {
						w.send(sc, st.Chan)
					}
				}
			case *ssa.UnOp:
				w.direct(sc, x)
				passed = x.Op != token.ARROW || w.receive(sc, x.X)
			case *ssa.Call:
				w.direct(sc, x)
				w.closes(sc, &x.Call)
				passed = w.call(sc, x, v, cyclic(p.b))
			default:
				w.direct(sc, x)
			}
			if w.conflict {
				return true
			}
			if !passed {
				break
			}
		}
		if !passed {
			continue
		}
		for _, s := range p.b.Succs {
			work = append(work, point{s, 0})
		}
	}
	if r := sc.fn.Recover; r != nil && returns && !seen[r.Index] && !w.conflict {
		for _, x := range r.Instrs {
			w.direct(sc, x)
		}
	}
	return returns
}

// call walks a call and reports whether control may come back from it.
func (w *walk) call(sc *scope, x *ssa.Call, v *visit, loop bool) bool {
	if _, ok := x.Call.Value.(*ssa.Builtin); ok {
		return true
	}
	callees := w.o.prog.Callees(x)
	back := len(callees) == 0
	for _, fn := range callees {
		vals, args := w.arguments(sc, &x.Call, fn)
		if w.function(fn, vals, args, v, loop) {
			back = true
		}
		if w.conflict {
			return true
		}
	}
	return back
}

// send notes that channel ch is sent to, or closed.
func (w *walk) send(sc *scope, ch ssa.Value) {
	if p, ok := w.eval(sc, ch, 0); ok {
		w.eff.sends = append(w.eff.sends, p)
	} else {
		w.eff.sendAny = true
	}
}

// closes notes a call of close.
func (w *walk) closes(sc *scope, c *ssa.CallCommon) {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "close" {
		w.send(sc, c.Args[0])
	}
}

// receive walks a receive from ch and reports whether it may happen.
func (w *walk) receive(sc *scope, ch ssa.Value) bool {
	p, ok := w.eval(sc, ch, 0)
	return !ok || !w.blocked(stop{opRecv, p}, "receive")
}

// arguments evaluates the arguments of a call of fn: as values of its
// parameters, and as words (0: unknown) for natives.
func (w *walk) arguments(sc *scope, c *ssa.CallCommon, fn *ssa.Function) (map[ssa.Value]uint64, []uint64) {
	vals := map[ssa.Value]uint64{}
	if c.IsInvoke() {
		return vals, nil
	}
	args := make([]uint64, len(c.Args))
	for i, a := range c.Args {
		if words(a.Type()) != 1 {
			continue
		}
		if x, ok := w.eval(sc, a, 0); ok {
			args[i] = x
			if i < len(fn.Params) {
				vals[fn.Params[i]] = x
			}
		}
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok && mc.Fn == fn {
		for i, b := range mc.Bindings {
			if !w.o.prog.ByValue(fn, i) {
				if x, ok := w.eval(sc, b, 0); ok {
					vals[fn.FreeVars[i]] = x
				}
			}
		}
	}
	return vals, args
}

// eval returns the value of v, one word, if it is certain.
func (w *walk) eval(sc *scope, v ssa.Value, depth int) (uint64, bool) {
	if depth > 16 {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Global:
		return w.s.Address(v), true
	case *ssa.Const:
		if v.Value == nil {
			return 0, true
		}
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return uint64(v.Int64()), true
		}
		return 0, false
	case *ssa.Parameter, *ssa.FreeVar:
		if sc.live {
			return w.s.Register(sc.g, sc.i, v)
		}
		x, ok := sc.vals[v]
		return x, ok
	case *ssa.ChangeType:
		return w.eval(sc, v.X, depth+1)
	case *ssa.FieldAddr:
		x, ok := w.eval(sc, v.X, depth+1)
		if !ok || x == 0 {
			return 0, false
		}
		return x + offset(v), true
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		if fv, ok := v.X.(*ssa.FreeVar); ok && w.captured(sc.fn, fv) {
			return w.eval(sc, fv, depth+1)
		}
		if x, ok := w.eval(sc, v.X, depth+1); ok && x != 0 && words(v.Type()) == 1 && sizes.Sizeof(v.Type()) == 8 && w.stable(x) {
			return w.s.Word(x)
		}
	}
	// The register of a live frame holds v if v was computed before and will
	// not be computed again on the way to its use.
	if i, ok := v.(ssa.Instruction); ok && sc.live && words(v.Type()) == 1 {
		at := sc.at
		if i == at || i.Block() == nil || w.o.flow(sc.fn).after(at.Block())[i.Block().Index] {
			return 0, false
		}
		if i.Block() == at.Block() && slices.Index(i.Block().Instrs, i) > slices.Index(i.Block().Instrs, at) {
			return 0, false
		}
		if !dominates(i.Block(), at.Block()) {
			return 0, false
		}
		return w.s.Register(sc.g, sc.i, v)
	}
	return 0, false
}

func dominates(a, b *ssa.BasicBlock) bool { return a.Dominates(b) }

func (w *walk) captured(fn *ssa.Function, fv *ssa.FreeVar) bool {
	i := slices.Index(fn.FreeVars, fv)
	return i >= 0 && w.o.prog.ByValue(fn, i)
}

func offset(v *ssa.FieldAddr) uint64 {
	st := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	fields := make([]*types.Var, v.Field+1)
	for i := range fields {
		fields[i] = st.Field(i)
	}
	return uint64(sizes.Offsetsof(fields)[v.Field])
}

// stable reports whether none of the others can write the word at p while Tc waits.
func (w *walk) stable(p uint64) bool {
	l, ok := w.s.LocationAt(p, 8)
	return ok && !w.o.fa.Reachable(w.s, w.tc, &l)
}

// direct notes the accesses instr itself makes.
func (w *walk) direct(sc *scope, instr ssa.Instruction) {
	if !w.o.prog.Plain(sc.fn) {
		return
	}
	acc := w.o.fut.F.Acc
	acc.Direct(instr, w.o.prog.Binding, func(x static.Access) {
		if w.conflict {
			return
		}
		n := acc.Num(x)
		for i := range w.locs {
			if w.o.fa.ConflictOne(n, &w.locs[i]) && !w.elsewhere(sc, instr) {
				w.conflict = true
			}
		}
	})
}

// elsewhere reports whether instr accesses memory that is certainly not Tc's.
func (w *walk) elsewhere(sc *scope, instr ssa.Instruction) bool {
	var addr ssa.Value
	switch x := instr.(type) {
	case *ssa.UnOp:
		addr = x.X
	case *ssa.Store:
		addr = x.Addr
	default:
		return false
	}
	p, ok := w.eval(sc, addr, 0)
	if !ok {
		return false
	}
	n := uint64(sizes.Sizeof(addr.Type().Underlying().(*types.Pointer).Elem()))
	for _, r := range w.ranges {
		if p < r.Addr+r.Size && r.Addr < p+n {
			return false
		}
	}
	return true
}

package vm

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Snapshots are worth their cost in loops that could iterate with zero effect. Whether a loop could
// is a property of the code, and the answer may over-approximate: an unnecessary snapshot costs
// time, but without a necessary one a search without states does not end.

// A loopTable has the loops of functions.
type loopTable struct {
	m     *Machine
	looks bool        // treat locking and unlocking as having no effect
	infos []*loopInfo // by function number; nil until needed
}

// loopInfo describes the loops of a function.
type loopInfo struct {
	// in says, for each instruction, whether control can return to it, or to a copy of it, with
	// zero effect. any reports whether in has such an instruction.
	in  []bool
	any bool
	// The compiler makes two copies of a loop's test, one of them before the loop. They are one
	// place in the loop, so states are compared as if only the last copy existed. pendingCopies
	// maps an instruction at which an operation may be pending to its last copy, returnCopies one
	// to which a call returns.
	//
	//	for test { body }      test, body, test', body, test', ... : test and test' are one place
	pendingCopies, returnCopies map[int32]int32
}

// lastCopy returns the last copy of the instruction at pc: of the running function if top is set,
// otherwise of one to which a call returns. A frame with flags does not return like others.
func (l *loopInfo) lastCopy(pc int32, top bool, flags uint64) int32 {
	copies := l.returnCopies
	if top {
		copies = l.pendingCopies
	}
	if last, ok := copies[pc]; ok && flags == 0 {
		return last
	}
	return pc
}

// of returns the loops of f.
func (t *loopTable) of(f *bytecode.Func) *loopInfo {
	for len(t.infos) <= int(f.ID) {
		t.infos = append(t.infos, nil)
	}
	if t.infos[f.ID] == nil {
		t.infos[f.ID] = t.find(f)
	}
	return t.infos[f.ID]
}

// find finds the loops of f. Two instructions are copies if they are equal, come from the same SSA
// instruction, and have the same live registers. The last one in the code stands for all.
func (t *loopTable) find(f *bytecode.Func) *loopInfo {
	l := &loopInfo{in: t.m.cyclic(f, t.looks), pendingCopies: make(map[int32]int32), returnCopies: make(map[int32]int32)}
	type code struct {
		from    ssa.Instruction
		in      bytecode.Instr
		returns bool
	}
	last := make(map[code]int)
	for at := len(f.Code) - 2; at >= 0; at-- {
		c := code{f.InstrAt(at), f.Code[at], false}
		if c.from == nil {
			continue
		}
		note := func(copies map[int32]int32, off int) {
			to, ok := last[c]
			switch {
			case !ok:
				last[c] = at
			case sameLive(f, at+off, to+off):
				copies[int32(at+off)] = int32(to + off)
				l.in[at] = l.in[at] || l.in[to]
			}
		}
		if _, ok := f.Live(at); ok {
			note(l.pendingCopies, 0)
		}
		if _, ok := f.Live(at + 1); ok {
			c.returns = true
			note(l.returnCopies, 1)
		}
	}
	l.any = slices.Contains(l.in, true)
	return l
}

// sameLive reports whether the same registers are known to be live at two instructions.
func sameLive(f *bytecode.Func, a, b int) bool {
	x, ok1 := f.Live(a)
	y, ok2 := f.Live(b)
	return ok1 && ok2 && slices.Equal(x, y)
}

// cyclic returns, for each instruction of f, whether control can return to it without passing an
// operation that certainly has an effect, or a counting block: only there can a goroutine iterate
// with zero effect. If looks is set, locking and unlocking have no effect.
func (m *Machine) cyclic(f *bytecode.Func, looks bool) []bool {
	var at []int
	for pc := 0; pc < len(f.Code); pc += 1 + f.Code[pc].Words() {
		at = append(at, pc)
	}
	in, _ := observable.Cycles(len(f.Code), at, func(pc, i int) (int, bool) { return m.successor(f, pc, i, looks) })
	if !slices.Contains(in, true) || f.SSA == nil {
		return in
	}
	uncounted := observable.UncountedBlocks(f.SSA, func(v ssa.Value) bool { _, held := f.Regs[v]; return held })
	for pc := range in {
		if instr := f.InstrAt(pc); in[pc] && instr != nil {
			in[pc] = uncounted[instr.Block().Index]
		}
	}
	return in
}

// successor returns the i-th instruction that can follow the one at pc. None follow an instruction
// that ends a frame or has an effect.
//
// The graph has instructions and not blocks of SSA, because operations are instructions. It leaves
// out what follows an operation with an effect, and with it every loop through the operation: there
// no iteration has zero effect, and no snapshots are worth their cost. A call of a compiled
// function counts as an instruction without effect, because its effect is unknown: an unnecessary
// loop costs snapshots, but a missing one would be iterated without end.
func (m *Machine) successor(f *bytecode.Func, pc, i int, looks bool) (int, bool) {
	in := f.Code[pc]
	next := pc + 1 + in.Words()
	jump, always := in.Target(pc)
	if always {
		next, jump = jump, -1
	}
	switch in.Op {
	case bytecode.Ret, bytecode.Ret1, bytecode.Ret0, bytecode.Panic, bytecode.PanicRange, bytecode.PanicTA, bytecode.Unsupported, bytecode.Go,
		bytecode.Send, bytecode.Recv, bytecode.Select, bytecode.Close:
		return 0, false
	case bytecode.CallN:
		if n := int(in.Imm32()); n < len(m.natives) && m.natives[n].Peek != nil {
			if e := m.natives[n].effect; e == hasEffect || e == locks && !looks {
				return 0, false
			}
		}
	}
	switch {
	case i == 0 && next >= 0 && next < len(f.Code):
		return next, true
	case i == 1 && jump >= 0 && jump < len(f.Code):
		return jump, true
	}
	return 0, false
}

// Loop returns the beginning of the innermost loop that goroutine id is in; outside the standard
// library, if the goroutine has called the library.
func (v Report) Loop(id trace.GID) (pos token.Position, ok bool) {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded || g.ending() || g.Fn == nil {
		return pos, false
	}
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if f.Trusted || m.frame(f, pc).Std {
			return true
		}
		first, last := 0, len(f.Code)
		for at := 0; at < len(f.Code); at += 1 + f.Code[at].Words() {
			for i := range 2 {
				to, jumps := m.successor(f, at, i, false)
				if around := jumps && to <= int(pc) && int(pc) <= at; around && at-to < last-first {
					first, last, ok = to, at, true
				}
			}
		}
		for at := first; ok && at <= last; at++ {
			if p := m.fset.Position(f.PosAt(at)); p.IsValid() && (pos.Line == 0 || p.Line < pos.Line) {
				pos = p
			}
		}
		return !pos.IsValid()
	})
	return pos, pos.IsValid()
}

// effect says whether calls of a visible native can have no effect.
type effect uint8

const (
	hasEffect effect = iota
	noEffect         // it only reads
	yields           // no effect, and is runtime.Gosched
	mayFail          // the effect depends on the state
	locks            // it locks or unlocks
)

// effectOf returns the effect of the native of that name, which shows its purpose. Natives that are
// not known here have an effect.
func effectOf(name string) effect {
	begins := func(p string) bool { return strings.HasPrefix(name, p) }
	inSync := begins("sync/atomic.") || begins("(*sync/atomic.") || begins("(*sync.")
	switch {
	case name == "runtime.Gosched":
		return yields
	//mutant: NumGoroutine in a loop has an effect [points]: "name == \"runtime.NumGoroutine\", " -> ""
	case name == "time.hbSleep", name == "time.now", name == "runtime.NumGoroutine", name == "time.runtimeNow",
		inSync && strings.Contains(name, ".Load"):
		return noEffect
	case inSync && (strings.Contains(name, ".CompareAndSwap") || strings.Contains(name, ".Try")):
		return mayFail
	case inSync && (strings.HasSuffix(name, "Lock") || strings.HasSuffix(name, "Unlock")):
		return locks
	}
	return hasEffect
}

// effect returns the effect of the native whose call is pending in g. Of other operations only
// loads have none, which zeroEffect handles.
func (m *Machine) effect(g *goroutine) effect {
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.CallN {
		return hasEffect
	}
	return m.natives[in.Imm32()].effect
}

// inLoop reports whether g is in a loop that it could iterate with zero effect, in its running
// function or in a caller.
//
// Callers count, because a loop may be in a caller and its operations in the callee.
func (t *loopTable) inLoop(g *goroutine) bool {
	fn, fp, pc := g.Fn, g.FP, g.executing()
	for {
		if l := t.of(fn); l.any && l.in[pc] {
			return true
		}
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return false
		}
		fp, fn, pc = uint32(link), t.m.funcs[ra>>32], callPC(link, ra)
	}
}

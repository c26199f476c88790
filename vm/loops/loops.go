// Package loops finds the loops of compiled functions in which a goroutine could iterate with zero effect.
// Only there are snapshots of states worth their cost. The answer depends only on the code, and may
// over-approximate: an unnecessary snapshot costs time, but a missing one would keep a search without
// states from ending.
package loops

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A Table has the loops of functions.
type Table struct {
	Effect func(native int) Effect // of calls of a native
	Looks  bool                    // treat locking and unlocking as having no effect
	infos  []*Loops                // by function number; nil until needed
}

// Loops describes the loops of a function.
type Loops struct {
	// In says, for each instruction, whether control can return to it, or to a copy of it, with
	// zero effect. Any reports whether In has such an instruction.
	In  []bool
	Any bool
	// The compiler makes two copies of a loop's test, one of them before the loop. The copies are one place
	// in the loop, so states are compared as if only the last copy existed. pendingCopies maps an instruction
	// at which an operation may be pending to its last copy, returnCopies one to which a call returns.
	//
	//	for test { body }      test, body, test', body, test', ... : test and test' are one place
	pendingCopies, returnCopies map[int32]int32
}

// LastCopy returns the last copy of the instruction at pc. If top is set, pc is an instruction of the running
// function; otherwise a call returns to pc. A frame with flags does not return like others.
func (l *Loops) LastCopy(pc int32, top bool, flags uint64) int32 {
	copies := l.returnCopies
	if top {
		copies = l.pendingCopies
	}
	if last, ok := copies[pc]; ok && flags == 0 {
		return last
	}
	return pc
}

// Of returns the loops of f.
func (t *Table) Of(f *bytecode.Func) *Loops {
	for len(t.infos) <= int(f.ID) {
		t.infos = append(t.infos, nil)
	}
	if t.infos[f.ID] == nil {
		t.infos[f.ID] = t.find(f)
	}
	return t.infos[f.ID]
}

// find finds the loops of f. Two instructions are copies if they are equal, come from the same SSA
// instruction, and have the same live registers. The last copy in the code represents all.
func (t *Table) find(f *bytecode.Func) *Loops {
	l := &Loops{In: t.cyclic(f), pendingCopies: make(map[int32]int32), returnCopies: make(map[int32]int32)}
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
				l.In[at] = l.In[at] || l.In[to]
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
	l.Any = slices.Contains(l.In, true)
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
// with zero effect. If Looks is set, locking and unlocking have no effect.
func (t *Table) cyclic(f *bytecode.Func) []bool {
	var at []int
	for pc := 0; pc < len(f.Code); pc += 1 + f.Code[pc].Words() {
		at = append(at, pc)
	}
	in, _ := observable.Cycles(len(f.Code), at, func(pc, i int) (int, bool) { return t.Successor(f, pc, i) })
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

// Successor returns the i-th instruction that can follow the one at pc. No instruction follows one that
// ends a frame or has an effect.
//
// The nodes of the graph are instructions and not SSA blocks, because operations are instructions. The
// graph omits the successors of an operation with an effect, and so every loop through the operation: no
// iteration of such a loop has zero effect. A call of a compiled function counts as an instruction without
// effect, because its effect is unknown: an unnecessary loop costs snapshots, but a missing one would be
// iterated without end.
func (t *Table) Successor(f *bytecode.Func, pc, i int) (int, bool) {
	in := f.Code[pc]
	next := pc + 1 + in.Words()
	jump, always := in.Target(pc)
	if always {
		next, jump = jump, -1
	}
	switch in.Op {
	case bytecode.Ret, bytecode.Ret1, bytecode.Ret0, bytecode.Panic, bytecode.PanicRange, bytecode.PanicTA, bytecode.Unsupported, bytecode.Go,
		bytecode.Send, bytecode.Recv, bytecode.Close:
		return 0, false
	case bytecode.Select:
		//mutant: a loop that polls channels has an effect [env TestPollPrograms]: "!= 0" -> "!= 0 || true"
		if blocks := in.C != 0; blocks {
			return 0, false
		}
	case bytecode.CallN:
		if e := t.Effect(int(in.Imm32())); e == HasEffect || e == Locks && !t.Looks {
			return 0, false
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

// Effect says whether calls of a native can have no effect.
type Effect uint8

const (
	HasEffect Effect = iota
	NoEffect         // the loop only reads
	Yields           // no effect, and is runtime.Gosched
	MayFail          // the effect depends on the state
	Locks            // the loop locks or unlocks
)

// EffectOf returns the effect of the native of that name. Natives with names that it does not know have an
// effect.
func EffectOf(name string) Effect {
	begins := func(p string) bool { return strings.HasPrefix(name, p) }
	inSync := begins("sync/atomic.") || begins("(*sync/atomic.") || begins("(*sync.")
	switch {
	case name == "runtime.Gosched":
		return Yields
	// The load of an atomic.Value is also that of a context's error.
	//mutant: NumGoroutine in a loop has an effect [points]: "name == \"runtime.NumGoroutine\", " -> ""
	//mutant: the load of an atomic.Value in a loop has an effect [test ./internal/environment TestPollPrograms]: "name == \"sync/atomic.hbLoad\", " -> ""
	case name == "sync/atomic.hbLoad", name == "time.hbSleep", name == "time.now", name == "runtime.NumGoroutine", name == "time.runtimeNow",
		inSync && strings.Contains(name, ".Load"):
		return NoEffect
	case inSync && (strings.Contains(name, ".CompareAndSwap") || strings.Contains(name, ".Try")):
		return MayFail
	case inSync && (strings.HasSuffix(name, "Lock") || strings.HasSuffix(name, "Unlock")):
		return Locks
	}
	return HasEffect
}

package vm

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in step_exec.go
)

// loopInfo tells about the control flow of a function.
type loopInfo struct {
	// in says of each instruction whether control can come back to it, or a twin of it; any whether it can to some.
	in  []bool
	any bool
	// pendingCopies and behind are the twins of instructions at which a goroutine stands, or to which a call returns:
	// the compiler makes two copies of a loop's test, one in front of the loop. Of these
	// the last one counts.
	pendingCopies, returnCopies map[int32]int32
}

// lastCopy returns the instruction that counts for the one at pc: of the running function if top is set, or
// else of one behind a call. With flags it is no ordinary one.
func (l *loopInfo) lastCopy(pc int32, top bool, flags uint64) int32 {
	of := l.returnCopies
	if top {
		of = l.pendingCopies
	}
	if last, ok := of[pc]; ok && flags == 0 {
		return last
	}
	return pc
}

// loopInfoOf returns what is known of f.
func (m *Machine) loopInfoOf(f *Func) *loopInfo {
	if int(f.ID) < len(m.loops) && m.loops[f.ID] != nil {
		return m.loops[f.ID]
	}
	for len(m.loops) <= int(f.ID) {
		m.loops = append(m.loops, nil)
	}
	l := m.findLoops(f)
	m.loops[f.ID] = l
	return l
}

func (m *Machine) findLoops(f *Func) *loopInfo {
	l := &loopInfo{in: m.cyclic(f), pendingCopies: make(map[int32]int32), returnCopies: make(map[int32]int32)}
	type code struct {
		from   ssa.Instruction
		in     Instr
		behind bool
	}
	last := make(map[code]int)
	for at := len(f.Code) - 2; at >= 0; at-- {
		c := code{f.InstrAt(at), f.Code[at], false}
		if c.from == nil {
			continue
		}
		twins := func(of map[int32]int32, off int) {
			to, ok := last[c]
			switch {
			case !ok:
				last[c] = at
			case sameLive(f, at+off, to+off):
				of[int32(at+off)] = int32(to + off)
				l.in[at] = l.in[at] || l.in[to]
			}
		}
		if _, stands := f.Live(at); stands {
			twins(l.pendingCopies, 0)
		}
		if _, returns := f.Live(at + 1); returns {
			c.behind = true
			twins(l.returnCopies, 1)
		}
	}
	l.any = slices.Contains(l.in, true)
	return l
}

// sameLive reports whether the same registers are known to be live at two instructions.
func sameLive(f *Func, a, b int) bool {
	x, ok1 := f.Live(a)
	y, ok2 := f.Live(b)
	return ok1 && ok2 && slices.Equal(x, y)
}

// cyclic returns, for each instruction of f, whether control can come back to it
// without passing an operation that others are certain to notice, or a block that counts: only there can
// a goroutine go round without effect.
func (m *Machine) cyclic(f *Func) []bool {
	var at []int
	for pc := 0; pc < len(f.Code); pc += 1 + f.Code[pc].Words() {
		at = append(at, pc)
	}
	in, _ := cycles(len(f.Code), at, func(pc, i int) (int, bool) { return m.successor(f, pc, i) })
	if !slices.Contains(in, true) || f.SSA == nil {
		return in
	}
	uncounted := uncountedBlocks(f)
	for pc := range in {
		if instr := f.InstrAt(pc); in[pc] && instr != nil {
			in[pc] = uncounted[instr.Block().Index]
		}
	}
	return in
}

// successor returns the i-th instruction that can follow the one at pc; none
// follow what ends a frame and what others notice.
func (m *Machine) successor(f *Func, pc, i int) (int, bool) {
	in := f.Code[pc]
	next, jump := pc+1+in.Words(), -1
	switch in.Op {
	case Jmp, JmpBack:
		next = pc + 1 + int(in.Imm32())
	case JT, JF:
		jump = pc + 1 + int(in.Imm32())
	case JEq, JNe, JLtS, JLeS, JLtU, JLeU, JEqI, JNeI, JLtSI, JLeSI, JGtSI, JGeSI:
		jump = pc + 1 + int(int16(in.C))
	case Ret, Ret1, Ret0, Panic, PanicTA, Unsupported, Go, Send, Recv, Select, Close:
		return 0, false
	case CallN:
		if n := int(in.Imm32()); n < len(m.natives) && m.natives[n].Peek != nil && m.natives[n].effect == hasEffect {
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

// Loop returns where the innermost loop begins that id is in, outside the standard library if
// it has called that.
func (m *Machine) Loop(id trace.GID) (pos token.Position, ok bool) {
	g := m.gOf(id)
	if g.status == gEnded || g.fn == nil {
		return pos, false
	}
	m.eachFrame(g, func(f *Func, pc int32) bool {
		if f.Trusted || m.frame(f, pc).Std {
			return true
		}
		first, last := 0, len(f.Code)
		for at := 0; at < len(f.Code); at += 1 + f.Code[at].Words() {
			for i := range 2 {
				if to, back := m.successor(f, at, i); back && to <= int(pc) && int(pc) <= at && at-to < last-first {
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

// effect says whether calls of a visible native can be without any.
type effect uint8

const (
	hasEffect effect = iota
	noEffect         // it only looks
	yields           // has none, and is runtime.Gosched
	mayFail          // that depends on what it finds
)

// effectOf returns the effect of the native of that name.
func effectOf(name string) effect {
	inSync := strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "(*sync/atomic.") || strings.HasPrefix(name, "(*sync.")
	switch {
	case name == "runtime.Gosched":
		return yields
	case name == "time.hbSleep", inSync && strings.Contains(name, ".Load"):
		return noEffect
	case inSync && (strings.Contains(name, ".CompareAndSwap") || strings.Contains(name, ".Try")):
		return mayFail
	}
	return hasEffect
}

// inLoop reports whether g stands in a loop that it could go round without effect, in
// its running function or in one that has called it.
func (m *Machine) inLoop(g *goroutine) bool {
	fn, fp, pc := g.fn, g.fp, g.executing()
	for {
		if l := m.loopInfoOf(fn); l.any && l.in[pc] {
			return true
		}
		link, ra := g.stack[fp-hdrLink], g.stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return false
		}
		fp, fn, pc = uint32(link), m.funcs[ra>>32], callPC(link, ra)
	}
}

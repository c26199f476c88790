package vm

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in exec.go
)

// loops tells about the control flow of a function.
type loops struct {
	// in says of each instruction whether control can come back to it, or a twin of it.
	in []bool
	// standing and behind are the twins of instructions at which a goroutine stands, or to which a call returns:
	// the compiler makes two copies of a loop's test, one in front of the loop. Of these
	// the last one counts.
	standing, behind map[int32]int32
}

// twin returns the instruction that counts for the one at pc: of the running function if top is set, or
// else of one behind a call. With flags it is no ordinary one.
func (l *loops) twin(pc int32, top bool, flags uint64) int32 {
	of := l.behind
	if top {
		of = l.standing
	}
	if last, ok := of[pc]; ok && flags == 0 {
		return last
	}
	return pc
}

// loopsOf returns what is known of f.
func (m *Machine) loopsOf(f *Func) *loops {
	if l, ok := m.loops[f]; ok {
		return l
	}
	if m.loops == nil {
		m.loops = make(map[*Func]*loops)
	}
	l := &loops{in: m.cyclic(f), standing: make(map[int32]int32), behind: make(map[int32]int32)}
	m.loops[f] = l
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
			twins(l.standing, 0)
		}
		if _, returns := f.Live(at + 1); returns {
			c.behind = true
			twins(l.behind, 1)
		}
	}
	return l
}

// sameLive reports whether the same registers are known to be live at two instructions.
func sameLive(f *Func, a, b int) bool {
	x, ok1 := f.Live(a)
	y, ok2 := f.Live(b)
	return ok1 && ok2 && slices.Equal(x, y)
}

// cyclic returns, for each instruction of f, whether control can come back to it
// without passing an operation that others are certain to notice: only there can
// a goroutine go round without effect. (Strongly connected components, Tarjan 1972, of
// the control flow graph without those operations.)
func (m *Machine) cyclic(f *Func) []bool {
	in := make([]bool, len(f.Code))
	type node struct {
		num, low int
		open     bool
		next     int // successors followed
	}
	at := make([]node, len(f.Code))
	var stack, path []int
	count := 0
	for root := 0; root < len(f.Code); root += 1 + f.Code[root].Words() {
		if at[root].num != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			pc := path[len(path)-1]
			n := &at[pc]
			if n.num == 0 {
				count++
				n.num, n.low, n.open = count, count, true
				stack = append(stack, pc)
			}
			if s, ok := m.successor(f, pc, n.next); ok {
				n.next++
				switch t := &at[s]; {
				case s == pc:
					in[pc] = true
				case t.num == 0:
					path = append(path, s)
				case t.open:
					n.low = min(n.low, t.num)
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := &at[path[len(path)-1]]
				p.low = min(p.low, n.low)
			}
			if n.low != n.num {
				continue
			}
			for alone := stack[len(stack)-1] == pc; ; {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				at[last].open = false
				in[last] = in[last] || !alone
				if last == pc {
					break
				}
			}
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
		if n := int(in.Imm32()); n < len(m.natives) && m.natives[n].Peek != nil && !passive(m.natives[n].Name) {
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

// passive reports whether the visible native of that name can be without any effect.
func passive(name string) bool {
	return isYield(name) || name == "time.hbSleep" || mayFail(name) || inSync(name) && strings.Contains(name, ".Load")
}

// mayFail reports whether a native has an effect or has none, depending on what it finds.
func mayFail(name string) bool {
	return inSync(name) && (strings.Contains(name, ".CompareAndSwap") || strings.Contains(name, ".Try"))
}

func isYield(name string) bool { return name == "runtime.Gosched" }

func inSync(name string) bool {
	return strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "(*sync/atomic.") || strings.HasPrefix(name, "(*sync.")
}

// inLoop reports whether g stands in a loop that it could go round without effect, in
// its running function or in one that has called it.
func (m *Machine) inLoop(g *goroutine) (found bool) {
	m.eachFrame(g, func(f *Func, pc int32) bool {
		found = m.loopsOf(f).in[pc]
		return !found
	})
	return found
}

package vm

import (
	"go/token"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/loops"
)

// loopTable returns a table of loops; if looks is set, locking and unlocking have no effect in it.
func (m *Machine) loopTable(looks bool) loops.Table {
	return loops.Table{Looks: looks, Effect: func(i int) loops.Effect {
		if i < len(m.natives) && m.natives[i].Peek != nil {
			return m.natives[i].effect
		}
		return loops.NoEffect
	}}
}

// Loop returns the beginning of the innermost loop that goroutine id is in; outside the standard
// library, if the goroutine has called the library.
func (v Report) Loop(id trace.GID) (pos token.Position, ok bool) {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded || g.ending() || g.Fn == nil {
		return pos, false
	}
	table := m.loopTable(false)
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if f.Trusted || m.frame(f, pc).Std {
			return true
		}
		first, last := 0, len(f.Code)
		for at := 0; at < len(f.Code); at += 1 + f.Code[at].Words() {
			for i := range 2 {
				to, jumps := table.Successor(f, at, i)
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

// effect returns the effect of the native whose call is pending in g. Among other operations only loads
// have no effect; zeroEffect handles these.
func (m *Machine) effect(g *goroutine) loops.Effect {
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.CallN {
		return loops.HasEffect
	}
	return m.natives[in.Imm32()].effect
}

package vm

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// What the machine tells static analyses of the program and of the present state.

// An Activation is one frame of a goroutine that stands between two steps.
type Activation struct {
	Func uint32 // function number
	PC   uint32
	Fn   *ssa.Function // nil for the machine's own frames
	// Instr is the instruction the goroutine stands before, or in outer frames
	// the call that is under way. It is nil in frames without SSA code.
	Instr ssa.Instruction
	// Again: Instr has not had its effect yet; it (or, while unwinding, what
	// follows its panic) is still to come.
	Again bool
}

// Activations appends the frames of goroutine id, innermost first.
func (m *Machine) Activations(id trace.GID, buf []Activation) []Activation {
	g := m.gOf(id)
	if g.status == gEnded {
		return buf
	}
	fn, fp, pc, again := g.fn, g.fp, g.pc, true
	for {
		a := Activation{Func: fn.ID, PC: uint32(pc), Fn: fn.SSA, Again: again}
		if again {
			a.Instr = fn.InstrAt(int(pc))
		} else {
			a.Instr = fn.InstrAt(int(pc) - 1)
		}
		buf = append(buf, a)
		link, ra := g.stack[fp-hdrLink], g.stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return buf
		}
		fp, fn, pc = uint32(link), m.funcs[ra>>32], int32(uint32(ra))
		again = link>>32 != 0 // see callPC
	}
}

// Live calls f for every goroutine that has not ended, in spawn-path order.
func (m *Machine) Live(f func(id trace.GID)) {
	for _, s := range m.order {
		if g := m.gs[s]; g.status != gEnded {
			f(g.id)
		}
	}
}

// Memory of an object as static analyses see it.
type ObjectInfo struct {
	Type   types.Type      // of the memory; of one element, if it repeats
	Global *ssa.Global     // the variable it is, or nil
	Site   ssa.Instruction // what allocated it, or nil
	Map    bool            // the header of a map, whose type is not known here
}

// Object tells what object number id is.
func (m *Machine) Object(id uint32) ObjectInfo {
	o := &m.heap.objs[id]
	info := ObjectInfo{Type: m.layouts.At(o.layout).Type, Map: o.layout == m.layMap}
	if id < staticLimit {
		info.Global = m.link.globalOf(uint64(id) << 32)
		return info
	}
	if fn := m.funcs[o.site>>32]; fn != nil {
		info.Site = fn.InstrAt(int(uint32(o.site)))
	}
	return info
}

// IsNative reports whether the machine implements fn itself.
func (m *Machine) IsNative(fn *ssa.Function) bool {
	_, ok := m.link.Native(fn)
	return ok
}

// IsTrusted reports whether fn belongs to the models.
func (m *Machine) IsTrusted(fn *ssa.Function) bool { return m.link.Trusted(fn) }

// Roots lists the functions that the machine calls by itself.
func (m *Machine) Roots() []*ssa.Function {
	var list []*ssa.Function
	for _, id := range m.rt {
		list = append(list, m.link.ssaFuncs[id])
	}
	if t := m.link.prog.Package("testing"); t != nil {
		if fn := t.SSA.Func("hbRunTest"); fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

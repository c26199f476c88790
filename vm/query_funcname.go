package vm

import (
	"unsafe"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
)

// funcName returns f's name as the runtime shows it.
func funcName(f *bytecode.Func) string {
	if f.SSA == nil {
		return f.Name
	}
	return compile.Symbol(f.SSA)
}

// FuncValue returns the name of a func value's function, as the runtime shows it; "" if it is nil
// or not a func value.
func (v Report) FuncValue(fv uint64) string {
	m := v.m
	if fv&funcBit == 0 {
		b := m.heap.Load(fv, 8, 0)
		if fv == 0 || b == nil {
			return ""
		}
		if fv = *(*uint64)(b); fv&funcBit == 0 {
			return ""
		}
	}
	switch id := uint32(fv); {
	case int(id) >= len(m.link.Code):
	case m.link.Code[id] != nil:
		return funcName(m.link.Code[id])
	case m.link.SSA(id) != nil: // the function has not been called yet
		return compile.Symbol(m.link.SSA(id))
	}
	return ""
}

// original returns the function that fn is an instance of, or fn.
func original(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// closureOf resolves a func value. Its object has the function in word 0 and the captured variables
// in the others, as made by MkClos.
func (m *Machine) closureOf(fv uint64) (*ssa.Function, []uint64) {
	id := uint32(fv)
	var captured []uint64
	if fv&funcBit == 0 {
		o := &m.heap.Objs[fv>>32]
		w := unsafe.Slice((*uint64)(o.Mem), o.Size/8)
		id, captured = uint32(w[0]), w[1:]
	}
	return m.link.SSA(id), captured
}

package vm

import (
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
	case m.link.SSA(id) != nil: // it has not been called yet
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

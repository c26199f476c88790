package vm

import (
	"go/token"
	"go/types"
	"path"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
)

// Natives of reflect that make types at run time: they make the go/types type and return its word. If the
// program has an identical type, both have the same word.
var reflectTypeNatives = []Native{
	{Name: "reflect.hbSliceOf", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.makeType(g, r, r.U(0), func(t types.Type) types.Type { return types.NewSlice(t) })
	}},
	{Name: "reflect.hbArrayOf", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := r.U(0)
		if t := m.link.TypeAt(r.U(1)); t != nil && t.Layout.Size > 0 && n > heap.MaxObject/uint64(t.Layout.Size) {
			m.unsupported(g, RefusedType, "an array type of more than 2 GB")
			return Stop
		}
		return m.makeType(g, r, r.U(1), func(t types.Type) types.Type { return types.NewArray(t, int64(n)) })
	}},
	{Name: "reflect.hbChanOf", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		dir := []types.ChanDir{1: types.RecvOnly, 2: types.SendOnly, 3: types.SendRecv}[r.U(0)]
		return m.makeType(g, r, r.U(1), func(t types.Type) types.Type { return types.NewChan(dir, t) })
	}},
	{Name: "reflect.hbMapOf", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		key := m.typeArg(g, r, 0)
		if key == nil {
			return Stop
		}
		return m.makeType(g, r, r.U(1), func(t types.Type) types.Type { return types.NewMap(key.Type, t) })
	}},
	{Name: "reflect.hbFuncOf", Fn: reflectFuncOf},
	{Name: "reflect.hbStructOf", Fn: reflectStructOf},
}

// makeType returns, in word 0, the type that f makes from the type that word points to.
func (m *Machine) makeType(g *goroutine, r Regs, word uint64, f func(types.Type) types.Type) Ctl {
	t := m.link.TypeAt(word)
	if t == nil {
		m.unsupported(g, RefusedType, "a type descriptor that the program made itself")
		return Stop
	}
	r.Set(0, m.link.TypeWord(f(t.Type)))
	return Next
}

// hbFuncOf(in, out []*abi.Type, variadic bool)
func reflectFuncOf(m *Machine, g *goroutine, r Regs) Ctl {
	tuple := func(i int) *types.Tuple {
		var vars []*types.Var
		for k := range r.U(i + 1) {
			if t := m.link.TypeAt(m.word(r.U(i), k*8)); t != nil {
				vars = append(vars, types.NewParam(token.NoPos, nil, "", t.Type))
			}
		}
		return types.NewTuple(vars...)
	}
	in, out := tuple(0), tuple(3)
	if uint64(in.Len()) != r.U(1) || uint64(out.Len()) != r.U(4) {
		m.unsupported(g, RefusedType, "a type descriptor that the program made itself")
		return Stop
	}
	r.Set(0, m.link.TypeWord(types.NewSignatureType(nil, nil, nil, in, out, r.U(6) != 0)))
	return Next
}

// hbStructOf(fields []hbField)
func reflectStructOf(m *Machine, g *goroutine, r Regs) Ctl {
	type hbField struct {
		name, pkgPath, tag [2]uint64
		typ                uint64
		embedded           bool
	}
	var fields []*types.Var
	var tags []string
	size := uint64(unsafe.Sizeof(hbField{}))
	for i := range r.U(1) {
		f := (*hbField)(m.heap.Load(r.U(0)+i*size, size, 0))
		t := m.link.TypeAt(f.typ)
		if t == nil {
			m.unsupported(g, RefusedType, "a type descriptor that the program made itself")
			return Stop
		}
		text := func(s [2]uint64) string { return string([]byte(m.str(s[0], s[1]))) }
		fields = append(fields, types.NewField(token.NoPos, m.pkgAt(text(f.pkgPath)), text(f.name), t.Type, f.embedded))
		tags = append(tags, text(f.tag))
	}
	r.Set(0, m.link.TypeWord(types.NewStruct(fields, tags)))
	return Next
}

// pkgAt returns a package with the given path, nil for the empty one. Field names are distinguished
// by the path only.
func (m *Machine) pkgAt(p string) *types.Package {
	if p == "" {
		return nil
	}
	for _, q := range m.prog.All {
		if m.link.PkgPath(q.Types) == p {
			return q.Types
		}
	}
	return types.NewPackage(p, path.Base(p))
}

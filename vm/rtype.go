package vm

import (
	"go/types"

	"hbcheck.dev/hbcheck/vm/layout"
)

// rtype is what the machine knows of a type that a type word denotes.
type rtype struct {
	typ     types.Type
	layout  *layout.Layout
	direct  bool // an interface holds the value itself, not a pointer to it
	methods map[*types.Func]uint64
	impl    map[uint32]bool // interface layout number → implements
}

// rtypeOf returns the type a type word denotes.
func (m *Machine) rtypeOf(tw uint64) *rtype { return m.rtypes[m.heap.objs[tw>>32].aux] }

// typeWord returns the type word of the type with layout number id.
func (m *Machine) typeWord(id uint32) uint64 {
	if w, ok := m.link.words[id]; ok {
		return w
	}
	l := m.layouts.At(id)
	obj := m.heap.allocStatic(48, 0, objFrozen)
	m.heap.objs[obj].aux = uint32(len(m.rtypes))
	m.rtypes = append(m.rtypes, &rtype{typ: l.Type, layout: l, direct: layout.PointerShaped(l.Type), methods: map[*types.Func]uint64{}, impl: map[uint32]bool{}})
	w := uint64(obj) << 32
	m.link.words[id] = w
	return w
}

// methodCache is a direct-mapped cache of method lookups.
type methodCache [256]struct {
	tw uint64
	m  *types.Func
	fv uint64
}

// method returns the func value of method f for a dynamic type; 0 for no type.
// It takes the interface's data word as its receiver.
func (m *Machine) method(tw uint64, f *types.Func) uint64 {
	if tw == 0 {
		return 0
	}
	e := &m.mcache[(tw>>32^uint64(f.Pos()))&255]
	if e.tw == tw && e.m == f {
		return e.fv
	}
	fv := m.findMethod(tw, f)
	e.tw, e.m, e.fv = tw, f, fv
	return fv
}

func (m *Machine) findMethod(tw uint64, f *types.Func) uint64 {
	t := m.rtypeOf(tw)
	if fv, ok := t.methods[f]; ok {
		return fv
	}
	recv := t.typ
	if !t.direct {
		recv = types.NewPointer(recv)
	}
	sel := m.link.prog.SSA.MethodSets.MethodSet(recv).Lookup(f.Pkg(), f.Name())
	if sel == nil {
		panic("BUG: " + t.typ.String() + " has no method " + f.Name())
	}
	fv := uint64(m.link.Func(m.link.prog.SSA.MethodValue(sel))) | funcBit
	t.methods[f] = fv
	return fv
}

// implements reports whether the dynamic type implements the interface type
// with layout number id.
func (m *Machine) implements(tw uint64, id uint32) bool {
	t := m.rtypeOf(tw)
	r, ok := t.impl[id]
	if !ok {
		r = types.Implements(t.typ, m.layouts.At(id).Type.Underlying().(*types.Interface))
		t.impl[id] = r
	}
	return r
}

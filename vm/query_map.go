package vm

import (
	"go/types"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/orders"
)

// MapElem returns the memory image and the type of the element that the pending operation of g is
// going to read from a map or write to it. The image is nil if the map has no such entry. ok is
// false for any other operation.
func (v Report) MapElem(id trace.GID) (image []byte, t types.Type, ok bool) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || !g.pending.Kind.Memory() || int(g.PC) >= len(g.Fn.Code) {
		return nil, nil, false
	}
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.MapGet && in.Op != bytecode.MapSet {
		return nil, nil, false
	}
	r := unsafe.Pointer(&g.Stack[g.FP])
	mt := m.link.MapTypes[uint32(g.Fn.Code[g.PC+1].Word())]
	if in.Op == bytecode.MapSet {
		image = make([]byte, mt.Elem.Size)
		if len(image) > 0 {
			layout.StoreImage(unsafe.Pointer(&image[0]), rg(r, in.C), uint64(mt.Elem.Size))
		}
		return image, mt.Elem.Type, true
	}
	mp := *rg(r, in.B)
	if mp == 0 {
		return nil, mt.Elem.Type, true
	}
	e, bad := m.maps.Find(mp, mt, keyImage(rg(r, in.C)))
	if bad != 0 {
		return nil, nil, false
	}
	if e == nil {
		return nil, mt.Elem.Type, true
	}
	image = slices.Clone(unsafe.Slice((*byte)(unsafe.Add(e, mt.ElemOff)), mt.Elem.Size))
	return image, mt.Elem.Type, true
}

// NextKey returns the memory image and the type of the key that g visits next if its pending
// operation takes an alternative. ok is false if the operation does not choose the next key of a
// loop over a map, or the alternative is the end of the loop.
func (v Report) NextKey(id trace.GID, choice int) (image []byte, t types.Type, ok bool) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.Choose || int(g.PC) >= len(g.Fn.Code) {
		return nil, nil, false
	}
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.MapNext || in.C == 0 {
		return nil, nil, false
	}
	r := unsafe.Pointer(&g.Stack[g.FP])
	mt := m.link.MapTypes[uint32(g.Fn.Code[g.PC+1].Word())]
	e := orders.Entry(&m.maps, *rg(r, in.B), mt, *rg(r, in.B+2), choice)
	if e == nil {
		return nil, nil, false
	}
	image = slices.Clone(unsafe.Slice((*byte)(unsafe.Add(e, mt.KeyOff)), mt.Key.Size))
	return image, mt.Key.Type, true
}

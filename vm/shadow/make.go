package shadow

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Construction of symbolic values. A symbolic value consists of variables. The length of each string and
// slice in it is a variable, too, and is decided before the value is made, up to Host.InputLen, because
// memory has a size. The value is made when all lengths are known.
//
//	Nondet[struct{ a int8; b []bool }]    a │ length of b: 0, 1, 2 ... │ b[0] │ b[1] ...

// A Maker makes values that consist of variables, or of given numbers.
type Maker struct {
	h       Host
	s       *Symbols // nil: numbers are given
	g       *Goroutine
	given   func() uint64 // the number for g's next variable
	first   uint32
	pos     token.Position
	param   int
	lengths []int // lengths of strings and slices to come, where they are symbolic
	Bounded bool  // a length was made, which has a bound

	// The value under construction.
	whole bool   // the value is a scalar: its only part is its register
	image []byte // memory image of the bytes that are not symbolic
	parts []Part // the symbolic bytes
}

// NewMaker prepares the construction of values for g at a position. If given is nil, they are symbolic.
func NewMaker(h Host, s *Symbols, g *Goroutine, pos token.Position, given func() uint64) *Maker {
	n := &Maker{h: h, s: s, g: g, given: given, first: g.NVars, pos: pos}
	if *h.Tracking {
		n.lengths = s.lengths
	}
	return n
}

// At makes the following values parts of parameter p, which has index i.
func (n *Maker) At(i int, p *types.Var) {
	n.param, n.first = i+1, n.g.NVars
	if pos := n.h.Prog.Fset.Position(p.Pos()); pos.IsValid() {
		pos.Column, pos.Offset = 0, 0
		n.pos = pos
	}
}

// A Made is a symbolic value that is not in registers yet.
type Made struct {
	Layout *layout.Layout
	Image  []byte
	whole  bool
	parts  []Part
}

// Make makes a value of type t, called name.
func (n *Maker) Make(t types.Type, name string) Made {
	l := n.h.Machine.Layout(t)
	n.whole, n.image, n.parts = layout.ScalarOf(t) != layout.NotScalar, make([]byte, (l.Size+7)/8*8), nil
	n.value(t, 0, name)
	return Made{l, n.image, n.whole, n.parts}
}

// value makes the part of type t at byte off, which is called name.
func (n *Maker) value(t types.Type, off uint32, name string) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := n.h.Machine.Layout(u.Elem()).Size
		for i := range u.Len() {
			n.value(u.Elem(), off+uint32(i)*size, fmt.Sprintf("%s[%d]", name, i))
		}
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		for i, at := range layout.Sizes.Offsetsof(fields) {
			n.value(fields[i].Type(), off+uint32(at), name+"."+fields[i].Name())
		}
	default:
		if elem := ElemOf(t); elem != nil {
			n.vector(t, elem, off, name)
			return
		}
		n.scalar(t, off, name)
	}
}

// vector makes a string or slice of type t.
func (n *Maker) vector(t, elem types.Type, off uint32, name string) {
	n.Bounded = true
	var k int
	if n.given != nil {
		k = int(min(n.given(), uint64(n.h.InputLen)))
	} else {
		k, n.lengths = n.lengths[0], n.lengths[1:]
		n.variable(t, true, name, lengthWidth)
	}
	l := n.h.Machine.Layout(elem)
	outer, parts, whole := n.image, n.parts, n.whole
	n.image, n.parts, n.whole = make([]byte, uint32(k)*l.Size), nil, false
	for i := range k {
		n.value(elem, uint32(i)*l.Size, fmt.Sprintf("%s[%d]", name, i))
	}
	_, text := t.Underlying().(*types.Basic)
	var p heap.Ptr
	if k > 0 || !text { // an empty slice is not nil
		p = n.h.Machine.Alloc(n.g, uint32(len(n.image)), l.ID)
		copy(n.h.Heap.Bytes(p, uint32(len(n.image))), n.image)
		for _, x := range n.parts {
			n.s.Store(p+uint64(x.Off), x.Size, x.Term)
		}
	}
	n.image, n.parts, n.whole = outer, parts, whole
	w := binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, p), uint64(k))
	if !text {
		w = binary.NativeEndian.AppendUint64(w, uint64(k))
	}
	copy(n.image[off:], w)
}

// scalar makes a variable of type t.
func (n *Maker) scalar(t types.Type, off uint32, name string) {
	l := n.h.Machine.Layout(t)
	if n.given != nil {
		v := n.given()
		copy(n.image[off:off+l.Size], unsafe.Slice((*byte)(unsafe.Pointer(&v)), l.Size))
		return
	}
	width := uint8(l.Size * 8)
	basic := t.Underlying().(*types.Basic)
	if basic.Info()&types.IsBoolean != 0 {
		width = symbolic.Bool
	}
	v := n.variable(t, false, name, width)
	term := v
	switch {
	case !n.whole && width == symbolic.Bool:
		term = n.s.ctx.FromBool(v, 8)
	case n.whole && width != symbolic.Bool:
		term = n.s.extend(v, basic.Info()&types.IsUnsigned == 0)
	}
	n.parts = append(n.parts, Part{Off: off, Size: l.Size, Term: term})
}

// variable makes the next variable.
func (n *Maker) variable(t types.Type, length bool, name string, width uint8) *symbolic.Term {
	s, g := n.s, n.g
	v := s.variable(g, g.NVars, width)
	s.inputs = append(s.inputs, Input{G: g.ID, N: g.NVars, Of: n.first, Type: t, Length: length, Param: n.param, Field: name, Pos: n.pos, term: v})
	g.NVars++
	return v
}

// Place stores the value in the registers of g from reg on.
func (x *Made) Place(s *Symbols, g *Goroutine, reg uint32) {
	if x.whole {
		x.Layout.Load(g.Reg(reg), unsafe.Pointer(&x.Image[0]))
		if len(x.parts) > 0 {
			s.Set(g, uint16(reg), x.parts[0].Term)
		}
		return
	}
	for i := range x.Layout.Words() {
		*g.Reg(reg + uint32(i)) = *(*uint64)(unsafe.Pointer(&x.Image[i*8]))
	}
	if s != nil && *s.tracking {
		x.registers(s, g, reg)
	}
}

// registers sets the shadows of the words.
func (x *Made) registers(s *Symbols, g *Goroutine, reg uint32) {
	for i := range uint32(x.Layout.Words()) {
		var word []Part
		at := uint32(0) // bytes before at are in word
		for _, p := range x.parts {
			if p.Off/8 == i {
				if o := p.Off % 8; o > at {
					word = append(word, Part{Off: at, Size: o - at, Value: x.bytes(i*8+at, o-at)})
				}
				at = p.Off%8 + p.Size
				word = append(word, Part{Off: p.Off % 8, Size: p.Size, Term: p.Term})
			}
		}
		if len(word) == 0 {
			g.Shadow[g.FP+reg+i] = nil
			continue
		}
		if at < 8 {
			word = append(word, Part{Off: at, Size: 8 - at, Value: x.bytes(i*8+at, 8-at)})
		}
		s.Set(g, uint16(reg+i), s.pack(word, 8))
	}
}

// bytes returns n bytes of the image from off on.
func (x *Made) bytes(off, n uint32) (v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), n), x.Image[off:])
	return v
}

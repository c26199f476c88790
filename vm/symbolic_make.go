package vm

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Making symbolic values. A value of a type consists of variables. The length of each string and
// slice in it is a variable, too, and is decided before the value is made, up to Config.InputLen,
// because memory has a size. The value is made when all lengths are known.
//
//	Nondet[struct{ a int8; b []bool }]    a │ length of b: 0, 1, 2 ... │ b[0] │ b[1] ...

// DefaultInputLen is the most bytes or elements of strings and slices if Config sets no bound.
const DefaultInputLen = 4

// nondet is hbtest.nondet.
func nondet(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.nondetType(g)
	if part := unsupportedInput(t); part != nil {
		text := "hbtest.Nondet of type " + t.String()
		if !types.Identical(part, t) {
			text += ", of its part of type " + part.String()
		}
		m.refuse(Refusal{Code: RefusedInput, What: text + ": that cannot be symbolic", Pos: m.within(m.inputPos(g))})
		m.halt(g)
		return Stop
	}
	l := m.link.Layout(t)
	switch {
	case m.link.entry.Fuzz:
		m.unsupported(g, RefusedInput, "hbtest.Nondet in a fuzz target: its arguments are the inputs")
		return Stop
	case m.forksBefore(g): // a variable's initialiser: its inputs are explored
		return Stop
	case m.auto:
		for i := range l.Words() {
			r.Set(i, 0)
		}
		return Next
	case m.trackFirst(g):
		return Stop
	}
	made := m.newInputs(g).make(t, "")
	made.place(m, g, r)
	return Next
}

// nondetMakes is Native.Makes of nondet.
func nondetMakes(m *Machine, g *goroutine, _ Regs) []types.Type {
	if t := m.nondetType(g); unsupportedInput(t) == nil {
		return []types.Type{t}
	}
	return nil
}

// trackFirst makes the machine track symbolic values, unless inputs are given. It returns true if
// the machine has not tracked before; the native that g executes then has to return Stop: it is
// executed again, by the loop that tracks.
func (m *Machine) trackFirst(g *goroutine) bool {
	if m.cfg.Given != nil || m.tracking {
		return false
	}
	m.track()
	g.pc--
	return true
}

// unsupportedInput returns the part of t, or t, that cannot be symbolic; nil if all of it can.
func unsupportedInput(t types.Type) types.Type { return unsupportedWithin(t, nil) }

// unsupportedWithin is unsupportedInput for a part of the types within. A type that contains itself
// has infinitely large values.
func unsupportedWithin(t types.Type, within []types.Type) types.Type {
	for _, w := range within {
		if types.Identical(w, t) {
			return t
		}
	}
	within = append(within, t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsInteger|types.IsBoolean|types.IsString) != 0 {
			return nil
		}
	case *types.Array:
		return unsupportedWithin(u.Elem(), within)
	case *types.Slice:
		return unsupportedWithin(u.Elem(), within)
	case *types.Struct:
		for i := range u.NumFields() {
			if part := unsupportedWithin(u.Field(i).Type(), within); part != nil {
				return part
			}
		}
		return nil
	}
	return t
}

// shape decides the lengths of the strings and slices in values of these types that are made next.
// If a decision has not been made yet it returns false, like decide.
func (s *symbols) shape(g *goroutine, ts []types.Type) bool {
	s.lengths = s.lengths[:0]
	next := g.nvars
	for _, t := range ts {
		if !s.shapeOf(g, t, &next) {
			return false
		}
	}
	return true
}

// shapeOf is shape for a part; next is the number of its first variable.
func (s *symbols) shapeOf(g *goroutine, t types.Type, next *uint32) bool {
	elems, elem := int64(0), types.Type(nil)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if !s.shapeOf(g, u.Field(i).Type(), next) {
				return false
			}
		}
		return true
	case *types.Array:
		elems, elem = u.Len(), u.Elem()
	default:
		*next++
		if elem = elemOfInput(t); elem == nil {
			return true
		}
		n, ok := s.length(g, *next-1)
		if !ok {
			return false
		}
		s.lengths = append(s.lengths, n)
		elems = int64(n)
	}
	for range elems {
		if !s.shapeOf(g, elem, next) {
			return false
		}
	}
	return true
}

// elemOfInput returns the type of the elements of t if it is a string or slice, otherwise nil.
func elemOfInput(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return types.Typ[types.Byte]
		}
	}
	return nil
}

// length decides the length in g's variable of that number. All values from the greatest length on
// mean this length, so that one of the conditions always holds.
func (s *symbols) length(g *goroutine, number uint32) (n int, ok bool) {
	c, most := s.ctx, s.m.Environment().InputLen()
	v := s.variable(g, number, lengthWidth)
	var conds []*symbolic.Term
	for k := range most {
		conds = append(conds, c.Eq(v, c.Const(lengthWidth, uint64(k))))
	}
	return s.decide(g, append(conds, c.LeU(c.Const(lengthWidth, uint64(most)), v))...)
}

// lengthWidth is the number of bits of a length, MaxInputLen the greatest one.
const (
	lengthWidth = 16
	MaxInputLen = 1<<lengthWidth - 1
)

func (s *symbols) variable(g *goroutine, number uint32, width uint8) *symbolic.Term {
	return s.ctx.Var(uint64(g.id)<<32|uint64(number), width, "")
}

// newInputs makes the variables of values.
type newInputs struct {
	m       *Machine
	g       *goroutine
	first   uint32
	pos     token.Position
	param   int
	lengths []int // of strings and slices to come, where they are symbolic

	// The value under construction.
	whole bool   // it is a scalar: its part is its register
	image []byte // its memory image, for bytes that are not symbolic
	parts []part // the symbolic bytes
}

// newInputs prepares the construction of values for g.
func (m *Machine) newInputs(g *goroutine) *newInputs {
	n := &newInputs{m: m, g: g, first: g.nvars, pos: m.inputPos(g)}
	if m.tracking {
		n.lengths = m.sym.lengths
	}
	return n
}

// at makes the following values parts of parameter p, the i-th from 0 on.
func (n *newInputs) at(i int, p *types.Var) {
	n.param, n.first = i+1, n.g.nvars
	if pos := n.m.fset.Position(p.Pos()); pos.IsValid() {
		pos.Column, pos.Offset = 0, 0
		n.pos = pos
	}
}

// A madeInput is a symbolic value that is not in registers yet.
type madeInput struct {
	layout *layout.Layout
	whole  bool
	image  []byte
	parts  []part
}

// make makes a value of type t, called name.
func (n *newInputs) make(t types.Type, name string) madeInput {
	l := n.m.link.Layout(t)
	n.whole, n.image, n.parts = layout.ScalarOf(t) != layout.NotScalar, make([]byte, (l.Size+7)/8*8), nil
	n.value(t, 0, name)
	return madeInput{l, n.whole, n.image, n.parts}
}

// value makes the part of type t at byte off, which is called name.
func (n *newInputs) value(t types.Type, off uint32, name string) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := n.m.link.Layout(u.Elem()).Size
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
		if elem := elemOfInput(t); elem != nil {
			n.vector(t, elem, off, name)
			return
		}
		n.scalar(t, off, name)
	}
}

// vector makes a string or slice of type t.
func (n *newInputs) vector(t, elem types.Type, off uint32, name string) {
	m, g := n.m, n.g
	m.cfg.bounded.Store(true)
	var k int
	if m.cfg.Given != nil {
		k = int(min(m.givenInput(g), uint64(m.Environment().InputLen())))
	} else {
		k, n.lengths = n.lengths[0], n.lengths[1:]
		n.variable(t, true, name, lengthWidth)
	}
	l := m.link.Layout(elem)
	outer, parts, whole := n.image, n.parts, n.whole
	n.image, n.parts, n.whole = make([]byte, uint32(k)*l.Size), nil, false
	for i := range k {
		n.value(elem, uint32(i)*l.Size, fmt.Sprintf("%s[%d]", name, i))
	}
	_, text := t.Underlying().(*types.Basic)
	var p ptr
	if k > 0 || !text { // an empty slice is not nil
		id := m.alloc(g, uint32(len(n.image)), l.ID)
		p = uint64(id) << 32
		copy(m.heap.Bytes(p, uint32(len(n.image))), n.image)
		for _, x := range n.parts {
			m.sym.store(p+uint64(x.off), x.size, x.term)
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
func (n *newInputs) scalar(t types.Type, off uint32, name string) {
	m, g := n.m, n.g
	l := m.link.Layout(t)
	if m.cfg.Given != nil {
		v := m.givenInput(g)
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
		term = m.sym.ctx.FromBool(v, 8)
	case n.whole && width != symbolic.Bool:
		term = m.sym.extend(v, basic.Info()&types.IsUnsigned == 0)
	}
	n.parts = append(n.parts, part{off: off, size: l.Size, term: term})
}

// variable makes the next variable.
func (n *newInputs) variable(t types.Type, length bool, name string, width uint8) *symbolic.Term {
	s, g := n.m.sym, n.g
	v := s.variable(g, g.nvars, width)
	s.inputs = append(s.inputs, Input{G: g.id, N: g.nvars, Of: n.first, Type: t, Length: length, Param: n.param, Field: name, Pos: n.pos, term: v})
	g.nvars++
	return v
}

// place stores the value in the words from r on, which are g's.
func (x *madeInput) place(m *Machine, g *goroutine, r Regs) {
	if x.whole {
		m.loadValue((*uint64)(r.At(0)), unsafe.Pointer(&x.image[0]), x.layout)
		if len(x.parts) > 0 {
			r.setSym(m, g, 0, x.parts[0].term)
		}
		return
	}
	for i := range x.layout.Words() {
		r.Set(i, *(*uint64)(unsafe.Pointer(&x.image[i*8])))
	}
	if m.tracking {
		x.registers(m, g, r)
	}
}

// registers gives the words their shadows.
func (x *madeInput) registers(m *Machine, g *goroutine, r Regs) {
	for i := range uint32(x.layout.Words()) {
		var word []part
		at := uint32(0) // bytes before it are in word
		for _, p := range x.parts {
			if p.off/8 == i {
				if o := p.off % 8; o > at {
					word = append(word, part{off: at, size: o - at, value: x.bytes(i*8+at, o-at)})
				}
				at = p.off%8 + p.size
				word = append(word, part{off: p.off % 8, size: p.size, term: p.term})
			}
		}
		if len(word) == 0 {
			r.concreteResult(m, g, int(i))
			continue
		}
		if at < 8 {
			word = append(word, part{off: at, size: 8 - at, value: x.bytes(i*8+at, 8-at)})
		}
		r.setSym(m, g, int(i), m.sym.pack(word, 8))
	}
}

// bytes returns n bytes of the image from off on.
func (x *madeInput) bytes(off, n uint32) (v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), n), x.image[off:])
	return v
}

// inputArguments calls the function value fn, with these parameters, with the given words and then,
// from parameter first on, symbolic values. A parameter for which text returns words gets these:
// see callTarget.
func (m *Machine) inputArguments(g *goroutine, fn uint64, params *types.Tuple, first int, words []uint64, text func(t types.Type) []uint64) Ctl {
	n := m.newInputs(g)
	made := make([]madeInput, params.Len())
	size := len(words)
	for i := first; i < len(made); i++ {
		p := params.At(i)
		if t := text(p.Type()); t != nil {
			made[i].image = unsafe.Slice((*byte)(unsafe.Pointer(&t[0])), len(t)*8)
			made[i].layout = m.link.Layout(p.Type())
		} else {
			n.at(i, p)
			made[i] = n.make(p.Type(), p.Name())
		}
		size += made[i].layout.Words()
	}
	at := len(words)
	words = append(words, make([]uint64, size-at)...)
	m.callGuest(g, fn, 0, words...)
	if g.status != gRunning {
		return Stop
	}
	args := regsAt(unsafe.Pointer(&g.stack[g.fp]))
	for i := first; i < len(made); i++ {
		made[i].place(m, g, regsAt(args.At(at)))
		at += made[i].layout.Words()
	}
	return Called
}

// callEntry is runtime.hbEntry: it calls the entry's function with symbolic arguments.
func callEntry(m *Machine, g *goroutine, _ Regs) Ctl {
	if m.trackFirst(g) {
		return Stop
	}
	e := m.link.entry
	return m.inputArguments(g, uint64(m.link.Func(e.Func))|funcBit, e.Func.Signature.Params(), 0, nil, func(types.Type) []uint64 { return nil })
}

// entryMakes is Native.Makes of callEntry.
func entryMakes(m *Machine, _ *goroutine, _ Regs) []types.Type {
	var list []types.Type
	for p := range m.link.entry.Func.Signature.Params().Variables() {
		list = append(list, p.Type())
	}
	return list
}

// checkEntry returns an error if a parameter of an entry with symbolic arguments cannot be symbolic.
func (m *Machine) checkEntry() error {
	e := m.link.entry
	for p := range e.Func.Signature.Params().Variables() {
		part := unsupportedInput(p.Type())
		if part == nil {
			continue
		}
		text := fmt.Sprintf("%s: parameter %s of %s has type %s", m.relative(m.fset.Position(p.Pos())), p.Name(), e, types.TypeString(p.Type(), (*types.Package).Name))
		if !types.Identical(part, p.Type()) {
			text += ", with a part of type " + types.TypeString(part, (*types.Package).Name)
		}
		return fmt.Errorf("%s: that cannot be symbolic", text)
	}
	return nil
}

package pointer

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// A layout is a type seen as memory: the scalars, pointers and interfaces it
// consists of, in order of their offsets. All elements of an array share the
// leaves of one, at the offsets they have in element 0; so an offset is
// canonical if it does not leave element 0 of any array.
//
// Offsets of different leaves are different: types without bytes have no
// leaves, and &s and the address of s's first field are the same address, as
// they are in the machine.
type layout struct {
	typ    types.Type
	size   int64
	leaves []leaf
	ptrs   []int32 // numbers of the leaves that hold pointers: what a register of the type consists of
	array  bool    // set if an array of more than one element is a part of the type

	// Structs: where the fields are. Arrays: one entry, the element.
	parts []part
	count int64 // arrays: length
}

//	struct { n int32; p *T; s []int; e [4]struct{ x, y *T } }
//
//	leaf     0 n    1 p    2 s    3 e[*].x    4 e[*].y
//	offset   0      8      16     40          48
//	ptrs            0      1      2           3               a register for each

// part is a field of a struct or tuple, or the element of an array.
type part struct {
	lay  *layout
	off  int64
	leaf int32 // its first leaf
	ptr  int32 // its first entry in ptrs
}

// leaf is one scalar of a layout.
type leaf struct {
	off  int64
	size uint8
	kind leafKind
}

// leafKind is the kind of pointers that a leaf can hold.
type leafKind uint8

const (
	// scalarLeaf and stringLeaf hold no pointers: the bytes of a string are not followed (see Text).
	scalarLeaf leafKind = iota
	stringLeaf
	// dataLeaf is the second word of an interface, after an ifaceLeaf.
	dataLeaf
	// pointerLeaf is a pointer, unsafe.Pointer, func, map or chan, or the first word of a slice.
	pointerLeaf
	// ifaceLeaf is the first word of an interface. Its value is that of both
	// words: boxes, each with a type and a content.
	ifaceLeaf
)

func (k leafKind) holdsPointers() bool { return k >= pointerLeaf }

// layouts computes and keeps the layouts of types.
type layouts struct {
	sizes   types.Sizes
	byType  map[types.Type]*layout
	leaf    map[int64]*layout      // layouts of one leaf, by size and kind
	vectors map[*layout]*layout    // by element
	heads   map[[2]*layout]*layout // of maps and channels
	canon   typeutil.Map           // types → canonical types.Type
	canons  map[types.Type]types.Type
}

func newLayouts(sizes types.Sizes) *layouts {
	return &layouts{sizes: sizes, byType: make(map[types.Type]*layout), leaf: make(map[int64]*layout),
		vectors: make(map[*layout]*layout), heads: make(map[[2]*layout]*layout), canons: make(map[types.Type]types.Type)}
}

// canonical returns one representative of the types identical to t.
func (ls *layouts) canonical(t types.Type) types.Type {
	if c, ok := ls.canons[t]; ok {
		return c
	}
	t0 := t
	t = types.Unalias(t)
	c, _ := ls.canon.At(t).(types.Type)
	if c == nil {
		c = t
		ls.canon.Set(t, t)
	}
	ls.canons[t0] = c
	return c
}

// of returns the layout of t.
func (ls *layouts) of(t types.Type) *layout {
	switch u := t.(type) {
	case *types.Pointer, *types.Signature, *types.Map, *types.Chan:
		return ls.single(t, 8, pointerLeaf)
	case *types.Slice:
		return ls.single(t, 24, pointerLeaf)
	case *types.Basic:
		return ls.basic(u)
	}
	l, ok := ls.byType[t]
	if !ok {
		l = ls.compute(t)
		ls.byType[t] = l
	}
	return l
}

// holdsPointers reports whether values of type t can contain pointers.
func (ls *layouts) holdsPointers(t types.Type) bool { return len(ls.of(t).ptrs) > 0 }

// single returns the layout of a type of one leaf. It is the same for all types with this size and kind.
func (ls *layouts) single(t types.Type, size int64, k leafKind) *layout {
	key := size<<8 | int64(k)
	l := ls.leaf[key]
	if l == nil {
		l = &layout{typ: t, size: size, leaves: []leaf{{0, uint8(size), k}}}
		if k == ifaceLeaf {
			l.leaves = []leaf{{0, 8, k}, {8, 8, dataLeaf}}
		}
		if k.holdsPointers() {
			l.ptrs = []int32{0}
		}
		ls.leaf[key] = l
	}
	return l
}

func (ls *layouts) basic(b *types.Basic) *layout {
	switch {
	case b.Kind() == types.UnsafePointer:
		return ls.single(b, 8, pointerLeaf)
	case b.Info()&types.IsString != 0:
		return ls.single(b, 16, stringLeaf)
	case b.Info()&types.IsUntyped != 0, b.Kind() == types.UntypedNil, b.Kind() == types.Invalid:
		return ls.single(b, 8, scalarLeaf)
	}
	return ls.single(b, ls.sizes.Sizeof(b), scalarLeaf)
}

func (ls *layouts) compute(t types.Type) *layout {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return ls.single(t, 16, ifaceLeaf)
	case *types.Struct:
		return ls.structure(t, u)
	case *types.Array:
		elem := ls.of(u.Elem())
		l := &layout{typ: t, size: elem.size * u.Len(), count: u.Len(), parts: []part{{lay: elem}}}
		if u.Len() > 0 {
			l.leaves, l.ptrs = elem.leaves, elem.ptrs
			l.array = elem.array || u.Len() > 1 && len(elem.leaves) > 0
		}
		return l
	case *types.Tuple:
		l := new(layout)
		for i := range u.Len() {
			f := ls.of(u.At(i).Type())
			off := (l.size + 7) &^ 7
			l.add(f, off)
			l.size = off + f.size
		}
		return l
	default:
		return ls.of(u)
	}
}

func (ls *layouts) structure(t types.Type, u *types.Struct) *layout {
	fields := make([]*types.Var, u.NumFields())
	for i := range fields {
		fields[i] = u.Field(i)
	}
	l := &layout{typ: t, size: ls.sizes.Sizeof(u), parts: make([]part, 0, len(fields))}
	for i, off := range ls.sizes.Offsetsof(fields) {
		l.add(ls.of(fields[i].Type()), off)
	}
	return l
}

// add appends a field.
func (l *layout) add(f *layout, off int64) {
	first := int32(len(l.leaves))
	l.parts = append(l.parts, part{f, off, first, int32(len(l.ptrs))})
	for _, x := range f.leaves {
		l.leaves = append(l.leaves, leaf{off + x.off, x.size, x.kind})
	}
	for _, p := range f.ptrs {
		l.ptrs = append(l.ptrs, first+p)
	}
	l.array = l.array || f.array
}

// leafAt returns the leaf that covers offset off, or the one before if off
// lies in padding or after the end. A layout without leaves returns 0.
func (l *layout) leafAt(off int64) int32 {
	base := int32(0)
	for {
		if off < 0 {
			return base
		}
		switch {
		case l.parts == nil:
			if len(l.leaves) > 1 && off >= l.leaves[1].off {
				base++
			}
			return base
		case l.count > 0: // array
			elem := l.parts[0].lay
			if elem.size == 0 {
				return base
			}
			if off < l.size {
				off %= elem.size
			} else {
				off = elem.size
			}
			l = elem
		default:
			// The last field that has bytes and begins at off or before.
			found := -1
			for i := range l.parts {
				p := &l.parts[i]
				if p.off > off {
					break
				}
				if len(p.lay.leaves) > 0 {
					found = i
				}
			}
			if found < 0 {
				return base
			}
			p := &l.parts[found]
			base += p.leaf
			off -= p.off
			l = p.lay
		}
	}
}

// words calls f with the offset of each leaf of l that holds pointers and its
// entry in ptrs, for all elements of arrays; it returns false if there are more
// than limit.
func (l *layout) words(limit int, f func(off int64, ptr int32, k leafKind)) bool {
	n := 0
	var walk func(l *layout, off int64, ptr int32) bool
	walk = func(l *layout, off int64, ptr int32) bool {
		if len(l.ptrs) == 0 {
			return true
		}
		switch {
		case l.parts == nil:
			if n++; n > limit {
				return false
			}
			f(off, ptr, l.leaves[0].kind)
		case l.count > 0:
			elem := l.parts[0].lay
			for i := range l.count {
				if !walk(elem, off+i*elem.size, ptr) {
					return false
				}
			}
		default:
			for i := range l.parts {
				p := &l.parts[i]
				if !walk(p.lay, off+p.off, ptr+p.ptr) {
					return false
				}
			}
		}
		return true
	}
	return walk(l, 0, 0)
}

// vector returns the layout of an array of elem whose length is not known.
func (ls *layouts) vector(elem types.Type) *layout {
	e := ls.of(elem)
	l := ls.vectors[e]
	if l == nil {
		const many = 1 << 40
		l = &layout{
			typ: types.NewSlice(elem), count: many, size: many * e.size,
			parts: []part{{lay: e}}, leaves: e.leaves, ptrs: e.ptrs, array: len(e.leaves) > 0,
		}
		ls.vectors[e] = l
	}
	return l
}

// headed returns the layout of the machine's object for a map or channel: a header word, then one key if
// there are keys, and one element.
func (ls *layouts) headed(key, elem *layout) *layout {
	k := [2]*layout{key, elem}
	l := ls.heads[k]
	if l == nil {
		l = new(layout)
		l.add(ls.of(types.Typ[types.Uint64]), 0)
		l.size = 8
		for _, e := range k {
			if e != nil {
				l.add(e, l.size)
				l.size += (e.size + 7) &^ 7
			}
		}
		ls.heads[k] = l
	}
	return l
}

// mapOf returns the layout of the object of a map.
func (ls *layouts) mapOf(t *types.Map) *layout { return ls.headed(ls.of(t.Key()), ls.of(t.Elem())) }

// chanOf returns the layout of the object of a channel.
func (ls *layouts) chanOf(t *types.Chan) *layout { return ls.headed(ls.of(t.Elem()), nil) }

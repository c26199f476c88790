package abitype

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"go/types"
	"hash/fnv"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/vm/layout"
)

// describer writes one descriptor.
type describer struct {
	b    *Builder
	t    types.Type
	l    *layout.Layout
	ms   []Method
	d    Descriptor
	kind Kind
	// extra: there is an UncommonType. data is where the variable-length part begins.
	extra bool
	data  uint32
	names map[string]uint32 // encoded names already written
	// pending writes the names, which come last and need no alignment.
	pending []func()
}

// Describe writes the descriptor of t, whose methods (see Methods) are ms. It
// panics if t is a type no value can have.
func (b *Builder) Describe(t types.Type, ms []Method) *Descriptor {
	t = types.Unalias(t)
	d := &describer{b: b, t: t, l: b.Layouts.Of(t), ms: ms, kind: KindOf(t), names: make(map[string]uint32)}
	if d.kind == Invalid {
		panic(fmt.Sprintf("BUG: no descriptor for type %v", t))
	}
	d.extra = hasName(t) || d.kind != Interface && len(ms) > 0
	d.data = d.b.fixedSize(d.kind)
	if d.extra {
		d.data += sizeUncommon
	}
	d.grow(d.data)
	d.common()
	d.specific()
	if d.extra {
		d.uncommon()
	}
	d.functions()
	d.mask()
	slices.SortFunc(d.d.Relocs, func(x, y Reloc) int { return int(x.Off) - int(y.Off) })
	return &d.d
}

func (b *Builder) fixedSize(k Kind) uint32 {
	switch k {
	case Array:
		return sizeArray
	case Chan:
		return sizeChan
	case Func:
		return sizeFunc
	case Interface:
		return sizeInterface
	case Map:
		return b.mapTail().size
	case Pointer:
		return sizePointer
	case Slice:
		return sizeSlice
	case Struct:
		return sizeStruct
	}
	return sizeType
}

// grow appends n zero bytes and returns their offset; parts that are added in whole words, before any name,
// stay aligned.
func (d *describer) grow(n uint32) uint32 {
	at := uint32(len(d.d.Bytes))
	d.d.Bytes = append(d.d.Bytes, make([]byte, n)...)
	return at
}

func (d *describer) put8(off uint32, v uint8)   { d.d.Bytes[off] = v }
func (d *describer) put16(off uint32, v uint16) { binary.LittleEndian.PutUint16(d.d.Bytes[off:], v) }
func (d *describer) put32(off uint32, v uint32) { binary.LittleEndian.PutUint32(d.d.Bytes[off:], v) }
func (d *describer) put64(off uint32, v uint64) { binary.LittleEndian.PutUint64(d.d.Bytes[off:], v) }

func (d *describer) typePtr(off uint32, t types.Type) {
	d.d.Relocs = append(d.d.Relocs, Reloc{Off: off, Kind: RelocType, Type: types.Unalias(t)})
}

func (d *describer) selfPtr(off, to uint32) {
	d.d.Relocs = append(d.d.Relocs, Reloc{Off: off, Kind: RelocSelf, Add: to})
}

// slice writes a slice header at off for n elements at byte to.
func (d *describer) slice(off, to uint32, n int) {
	if n > 0 {
		d.selfPtr(off, to)
	}
	d.put64(off+8, uint64(n))
	d.put64(off+16, uint64(n))
}

// common writes abi.Type, except for the data at the end of the block.
func (d *describer) common() {
	ptrBytes := d.ptrBytes()
	d.put64(offSize, uint64(layout.Sizes.Sizeof(d.l.Type)))
	d.put64(offPtrBytes, ptrBytes)
	h := fnv.New32a()
	h.Write([]byte(d.b.LinkString(d.t)))
	d.put32(offHash, h.Sum32())
	var flags uint8
	if d.extra {
		flags |= flagUncommon
	}
	if hasName(d.t) {
		flags |= flagNamed
	}
	if regularMemory(d.t) {
		flags |= flagRegularMemory
	}
	if ptrBytes/8 > uint64(d.b.maxPtrmaskWords()) {
		flags |= flagMaskOnDemand
	}
	if layout.PointerShaped(d.t) {
		flags |= flagDirectIface
	}
	if !strings.HasPrefix(d.b.NameString(d.t), "*") {
		flags |= flagExtraStar
	}
	d.put8(offTFlag, flags)
	d.put8(offAlign, uint8(d.l.Align))
	d.put8(offFieldAlign, uint8(d.l.Align))
	d.put8(offKind, uint8(d.kind))
	this := int32(ptrToThis)
	d.put32(offPtrToThis, uint32(this))
}

// ptrBytes is the length of the prefix of the type that holds pointers.
func (d *describer) ptrBytes() uint64 {
	if n := len(d.l.Ptrs); n > 0 {
		return uint64(d.l.Ptrs[n-1]) + 8
	}
	return 0
}

// specific writes the fields of the kind, and its variable-length part.
func (d *describer) specific() {
	switch u := d.t.Underlying().(type) {
	case *types.Array:
		d.typePtr(offArrayElem, u.Elem())
		d.typePtr(offArraySlice, types.NewSlice(u.Elem()))
		d.put64(offArrayLen, uint64(u.Len()))
	case *types.Chan:
		d.typePtr(offChanElem, u.Elem())
		d.put64(offChanDir, uint64(chanDir(u.Dir())))
	case *types.Pointer:
		d.typePtr(offElem, u.Elem())
	case *types.Slice:
		d.typePtr(offElem, u.Elem())
	case *types.Map:
		d.mapType(u)
	case *types.Signature:
		in, out := u.Params().Len(), u.Results().Len()
		d.put16(offInCount, uint16(in))
		d.put16(offOutCount, uint16(out))
		if u.Variadic() {
			d.put16(offOutCount, uint16(out)|1<<15)
		}
		at := d.grow(uint32(in+out) * 8)
		for i := range in {
			d.typePtr(at+uint32(i)*8, u.Params().At(i).Type())
		}
		for i := range out {
			d.typePtr(at+uint32(in+i)*8, u.Results().At(i).Type())
		}
	case *types.Interface:
		d.iface()
	case *types.Struct:
		d.strukt(u)
	}
}

func chanDir(dir types.ChanDir) int {
	switch dir {
	case types.RecvOnly:
		return 1
	case types.SendOnly:
		return 2
	}
	return 3
}

func (d *describer) iface() {
	var pkg *types.Package // package of the names without a package of their own
	if obj := nameOf(d.t); obj != nil {
		pkg = obj.Pkg()
	}
	at := d.grow(uint32(len(d.ms)) * sizeImethod)
	d.slice(offIfaceMethods, at, len(d.ms))
	for i := range d.ms {
		d.put32(at+uint32(i)*sizeImethod+4, uint32(typeOff(i)))
	}
	d.later(func() {
		if pkg != nil {
			d.selfPtr(offIfacePkg, d.pkgName(pkg))
		}
		for i := range d.ms {
			d.put32(at+uint32(i)*sizeImethod, d.methodName(&d.ms[i], pkg))
		}
	})
}

func (d *describer) strukt(u *types.Struct) {
	fields := slices.Collect(u.Fields())
	n := len(fields)
	at := d.grow(uint32(n) * sizeField)
	d.slice(offStructFields, at, n)
	for i, off := range layout.Sizes.Offsetsof(fields) {
		f := at + uint32(i)*sizeField
		d.typePtr(f+8, fields[i].Type())
		d.put64(f+16, uint64(off))
	}
	d.later(func() {
		// Only one package can have declared the fields that are not exported.
		for _, f := range fields {
			if !f.Exported() && f.Pkg() != nil {
				d.selfPtr(offStructPkg, d.pkgName(f.Pkg()))
				break
			}
		}
		for i, f := range fields {
			d.selfPtr(at+uint32(i)*sizeField, d.name(f.Name(), u.Tag(i), nil, f.Exported(), f.Embedded()))
		}
	})
}

// mapType writes gc's description of its hash tables. The group type stays nil: the machine has other
// tables.
func (d *describer) mapType(u *types.Map) {
	d.typePtr(offMapKey, u.Key())
	d.typePtr(offMapElem, u.Elem())
	key, elem := d.b.Layouts.Of(u.Key()), d.b.Layouts.Of(u.Elem())
	var flags uint32
	if needKeyUpdate(u.Key()) {
		flags |= mapNeedKeyUpdate
	}
	if hashMightPanic(u.Key()) {
		flags |= mapHashMightPanic
	}
	kt, et := u.Key(), u.Elem()
	if key.Size > maxMapInline {
		flags |= mapIndirectKey
		kt = types.NewPointer(kt)
	}
	if elem.Size > maxMapInline {
		flags |= mapIndirectElem
		et = types.NewPointer(et)
	}
	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, nil, name, t, false) }
	slotFields := []*types.Var{field("key", kt), field("elem", et)}
	slot := types.NewStruct(slotFields, nil)
	group := types.NewStruct([]*types.Var{
		field("ctrl", types.Typ[types.Uint64]), field("slots", types.NewArray(slot, mapGroupSlots)),
	}, nil)
	d.put64(offMapGroupSize, uint64(layout.Sizes.Sizeof(group)))
	const slotsOff = 8 // in a group
	elemOff, stride, tail := uint64(layout.Sizes.Offsetsof(slotFields)[1]), uint64(layout.Sizes.Sizeof(slot)), d.b.mapTail()
	for _, f := range []struct {
		off   uint32
		value uint64
	}{
		{tail.slotSize, stride},
		{tail.keysOff, slotsOff},
		{tail.keyStride, stride},
		{tail.elemsOff, slotsOff + elemOff},
		{tail.elemStride, stride},
		{tail.elemOff, elemOff},
	} {
		if f.off > 0 {
			d.put64(f.off, f.value)
		}
	}
	d.put32(tail.flags, flags)
}

// uncommon writes the UncommonType and the methods.
func (d *describer) uncommon() {
	at := d.b.fixedSize(d.kind)
	pkg := typePkg(d.t)
	ms := d.ms
	if d.kind == Interface {
		ms = nil // the methods are in the InterfaceType
	}
	list := d.grow(uint32(len(ms)) * sizeMethod)
	exported := 0
	for i := range ms {
		if ms[i].Exported() {
			exported++
		}
		m := list + uint32(i)*sizeMethod
		d.put32(m+4, uint32(typeOff(i)))
		d.put32(m+8, uint32(textOff(i, true)))
		d.put32(m+12, uint32(textOff(i, false)))
	}
	d.put16(at+offMcount, uint16(len(ms)))
	d.put16(at+offXcount, uint16(exported))
	d.put32(at+offMoff, list-at)
	d.later(func() {
		if pkg != nil {
			d.put32(at+offPkgPath, d.pkgName(pkg))
		}
		for i := range ms {
			d.put32(list+uint32(i)*sizeMethod, d.methodName(&ms[i], pkg))
		}
	})
}

// functions writes the closures of Equal and Hasher.
func (d *describer) functions() {
	closure := func(field uint32, kind RelocKind, t types.Type) {
		at := d.grow(sizeClosure)
		d.selfPtr(field, at)
		d.d.Relocs = append(d.d.Relocs, Reloc{Off: at, Kind: kind})
		d.typePtr(at+8, t)
	}
	if d.l.Comparable {
		closure(offEqual, RelocEqual, d.t)
	}
	if u, ok := d.t.Underlying().(*types.Map); ok {
		closure(offMapHasher, RelocHash, u.Key())
	}
}

// mask writes the pointer mask and then all names, which need no alignment.
func (d *describer) mask() {
	if words := uint32(d.ptrBytes() / 8); words > 0 && words <= d.b.maxPtrmaskWords() {
		at := d.grow((words + 63) / 64 * 8)
		d.selfPtr(offGCData, at)
		setPtrBits(d.d.Bytes[at:], d.t, 0)
	}
	str := d.b.NameString(d.t)
	named := nameOf(d.t)
	if !strings.HasPrefix(str, "*") {
		str = "*" + str
	} else if p, ok := d.t.(*types.Pointer); ok {
		named = nameOf(types.Unalias(p.Elem()))
	}
	d.put32(offStr, d.name(str, "", nil, named != nil && named.Exported(), false))
	for _, f := range d.pending {
		f()
	}
}

// setPtrBits sets the bits of the pointer words of a t at byte off. The type
// word of an interface does not count: gc never collects types.
func setPtrBits(mask []byte, t types.Type, off uint32) {
	set := func(off uint32) { mask[off/64] |= 1 << (off / 8 % 8) }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.String || u.Kind() == types.UnsafePointer {
			set(off)
		}
	case *types.Interface:
		set(off + 8)
	case *types.Array:
		size := uint32(layout.Sizes.Sizeof(u.Elem()))
		for i := range uint32(u.Len()) {
			setPtrBits(mask, u.Elem(), off+i*size)
		}
	case *types.Struct:
		fields := slices.Collect(u.Fields())
		for i, o := range layout.Sizes.Offsetsof(fields) {
			setPtrBits(mask, fields[i].Type(), off+uint32(o))
		}
	default:
		set(off)
	}
}

// later postpones the writing of names to the end of the block.
func (d *describer) later(f func()) { d.pending = append(d.pending, f) }

func (d *describer) pkgName(pkg *types.Package) uint32 {
	return d.name(d.b.path(pkg), "", nil, false, false)
}

// methodName writes the name of m in a descriptor whose package is pkg.
func (d *describer) methodName(m *Method, pkg *types.Package) uint32 {
	own := m.Pkg
	if m.Exported() || own == pkg {
		own = nil
	}
	return d.name(m.Name, "", own, m.Exported(), false)
}

// name writes an abi.Name, unless it is there already, and returns its offset.
func (d *describer) name(name, tag string, pkg *types.Package, exported, embedded bool) uint32 {
	var bits byte
	if exported {
		bits |= 1 << 0
	}
	if tag != "" {
		bits |= 1 << 1
	}
	if pkg != nil {
		bits |= 1 << 2
	}
	if embedded {
		bits |= 1 << 3
	}
	b := append(binary.AppendUvarint([]byte{bits}, uint64(len(name))), name...)
	if tag != "" {
		b = append(binary.AppendUvarint(b, uint64(len(tag))), tag...)
	}
	if pkg != nil {
		b = binary.LittleEndian.AppendUint32(b, d.pkgName(pkg))
	}
	if at, ok := d.names[string(b)]; ok {
		return at
	}
	at := d.grow(uint32(len(b)))
	copy(d.d.Bytes[at:], b)
	d.names[string(b)] = at
	return at
}

// Package layout computes the memory images of Go types in the layout of the gc compiler on amd64:
// size, pointer words, and the segments that equality and hashing read. Registers, heap objects,
// interface boxes and map keys share these images, so a value moves between them by copying bytes:
//
//	type T struct { a int8; s string; f float32 }
//
//	byte      0 1       8               16              24   28
//	          ├─┬───────┼───────────────┼───────────────┼────┬─────┤
//	image     │a│padding│ s: pointer    │ s: length     │ f  │     │   Size 32
//	          └─┴───────┴───────────────┴───────────────┴────┴─────┘
//	Ptrs                8                                             what a traversal follows
//	Eq        Mem       String                          F32           what == compares
//	register  0         1               2               3             Words() 4
//
// A register holds a scalar narrower than 64 bits extended by the sign of its type (Scalar); in
// memory and inside of larger images it has its own size.
//
// Layouts are numbered per Table: instructions, objects and type words refer to them by number. A
// type that is identical to another one has the same Layout.
package layout

import (
	"go/types"
	"math"
	"slices"
	"sync"

	"golang.org/x/tools/go/types/typeutil"
)

// Layout is the memory image of one type.
type Layout struct {
	ID    uint32 // dense number within its Table
	Type  types.Type
	Size  uint32 // bytes
	Align uint32
	// Ptrs lists the byte offsets, ascending, of the words that hold guest
	// pointers (pointers, maps, channels, funcs, string and slice data, interface words).
	Ptrs []uint32
	// Times lists the byte offsets, ascending, of the words in which a time.Time begins, and with bit
	// 0 set those of the ticks in channels of timers. Both have two words of time and a location.
	Times []uint32
	// Owners lists the byte offsets, ascending, of the 32-bit numbers of goroutines that the overlay
	// keeps for reports, and with bit 0 set those of sums of them.
	Owners []uint32
	// Eq lists the segments == compares, in order; nil with Comparable false.
	Eq         []Seg
	Comparable bool // == is defined (it may still panic on an interface's dynamic type)
	PureMem    bool // equality is equality of the Size bytes
	// Huge says that a value has 2 GB or more. No such value can exist in the machine: only Type, Align and
	// Comparable are valid, and Size exceeds that of all objects.
	Huge bool
}

// MaxSize is a bound on the bytes of a value, and hugeSize the Size of larger ones.
const (
	MaxSize  = 1 << 31
	hugeSize = math.MaxUint32 - 7
)

// A SegKind determines how a segment is compared and hashed.
type SegKind uint8

const (
	SegMem    SegKind = iota // Size raw bytes
	SegF32                   // float32
	SegF64                   // float64
	SegString                // string header
	SegIface                 // interface header
	SegArray                 // N elements of Elem
)

// Seg is a run of bytes with one notion of equality.
type Seg struct {
	Kind SegKind
	Off  uint32
	Size uint32
	N    uint32
	Elem *Layout
}

// Words returns the number of 64-bit registers that the image occupies: none if it is too large for
// the machine, so that a function that mentions its type can be compiled.
func (l *Layout) Words() int {
	if l.Huge {
		return 0
	}
	return int(l.Size+7) / 8
}

// AppendRegs appends the registers that hold a value from register reg on, as bytecode.LiveEntry lists
// them: shifted left once, with bit 0 set for a pointer, and twice where a Time begins.
func (l *Layout) AppendRegs(list []uint16, reg int) []uint16 {
	ptrs, times := l.Ptrs, l.Times
	for i := range l.Words() {
		e := uint16(reg+i) << 1
		if len(ptrs) > 0 && int(ptrs[0]) == i*8 {
			e |= 1
			ptrs = ptrs[1:]
		}
		if len(times) > 0 && int(times[0]) == i*8 {
			list = append(list, e)
			times = times[1:]
		}
		list = append(list, e)
	}
	return list
}

// Sizes is the gc compiler's layout of amd64, the machine's only one.
var Sizes = types.SizesFor("gc", "amd64")

// Table hands out one Layout per type.
type Table struct {
	known  map[types.Type]*Layout // layouts of types asked for before
	byType typeutil.Map           // layouts by identity of types; slow if types are deep
	list   []*Layout
	base   *Table // the table that this one continues, which does not change any more; nil: none
	shared *Shared
}

// Shared is a table of the layouts of several tables, which may be used at the same time. The list of each of
// these tables is the beginning of the list of this one.
type Shared struct {
	mu    sync.Mutex
	table *Table
}

// Share makes t one of several tables that share layouts and numbers.
func (t *Table) Share() *Shared {
	all := *t
	all.list = slices.Clone(t.list)
	t.shared = &Shared{table: &all}
	t.known, t.byType = make(map[types.Type]*Layout), typeutil.Map{} // types that are met first are looked up there
	return t.shared
}

// Join makes t share the layouts of s, if t has no different ones.
func (t *Table) Join(s *Shared) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(t.list) > len(s.table.list) {
		return false
	}
	for i, l := range t.list {
		if o := s.table.list[i]; l != o && !types.Identical(l.Type, o.Type) {
			return false
		}
	}
	//mutant: replicas have layouts of their own [numbering]
	t.shared = s
	return true
}

// CatchUp adds all shared layouts to t.
func (t *Table) CatchUp() {
	if s := t.shared; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.catchUp()
	}
}

func (t *Table) catchUp() { t.list = append(t.list, t.shared.table.list[len(t.list):]...) }

// of returns the layout of typ, and adds all earlier shared layouts to t.
func (s *Shared) of(t *Table, typ types.Type) *Layout {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.table.Of(typ)
	t.catchUp()
	return l
}

// NewTable returns a table whose Layout 0 is the empty struct and whose Layout
// 1 is a raw byte.
func NewTable() *Table {
	t := &Table{known: make(map[types.Type]*Layout)}
	t.Of(types.NewStruct(nil, nil))
	t.Of(types.Typ[types.Uint8])
	return t
}

// Continue returns a table with the layouts and numbers of t, which must not change any more. Several
// tables may continue one, also at the same time.
func (t *Table) Continue() *Table {
	return &Table{known: make(map[types.Type]*Layout), list: slices.Clone(t.list), base: t}
}

// Len returns how many layouts there are.
func (t *Table) Len() int { return len(t.list) }

// At returns the layout with the given number.
func (t *Table) At(id uint32) *Layout { return t.list[id] }

// Of returns the layout of typ.
func (t *Table) Of(typ types.Type) *Layout {
	for x := t; x != nil; x = x.base {
		if l, ok := x.known[typ]; ok {
			return l
		}
	}
	var l *Layout
	if t.shared != nil {
		l = t.shared.of(t, typ)
	} else {
		l = t.of(typ)
	}
	t.known[typ] = l
	return l
}

func (t *Table) of(typ types.Type) *Layout {
	for x := t; x != nil; x = x.base {
		if l, ok := x.byType.At(typ).(*Layout); ok {
			return l
		}
	}
	if b, ok := typ.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		// Constants the type checker left untyped, such as conditions.
		if b.Kind() == types.UntypedNil {
			return t.Of(types.Typ[types.UnsafePointer])
		}
		return t.Of(types.Default(b))
	}
	l := &Layout{Type: typ}
	t.fill(l, typ)
	l.ID = uint32(len(t.list))
	t.list = append(t.list, l)
	t.byType.Set(typ, l)
	return l
}

// fill computes l for typ. Components come in the order of their offsets, so Ptrs ascends and
// neighbouring raw memory becomes one segment.
func (t *Table) fill(l *Layout, typ types.Type) {
	switch u := typ.Underlying().(type) {
	case *types.Tuple:
		// Tuples have no gc layout: the components follow each other, each from a register of its
		// own.
		off := uint32(0)
		for i := 0; i < u.Len(); i++ {
			e := t.Of(u.At(i).Type())
			l.include(e, off)
			l.Huge = l.Huge || e.Huge
			off += uint32(e.Words()) * 8
		}
		l.Size, l.Align = off, 8
		return
	case *types.Basic:
		if u.Kind() == types.Invalid {
			return
		}
	}
	l.Align = uint32(Sizes.Alignof(typ))
	if size := Sizes.Sizeof(typ); size < 0 || size >= MaxSize {
		l.Size, l.Huge, l.Comparable = hugeSize, true, types.Comparable(typ)
		return
	}
	l.Size = uint32(Sizes.Sizeof(typ))
	l.Comparable = true
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		t.fillBasic(l, u)
	case *types.Pointer, *types.Chan:
		l.Ptrs = []uint32{0}
		l.Eq = []Seg{{Kind: SegMem, Size: 8}}
	case *types.Map, *types.Signature:
		l.Ptrs = []uint32{0}
		l.Comparable = false
	case *types.Slice:
		l.Ptrs = []uint32{0}
		l.Comparable = false
	case *types.Interface:
		l.Ptrs = []uint32{0, 8}
		l.Eq = []Seg{{Kind: SegIface, Size: 16}}
	case *types.Array:
		e := t.Of(u.Elem())
		n := uint32(min(u.Len(), math.MaxUint32)) // more only of elements of no size
		l.Comparable = e.Comparable
		for i := uint32(0); i < n && len(e.Ptrs)+len(e.Owners) > 0; i++ {
			l.include(e, i*e.Size)
		}
		switch {
		case !e.Comparable || n == 0:
		case e.PureMem:
			l.Eq = []Seg{{Kind: SegMem, Size: l.Size}}
		default:
			l.Eq = []Seg{{Kind: SegArray, Size: l.Size, N: n, Elem: e}}
		}
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		for i, off := range Sizes.Offsetsof(fields) {
			e := t.Of(fields[i].Type())
			l.include(e, uint32(off))
			if sum, ok := isOwner(u, fields[i]); ok {
				l.Owners = append(l.Owners, uint32(off)|sum)
			}
			l.Comparable = l.Comparable && e.Comparable
			if fields[i].Name() == "_" {
				continue
			}
			for _, s := range e.Eq {
				s.Off += uint32(off)
				l.addSeg(s)
			}
		}
	}
	if tick, ok := isTime(typ); ok {
		l.Times = []uint32{tick}
	}
	if !l.Comparable {
		l.Eq = nil
	}
	allBytes := len(l.Eq) == 1 && l.Eq[0].Kind == SegMem && l.Eq[0].Size == l.Size
	l.PureMem = l.Comparable && (l.Size == 0 || allBytes)
}

// fillBasic is fill for basic types.
func (t *Table) fillBasic(l *Layout, u *types.Basic) {
	switch u.Kind() {
	case types.String, types.UntypedString:
		l.Ptrs = []uint32{0}
		l.Eq = []Seg{{Kind: SegString, Size: 16}}
	case types.UnsafePointer, types.UntypedNil:
		l.Ptrs = []uint32{0}
		l.Eq = []Seg{{Kind: SegMem, Size: 8}}
	case types.Float32:
		l.Eq = []Seg{{Kind: SegF32, Size: 4}}
	case types.Float64, types.UntypedFloat:
		l.Eq = []Seg{{Kind: SegF64, Size: 8}}
	case types.Complex64:
		l.Eq = []Seg{{Kind: SegF32, Size: 4}, {Kind: SegF32, Off: 4, Size: 4}}
	case types.Complex128, types.UntypedComplex:
		l.Eq = []Seg{{Kind: SegF64, Size: 8}, {Kind: SegF64, Off: 8, Size: 8}}
	default:
		l.Eq = []Seg{{Kind: SegMem, Size: l.Size}}
	}
}

// include adds the pointers, times and owners of component e at byte off.
func (l *Layout) include(e *Layout, off uint32) {
	for _, p := range e.Ptrs {
		l.Ptrs = append(l.Ptrs, off+p)
	}
	for _, p := range e.Times {
		l.Times = append(l.Times, off+p)
	}
	for _, p := range e.Owners {
		l.Owners = append(l.Owners, off+p)
	}
}

// isTime reports whether values of type typ are Times, and tick is 1 if they are the ticks of the
// overlay. A type that is defined as time.Time has its fields.
func isTime(typ types.Type) (tick uint32, ok bool) {
	u, isStruct := typ.Underlying().(*types.Struct)
	if !isStruct || u.NumFields() != 3 || u.Field(0).Name() != "wall" || u.Field(1).Name() != "ext" {
		return 0, false
	}
	if p := u.Field(0).Pkg(); p == nil || p.Path() != "time" {
		return 0, false
	}
	if n, named := types.Unalias(typ).(*types.Named); named && n.Obj().Name() == "hbTick" {
		tick = 1
	}
	return tick, true
}

// isOwner reports whether a field of u is a goroutine's number that the overlay keeps in a Mutex or in a
// waiter of a Cond; sum is 1 if it is the sum of the readers' numbers in an RWMutex.
func isOwner(u *types.Struct, f *types.Var) (sum uint32, ok bool) {
	if f.Pkg() == nil || f.Pkg().Path() != "sync" {
		return 0, false
	}
	switch f.Name() {
	case "sema":
		return 0, u.NumFields() == 2 // the sema of a WaitGroup is another field
	case "g":
		return 0, true
	case "readerSem":
		return 1, true
	}
	return 0, false
}

// addSeg appends s, merging adjacent raw memory.
func (l *Layout) addSeg(s Seg) {
	if n := len(l.Eq); n > 0 && s.Kind == SegMem {
		if p := &l.Eq[n-1]; p.Kind == SegMem && p.Off+p.Size == s.Off {
			p.Size += s.Size
			return
		}
	}
	l.Eq = append(l.Eq, s)
}

// Scalar classifies types held in one register in extended form.
type Scalar uint8

const (
	NotScalar Scalar = iota
	S8
	U8
	S16
	U16
	S32
	U32
	W64 // 64-bit integers, pointers, funcs, maps, channels
	F32
	F64
)

// ScalarOf returns the scalar class of t, or NotScalar.
func ScalarOf(t types.Type) Scalar {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Uint8, types.UntypedBool:
			return U8
		case types.Int8:
			return S8
		case types.Int16:
			return S16
		case types.Uint16:
			return U16
		case types.Int32, types.UntypedRune:
			return S32
		case types.Uint32:
			return U32
		case types.Float32:
			return F32
		case types.Float64, types.UntypedFloat:
			return F64
		case types.String, types.UntypedString, types.Complex64, types.Complex128, types.UntypedComplex, types.Invalid:
			return NotScalar
		}
		return W64
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return W64
	}
	return NotScalar
}

// PointerShaped reports whether an interface holds a value of type t directly
// in its data word.
func PointerShaped(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct: // one pointer, and fields of no size
		n := 0
		for f := range u.Fields() {
			switch {
			case PointerShaped(f.Type()):
				n++
			case Sizes.Sizeof(f.Type()) != 0:
				return false
			}
		}
		return n == 1 && Sizes.Sizeof(u) == 8
	case *types.Array:
		return u.Len() == 1 && PointerShaped(u.Elem())
	}
	return false
}

// Package abitype writes the type descriptors of the gc toolchain (internal/abi.Type and its kin, Go
// 1.26 and 1.27, amd64) for go/types types. Over them the real packages reflect, internal/reflectlite
// and internal/abi can be interpreted.
//
// A descriptor is one self-contained block of bytes:
//
//	Type and what the kind adds      ArrayType, FuncType, ...
//	UncommonType                     if the type has a name or methods
//	fields, parameters, methods      what slices and Moff refer to
//	closures                         of Type.Equal and MapType.Hasher
//	pointer mask                     GCData
//	names                            in the encoding of abi.Name
//
// Words that hold addresses are left zero and listed as relocations, for the
// machine to fill in. Descriptors are written one by one and refer to each other only by relocations. So
// recursive types are no special case, and a type costs nothing until its descriptor is read.
//
// # Offsets
//
// The gc linker resolves NameOff, TypeOff and TextOff against the sections of a
// module. Here all three are relative to the descriptor they are in, so that
// nothing has to be registered anywhere:
//
//	NameOff  > 0   offset of the name in the same block
//	TypeOff  < 0   see TypeAt: a method's type, or the pointer type
//	TextOff  > 0   see MethodOf: a method's function
package abitype

import (
	"go/types"

	"hbcheck.dev/hbcheck/vm/layout"
)

// Kind is a kind of types, numbered as in package reflect.
type Kind uint8

// The kinds of internal/abi.
const (
	Invalid Kind = iota
	Bool
	Int
	Int8
	Int16
	Int32
	Int64
	Uint
	Uint8
	Uint16
	Uint32
	Uint64
	Uintptr
	Float32
	Float64
	Complex64
	Complex128
	Array
	Chan
	Func
	Interface
	Map
	Pointer
	Slice
	String
	Struct
	UnsafePointer
)

// Bits of Type.TFlag.
const (
	flagUncommon = 1 << iota
	flagExtraStar
	flagNamed
	flagRegularMemory
	flagMaskOnDemand
	flagDirectIface
)

// Sizes of the fixed parts and offsets of the fields, in bytes. The test
// TestABI holds them against the source of internal/abi.
const (
	offSize       = 0
	offPtrBytes   = 8
	offHash       = 16
	offTFlag      = 20
	offAlign      = 21
	offFieldAlign = 22
	offKind       = 23
	offEqual      = 24
	offGCData     = 32
	offStr        = 40
	offPtrToThis  = 44
	sizeType      = 48

	offArrayElem  = 48
	offArraySlice = 56
	offArrayLen   = 64
	sizeArray     = 72

	offChanElem = 48
	offChanDir  = 56
	sizeChan    = 64

	offInCount  = 48
	offOutCount = 50
	sizeFunc    = 56

	offIfacePkg     = 48
	offIfaceMethods = 56
	sizeInterface   = 80

	offMapKey       = 48
	offMapElem      = 56
	offMapHasher    = 72
	offMapGroupSize = 80

	offElem     = 48 // offset of the element type of pointers and slices
	sizePointer = 56
	sizeSlice   = 56

	offStructPkg    = 48
	offStructFields = 56
	sizeStruct      = 80

	offPkgPath   = 0
	offMcount    = 4
	offXcount    = 6
	offMoff      = 8
	sizeUncommon = 16

	sizeMethod  = 16 // Name, Mtyp, Ifn, Tfn
	sizeImethod = 8  // Name, Typ
	sizeField   = 24 // Name, Typ, Offset
	sizeClosure = 16 // function, type

	maxMapInline  = 128 // abi.MapMaxKeyBytes and MapMaxElemBytes
	mapGroupSlots = 8   // abi.MapGroupSlots
)

// mapTail is the end of a MapType, which describes the places of keys and elements in a group. The
// offsets that a release does not have are 0.
type mapTail struct {
	slotSize             uint32 // size of a key and an element together
	keysOff, keyStride   uint32 // offset and stride of the keys in a group
	elemsOff, elemStride uint32
	elemOff              uint32 // offset of an element in a slot
	flags                uint32
	size                 uint32 // size of the MapType
}

var (
	mapTail26 = mapTail{slotSize: 88, elemOff: 96, flags: 104, size: 112}
	mapTail27 = mapTail{keysOff: 88, keyStride: 96, elemsOff: 104, elemStride: 112, elemOff: 120, flags: 128, size: 136}
)

// mapTail returns the mapTail of b's release.
func (b *Builder) mapTail() *mapTail {
	if b.Minor >= 27 {
		return &mapTail27
	}
	return &mapTail26
}

// maxPtrmaskWords is abi.MaxPtrmaskBytes, in words of the type.
func (b *Builder) maxPtrmaskWords() uint32 {
	if b.Minor >= 27 {
		return 16 * 8
	}
	return 2048 * 8
}

// Bits of MapType.Flags.
const (
	mapNeedKeyUpdate = 1 << iota
	mapHashMightPanic
	mapIndirectKey
	mapIndirectElem
)

// RelocKind is the kind of value that the word at a relocation gets.
type RelocKind uint8

const (
	// RelocType: the address of the descriptor of Type.
	RelocType RelocKind = iota
	// RelocSelf: the address of byte Add of this descriptor.
	RelocSelf
	// RelocEqual: the code of a closure that compares two values of the type
	// whose descriptor's address follows in the next word.
	RelocEqual
	// RelocHash: the code of a closure that hashes a value of that type.
	RelocHash
)

// Reloc is a word of a descriptor that holds an address.
type Reloc struct {
	Off  uint32
	Kind RelocKind
	Type types.Type
	Add  uint32
}

// Descriptor is the image of a type's descriptor.
type Descriptor struct {
	Bytes  []byte
	Relocs []Reloc // ascending by Off
}

// Builder writes descriptors. Its functions have the facts about the program that types alone do not have;
// MethodSet is required.
type Builder struct {
	Layouts *layout.Table
	Minor   int // of the release of Go whose internal/abi reads the descriptors, 26 or 27
	// MethodSet returns the method set of a type.
	MethodSet func(types.Type) *types.MethodSet
	// PkgPath returns the path a package is linked as, which for package main
	// is not the import path. nil: "main" for main packages.
	PkgPath func(*types.Package) string
	// Implicit returns the type arguments of the instance of a generic function
	// inside which a type is declared. nil: none.
	Implicit func(*types.TypeName) []types.Type
	// Local numbers the types declared inside functions, per package from 1
	// on; it returns 0 for the others. nil: no numbers.
	Local func(*types.TypeName) int
}

// ptrToThis is the TypeOff of the pointer type.
const ptrToThis = -1 << 30

// TypeAt resolves TypeOff off of a descriptor of t, whose methods ms are. It returns nil if nothing has that
// offset.
func TypeAt(t types.Type, ms []Method, off int32) types.Type {
	switch i := -1 - int(off); {
	case off == ptrToThis:
		return types.NewPointer(t)
	case 0 <= i && i < len(ms):
		return ms[i].Sig
	}
	return nil
}

// typeOff is the TypeOff of the type of method i.
func typeOff(i int) int32 { return int32(-1 - i) }

// MethodOf resolves TextOff off of a descriptor. It returns the number of the method among all
// methods of the type, exported or not. ifn reports whether the function is the one whose receiver
// is the data word of an interface. ok is false if off is not the offset of a method.
func MethodOf(off int32) (method int, ifn, ok bool) {
	return int(off-1) / 2, off&1 != 0, off > 0
}

// textOff is the inverse of MethodOf.
func textOff(method int, ifn bool) int32 {
	if ifn {
		return int32(method*2 + 1)
	}
	return int32(method*2 + 2)
}

// KindOf returns the kind of t.
func KindOf(t types.Type) Kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicKinds[u.Kind()]
	case *types.Array:
		return Array
	case *types.Chan:
		return Chan
	case *types.Signature:
		return Func
	case *types.Interface:
		return Interface
	case *types.Map:
		return Map
	case *types.Pointer:
		return Pointer
	case *types.Slice:
		return Slice
	case *types.Struct:
		return Struct
	}
	return Invalid
}

var basicKinds = [...]Kind{
	types.Bool:          Bool,
	types.Int:           Int,
	types.Int8:          Int8,
	types.Int16:         Int16,
	types.Int32:         Int32,
	types.Int64:         Int64,
	types.Uint:          Uint,
	types.Uint8:         Uint8,
	types.Uint16:        Uint16,
	types.Uint32:        Uint32,
	types.Uint64:        Uint64,
	types.Uintptr:       Uintptr,
	types.Float32:       Float32,
	types.Float64:       Float64,
	types.Complex64:     Complex64,
	types.Complex128:    Complex128,
	types.String:        String,
	types.UnsafePointer: UnsafePointer,
	types.UntypedNil:    Invalid,
}

package static

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A KeyKind is the kind of location that a Key names.
type KeyKind uint8

const (
	// Anything: the address may be of any type.
	Anything KeyKind = iota
	// Field: field Index of struct type Type.
	Field
	// Elem: an element, of type Type, of an array or slice.
	Elem
	// Deref: a variable of type Type.
	Deref
	// MapOf: a map of type Type, as a whole.
	MapOf
	// SyncOp stands for no memory: it marks operations of channels and of package sync.
	SyncOp
	// InspectOp stands for no memory either: it marks operations that show the positions of all goroutines,
	// or their references (trace.Op.InspectsAll). They conflict with every operation.
	InspectOp
)

// A Key is a class of locations. Types are underlying types: conversions of pointers may change names, but
// not underlying types.
//
//	x.f         Field f of the struct type of x
//	a[i]        Elem of the element's type; an array variable is a class with its elements
//	*p          Deref of the type of *p
//	m[k]        MapOf the type of m, as a whole
//	natives, and code that converts unsafe.Pointer: Anything
type Key struct {
	Kind  KeyKind
	Type  types.Type
	Index int
}

// An Access is a class of locations, read or written. Objs is the set, in Accesses.Objs, of the
// objects of the points-to analysis that may contain the location. Empty stands for all objects.
type Access struct {
	Key    int // number of the Key
	Objs   Set
	Write  bool
	Atomic bool // by sync/atomic: two such accesses do not race
	// Adds is set for an Add of sync/atomic whose result is not used, if Key is certainly the location's
	// class. Such an access commutes with others of the same size.
	Adds bool
}

// Accesses numbers keys and accesses.
type Accesses struct {
	Objs *Sets // sets of numbers of objects: see Access
	// Name returns the name of a variable, or "" for an object that is not a variable.
	Name func(obj int) string

	// Fits reports whether v, a pointer or slice, can only refer to memory of its type. If Fits is nil, only
	// pointers that come from conversions of unsafe.Pointer may refer to other memory.
	Fits func(v ssa.Value) bool

	typeIDs typeutil.Map
	keys    []Key
	keyNum  map[keyName]int
	names   map[int][]string // struct or interface type → its names, sorted
	texts   map[int]string   // memo of class, until there are more names
	table[Access]
	byKey map[int][]int // key → accesses
}

type keyName struct {
	kind  KeyKind
	typ   int
	index int
}

// NewAccesses returns an empty table; key 0 is Anything.
func NewAccesses() *Accesses {
	a := &Accesses{
		Objs: NewSets(), keyNum: map[keyName]int{}, byKey: map[int][]int{},
		names: map[int][]string{}, texts: map[int]string{},
	}
	a.Key(Key{Kind: Anything})
	return a
}

// Key returns the number of k. An array as a whole belongs to the class of its elements, because the machine
// does not distinguish a variable of array type from the array of a slice.
func (a *Accesses) Key(k Key) int {
	for k.Kind == Deref || k.Kind == Elem {
		arr, ok := k.Type.Underlying().(*types.Array)
		if !ok {
			break
		}
		k.Kind, k.Type = Elem, arr.Elem()
	}
	n := keyName{kind: k.Kind, index: k.Index}
	if k.Type != nil {
		name := ""
		if t, ok := types.Unalias(k.Type).(*types.Named); ok && (isStruct(t) || isInterface(t)) {
			name = types.TypeString(t, (*types.Package).Name)
		}
		k.Type = k.Type.Underlying()
		id, ok := a.typeIDs.At(k.Type).(int)
		if !ok {
			id = a.typeIDs.Len() + 1
			a.typeIDs.Set(k.Type, id)
		}
		if name != "" && !slices.Contains(a.names[id], name) {
			a.names[id] = append(a.names[id], name)
			slices.Sort(a.names[id])
			clear(a.texts)
		}
		n.typ = id
	}
	id, ok := a.keyNum[n]
	if !ok {
		id = len(a.keys)
		a.keys = append(a.keys, k)
		a.keyNum[n] = id
	}
	return id
}

func isStruct(t types.Type) bool { _, ok := t.Underlying().(*types.Struct); return ok }

// isInterface reports whether t is an interface type with methods.
func isInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0
}

// Num returns the number of access x.
func (a *Accesses) Num(x Access) int {
	known := len(a.list)
	id := a.of(x)
	if id == known {
		a.byKey[x.Key] = append(a.byKey[x.Key], id)
	}
	return id
}

// At returns access number n.
func (a *Accesses) At(n int) Access { return a.list[n] }

// Len returns how many accesses have numbers.
func (a *Accesses) Len() int { return len(a.list) }

// Bytes returns the size of the locations of access n if they are variables,
// fields or elements, 0 otherwise.
func (a *Accesses) Bytes(n int) int64 { return a.BytesOf(a.list[n].Key) }

// BytesOf is Bytes of an access with that key.
func (a *Accesses) BytesOf(key int) int64 {
	switch k := a.keys[key]; k.Kind {
	case Field:
		return gcSizes.Sizeof(k.Type.(*types.Struct).Field(k.Index).Type())
	case Elem, Deref:
		return gcSizes.Sizeof(k.Type)
	}
	return 0
}

// OfKey returns the accesses with key k.
func (a *Accesses) OfKey(k int) []int { return a.byKey[k] }

// isSync reports whether access n represents synchronisation, or another operation that does not access
// memory.
func (a *Accesses) isSync(n int) bool { return a.keys[a.list[n].Key].Kind >= SyncOp }

// typeName writes the names of t, an underlying type.
func (a *Accesses) typeName(t types.Type) string {
	id, _ := a.typeIDs.At(t).(int)
	if names := a.names[id]; len(names) > 0 {
		return strings.Join(names, " or ")
	}
	// The type may be spelled any or interface{}, depending on which code was loaded first.
	return strings.ReplaceAll(types.TypeString(t, (*types.Package).Name), "interface{}", "any")
}

// String names access n: "write field f of main.S", "read element of type int in g".
func (a *Accesses) String(n int) string {
	verb := "read"
	if a.list[n].Write {
		verb = "write"
	}
	return verb + " " + a.class(n)
}

// class names the locations of access n.
func (a *Accesses) class(n int) string {
	what, ok := a.texts[n]
	if !ok {
		what = a.describe(n)
		a.texts[n] = what
	}
	return what
}

func (a *Accesses) describe(n int) string {
	x := a.list[n]
	k := a.keys[x.Key]
	var what string
	switch k.Kind {
	case Anything:
		what = "anything"
	case Field:
		what = fmt.Sprintf("field %s of %s", k.Type.(*types.Struct).Field(k.Index).Name(), a.typeName(k.Type))
	case Elem:
		what = "element of type " + a.typeName(k.Type)
	case Deref:
		what = "variable of type " + a.typeName(k.Type)
	case MapOf:
		what = a.typeName(k.Type)
	case SyncOp:
		what = "synchronisation"
	case InspectOp:
		what = "stacks of all goroutines"
	}
	if objs := a.Objs.Elems(x.Objs); len(objs) == 1 && a.Name != nil {
		if name := a.Name(objs[0]); name != "" {
			what += " in " + name
		}
	}
	return what
}

// declared returns the position at which the field of access n is declared.
func (a *Accesses) declared(n int) token.Pos {
	k := a.keys[a.list[n].Key]
	if k.Kind != Field {
		return token.NoPos
	}
	return k.Type.(*types.Struct).Field(k.Index).Pos()
}

// Where returns the objects that may contain the memory that v, a pointer, a slice or a map, refers to. The
// result is a set in Accesses.Objs, or Empty for all objects.
type Where func(v ssa.Value) Set

// Binding returns the value that is bound to a free variable where the closure is made, or nil if there are
// several such places.
type Binding func(fv *ssa.FreeVar) ssa.Value

// punned reports whether the address v comes from a conversion of an unsafe.Pointer, so that its type need
// not be that of the memory.
func punned(v ssa.Value) bool {
	for range 64 {
		switch x := origin(v).(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Convert:
			_, isPtr := x.Type().Underlying().(*types.Pointer)
			b, fromUnsafe := x.X.Type().Underlying().(*types.Basic)
			return isPtr && fromUnsafe && b.Kind() == types.UnsafePointer
		case *ssa.Call: // unsafe.Slice(p, n) and the like: p may point into anything
			b, ok := x.Call.Value.(*ssa.Builtin)
			return ok && isUnsafe(b.Name())
		default:
			return false
		}
	}
	return true
}

// origin returns the pointer or slice from which v, the address of a part of its memory, is computed.
func origin(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		default:
			return v
		}
	}
}

// isUnsafe reports whether the builtin with this name is one of package unsafe
// that makes pointers.
func isUnsafe(name string) bool {
	switch name {
	case "Add", "Slice", "SliceData", "String", "StringData":
		return true
	}
	return false
}

// holder returns the address of the struct or array whose field or element is at address v, or v if it is
// neither. The type of this memory has to be checked.
func holder(v ssa.Value) ssa.Value {
	switch x := v.(type) {
	case *ssa.FieldAddr:
		return x.X
	case *ssa.IndexAddr:
		return x.X
	}
	return v
}

// addressed returns the access to the memory at address v.
func (a *Accesses) addressed(v ssa.Value, write bool, where Where) Access {
	k := Key{Kind: Deref, Type: elemOf(v.Type())}
	switch x := v.(type) {
	case *ssa.FieldAddr:
		k = Key{Kind: Field, Type: elemOf(x.X.Type()), Index: x.Field}
	case *ssa.IndexAddr:
		k = Key{Kind: Elem, Type: elemOf(x.Type())}
	}
	if !a.typed(holder(v)) {
		return Access{Key: 0, Objs: where(v), Write: write}
	}
	return Access{Key: a.Key(k), Objs: where(v), Write: write}
}

// typed reports whether the memory that v refers to certainly has v's type.
func (a *Accesses) typed(v ssa.Value) bool { return !punned(v) && (a.Fits == nil || a.Fits(v)) }

func elemOf(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// Direct calls f with the plain accesses instr itself makes, calls excluded.
func (a *Accesses) Direct(instr ssa.Instruction, where Where, f func(Access)) {
	elems := func(v ssa.Value, write bool) {
		if t, ok := v.Type().Underlying().(*types.Slice); ok {
			x := Access{Objs: where(v), Write: write}
			if a.typed(v) {
				x.Key = a.Key(Key{Kind: Elem, Type: t.Elem()})
			}
			f(x)
		}
	}
	mapOf := func(v ssa.Value, write bool) {
		f(Access{Key: a.Key(Key{Kind: MapOf, Type: v.Type()}), Objs: where(v), Write: write})
	}
	switch v := instr.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			f(a.addressed(v.X, false, where))
		}
	case *ssa.Store:
		f(a.addressed(v.Addr, true, where))
	case *ssa.Lookup:
		if _, ok := v.X.Type().Underlying().(*types.Map); ok {
			mapOf(v.X, false)
		}
	case *ssa.MapUpdate:
		mapOf(v.Map, true)
	case *ssa.Next:
		if !v.IsString {
			mapOf(v.Iter.(*ssa.Range).X, false)
		}
	case *ssa.Convert:
		elems(v.X, false) // string(bytes), string(runes)
	case ssa.CallInstruction:
		b, ok := v.Common().Value.(*ssa.Builtin)
		if !ok {
			return
		}
		args := v.Common().Args
		switch b.Name() {
		case "append":
			elems(args[0], true)
			elems(args[0], false)
			elems(args[1], false)
		case "copy":
			elems(args[0], true)
			elems(args[1], false)
		case "clear", "delete":
			if _, ok := args[0].Type().Underlying().(*types.Map); ok {
				mapOf(args[0], true)
			} else {
				elems(args[0], true)
			}
		case "len":
			switch args[0].Type().Underlying().(type) {
			case *types.Map:
				mapOf(args[0], false)
			case *types.Chan:
				//mutant: channels: the length is of no concern [channels lengthOnly]
				f(Access{Key: a.SyncKey()}) // the channel's
			}
		}
	case *ssa.MakeClosure, *ssa.MakeInterface:
		// Values captured by copy are loaded by the machine without an access of
		// their own in SSA; the variables are never written again.
	}
}

// LocationKeys returns the keys under which an access can touch size bytes at
// off in memory of type t (repeated, for arrays), ascending without repeats.
func (a *Accesses) LocationKeys(t types.Type, off, size int64, sizes types.Sizes) []int {
	seen := map[int]bool{0: true}
	keys := []int{0}
	add := func(k Key) {
		if n := a.Key(k); !seen[n] {
			seen[n] = true
			keys = append(keys, n)
		}
	}
	var walk func(t types.Type, off, size int64)
	walk = func(t types.Type, off, size int64) {
		//mutant: addresses are not taken [micro addressTaken]
		add(Key{Kind: Deref, Type: t})
		if isPrimitive(t) {
			add(Key{Kind: SyncOp})
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			fields := make([]*types.Var, u.NumFields())
			for i := range fields {
				fields[i] = u.Field(i)
			}
			for i, o := range sizes.Offsetsof(fields) {
				n := sizes.Sizeof(fields[i].Type())
				if lo, hi := max(off, o), min(off+size, o+n); lo < hi {
					add(Key{Kind: Field, Type: u, Index: i})
					walk(fields[i].Type(), lo-o, hi-lo)
				}
			}
		case *types.Array:
			n := sizes.Sizeof(u.Elem())
			add(Key{Kind: Elem, Type: u.Elem()})
			if n == 0 {
				return
			}
			if lo := off % n; lo+size <= n {
				walk(u.Elem(), lo, size)
			} else {
				walk(u.Elem(), 0, n)
			}
		}
	}
	// The memory of a slice repeats its element.
	add(Key{Kind: Elem, Type: t})
	if n := sizes.Sizeof(t); n > 0 {
		if lo := off % n; lo+size <= n {
			walk(t, lo, size)
		} else {
			walk(t, 0, n)
		}
	}
	return keys
}

// isPrimitive reports whether t is a type of package sync. Its operations access the memory of its values,
// but they are not accesses of locations.
func isPrimitive(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && isStruct(n)
}

// SyncKey returns the key of operations of channels and of package sync.
func (a *Accesses) SyncKey() int { return a.Key(Key{Kind: SyncOp}) }

// InspectKey returns the key of operations that show where all goroutines are.
func (a *Accesses) InspectKey() int { return a.Key(Key{Kind: InspectOp}) }

// Scalar reports whether the locations of key k hold no pointers.
func (a *Accesses) Scalar(k int) bool {
	x := a.keys[k]
	t := x.Type
	switch x.Kind {
	case SyncOp, InspectOp:
		return true
	case Anything, MapOf:
		return false
	case Field:
		t = t.(*types.Struct).Field(x.Index).Type()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString == 0 && b.Kind() != types.UnsafePointer
}

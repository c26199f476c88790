package reflect

import (
	"internal/abi"
	"internal/strconv"
	"unsafe"
)

// Types made at run time. The machine identifies types by their structure, so a
// type made here is identical to the one in the program, and no caches are needed.

func hbChanOf(dir ChanDir, elem *abi.Type) *abi.Type
func hbMapOf(key, elem *abi.Type) *abi.Type
func hbSliceOf(elem *abi.Type) *abi.Type
func hbArrayOf(length int, elem *abi.Type) *abi.Type
func hbFuncOf(in, out []*abi.Type, variadic bool) *abi.Type
func hbStructOf(fields []hbField) *abi.Type

// hbField is a StructField as hbStructOf reads it.
type hbField struct {
	name, pkgPath, tag string
	typ                *abi.Type
	embedded           bool
}

func (t *rtype) ptrTo() *abi.Type { return t.typeOff(t.t.PtrToThis) }

// ChanOf returns the channel type with the given direction and element type.
func ChanOf(dir ChanDir, t Type) Type {
	if hbOwn(t).Size() >= 1<<16 {
		panic("reflect.ChanOf: element size too large")
	}
	if dir < RecvDir || dir > BothDir {
		panic("reflect.ChanOf: invalid dir")
	}
	return toRType(hbChanOf(dir, t.common()))
}

// MapOf returns the map type with the given key and element types.
func MapOf(key, elem Type) Type {
	if !key.Comparable() {
		panic("reflect.MapOf: invalid key type " + key.String())
	}
	return toRType(hbMapOf(key.common(), elem.common()))
}

// SliceOf returns the slice type with element type t.
func SliceOf(t Type) Type { return toRType(hbSliceOf(t.common())) }

// ArrayOf returns the array type with the given length and element type.
func ArrayOf(length int, elem Type) Type {
	if length < 0 {
		panic("reflect: negative length passed to ArrayOf")
	}
	if size := elem.Size(); size > 0 && uintptr(length) > ^uintptr(0)/size {
		panic("reflect.ArrayOf: array size would exceed virtual address space")
	}
	return toRType(hbArrayOf(length, elem.common()))
}

// FuncOf returns the function type with the given parameter and result types.
func FuncOf(in, out []Type, variadic bool) Type {
	if variadic && (len(in) == 0 || hbOwn(in[len(in)-1]).Kind() != Slice) {
		panic("reflect.FuncOf: last arg of variadic func must be slice")
	}
	if len(in)+len(out) > 128 {
		panic("reflect.FuncOf: too many arguments")
	}
	return toRType(hbFuncOf(hbTypes(in), hbTypes(out), variadic))
}

func hbTypes(ts []Type) []*abi.Type {
	list := make([]*abi.Type, len(ts))
	for i, t := range ts {
		list[i] = t.common()
	}
	return list
}

// StructOf returns the struct type containing fields.
func StructOf(fields []StructField) Type {
	list := make([]hbField, len(fields))
	names := make(map[string]bool)
	pkgPath := ""
	for i, f := range fields {
		what := "reflect.StructOf: field "
		switch {
		case f.Name == "":
			panic(what + strconv.Itoa(i) + " has no name")
		case !isValidFieldName(f.Name):
			panic(what + strconv.Itoa(i) + " has invalid name")
		case f.Type == nil:
			panic(what + strconv.Itoa(i) + " has no type")
		case f.Anonymous && f.PkgPath != "":
			panic(what + "\"" + f.Name + "\" is anonymous but has PkgPath set")
		case f.PkgPath == "" && ('a' <= f.Name[0] && f.Name[0] <= 'z' || f.Name[0] == '_'):
			panic(what + "\"" + f.Name + "\" is unexported but missing PkgPath")
		case f.PkgPath != "" && pkgPath != "" && f.PkgPath != pkgPath:
			panic("reflect." + hbStructOfName + ": fields with different PkgPath " + pkgPath + " and " + f.PkgPath)
		}
		if f.PkgPath != "" {
			pkgPath = f.PkgPath
		}
		if f.Anonymous {
			hbCheckEmbedded(f.Type.common(), i, len(fields))
		}
		if names[f.Name] && f.Name != "_" {
			panic("reflect.StructOf: duplicate field " + f.Name)
		}
		names[f.Name] = true
		list[i] = hbField{f.Name, f.PkgPath, string(f.Tag), f.Type.common(), f.Anonymous}
	}
	return toRType(hbStructOf(list))
}

// hbCheckEmbedded panics like the real package, which can promote the methods of
// an embedded field in few cases only.
func hbCheckEmbedded(t *abi.Type, i, n int) {
	unexported := func(ms []abi.Method) {
		for _, m := range ms {
			if pkgPath(nameOffFor(t, m.Name)) != "" {
				panic("reflect: embedded interface with unexported method(s) not implemented")
			}
		}
	}
	switch t.Kind() {
	case abi.Interface:
		ift := (*interfaceType)(unsafe.Pointer(t))
		for _, m := range ift.Methods {
			if pkgPath(ift.nameOff(m.Name)) != "" {
				panic("reflect: embedded interface with unexported method(s) not implemented")
			}
		}
	case abi.Pointer:
		if k := t.Elem().Kind(); k == abi.Pointer || k == abi.Interface {
			panic("reflect.StructOf: illegal embedded field type " + stringFor(t))
		}
		if u := t.Uncommon(); u != nil {
			if i > 0 && u.Mcount > 0 {
				panic("reflect: embedded type with methods not implemented if type is not first field")
			}
			if n > 1 {
				panic("reflect: embedded type with methods not implemented if there is more than one field")
			}
			unexported(u.Methods())
		}
	default:
		if u := t.Uncommon(); u != nil {
			if i > 0 && u.Mcount > 0 {
				panic("reflect: embedded type with methods not implemented if type is not first field")
			}
			if n > 1 && t.IsDirectIface() {
				panic("reflect: embedded type with methods not implemented for non-pointer type")
			}
			unexported(u.Methods())
		}
	}
}

package abitype

import (
	"go/types"

	"hbcheck.dev/hbcheck/vm/layout"
)

// The compiler's rules for equality and hashing of types (cmd/compile/internal/types, size.go and
// reflectdata, reflect.go).

// regularMemory reports whether two values of t are equal exactly if their
// bytes are.
func regularMemory(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex|types.IsString) == 0
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return regularMemory(u.Elem()) || u.Len() == 0 && types.Comparable(u.Elem())
	case *types.Struct:
		n := u.NumFields()
		if n == 1 && u.Field(0).Name() != "_" {
			return regularMemory(u.Field(0).Type())
		}
		fields := make([]*types.Var, n)
		for i := range fields {
			fields[i] = u.Field(i)
			if fields[i].Name() == "_" || !regularMemory(fields[i].Type()) {
				return false
			}
		}
		end := int64(0) // where the fields so far end; padding is not memory
		for i, off := range layout.Sizes.Offsetsof(fields) {
			if off != end {
				return false
			}
			end = off + layout.Sizes.Sizeof(fields[i].Type())
		}
		return end == layout.Sizes.Sizeof(t)
	}
	return false
}

// needKeyUpdate reports whether assigning to a key that is in a map must also
// replace the key: equal keys of type t may differ.
func needKeyUpdate(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex|types.IsString) != 0
	case *types.Interface:
		return true
	case *types.Array:
		return needKeyUpdate(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if needKeyUpdate(f.Type()) {
				return true
			}
		}
	}
	return false
}

// hashMightPanic reports whether a key of type t may hold an unhashable value.
func hashMightPanic(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Array:
		return hashMightPanic(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hashMightPanic(f.Type()) {
				return true
			}
		}
	}
	return false
}

package sketch

import (
	"fmt"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A value is one of
//
//	unknown                     not made up yet
//	int64, bool, string, nilV   integers and the like; all of kinds that can be nil
//	*ptr, *slice, *obj          pointers; slices; channels and maps
//	*closure, *iface            functions; interfaces
//	tuple, *aggregate           results; structs and arrays
//	opaque                      something that is not nil, of which nothing else is known
type value any

type (
	unknown struct{}
	nilV    struct{}
	ptr     struct {
		o    *obj
		path string
	}
	slice struct {
		o             *obj
		off, len, cap int
	}
	closure struct {
		fn   *ssa.Function
		bind []value
		// native is the model of a library function, if fn is nil.
		native func(r *Run, g *goroutine)
	}
	iface struct {
		t types.Type
		v value
	}
	tuple     []value
	aggregate struct{ f []value }
	opaque    struct{ n int }
)

// constOf returns the value of a constant.
func constOf(c *ssa.Const) value {
	if c.Value == nil {
		return zero(c.Type())
	}
	switch c.Value.Kind() {
	case constant.Bool:
		return constant.BoolVal(c.Value)
	case constant.String:
		return constant.StringVal(c.Value)
	case constant.Int:
		n, exact := constant.Int64Val(c.Value)
		if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && exact {
			return n
		}
	}
	return unknown{}
}

// zero returns the zero value of t.
func zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return false
		case u.Info()&types.IsInteger != 0:
			return int64(0)
		case u.Info()&types.IsString != 0:
			return ""
		case u.Kind() == types.UnsafePointer, u.Kind() == types.UntypedNil:
			return nilV{}
		}
		return unknown{}
	case *types.Struct:
		a := &aggregate{make([]value, u.NumFields())}
		for i := range a.f {
			a.f[i] = zero(u.Field(i).Type())
		}
		return a
	case *types.Array:
		if u.Len() > 64 {
			return unknown{}
		}
		a := &aggregate{make([]value, u.Len())}
		for i := range a.f {
			a.f[i] = zero(u.Elem())
		}
		return a
	case *types.Tuple:
		t := make(tuple, u.Len())
		for i := range t {
			t[i] = zero(u.At(i).Type())
		}
		return t
	}
	return nilV{}
}

// makeUp returns a value of type t for an input.
func (r *Run) makeUp(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			r.Guesses++
			return r.rng.IntN(2) == 0
		case u.Info()&types.IsInteger != 0:
			r.Guesses++
			return int64([]int{0, 1, 2, 2, 3, 1}[r.rng.IntN(6)])
		case u.Info()&types.IsString != 0:
			return fmt.Sprintf("input %d", r.rng.IntN(3))
		}
		return unknown{}
	case *types.Pointer:
		return &ptr{r.outside(u.Elem()), ""}
	case *types.Chan:
		o := r.outside(t)
		o.kind = chanObj
		return o
	case *types.Map:
		o := r.outside(t)
		o.kind = mapObj
		return o
	case *types.Slice:
		n := r.rng.IntN(3)
		r.Guesses++
		return &slice{r.outside(u.Elem()), 0, n, n}
	case *types.Signature:
		r.opaques++
		return opaque{r.opaques}
	case *types.Interface:
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if isContext(n) {
				return r.outsideContext()
			}
			if n.Obj().Pkg() == nil { // error
				r.Guesses++
				if r.rng.IntN(3) > 0 {
					return nilV{}
				}
			}
		}
		r.opaques++
		return opaque{r.opaques}
	case *types.Struct:
		a := &aggregate{make([]value, u.NumFields())}
		for i := range a.f {
			a.f[i] = unknown{}
		}
		return a
	case *types.Array:
		a := &aggregate{make([]value, min(u.Len(), 64))}
		for i := range a.f {
			a.f[i] = unknown{}
		}
		return a
	case *types.Tuple:
		t := make(tuple, u.Len())
		for i := range t {
			t[i] = unknown{}
		}
		return t
	}
	return unknown{}
}

func isContext(n *types.Named) bool {
	return n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

func isNil(v value) bool { _, ok := v.(nilV); return ok }

// same reports whether two values are equal; known is false if that is unknown.
func same(x, y value) (equal, known bool) {
	switch a := x.(type) {
	case unknown:
		return false, false
	case nilV:
		if _, ok := y.(unknown); ok {
			return false, false
		}
		return isNil(y), true
	case int64, bool, string:
		switch y.(type) {
		case int64, bool, string:
			return x == y, true
		}
		return false, false
	case *ptr:
		b, ok := y.(*ptr)
		return ok && a.o == b.o && a.path == b.path, ok || isNil(y)
	case *obj:
		b, ok := y.(*obj)
		return ok && a == b, ok || isNil(y)
	case *iface:
		b, ok := y.(*iface)
		if !ok {
			_, isOpaque := y.(opaque)
			return false, isNil(y) || isOpaque
		}
		if !types.Identical(a.t, b.t) {
			return false, true
		}
		return same(a.v, b.v)
	case opaque:
		b, ok := y.(opaque)
		return ok && a == b, ok || isNil(y)
	case *closure, *slice:
		return false, isNil(y)
	case *aggregate:
		b, ok := y.(*aggregate)
		if !ok || len(a.f) != len(b.f) {
			return false, false
		}
		for i := range a.f {
			if eq, known := same(a.f[i], b.f[i]); !known || !eq {
				return eq, known
			}
		}
		return true, true
	}
	return false, false
}

func toString(v any) string { return fmt.Sprint(v) }

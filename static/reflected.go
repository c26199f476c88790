package static

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static/pointer"
)

// The memory effects of calls of package reflect. Its code is opaque to the points-to analysis, which
// determines the memory that this code, when called from one file of the program, may reach (pointer.Held).
//
//  1. A function of the first list uses only descriptors of types and its argument words; the functions of
//     the other lists also use memory that they have just allocated. No other goroutine writes to these.
//  2. A function of the second list reads held memory; one of the third also writes to memory that can be
//     set. None of these synchronises or calls a function of the program.
//  3. Any other function may do anything. So may those that cache a result for the next call (the type of a
//     pointer, of a func), because the cache has a lock.

// reflection is the effect of functions of package reflect.
var reflection = func() map[string]reflects {
	all := map[string]reflects{}
	add := func(r reflects, prefix, names string) {
		for _, n := range strings.Fields(names) {
			all[strings.Replace(prefix, "%", n, 1)] = r
		}
	}
	for _, pkg := range []string{"reflect.", "internal/reflectlite."} {
		add(reflectsNothing, pkg+"%", `TypeOf ValueOf`)
		add(reflectsNothing, "("+pkg+"Value).%", `Addr CanAddr CanComplex CanFloat CanInt CanInterface CanSet CanUint IsValid Kind NumField
			OverflowComplex OverflowFloat OverflowInt OverflowUint Type`)
		add(reflectsReads, "("+pkg+"Value).%", `Bool Bytes Cap Comparable Complex Convert Elem Equal Field FieldByIndex FieldByName Float Index Int
			Interface IsNil IsZero Len MapIndex MapKeys MapRange NumMethod Pointer String Uint UnsafePointer`)
	}
	add(reflectsNothing, "(reflect.%", `Kind).String StructField).IsExported StructTag).Get StructTag).Lookup`)
	add(reflectsNothing, "(*reflect.%", `ValueError).Error`)
	add(reflectsNothing, "(*internal/reflectlite.%", `ValueError).Error`)
	add(reflectsNothing, "(*reflect.rtype).%", typeMethods)
	add(reflectsNothing, "(internal/reflectlite.rtype).%", typeMethods)
	add(reflectsNothing, "reflect.%", `MakeMap MakeMapWithSize MakeSlice New Zero`)
	add(reflectsReads, "reflect.%", `DeepEqual Indirect TypeAssert`)
	add(reflectsReads, "(*reflect.MapIter).%", `Key Value`)
	add(reflectsIterates, "(*reflect.MapIter).%", `Next`)
	add(reflectsWrites, "(reflect.Value).%", `SetBool SetComplex SetFloat SetInt SetString SetUint`)
	add(reflectsWhole, "reflect.%", `Append AppendSlice Copy`)
	add(reflectsWhole, "(reflect.Value).%", `Clear Grow Set SetBytes SetCap SetIterKey SetIterValue SetLen SetMapIndex SetPointer SetZero`)
	add(reflectsWhole, "(internal/reflectlite.Value).%", `Set`)
	return all
}()

const typeMethods = `Align AssignableTo Bits ChanDir Comparable ConvertibleTo Elem Field FieldAlign Implements In IsVariadic Key Kind Len
	Name NumField NumIn NumMethod NumOut Out PkgPath Size String`

// reflects is the memory effect of such a function.
type reflects uint8

const (
	reflectsAnything reflects = iota
	reflectsNothing
	reflectsReads
	reflectsIterates // reads, and writes to a MapIter
	reflectsWrites   // a variable of a basic type
	reflectsWhole    // a variable of any type
)

// reflected returns the accesses of a call of fn at site, if it is a function of package reflect with known
// accesses.
func (g *CallGraph) reflected(fn *ssa.Function, site ssa.CallInstruction) (list []Access, ok bool) {
	if !g.Pointers.IsOpaque(fn) {
		return nil, false
	}
	r := reflection[nameOf(fn)]
	switch {
	case r == reflectsNothing:
		return nil, true
	case r == reflectsAnything, site == nil: // deferred, or from within reflect
		return nil, false
	}
	var read, written []int
	contexts := g.contextsOf(fn, site)
	for _, ctx := range contexts {
		held, ok := g.Pointers.Held(fn, ctx)
		if !ok {
			return nil, false
		}
		for _, o := range held.Read {
			read = append(read, o.Number())
		}
		if r == reflectsReads {
			continue
		}
		for _, o := range held.Written {
			switch {
			//mutant: iterators are not written [static Iterated]: " && o.Type != nil && !has(o.Type, isMapIter)" -> ""
			case r == reflectsIterates && o.Type != nil && !has(o.Type, isMapIter):
				continue
			case r == reflectsWhole && o.Type != nil && hasPrimitive(o.Type):
				return nil, false // writing to a lock may unlock it
			}
			written = append(written, o.Number())
		}
	}
	if len(contexts) == 0 {
		return nil, false
	}
	//mutant: reflection reads nothing [static Hidden]: false
	if len(read) > 0 {
		list = append(list, Access{Objs: g.acc.Objs.Of(read...)})
	}
	//mutant: reflection writes nothing [static Set]: false
	if len(written) > 0 {
		list = append(list, Access{Objs: g.acc.Objs.Of(written...), Write: true})
	}
	return list, true
}

// contextsOf returns the contexts in which fn is called at site.
func (g *CallGraph) contextsOf(fn *ssa.Function, site ssa.CallInstruction) (list []pointer.Context) {
	for _, ctx := range g.Pointers.Contexts(site.Parent()) {
		for _, c := range g.Pointers.Callees(site, ctx) {
			if c.Fn == fn {
				list = append(list, c.Context)
			}
		}
	}
	return list
}

// isMapIter reports whether t is the type of an iterator over a map.
func isMapIter(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "reflect" && n.Obj().Name() == "MapIter"
}

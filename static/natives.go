package static

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// What the machine's own functions do to memory: package trace has it, and which operations they
// execute. Those of the models synchronise, which does not depend on locations, except for
// sync/atomic: its operations are accesses of the memory that their first argument points to.

// nativeEffects returns what fn, which has no body, does to memory.
func (g *CallGraph) nativeEffects(fn *ssa.Function) trace.Memory {
	m := trace.MemoryOf(nameOf(fn))
	switch {
	case g.Pointers.IsOpaque(fn) && readsOnly(fn):
		return trace.ReadsMemory
	case g.Pointers.IsOpaque(fn), !g.natives.Native(fn), m == trace.Undeclared:
		return trace.AnyMemory
	}
	return m
}

// nameOf is the name by which natives are known.
func nameOf(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// readsOnly reports whether fn is a function of package reflect that writes
// nothing and calls nothing.
func readsOnly(fn *ssa.Function) bool {
	switch name := fn.Name(); name {
	case "TypeOf", "ValueOf", "Indirect", "DeepEqual", "Kind", "Len", "Cap", "Elem", "Field", "Index", "NumField", "NumMethod",
		"Type", "String", "Bool", "Int", "Uint", "Float", "Complex", "Bytes", "IsNil", "IsValid", "IsZero", "CanInterface",
		"CanAddr", "CanSet", "CanInt", "CanUint", "CanFloat", "Pointer", "UnsafePointer", "Interface", "Name", "PkgPath", "Size",
		"MapKeys", "MapIndex", "MapRange", "Next", "Comparable", "Implements", "AssignableTo", "ConvertibleTo", "Key", "Value":
		return true
	}
	return false
}

// NativeAccesses implements Program.
func (g *CallGraph) NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) (list []Access) {
	m := g.nativeEffects(fn)
	switch m {
	case trace.NoMemory:
	case trace.ReadsBytes, trace.WritesBytes:
		k := g.acc.Key(Key{Kind: Elem, Type: types.Typ[types.Uint8]})
		if list = append(list, Access{Key: k}); m == trace.WritesBytes {
			list = append(list, Access{Key: k, Write: true})
		}
	case trace.WritesWords:
		k := g.acc.Key(Key{Kind: Elem, Type: types.Typ[types.Uintptr]})
		list = append(list, Access{Key: k}, Access{Key: k, Write: true})
	case trace.ReadsMemory:
		list = append(list, Access{Key: 0})
	case trace.AtomicMemory:
		list = g.atomic(fn, site)
	default:
		list = append(list, Access{Key: 0}, Access{Key: 0, Write: true})
	}
	syncs := slices.ContainsFunc(trace.KindsOf(nameOf(fn)), synchronises)
	if syncs || m == trace.AtomicMemory || m == trace.AnyMemory {
		list = append(list, Access{Key: g.acc.Key(Key{Kind: SyncOp})})
	}
	return list
}

// synchronises reports whether another goroutine's walk has to see operations of kind k: those on
// objects.
func synchronises(k trace.Kind) bool {
	switch k.Row().On {
	case trace.OnNothing, trace.OnOutput, trace.OnGoroutines:
		return false
	}
	return true
}

// unused reports whether site is a call of which nothing uses the result: the machine calls the same
// ones by another operation (compile.Unused).
func unused(site ssa.CallInstruction) bool {
	call, ok := site.(*ssa.Call)
	return ok && !slices.ContainsFunc(*call.Referrers(), func(i ssa.Instruction) bool {
		_, debug := i.(*ssa.DebugRef)
		return !debug
	})
}

// atomic returns the accesses of an operation of sync/atomic.
func (g *CallGraph) atomic(fn *ssa.Function, site ssa.CallInstruction) []Access {
	t := fn.Signature.Recv()
	if t == nil && fn.Signature.Params().Len() > 0 {
		t = fn.Signature.Params().At(0)
	}
	if t == nil {
		return nil
	}
	p, ok := t.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	x := Access{Atomic: true} // unless the address is known to be of its type, this may be any memory
	if site != nil && site.Common().StaticCallee() == fn && len(site.Common().Args) > 0 {
		addr := site.Common().Args[0]
		x.Objs = g.Where(addr)
		if g.acc.typed(holder(addr)) {
			x.Key = g.acc.Key(Key{Kind: Deref, Type: p.Elem()})
			x.Adds = strings.HasPrefix(fn.Name(), "Add") && unused(site)
		}
	}
	if strings.HasPrefix(fn.Name(), "Load") || fn.Name() == "hbLoad" {
		return []Access{x}
	}
	w := x
	w.Write = true
	return []Access{x, w}
}

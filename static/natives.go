package static

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// The memory effects of natives, the machine's own functions. Package trace lists them, with the
// operations that they execute. The functions of the models synchronise, which does not depend on
// locations, except for those of sync/atomic: these access the memory that their first argument
// points to.

// nativeEffects returns the memory effects of fn, which has no body.
func (g *CallGraph) nativeEffects(fn *ssa.Function) trace.Memory {
	m := trace.MemoryOf(nameOf(fn))
	switch {
	case g.refused(fn):
		return trace.NoMemory
	case g.Pointers.IsOpaque(fn), !g.natives.Native(fn), m == trace.Undeclared:
		return trace.AnyMemory
	}
	return m
}

// refused reports whether the machine executes no call of fn: a function of the standard library
// that is neither a native of the machine nor Go code. The effects of an execution from there on
// are unknown.
func (g *CallGraph) refused(fn *ssa.Function) bool {
	if g.natives.Native(fn) || !g.Pointers.IsOpaque(fn) {
		return false
	}
	p := g.prog.PackageOf(fn)
	return p != nil && p.Std && !g.Pointers.IsOpaquePackage(p.Path)
}

// nameOf is the name by which natives are known.
func nameOf(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// NativeAccesses implements Program.
func (g *CallGraph) NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) (list []Access) {
	if list, ok := g.reflected(fn, site); ok {
		return list
	}
	m := g.nativeEffects(fn)
	switch m {
	case trace.NoMemory:
	case trace.ReadsBytes, trace.WritesBytes:
		list = g.elements(types.Typ[types.Uint8], m == trace.WritesBytes, fn, site)
	case trace.WritesWords:
		list = g.elements(types.Typ[types.Uintptr], true, fn, site)
	case trace.WritesUints:
		list = g.elements(types.Typ[types.Uint], true, fn, site)
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
	//mutant: static facts know no stacks [test ./internal/progen TestInspecting]: false
	if inspectsAll(fn, site) {
		list = append(list, Access{Key: g.acc.InspectKey()})
	}
	return list
}

// inspectsAll reports whether fn, a native that site calls, may show the positions of all goroutines, or
// their references. NumGoroutine only counts them, and Stack can be asked for its own goroutine's stack.
func inspectsAll(fn *ssa.Function, site ssa.CallInstruction) bool {
	name := nameOf(fn)
	if name == "runtime.NumGoroutine" || !slices.Contains(trace.KindsOf(name), trace.Inspect) {
		return false
	}
	if name != "runtime.Stack" || site == nil || site.Common().StaticCallee() != fn {
		return true
	}
	all, ok := site.Common().Args[1].(*ssa.Const)
	return !ok || constant.BoolVal(all.Value)
}

// elements returns the accesses of a native to elements of its arguments, of type t.
//
// They lie where the arguments lead, if these are slices. Strings can share their bytes with slices, and
// other references to memory are not inspected.
func (g *CallGraph) elements(t types.Type, write bool, fn *ssa.Function, site ssa.CallInstruction) []Access {
	k := g.acc.Key(Key{Kind: Elem, Type: t})
	x := Access{Key: k}
	if site != nil && site.Common().StaticCallee() == fn {
		var nums []int
		//mutant: natives know their first slice [static BytesCompared]: "Common().Args" -> "Common().Args[:1]"
		for _, v := range site.Common().Args {
			switch u := v.Type().Underlying().(type) {
			case *types.Slice:
				objs := g.Where(v)
				if objs == Empty && g.Pointers.PointsToAnywhere(v).Universal() || !g.acc.typed(v) {
					return anyElements(k, write)
				}
				nums = append(nums, g.acc.Objs.Elems(objs)...)
			case *types.Basic:
				if u.Info()&types.IsNumeric == 0 && u.Kind() != types.Bool {
					return anyElements(k, write)
				}
			default:
				return anyElements(k, write)
			}
		}
		if x.Objs = g.acc.Objs.Of(nums...); len(nums) == 0 {
			return nil // all pointers are nil
		}
	}
	if w := x; write {
		w.Write = true
		return []Access{x, w}
	}
	return []Access{x}
}

func anyElements(k int, write bool) []Access {
	if write {
		return []Access{{Key: k}, {Key: k, Write: true}}
	}
	return []Access{{Key: k}}
}

// synchronises reports whether another goroutine's walk has to note operations of kind k: those on objects.
func synchronises(k trace.Kind) bool {
	switch k.Row().On {
	case trace.OnNothing, trace.OnOutput, trace.OnGoroutines:
		return false
	}
	return true
}

// unused reports whether nothing uses the result of the call at site. The machine executes exactly
// these calls by another operation (compile.Unused).
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
	x := Access{Atomic: true} // may be any memory, unless the address is known to have its type
	if site != nil && site.Common().StaticCallee() == fn && len(site.Common().Args) > 0 {
		addr := site.Common().Args[0]
		x.Objs = g.Where(addr)
		//mutant: casts have their type [models TestModels/casts]: true
		if g.acc.typed(holder(addr)) {
			x.Key = g.acc.Key(Key{Kind: Deref, Type: p.Elem()})
			//mutant: atomic Adds whose result is used [micro addAndUse]: drop 2
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

package static

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// What the machine's own functions do to memory. Those of the models synchronise, which does not
// depend on locations, except for sync/atomic: its operations are accesses of the memory that their
// first argument points to.

// effects says how a native accesses what its pointer arguments lead to.
type effects uint8

const (
	none     effects = iota
	reads            // bytes
	bytes            // reads and writes them
	atomics          // sync/atomic: by the name of the operation
	readsAny         // anything, but only to read it
	syncs            // operations of channels and of package sync
	unknown
)

// nativeEffects returns the effect of the native fn.
func (g *CallGraph) nativeEffects(fn *ssa.Function) effects {
	path := ""
	if o := fn.Object(); o != nil && o.Pkg() != nil {
		path = o.Pkg().Path()
	}
	switch kinds := trace.KindsOf(fn.String()); {
	case path == "sync/atomic" || path == "internal/runtime/atomic":
		return atomics
	case len(kinds) > 0:
		return syncs
	case path == "sync" || path == "time" || path == "internal/effect":
		return syncs
	case path == "internal/bytealg" || path == "bytes" || fn.String() == "syscall.hbWrite":
		return reads
	case g.Pointers.IsOpaque(fn):
		if readsOnly(fn) {
			return readsAny
		}
		return unknown
	case !g.natives.Native(fn):
		return unknown
	case path == "syscall" && takesPointers(fn.Signature):
		return bytes
	case g.natives.Trusted(fn) || !takesPointers(fn.Signature):
		return none
	case path == "internal/abi" || path == "maps":
		return readsAny // comparison, hashing, cloning
	}
	return unknown
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
func (g *CallGraph) NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) []Access {
	sync := Access{Key: g.acc.Key(Key{Kind: SyncOp})}
	switch g.nativeEffects(fn) {
	case none:
		return nil
	case reads:
		return []Access{{Key: g.acc.Key(Key{Kind: Elem, Type: types.Typ[types.Uint8]})}}
	case bytes:
		k := g.acc.Key(Key{Kind: Elem, Type: types.Typ[types.Uint8]})
		return []Access{{Key: k}, {Key: k, Write: true}}
	case readsAny:
		return []Access{{Key: 0}}
	case syncs:
		return []Access{sync}
	case atomics:
		return append(g.atomic(fn, site), sync)
	}
	return []Access{{Key: 0}, {Key: 0, Write: true}, sync}
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
		}
	}
	if strings.HasPrefix(fn.Name(), "Load") || fn.Name() == "hbLoad" {
		return []Access{x}
	}
	w := x
	w.Write = true
	return []Access{x, w}
}

func takesPointers(sig *types.Signature) bool {
	if sig.Recv() != nil {
		return true
	}
	for i := 0; i < sig.Params().Len(); i++ {
		if b, ok := sig.Params().At(i).Type().Underlying().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
			return true
		}
	}
	return false
}

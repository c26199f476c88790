package static

import "golang.org/x/tools/go/ssa"

// Program has the methods that the analyses call.
type Program interface {
	// Accesses returns the table of accesses that the numbers below refer to.
	Accesses() *Accesses
	// Body makes sure fn's body is built and returns the function whose body
	// executes when fn is called, or nil if there is none: a native.
	Body(fn *ssa.Function) *ssa.Function
	// Callees returns every function site can call, in a fixed order.
	Callees(site ssa.CallInstruction) []*ssa.Function
	// NativeAccesses returns the accesses of a native called at site, which is
	// nil if it is not known.
	NativeAccesses(fn *ssa.Function, site ssa.CallInstruction) []Access
	// Where returns the objects that v leads to: see the type Where.
	Where(v ssa.Value) Set
	// Plain reports whether fn's own plain accesses are operations in the machine;
	// those of the models are not.
	Plain(fn *ssa.Function) bool
	// HasLocks reports whether an object in objs has an object of package sync in it.
	HasLocks(objs Set) bool
	// Binding returns the value of a captured variable: see the type Binding.
	Binding(fv *ssa.FreeVar) ssa.Value
}

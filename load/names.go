package load

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Naming says that, from an instruction on, a variable of the source has a value of the SSA code.
// A program has Namings if it was loaded with Config.Names.
//
// They are ssa.DebugRef instructions, which are removed from a function before it is compiled: operations and
// liveness are those of a program without them. DebugRefs have one effect: package ssa keeps a phi to which a
// name refers. A phi is not a visible operation.
type Naming struct {
	Block, Index int // index of the next instruction in the block without DebugRefs
	Var          *types.Var
	X            ssa.Value
	Addr         bool // X is the address of the variable
}

// naming has the data about the variables of a function.
type naming struct {
	list   []Naming
	values []ssa.Value
}

func (prog *Program) namingOf(fn *ssa.Function) naming {
	if !prog.names {
		return naming{}
	}
	n, _ := prog.naming.Load(fn)
	if n == nil {
		return naming{}
	}
	return n.(naming)
}

// Namings returns the records of fn's variables, in the order of its code, once TakeNames has been called.
func (prog *Program) Namings(fn *ssa.Function) []Naming { return prog.namingOf(fn).list }

// Named returns the values that variables of fn have, and their addresses.
func (prog *Program) Named(fn *ssa.Function) []ssa.Value { return prog.namingOf(fn).values }

// TakeNames removes the DebugRefs from fn, which has been built and is not used by another goroutine yet,
// and keeps their records of variables.
func (prog *Program) TakeNames(fn *ssa.Function) {
	if !prog.names {
		return
	}
	var n naming
	for _, p := range fn.Params {
		n.values = append(n.values, p)
	}
	for _, v := range fn.FreeVars {
		n.values = append(n.values, v)
	}
	for _, b := range fn.Blocks {
		kept := b.Instrs[:0]
		for _, i := range b.Instrs {
			ref, ok := i.(*ssa.DebugRef)
			if !ok {
				kept = append(kept, i)
				switch v := i.(type) {
				case *ssa.Phi:
					n.values = append(n.values, v)
				case *ssa.Alloc:
					n.values = append(n.values, v)
				}
				continue
			}
			if refs := ref.X.Referrers(); refs != nil {
				*refs = slices.DeleteFunc(*refs, func(r ssa.Instruction) bool { return r == ref })
			}
			v, ok := ref.Object().(*types.Var)
			if !ok || v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				continue // not a variable of a function
			}
			n.list = append(n.list, Naming{b.Index, len(kept), v, ref.X, ref.IsAddr})
			n.values = append(n.values, ref.X)
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
	if n.list != nil {
		prog.naming.Store(fn, n)
	}
}

package findings

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Calls is a call graph.
type Calls interface {
	Callees(site ssa.CallInstruction) []*ssa.Function
	Body(fn *ssa.Function) *ssa.Function
}

// A Reach is a set of functions, with those of other variants of their packages.
type Reach struct {
	fset  *token.FileSet
	names map[token.Position]bool
}

// NewReach returns the functions that may be called when fn is, with those that they refer to: the standard
// library may call these.
func NewReach(fset *token.FileSet, g Calls, fn *ssa.Function) *Reach {
	r := &Reach{fset, map[token.Position]bool{}}
	seen := map[*ssa.Function]bool{}
	var list []*ssa.Function
	add := func(fn *ssa.Function) {
		if fn != nil && !seen[fn] {
			seen[fn] = true
			r.names[fset.Position(fn.Pos())] = true
			list = append(list, fn)
		}
	}
	add(fn)
	var operands []*ssa.Value
	for len(list) > 0 {
		body := g.Body(list[len(list)-1])
		list = list[:len(list)-1]
		if body == nil {
			continue
		}
		for _, b := range body.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					for _, callee := range g.Callees(call) {
						add(callee)
					}
				}
				operands = i.Operands(operands[:0])
				for _, o := range operands {
					if callee, ok := (*o).(*ssa.Function); ok {
						add(callee)
					}
				}
			}
		}
	}
	return r
}

// Has reports whether p is in one of the functions; a place outside of functions always is.
func (r *Reach) Has(p *Place) bool {
	return p.Instr == nil || r.names[r.fset.Position(p.Instr.Parent().Pos())]
}

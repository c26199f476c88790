package confirm

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/static/findings"
)

// Callees is a call graph.
type Callees interface {
	Callees(site ssa.CallInstruction) []*ssa.Function
	Body(fn *ssa.Function) *ssa.Function
}

// reached returns the functions that may be called when fn is, with those that it refers to: the standard
// library may call them.
func reached(g Callees, fn *ssa.Function) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	var list []*ssa.Function
	add := func(fn *ssa.Function) {
		if fn != nil && !seen[fn] {
			seen[fn] = true
			list = append(list, fn)
		}
	}
	add(fn)
	for len(list) > 0 {
		fn := list[len(list)-1]
		list = list[:len(list)-1]
		body := g.Body(fn)
		if body == nil {
			continue
		}
		var operands []*ssa.Value
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
	return seen
}

// functionOf returns the function of a place, nil if it is none's.
func functionOf(p *findings.Place) *ssa.Function {
	if p.Instr == nil {
		return nil
	}
	return p.Instr.Parent()
}

// names returns what identifies the functions of a set: a variant of a package with its tests has functions of
// its own for the same declarations.
func names(fset *token.FileSet, set map[*ssa.Function]bool) map[string]bool {
	list := map[string]bool{}
	for fn := range set {
		list[nameOf(fset, fn)] = true
	}
	return list
}

func nameOf(fset *token.FileSet, fn *ssa.Function) string {
	return fset.Position(fn.Pos()).String()
}

// reaches reports whether an exploration has executed the line.
func reaches(c *explore.Coverage, at line) bool {
	if c == nil {
		return false
	}
	for i, b := range c.Blocks {
		if b.File == at.file && b.First <= at.n && at.n <= b.Last && c.Executed(i) {
			return true
		}
	}
	return false
}

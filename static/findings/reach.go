package findings

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// Calls is a call graph.
type Calls interface {
	Callees(site ssa.CallInstruction) []*ssa.Function
	Body(fn *ssa.Function) *ssa.Function
}

// A Reach is a set of functions, with those of other variants of their packages.
type Reach struct {
	fset  *token.FileSet
	calls map[token.Position]int // positions of calls that lead to these functions
}

// NewReach returns the functions that a call of fn may call, and those that they refer to, because the
// standard library may call these.
func NewReach(fset *token.FileSet, g Calls, fn *ssa.Function) *Reach {
	r := &Reach{fset, map[token.Position]int{}}
	seen := map[*ssa.Function]int{}
	var list []*ssa.Function
	n := 0
	add := func(fn *ssa.Function) {
		if fn == nil {
			return
		}
		if _, ok := seen[fn]; !ok {
			seen[fn] = n
			if at := fset.Position(fn.Pos()); r.calls[at] == 0 {
				r.calls[at] = n + 1
			}
			list = append(list, fn)
		}
	}
	add(fn)
	var operands []*ssa.Value
	for len(list) > 0 { // the nearest first
		n = seen[list[0]] + 1
		body := g.Body(list[0])
		list = list[1:]
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

// Has reports whether p is in one of the functions; a place outside of functions counts as being in one.
func (r *Reach) Has(p *Place) bool { return p.Instr == nil || r.Calls(p) > 0 }

// Calls returns the number of functions on the shortest known path of calls to p, including the first one
// and that of p; 0 if there is none.
func (r *Reach) Calls(p *Place) int {
	if p.Instr == nil {
		return 0
	}
	return r.calls[r.fset.Position(p.Instr.Parent().Pos())]
}

// Static is a call graph of the calls whose callees are known without an analysis.
type Static struct{ Prog *load.Program }

// Callees implements Calls.
func (s Static) Callees(site ssa.CallInstruction) []*ssa.Function {
	if fn := site.Common().StaticCallee(); fn != nil {
		return []*ssa.Function{fn}
	}
	return nil
}

// Body implements Calls. Functions of the standard library have none.
func (s Static) Body(fn *ssa.Function) *ssa.Function {
	if fn.Prog == nil {
		return fn
	}
	if pkg := s.Prog.PackageOf(fn); pkg == nil || pkg.Std {
		return nil
	}
	s.Prog.EnsureBuilt(fn)
	return fn
}

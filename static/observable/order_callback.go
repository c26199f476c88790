package observable

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"
)

// VisitMatters reports whether the order of the entries may change the effect of a function that
// sync.Map's Range calls, while no other goroutine exists that could notice or change anything.
//
//	m.Range(func(k, v any) bool { other.Store(k, v); return true })
//
// The body is like that of a loop (OrderMatters), with the parameters in place of the entry. It
// never ends the loop, because it always returns true. A value that it stores in a sync.Map under
// the key of the entry belongs to the iteration. The iteration does not read such values, because
// methods of sync.Map do not count as functions that only read.
func VisitMatters(fn *ssa.Function, bodies Bodies) bool {
	if len(fn.Params) != 2 || len(fn.Blocks) == 0 || fn.Recover != nil {
		return true
	}
	l := &mapLoop{body: map[*ssa.BasicBlock]bool{}, taken: map[ssa.Instruction]bool{}}
	l.bodies, l.calling = bodies, map[*ssa.Function]bool{fn: true}
	l.head, l.params = fn.Blocks[0], fn.Params
	for _, b := range fn.Blocks {
		l.body[b] = true
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		c, ok := r.Results[0].(*ssa.Const)
		//mutant: callbacks go on [env TestPrograms/syncmapinitstop]
		if !ok || c.Value == nil || !constant.BoolVal(c.Value) {
			return true
		}
		l.taken[r] = true
	}
	return !l.commutes()
}

// stores reports whether x stores a value in a sync.Map under the key of the entry.
func (l *mapLoop) stores(x *ssa.Call) bool {
	fn := x.Call.StaticCallee()
	//mutant: callbacks store under their keys [env TestPrograms/syncmapinitvalue]: drop 4
	return l.params != nil && fn != nil && fn.String() == "(*sync.Map).Store" && l.entry(x.Call.Args[1], 1)
}

package observable

import (
	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters, for functions that the body calls: they compute, read, write to variables of
// their own, and call functions of the same kind. So a call is like the instructions of the function, and
// the loop reads all that they read.
//
//	func (s *set) has(k string) bool { _, ok := s.m[k]; return ok }

// A frame is a call that is being inspected.
type frame struct {
	at   ssa.Instruction         // the call in the loop that led to it
	args map[ssa.Value]ssa.Value // the values of parameters in the loop, if known
	sure bool                    // the function is called whenever at is executed
}

// maxCalls is the largest depth of calls that are inspected.
const maxCalls = 8

// calls checks claim 1 for the function that x calls.
func (l *mapLoop) calls(x *ssa.Call, f *frame) bool {
	fn := x.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if pureFuncs[fn.String()] {
		if fn.Pkg.Pkg.Path() == "bytes" {
			l.read(x, x.Call.Args[0], f)
		}
		return true
	}
	if l.prints(x, f) {
		return true
	}
	if len(fn.FreeVars) > 0 || l.calling[fn] || len(l.calling) > maxCalls || l.bodies == nil {
		return false
	}
	blocks := l.bodies(fn)
	if len(blocks) == 0 || fn.Recover != nil {
		return false
	}
	g := &frame{at: x, args: map[ssa.Value]ssa.Value{}, sure: true}
	if f != nil {
		g.at, g.sure = f.at, f.sure && x.Block().Index == 0
	}
	for k, p := range fn.Params {
		a := x.Call.Args[k]
		if f != nil {
			a = f.args[a]
		}
		if a != nil {
			g.args[p] = a
		}
	}
	l.calling[fn] = true
	defer delete(l.calling, fn)
	//mutant: functions that are called end [order]
	l.endless = l.endless || mayBeEndless(blocks, nil)
	for _, b := range blocks {
		for _, i := range b.Instrs {
			if !l.pureIn(i, g) {
				return false
			}
		}
	}
	return true
}

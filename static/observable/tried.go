package observable

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// mostUses bounds the values that Untried follows.
const mostUses = 200

// Untried reports whether every operation on a channel made by mk waits: none is a case of a select with
// default. Then no goroutine can notice that another one is parked at the channel.
//
// Untried follows the channel through local and captured variables, and through arguments of static calls. It
// is false if the channel is returned, or is stored anywhere else (in a field, a package variable, an
// interface, a slice, a map, another channel), because the analysis does not follow the operations that may
// use it there.
func Untried(mk *ssa.MakeChan, bodies Bodies) bool {
	u := uses{bodies: bodies, seen: make(map[ssa.Value]bool)}
	return u.known(mk)
}

// uses follows the uses of a channel, and of variables that hold it.
type uses struct {
	bodies Bodies
	seen   map[ssa.Value]bool
}

// known reports whether all operations on v are known, and wait.
func (u *uses) known(v ssa.Value) bool {
	if u.seen[v] {
		return true
	}
	u.seen[v] = true
	if v.Referrers() == nil || len(u.seen) > mostUses {
		return false
	}
	for _, r := range *v.Referrers() {
		if !u.waits(v, r) {
			return false
		}
	}
	return true
}

// waits covers the operations by instruction r, and by instructions that use the result of r.
func (u *uses) waits(v ssa.Value, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.Send:
		//mutant: a channel that is sent is known [test ./static/observable TestUntried]: "r.X != v" -> "true || r.X != v"
		return r.X != v
	case *ssa.UnOp:
		return r.Op == token.ARROW || r.Op == token.MUL && u.known(r)
	case *ssa.Select:
		for _, s := range r.States {
			if s.Send == v {
				return false
			}
		}
		//mutant: a select with default waits [test ./static/observable TestUntried]: "r.Blocking" -> "true || r.Blocking"
		return r.Blocking
	case *ssa.Phi:
		return u.known(r)
	case *ssa.ChangeType:
		return u.known(r)
	case *ssa.Store:
		if r.Addr == v {
			return r.Val != v
		}
		variable, local := r.Addr.(*ssa.Alloc)
		//mutant: a channel in a field is known [test ./static/observable TestUntried]: "local && u.known(variable)" -> "true || local && u.known(variable)"
		return local && u.known(variable)
	case *ssa.MakeClosure:
		fn := r.Fn.(*ssa.Function)
		if u.bodies(fn) == nil {
			return false
		}
		for i, b := range r.Bindings {
			//mutant: closures do not use what they capture [test ./static/observable TestUntried]: "b == v && " -> "false && b == v && "
			if b == v && !u.known(fn.FreeVars[i]) {
				return false
			}
		}
		return true
	case ssa.CallInstruction:
		return u.passes(v, r.Common())
	}
	return false
}

// passes is known for the operations of a call, and of its callee.
func (u *uses) passes(v ssa.Value, call *ssa.CallCommon) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok {
		return b.Name() == "close" || b.Name() == "len" || b.Name() == "cap"
	}
	fn := call.StaticCallee()
	if fn == nil || call.Value == v || u.bodies(fn) == nil || len(fn.Params) != len(call.Args) {
		return false
	}
	for i, a := range call.Args {
		//mutant: functions do not use their arguments [test ./static/observable TestUntried]: "a == v && " -> "false && a == v && "
		if a == v && !u.known(fn.Params[i]) {
			return false
		}
	}
	return true
}

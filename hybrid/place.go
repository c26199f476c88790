package hybrid

import (
	"slices"

	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Live shows one goroutine of the present state.
type Live interface {
	// Stack returns the frames, innermost first.
	Stack() []Frame
	// Register returns the first word of the register of v in frame i, which
	// holds v while v is live.
	Register(i int, v ssa.Value) (uint64, bool)
	// Deferred calls f for the deferred calls pending in frame i, newest first.
	// fn is nil for a builtin. The words are valid during the call.
	Deferred(i int, f func(fn *ssa.Function, args, captured []uint64))
	// ByValue reports whether closures of fn have copies of the variable that is
	// their free variable i.
	ByValue(fn *ssa.Function, i int) bool
	// Word returns the word at address p, if it cannot change as long as the
	// facts are relied upon.
	Word(p uint64) (uint64, bool)
	// Address returns the address of a package variable.
	Address(g *ssa.Global) uint64
	// Operand returns the object of the pending operation, 0 if there is none.
	Operand() uint64
}

// Facts name objects by paths (static.Path): a parameter, a variable, fields and loads from
// there. A frameEnv evaluates them in a frame of the present state, a callEnv in a call that has not begun
// yet.

// frameEnv is the activation of frame i, for facts about its present point.
//
// It evaluates values of the function itself, not paths of a fact that begin elsewhere.
type frameEnv struct {
	l      Live
	i      int
	fn     *ssa.Function
	at     ssa.Instruction
	after  bool // the fact is about the point after at
	lives  map[liveKey]bool
	defers []*ssa.Defer         // the pending deferred calls, newest last, if they are known
	saved  map[ssa.Value]uint64 // arguments of pending calls
}

// Value implements static.Env.
//
// A value of another function, as of a caller, is not in this frame.
func (p *frameEnv) Value(v ssa.Value) (uint64, bool) {
	if c, ok := v.(*ssa.Const); ok {
		return constant(c)
	}
	if v.Parent() != p.fn {
		return 0, false
	}
	if fv, ok := v.(*ssa.FreeVar); ok && p.l.ByValue(p.fn, slices.Index(p.fn.FreeVars, fv)) {
		return 0, false // the register has the variable's value, not its address
	}
	return p.register(v)
}

// Captured implements static.Env.
//
// Facts distinguish a variable's address (Value) from its value (Captured); the register has one of the
// two.
func (p *frameEnv) Captured(fv *ssa.FreeVar) (uint64, bool) {
	if fv.Parent() != p.fn || !p.l.ByValue(p.fn, slices.Index(p.fn.FreeVars, fv)) {
		return 0, false
	}
	return p.register(fv)
}

// register returns the value of v, if its register still holds it. The compiler shares registers between
// values, so a value that is dead at this point may have been overwritten; then the record of a deferred
// call may have it.
func (p *frameEnv) register(v ssa.Value) (uint64, bool) {
	k := liveKey{v, p.at, p.after}
	live, ok := p.lives[k]
	if !ok {
		live = liveAt(v, p.at, p.after)
		p.lives[k] = live
	}
	if live {
		return p.l.Register(p.i, v)
	}
	if p.saved == nil {
		p.save()
	}
	x, ok := p.saved[v]
	return x, ok
}

// save takes values that may have no register any more from the records of pending
// deferred calls.
//
//	mu := &s.mu; mu.Lock()
//	defer mu.Unlock()        the record has mu, though no instruction of the frame uses it any more
//	x++                      ◂ here
//
// The records are in the order of the defer statements that are known to be pending, so each belongs to one
// statement. If the numbers differ, no record is used.
func (p *frameEnv) save() {
	p.saved = map[ssa.Value]uint64{}
	k := len(p.defers)
	p.l.Deferred(p.i, func(fn *ssa.Function, args, captured []uint64) {
		if k--; k < 0 || fn == nil {
			return
		}
		c := p.defers[k].Common()
		if c.IsInvoke() {
			return
		}
		i := 0
		for _, a := range c.Args {
			if i < len(args) {
				p.saved[a] = args[i]
			}
			i += words(a.Type())
		}
		mc, ok := c.Value.(*ssa.MakeClosure)
		if !ok || mc.Fn != fn {
			return
		}
		place := callEnv{p.l, fn, args, captured}
		for i, b := range mc.Bindings {
			x, ok := place.free(fn.FreeVars[i])
			switch {
			case !ok:
			case !p.l.ByValue(fn, i):
				p.saved[b] = x
			default:
				for _, r := range *b.Referrers() {
					if st, ok := r.(*ssa.Store); ok && st.Addr == b {
						p.saved[st.Val] = x // the only one
					}
				}
			}
		}
	})
	if k != 0 {
		clear(p.saved) // not the expected call
	}
}

// Word implements static.Env.
func (p *frameEnv) Word(a uint64) (uint64, bool) { return p.l.Word(a) }

// Address implements static.Env.
func (p *frameEnv) Address(g *ssa.Global) uint64 { return p.l.Address(g) }

// callEnv is the activation of a future call, with the known arguments.
//
// Arguments are words in the order of the parameters; captured variables are words in the order
// of the free variables, addresses or values (ByValue).
type callEnv struct {
	l              Live
	fn             *ssa.Function
	args, captured []uint64
}

// Value implements static.Env.
func (p *callEnv) Value(v ssa.Value) (uint64, bool) {
	switch x := v.(type) {
	case *ssa.Const:
		return constant(x)
	case *ssa.Parameter:
		k := 0
		for _, q := range p.fn.Params {
			if q == x {
				return word(p.args, k)
			}
			k += words(q.Type())
		}
	case *ssa.FreeVar:
		if x.Parent() == p.fn && !p.l.ByValue(p.fn, slices.Index(p.fn.FreeVars, x)) {
			return p.free(x)
		}
	}
	return 0, false
}

// Captured implements static.Env.
func (p *callEnv) Captured(fv *ssa.FreeVar) (uint64, bool) {
	if fv.Parent() != p.fn || !p.l.ByValue(p.fn, slices.Index(p.fn.FreeVars, fv)) {
		return 0, false
	}
	return p.free(fv)
}

// free returns the word of fv among the captured ones, the first of its value.
func (p *callEnv) free(fv *ssa.FreeVar) (uint64, bool) {
	k := 0
	for i, q := range p.fn.FreeVars {
		if q == fv {
			return word(p.captured, k)
		}
		if p.l.ByValue(p.fn, i) {
			k += words(q.Type().Underlying().(*types.Pointer).Elem())
		} else {
			k++
		}
	}
	return 0, false
}

// Word implements static.Env.
func (p *callEnv) Word(a uint64) (uint64, bool) { return p.l.Word(a) }

// Address implements static.Env.
func (p *callEnv) Address(g *ssa.Global) uint64 { return p.l.Address(g) }

func word(list []uint64, k int) (uint64, bool) {
	if k >= len(list) {
		return 0, false
	}
	return list[k], true
}

var gcSizes = types.SizesFor("gc", "amd64")

func words(t types.Type) int { return int(gcSizes.Sizeof(t)+7) / 8 }

// constant returns the word that is c, an integer.
func constant(c *ssa.Const) (uint64, bool) {
	if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && c.Value != nil {
		return uint64(c.Int64()), true
	}
	return 0, false
}

type liveKey struct {
	v     ssa.Value
	at    ssa.Instruction
	after bool
}

// liveAt reports whether v, having been computed, may still be used at instr or later without being computed
// again. Then its register holds v, because the compiler of the machine shares registers only between values
// that are never live together.
//
// It computes liveness for a single value, by searching from the instruction for a use before any
// recomputation. A use by a phi is on an edge: it counts for the predecessor that it belongs to.
func liveAt(v ssa.Value, instr ssa.Instruction, after bool) bool {
	uses := map[ssa.Instruction]bool{}
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		if _, debug := r.(*ssa.DebugRef); !debug {
			uses[r] = true
		}
	}
	def, _ := v.(ssa.Instruction)
	// scan reports whether list uses v (stop, live) or computes it (stop).
	scan := func(list []ssa.Instruction) (live, stop bool) {
		for _, i := range list {
			if _, phi := i.(*ssa.Phi); uses[i] && !phi {
				return true, true
			}
			if i == def {
				return false, true
			}
		}
		return false, false
	}
	b := instr.Block()
	start := slices.Index(b.Instrs, instr)
	if after {
		start++
	}
	live, stop := scan(b.Instrs[start:])
	if stop {
		return live
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range x.Succs {
			for _, i := range s.Instrs {
				phi, ok := i.(*ssa.Phi)
				if !ok {
					break
				}
				for k, pred := range s.Preds {
					if pred == x && phi.Edges[k] == v {
						return true
					}
				}
			}
			if seen[s] {
				continue
			}
			seen[s] = true
			live, stop := scan(s.Instrs)
			if live {
				return true
			}
			if !stop {
				work = append(work, s)
			}
		}
	}
	return false
}

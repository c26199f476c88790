package findings

import "golang.org/x/tools/go/ssa"

// Phases in which no other goroutine has an object: the constructor, and the functions that it calls.

// early reports whether no other goroutine can have the object of v when instr is executed: the function of
// instr has allocated it, and not shared it yet, or all callers pass an object for which this holds.
//
//	func New(n int) *T {
//		t := &T{}
//		t.reset(n)          early
//		go t.loop()
//		t.reset(n)          not early
//		return t
//	}
func (p *pass) early(v ssa.Value, instr ssa.Instruction, depth int) bool {
	if v == nil || v.Parent() != instr.Parent() {
		return false
	}
	prm, ok := v.(*ssa.Parameter)
	if !ok {
		return p.makes(v, freshDepth) && !p.sharedBefore(v, instr, freshDepth)
	}
	fn := instr.Parent()
	//mutant: findings: users call no method of an object [test ./static/findings TestWant]: "!p.sawAll(fn)" -> "false"
	if depth == 0 || fn.Parent() != nil || !p.sawAll(fn) || len(p.callers[fn]) == 0 || p.sharedBefore(v, instr, freshDepth) {
		return false
	}
	for _, site := range p.callers[fn] {
		arg := argument(site, fn, prm)
		//mutant: findings: one constructor among the callers suffices [test ./static/findings TestWant]: "!p.early(arg, site, depth-1)" -> "false"
		if arg == nil || !p.user(site.Parent()) || !p.early(arg, site, depth-1) {
			return false
		}
	}
	return true
}

// constructs reports whether site calls fn, a method, for an object that no other goroutine has yet.
func (p *pass) constructs(site ssa.CallInstruction, fn *ssa.Function) bool {
	if fn.Signature.Recv() == nil || len(fn.Params) == 0 {
		return false
	}
	arg := argument(site, fn, fn.Params[0])
	return arg != nil && p.early(arg, site, 1)
}

// argument returns the value that a call of fn passes for a parameter; nil: unknown.
func argument(site ssa.CallInstruction, fn *ssa.Function, prm *ssa.Parameter) ssa.Value {
	call, ok := site.(*ssa.Call)
	if !ok || call.Call.StaticCallee() != fn {
		return nil // a deferred call or a goroutine begins later
	}
	for i, x := range fn.Params {
		if x == prm && i < len(call.Call.Args) {
			return call.Call.Args[i]
		}
	}
	return nil
}

// sharedBefore reports whether other functions may have the object at v when instr is executed.
func (p *pass) sharedBefore(v ssa.Value, instr ssa.Instruction, depth int) bool {
	return p.sharesAt(v, depth, func(use ssa.Instruction) bool {
		//mutant: findings: what comes later shares an object, too [test ./static/findings TestWant]: "use != instr && reaches(use, instr)" -> "use != instr"
		return use != instr && reaches(use, instr)
	})
}

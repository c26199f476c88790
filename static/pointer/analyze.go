package pointer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// analysis is the state of one analysis.
type analysis struct {
	solver
	alone  bool   // libraries have no users
	own    bool   // see AnalyzeOwn
	few    bool   // contexts: see maxContexts
	work   uint64 // elements that were propagated, once for each receiver
	most   uint64 // bound on work; 0: none
	prog   *load.Program
	policy *Policy
	lays   *layouts

	objs     []*Object // by number; 0 is nil
	objIndex map[objectKey]*Object
	descr    *Object
	texts    *Object
	// panicRecord is the argument of hbFatalPanic.
	panicRecord *Object

	funcs     map[*ssa.Function]*function
	insts     []*instance
	instIndex map[instanceKey]*instance
	todo      []*instance // bodies to be turned into constraints
	outside   *callSite   // calls by the machine and by opaque code

	models    map[*ssa.Function]model
	methods   map[methodKey]*ssa.Function
	boxCalls  map[*ssa.Function][]boxCall // by wrapper that the machine calls
	wrappers  map[*ssa.Function][]*instance
	impl      map[types.Type]map[types.Type]bool // see Analyses
	partAt    map[partKey]bool
	externals map[externalKey]*external

	panics     nodeID // values of all panics
	exposedReg nodeID
	textReg    nodeID
	slotBuf    []slot

	edges int // of the call graph
}

// Analyze computes the points-to relation and the call graph of the executions
// of the entries, all together.
func Analyze(prog *load.Program, entries ...*load.Entry) *Result {
	return AnalyzeUntil(func() bool { return false }, prog, entries...)
}

// AnalyzeUntil is Analyze, but returns nil after interrupt has returned true. It is called now and then.
func AnalyzeUntil(interrupt func() bool, prog *load.Program, entries ...*load.Entry) *Result {
	return Of(prog).Within(0, interrupt, entries...)
}

// AnalyzeWithin is AnalyzeUntil with a bound on the work, in elements of points-to sets that are passed on.
// It returns nil when the bound is reached, at the same place on every machine.
func AnalyzeWithin(work uint64, interrupt func() bool, prog *load.Program, entries ...*load.Entry) *Result {
	return Of(prog).Within(work, interrupt, entries...)
}

// AnalyzeWithoutUsers is Analyses.WithoutUsers.
func AnalyzeWithoutUsers(work uint64, interrupt func() bool, prog *load.Program, entries ...*load.Entry) *Result {
	return Of(prog).WithoutUsers(work, interrupt, entries...)
}

// AnalyzeOwn is Analyses.Own.
func AnalyzeOwn(work uint64, interrupt func() bool, prog *load.Program, entries ...*load.Entry) *Result {
	return Of(prog).Own(work, interrupt, entries...)
}

// analyze completes a, which specifies the kind of analysis.
func (s *Analyses) analyze(a *analysis, interrupt func() bool, entries []*load.Entry) *Result {
	a.solver = newSolver()
	a.prog = s.prog
	a.objs = make([]*Object, 1)
	a.objIndex = make(map[objectKey]*Object)
	a.funcs = make(map[*ssa.Function]*function)
	a.instIndex = make(map[instanceKey]*instance)
	a.outside = new(callSite)
	a.models = make(map[*ssa.Function]model)
	a.methods = make(map[methodKey]*ssa.Function)
	a.boxCalls = make(map[*ssa.Function][]boxCall)
	a.wrappers = make(map[*ssa.Function][]*instance)
	a.impl = s.impl
	a.partAt = make(map[partKey]bool)
	a.externals = make(map[externalKey]*external)
	a.policy = newPolicy(s.prog, s.lays)
	if a.few {
		a.policy.refuses = func(fn *ssa.Function, c Context) bool {
			f := a.funcs[fn]
			return f != nil && f.contexts >= maxContexts && a.instIndex[instanceKey{fn, c}] == nil
		}
	}
	a.lays = s.lays
	a.panics = a.registers(1)
	a.machineRoots()
	for _, e := range entries {
		a.roots(e)
	}
	if !a.solve(interrupt) {
		return nil
	}
	return newResult(a)
}

// solve generates and propagates until nothing is left to do. The two alternate: a call through a func or
// an interface finds callees while it is solved, whose bodies then have to be turned into constraints.
// Bodies come first: constraints should be added before their variables have values, where possible. It
// reports false if it was interrupted.
func (a *analysis) solve(interrupt func() bool) bool {
	n := 0
	over := func() bool { // 64 bodies take less than 100 ms
		n++
		//mutant: pointer: the work has no bound [test ./static/pointer TestWithin]: "a.most > 0 && a.work > a.most || " -> ""
		return a.most > 0 && a.work > a.most || n&0x3f == 1 && interrupt()
	}
	for {
		if over() {
			return false
		}
		for len(a.todo) > 0 {
			if over() {
				return false
			}
			inst := a.todo[len(a.todo)-1]
			a.todo = a.todo[:len(a.todo)-1]
			a.generate(inst)
		}
		if !a.propagate() {
			return true
		}
	}
}

// machineRoots adds the functions that the machine itself calls in every program: those that raise and
// report run-time panics.
func (a *analysis) machineRoots() {
	if rt := a.prog.Package("runtime"); rt != nil {
		for _, fn := range declared(rt.SSA) {
			if strings.HasPrefix(fn.Name(), "hbPanic") && fn.Signature.Recv() == nil {
				a.root(fn, func(r nodeID, _ types.Type) { a.add(r, a.descriptors().base) })
			}
		}
		if fn := rt.SSA.Func("hbFatalPanic"); fn != nil {
			a.root(fn, func(r nodeID, t types.Type) {
				p := t.Underlying().(*types.Pointer).Elem()
				o := a.object(objectKey{site: fn, kind: Native}, p, a.lays.of(p))
				a.panicRecord = o
				a.add(r, o.base)
				for i, k := range o.lay.ptrs {
					switch o.lay.leaves[k].kind {
					case ifaceLeaf:
						a.copy(o.base+nodeID(k), a.panics)
					default:
						if i == 0 {
							a.add(o.base+nodeID(k), o.base) // the record of the previous panic
						}
					}
				}
			})
		}
	}
}

// roots adds the functions called for entry e: the initialisers of packages, and the entry itself.
func (a *analysis) roots(e *load.Entry) {
	for _, p := range a.prog.InitOrder(e) {
		a.root(p.Func("init"), nil)
	}
	if a.prog.TellsOfCollection(e) { // the collector has no effect while other goroutines can move
		a.root(a.prog.Package("runtime").SSA.Func("collector"), nil)
	}
	switch {
	case e.Kind == load.Library && a.alone:
		for _, m := range e.Exports {
			if fn, ok := m.(*ssa.Function); ok {
				a.root(fn, nil)
			}
		}
		return
	case e.Kind == load.Library:
		a.client(e)
		return
	}
	// The runner of an entry has parameters of three types: strings, functions like the test, and
	// functions like TestMain.
	tests := func(r nodeID) {
		a.add(r, a.funcOf(e.Func).base)
		if e.Beside != nil {
			a.add(r, a.funcOf(e.Beside.Func).base)
		}
	}
	if p := a.prog.Package("testing"); p != nil && e.Kind == load.Test {
		a.root(p.SSA.Func(e.Runner()), func(r nodeID, t types.Type) {
			switch sig, ok := t.Underlying().(*types.Signature); {
			case !ok: // of a string
			case e.TestMain != nil && types.Identical(sig, e.TestMain.Signature):
				a.add(r, a.funcOf(e.TestMain).base)
			default:
				tests(r)
			}
		})
		return
	}
	if e.Symbolic {
		inst := a.instance(e.Func, 0)
		a.link(nil, nil, inst)
		for i := range e.Func.Signature.Params().Len() {
			if t := e.Func.Signature.Params().At(i).Type(); a.lays.holdsPointers(t) {
				a.inputs(e.Func, 0, inst.arg(i), t)
			}
		}
		return
	}
	a.root(e.Func, nil)
}

// root adds a call of fn by the machine; arg sets each parameter that has a pointer.
func (a *analysis) root(fn *ssa.Function, arg func(r nodeID, t types.Type)) {
	inst := a.instance(fn, 0)
	a.link(nil, nil, inst)
	for i := range fn.Signature.Params().Len() {
		if t := fn.Signature.Params().At(i).Type(); len(a.lays.of(t).ptrs) > 0 && arg != nil {
			arg(inst.arg(i), t)
		}
	}
}

package findings

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// calls calls f for each call in the user's code of a function with that name.
func (p *pass) calls(f func(fn *ssa.Function, site ssa.CallInstruction, name string)) {
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if site, ok := instr.(ssa.CallInstruction); ok {
					if g := site.Common().StaticCallee(); g != nil {
						f(fn, site, g.String())
					}
				}
			}
		}
	}
}

// checksAgain reports whether a branch after wait depends on a variable that a branch before it depends on:
// then the function handles a condition that is false again.
func (p *pass) checksAgain(wait ssa.Instruction) bool {
	var tested []static.Path
	for _, b := range wait.Parent().Blocks {
		if test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && splits(b, wait) {
			for _, load := range loads(test.Cond, 4) {
				tested = append(tested, p.Base.Paths.Of(load.X))
			}
		}
	}
	return slices.ContainsFunc(wait.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		return ok && slices.ContainsFunc(loads(test.Cond, 4), func(load *ssa.UnOp) bool {
			later := load.Block() != wait.Block() && wait.Block().Dominates(load.Block()) ||
				load.Block() == wait.Block() && slices.Index(b.Instrs, ssa.Instruction(load)) > slices.Index(b.Instrs, wait)
			path := p.Base.Paths.Of(load.X)
			return later && path != static.Unknown && slices.Contains(tested, path)
		})
	})
}

// loads returns the loads that v is computed from by at most depth operations.
func loads(v ssa.Value, depth int) (list []*ssa.UnOp) {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return []*ssa.UnOp{v}
		}
		return loads(v.X, depth-1)
	case *ssa.BinOp:
		return append(loads(v.X, depth-1), loads(v.Y, depth-1)...)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return loads(v.Call.Args[0], depth-1)
		}
	}
	return nil
}

// checkCond finds calls of Cond.Wait outside of a loop (HBA305).
func checkCond(p *pass) {
	p.findCallers()
	p.calls(func(fn *ssa.Function, site ssa.CallInstruction, name string) {
		//mutant: no Wait is in a loop [test ./static/findings TestWant]: " || inLoop(site.Block())" -> ""
		if name != "(*sync.Cond).Wait" || inLoop(site.Block()) {
			return
		}
		if p.calledInLoops(fn, 3) {
			return // a helper
		}
		//mutant: findings: no condition is checked again after a Wait [test ./static/findings TestKernels]: "p.checksAgain(site)" -> "false"
		if p.checksAgain(site) {
			return
		}
		//mutant: findings: a Cond announces nothing that stays [test ./static/findings TestWant]: "p.announces(site)" -> "false"
		if p.announces(site) {
			return
		}
		sure := Medium
		//mutant: findings: each Wait outside of a loop has a condition [test ./static/findings TestWant]: "untested(site)" -> "false"
		if untested(site) {
			sure = High
		}
		f := p.report("HBA305", sure, site, "Cond.Wait outside of a loop: when it returns, the condition may be false again; check it again, as in for !condition { Wait }")
		if by := p.signal(site.Common().Args[0]); by != nil {
			other := p.place(by, "it is signalled here")
			f.Related, f.Other = append(f.Related, other), &other
		}
	})
}

// untested reports whether wait follows a Lock without a branch in between: then a signal that came before
// the Lock is lost. A wait that follows a test of its condition may be right, for example if one goroutine
// waits for something that stays.
func untested(wait ssa.CallInstruction) bool {
	b := wait.Block()
	before := b.Instrs[:slices.Index(b.Instrs, ssa.Instruction(wait))]
	for {
		for _, instr := range before {
			if call, ok := instr.(*ssa.Call); ok && calledName(call) == "Lock" {
				return true
			}
		}
		if len(b.Preds) != 1 || len(b.Preds[0].Succs) != 1 {
			return false
		}
		b = b.Preds[0]
		before = b.Instrs
	}
}

// calledName returns the name of the method or function that call names.
func calledName(call *ssa.Call) string {
	if g := call.Call.StaticCallee(); g != nil {
		return g.Name()
	}
	if call.Call.IsInvoke() {
		return call.Call.Method.Name()
	}
	return ""
}

// signal returns a call that signals a Cond of the same kind as cond; nil if there is none.
func (p *pass) signal(cond ssa.Value) (by ssa.Instruction) {
	class := p.condClass(cond)
	p.calls(func(fn *ssa.Function, site ssa.CallInstruction, name string) {
		//mutant: findings: any Cond is signalled for another one [test ./static/findings TestWaker]: "p.condClass(site.Common().Args[0]) == class" -> "true"
		if by == nil && class != "" && (name == "(*sync.Cond).Signal" || name == "(*sync.Cond).Broadcast") && p.condClass(site.Common().Args[0]) == class {
			by = site
		}
	})
	return by
}

// condClass returns the class of a variable that is, or points to, a Cond.
func (p *pass) condClass(cond ssa.Value) string {
	if load, ok := cond.(*ssa.UnOp); ok && load.Op == token.MUL {
		cond = load.X
	}
	return p.Base.Paths.Class(p.Base.Paths.Of(cond))
}

// calledInLoops reports whether each path of at most depth calls to fn goes through a loop.
func (p *pass) calledInLoops(fn *ssa.Function, depth int) bool {
	callers := p.callers[fn]
	return depth > 0 && len(callers) > 0 && !slices.ContainsFunc(callers, func(c ssa.CallInstruction) bool {
		//mutant: findings: loops are in the caller itself [test ./static/findings TestWant]: " && !p.calledInLoops(c.Parent(), depth-1)" -> ""
		return !inLoop(c.Block()) && !p.calledInLoops(c.Parent(), depth-1)
	})
}

// testFailures are the methods of package testing that end the goroutine they are called in.
var testFailures = []string{"Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow"}

// checkTesting finds t.Fatal and similar calls in a goroutine other than the test's (HBA404).
func checkTesting(p *pass) {
	seen := map[ssa.Instruction]bool{}
	var visit func(start ssa.Instruction, fn *ssa.Function, chain []ssa.Instruction)
	visit = func(start ssa.Instruction, fn *ssa.Function, chain []ssa.Instruction) {
		if !p.user(fn) || len(chain) > 4 {
			return
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				site, ok := instr.(*ssa.Call)
				if !ok {
					continue
				}
				g := site.Call.StaticCallee()
				if g == nil || slices.Contains(chain, instr) {
					continue
				}
				if recv := g.Signature.Recv(); recv != nil && slices.Contains(testFailures, g.Name()) && strings.HasPrefix(strings.TrimLeft(g.String(), "(*"), "testing.") {
					if !seen[instr] {
						seen[instr] = true
						p.report("HBA404", High, instr, fmt.Sprintf("%s in a goroutine other than the test's: it ends this goroutine, and the test continues", g.Name()), append([]Place{p.place(start, "the goroutine is started here")}, p.chain(chain, "which calls it")...)...)
					}
					continue
				}
				visit(start, g, append(slices.Clone(chain), instr))
			}
		}
	}
	p.eachStart(func(fn *ssa.Function, step static.Step, c static.Callee) { visit(step.Instr(), c.Fn, nil) })
}

// eachStart calls f for each function that the user's code starts as a goroutine.
func (p *pass) eachStart(f func(fn *ssa.Function, step static.Step, c static.Callee)) {
	for _, fn := range p.list {
		code := p.Base.Code(fn)
		for _, b := range fn.Blocks {
			for _, step := range code.Steps(b.Index) {
				if step.Kind() != static.Starts {
					continue
				}
				for _, c := range step.Callees() {
					if c.Fn != nil {
						f(fn, step, c)
					}
				}
			}
		}
	}
}

// chanSizes returns the buffer sizes of the channels that v may be, -1 for sizes that are not constant. ok
// is false if v may be an unknown channel.
func (p *pass) chanSizes(v ssa.Value) (sizes []int64, ok bool) {
	set := p.Graph.Result().PointsToAnywhere(v)
	if set.Universal() || set.Len() == 0 {
		return nil, false
	}
	for l := range set.Labels() {
		mc, isMake := l.Object.Site.(*ssa.MakeChan)
		if !isMake {
			return nil, false
		}
		n := int64(-1)
		if k, isConst := mc.Size.(*ssa.Const); isConst && k.Value != nil && k.Value.Kind() == constant.Int {
			n = k.Int64()
		}
		sizes = append(sizes, n)
	}
	return sizes, true
}

// checkNotify finds channels without a buffer for signals (HBA206).
func checkNotify(p *pass) {
	p.calls(func(fn *ssa.Function, site ssa.CallInstruction, name string) {
		if name != "os/signal.Notify" || len(site.Common().Args) == 0 {
			return
		}
		if sizes, ok := p.chanSizes(site.Common().Args[0]); ok && !slices.ContainsFunc(sizes, func(n int64) bool { return n != 0 }) {
			p.report("HBA206", High, site, "signal.Notify with a channel without a buffer: a signal that comes while no goroutine receives is lost; make the channel with a buffer of 1")
		}
	})
}

// checkNil finds operations on nil channels (HBA205).
func checkNil(p *pass) {
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				var ch ssa.Value
				verb := "send to"
				switch x := instr.(type) {
				case *ssa.Send:
					ch = x.Chan
				case *ssa.UnOp:
					if _, ok := x.X.Type().Underlying().(*types.Chan); ok {
						ch, verb = x.X, "receive from"
					}
				}
				if ch == nil || p.Graph.Result().PointsToAnywhere(ch).Len() > 0 {
					continue
				}
				if k, ok := ch.(*ssa.Const); ok && k.Value == nil {
					p.report("HBA205", High, instr, verb+" a nil channel blocks forever")
					continue
				}
				//mutant: findings: a channel that is compared with nil is used anyway [test ./static/findings TestWant]: "!p.isNot(ch, instr)" -> "true"
				if !p.WithoutUsers && p.onlyNil(ch) && !p.isNot(ch, instr) {
					p.report("HBA205", Medium, instr, fmt.Sprintf("%s %s, to which no channel is ever assigned, blocks forever", verb, p.name(p.Base.Paths.Of(ch))))
				}
			}
		}
	}
}

// isNot reports whether instr is executed only if the variable with the channel ch is not nil, as a
// comparison before it says.
func (p *pass) isNot(ch ssa.Value, instr ssa.Instruction) bool {
	path := p.Base.Paths.Of(ch.(*ssa.UnOp).X)
	for b := instr.Block().Idom(); b != nil && path != static.Unknown; b = b.Idom() {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := br.Cond.(*ssa.BinOp)
		if !ok || cond.Op != token.NEQ && cond.Op != token.EQL {
			continue
		}
		load, _ := cond.X.(*ssa.UnOp)
		k, isConst := cond.Y.(*ssa.Const)
		if load == nil || !isConst || !k.IsNil() || p.Base.Paths.Of(load.X) != path {
			continue
		}
		to := b.Succs[0]
		if cond.Op == token.EQL {
			to = b.Succs[1]
		}
		if len(to.Preds) == 1 && to.Dominates(instr.Block()) {
			return true
		}
	}
	return false
}

// onlyNil reports whether v is loaded from a variable or field to which only nil is ever assigned. An
// exported variable or field does not count, because other code may assign to it.
func (p *pass) onlyNil(v ssa.Value) bool {
	x, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	var obj types.Object
	switch a := x.X.(type) {
	case *ssa.Global:
		if obj = a.Object(); obj == nil || obj.Exported() {
			return false
		}
	case *ssa.FieldAddr:
		st := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		//mutant: findings: nothing assigns to the fields of generic types [test ./static/findings TestWant]: ".Origin()" -> ""
		if obj = st.Field(a.Field).Origin(); obj.Exported() {
			return false
		}
	}
	//mutant: findings: what is not reached assigns nothing [test ./static/findings TestWant]: "p.assigned(obj)" -> "false"
	if obj != nil && p.assigned(obj) {
		return false
	}
	set := p.Graph.Result().PointsToAnywhere(x.X)
	if set.Universal() || set.Len() == 0 {
		return false
	}
	for l := range set.Labels() {
		if l.Object.IsOutside() {
			return false
		}
	}
	return true
}

// assigned reports whether the source assigns to a field or variable, or takes its address. It considers
// all functions, because users may reach those that the analysis does not, through a value of an interface.
func (p *pass) assigned(obj types.Object) bool {
	for _, pkg := range p.Prog.All {
		if pkg.Info == nil || pkg.Types != obj.Pkg() {
			continue
		}
		is := func(e ast.Expr) bool {
			switch e := ast.Unparen(e).(type) {
			case *ast.Ident:
				return origin(pkg.Info.ObjectOf(e)) == obj
			case *ast.SelectorExpr:
				return origin(pkg.Info.ObjectOf(e.Sel)) == obj
			}
			return false
		}
		found := false
		for _, file := range pkg.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					found = found || slices.ContainsFunc(n.Lhs, is)
				case *ast.KeyValueExpr:
					found = found || is(n.Key)
				case *ast.CompositeLit:
					//mutant: findings: a literal without names of fields assigns to none [test ./static/findings TestWant]: "inOrder(pkg.Info, n, obj)" -> "false"
					found = found || inOrder(pkg.Info, n, obj)
				case *ast.UnaryExpr:
					found = found || n.Op == token.AND && is(n.X)
				}
				return !found
			})
		}
		if found {
			return true
		}
	}
	return false
}

// inOrder reports whether lit is a struct with values for all fields, in their order, and obj is one of them.
func inOrder(info *types.Info, lit *ast.CompositeLit, obj types.Object) bool {
	if len(lit.Elts) == 0 {
		return false
	}
	if _, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
		return false
	}
	st, ok := info.TypeOf(lit).Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(st.Fields()), func(f *types.Var) bool { return f.Origin() == obj })
}

// origin returns the field of the generic type if obj is the field of an instance.
func origin(obj types.Object) types.Object {
	//mutant: findings: an instance of a generic type has fields of its own [test ./static/findings TestWant]: "; ok" -> "; ok && false"
	if v, ok := obj.(*types.Var); ok {
		return v.Origin()
	}
	return obj
}

// checkPool finds objects that are used after Pool.Put (HBA307).
func checkPool(p *pass) {
	p.calls(func(fn *ssa.Function, site ssa.CallInstruction, name string) {
		call, ok := site.(*ssa.Call)
		if name != "(*sync.Pool).Put" || !ok || len(call.Call.Args) < 2 {
			return
		}
		mi, ok := call.Call.Args[1].(*ssa.MakeInterface)
		if !ok {
			return
		}
		v := mi.X
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			return
		}
		if use := p.useAfter(call, v); use != nil {
			p.report("HBA307", High, use, fmt.Sprintf("%s is used after it has been given back to the pool: another goroutine may have it", valueName(p, v)), p.place(call, "it is given back here"))
		}
	})
}

func valueName(p *pass, v ssa.Value) string { return p.name(p.Base.Paths.Of(v)) }

// useAfter returns an instruction that uses the object of v and can be executed after instr, before v is
// computed anew.
func (p *pass) useAfter(instr ssa.Instruction, v ssa.Value) ssa.Instruction {
	uses := func(i ssa.Instruction) bool {
		switch x := i.(type) {
		case *ssa.DebugRef, *ssa.Phi, *ssa.BinOp, *ssa.If, *ssa.MakeInterface:
			return false
		case *ssa.Store:
			return x.Addr == v
		case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Return, *ssa.Call:
			return slices.ContainsFunc(i.Operands(nil), func(o *ssa.Value) bool { return *o == v })
		}
		return false
	}
	seen := map[*ssa.BasicBlock]bool{}
	var found ssa.Instruction
	var visit func(b *ssa.BasicBlock, from int)
	visit = func(b *ssa.BasicBlock, from int) {
		for _, i := range b.Instrs[from:] {
			if iv, ok := i.(ssa.Value); found != nil || ok && iv == v {
				return
			}
			if uses(i) && i != instr {
				found = i
				return
			}
		}
		for _, s := range b.Succs {
			if !seen[s] {
				seen[s] = true
				visit(s, 0)
			}
		}
	}
	visit(instr.Block(), slices.Index(instr.Block().Instrs, instr)+1)
	return found
}

// checkAdd finds calls of WaitGroup.Add in the goroutine that they count (HBA301).
func checkAdd(p *pass) {
	p.eachStart(func(fn *ssa.Function, step static.Step, c static.Callee) {
		if !p.user(c.Fn) {
			return
		}
		joins := map[static.Path]ssa.Instruction{}
		adds := map[static.Path]bool{}
		p.events(fn, func(e *static.Event) {
			switch {
			case e.Kind == static.JoinEvent:
				joins[e.Path] = e.Instr
			case e.Kind == static.AddEvent && (e.N > 0 || !e.Known):
				adds[e.Path] = true
			}
		})
		for _, e := range step.Events() {
			adds[e.Path] = adds[e.Path] || e.Kind == static.AddEvent
		}
		reported := false
		p.events(c.Fn, func(e *static.Event) {
			if e.Kind != static.AddEvent || e.Known && e.N <= 0 || reported {
				return
			}
			q := c.Names.Path(e.Path)
			wait := joins[q]
			if q == static.Unknown || adds[q] || wait == nil || !reaches(step.Instr(), wait) {
				return
			}
			reported = true
			which := "in a goroutine for which nothing was added"
			//mutant: findings: a goroutine that counts others counts itself [test ./static/findings TestWant]: "p.finishes(c.Fn, e.Path)" -> "true"
			if p.finishes(c.Fn, e.Path) {
				which = "in the goroutine that it counts"
			}
			p.report("HBA301", High, e.Instr, fmt.Sprintf("%s.Add %s: Wait may come first, and then does not wait", p.name(q), which), p.place(step.Instr(), "the goroutine is started here"), p.place(wait, "and this Wait may return before it has begun"))
		})
	})
}

// finishes reports whether fn itself calls Done of the WaitGroup with that path.
func (p *pass) finishes(fn *ssa.Function, path static.Path) (done bool) {
	p.events(fn, func(e *static.Event) {
		done = done || e.Kind == static.AddEvent && e.Known && e.N < 0 && e.Path == path
	})
	return done
}

// events calls f for the events of fn's own steps, including its calls of package sync and its deferred
// calls.
func (p *pass) events(fn *ssa.Function, f func(e *static.Event)) {
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			for i := range step.Events() {
				f(&step.Events()[i])
			}
			for _, c := range step.Callees() {
				if step.Kind() == static.Starts {
					continue
				}
				for i := range c.Events {
					f(&c.Events[i])
				}
			}
		}
		for i := range b.Succs {
			events, _ := code.Edge(b.Index, i)
			for j := range events {
				f(&events[j])
			}
		}
	}
}

// reaches reports whether b can be executed after a.
func reaches(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() && slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := slices.Clone(a.Block().Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b.Block() {
			return true
		}
		if !seen[x] {
			seen[x] = true
			work = append(work, x.Succs...)
		}
	}
	return false
}

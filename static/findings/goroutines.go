package findings

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/sketch"
)

// The accesses of a goroutine, and of the function that starts it, before they wait for anything.

// A start is a goroutine that a function starts.
type start struct {
	site  ssa.Instruction
	body  *ssa.Function
	names *static.Renaming // renames the body's paths to the starter's
}

// startsOf returns the goroutines that fn starts: by a go statement, by WaitGroup.Go, and by functions that
// start an argument.
func (p *pass) startsOf(fn *ssa.Function) []start {
	list, ok := p.startsIn[fn]
	if !ok {
		list = p.findStarts(fn)
		p.startsIn[fn] = list
	}
	return list
}

func (p *pass) findStarts(fn *ssa.Function) (list []start) {
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			switch step.Kind() {
			case static.Starts:
				for _, c := range step.Callees() {
					if c.Fn != nil && p.user(c.Fn) {
						list = append(list, start{step.Instr(), c.Fn, c.Names})
					}
				}
			case static.Calls:
				site, ok := step.Instr().(*ssa.Call)
				if !ok {
					continue
				}
				g := site.Call.StaticCallee()
				if g == nil {
					continue
				}
				for i, arg := range site.Call.Args {
					mc, ok := p.Base.Paths.Function(arg).(*ssa.MakeClosure)
					//mutant: findings: a function that starts its argument never waits for it [test ./static/findings TestWant]: "p.awaits(g)" -> "false"
					if !ok || !p.startsParam(g, i) || p.awaits(g) {
						continue
					}
					list = append(list, start{site, mc.Fn.(*ssa.Function), p.Base.Into(site, mc)})
				}
			}
		}
	}
	return list
}

// awaits reports whether fn, which starts a goroutine, always waits for something before it returns: the
// goroutine is probably at its end by then.
func (p *pass) awaits(fn *ssa.Function) bool {
	if !p.user(fn) {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Go); !ok {
				continue
			}
			for _, c := range fn.Blocks {
				ret, ok := c.Instrs[len(c.Instrs)-1].(*ssa.Return)
				if !ok {
					continue
				}
				if reached, _ := p.follows(fn, instr, ret, 0); reached {
					return false
				}
			}
		}
	}
	return true
}

// startsParam reports whether fn starts a goroutine that calls its i-th parameter.
func (p *pass) startsParam(fn *ssa.Function, i int) bool {
	if fn.String() == "time.AfterFunc" {
		return i == 1
	}
	if !p.user(fn) || i >= len(fn.Params) {
		return false
	}
	prm := fn.Params[i]
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			g, ok := instr.(*ssa.Go)
			if !ok {
				continue
			}
			if g.Call.Value == prm {
				return true
			}
			mc, ok := g.Call.Value.(*ssa.MakeClosure)
			if !ok {
				continue
			}
			for k, bound := range mc.Bindings {
				a, ok := bound.(*ssa.Alloc)
				if !ok || p.Base.Paths.Of(a) == static.Unknown {
					continue
				}
				stored := false
				for _, r := range *a.Referrers() {
					st, ok := r.(*ssa.Store)
					stored = stored || ok && st.Val == prm
				}
				if stored && callsCaptured(mc.Fn.(*ssa.Function), k) {
					return true
				}
			}
		}
	}
	return false
}

// callsCaptured reports whether fn calls its k-th captured variable.
func callsCaptured(fn *ssa.Function, k int) bool {
	for _, r := range *fn.FreeVars[k].Referrers() {
		load, ok := r.(*ssa.UnOp)
		if !ok {
			continue
		}
		for _, u := range *load.Referrers() {
			if c, ok := u.(ssa.CallInstruction); ok && c.Common().Value == load {
				return true
			}
		}
	}
	return false
}

// An access is an access to memory by a step of a function, or by a function that the step calls.
type access struct {
	path  static.Path // path in terms of the function
	write bool
	chain []ssa.Instruction
	held  []hold // locks held, in terms of the function
	weak  bool   // a lock or an atomic operation before it may order it
}

// ownAccess returns the access by instr itself. An access to a map counts as an access to the variable that
// has the map.
func (p *pass) ownAccess(instr ssa.Instruction) (path static.Path, write, ok bool) {
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return p.Base.Paths.Of(i.X), false, !p.elseAtomic(i, i.X)
		}
	case *ssa.Store:
		if p.elseAtomic(i, i.Addr) {
			return 0, false, false
		}
		//mutant: findings: the return of a named result is a write [test ./static/findings TestWant]: "sketch.Same(i)" -> "false"
		if sketch.Same(i) {
			return 0, false, false
		}
		return p.Base.Paths.Of(i.Addr), true, true
	case *ssa.MapUpdate:
		return p.Base.Paths.Of(i.Map), true, true
	case *ssa.Lookup:
		return p.Base.Paths.Of(i.X), false, true
	case *ssa.Call:
		if b, isBuiltin := i.Call.Value.(*ssa.Builtin); isBuiltin && b.Name() == "delete" {
			return p.Base.Paths.Of(i.Call.Args[0]), true, true
		}
	}
	return 0, false, false
}

// elseAtomic reports whether an atomic access takes the place of instr, an access to addr, for the other
// value of a flag: see byFlag.
func (p *pass) elseAtomic(instr ssa.Instruction, addr ssa.Value) bool {
	return slices.ContainsFunc(p.atomicsIn(instr.Parent()), func(o ssa.CallInstruction) bool {
		at, _ := atomicCall(o)
		//mutant: findings: all memory is shared [test ./static/findings TestKernels]: "byFlag(instr, o)" -> "false"
		return p.Base.Paths.Of(at) == p.Base.Paths.Of(addr) && byFlag(instr, o)
	})
}

// atomicsIn returns the calls in fn of functions that access variables atomically.
func (p *pass) atomicsIn(fn *ssa.Function) []ssa.CallInstruction {
	list, ok := p.atomicCalls[fn]
	if !ok {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if site, ok := instr.(ssa.CallInstruction); ok {
					if at, _ := atomicCall(site); at != nil {
						list = append(list, site)
					}
				}
			}
		}
		p.atomicCalls[fn] = list
	}
	return list
}

// accesses returns the accesses of fn before it waits, to memory that other goroutines may reach.
func (p *pass) accesses(fn *ssa.Function, depth int) (list []access) {
	if depth == 0 || !p.user(fn) {
		return nil
	}
	if known, ok := p.accessesOf[fn]; ok {
		return known
	}
	p.accessesOf[fn] = nil
	code := p.Base.Code(fn)
	// waited has the blocks before which the function may have waited, locked those before which it may have
	// locked.
	waited, locked := p.after(fn, p.waits), p.after(fn, p.orders)
	for _, b := range fn.Blocks {
		w, l := waited[b], locked[b]
		for _, step := range code.Steps(b.Index) {
			instr := step.Instr()
			if !w {
				if path, write, ok := p.ownAccess(instr); ok && path != static.Unknown && p.outer(path, fn) {
					list = append(list, access{path, write, []ssa.Instruction{instr}, p.heldAt(instr), l})
				}
				if step.Kind() == static.Calls && len(step.Callees()) == 1 {
					if c := step.Callees()[0]; c.Fn != nil && p.user(c.Fn) {
						for _, a := range p.accesses(c.Fn, depth-1) {
							q := c.Names.Path(a.path)
							if q == static.Unknown || !p.outer(q, fn) || len(list) > 400 {
								continue
							}
							x := access{q, a.write, append([]ssa.Instruction{instr}, a.chain...), p.heldAt(instr), a.weak || l}
							x.held = slices.Concat(x.held, p.renamed(a.held, c.Names))
							list = append(list, x)
						}
					}
				}
			}
			w, l = w || p.waits(step), l || p.orders(step)
		}
	}
	p.accessesOf[fn] = list
	return list
}

// outer reports whether path leads to memory that fn has not allocated itself, or that it has shared.
func (p *pass) outer(path static.Path, fn *ssa.Function) bool {
	a, ok := p.Base.Paths.Root(path).(*ssa.Alloc)
	return !ok || a.Parent() != fn || a.Heap
}

// after returns the blocks before which a step that satisfies is may have been executed.
func (p *pass) after(fn *ssa.Function, is func(static.Step) bool) map[*ssa.BasicBlock]bool {
	code := p.Base.Code(fn)
	list := map[*ssa.BasicBlock]bool{}
	var mark func(b *ssa.BasicBlock)
	mark = func(b *ssa.BasicBlock) {
		if !list[b] {
			list[b] = true
			for _, s := range b.Succs {
				mark(s)
			}
		}
	}
	for _, b := range fn.Blocks {
		if slices.ContainsFunc(code.Steps(b.Index), is) {
			for _, s := range b.Succs {
				mark(s)
			}
		}
		for i := range b.Succs {
			events, _ := code.Edge(b.Index, i)
			for _, e := range events {
				if e.Kind == static.RecvEvent {
					mark(b.Succs[i])
				}
			}
		}
	}
	return list
}

// waits reports whether step may wait for an earlier step of another goroutine.
func (p *pass) waits(step static.Step) bool {
	for _, e := range step.Events() {
		if isWait(e.Kind) {
			return true
		}
	}
	if step.Kind() == static.RunsThem {
		return true // deferred calls
	}
	if step.Kind() != static.Calls && step.Kind() != static.MayCall {
		return false
	}
	for _, c := range step.Callees() {
		for _, e := range c.Events {
			if isWait(e.Kind) {
				return true
			}
		}
		if c.Fn != nil && p.user(c.Fn) && p.mayWait(c.Fn) {
			return true
		}
	}
	site, ok := step.Instr().(ssa.CallInstruction)
	if !ok {
		return false
	}
	if fn := site.Common().StaticCallee(); fn != nil {
		return p.libraryWaits(fn)
	}
	return false // decided at run time: see orders
}

func isWait(k static.EventKind) bool {
	return k == static.RecvEvent || k == static.JoinEvent || k == static.WaitEvent || k == static.SendEvent || k == static.OnceEvent || k == static.AnyEvent
}

// mayWait reports whether fn, or a function that it calls, waits for anything.
func (p *pass) mayWait(fn *ssa.Function) bool {
	w, ok := p.waitsIn[fn]
	if ok {
		return w
	}
	p.waitsIn[fn] = false
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			if step.Kind() != static.RunsThem && p.waits(step) {
				p.waitsIn[fn] = true
			}
			if step.Kind() == static.Defers {
				for _, c := range step.Callees() {
					if c.Fn != nil && p.user(c.Fn) && p.mayWait(c.Fn) || slices.ContainsFunc(c.Events, func(e static.Event) bool { return isWait(e.Kind) }) {
						p.waitsIn[fn] = true
					}
				}
			}
		}
		for i := range b.Succs {
			if events, _ := code.Edge(b.Index, i); slices.ContainsFunc(events, func(e static.Event) bool { return isWait(e.Kind) }) {
				p.waitsIn[fn] = true
			}
		}
	}
	return p.waitsIn[fn]
}

// libraryWaits reports whether a function of the standard library may wait for the user's goroutines.
func (p *pass) libraryWaits(fn *ssa.Function) bool {
	if p.user(fn) || fn.Pkg == nil && fn.Origin() == nil {
		return false
	}
	pkg := p.Prog.PackageOf(fn)
	if pkg == nil {
		return true
	}
	switch pkg.Path {
	case "fmt", "strings", "strconv", "errors", "math", "sort", "slices", "maps", "bytes", "time", "unicode", "unicode/utf8", "runtime", "log", "os", "path", "path/filepath", "reflect", "math/rand", "cmp":
		return false
	case "context":
		return false
	case "sync", "sync/atomic":
		return false // the callee's events decide
	case "testing":
		return fn.Name() == "Run" || fn.Name() == "Cleanup"
	}
	return true
}

// orders reports whether step may order later steps by a lock or an atomic operation.
func (p *pass) orders(step static.Step) bool {
	isLock := func(e static.Event) bool { return e.Kind == static.LockEvent || e.Kind == static.TryEvent }
	if slices.ContainsFunc(step.Events(), isLock) {
		return true
	}
	if step.Kind() != static.Calls && step.Kind() != static.MayCall {
		return false
	}
	for _, c := range step.Callees() {
		if slices.ContainsFunc(c.Events, isLock) {
			return true
		}
		if c.Fn != nil && p.user(c.Fn) && len(p.flow(c.Fn).acquires) > 0 {
			return true
		}
	}
	if site, ok := step.Instr().(ssa.CallInstruction); ok {
		if a, _ := atomicCall(site); a != nil || site.Common().StaticCallee() == nil {
			return true
		}
	}
	return false
}

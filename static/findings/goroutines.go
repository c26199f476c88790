package findings

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// What a goroutine accesses, and what the function that starts it accesses before it waits for anything.

// A start is a goroutine that a function starts.
type start struct {
	site  ssa.Instruction
	body  *ssa.Function
	names *static.Renaming // from the body's paths to the starter's
}

// starts returns the goroutines that fn starts: by a go statement, by WaitGroup.Go, and by functions that
// start what they are given.
func (p *pass) startsOf(fn *ssa.Function) (list []start) {
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
					if !ok || !p.startsParam(g, i) {
						continue
					}
					list = append(list, start{site, mc.Fn.(*ssa.Function), p.Base.Into(site, mc)})
				}
			}
		}
	}
	return list
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

// access is an access to memory by a step of a function, or of what that calls.
type access struct {
	path  static.Path // in terms of the function
	write bool
	chain []ssa.Instruction
	held  []hold // in terms of the function
	weak  bool   // something may order it: a lock or an atomic operation comes before it
}

// ownAccess returns the access of instr itself. That of a map is one of the variable it is in.
func (p *pass) ownAccess(instr ssa.Instruction) (path static.Path, write, ok bool) {
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return p.Base.Paths.Of(i.X), false, true
		}
	case *ssa.Store:
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

// accesses returns what calls of fn access before they wait for anything, through memory that others may
// have.
func (p *pass) accesses(fn *ssa.Function, depth int) (list []access) {
	if depth == 0 || !p.user(fn) {
		return nil
	}
	if known, ok := p.accessesOf[fn]; ok {
		return known
	}
	p.accessesOf[fn] = nil
	code := p.Base.Code(fn)
	// The blocks before which nothing has been waited for, on all paths; and those that locks precede.
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

// outer reports whether path is of something that fn has not allocated itself, or has shared.
func (p *pass) outer(path static.Path, fn *ssa.Function) bool {
	a, ok := p.Base.Paths.Root(path).(*ssa.Alloc)
	return !ok || a.Parent() != fn || a.Heap
}

// after returns the blocks before which a step for which is holds may have been.
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

// waits reports whether step may wait for what another goroutine has done before.
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

// mayWait reports whether fn, or what it calls, waits for anything.
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

// libraryWaits reports whether a function of the standard library may wait for goroutines of the user's.
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
		return false // events say it
	case "testing":
		return fn.Name() == "Run" || fn.Name() == "Cleanup"
	}
	return true
}

// orders reports whether step may order what comes after it in another way: locks, atomic operations.
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

// checkRaces: accesses of a goroutine, and of the function that starts it, or of another goroutine (HBA401).
func checkRaces(p *pass) {
	for _, fn := range p.list {
		starts := p.startsOf(fn)
		if len(starts) == 0 {
			continue
		}
		inner := make([][]access, len(starts))
		for i, s := range starts {
			for _, a := range p.accesses(s.body, 4) {
				if a.path = s.names.Path(a.path); a.path == static.Unknown || p.Base.Paths.Fresh(a.path) {
					continue
				}
				a.held = p.renamed(a.held, s.names)
				inner[i] = append(inner[i], a)
			}
			slices.SortStableFunc(inner[i], func(a, b access) int { // writes first
				switch {
				case a.write == b.write:
					return 0
				case a.write:
					return -1
				}
				return 1
			})
		}
		for i, s := range starts {
			p.raceOutside(fn, s, inner[i])
			for j, t := range starts {
				if j > i || j == i && inLoop(s.site.Block()) {
					p.raceInside(fn, s, t, inner[i], inner[j])
				}
			}
		}
	}
}

// raceOutside compares a goroutine with what its starter does after starting it.
func (p *pass) raceOutside(fn *ssa.Function, s start, inner []access) {
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			var list []access
			instr := step.Instr()
			if path, write, ok := p.ownAccess(instr); ok && path != static.Unknown {
				list = append(list, access{path, write, []ssa.Instruction{instr}, p.heldAt(instr), false})
			}
			if step.Kind() == static.Calls && len(step.Callees()) == 1 && instr != s.site {
				if c := step.Callees()[0]; c.Fn != nil && p.user(c.Fn) {
					for _, a := range p.accesses(c.Fn, 3) {
						if q := c.Names.Path(a.path); q != static.Unknown {
							x := access{q, a.write, append([]ssa.Instruction{instr}, a.chain...), p.heldAt(instr), a.weak}
							x.held = slices.Concat(x.held, p.renamed(a.held, c.Names))
							list = append(list, x)
						}
					}
				}
			}
			for _, o := range list {
				for _, a := range inner {
					if o.path != a.path || !o.write && !a.write || p.common(o.held, a.held) {
						continue
					}
					if ok, weak := p.follows(fn, s.site, instr, o.path); ok {
						p.race(s, a, o, weak || a.weak || o.weak)
					}
				}
			}
		}
	}
}

// raceInside compares two goroutines, or two of one go statement.
func (p *pass) raceInside(fn *ssa.Function, s, t start, one, two []access) {
	ok, weak := p.follows(fn, s.site, t.site, 0)
	if !ok {
		return
	}
	for i, a := range one {
		// Prefer the pair of one access with itself.
		for j, b := range slices.Concat(one[i:i+1], two) {
			if j == 0 && s.site != t.site {
				continue
			}
			if a.path != b.path || !a.write && !b.write || p.common(a.held, b.held) {
				continue
			}
			if ok, _ := p.follows(fn, s.site, t.site, a.path); ok {
				p.race(s, a, b, weak || a.weak || b.weak)
			}
		}
	}
}

// renamed returns locks in terms of another function. Those that have no name there are known by their
// kind.
func (p *pass) renamed(list []hold, names *static.Renaming) []hold {
	out := slices.Clone(list)
	for i := range out {
		out[i].class = cmp.Or(out[i].class, p.Base.Paths.Class(out[i].path))
		out[i].path = names.Path(out[i].path)
	}
	return out
}

// common reports whether a lock may be in both, in a mode that keeps the other out: the same one, or one
// of the same kind.
func (p *pass) common(x, y []hold) bool {
	for _, h := range x {
		for _, g := range y {
			class := cmp.Or(h.class, p.Base.Paths.Class(h.path))
			same := h.path == g.path && h.path != static.Unknown
			if (same || class != "" && class == cmp.Or(g.class, p.Base.Paths.Class(g.path))) && h.mode.Excludes(g.mode) {
				return true
			}
		}
	}
	return false
}

// follows reports whether to can be executed after from before anything is waited for, and while path
// still means the same; weak: only after locks or atomic operations.
func (p *pass) follows(fn *ssa.Function, from, to ssa.Instruction, path static.Path) (ok, weak bool) {
	values := map[ssa.Instruction]bool{}
	for _, v := range p.Base.Paths.Values(path) {
		if i, isInstr := v.(ssa.Instruction); isInstr {
			values[i] = true
		}
	}
	code := p.Base.Code(fn)
	type at struct {
		b    *ssa.BasicBlock
		weak bool
	}
	seen := map[at]bool{}
	found, strong := false, false
	var visit func(x at, begin int)
	visit = func(x at, begin int) {
		for _, step := range code.Steps(x.b.Index) {
			instr := step.Instr()
			if slices.Index(x.b.Instrs, instr) < begin {
				continue
			}
			if instr == to {
				found = true
				strong = strong || !x.weak
				if to != from {
					return
				}
			}
			//mutant: nothing is waited for [test ./static/findings TestWant]: "values[instr] || p.waits(step)" -> "values[instr]"
			if values[instr] || p.waits(step) {
				return
			}
			x.weak = x.weak || p.orders(step)
		}
		for i, s := range x.b.Succs {
			events, ok := code.Edge(x.b.Index, i)
			if !ok || slices.ContainsFunc(events, func(e static.Event) bool { return isWait(e.Kind) }) {
				continue
			}
			if y := (at{s, x.weak}); !seen[y] {
				seen[y] = true
				visit(y, 0)
			}
		}
	}
	visit(at{from.Block(), false}, slices.Index(from.Block().Instrs, from)+1)
	return found, !strong
}

type raceKey struct {
	start ssa.Instruction
	path  static.Path
}

// raceName is a variable of a declared function, by name.
type raceName struct {
	fn   *ssa.Function
	name string
}

// race reports a pair.
func (p *pass) race(s start, a, b access, weak bool) {
	if !a.write {
		a, b = b, a
	}
	c := High
	if weak || !p.Base.Paths.Stable(a.path) {
		c = Medium
	}
	verb := map[bool]string{true: "written", false: "read"}
	x, y := a.chain[len(a.chain)-1], b.chain[len(b.chain)-1]
	// One for each variable and goroutine.
	key := raceKey{s.site, a.path}
	if p.raced[key] {
		return
	}
	p.raced[key] = true
	p.raceAt[x], p.raceAt[y] = true, true
	p.raceOf[raceName{outermost(s.site.Parent()), p.name(a.path)}] = true
	text := fmt.Sprintf("data race: %s is written here and %s at %s, and nothing orders the two", p.name(a.path), verb[b.write], p.line(y))
	if x == y {
		text = fmt.Sprintf("data race: %s is written here by each of several goroutines, and nothing orders them", p.name(a.path))
	}
	rel := []Place{p.place(s.site, "a goroutine is started here")}
	if x != y {
		rel = append(rel, p.place(y, "it is "+verb[b.write]+" here"))
	}
	for _, list := range [][]ssa.Instruction{a.chain, b.chain} {
		for _, instr := range list[:len(list)-1] {
			rel = append(rel, p.place(instr, "through this call of "+callee(instr)))
		}
	}
	f := p.report("HBA401", c, x, text, rel...)
	other := p.place(y, "")
	f.Other = &other
}

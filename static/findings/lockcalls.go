package findings

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Calls in the analysis of locks: the locks that callees acquire and release, in terms of the caller.

// runDefers returns the states after the deferred calls of s.
func (f *lockFlow) runDefers(s *state) []*state {
	list := s.defers
	s.defers = nil
	states := []*state{s}
	for i, d := range slices.Backward(list) {
		step, ok := f.code.Deferred(d)
		if !ok {
			continue
		}
		if slices.Contains(list[i+1:], d) {
			for _, s := range states {
				f.nextIteration(s)
			}
		}
		f.before[d] = append(f.before[d], snapshot(states)...)
		states = dedupe(f.calls(step, states))
	}
	return states
}

// outdated reports whether r forgets an argument of d: a call that an earlier iteration has deferred is about
// the object that the variable had then, whose locks the state does not know any more.
func (f *lockFlow) outdated(d *ssa.Defer, r *static.Renaming) bool {
	paths := f.p.Base.Paths
	return slices.ContainsFunc(d.Call.Args, func(arg ssa.Value) bool {
		path := paths.Of(arg)
		return path != static.Unknown && r.Path(path) == static.Unknown
	})
}

// nextIteration forgets the operations on variables that each iteration of a loop declares anew.
func (f *lockFlow) nextIteration(s *state) {
	another := func(h hold) bool {
		v, ok := f.p.Base.Paths.Root(h.path).(ssa.Instruction)
		return ok && v.Parent() == f.fn && inLoop(v.Block())
	}
	//mutant: findings: deferred calls of all iterations are about one variable [test ./static/findings TestWant]: "s.closed, another" -> "s.closed, func(hold) bool { return false }"
	s.closed = slices.DeleteFunc(s.closed, another)
	s.freed = slices.DeleteFunc(s.freed, another)
}

// calls returns the states after the functions that step calls.
func (f *lockFlow) calls(step static.Step, states []*state) []*state {
	callees := step.Callees()
	//mutant: findings: a lock that an unknown function gets stays held [test ./static/findings TestKernels]: "handsOver(step.Instr())" -> "false"
	if handsOver(step.Instr()) {
		for _, s := range states {
			s.lose()
		}
		return states
	}
	var out []*state
	for _, c := range callees {
		ss := states
		if len(callees) > 1 {
			ss = f.ofType(step.Instr(), callees, c.Recv, snapshot(states))
		}
		waits := slices.ContainsFunc(c.Events, func(e static.Event) bool { return e.Kind == static.ReleaseEvent })
		for _, s := range ss {
			for i := range c.Events {
				if e := &c.Events[i]; !waits || e.Kind == static.WaitEvent {
					f.event(e, s, nil) // Cond.Wait acquires the lock again for the same owner
				}
			}
		}
		//mutant: findings: method values of locks do nothing [test ./static/findings TestWant]: "f.p.user(c.Fn) || Bound(c.Fn)" -> "f.p.user(c.Fn)"
		if c.Fn != nil && (f.p.user(c.Fn) || Bound(c.Fn)) {
			ss = f.call(step, &c, ss)
		}
		out = append(out, ss...)
	}
	if len(callees) == 0 {
		return states
	}
	return dedupe(out)
}

// handsOver reports whether instr passes a lock to a function that is decided at run time. That
// function may release the lock, and the points-to analysis may not know which functions it can be.
func handsOver(instr ssa.Instruction) bool {
	site, ok := instr.(ssa.CallInstruction)
	return ok && site.Common().StaticCallee() == nil && slices.ContainsFunc(site.Common().Args, func(v ssa.Value) bool { return isLock(v.Type()) && !isNil(v) })
}

// Bound reports whether fn is the function of a method value of package sync, as in
//
//	unlock := mu.Unlock
func Bound(fn *ssa.Function) bool {
	obj := fn.Object()
	return fn.Synthetic != "" && obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "sync"
}

// call returns the states after c has been called.
func (f *lockFlow) call(step static.Step, c *static.Callee, states []*state) []*state {
	g := f.p.flow(c.Fn)
	instr := step.Instr()
	site, _ := instr.(ssa.CallInstruction)
	for _, a := range g.acquires {
		//mutant: constant arguments rule no path out [test ./static/findings TestWant]: false
		if !possible(a.given, c.Fn, site) {
			continue
		}
		b := a
		b.path, b.given = c.Names.Path(a.path), f.inherited(a.given, c.Fn, site)
		b.must = a.must && len(a.given) == 0 && len(step.Callees()) == 1
		b.flagged = a.flagged || !a.must && flags(c.Fn)
		b.chain = append([]ssa.Instruction{instr}, a.chain...)
		for _, s := range states {
			//mutant: findings: arguments that are not constant rule no path out [test ./static/findings TestWant]: "f.allows(s, a.given, c.Fn, site)" -> "true"
			if f.allows(s, a.given, c.Fn, site) {
				f.acquire(instr, b, s)
			}
		}
		for _, e := range step.Events() {
			if e.Kind == static.OnceEvent && b.once && b.path == e.Path && e.Path != static.Unknown {
				f.doubles = append(f.doubles, double{at: instr, acq: b, held: hold{path: e.Path, at: instr}})
			}
		}
	}
	for _, o := range g.ops {
		b := o
		b.path = c.Names.Path(o.path)
		b.chain = append([]ssa.Instruction{instr}, o.chain...)
		if len(b.chain) < 8 {
			f.operation(b)
		}
	}
	if !g.done {
		return states // fn is being analysed: a recursive call
	}
	if len(g.exits) == 0 && !g.imprecise {
		return nil // fn never returns
	}
	for _, s := range states { // the lock may have been replaced
		s.closed = slices.DeleteFunc(s.closed, func(h hold) bool { return len(f.p.Base.Paths.Loads(h.path)) > 0 })
	}
	if x := g.exits; len(x) == 1 && len(x[0].acquired)+len(x[0].released)+len(x[0].closed) == 0 {
		return states
	}
	var some *lockFlow
	if len(g.exits) > 1 || g.flagged {
		some = g
		f.flagged = f.flagged || g.flagged
	}
	var out []*state
	for _, s := range states {
		for _, x := range g.exits {
			t := s.clone()
			for _, h := range x.released {
				if p := c.Names.Path(h.path); p != static.Unknown {
					f.release(instr, p, h.mode, t, some)
				} else {
					t.lose()
				}
			}
			for _, h := range x.acquired {
				//mutant: findings: a callee that returns holds what its caller holds [test ./static/findings TestWant]: " && !t.excludes(p, h.mode)" -> ""
				if p := c.Names.Path(h.path); p != static.Unknown && !t.excludes(p, h.mode) {
					t.hold(hold{path: p, mode: h.mode, at: instr, unsure: h.unsure || len(g.exits) > 1}, 1)
					t.freed = slices.DeleteFunc(t.freed, func(h hold) bool { return h.path == p })
				}
			}
			for _, h := range x.closed {
				p := c.Names.Path(h.path)
				if i := holds(t.closed, p); i >= 0 && len(g.exits) == 1 {
					f.closed = append(f.closed, double{at: instr, held: t.closed[i], acq: acquisition{path: p, op: static.CloseEvent}, unsure: s.coarse})
				} else if p != static.Unknown && len(g.exits) == 1 {
					t.closed = append(t.closed, hold{path: p, at: instr})
				}
			}
			out = append(out, t)
		}
	}
	return out
}

// possible reports whether a call of fn may meet the conditions on its parameters.
func possible(given []fact, fn *ssa.Function, site ssa.CallInstruction) bool {
	return !slices.ContainsFunc(given, func(g fact) bool {
		is, ok := decided(passed(fn, site, g.key))
		return ok && is != g.is
	})
}

// passed returns the value that a call passes for the parameter with that name; nil if it is unknown.
func passed(fn *ssa.Function, site ssa.CallInstruction, name string) ssa.Value {
	if site == nil {
		return nil
	}
	args := site.Common().Args
	if site.Common().IsInvoke() {
		args = append([]ssa.Value{site.Common().Value}, args...)
	}
	for i, prm := range fn.Params {
		if prm.Name() == name && i < len(args) {
			return args[i]
		}
	}
	return nil
}

// allows reports whether a call of fn in state s may meet the conditions on its parameters.
func (f *lockFlow) allows(s *state, given []fact, fn *ssa.Function, site ssa.CallInstruction) bool {
	return !slices.ContainsFunc(given, func(g fact) bool {
		v := passed(fn, site, g.key)
		if v == nil {
			return false
		}
		key, not := f.cond.key(v)
		is, ok := known(s.facts, key)
		return ok && (is != not) != g.is
	})
}

// inherited returns the conditions on the parameters of fn, as far as f's function passes its own parameters.
func (f *lockFlow) inherited(given []fact, fn *ssa.Function, site ssa.CallInstruction) (list []fact) {
	for _, g := range given {
		v, not := passed(fn, site, g.key), false
		if x, ok := v.(*ssa.UnOp); ok && x.Op == token.NOT {
			v, not = x.X, true
		}
		//mutant: findings: callers of callers pass nothing on [test ./static/findings TestWant]: "; ok {" -> "; ok && false {"
		if prm, ok := v.(*ssa.Parameter); ok {
			list = append(list, fact{prm.Name(), g.is != not})
		}
	}
	return list
}

// summarise computes the effects that callers see.
func (f *lockFlow) summarise() {
	seen := map[string]bool{}
	all := map[static.Path]int{}
	n := 0
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			for _, s := range f.returns[instr] {
				n++
				for _, p := range s.took {
					all[p]++
				}
				x := exit{}
				key := ""
				for _, h := range s.held {
					//mutant: findings: what a goroutine releases is held by the caller [test ./static/findings TestWant]: "f.p.inGoroutine(f.fn, h.path, unacquiredOf)" -> "false"
					if f.p.inGoroutine(f.fn, h.path, unacquiredOf) {
						continue // the goroutine has it
					}
					x.acquired = append(x.acquired, h)
					key += fmt.Sprintf("+%d/%d ", h.path, h.mode)
				}
				for _, h := range s.closed {
					x.closed = append(x.closed, h)
					key += fmt.Sprintf("c%d ", h.path)
				}
				for _, h := range s.unacquired {
					x.released = append(x.released, h)
					key += fmt.Sprintf("-%d/%d ", h.path, h.mode)
				}
				if !seen[key] && len(f.exits) < 6 {
					seen[key] = true
					f.exits = append(f.exits, x)
				}
			}
		}
	}
	f.flagged = f.flagged || flags(f.fn)
	for i := range f.acquires {
		a := &f.acquires[i]
		if len(a.chain) == 1 {
			a.must = n > 0 && all[a.path] == n && a.path != static.Unknown
		} else {
			a.must = a.must && f.always(a.chain[0])
		}
	}
}

// flags reports whether fn, a literal, branches on a variable that it has captured, as in
//
//	defer func() {
//		if !unlocked { mu.Unlock() }
//	}()
func flags(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		if load := plainLoad(br.Cond); load != nil {
			if _, ok := load.X.(*ssa.FreeVar); ok {
				return true
			}
		}
	}
	return false
}

// always reports whether instr is executed on each path of the function that returns.
func (f *lockFlow) always(instr ssa.Instruction) bool {
	for _, b := range f.fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !instr.Block().Dominates(b) && b != f.fn.Recover {
			return false
		}
	}
	return true
}

// alias handles a release of lock p, if p is not held and a lock of the same kind is held. Then both are
// probably one lock with two names, and alias removes it from the held locks. It reports whether it has
// removed a lock.
//
//	enc := newEncoder(c)   locks c.mu, and returns &encoder{conn: c}
//	enc.end()              unlocks enc.conn.mu
func (f *lockFlow) alias(p static.Path, m static.Mode, s *state) bool {
	class := f.p.Base.Paths.Class(p)
	if class == "" {
		return false
	}
	//mutant: findings: a lock has one name [test ./static/findings TestWant]: "h.mode == m &&" -> "false &&"
	is := func(h hold) bool { return h.mode == m && h.path != p && f.p.Base.Paths.Class(h.path) == class }
	for i := range slices.Backward(s.held) {
		if is(s.held[i]) {
			s.held = slices.Delete(s.held, i, i+1)
			return true
		}
	}
	return false
}

// declares reports whether f has declared the lock of a, and has started no goroutine since.
func (f *lockFlow) declares(a acquisition) bool {
	v, ok := f.p.Base.Paths.Root(a.path).(*ssa.Alloc)
	if !ok || v.Parent() != f.fn || len(a.chain) != 1 || a.once {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.MakeClosure, *ssa.Store, *ssa.MakeInterface:
			if reaches(r, a.chain[0]) {
				return false
			}
		case *ssa.Go:
			return false
		}
	}
	return !inLoop(a.chain[0].Block())
}

// releasedElsewhere reports whether a goroutine that fn starts releases the lock at path, or one of the
// same kind, or whether a literal in fn releases one of the same kind.
func (p *pass) releasedElsewhere(fn *ssa.Function, path static.Path) bool {
	class := p.Base.Paths.Class(path)
	releases := func(g *ssa.Function, is func(h hold) bool) bool {
		if !p.user(g) {
			return false
		}
		for _, states := range p.flow(g).returns {
			for _, s := range states {
				if slices.ContainsFunc(s.unacquired, is) {
					return true
				}
			}
		}
		return false
	}
	kind := func(h hold) bool { return p.Base.Paths.Class(h.path) == class }
	for _, s := range p.startsOf(fn) {
		//mutant: findings: a goroutine has no lock without a class [test ./static/findings TestWant]: "s.names.Path(h.path) == path" -> "false"
		if releases(s.body, func(h hold) bool { return kind(h) || s.names.Path(h.path) == path }) {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(g *ssa.Function) bool { return releases(g, kind) })
}

// givenAway reports whether fn hands to other code a literal that releases a lock of the same kind:
// the literal may run before the lock is acquired again.
//
//	mu.Lock()
//	send(request, func() { mu.Unlock() })
//	mu.Lock()
func (p *pass) givenAway(fn *ssa.Function, path static.Path) bool {
	class := p.kindOf(path)
	return slices.ContainsFunc(fn.AnonFuncs, func(g *ssa.Function) bool {
		if !p.user(g) || !escapes(fn, g) {
			return false
		}
		for _, states := range p.flow(g).returns {
			for _, s := range states {
				if slices.ContainsFunc(s.unacquired, func(h hold) bool { return p.kindOf(h.path) == class }) {
					return true
				}
			}
		}
		return false
	})
}

// escapes reports whether fn does anything with literal g except calling or deferring it.
func escapes(fn, g *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			mc, ok := instr.(*ssa.MakeClosure)
			if !ok || mc.Fn != g {
				continue
			}
			for _, u := range *mc.Referrers() {
				if c, ok := u.(ssa.CallInstruction); !ok || c.Common().Value != mc {
					return true
				}
			}
		}
	}
	return false
}

// exits reports whether instr calls a variable of a package that is os.Exit at first. (Tests may assign
// another function to it.)
func exits(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	load, ok := call.Call.Value.(*ssa.UnOp)
	if !ok {
		return false
	}
	v, ok := load.X.(*ssa.Global)
	if !ok || v.Pkg == nil || v.Pkg.Func("init") == nil {
		return false
	}
	for _, b := range v.Pkg.Func("init").Blocks {
		for _, i := range b.Instrs {
			if st, ok := i.(*ssa.Store); ok && st.Addr == v {
				fn, ok := st.Val.(*ssa.Function)
				return ok && fn.String() == "os.Exit"
			}
		}
	}
	return false
}

// inGoroutine reports whether fn, or a literal in it, starts a goroutine that releases a lock for
// fn, or acquires one for it. list selects locks from a state in which the goroutine returns; one
// of them has to be of the same kind as path.
func (p *pass) inGoroutine(fn *ssa.Function, path static.Path, list func(*state) []hold) bool {
	class := p.Base.Paths.Class(path)
	for _, st := range p.startsOf(fn) {
		for _, states := range p.flow(st.body).returns {
			for _, s := range states {
				if slices.ContainsFunc(list(s), func(h hold) bool { return p.Base.Paths.Class(h.path) == class }) {
					return true
				}
			}
		}
	}
	//mutant: findings: literals start no goroutines [test ./static/findings TestWant]: "p.user(g) && " -> "false && "
	return slices.ContainsFunc(fn.AnonFuncs, func(g *ssa.Function) bool { return p.user(g) && p.inGoroutine(g, path, list) })
}

func unacquiredOf(s *state) []hold { return s.unacquired }
func heldOf(s *state) []hold       { return s.held }

package findings

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// chain returns the places that lead from a step to the operation, for Related.
func (p *pass) chain(chain []ssa.Instruction, text string) (list []Place) {
	for i, instr := range chain {
		if i == 0 && len(chain) > 1 {
			continue // the finding has this place itself
		}
		what := text
		if i < len(chain)-1 {
			what = "which calls " + callee(chain[i]) + " here"
		}
		list = append(list, p.place(instr, what))
	}
	return list
}

// callee names the function that a call calls.
func callee(instr ssa.Instruction) string {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return "a function"
	}
	switch fn := c.Common().StaticCallee(); {
	case c.Common().IsInvoke():
		return c.Common().Method.Name()
	case fn != nil && fn.Object() != nil:
		return fn.Name()
	}
	return "a function"
}

// checkDoubles finds locks that are acquired while they are held (HBA101, HBA102), and a Once inside of
// itself (HBA304).
func checkDoubles(p *pass) {
	writers := map[string]ssa.Instruction{} // where locks are locked for writing, by class
	for _, fn := range p.list {
		for _, a := range p.flow(fn).acquires {
			k := p.kindOf(a.path)
			if w := writers[k]; a.mode == static.Write && len(a.chain) == 1 && (w == nil || a.chain[0].Pos() < w.Pos()) {
				writers[k] = a.chain[0]
			}
		}
	}
	for _, fn := range p.list {
		for _, d := range p.flow(fn).doubles {
			p.double(p.flows[fn], d, writers)
		}
	}
}

// kindOf is Paths.Class, and also works for a field or variable that points to a lock.
func (p *pass) kindOf(path static.Path) string {
	class := p.Base.Paths.Class(path)
	//mutant: findings: all locks that are pointers are of one kind [test ./static/findings TestPointerLock]: "class == \"\" && len(loads) > 0" -> "false"
	if loads := p.Base.Paths.Loads(path); class == "" && len(loads) > 0 {
		return "*" + p.Base.Paths.Class(loads[0])
	}
	return class
}

func (p *pass) double(f *lockFlow, d double, writers map[string]ssa.Instruction) {
	//mutant: findings: a goroutine that was started releases no lock [test ./static/findings TestWant]: "!d.acq.once && " -> "false && "
	if !d.acq.once && p.inGoroutine(f.fn, d.held.path, unacquiredOf) {
		return // fn waits for a goroutine that releases the lock
	}
	//mutant: findings: a literal that is handed away releases nothing [test ./static/findings TestWant]: "p.givenAway(f.fn, d.held.path)" -> "false"
	if !d.acq.once && p.givenAway(f.fn, d.held.path) {
		return
	}
	name := p.name(d.acq.path)
	via := ""
	if n := len(d.acq.chain); n > 1 {
		via = " by " + callee(d.acq.chain[0]) + ", called here,"
	}
	c := High
	if len(d.acq.chain) > 1 && !d.acq.must || f.imprecise || d.unsure || p.dynamic(d.acq.chain) {
		c = Medium
	}
	//mutant: findings: a flag says nothing about a lock [test ./static/findings TestWant]: "d.acq.flagged" -> "false"
	if d.acq.flagged {
		c = Low
	}
	switch {
	case d.acq.once:
		if c = High; len(p.callees(d.at)) > 1 || p.dynamic(d.acq.chain) {
			c = Medium
		}
		p.report("HBA304", c, d.at, fmt.Sprintf("the function of %s.Do calls Do of the same Once: it waits for itself", name), p.chain(d.acq.chain, "Do is called again here")...)
		return
	case d.held.mode == static.Read && d.acq.mode == static.Read:
		w := writers[p.kindOf(d.acq.path)]
		//mutant: there is always a writer [test ./static/findings TestWant]: "w == nil" -> "w == nil && false"
		if w == nil {
			return
		}
		writer := p.place(w, "a writer locks it here")
		rel := append([]Place{p.place(d.held.at, name+" is locked for reading here")}, p.chain(d.acq.chain, "and again here")...)
		p.report("HBA102", c, d.at, fmt.Sprintf("%s is locked for reading%s while this goroutine holds it for reading: if another goroutine calls Lock in between, each waits for the other", name, via), append(rel, writer)...).Other = &writer
		return
	}
	how := ""
	if d.held.mode == static.Read {
		how = " for reading"
	}
	rel := append([]Place{p.place(d.held.at, name+" is locked"+how+" here")}, p.chain(d.acq.chain, "and here again")...)
	if d.held.at == d.at {
		rel = rel[1:] // both places are the same, in two iterations
	}
	p.report("HBA101", c, d.at, fmt.Sprintf("%s is locked%s while this goroutine holds it%s: it waits for itself forever", name, via, how), rel...)
}

// dynamic reports whether a call on the way is decided at run time.
func (p *pass) dynamic(chain []ssa.Instruction) bool {
	for _, instr := range chain[:len(chain)-1] {
		if c, ok := instr.(ssa.CallInstruction); ok && c.Common().StaticCallee() == nil && len(p.callees(instr)) != 1 {
			return true
		}
	}
	return false
}

// callees returns the functions that instr may call.
func (p *pass) callees(instr ssa.Instruction) []*ssa.Function {
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if _, ok := c.Common().Value.(*ssa.Builtin); ok {
		return nil
	}
	return p.Graph.Callees(c)
}

// checkReturns finds functions that return with a lock on some paths only (HBA103).
func checkReturns(p *pass) {
	for _, fn := range p.list {
		f := p.flow(fn)
		if f.imprecise {
			continue
		}
		// For each lock, whether some path releases it.
		back := map[static.Path]bool{}
		for _, list := range f.returns {
			for _, s := range list {
				for _, h := range s.freed {
					if holds(s.held, h.path) < 0 {
						back[h.path] = true
					}
				}
			}
		}
		seen := map[ssa.Instruction]bool{}
		for _, b := range fn.Blocks {
			for _, ret := range b.Instrs {
				slices.SortStableFunc(f.returns[ret], func(s, t *state) int { return cmp.Compare(s.rank(), t.rank()) })
				for _, s := range f.returns[ret] {
					for _, h := range s.held {
						if !h.own || h.unsure || !back[h.path] || seen[h.at] || p.releasedByCallers(fn, h.path) || p.releasedElsewhere(fn, h.path) || p.returned(f, ret, h.path) {
							continue
						}
						seen[h.at] = true
						verb := "Unlock"
						if h.mode == static.Read {
							verb = "RUnlock"
						}
						c := High
						//mutant: findings: a flag that is swapped says nothing [test ./static/findings TestWant]: "swaps(fn)" -> "false"
						if swaps(fn) { // the swapped flag may decide who releases the lock
							c = Medium
						}
						//mutant: findings: what releases a lock does not matter [test ./static/findings TestWant]: "indirect(fn) || " -> ""
						if s.coarse || indirect(fn) || returnsFlag(ret) && len(s.freed) == 0 && len(p.callers[fn]) > 0 && !p.sawAll(fn) {
							c = min(c, Medium)
						}
						p.report("HBA103", c, ret, fmt.Sprintf("return without %s.%s(), which other paths call: the lock stays held, and the next Lock waits forever", p.name(h.path), verb), p.place(h.at, "it is locked here"))
					}
				}
			}
		}
	}
}

// indirect reports whether fn hands the method Unlock to another function, such as Once.Do: then what
// releases the lock may depend on more than the path.
//
//	unlock := new(sync.Once)
//	defer unlock.Do(mu.Unlock)
func indirect(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			c, ok := instr.(*ssa.MakeClosure)
			return ok && Bound(c.Fn.(*ssa.Function)) && strings.Contains(c.Fn.Name(), "Unlock")
		})
	})
}

// returnsFlag reports whether ret returns a value that may tell the caller that it holds a lock.
func returnsFlag(ret ssa.Instruction) bool {
	r, ok := ret.(*ssa.Return)
	return ok && len(r.Results) > 0
}

// sawAll reports whether all callers of fn are in the program. An exported function counts only if it is in
// an internal package, and the program calls it.
func (p *pass) sawAll(fn *ssa.Function) bool {
	p.findCallers()
	//mutant: findings: anybody may call what is internal [test ./static/findings TestWant]: "internal(pkg.Path)" -> "false"
	if pkg := p.Prog.PackageOf(fn); pkg != nil && internal(pkg.Path) && len(p.callers[fn]) > 0 {
		return true
	}
	for _, r := range p.Roots {
		if r.Fn == fn {
			return false
		}
	}
	return true
}

func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// releasedByCallers reports whether a caller of fn releases a lock of the same kind that it has not
// acquired itself.
func (p *pass) releasedByCallers(fn *ssa.Function, path static.Path) bool {
	p.findCallers()
	class := p.Base.Paths.Class(path)
	for _, site := range p.callers[fn] {
		if !p.user(site.Parent()) {
			continue
		}
		f := p.flow(site.Parent())
		for _, list := range f.returns {
			for _, s := range list {
				for _, h := range s.unacquired {
					if p.Base.Paths.Class(h.path) == class {
						return true
					}
				}
			}
		}
		for _, b := range site.Parent().Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok && released(p, c, class) {
					return true
				}
			}
		}
	}
	return false
}

// returned reports whether ret may keep the lock on purpose: ret returns no error, and another function,
// such as the end of a transaction, releases a lock of the same kind that it has not acquired. The lock
// may belong to an object that ret returns; or the function of f says with an error, if that is its only
// result, or with a bool that it has released the lock.
func (p *pass) returned(f *lockFlow, ret ssa.Instruction, path static.Path) bool {
	r, ok := ret.(*ssa.Return)
	if !ok || len(r.Results) == 0 {
		return false
	}
	for k := range r.Results {
		//mutant: findings: a lock that is returned is not released [test ./static/findings TestWant]: "isLock(r.Results[k].Type())" -> "false"
		if isLock(r.Results[k].Type()) && !isNil(result(r, k)) {
			return true // the caller has to release the lock
		}
	}
	last := result(r, len(r.Results)-1)
	//mutant: findings: an error has the lock [test ./static/findings TestWant]: "!isConst" -> "false && !isConst"
	if c, isConst := last.(*ssa.Const); types.Identical(last.Type(), types.Universe.Lookup("error").Type()) && (!isConst || !c.IsNil()) {
		return false
	}
	//mutant: findings: nothing is acquired by a function that returns only an error [test ./static/findings TestWant]: "!f.erring(path)" -> "true"
	//mutant: findings: a bool says nothing about a lock [test ./static/findings TestWant]: "!f.telling(path)" -> "true"
	if _, ok := r.Results[0].Type().Underlying().(*types.Pointer); !ok && !f.erring(path) && !f.telling(path) {
		return false
	}
	class := p.Base.Paths.Class(path)
	return slices.ContainsFunc(p.list, func(g *ssa.Function) bool {
		//mutant: findings: no function ends a transaction [test ./static/findings TestWant]: "g != ret.Parent()" -> "false"
		return g != ret.Parent() && slices.ContainsFunc(g.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
				c, ok := instr.(ssa.CallInstruction)
				return ok && released(p, c, class)
			})
		})
	})
}

// erring reports whether the function of f returns nothing but an error, which is not nil on the paths
// that have released the lock.
func (f *lockFlow) erring(path static.Path) bool {
	results := f.fn.Signature.Results()
	if results.Len() != 1 || !types.Identical(results.At(0).Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	for ret, list := range f.returns {
		r, ok := ret.(*ssa.Return)
		for _, s := range list {
			released := slices.ContainsFunc(s.freed, func(h hold) bool { return h.path == path }) && holds(s.held, path) < 0
			//mutant: findings: a lock is kept by one of several paths without an error [test ./static/findings TestWant]: "isNil(result(r, 0))" -> "r == nil"
			if ok && released && isNil(result(r, 0)) {
				return false
			}
		}
	}
	return true
}

// telling reports whether the last result of f's function is a bool that is true if it has kept the lock, and
// false if it has released it, on all paths on which the result is known, some of each kind.
func (f *lockFlow) telling(path static.Path) bool {
	kept, freed := false, false
	for ret, list := range f.returns {
		r, ok := ret.(*ssa.Return)
		if !ok || len(r.Results) == 0 || !isBool(r.Results[len(r.Results)-1]) {
			return false
		}
		last := result(r, len(r.Results)-1)
		for _, s := range list {
			is, ok := decided(last)
			if !ok {
				key, not := f.cond.key(last)
				is, ok = known(s.facts, key)
				is = is != not
			}
			if !ok {
				continue
			}
			held := holds(s.held, path) >= 0
			released := !held && slices.ContainsFunc(s.freed, func(h hold) bool { return h.path == path })
			//mutant: findings: a bool may be true with and without the lock [test ./static/findings TestWant]: "held && !is || released && is" -> "false"
			if held && !is || released && is {
				return false
			}
			kept, freed = kept || held, freed || released
		}
	}
	return kept && freed
}

func isBool(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// isLock reports whether t is *sync.Mutex, *sync.RWMutex or sync.Locker.
func isLock(t types.Type) bool {
	switch types.TypeString(t, nil) {
	case "*sync.Mutex", "*sync.RWMutex", "sync.Locker":
		return true
	}
	return false
}

func isNil(v ssa.Value) bool { c, ok := v.(*ssa.Const); return ok && c.IsNil() }

// result returns the k-th result of r; a result that deferred calls may change is stored before
// they run.
func result(r *ssa.Return, k int) ssa.Value {
	load, ok := r.Results[k].(*ssa.UnOp)
	if !ok {
		return r.Results[k]
	}
	for _, instr := range slices.Backward(r.Block().Instrs) {
		if st, ok := instr.(*ssa.Store); ok && st.Addr == load.X {
			return st.Val
		}
	}
	return load
}

// released reports whether c unlocks a lock of that class, which has not been locked by the same function.
func released(p *pass, c ssa.CallInstruction, class string) bool {
	fn := c.Common().StaticCallee()
	if fn == nil || len(c.Common().Args) == 0 {
		return false
	}
	switch fn.String() {
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock":
	default:
		return false
	}
	if p.Base.Paths.Class(p.Base.Paths.Of(c.Common().Args[0])) != class {
		return false
	}
	for _, b := range c.Parent().Blocks {
		for _, instr := range b.Instrs {
			if l, ok := instr.(*ssa.Call); ok && l.Call.StaticCallee() != nil && len(l.Call.Args) > 0 {
				switch l.Call.StaticCallee().String() {
				case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock":
					if p.Base.Paths.Class(p.Base.Paths.Of(l.Call.Args[0])) == class {
						return false
					}
				}
			}
		}
	}
	return true
}

// findCallers finds the calls of each function.
func (p *pass) findCallers() {
	if p.callers != nil {
		return
	}
	p.callers = map[*ssa.Function][]ssa.CallInstruction{}
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if site, ok := instr.(ssa.CallInstruction); ok {
					for _, g := range p.callees(instr) {
						p.callers[g] = append(p.callers[g], site)
					}
				}
			}
		}
	}
}

func (d *double) confidence() Confidence {
	//mutant: findings: a callee unlocks on all of its paths [test ./static/findings TestWant]: "d.unsure" -> "d.unsure && false"
	if d.unsure {
		return Medium
	}
	return High
}

// checkReleases finds locks that are released twice (HBA104), or in the wrong mode (HBA105).
func checkReleases(p *pass) {
	for _, fn := range p.list {
		f := p.flow(fn)
		if f.imprecise {
			continue
		}
		first := map[ssa.Instruction]bool{}
		slices.SortStableFunc(f.again, func(a, b double) int { return cmp.Compare(a.at.Pos(), b.at.Pos()) })
		for _, d := range f.again {
			// After one superfluous Unlock all later ones are superfluous.
			//mutant: findings: a goroutine that was started acquires no lock [test ./static/findings TestWant]: "p.inGoroutine(fn, d.held.path, heldOf)" -> "false"
			if first[d.held.at] || p.inGoroutine(fn, d.held.path, heldOf) {
				continue
			}
			first[d.held.at] = true
			p.report("HBA104", Medium, d.at, fmt.Sprintf("%s is unlocked twice on a path: the second time it is not held, or another goroutine holds it", p.name(d.acq.path)), p.place(d.held.at, "it is unlocked here already"))
		}
		for _, d := range f.wrongMode {
			did, want := "RUnlock", "Unlock"
			if d.acq.mode == static.Write {
				did, want = want, did
			}
			p.report("HBA105", d.confidence(), d.at, fmt.Sprintf("%s.%s() of a lock that is held in the other mode, a fatal error: call %s", p.name(d.acq.path), did, want), p.place(d.held.at, "it is locked here"))
		}
	}
}

// checkReplaced finds locks that are overwritten while they are held (HBA106).
func checkReplaced(p *pass) {
	for _, fn := range p.list {
		f := p.flow(fn)
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				st, ok := instr.(*ssa.Store)
				if !ok || !hasLock(st.Val.Type(), 4) {
					continue
				}
				at := p.Base.Paths.Of(st.Addr)
				for _, s := range f.before[instr] {
					for _, h := range s.held {
						if at != static.Unknown && p.Base.Paths.Within(h.path, at) {
							p.report("HBA106", High, instr, fmt.Sprintf("%s is overwritten while it is held: its Unlock fails, and goroutines that wait for it wait forever", p.name(h.path)), p.place(h.at, "it is locked here"))
						}
					}
				}
			}
		}
	}
}

// hasLock reports whether values of type t have a Mutex or RWMutex in them.
func hasLock(t types.Type, depth int) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" {
		return n.Obj().Name() == "Mutex" || n.Obj().Name() == "RWMutex"
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if depth > 0 && hasLock(f.Type(), depth-1) {
				return true
			}
		}
	case *types.Array:
		return hasLock(u.Elem(), depth)
	}
	return false
}

// checkClosed finds channels that are closed, or sent to, after they have been closed (HBA203).
func checkClosed(p *pass) {
	for _, fn := range p.list {
		f := p.flow(fn)
		if f.imprecise {
			continue
		}
		for _, d := range f.closed {
			what := "closed again"
			if d.acq.op == static.SendEvent {
				what = "sent to"
			}
			p.report("HBA203", d.confidence(), d.at, fmt.Sprintf("%s is %s after it has been closed: a panic", p.name(d.acq.path), what), p.place(d.held.at, "it is closed here"))
		}
	}
}

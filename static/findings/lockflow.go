package findings

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// The locks that are held, by a forward analysis. It distinguishes paths by their conditions, and has a
// summary of each function for its callers. A state stands for a set of paths to a point.
//
//	func (s *S) f(ok bool) {      held            freed
//	    s.mu.Lock()               s.mu
//	    if !ok { return }         s.mu                         returns with s.mu: here
//	    s.mu.Unlock()                             s.mu
//	}                                                          and without
//
// Functions of the standard library hold no locks of other packages. The analysis ignores the effect of a
// recursive call on locks.

// An acquisition is a lock that a function or one of its callees acquires.
type acquisition struct {
	path  static.Path
	class string
	mode  static.Mode
	once  bool              // the acquisition enters a Once
	chain []ssa.Instruction // calls from this function down to the operation
	must  bool              // on all paths
	// flagged is set if a literal acquires it depending on a variable that it has captured.
	flagged bool
	given   []fact // conditions on parameters under which it is acquired
	op      static.EventKind
}

// exit is one way a function may return, as its caller sees it.
type exit struct{ acquired, released, closed []hold }

// A lockFlow has the result of the analysis for a function.
type lockFlow struct {
	p         *pass
	fn        *ssa.Function
	code      static.Code
	cond      *conditions
	before    map[ssa.Instruction][]*state
	returns   map[ssa.Instruction][]*state // when deferred calls have run
	exits     []exit
	acquires  []acquisition
	ops       []acquisition // other operations that may block: send, receive, wait
	imprecise bool          // there were too many states
	flagged   bool          // the locks that it releases depend on a captured variable: see flags
	done      bool
	doubles   []double
	seen      map[doubleKey]bool // keys of doubles
	again     []double           // released twice
	wrongMode []double
	closed    []double // closed twice, or sent to when it is closed
}

// A double is a pair of operations: the operation in step at repeats the earlier operation in step held.
type double struct {
	at   ssa.Instruction
	held hold
	acq  acquisition
	// unsure is set if one of the two is executed only on some paths of a callee, or if the state may stand
	// for no path.
	unsure bool
}

// doubleKey identifies a double.
type doubleKey struct {
	at, held ssa.Instruction
	path     static.Path
	op       ssa.Instruction
	coarse   bool
}

const maxStates = 24

// flow returns the result for fn, a function of the user.
func (p *pass) flow(fn *ssa.Function) *lockFlow {
	f := p.flows[fn]
	if f == nil {
		f = &lockFlow{
			p: p, fn: fn, code: p.Base.Code(fn), cond: newConditions(p.Base.Paths, fn),
			before: map[ssa.Instruction][]*state{}, returns: map[ssa.Instruction][]*state{}, seen: map[doubleKey]bool{},
		}
		p.flows[fn] = f
		f.walk()
		f.done = true
	}
	return f
}

// walk goes through all blocks until there are no new states.
func (f *lockFlow) walk() {
	in := make([]map[string]*state, len(f.fn.Blocks))
	type item struct {
		block int
		s     *state
	}
	work := []item{{0, &state{}}}
	push := func(k int, s *state) {
		if in[k] == nil {
			in[k] = map[string]*state{}
		}
		//mutant: findings: conditions that no branch needs any more count [test ./static/findings TestWant]: "f.cond.needed(f.fn.Blocks[k], s.facts, len(in[k]) < maxStates/2)" -> "s.facts"
		s.facts = f.cond.needed(f.fn.Blocks[k], s.facts, len(in[k]) < maxStates/2)
		if len(in[k]) >= maxStates && len(s.facts) > 0 {
			//mutant: findings: a path that was forgotten is one [test ./static/findings TestWant]: "s.facts, s.coarse = nil, true" -> "s.facts = nil"
			s.facts, s.coarse = nil, true
		}
		key := s.key()
		if in[k][key] != nil {
			return
		}
		if len(in[k]) >= 2*maxStates {
			f.imprecise = true
			return
		}
		in[k][key] = s
		work = append(work, item{k, s})
	}
	in[0] = map[string]*state{(&state{}).key(): work[0].s}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		blk := f.fn.Blocks[x.block]
		states := []*state{x.s.clone()}
		var before []*state // a snapshot of states; nil: they have changed since
		for _, step := range f.code.Steps(x.block) {
			if before == nil {
				before = snapshot(states)
			}
			f.before[step.Instr()] = append(f.before[step.Instr()], before...)
			if quiet(step, states) {
				continue
			}
			before = nil
			states = f.step(step, states)
			if len(states) > 2*maxStates {
				f.imprecise = true
				states = states[:2*maxStates]
			}
		}
		for i := range blk.Succs {
			events, ok := f.code.Edge(x.block, i)
			if !ok {
				continue
			}
			for _, s := range states {
				facts, ok := f.cond.branch(blk, i, s.facts)
				if !ok {
					continue
				}
				t := s.clone()
				t.facts = facts
				if blk.Succs[i].Dominates(blk) {
					t.closed = nil // the next iteration may use another channel, or not be executed
				}
				for j := range events {
					f.event(&events[j], t, nil)
				}
				push(blk.Succs[i].Index, t)
			}
		}
	}
	f.summarise()
}

// quiet reports whether step changes no state.
func quiet(step static.Step, states []*state) bool {
	if _, isStore := step.Instr().(*ssa.Store); isStore || step.Kind() != static.Plain || len(step.Events()) > 0 {
		return false
	}
	return step.Defines() == nil || !slices.ContainsFunc(states, func(s *state) bool {
		return len(s.held)+len(s.freed)+len(s.unacquired)+len(s.closed) > 0
	})
}

func snapshot(list []*state) []*state {
	out := make([]*state, len(list))
	for i, s := range list {
		out[i] = s.clone()
	}
	return out
}

// step returns the states after step.
func (f *lockFlow) step(step static.Step, states []*state) []*state {
	instr := step.Instr()
	for _, s := range states {
		if st, ok := instr.(*ssa.Store); ok {
			s.facts = f.cond.store(st, s.facts)
			f.overwritten(st, s)
		}
		for i := range step.Events() {
			f.event(&step.Events()[i], s, nil)
		}
	}
	switch step.Kind() {
	case static.Calls:
		//mutant: findings: a variable that is os.Exit returns [test ./static/findings TestWant]: "exits(instr)" -> "false"
		if exits(instr) {
			return nil
		}
		states = f.calls(step, states)
	case static.MayCall:
		n := len(f.again)
		after := f.calls(step, snapshot(states))
		if slices.ContainsFunc(step.Events(), func(e static.Event) bool { return e.Kind == static.OnceEvent }) {
			f.again = f.again[:n] // a Once releases nothing twice
			for _, s := range states {
				f.passed(s, after)
			}
		}
		states = append(after, states...)
	case static.Defers:
		for _, s := range states {
			if d, ok := instr.(*ssa.Defer); ok && len(s.defers) < 8 && count(s.defers, d) < 2 {
				s.defers = append(s.defers, d)
			}
		}
	case static.RunsThem:
		var out []*state
		for _, s := range states {
			out = append(out, f.runDefers(s)...)
		}
		states = out
	case static.Returns:
		f.returns[instr] = append(f.returns[instr], states...)
	case static.Panics:
		return nil
	}
	if v := step.Defines(); v != nil {
		r := f.p.Base.Forget(v)
		for _, s := range states {
			forget := func(list []hold) []hold {
				out := list[:0]
				for _, h := range list {
					if h.path = r.Path(h.path); h.path != static.Unknown && !f.p.Base.Paths.Fresh(h.path) {
						out = append(out, h)
					}
				}
				return out
			}
			s.held, s.freed, s.unacquired, s.closed = forget(s.held), forget(s.freed), forget(s.unacquired), forget(s.closed)
			//mutant: findings: a deferred call is about what a variable becomes later [test ./static/findings TestWant]: "f.outdated(d, r)" -> "false"
			s.defers = slices.DeleteFunc(s.defers, func(d *ssa.Defer) bool { return f.outdated(d, r) })
		}
	}
	return dedupe(states)
}

// passed changes s, a state in which a Once does not call its function because it has called it before. Then
// the locks that the function releases (in the states after) have been released before: the Once is like a
// flag.
func (f *lockFlow) passed(s *state, after []*state) {
	for _, t := range after {
		n := len(s.held)
		//mutant: findings: a Once that has happened has released nothing [test ./static/findings TestWant]: "< 0" -> "< -1"
		s.held = slices.DeleteFunc(s.held, func(h hold) bool { return holds(t.held, h.path) < 0 })
		f.flagged = f.flagged || len(s.held) < n || len(t.unacquired) > len(s.unacquired)
		//mutant: findings: a Once that has happened has released nothing of the caller [test ./static/findings TestWant]: "len(t.unacquired) > len(s.unacquired)" -> "false"
		if len(t.unacquired) > len(s.unacquired) {
			s.unacquired = slices.Clone(t.unacquired)
		}
		s.lost = s.lost || t.lost
	}
}

func count(list []*ssa.Defer, d *ssa.Defer) (n int) {
	for _, x := range list {
		if x == d {
			n++
		}
	}
	return n
}

func dedupe(states []*state) []*state {
	if len(states) < 2 {
		return states
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(states, func(s *state) bool {
		k := s.key()
		again := seen[k]
		seen[k] = true
		return again
	})
}

// event applies e to s; chain leads to it if it is in a callee without a body of its own.
func (f *lockFlow) event(e *static.Event, s *state, chain []ssa.Instruction) {
	switch e.Kind {
	case static.LockEvent:
		a := acquisition{path: e.Path, class: f.p.Base.Paths.Class(e.Path), mode: e.Mode, chain: []ssa.Instruction{e.Instr}, op: e.Kind}
		f.acquire(e.Instr, a, s)
		if e.Path != static.Unknown {
			s.hold(hold{path: e.Path, mode: e.Mode, at: e.Instr, own: true}, 2)
			if !slices.Contains(s.took, e.Path) {
				s.took = append(s.took, e.Path)
			}
			s.freed = slices.DeleteFunc(s.freed, func(h hold) bool { return h.path == e.Path })
		}
	case static.TryEvent:
		if e.Path != static.Unknown {
			s.hold(hold{path: e.Path, mode: e.Mode, at: e.Instr, own: true, unsure: true}, 1)
			s.freed = slices.DeleteFunc(s.freed, func(h hold) bool { return h.path == e.Path })
		}
	case static.UnlockEvent:
		f.release(e.Instr, e.Path, e.Mode, s, nil)
	case static.OnceEvent:
		f.acquire(e.Instr, acquisition{path: e.Path, mode: static.Write, once: true, chain: []ssa.Instruction{e.Instr}, op: e.Kind}, s)
	case static.CloseEvent:
		if i := holds(s.closed, e.Path); i >= 0 {
			f.closed = append(f.closed, double{at: e.Instr, held: s.closed[i], acq: acquisition{path: e.Path, op: e.Kind}, unsure: s.coarse})
		} else if e.Path != static.Unknown {
			s.closed = append(s.closed, hold{path: e.Path, at: e.Instr, own: true})
		}
	case static.SendEvent, static.RecvEvent, static.JoinEvent, static.WaitEvent:
		if i := holds(s.closed, e.Path); i >= 0 && e.Kind == static.SendEvent {
			f.closed = append(f.closed, double{at: e.Instr, held: s.closed[i], acq: acquisition{path: e.Path, op: e.Kind}, unsure: s.coarse})
		}
		f.operation(acquisition{path: e.Path, class: f.p.Base.Paths.Class(e.Path), chain: []ssa.Instruction{e.Instr}, op: e.Kind})
	case static.AnyEvent:
		s.lose()
	}
}

// overwritten forgets paths through the memory that st writes to.
func (f *lockFlow) overwritten(st *ssa.Store, s *state) {
	q := f.p.Base.Paths.Of(st.Addr)
	if q == static.Unknown {
		return
	}
	reloaded := func(h hold) bool { return slices.Contains(f.p.Base.Paths.Loads(h.path), q) }
	s.held, s.freed = slices.DeleteFunc(s.held, reloaded), slices.DeleteFunc(s.freed, reloaded)
	s.unacquired, s.closed = slices.DeleteFunc(s.unacquired, reloaded), slices.DeleteFunc(s.closed, reloaded)
}

func (f *lockFlow) operation(a acquisition) {
	for _, o := range f.ops {
		if o.path == a.path && o.op == a.op && o.class == a.class && o.chain[0] == a.chain[0] {
			return
		}
	}
	if len(f.ops) < 64 {
		f.ops = append(f.ops, a)
	}
}

// release applies an unlock at instr; some is the function that unlocks on some of its paths only.
func (f *lockFlow) release(instr ssa.Instruction, p static.Path, m static.Mode, s *state, some *lockFlow) {
	if p == static.Unknown {
		s.lose()
		return
	}
	// The innermost hold of the same mode, or else of the other mode.
	k := -1
	for i, h := range s.held {
		if h.path == p && (k < 0 || h.mode == m) {
			k = i
		}
	}
	switch i := holds(s.freed, p); {
	case k >= 0:
		h := s.held[k]
		if h.mode != m && !h.unsure {
			//mutant: findings: a flag says nothing about the mode [test ./static/findings TestWant]: "some != nil" -> "false"
			f.wrongMode = append(f.wrongMode, double{at: instr, held: h, acq: acquisition{mode: m, path: p}, unsure: s.coarse || some != nil})
		}
		s.held = slices.Delete(s.held, k, k+1)
		if holds(s.held, p) < 0 && h.own && !h.unsure {
			s.freed = append(s.freed, hold{path: p, mode: m, at: instr, unsure: some != nil, flagged: some != nil && some.flagged})
		}
	case i >= 0:
		//mutant: findings: a flag says nothing about an unlock [test ./static/findings TestWant]: "!h.flagged && (some == nil || !some.flagged)" -> "true"
		if h := s.freed[i]; !h.flagged && (some == nil || !some.flagged) {
			f.again = append(f.again, double{at: instr, held: h, acq: acquisition{mode: m, path: p}, unsure: h.unsure || some != nil || s.coarse})
		}
	//mutant: findings: after a call of anything no lock of the caller is released [test ./static/findings TestWant]: " || !slices.Contains(s.took, p)" -> ""
	case (!s.lost || !slices.Contains(s.took, p)) && !f.alias(p, m, s):
		if h := (hold{path: p, mode: m, at: instr}); !slices.Contains(s.unacquired, h) {
			s.unacquired = append(s.unacquired, h)
		}
	}
}

// acquire records that a is acquired at instr, a step of this function, in state s.
func (f *lockFlow) acquire(instr ssa.Instruction, a acquisition, s *state) {
	for _, h := range s.held {
		if h.path == a.path && a.path != static.Unknown && !h.unsure && !a.once {
			if key := (doubleKey{instr, h.at, a.path, a.chain[len(a.chain)-1], s.coarse}); !f.seen[key] {
				f.seen[key] = true
				f.doubles = append(f.doubles, double{at: instr, held: h, acq: a, unsure: s.coarse})
			}
		}
	}
	//mutant: findings: others may hold a lock that a function has just declared [test ./static/findings TestWant]: "f.declares(a)" -> "false"
	if f.declares(a) {
		return // no other goroutine holds the lock yet, so this one does not wait
	}
	if !a.once {
		f.p.order(f, instr, a, s)
	}
	if holds(s.unacquired, a.path) >= 0 {
		return // fn has released the lock before, so now the caller holds it again
	}
	for _, x := range s.facts {
		if strings.HasPrefix(x.key, "v") && !strings.Contains(x.key, " ") {
			for _, prm := range f.fn.Params {
				if f.cond.operand(prm) == x.key {
					if f := (fact{prm.Name(), x.is}); !slices.Contains(a.given, f) {
						a.given = append(slices.Clone(a.given), f)
					}
				}
			}
		}
	}
	for i := range f.acquires {
		if b := &f.acquires[i]; b.path == a.path && b.class == a.class && b.mode == a.mode && b.once == a.once && b.chain[0] == a.chain[0] {
			if len(a.given) < len(b.given) {
				b.given = a.given
			}
			return
		}
	}
	if len(f.acquires) < 64 && len(a.chain) < 8 {
		f.acquires = append(f.acquires, a)
	}
}

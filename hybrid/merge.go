package hybrid

import (
	"encoding/binary"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// Merger merges the partial results of one analysis over live stacks into a result for a goroutine's whole
// future. Paths become addresses in this step, because each frame has the values of its parameters and
// variables.
//
// A frame that is in a call continues after it if the call returns, and with its deferred calls if it panics.
// A frame that is already running its deferred calls (Unwinding) still executes the pending ones, which the
// state has exactly. Then it returns or panics; the two are not distinguished.
//
// How the parts of a stack are put together, x being the flow so far (static.Flow):
//
//	frame 0, innermost    x  = what it does until it returns or panics
//	frame 1, in a call    x  = x, then if it returned: frame 1 after the call
//	                           if it panicked: frame 1's deferred calls
//	frame 2, unwinding    x  = x, then its pending deferred calls, newest first, then it returns
//
// It has two caches. sites and calls have the partial results by place in the code, which depend on
// the state only through their paths. whole has the whole results, by their parts and the values of
// the paths in the present state. In most states the stack, with its objects, is in the cache.
type Merger[V comparable] struct {
	e     *static.Engine[V]
	base  *static.Base
	sites map[site]*partial[V]
	calls map[*ssa.Function]*partial[V]
	whole map[string]V
	lives map[liveKey]bool
	buf   []byte
}

// site is the key of a frame's partial result.
//
// The same place in the code can be a frame's in three ways: at its next instruction, in a call,
// and running deferred calls.
type site struct {
	id        uint64
	inner     bool
	unwinding bool
}

// partial is a flow and the paths that occur in it.
//
// paths are listed once, when the partial is made (number). A merged result depends only on its
// parts and on the addresses of their paths.
type partial[V comparable] struct {
	num      int
	resume   static.Flow[V] // what follows when the inner frame returns; for the innermost frame, everything
	panicked static.Flow[V] // what follows when the inner frame panics
	paths    []static.Path
	defers   []*ssa.Defer    // pending in the frame, newest last
	add      *ssa.CallCommon // the next instruction of the frame, if that adds to a WaitGroup
}

// NewMerger returns a merger of the results of e.
func NewMerger[V comparable](b *static.Base, e *static.Engine[V]) *Merger[V] {
	return &Merger[V]{
		e:     e,
		base:  b,
		sites: map[site]*partial[V]{},
		calls: map[*ssa.Function]*partial[V]{},
		whole: map[string]V{},
		lives: map[liveKey]bool{},
	}
}

// maxCached bounds the number of remembered results.
const maxCached = 1 << 16

// stackPart is a frame, or one of its pending deferred calls, with the place where its
// paths are evaluated.
//
// Deferred calls come after their frame, newest first.
type stackPart[V comparable] struct {
	p         *partial[V]
	env       static.Env
	frame     bool
	unwinding bool          // the frame runs its deferred calls
	fn        *ssa.Function // the function of a deferred call, or of a frame without instructions
	arg       uint64        // the first argument of a deferred call
}

// FutureOf returns the events of l's goroutine until it ends.
//
// The key of whole has a word for each part, and one for each path in it: the path's address, or 0
// if the address is unknown. The parts are merged only if the key is new.
//
//	key:   part 7 │ &s.mu │ part 12 │ &t.nu │ 0 │ ...
func (m *Merger[V]) FutureOf(l Live) V {
	// First collect everything that the result depends on, to look the result up.
	var parts []stackPart[V]
	key := m.buf[:0]
	note := func(x stackPart[V]) {
		parts = append(parts, x)
		key = binary.LittleEndian.AppendUint32(key, uint32(x.p.num))
		for _, p := range x.p.paths {
			a, ok := m.base.Paths.Eval(p, x.env)
			if !ok {
				a = 0
			}
			key = binary.LittleEndian.AppendUint64(key, a)
		}
	}
	for i := range l.Stack() {
		fr := l.Stack()[i]
		if fr.Main {
			continue
		}
		if fr.Instr == nil && i == 0 && fr.Fn != nil {
			key = binary.LittleEndian.AppendUint64(key, l.Operand())
		}
		// The innermost frame is at its next instruction, which is RunDefers if it runs deferred
		// calls; the others are in a call.
		unwinding := i > 0 && fr.Unwinding || isRunDefers(fr.Instr)
		x := m.partial(fr, i == 0, unwinding)
		var place static.Env = &callEnv{l: l, fn: fr.Fn} // of a call with unknown arguments
		if fr.Instr != nil {
			place = &frameEnv{
				l: l, i: i, fn: fr.Instr.Parent(), at: fr.Instr, after: i > 0 && !unwinding,
				lives: m.lives, defers: x.defers,
			}
		}
		if x.add != nil {
			key = binary.LittleEndian.AppendUint64(key, m.delta(x, place))
		}
		note(stackPart[V]{p: x, env: place, frame: true, unwinding: unwinding, fn: fr.Fn})
		if !unwinding {
			continue
		}
		l.Deferred(i, func(fn *ssa.Function, args, captured []uint64) {
			d := stackPart[V]{p: m.call(fn), env: &callEnv{l, fn, slices.Clone(args), slices.Clone(captured)}, fn: fn}
			if len(args) > 0 {
				d.arg = args[0]
			}
			if fn != nil && m.base.Prog.Body(fn) == nil {
				key = binary.LittleEndian.AppendUint64(key, d.arg)
			}
			note(d)
		})
	}
	m.buf = key
	if v, ok := m.whole[string(key)]; ok {
		return v
	}
	if len(m.whole) >= maxCached {
		clear(m.whole)
	}
	v := m.fold(l, parts)
	m.whole[string(key)] = v
	return v
}

func isRunDefers(instr ssa.Instruction) bool {
	_, ok := instr.(*ssa.RunDefers)
	return ok
}

// fold puts parts together, from the innermost outwards.
//
// The pending operation of a native has no code; its event is made here, from the state: the mutex, or the
// WaitGroup with the number added to it.
func (m *Merger[V]) fold(l Live, parts []stackPart[V]) V {
	e := m.e
	x := e.Returning() // the innermost frame, which returns nothing to its caller
	for k := 0; k < len(parts); k++ {
		c := parts[k]
		resume, panicked := c.p.resume, c.p.panicked
		r := m.base.InEnv(c.env)
		resume, panicked = e.Rename(resume, r), e.Rename(panicked, r)
		if c.p.add != nil {
			n := m.delta(c.p, c.env)
			ev := static.Event{Kind: static.AddEvent, N: int(n), Known: n != unknownDelta, Path: r.Path(m.base.Paths.Of(c.p.add.Args[0]))}
			resume = e.Then(e.Events(ev), resume, panicked)
		}
		if k == 0 && c.fn != nil && m.base.Prog.Body(c.fn) == nil {
			if ev, ok := m.base.SyncEvent(c.fn, l.Operand()); ok {
				resume = e.Then(e.Events(ev), resume, panicked)
			}
		}
		first := k + 1
		for k+1 < len(parts) && !parts[k+1].frame {
			k++
		}
		if c.unwinding {
			resume, panicked = m.leaving(resume, panicked, parts[first:k+1])
		}
		x = e.Then(x, resume, panicked)
	}
	return e.Total(x)
}

// leaving returns what follows in a frame that has the given deferred calls left:
// returns and recovered follow when there are none.
//
// It goes from the oldest deferred call to the newest, because the newest runs first, and its result depends
// on the result of the calls after it. There are three continuations, according to the way in which control
// reaches a deferred call:
//
//	z   the function returns: all deferred calls run, and then it returns
//	r   it has panicked and recovered: the rest of them run, and then it returns
//	u   it is panicking: the rest of them run, one of which may recover (next), or it continues
func (m *Merger[V]) leaving(returns, recovered static.Flow[V], deferred []stackPart[V]) (resume, panicked static.Flow[V]) {
	e := m.e
	z, r, u := returns, recovered, e.Panicking()
	for i := len(deferred) - 1; i >= 0; i-- {
		d := deferred[i]
		c := e.Rename(d.p.resume, m.base.InEnv(d.env))
		if d.fn != nil && m.base.Prog.Body(d.fn) == nil {
			if ev, ok := m.base.SyncEvent(d.fn, d.arg); ok {
				c = e.Then(e.Events(ev), c, e.Panicking())
			}
		}
		next := u
		if d.fn == nil || static.Recovers(d.fn) {
			next = e.Either(u, r)
		}
		z, r, u = e.Then(c, z, u), e.Then(c, r, u), e.Then(c, next, u)
	}
	return e.Either(z, e.Either(r, u)), u
}

// partial returns the partial result of a frame.
//
// The cases: a native; an unknown function; a function with the body of another one (of the overlay);
// deferred calls; the innermost frame, whose next instruction is still to be executed; a frame in a call.
func (m *Merger[V]) partial(fr Frame, inner, unwinding bool) *partial[V] {
	k := site{fr.ID, inner, unwinding}
	x := m.sites[k]
	if x != nil {
		return x
	}
	x = &partial[V]{panicked: m.e.Panicking()}
	switch {
	case fr.Instr == nil && fr.Fn != nil:
		x.resume = m.e.Whole(fr.Fn)
	case fr.Instr == nil:
		x.resume = m.unknown()
	case m.base.Prog.Body(fr.Instr.Parent()) != fr.Instr.Parent():
		x.resume = m.unknown()
	case unwinding:
		x.resume, x.panicked = m.e.Leaving(fr.Instr)
	case inner:
		if x.add = adding(fr.Instr); x.add != nil {
			x.resume = m.e.Resume(fr.Instr)
			break
		}
		x.resume = m.e.Before(fr.Instr)
	default:
		x.resume, x.panicked = m.e.Resume(fr.Instr), m.e.Panicked(fr.Instr)
	}
	if fr.Instr != nil && !unwinding {
		x.defers = m.base.Deferred(fr.Instr)
	}
	m.number(x)
	m.sites[k] = x
	return x
}

// adding returns the call of hbWgAdd that instr is, or nil. In the body of Add the number is a parameter;
// the live state has its value.
//
// Static facts of hbWgAdd are for any number; the next instruction of a goroutine has a certain number.
func adding(instr ssa.Instruction) *ssa.CallCommon {
	if c, ok := instr.(*ssa.Call); ok {
		if static.Executes(c.Call.StaticCallee(), trace.WgAdd) {
			return &c.Call
		}
	}
	return nil
}

// unknownDelta is the delta of a WaitGroup if it is unknown.
const unknownDelta = 1 << 40

// delta returns the number added by the next instruction of x.
//
// An unknown number gives an event with unknownDelta (fold), after which there are no facts about the
// counter.
func (m *Merger[V]) delta(x *partial[V], place static.Env) uint64 {
	n, ok := place.Value(x.add.Args[1])
	if !ok {
		return unknownDelta
	}
	return n
}

// call returns the result of a call of fn, nil for a builtin.
//
// It does not depend on arguments, which the place (callEnv) supplies when paths are evaluated.
func (m *Merger[V]) call(fn *ssa.Function) *partial[V] {
	x := m.calls[fn]
	if x == nil {
		x = &partial[V]{resume: m.unknown(), panicked: m.e.Panicking()}
		if fn != nil {
			x.resume = m.e.Whole(fn)
		}
		m.number(x)
		m.calls[fn] = x
	}
	return x
}

// unknown is the flow of unknown code.
//
// It may read and write anything, and call anything: the top element.
func (m *Merger[V]) unknown() static.Flow[V] {
	access := func(x static.Access) static.Event {
		return static.Event{Kind: static.AccessEvent, N: m.base.Acc.Num(x)}
	}
	return m.e.Events(static.Event{Kind: static.AnyEvent}, access(static.Access{Write: true}), access(static.Access{}))
}

// number assigns x the number that stands for it in keys, and lists its paths.
func (m *Merger[V]) number(x *partial[V]) {
	x.num = len(m.sites) + len(m.calls)
	r := m.base.Listing(&x.paths)
	m.e.Rename(x.resume, r)
	m.e.Rename(x.panicked, r)
	if x.add != nil {
		r.Path(m.base.Paths.Of(x.add.Args[0]))
	}
}

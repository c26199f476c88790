package explore

import (
	"go/token"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A report folds the steps of one call, names the place where a lock was taken, and says that a
// sync.Pool gave one object to two goroutines. What it needs for that is found while a schedule is
// repeated.

// A Call is a frame in the tree of the calls of a schedule: the calls that steps of all goroutines
// were made in, each once.
type Call struct {
	Up    int // index of the call that made this one; -1: the function of a goroutine
	Frame     // Pos is the position in its function
}

// CallsOf returns the calls that event e was made in, innermost first.
func (b *Bug) CallsOf(e *Event) (list []*Call) {
	for i := e.Call - 1; i >= 0 && i < len(b.Calls); i = b.Calls[i].Up {
		list = append(list, &b.Calls[i])
	}
	return list
}

// callNode is a Call before it has a number.
type callNode struct {
	up *callNode
	Frame
}

// callKey identifies a callNode among those with the same up.
type callKey struct {
	up   *callNode
	fn   string
	file string
	line int
	pc   int32
}

// callTree has each call once, so that long schedules do not need memory for the stack of each step.
type callTree map[callKey]*callNode

// add returns the node of a stack.
func (t callTree) add(stack []Frame) *callNode {
	var at *callNode
	for _, f := range slices.Backward(stack) {
		k := callKey{at, f.Func, f.Pos.Filename, f.Pos.Line, f.PC}
		n := t[k]
		if n == nil {
			n = &callNode{at, f}
			t[k] = n
		}
		at = n
	}
	return at
}

// numberCalls makes b.Calls of the calls of b.Events.
func (b *Bug) numberCalls() {
	numbers := make(map[*callNode]int)
	b.Calls = nil
	var number func(n *callNode) int
	number = func(n *callNode) int {
		if n == nil {
			return -1
		}
		i, ok := numbers[n]
		if !ok {
			up := number(n.up)
			i = len(b.Calls)
			b.Calls, numbers[n] = append(b.Calls, Call{up, n.Frame}), i
		}
		return i
	}
	for i := range b.Events {
		b.Events[i].Call = number(b.Events[i].call) + 1
	}
}

// A Holding is a lock for which a goroutine waits and that another one has.
type Holding struct {
	ID    trace.GID // of the goroutine that has it
	G     string
	Ended bool           // that goroutine has ended
	What  string         // name of the lock where it was taken
	Pos   token.Position // where it was taken
	Loc   uint64         // of the lock
	Made  token.Position // where the lock was made, if that is known
	Event int            // index of the step that took it, -1 if that is no step of the schedule
}

// A PoolPass is an object that a sync.Pool has handed from one goroutine of a race to the other.
type PoolPass struct {
	Pool     string // its name, where the object was got
	Put, Got int    // events
}

// repeated is a machine that records what a Bug needs while its schedule is repeated.
type repeated interface {
	Trace(on bool)
	Pooled() (obj uint32, put bool)
	Reaches(from, to uint32) bool
	MadeAt(obj uint32) token.Position
	Holdings(op trace.Op) []vm.Holding
}

// traced makes m record, from its initial state on, and returns a function that ends that.
func traced(m Machine) (end func()) {
	x, ok := m.(repeated)
	if !ok {
		return func() {}
	}
	x.Trace(true)
	return func() { x.Trace(false) }
}

// pooled notes in e what a sync.Pool has got or given in its step.
func (e *Event) notePooled(m Machine) {
	if x, ok := m.(repeated); ok {
		e.pooled, e.put = x.Pooled()
	}
}

// holdings finds the locks that goroutines wait for, in the present state.
func (m *machine) holdings(op trace.Op) (list []Holding) {
	for _, h := range m.Holdings(op) {
		x := Holding{ID: h.G, G: m.Name(h.G), Ended: !m.Alive(h.G), Event: -1}
		if op.N > 0 {
			x.Loc = uint64(op.Access[0].Obj)<<32 | uint64(op.Access[0].Off)
			x.Made = plain(m.MadeAt(op.Access[0].Obj))
		}
		if at, ok := userFrame(h.Stack); ok {
			x.Pos = plain(at.Pos)
			x.What, _ = m.src.what(trace.Lock, x.Pos)
		}
		list = append(list, x)
	}
	return list
}

// findHoldings finds the steps that took the locks for which goroutines wait.
func (b *Bug) findHoldings() {
	for i := range b.Goroutines {
		for k := range b.Goroutines[i].Awaits {
			h := &b.Goroutines[i].Awaits[k]
			for n := len(b.Events) - 1; n >= 0 && h.Event < 0; n-- {
				e := &b.Events[n]
				row := e.Kind.Row()
				takes := row.Acquires != 0 && (row.On == trace.OnLock || row.On == trace.OnOnce) || e.Kind == trace.CondWait
				if !e.Blocked && !e.Brief && e.G == h.ID && takes && e.Pos == h.Pos {
					h.Event = n
				}
			}
		}
	}
}

// findPool looks for an object by which the accesses of a race reach the same memory, and that a
// sync.Pool has got from the goroutine of one and given to that of the other, though the first has gone
// on using it.
func (b *Bug) findPool(m Machine) {
	x, ok := m.(repeated)
	if b.Kind != Race || !ok {
		return
	}
	raced := b.Accesses[0].obj
	between := func(g trace.GID, from, to int) bool { // g has a step there
		return slices.ContainsFunc(b.Events[from:to], func(e Event) bool { return !e.Blocked && e.G == g })
	}
	for got := len(b.Events) - 1; got >= 0; got-- {
		e := &b.Events[got]
		if e.pooled == 0 || e.put {
			continue
		}
		for put := got - 1; put >= 0; put-- {
			p := &b.Events[put]
			if p.pooled != e.pooled || !p.put {
				continue
			}
			for i := range b.Accesses {
				user, other := &b.Accesses[i], &b.Accesses[1-i]
				if p.G == user.G && e.G == other.G && (e.pooled == raced || x.Reaches(e.pooled, raced)) && between(user.G, put+1, len(b.Events)) {
					b.Pool = &PoolPass{Pool: e.What, Put: put, Got: got}
					return
				}
			}
			break
		}
	}
}

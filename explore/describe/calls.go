package describe

import (
	"go/token"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// While a schedule is repeated, a machine records the calls of each step, the locks that goroutines hold,
// and the objects put into a sync.Pool and taken from it.

// CallNode is a Call before it has a number.
type CallNode struct {
	Up *CallNode
	Frame
}

// callKey identifies a CallNode among those with the same up.
type callKey struct {
	up   *CallNode
	fn   string
	file string
	line int
	pc   int32
}

// callTree has each call once, so that long schedules do not need memory for the stack of each step.
type callTree map[callKey]*CallNode

// add returns the node of a stack.
func (t callTree) add(stack []Frame) *CallNode {
	var at *CallNode
	for _, f := range slices.Backward(stack) {
		k := callKey{at, f.Func, f.Pos.Filename, f.Pos.Line, f.PC}
		n := t[k]
		if n == nil {
			n = &CallNode{at, f}
			t[k] = n
		}
		at = n
	}
	return at
}

// A Holding is a lock that one goroutine waits for and another one holds.
type Holding struct {
	ID    trace.GID // the goroutine that holds the lock
	G     string
	Ended bool           // the goroutine that holds the lock has ended
	What  string         // name of the lock where it was taken
	Pos   token.Position // where it was taken
	Loc   uint64         // location of the lock
	Made  token.Position // where the lock was made, if that is known
	Event int            // index of the step that took the lock; -1: no step of the schedule
}

// Recorder is a machine that records what a Bug needs while its schedule is repeated.
type Recorder interface {
	Trace(on bool)
	Pooled() (obj uint32, put bool)
	Reaches(from, to uint32) bool
	MadeAt(obj uint32) token.Position
	Holdings(op trace.Op) []vm.Holding
}

// Record makes m record from its initial state on, and returns a function that stops it.
func Record(m Machine) (end func()) {
	x, ok := m.(Recorder)
	if !ok {
		return func() {}
	}
	x.Trace(true)
	return func() { x.Trace(false) }
}

// NotePooled records in e the object that its step put into a sync.Pool or took from it.
func (e *Event) NotePooled(m Machine) {
	if x, ok := m.(Recorder); ok {
		e.Noted.Pooled, e.Noted.Put = x.Pooled()
	}
}

// holdings finds the locks that goroutines wait for, in the present state.
func (m *machine) holdings(op trace.Op) (list []Holding) {
	for _, h := range m.Holdings(op) {
		x := Holding{ID: h.G, G: m.Name(h.G), Ended: !m.Alive(h.G), Event: -1}
		if op.N > 0 {
			x.Loc = uint64(op.Access[0].Obj)<<32 | uint64(op.Access[0].Off)
			x.Made = Plain(m.MadeAt(op.Access[0].Obj))
		}
		if at, ok := userFrame(h.Stack); ok {
			x.Pos = Plain(at.Pos)
			x.What, _ = m.src.what(trace.Lock, x.Pos)
		}
		list = append(list, x)
	}
	return list
}

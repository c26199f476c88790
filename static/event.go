package static

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// EventKind is what an instruction does that analyses care about.
type EventKind uint8

const (
	AccessEvent EventKind = iota // plain access N
	LockEvent                    // blocks until it has the lock
	TryEvent                     // has got the lock without waiting
	UnlockEvent
	ReleaseEvent // Cond.Wait unlocks its Locker
	WaitEvent    // Cond.Wait waits to be notified
	SignalEvent  // Signal or Broadcast
	AddEvent     // WaitGroup.Add of N, or of anything if !Known
	JoinEvent    // WaitGroup.Wait
	SendEvent
	RecvEvent
	CloseEvent
	OnceEvent    // waits until nobody is in the Once's function
	OnceEndEvent // the Once's function has ended
	AllocEvent   // allocates Site
	AnyEvent     // a native of which nothing is known
)

// Mode says how a lock is held.
type Mode uint8

const (
	Write Mode = iota
	Read
)

// Excludes reports whether a holder in mode m keeps out one in mode n.
func (m Mode) Excludes(n Mode) bool { return m == Write || n == Write }

// An Event is one thing an instruction itself does, callees excluded.
type Event struct {
	Kind  EventKind
	Mode  Mode
	Known bool
	Path  Path // the object; of an access, the address
	N     int
	Instr ssa.Instruction
}

// syncOp is what a function of package sync or a native of its model means.
type syncOp struct {
	kind EventKind
	mode Mode
	arg  int // number of the argument that is the object
	n    int
}

// syncOps lists them by name. For calls of functions that have a body in the
// model, the entry stands for that; goroutines that stand in such a body are
// covered by the entries of its natives.
var syncOps = map[string][]syncOp{
	"(*sync.Mutex).Lock":      {{kind: LockEvent}},
	"(*sync.Mutex).Unlock":    {{kind: UnlockEvent}},
	"(*sync.RWMutex).Lock":    {{kind: LockEvent}},
	"(*sync.RWMutex).Unlock":  {{kind: UnlockEvent}},
	"(*sync.RWMutex).RLock":   {{kind: LockEvent, mode: Read}},
	"(*sync.RWMutex).RUnlock": {{kind: UnlockEvent, mode: Read}},
	"sync.hbAnnounce":         {{kind: LockEvent}},
	// The locker's mode is not known: a reader's keeps out writers only.
	"(*sync.Cond).Wait":      {{kind: ReleaseEvent}, {kind: WaitEvent}, {kind: LockEvent, mode: Read, arg: lockerOf}},
	"sync.hbPark":            {{kind: ReleaseEvent}},
	"sync.hbWake":            {{kind: WaitEvent}, {kind: LockEvent, mode: Read, arg: 1}},
	"(*sync.Cond).Signal":    {{kind: SignalEvent}},
	"(*sync.Cond).Broadcast": {{kind: SignalEvent}},
	"sync.hbSignal":          {{kind: SignalEvent}},
	"sync.hbBroadcast":       {{kind: SignalEvent}},
	"(*sync.WaitGroup).Add":  {{kind: AddEvent}},
	"(*sync.WaitGroup).Done": {{kind: AddEvent, n: -1}},
	"(*sync.WaitGroup).Wait": {{kind: JoinEvent}},
	"sync.hbWgAdd":           {{kind: AddEvent}},
	"sync.hbWgWait":          {{kind: JoinEvent}},
	"sync.hbOnceEnter":       {{kind: OnceEvent}},
	"sync.hbOnceLeave":       {{kind: OnceEndEvent}},
	"time.hbSend":            {{kind: SendEvent}},
}

// lockerOf is the Locker L of a Cond that is argument 0.
const lockerOf = -1

// tryOps are the functions that lock if they return true.
var tryOps = map[string]Mode{
	"(*sync.Mutex).TryLock":    Write,
	"(*sync.RWMutex).TryLock":  Write,
	"(*sync.RWMutex).TryRLock": Read,
}

// syncEvents calls f for the events of a call of fn if that is a
// synchronisation, and reports whether it is.
func (b *Base) syncEvents(fn *ssa.Function, c *ssa.CallCommon, instr ssa.Instruction, f func(Event)) bool {
	ops, ok := syncOps[fn.String()]
	if !ok {
		_, try := tryOps[fn.String()]
		return try
	}
	arg := func(i int) ssa.Value {
		if c.IsInvoke() {
			if i--; i < 0 {
				return c.Value
			}
		}
		if i < len(c.Args) {
			return c.Args[i]
		}
		return nil
	}
	for _, op := range ops {
		e := Event{Kind: op.kind, Mode: op.mode, N: op.n, Known: op.n != 0, Instr: instr}
		v := arg(max(op.arg, 0))
		switch {
		case v == nil:
		case op.arg == lockerOf || op.kind == ReleaseEvent && fn.Signature.Recv() != nil:
			e.Path = b.Paths.locker(v)
		case op.kind == ReleaseEvent:
			e.Path = b.Paths.Of(arg(1))
		default:
			e.Path = b.Paths.Of(v)
		}
		if op.kind == AddEvent && op.n == 0 {
			if k, ok := arg(1).(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.Int {
				e.N, e.Known = int(k.Int64()), true
			}
		}
		f(e)
	}
	return true
}

// locker returns the path of the Locker of the Cond cond points to.
func (t *Paths) locker(cond ssa.Value) Path {
	c, ok := cond.Type().Underlying().(*types.Pointer)
	if !ok || !isCond(c.Elem()) {
		return Unknown
	}
	st := c.Elem().Underlying().(*types.Struct)
	for i := range st.NumFields() {
		if st.Field(i).Name() == "L" {
			return t.step(t.step(t.Of(cond), pathNode{kind: stepField, n: uint64(i), typ: c.Elem()}), pathNode{kind: stepIface})
		}
	}
	return Unknown
}

// events calls f for what instr itself does.
func (b *Base) events(instr ssa.Instruction, f func(Event)) {
	b.Acc.Direct(instr, b.Prog.Where, func(x Access) {
		e := Event{Kind: AccessEvent, N: b.Acc.Num(x), Instr: instr}
		switch i := instr.(type) {
		case *ssa.UnOp:
			e.Path = b.Paths.Of(i.X)
		case *ssa.Store:
			e.Path = b.Paths.Of(i.Addr)
		}
		f(e)
	})
	switch x := instr.(type) {
	case *ssa.Send:
		f(Event{Kind: SendEvent, Path: b.Paths.Of(x.Chan), Instr: instr})
	case *ssa.UnOp:
		if x.Op == token.ARROW {
			f(Event{Kind: RecvEvent, Path: b.Paths.Of(x.X), Instr: instr})
		}
	case *ssa.Alloc:
		if x.Heap {
			f(Event{Kind: AllocEvent, Path: b.Paths.Of(x), Instr: instr})
		}
	case *ssa.MakeChan, *ssa.MakeSlice, *ssa.MakeMap:
		f(Event{Kind: AllocEvent, Path: b.Paths.Of(x.(ssa.Value)), Instr: instr})
	case ssa.CallInstruction:
		if bi, ok := x.Common().Value.(*ssa.Builtin); ok && bi.Name() == "close" {
			f(Event{Kind: CloseEvent, Path: b.Paths.Of(x.Common().Args[0]), Instr: instr})
		}
	}
}

// selectCase is the event of case s of a select statement.
func (b *Base) selectCase(sel *ssa.Select, s *ssa.SelectState) Event {
	e := Event{Kind: RecvEvent, Path: b.Paths.Of(s.Chan), Instr: sel}
	if s.Dir == types.SendOnly {
		e.Kind = SendEvent
	}
	return e
}

// nativeEvents calls f for what native fn does, apart from synchronisation.
func (b *Base) nativeEvents(fn *ssa.Function, instr ssa.Instruction, f func(Event)) {
	site, _ := instr.(ssa.CallInstruction)
	for _, x := range b.Prog.NativeAccesses(fn, site) {
		f(Event{Kind: AccessEvent, N: b.Acc.Num(x), Instr: instr})
		if x.Key == 0 && x.Write {
			f(Event{Kind: AnyEvent, Instr: instr})
		}
	}
}

package static

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// An EventKind is a kind of action that analyses care about.
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
	OnceEvent    // waits until no goroutine is in the Once's function
	OnceEndEvent // the Once's function has ended
	AllocEvent   // allocates Site
	AnyEvent     // an unknown native
)

// A Mode is the mode in which a lock is held.
type Mode uint8

const (
	Write Mode = iota
	Read
)

// Excludes reports whether a holder in mode m keeps out one in mode n.
func (m Mode) Excludes(n Mode) bool { return m == Write || n == Write }

// An Event is an abstract event: one action of an instruction itself, without its callees.
//
// The events of a call do not include those of its callees: the engine adds them. Functions of package sync
// are events although they have bodies in the overlay, so that facts name Lock, not its instructions.
type Event struct {
	Kind  EventKind
	Mode  Mode
	Known bool
	Path  Path // the object; of an access, the address
	N     int
	Instr ssa.Instruction
}

// syncOp is the meaning of a function of package sync, or of a native of its model.
type syncOp struct {
	kind EventKind
	mode Mode
	arg  int // number of the argument that is the object
	n    int // the number that the call adds to a WaitGroup; 0: argument 1 has the number
}

// lockerOf is the Locker L of a Cond that is argument 0.
const lockerOf = -1

// eventOf returns the event for an operation of kind k, if a function of the standard library executes it
// and if it is one event.
func eventOf(k trace.Kind) (e EventKind, ok bool) {
	switch k {
	case trace.Lock, trace.RLock, trace.WakeLock:
		return LockEvent, true
	case trace.TryLock, trace.TryRLock:
		return TryEvent, true
	case trace.Unlock, trace.RUnlock:
		return UnlockEvent, true
	case trace.Park:
		return ReleaseEvent, true
	case trace.CondWait:
		return WaitEvent, true
	case trace.Signal, trace.Broadcast:
		return SignalEvent, true
	case trace.WgAdd:
		return AddEvent, true
	case trace.WgWait:
		return JoinEvent, true
	case trace.OnceEnter:
		return OnceEvent, true
	case trace.OnceLeave:
		return OnceEndEvent, true
	case trace.Send:
		//mutant: timers send nothing [patterns receiveOrTimeout]
		return SendEvent, true
	case trace.LockPending: // the lock excludes all but readers since Lock
	case trace.None, trace.Read, trace.Write, trace.ReadWrite, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW,
		trace.SyncAccess, trace.IOWait: // accesses, see Program.NativeAccesses
	case trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Go: // instructions, see Base.events
	case trace.SemAcquire, trace.Sleep, trace.Timer, trace.Clock, trace.Choose, trace.Branch, trace.Yield, trace.Output, trace.Exit,
		trace.Crash, trace.End, trace.Spin, trace.Inspect: // operations without an event
	default:
		panic("BUG: eventOf has no case for " + k.String())
	}
	return 0, false
}

// syncOps lists the functions that are events, by name. The entry of a function with a body in the model is
// for calls of it. For a goroutine in the middle of such a body, the entries of the body's natives count.
var syncOps = syncFuncs(func(e EventKind) bool { return e != TryEvent })

// tryOps lists the functions that lock only if they return true.
var tryOps = syncFuncs(func(e EventKind) bool { return e == TryEvent })

// syncFuncs returns the functions of the table of operations whose events pass.
func syncFuncs(pass func(EventKind) bool) map[string][]syncOp {
	m := map[string][]syncOp{}
	for k := range trace.NumKinds {
		e, ok := eventOf(k)
		if !ok || !pass(e) {
			continue
		}
		for _, f := range k.Row().Funcs {
			if m[f.Name] == nil {
				m[f.Name] = opsOf(f.Name)
			}
		}
	}
	return m
}

// opsOf returns the operations of the function with that name, in order.
func opsOf(name string) (ops []syncOp) {
	for _, k := range trace.KindsOf(name) {
		e, ok := eventOf(k)
		if !ok {
			continue
		}
		f, _ := k.Row().Func(name)
		op := syncOp{kind: e, n: f.Adds}
		if k.Row().Shared {
			op.mode = Read
		}
		switch k {
		case trace.WakeLock:
			op.mode = Read // the mode is not known; a reader's lock excludes writers only
			fallthrough
		case trace.Park:
			op.arg = 1
			if f.Body {
				op.arg = lockerOf
			}
		}
		ops = append(ops, op)
	}
	return ops
}

// Executes reports whether fn is the native of the machine that executes operations of
// kind k.
func Executes(fn *ssa.Function, k trace.Kind) bool {
	if fn == nil {
		return false
	}
	f, ok := k.Row().Func(fn.String())
	return ok && !f.Body
}

// syncEvents calls f for the events of a call of fn if that is a
// synchronisation, and reports whether it is.
func (b *Base) syncEvents(fn *ssa.Function, c *ssa.CallCommon, instr ssa.Instruction, f func(Event)) bool {
	ops, ok := syncOps[fn.String()]
	if !ok {
		return tryOps[fn.String()] != nil
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
		switch v := arg(max(op.arg, 0)); {
		case v == nil:
		case op.arg == lockerOf:
			e.Path = b.Paths.locker(v)
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

// events calls f for the events of instr itself.
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
	//mutant: channels are not allocated [patterns startedUnlocks]: "MakeChan, *ssa.MakeSlice" -> "MakeSlice"
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

// nativeEvents calls f for the events of native fn, apart from synchronisation.
func (b *Base) nativeEvents(fn *ssa.Function, instr ssa.Instruction, f func(Event)) {
	site, _ := instr.(ssa.CallInstruction)
	for _, x := range b.Prog.NativeAccesses(fn, site) {
		f(Event{Kind: AccessEvent, N: b.Acc.Num(x), Instr: instr})
		if x.Key == 0 && x.Write && (x.Objs == Empty || b.Prog.HasLocks(x.Objs)) { // it may unlock anything
			f(Event{Kind: AnyEvent, Instr: instr})
		}
	}
}

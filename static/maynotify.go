package static

import "golang.org/x/tools/go/ssa"

// MayNotify is the may-notify analysis (SPIN 2014, section 4.5, item I3): the
// operations that may enable those of other goroutines: Signal and Broadcast, sending, receiving,
// closing, unlocking, Add and Done, leaving a Once.
//
// Transfer: such an operation adds its object; union. The operations of deferred calls, on the path of
// panics, and of goroutines started from here on are included. The ticks of timers are sends of the
// goroutines that represent them. If the object of an operation has no name, only the kind of the operation
// is known. An unknown native may execute any of them. Objects that are allocated after the point are
// marked as new: no goroutine waits for them yet.
type MayNotify struct {
	*Engine[May]
	objs *Objects
}

// NewMayNotify returns the analysis.
func NewMayNotify(b *Base) *MayNotify {
	objs := newObjects(b)
	d := &mayDomain{sets: b.Sets, event: func(e *Event) May {
		switch e.Kind {
		case SignalEvent, SendEvent, RecvEvent, CloseEvent, UnlockEvent, ReleaseEvent, OnceEndEvent, AnyEvent:
		case AddEvent:
			if e.Known && e.N > 0 {
				return May{Exits: true}
			}
		default:
			return May{Exits: true}
		}
		return May{b.Sets.Of(objs.Num(Object{Kind: e.Kind, Mode: e.Mode, Path: e.Path})), true}
	}, rename: func(s Set, r *Renaming) Set { return objs.rename(s, r, false) }}
	return &MayNotify{NewEngine[May](b, d), objs}
}

// Objects returns the object of each number in the sets.
func (a *MayNotify) Objects() *Objects { return a.objs }

func (*MayNotify) Name() string { return "maynotify" }

func (*MayNotify) Doc() string {
	return "operations from here on that may let other goroutines continue"
}

// At implements Analysis.
func (a *MayNotify) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, n := range a.base.Sets.Elems(a.total(a.Before(instr)).Set) {
		facts = append(facts, Fact{Text: a.objs.String(n)})
	}
	return sortFacts(facts)
}

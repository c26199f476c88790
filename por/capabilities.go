package por

import "hbcheck.dev/hbcheck/trace"

// A Capability is an interface that a System can have besides its own, by its name in this package.
type Capability string

// The capabilities. The table in the package documentation says which explorer needs or uses them.
const (
	NeedEffects        Capability = "Effects"
	NeedIdentityHasher Capability = "IdentityHasher"
)

// Capabilities are the interfaces that a System may have besides its own. Those it has not are nil.
type Capabilities struct {
	Effects         Effects
	IdentityHasher  IdentityHasher
	SymmetricHasher SymmetricHasher
	GoroutineOrder  GoroutineOrder
	Updater         Updater
	Racer           Racer
	Parker          Parker
	LateParker      LateParker
	Repeater        Repeater
	Lister          Lister
	Starter         Starter
	Sized           Sized
	Weighed         Weighed
	Overtaker       Overtaker
	Inspected       Inspected
	Constrained     Constrained
	Peeker          Peeker
}

// Peeker is a System that can show pending operations where it keeps them.
type Peeker interface {
	// Peek returns what Next does; it is there until the system is asked to do something.
	Peek(g trace.GID) *trace.Op
}

// Constrained is a System with inputs, of which branches (trace.Branch) decide something. Outcomes of
// different goroutines can contradict each other: the later one cuts the execution.
type Constrained interface {
	// Contradicted reports whether that has happened in the present state. What has been executed is no
	// beginning of an execution then, not even of one that is abandoned.
	Contradicted() bool
}

// Overtaker is a System that knows whether an operation that depends on all (Effects.DependsOnAll)
// can be enabled together with operations of other goroutines: time passes while they are busy, a
// bubble is quiet while there are goroutines outside of it.
type Overtaker interface {
	Overtakes() bool
}

// Inspected is a System that knows whether an operation may be executed that depends on all
// (Effects.DependsOnAll) because it shows where each goroutine is, or what it refers to: the stacks of all
// goroutines, a collection of garbage. Then no operation is without an effect on the others, not
// even one that accesses nothing.
type Inspected interface {
	InspectsAll() bool
}

// InspectsAll reports whether sys is such a system, and that may be executed.
func InspectsAll(sys System) bool {
	i := CapabilitiesOf(sys).Inspected
	return i != nil && i.InspectsAll()
}

// CapabilitiesOf returns what sys can do. It is the only place where that is found out.
func CapabilitiesOf(sys System) (c Capabilities) {
	c.Effects, _ = sys.(Effects)
	c.IdentityHasher, _ = sys.(IdentityHasher)
	c.SymmetricHasher, _ = sys.(SymmetricHasher)
	c.GoroutineOrder, _ = sys.(GoroutineOrder)
	c.Updater, _ = sys.(Updater)
	c.Racer, _ = sys.(Racer)
	c.Parker, _ = sys.(Parker)
	c.LateParker, _ = sys.(LateParker)
	c.Repeater, _ = sys.(Repeater)
	c.Lister, _ = sys.(Lister)
	c.Starter, _ = sys.(Starter)
	c.Sized, _ = sys.(Sized)
	c.Weighed, _ = sys.(Weighed)
	c.Overtaker, _ = sys.(Overtaker)
	c.Inspected, _ = sys.(Inspected)
	c.Constrained, _ = sys.(Constrained)
	c.Peeker, _ = sys.(Peeker)
	return c
}

// MissingOf returns the first of needs that sys has not; "" if it has them all.
func MissingOf(sys System, needs []Capability) Capability {
	c := CapabilitiesOf(sys)
	has := map[Capability]bool{NeedEffects: c.Effects != nil, NeedIdentityHasher: c.IdentityHasher != nil}
	for _, n := range needs {
		if !has[n] {
			return n
		}
	}
	return ""
}

// EffectsOf returns sys as what a reduction by dependence needs.
func EffectsOf(sys System) Effects {
	fx := CapabilitiesOf(sys).Effects
	if fx == nil {
		panic("BUG: the system is no por." + string(NeedEffects))
	}
	return fx
}

// An IdentityHasher is a System whose Hash leaves the names of goroutines and objects out.
type IdentityHasher interface {
	// IdentityHash fingerprints the present state with the names of goroutines and objects, and
	// with what object obj is unless that is 0: of two states with equal ones each goroutine can do
	// the same to the same objects in both.
	IdentityHash(obj uint32) Hash
}

// IdentityHashOf returns sys.IdentityHash(obj), or its Hash if it is no IdentityHasher.
func IdentityHashOf(sys System, obj uint32) Hash {
	if h := CapabilitiesOf(sys).IdentityHasher; h != nil {
		return h.IdentityHash(obj)
	}
	return sys.Hash()
}

// A SymmetricHasher is a System in which goroutines that were started at the same place can change
// places.
type SymmetricHasher interface {
	// SymmetricHash fingerprints the present state as Hash does, but two states have equal ones also
	// if they are the same up to exchanging such goroutines. sorted has the goroutines that have not
	// ended, appended to buf, in an order in which those that correspond in such states are in the
	// same places; it is nil if there are none to exchange, and then they correspond as for Hash.
	SymmetricHash(buf []trace.GID) (h Hash, sorted []trace.GID)
	// Orbits appends a name for each alternative of g in the present state, of which SymmetricHash has
	// just been called, to buf. Alternatives with equal names, of one goroutine or of several, lead to
	// states that are the same up to exchanging goroutines.
	Orbits(g trace.GID, buf []Orbit) []Orbit
}

// An Orbit names alternatives that are the same up to exchanging goroutines: those of one goroutine for
// all that are equal, and with one partner for all that are equal.
type Orbit struct {
	G, Partner        trace.GID
	Case, PartnerCase int
}

// A GoroutineOrder is a System that numbers goroutines in the order in which they were first
// started, and knows an order that does not depend on how a search went. Searches by several
// workers need one.
type GoroutineOrder interface {
	// Precedes reports whether a comes before b.
	Precedes(a, b trace.GID) bool
}

// An Updater is a System in which a write can depend on what was there, or leave some of it
// as it was: a map with another entry.
type Updater interface {
	// Updates reports whether op, a Write or an AtomicStore, is such a one.
	Updates(op *trace.Op) bool
}

// A Racer is a System that also follows the happens-before relation of the
// present path, and so finds races between accesses that are far apart.
type Racer interface {
	// Raced reports whether the step executed last was the second access of a race.
	Raced() bool
	// Follow says whether the steps from now on may be in races. If not, they are not looked at, and
	// a state that is later than them has to be left before races are followed again.
	Follow(races bool)
}

// A Parker is a System in which it can be noticed that a goroutine waits: whether it has only
// arrived where it waits, or is parked there, makes a difference to operations that do not wait or
// have alternatives.
type Parker interface {
	// Parks reports whether alternative choice of g's pending operation is that g parks, and
	// nothing else.
	Parks(g trace.GID, choice int) bool
}

// A LateParker is a System that knows when it makes a difference that goroutines park, so that an explorer
// can put it off until then. Its executions are the same but for parks that nothing notices.
type LateParker interface {
	// PutsOff reports whether that can be done.
	PutsOff() bool
	// PutOff takes goroutines that can only park out of enabled, which Enabled has returned. Of the others
	// it leaves all.
	PutOff(enabled []trace.GID) []trace.GID
	// ParksLast reports whether the last of several alternatives of g is to park, which is left out.
	ParksLast(g trace.GID) bool
	// Meetings appends what g, whose operation does not wait, can do besides its alternatives if another
	// goroutine parks right before it, and MeetingOrbits their names (SymmetricHasher).
	Meetings(g trace.GID, buf []Meeting) []Meeting
	MeetingOrbits(g trace.GID, buf []Orbit) []Orbit
}

// A Meeting is that a goroutine parks, and the one that is asked about executes the given alternative
// with it.
type Meeting struct {
	Park   trace.Step
	Choice int
}

// A Repeater is a System that counts what it executes, and can do without.
type Repeater interface {
	// Repeat is Step for a step that has been executed before, in the same state.
	Repeat(g trace.GID, choice int)
	// Try begins steps that may have to be undone, as nothing depends on them. Untry is called if they have
	// been: they do not count.
	Try()
	Untry()
}

// A Lister is a System that knows which goroutines have not ended.
type Lister interface {
	// Live calls f for the goroutines that have not ended.
	Live(f func(g trace.GID))
}

// A Starter is a System in which goroutines can be started between two visible
// operations.
type Starter interface {
	// Started returns how many goroutines g has started.
	Started(g trace.GID) uint32
}

// A Sized system knows how much memory it holds.
type Sized interface {
	Bytes() int64
}

// A Weighed system knows what a fingerprint costs.
type Weighed interface {
	// Weight returns of how many words of the present state a fingerprint was taken last.
	Weight() int
}

package por

import "hbcheck.dev/hbcheck/trace"

// A Capability is the name of an optional interface of a System, in this package.
type Capability string

// The capabilities. The table in the package documentation says which explorer needs or uses them.
const (
	NeedEffects Capability = "Effects"
	NeedNamed   Capability = "Named"
)

// Capabilities are the optional interfaces of a System. Those that it does not implement are nil.
type Capabilities struct {
	Effects         Effects
	Named           Named
	SymmetricHasher SymmetricHasher
	Racer           Racer
	Parker          Parker
	Repeater        Repeater
	Sized           Sized
	Global          Global
	Constrained     Constrained
	Peeker          Peeker
	Libraries       Libraries
}

// Libraries is a System whose goroutines execute code of the reader and of libraries.
type Libraries interface {
	// InLibrary reports whether no function of the reader's is on the stack of g, and g has executed none
	// since its last operation. A goroutine that waits for time is not in a library.
	InLibrary(g trace.GID) bool
}

// Peeker is a System that can return a pointer to a pending operation.
type Peeker interface {
	// Peek returns the operation that Next returns. It is valid until the next call that changes the
	// system.
	Peek(g trace.GID) *trace.Op
}

// Constrained is a System with inputs. Each branch on them (trace.Branch) is a decision about their
// values. Decisions of different goroutines can contradict each other; the later one cuts the
// execution.
type Constrained interface {
	// Contradicted reports whether no input leads to the current state. Then the steps so far are not a
	// prefix of any execution, and do not count as an abandoned one.
	Contradicted() bool
}

// Global is a System with operations that depend on all others (Effects.DependsOnAll).
type Global interface {
	// Overtakes reports whether such an operation may be enabled together with operations of other
	// goroutines: time can pass while they are busy, or a bubble is quiet while goroutines outside of it
	// run.
	Overtakes() bool
	// MayLook reports whether Overtakes is true only because code that the program may reach has
	// operations that inspect all other goroutines (por/hb/looks.go). In most programs no execution
	// reaches such an operation: it is in a library that can print all stacks.
	MayLook() bool
	// InspectsAll reports whether the program may execute an operation that observes all goroutines
	// (a dump of all stacks) or all references (a garbage collection). Such an operation depends
	// even on operations that access no memory.
	InspectsAll() bool
}

// InspectsAll returns sys.InspectsAll(), or false if sys is not Global.
func InspectsAll(sys System) bool {
	g := CapabilitiesOf(sys).Global
	return g != nil && g.InspectsAll()
}

// Overtakes returns sys.Overtakes(), or false if sys is not Global.
func Overtakes(sys System) bool {
	g := CapabilitiesOf(sys).Global
	return g != nil && g.Overtakes()
}

// MayLook returns sys.MayLook(), or false if sys is not Global.
func MayLook(sys System) bool {
	g := CapabilitiesOf(sys).Global
	return g != nil && g.MayLook()
}

// CapabilitiesOf returns the capabilities of sys. Only this function has type assertions for capabilities.
func CapabilitiesOf(sys System) (c Capabilities) {
	c.Effects, _ = sys.(Effects)
	c.Named, _ = sys.(Named)
	c.SymmetricHasher, _ = sys.(SymmetricHasher)
	c.Racer, _ = sys.(Racer)
	c.Parker, _ = sys.(Parker)
	c.Repeater, _ = sys.(Repeater)
	c.Sized, _ = sys.(Sized)
	c.Global, _ = sys.(Global)
	c.Constrained, _ = sys.(Constrained)
	c.Peeker, _ = sys.(Peeker)
	c.Libraries, _ = sys.(Libraries)
	return c
}

// MissingOf returns the first of needs that sys lacks; "" if it has them all.
func MissingOf(sys System, needs []Capability) Capability {
	c := CapabilitiesOf(sys)
	has := map[Capability]bool{NeedEffects: c.Effects != nil, NeedNamed: c.Named != nil}
	for _, n := range needs {
		if !has[n] {
			return n
		}
	}
	return ""
}

// EffectsOf returns the Effects of sys, which a reduction by dependence needs.
func EffectsOf(sys System) Effects {
	fx := CapabilitiesOf(sys).Effects
	if fx == nil {
		panic("BUG: the system is not a por." + string(NeedEffects))
	}
	return fx
}

// A Named system has names for its goroutines and objects that do not depend on the course of the search. Its
// Hash ignores names. Numbers of goroutines are in the order of their first start.
type Named interface {
	// IdentityHash returns a fingerprint of the current state that includes the names of goroutines and
	// objects, and the identity of object obj unless it is 0. In two states with equal fingerprints, each
	// goroutine can execute the same operations on the same objects.
	IdentityHash(obj uint32) Hash
	// Precedes reports whether goroutine a comes before b in the order of their names. Searches with
	// several workers need it.
	Precedes(a, b trace.GID) bool
	// Live calls f for the goroutines that have not ended.
	Live(f func(g trace.GID))
	// Started returns the number of goroutines that g has started, also between two visible operations.
	Started(g trace.GID) uint32
}

// IdentityHashOf returns sys.IdentityHash(obj), or sys.Hash() if sys is not Named.
func IdentityHashOf(sys System, obj uint32) Hash {
	if h := CapabilitiesOf(sys).Named; h != nil {
		return h.IdentityHash(obj)
	}
	return sys.Hash()
}

// A SymmetricHasher is a System that can permute goroutines started at the same place.
type SymmetricHasher interface {
	// SymmetricHash returns a fingerprint of the current state that is also equal for states that differ
	// only by a permutation of such goroutines. sorted has the goroutines that have not ended, appended
	// to buf, in an order in which corresponding goroutines of equal states have the same index. It is
	// nil if no goroutines can be permuted; then goroutines correspond as for Hash.
	SymmetricHash(buf []trace.GID) (h Hash, sorted []trace.GID)
	// Orbits appends to buf a name for each alternative of g in the current state, right after a call of
	// SymmetricHash. Alternatives with equal names, of one goroutine or of several, lead to states that
	// differ only by a permutation of goroutines.
	Orbits(g trace.GID, buf []Orbit) []Orbit
}

// An Orbit names alternatives that are equal up to symmetry. G and Partner each stand for a group
// of equal goroutines.
type Orbit struct {
	G, Partner        trace.GID
	Case, PartnerCase int
}

// A Racer is a System that follows the happens-before relation of the current path, and so detects races
// between accesses that are far apart.
type Racer interface {
	// Raced reports whether the last step was the second access of a race.
	Raced() bool
	// Follow switches the detection of races on or off. Before it is switched on again, the system must
	// leave the states that were reached while it was off.
	Follow(races bool)
	// Glide makes the next step also execute the plain accesses that follow its operation: at most
	// n of them, and none after the second access of a race. Glided returns their number. In the
	// path each of them is a further step of the goroutine, with one alternative.
	Glide(n int)
	Glided() int
}

// A Parker is a System in which parking is visible: operations that do not wait, or that have
// alternatives, can distinguish a goroutine that is parked from one that is about to park. The
// system also determines from when on an operation can distinguish them; until then an explorer can
// postpone parks. Postponing parks leaves out only executions that differ in parks that no
// operation notices.
type Parker interface {
	// Parks reports whether alternative choice of g's pending operation only parks g.
	Parks(g trace.GID, choice int) bool
	// PutsOff reports whether parks can be postponed.
	PutsOff() bool
	// PutOff removes from enabled, a result of Enabled, the goroutines that can only park.
	PutOff(enabled []trace.GID) []trace.GID
	// ParksLast reports whether the last of several alternatives of g parks g; explorers leave that
	// alternative out.
	ParksLast(g trace.GID) bool
	// Meetings appends the alternatives that g, whose operation does not wait, gains if another
	// goroutine parks right before g moves. MeetingOrbits appends their names (SymmetricHasher).
	Meetings(g trace.GID, buf []Meeting) []Meeting
	MeetingOrbits(g trace.GID, buf []Orbit) []Orbit
}

// A Meeting is a pair of steps: one goroutine parks, and the other one executes alternative Choice with it.
type Meeting struct {
	Park   trace.Step
	Choice int
}

// A Repeater is a System that counts its steps, and can execute steps without counting them.
type Repeater interface {
	// Repeat is Step for a step that was executed before, in the same state; it is not counted.
	Repeat(g trace.GID, choice int)
	// Repeatable reports whether the steps since the youngest mark, if they are repeated, access
	// the same locations under the same object numbers.
	Repeatable() bool
	// Try marks the start of tentative steps. Untry is called after the steps were undone, and removes them
	// from the counts.
	Try()
	Untry()
}

// A Sized system knows the size of its memory and of its fingerprints.
type Sized interface {
	// Bytes returns the size of its memory.
	Bytes() int64
	// Weight returns the cost of the last fingerprint: the number of words that it covered.
	Weight() int
}

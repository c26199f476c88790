// Package fieldaccess is the field access analysis as an oracle of an explorer
// (SPIN 2014, section 2, after Parízek and Lhoták, ASE 2011): before a
// goroutine's access to shared memory no scheduling choice is needed if no other
// goroutine may make a conflicting access in its whole future.
//
// Guarantee: if Skip returns true, then from the present state on no other goroutine executes an operation
// that conflicts with the access while the goroutine waits. So {goroutine} is a persistent set (Godefroid,
// 1996), and executing the goroutine at once loses no outcome. Deviation from the paper: two writes conflict.
// Its read-write-only rule loses final states.
//
// static.FieldAccess computes the accesses that a function may make from a point on, and package hybrid
// merges these over a live stack. Here the result is compared with one access, which is known exactly.
package fieldaccess

import (
	"go/types"
	"slices"

	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// A Location is memory a goroutine is about to access, as the state shows it.
type Location struct {
	Type      types.Type // type of the object's memory; nil: not known
	Objs      static.Set // the objects of the points-to analysis that may represent the location's object; Empty: any
	Map       types.Type // the map's type, if the location is a map
	Off, Size int64
	Write     bool
	Adds      bool // the operation commutes with additions to it: see static.Access
	// Stored: only loads and stores count. Operations of package sync on a primitive that contains
	// the location do not count, because they keep the values that the code of the package stores
	// there. Nor do operations that show where the goroutines are.
	Stored bool
}

// State is the present state as the oracle needs it.
type State interface {
	// Locations returns the locations that the pending operation of g accesses, or false if they are
	// unknown.
	Locations(g trace.GID, buf []Location) ([]Location, bool)
	// Others calls f with the stack of every other goroutine that has not ended
	// until f returns false. The stack is valid during the call.
	Others(g trace.GID, f func(stack []hybrid.Frame) bool)
}

// Oracle answers questions about one program.
type Oracle struct {
	fut   *hybrid.Futures
	sizes types.Sizes
	keys  map[keyOf][]int
	buf   []Location
}

type keyOf struct {
	t         types.Type
	off, size int64
}

// New returns an oracle over the analysis.
func New(fut *hybrid.Futures, sizes types.Sizes) *Oracle {
	return &Oracle{fut: fut, sizes: sizes, keys: map[keyOf][]int{}}
}

// Futures returns the oracle's facts about the goroutines' futures.
func (o *Oracle) Futures() *hybrid.Futures { return o.fut }

// Reason is the reason under which Skip's answers are counted.
const Reason = "nofuture"

// Skip reports whether g may execute its pending operation, which is plain,
// without a scheduling choice.
func (o *Oracle) Skip(s State, g trace.GID) bool {
	locs, ok := s.Locations(g, o.buf[:0])
	o.buf = locs
	if !ok {
		return false
	}
	for i := range locs {
		if o.Reachable(s, g, &locs[i]) {
			return false
		}
	}
	return true
}

// Reachable reports whether a goroutine other than g may make an access that
// conflicts with l in its whole future.
func (o *Oracle) Reachable(s State, g trace.GID, l *Location) bool {
	found := false
	s.Others(g, func(stack []hybrid.Frame) bool {
		found = o.Conflict(o.fut.FutureOf(stack), l)
		return !found
	})
	return found
}

// Conflict reports whether an access in fut may touch l, and one of the two writes.
func (o *Oracle) Conflict(fut static.Set, l *Location) bool {
	acc := o.fut.F.Acc
	//mutant: what shows stacks conflicts with nothing [stacks]: false
	if !l.Stored && o.Inspects(fut) {
		return true
	}
	for _, k := range o.keysOf(l) {
		for _, n := range acc.OfKey(k) {
			if o.fut.F.Sets.Has(fut, n) && o.conflicting(acc.At(n), l) {
				return true
			}
		}
	}
	return false
}

// ConflictOne is Conflict for the one access with number n.
func (o *Oracle) ConflictOne(n int, l *Location) bool {
	x := o.fut.F.Acc.At(n)
	if x.Key == o.fut.F.Acc.InspectKey() {
		return !l.Stored
	}
	return o.conflicting(x, l) && slices.Contains(o.keysOf(l), x.Key)
}

// Inspects reports whether an operation in fut may show where all goroutines are. It conflicts with every
// other access.
func (o *Oracle) Inspects(fut static.Set) bool { return o.fut.F.Sets.Has(fut, o.fut.F.Inspect()) }

func (o *Oracle) conflicting(x static.Access, l *Location) bool {
	//mutant: atomic Adds are loads [micro addAndLoad]: drop 1
	if x.Adds && l.Adds && o.fut.F.Acc.BytesOf(x.Key) == l.Size {
		return false // if they access the same memory, they access all of it
	}
	//mutant: two writes do not conflict [micro writeWriteJoin]: "Write ||" -> "Write !="
	return (x.Write || l.Write || x.Key == o.fut.F.Acc.SyncKey() && !l.Stored) &&
		(x.Objs == static.Empty || l.Objs == static.Empty || o.fut.F.Acc.Objs.Intersects(x.Objs, l.Objs))
}

// Primitive reports whether l is part of a mutex or the like, so that operations
// on it are accesses to l.
func (o *Oracle) Primitive(l *Location) bool {
	return slices.Contains(o.keysOf(l), o.fut.F.Acc.SyncKey())
}

func (o *Oracle) keysOf(l *Location) []int {
	k := keyOf{l.Type, l.Off, l.Size}
	if l.Map != nil {
		k = keyOf{t: l.Map, off: -1}
	}
	keys, ok := o.keys[k]
	if !ok {
		if l.Map != nil {
			keys = []int{0, o.fut.F.Acc.Key(static.Key{Kind: static.MapOf, Type: l.Map})}
		} else {
			keys = o.fut.F.Acc.LocationKeys(l.Type, l.Off, l.Size, o.sizes)
		}
		o.keys[k] = keys
	}
	return keys
}

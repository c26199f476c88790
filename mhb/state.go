package mhb

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// State is the present state of the machine as the closure needs it. Addresses
// are the machine's; the same object has the same address in every state in
// which it has the same identity.
type State interface {
	fieldaccess.State
	// Live appends the goroutines that have not ended.
	Live(buf []trace.GID) []trace.GID
	// StackFingerprint is a fingerprint of g's stack: of the next instruction of each frame.
	StackFingerprint(g trace.GID) [2]uint64
	// Moment is the number of the present state, which changes with each step. Stamp is a number that
	// changes whenever g's registers or deferred calls do.
	Moment() uint64
	Stamp(g trace.GID) uint64
	// CanMove reports whether g is enabled.
	CanMove(g trace.GID) bool
	// Next returns the pending operation of g.
	Next(g trace.GID) trace.Op
	// Identity distinguishes objects that have the same number in different states.
	Identity(obj uint32) Identity
	// Stack returns g's frames, innermost first; valid until the next call.
	Stack(g trace.GID) []hybrid.Frame
	// Register returns word k of v in frame i of Stack(g).
	Register(g trace.GID, i int, v ssa.Value, k int) (uint64, bool)
	// TypeOf returns the type that the first word of an interface denotes, or nil.
	TypeOf(w uint64) types.Type
	// Objects returns the objects of the points-to analysis that represent obj.
	Objects(obj uint32) static.Set
	// Private reports whether only one goroutine can reach obj.
	Private(obj uint32) bool
	// IsMap reports whether obj is the header of a map.
	IsMap(obj uint32) bool
	// Deferred returns the deferred calls pending in frame i of Stack(g), newest first.
	Deferred(g trace.GID, i int) []Deferred
	// Word returns the word of memory at p.
	Word(p uint64) (uint64, bool)
	// EmptyNoSender reports whether the channel at p is open and empty, and no pending operation of a
	// goroutine, except for those in but, is a send to it. FullNoReceiver reports whether it is open and
	// full, and no such operation is a receive from it.
	EmptyNoSender(p uint64, but []trace.GID) bool
	FullNoReceiver(p uint64, but []trace.GID) bool
	// Cases appends the cases of g's pending operation on channels, except those of nil channels. ok is
	// false if the effect of such operations depends on more than these channels.
	Cases(g trace.GID, buf []Case) (cases []Case, ok bool)
	// LockerAt returns the mutex that the sync.Locker at p holds.
	LockerAt(p uint64) (uint64, bool)
	// Address returns the address of a package variable.
	Address(g *ssa.Global) uint64
	// LocationAt returns the location of size bytes at address p.
	LocationAt(p uint64, size int64) (fieldaccess.Location, bool)
	// Reaches reports whether a goroutine other than g can reach an object in targets by only the accesses
	// in acc. It returns true if finding out is too much work.
	Reaches(g trace.GID, targets []uint32, acc static.Set) bool
}

// Identity is the code that allocated an object, and the layout of its memory.
type Identity struct {
	Site   uint64
	Layout uint32
}

// A Deferred is a pending deferred call with its argument words and those of
// the closure's captured variables.
type Deferred struct {
	Fn             *ssa.Function // nil: a builtin,
	Builtin        string        // the name of the builtin
	Args, Captured []uint64
}

// questionKind is the kind of a query to a state.
type questionKind uint8

const (
	noQuestion questionKind = iota
	askRegister
	askWord
	askDeferred
	askClosing // the channel that the pending operation closes
	askEmptyNoSender
	askFullNoReceiver
	askLocker
	askPrivate
	askCopied   // may the locks of the object be overwritten
	askNotified // has the goroutine, whose next instruction is hbWake, been notified
	askStable   // can none of the others write the word, ever
	askParked   // can none of the others write the word while T_c waits
	askEnabled  // is operation i at p, which is disabled, enabled by the operations found so far
)

// A question is one part of the state that the walk of a goroutine depends on. Registers and frames are
// that goroutine's. A walk must not use the state in any other way: so its result depends only on the
// answers, and only these are compared when the result is used again.
type question struct {
	kind questionKind
	i    int
	v    ssa.Value
	p    uint64
}

// answer is the state's answer to a question.
type answer struct {
	x  uint64
	ok bool
}

// answer returns the state's answer to q. names has the private objects found so far, and found has the
// results of the previous round.
func (o *Oracle) answer(s State, tc, g trace.GID, found []*summary, q question, names *renaming) (a answer) {
	if q.kind != askRegister {
		q.p = names.resolve(q.p)
	}
	switch q.kind {
	case askRegister:
		a.x, a.ok = s.Register(g, q.i, q.v, int(q.p))
		if a.ok && q.p == 0 && addresses(q.v.Type()) {
			a.x = names.rename(s, a.x)
		}
	case askWord:
		a.x, a.ok = s.Word(q.p)
	case askClosing:
		if op := s.Next(g); op.Kind == trace.Close && op.N == 1 {
			//mutant: which channel is closed does not matter [micro closingNow]: "x, a.ok = uint64(op.Access[0].Obj)<<32," -> "ok ="
			a.x, a.ok = uint64(op.Access[0].Obj)<<32, true
		}
	case askEmptyNoSender:
		a.ok = s.EmptyNoSender(q.p, o.meeting.members)
	case askFullNoReceiver:
		a.ok = s.FullNoReceiver(q.p, o.meeting.members)
	case askLocker:
		a.x, a.ok = s.LockerAt(q.p)
	case askDeferred:
		h := uint64(14695981039346656037)
		add := func(x uint64) { h = (h ^ x) * 0x9E3779B97F4A7C15; h ^= h >> 31 }
		for _, d := range s.Deferred(g, q.i) {
			add(o.number(d.Fn))
			if d.Builtin == "close" {
				add(1)
			}
			add(uint64(len(d.Args)))
			for _, w := range d.Args {
				add(w)
			}
			for _, w := range d.Captured {
				add(w)
			}
		}
		a.x = h
	case askPrivate:
		a.ok = s.Private(uint32(q.p >> 32))
	case askCopied:
		a.ok = o.mayBeCopied(s.Objects(uint32(q.p >> 32)))
	case askNotified:
		if w, ok := s.Register(g, 0, q.v, 0); ok {
			a.x, a.ok = s.Word(w + overlay.WaiterNotified&^7)
			a.x = uint64(overlay.Uint32(a.x, overlay.WaiterNotified) & 0xff) // a bool
		}
	case askStable, askParked:
		a.ok = o.stable(s, tc, q.p, q.kind == askParked)
	case askEnabled:
		a.ok = o.enabled(s, stop{opKind(q.i), q.p}, found)
	}
	return a
}

// number returns a number for a function.
func (o *Oracle) number(fn *ssa.Function) uint64 {
	n, ok := o.numbers[fn]
	if !ok {
		n = uint64(len(o.numbers)) + 1
		o.numbers[fn] = n
	}
	return n
}

// renaming has the private objects that a walk has found in registers, in that order. An object that no
// other goroutine can reach has a new address in every execution, but most code ahead does not depend on
// that. In addresses the walk replaces the number of such an object by its index here.
//
// No goroutine is blocked at an operation on a private object, so operations on it enable nothing. And
// T_c's operation is on another object.
type renaming []uint32

// private is a bit that is set in addresses of private objects.
const private = 1 << 63

func (n *renaming) rename(s State, p uint64) uint64 {
	obj := uint32(p >> 32)
	if obj == 0 || p >= private || !s.Private(obj) {
		return p
	}
	k := slices.Index(*n, obj)
	if k < 0 {
		k = len(*n)
		*n = append(*n, obj)
	}
	return private | uint64(k)<<32 | uint64(uint32(p))
}

func (n *renaming) resolve(p uint64) uint64 {
	if p < private {
		return p
	}
	return uint64((*n)[p&^private>>32])<<32 | uint64(uint32(p))
}

// addresses reports whether the first word of a value of type t is an address.
func addresses(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	}
	return false
}

package describe

import (
	"go/token"

	"hbcheck.dev/hbcheck/trace"
)

// A RaceID names a race by the machine's description of its sides.
type RaceID struct {
	sites  [2]uint32
	kinds  [2]trace.Kind
	writes [2]bool
}

// Access is one side of a data race.
type Access struct {
	Event
	Writes  bool
	Addr    uint64 // made up from object and offset; the same for both sides
	Stack   []Frame
	Parent  trace.GID      // the goroutine that started this one
	Created []Frame        // stack at its start; empty for main
	Own     token.Position // position in the reader's module from which the access is called; Pos if there is none
	Ended   bool           // the goroutine has ended since
	Obj     uint32         // the object that is accessed
}

// AccessOf describes op, which conflicts with other.
func AccessOf(m Machine, op trace.Op, other *trace.Op) Access {
	a := Access{Event: m.Describe(op.G), Parent: trace.NoGID}
	a.Own = a.Pos
	for i := range op.N {
		for j := range other.N {
			x, y := op.Access[i], other.Access[j]
			if (x.Write || y.Write) && x.Overlaps(y) {
				a.Writes = a.Writes || x.Write
				a.Addr, a.Obj = address(x.Obj, max(x.Off, y.Off)), x.Obj
			}
		}
	}
	for _, g := range m.Goroutines() {
		if g.ID == op.G {
			a.Stack, a.Parent, a.Created = g.Stack, g.Parent, g.Created
			if at := OwnPos(g.Stack, g.Origin); at.IsValid() {
				a.Own = at
			}
		}
	}
	return a
}

// address invents an address like those in the Go heap.
func address(obj, off uint32) uint64 { return 0xc000000000 + uint64(obj)<<12 + uint64(off) }

// A Verb is the effect of an access.
type Verb uint8

// The verbs.
const (
	Reads Verb = iota
	Writes
	AtomicallyReads
	AtomicallyWrites
	Closes
	Sends
	AddsToGroup
	WaitsForGroup
)

// Verb returns the effect of a.
func (a *Access) Verb() Verb {
	switch {
	case a.Kind == trace.Close:
		return Closes
	case a.Kind == trace.Send:
		return Sends
	case a.Kind == trace.WgAdd:
		return AddsToGroup
	case a.Kind == trace.WgWait:
		return WaitsForGroup
	case a.Writes && !a.Kind.Plain():
		return AtomicallyWrites
	case !a.Kind.Plain():
		return AtomicallyReads
	case a.Writes:
		return Writes
	}
	return Reads
}

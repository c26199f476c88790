// Package classes counts the equivalence classes of the executions of a system, to test the counts of
// explorers. It uses brute force: it has no reductions, no clocks and no search for races.
//
// Two executions are equivalent (Mazurkiewicz 1977) if they have the same events and every two
// dependent ones are in the same order. They read from the same if each read has the same writer.
// The name of a class is a number that does not depend on the order of independent events: the sum,
// over all events, of a hash of the event and the set of dependent events before it. Goroutine and
// index name an event; they are the same in all executions of a class. Object numbers differ
// between executions, so they are not part of the name of a class.
package classes

import (
	"fmt"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Class names an equivalence class of executions.
type Class [2]uint64

// A Relation defines the classes.
type Relation struct {
	// Dependent reports whether the order of two operations of different
	// goroutines matters. a was executed some time before b; both are
	// as they were when they were executed.
	Dependent func(a, b *trace.Op) bool

	// Free, if it is set, reports whether an operation commutes with every operation that other
	// goroutines can execute before it. It is executed at once then, which changes only the
	// counts Executions and Prefixes.
	Free func(op *trace.Op) bool

	// Partner returns the goroutine that takes part in g's pending operation when g executes
	// it with the given alternative, and moves with it. Nil: no operation has a partner.
	Partner func(g trace.GID, choice int) (partner trace.GID, ok bool)

	// Label names an alternative of g's pending operation, the same in every state that has
	// it. Nil: its number is its name.
	Label func(g trace.GID, choice int) uint64

	// Touches appends all accesses of g's pending operation. It is called for a Wide operation,
	// which is dependent on operations that conflict with one of them.
	Touches func(g trace.GID, buf []trace.Access) []trace.Access

	// Buffer returns the number of elements in the channel of a send, a receive or a close that is
	// about to be executed, the capacity of the channel, and whether it is closed. With it,
	// operations on a channel with a buffer are not all dependent. A send and a receive are
	// dependent only if the receive takes the element of the send, or if the send needs the room
	// that the receive makes. Operations on a closed channel commute if they send or receive
	// nothing. Nil, or no room: all are dependent.
	Buffer func(op *trace.Op) (length, room int, closed bool)

	// OneCloses: only the goroutine that closes a channel with a buffer sends to it. Then the close and
	// a receive that takes an element are independent. It needs Buffer.
	OneCloses bool

	// Cases returns the cases of g's pending operation, a select. With it, receives from a channel to which
	// no goroutine sends in any execution only read whether the channel is closed. So the executions are
	// enumerated twice, first to find the sends.
	Cases func(g trace.GID, buf []por.Case) (cases []por.Case, parks bool)

	sends *sends // with Cases
}

// sends has the channels to which goroutines send.
type sends struct {
	cases func(g trace.GID, buf []por.Case) (cases []por.Case, parks bool)
	to    map[uint64]bool // by identity
	known bool            // to has all channels
}

// noteSends notes the channels to which goroutines are about to send.
func (h *history) noteSends() {
	s := h.rel.sends
	if s == nil || s.known {
		return
	}
	x := h.sys.(por.Effects)
	for _, g := range x.Pending(nil) {
		switch op := h.sys.Next(g); op.Kind {
		case trace.Send:
			if op.N > 0 {
				s.to[x.Identity(op.Access[0].Obj)] = true
			}
		case trace.Select, trace.TrySelect:
			list, _ := s.cases(g, nil)
			for _, c := range list {
				if (c.Send || c.Len > 0) && c.Chan != 0 {
					s.to[x.Identity(c.Chan)] = true
				}
			}
		case trace.Recv:
			if op.N > 0 && h.rel.Buffer != nil {
				if length, _, _ := h.rel.Buffer(&op); length > 0 {
					s.to[x.Identity(op.Access[0].Obj)] = true
				}
			}
		case trace.Timer, trace.SyncAccess:
			if op.N == 2 {
				s.to[x.Identity(op.Access[1].Obj)] = true
			}
		}
	}
}

// onlyReads turns the accesses of op, g's operation, into reads if g only receives there and no
// goroutine sends there. list has the accesses that do not fit in op.
func (h *history) onlyReads(g trace.GID, op *trace.Op, list []trace.Access) {
	s := h.rel.sends
	if s == nil || !s.known || op.N == 0 {
		return
	}
	x := h.sys.(por.Effects)
	only := func(a *trace.Access) { a.Write = a.Write && s.to[x.Identity(a.Obj)] }
	switch op.Kind {
	case trace.Recv:
		only(&op.Access[0])
	case trace.Select, trace.TrySelect:
		receives := make(map[uint32]bool)
		cases, _ := s.cases(g, nil)
		for _, c := range cases {
			if old, known := receives[c.Chan]; !known || old {
				receives[c.Chan] = !c.Send
			}
		}
		for i := range op.N {
			if here, own := receives[op.Access[i].Obj]; here || !own {
				only(&op.Access[i])
			}
		}
		for i := range list {
			if here, own := receives[list[i].Obj]; here || !own {
				only(&list[i])
			}
		}
	}
}

// Conflicts is a dependence relation: two operations depend on each other if they access the same location
// and one of them writes to it. There are three exceptions. Take two operations on a WaitGroup that executed
// one after the other without a panic. In the other order they have the same result, or that order is
// impossible (Done before Wait). Readers of an RWMutex come and go in any order, if each leaves as often as
// it has come. Additions with unused results commute.
func Conflicts(a, b *trace.Op) bool {
	switch {
	case a.Kind == trace.WgAdd && b.Kind == trace.WgAdd, reader(a) && reader(b):
		return false
	case a.Commutes == trace.Increments && b.Commutes == trace.Increments && a.Access[0] == b.Access[0]:
		return false
	}
	for _, x := range a.Access[:a.N] {
		if slices.ContainsFunc(b.Access[:b.N], func(y trace.Access) bool { return (x.Write || y.Write) && x.Overlaps(y) }) {
			return true
		}
	}
	return false
}

func reader(op *trace.Op) bool { return op.Kind == trace.RLock || op.Kind == trace.RUnlock }

// Silent reports whether an operation is Free in programs that call Add in time and Done as
// often as necessary: it starts or ends a goroutine, or adds to a WaitGroup.
// Wait is then the only operation that depends on the addition, and comes after it.
func Silent(op *trace.Op) bool {
	return op.Kind == trace.Go || op.Kind == trace.End || op.Kind == trace.WgAdd
}

// Counts are the numbers of classes of a system by the ends of their executions, and of
// executions.
type Counts struct {
	Ended, Stuck, Cut int

	// The numbers of reads-from classes of executions that have ended or are stuck. An addition reads, even
	// if its result is unused, so reads-from classes are meaningful only if such additions are dependent in
	// the relation.
	RFEnded, RFStuck int

	Executions uint64 // leaves met
	Prefixes   int    // classes of prefixes of executions; with Merge only
}

// Total returns the number of classes of complete executions.
func (c *Counts) Total() int { return c.Ended + c.Stuck }

// A Limit is the error of a system with more executions, or prefixes of them, than allowed.
type Limit int

// Error implements error.
func (l Limit) Error() string { return fmt.Sprintf("more than %d executions", int(l)) }

// An Enumeration has the classes, by the ends of their executions.
type Enumeration struct {
	Counts
	Classes, RF map[Class]por.Status
}

// All executes every interleaving of sys from its current state. It fails
// with a Limit if there are more than limit of them.
func All(sys por.System, rel Relation, limit int) (*Enumeration, error) {
	return enumerate(sys, rel, limit, nil)
}

// Merge is All, but it continues only one of the interleavings of a class of prefixes, because they have
// the same continuations. It also checks that: different fingerprints of their states are an error, because
// then operations that are independent in rel are dependent.
func Merge(sys por.System, rel Relation, limit int) (*Enumeration, error) {
	return enumerate(sys, rel, limit, make(map[Class]por.Hash))
}

func enumerate(sys por.System, rel Relation, limit int, seen map[Class]por.Hash) (*Enumeration, error) {
	if cases := rel.Cases; cases != nil {
		rel.Cases = nil
		rel.sends = &sends{cases: cases, to: make(map[uint64]bool)}
		if _, err := enumerate(sys, rel, 4*limit, maps.Clone(seen)); err != nil {
			return nil, err
		}
		rel.sends.known = true
	}
	e := enumerator{history: history{sys: sys, rel: rel}, limit: limit, seen: seen,
		found: Enumeration{Classes: make(map[Class]por.Status), RF: make(map[Class]por.Status)}}
	if err := e.explore(); err != nil {
		return nil, err
	}
	e.found.Prefixes = len(seen)
	for _, st := range e.found.Classes {
		switch st {
		case por.Ended:
			e.found.Ended++
		case por.Stuck:
			e.found.Stuck++
		default:
			e.found.Cut++
		}
	}
	for _, st := range e.found.RF {
		if st == por.Ended {
			e.found.RFEnded++
		} else {
			e.found.RFStuck++
		}
	}
	return &e.found, nil
}

// enumerator is a depth-first search.
type enumerator struct {
	history
	limit int
	seen  map[Class]por.Hash // states by the class of the prefix that leads to them; nil: no merging
	found Enumeration
}

func (e *enumerator) explore() error {
	// If an execution has several operations that are impossible together, and is cut by one of them, its
	// state depends on which of them came last. There is nothing after it.
	if e.seen != nil && e.sys.Status() != por.Cut {
		state := e.sys.Hash()
		if old, known := e.seen[e.class]; known {
			if old != state {
				return fmt.Errorf("two orders of independent operations lead to different states; the second is %v", e.path())
			}
			return nil
		}
		if len(e.seen) >= e.limit {
			return Limit(e.limit)
		}
		e.seen[e.class] = state
	}
	e.noteSends()
	gs := e.sys.Enabled(nil)
	if len(gs) == 0 {
		return e.leaf()
	}
	for _, g := range e.relevant(gs) {
		for c := range e.sys.Alternatives(g) {
			m := e.sys.Mark()
			class, rf := e.class, e.rf
			e.step(trace.Step{G: g, Choice: c})
			err := e.explore()
			e.undo(class, rf)
			e.sys.Rewind(m)
			e.sys.Release(m)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// relevant returns the goroutines of gs whose operations have to be tried.
func (e *enumerator) relevant(gs []trace.GID) []trace.GID {
	if e.rel.Free != nil {
		for i, g := range gs {
			if op := e.sys.Next(g); e.rel.Free(&op) {
				return gs[i : i+1]
			}
		}
	}
	return gs
}

func (e *enumerator) leaf() error {
	e.found.Executions++
	if e.seen == nil && e.found.Executions > uint64(e.limit) {
		return Limit(e.limit)
	}
	st := e.sys.Status()
	if old, known := e.found.Classes[e.class]; known && old != st {
		return fmt.Errorf("executions of one class end differently, one of them %v", e.path())
	}
	e.found.Classes[e.class] = st
	if st != por.Cut {
		e.found.RF[e.rf] = st
	}
	return nil
}

// Of returns the classes of the execution path of sys, which starts in its
// current state, and leaves it there.
func Of(sys por.System, rel Relation, path trace.Schedule) (class, rf Class) {
	h := history{sys: sys, rel: rel}
	m := sys.Mark()
	for _, s := range path {
		h.step(s)
	}
	sys.Rewind(m)
	sys.Release(m)
	return h.class, h.rf
}

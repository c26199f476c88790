package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A History is the sequence of steps from the initial state to the present one, with
// the happens-before relation of Flanagan and Godefroid ("Dynamic Partial-Order
// Reduction for Model Checking Software", POPL 2005, section 4): the smallest order
// in which dependent steps are ordered as they were executed. It is kept in clock
// vectors: C(p)[q] is the index of the last step of q that happens before the next step of p.
//
// Two steps are dependent if they are of one goroutine, if they touch a common location and
// one of them may change it, unless both say that they commute, or if one of them is
// entangled with everything. A step in which two goroutines meet belongs to both and
// touches what either operation touches.
type History struct {
	fx     por.Effects
	Output bool // the order of outputs, and where among them the program ends, matters
	// Careful: Dones do not commute. Whether they do depends on what the others do: one that finds the
	// counter too low panics, whichever it is. underrun is set when there is one.
	Careful, Underrun bool
	// SyncOnly: accesses to ordinary memory are dependent but order nothing.
	SyncOnly bool

	Events  []event  // S_1, S_2, ...: indices begin with 1
	last    []uint32 // by goroutine: the last step that moved it; 0: none
	touched []trace.Access
	// byObj lists the steps that touched an object, in order; tangled those that are
	// entangled with everything.
	byObj   map[uint32][]uint32
	tangled []uint32

	scratch []trace.Access
	partner []reach
	moved   []trace.GID
}

// An event is a step.
type event struct {
	G        trace.GID
	op       trace.Op
	lo, hi   int // touched[lo:hi]
	tangled  bool
	Over     bool // it has ended the program
	Clock    Clock
	Movers   []Mover // g and who else was moved
	PrevLast uint32  // of g: the last step before this one that moved it
}

// A Mover is a goroutine that a step has moved, and the step that had moved it before.
type Mover struct {
	G    trace.GID
	prev uint32
}

// reach is what a goroutine that stands before a channel operation touches.
type reach struct {
	Op   trace.Op
	What []trace.Access
}

// A Clock is a clock vector by goroutine; entries that are missing are 0.
type Clock []uint32

// At returns the entry of g.
func (c Clock) At(g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// set returns c with n as the entry of g.
func (c Clock) set(g trace.GID, n uint32) Clock {
	for int(g) >= len(c) {
		c = append(c, 0)
	}
	c[g] = n
	return c
}

// join returns c with what d knows.
func (c Clock) join(d Clock) Clock {
	for len(c) < len(d) {
		c = append(c, 0)
	}
	for g, n := range d {
		c[g] = max(c[g], n)
	}
	return c
}

// outputObj is an object that no machine has: what is printed, in its order.
const outputObj = 1<<32 - 1

func NewHistory(fx por.Effects, output bool) *History {
	return &History{fx: fx, Output: output, byObj: make(map[uint32][]uint32)}
}

// an intent is the operation a goroutine stands before, as dependence sees it.
type Intent struct {
	Op      trace.Op
	Touches []trace.Access // valid until the next call of intent
	Tangled bool
}

// Intent returns what g stands before.
func (h *History) Intent(g trace.GID) Intent {
	h.scratch = h.fx.Touches(g, h.scratch[:0])
	n := Intent{Op: h.fx.Next(g), Touches: h.scratch, Tangled: h.fx.DependsOnAll(g)}
	n.Op.Commutes = 0
	switch n.Op.Kind {
	case trace.Output, trace.Exit, trace.Crash:
		if h.Output {
			n.Touches = append(n.Touches, Output)
			h.scratch = n.Touches
		}
	case trace.WgAdd:
		switch a := h.fx.Adds(g); {
		case a.Raises():
			n.Op.Commutes = commutesUp
		case a.Underruns():
			h.Underrun = true
		case !h.Careful:
			n.Op.Commutes = commutesDown
		}
	}
	return n
}

// Numbers for Op.Commutes of operations on a WaitGroup's counter.
const (
	commutesUp   = trace.AddsOne
	commutesDown = trace.Subtracts
)

var Output = trace.Access{Obj: outputObj, Size: 1, Write: true}

// Clock returns C(g).
func (h *History) Clock(g trace.GID) Clock {
	if n := h.lastMoved(g); n > 0 {
		return h.Events[n-1].Clock
	}
	return nil
}

// lastMoved returns the index of the last step that moved g; 0 if there is none.
func (h *History) lastMoved(g trace.GID) uint32 {
	if int(g) < len(h.last) {
		return h.last[g]
	}
	return 0
}

// Before notes what a step of g is going to do. It is called in front of the step.
func (h *History) Before(g trace.GID) {
	n := len(h.Events)
	if n < cap(h.Events) {
		h.Events = h.Events[:n+1] // with the memory of an earlier one
	} else {
		h.Events = append(h.Events, event{})
	}
	i := h.Intent(g)
	e := &h.Events[n]
	e.G, e.op, e.tangled, e.PrevLast = g, i.Op, i.Tangled, h.lastMoved(g)
	e.lo = len(h.touched)
	h.touched = append(h.touched, i.Touches...)
	e.hi = len(h.touched)
	e.Clock, e.Movers, e.Over = e.Clock[:0], e.Movers[:0], false
	h.partner = h.partner[:0]
	switch i.Op.Kind {
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect:
		h.moved = h.fx.Pending(h.moved[:0])
		for _, q := range h.moved {
			switch op := h.fx.Next(q); op.Kind {
			case trace.Send, trace.Recv, trace.Select:
				if q != g {
					h.partner = append(h.partner, reach{op, h.fx.Touches(q, nil)})
				}
			}
		}
	}
}

// Also adds a location that the step turned out to touch. It is called between
// before and after.
func (h *History) Also(a trace.Access) {
	h.touched = append(h.touched, a)
	h.Events[len(h.Events)-1].hi++
}

// After completes what before has begun, and returns the step's index.
func (h *History) After() uint32 {
	n := uint32(len(h.Events))
	e := &h.Events[n-1]
	e.Clock = e.Clock.join(h.Clock(e.G))
	h.moves(e, e.G, n)
	h.moved = h.fx.Advanced(h.moved[:0])
	for _, q := range h.moved {
		if q == e.G {
			continue
		}
		e.Clock = e.Clock.join(h.Clock(q))
		h.moves(e, q, n)
		if r := h.Met(q); r != nil {
			h.touched = append(h.touched, r.What...)
			e.hi += len(r.What)
		}
	}
	for k := len(h.tangled) - 1; k >= 0; k-- {
		e.Clock = e.Clock.join(h.Events[h.tangled[k]-1].Clock)
	}
	if e.tangled {
		for i := range h.Events[:n-1] {
			e.Clock = e.Clock.join(h.Events[i].Clock)
		}
		h.tangled = append(h.tangled, n)
	}
	for _, a := range h.Touches(e) {
		list := h.byObj[a.Obj]
		for k := len(list) - 1; k >= 0; k-- {
			f := &h.Events[list[k]-1]
			known := e.Clock.At(f.G) >= list[k]
			if orders := !h.SyncOnly || !e.op.Kind.Plain() && !f.op.Kind.Plain(); !known && orders && h.conflict(f, a, e.op.Commutes) {
				e.Clock = e.Clock.join(f.Clock)
				known = true
			}
			if known && h.covers(f, a) {
				break // and what came before it and conflicts with a happens before it
			}
		}
		if len(list) == 0 || list[len(list)-1] != n {
			h.byObj[a.Obj] = append(list, n)
		}
	}
	e.Clock = e.Clock.set(e.G, n)
	return n
}

// Met returns what q stood before in front of the step that before has begun, if that could be
// part of a meeting.
func (h *History) Met(q trace.GID) *reach {
	if k := slices.IndexFunc(h.partner, func(r reach) bool { return r.Op.G == q }); k >= 0 {
		return &h.partner[k]
	}
	return nil
}

// Ended reports whether a step of somebody else has ended q, which stood before an operation then; standing are those who do now. Stopping a timer
// ends the hidden goroutine that waits for it. Its operation races with that, but is not there to be looked at behind it.
func Ended(q trace.GID, standing []trace.GID) bool { return !slices.Contains(standing, q) }

func (h *History) moves(e *event, g trace.GID, n uint32) {
	for int(g) >= len(h.last) {
		h.last = append(h.last, 0)
	}
	e.Movers = append(e.Movers, Mover{g, h.last[g]})
	h.last[g] = n
}

// Cut forgets all but the first n steps.
func (h *History) Cut(n int) {
	for len(h.Events) > n {
		k := uint32(len(h.Events))
		e := &h.Events[k-1]
		for i := len(e.Movers) - 1; i >= 0; i-- {
			h.last[e.Movers[i].G] = e.Movers[i].prev
		}
		for _, a := range h.Touches(e) {
			if list := h.byObj[a.Obj]; len(list) > 0 && list[len(list)-1] == k {
				h.byObj[a.Obj] = list[:len(list)-1]
			}
		}
		if m := len(h.tangled); m > 0 && h.tangled[m-1] == k {
			h.tangled = h.tangled[:m-1]
		}
		h.touched = h.touched[:e.lo]
		h.Events = h.Events[:k-1]
	}
}

// Touches returns what e touched.
func (h *History) Touches(e *event) []trace.Access { return h.touched[e.lo:e.hi] }

// conflict reports whether e is dependent with an access to a of an operation that
// commutes with others of the same number.
func (h *History) conflict(e *event, a trace.Access, commutes uint8) bool {
	if commutes != 0 && commutes == e.op.Commutes {
		return false
	}
	for _, b := range h.Touches(e) {
		if (a.Write || b.Write) && a.Overlaps(b) {
			return true
		}
	}
	return false
}

// covers reports whether e may change all of a, so that every earlier step that is
// dependent with an access to a is dependent with e, too.
func (h *History) covers(e *event, a trace.Access) bool {
	if e.op.Commutes != 0 {
		return false
	}
	for _, b := range h.Touches(e) {
		if b.Write && a.Obj == b.Obj && b.Off <= a.Off && a.Off+a.Size <= b.Off+b.Size {
			return true
		}
	}
	return false
}

// Dependent reports whether step i is dependent with an operation.
func (h *History) Dependent(i uint32, n *Intent) bool {
	e := &h.Events[i-1]
	if e.tangled || n.Tangled {
		return true
	}
	return slices.ContainsFunc(n.Touches, func(a trace.Access) bool { return h.conflict(e, a, n.Op.Commutes) })
}

// LastRace returns the paper's i: the last step that is dependent and may be co-enabled
// with n, an operation of q, and does not happen before q's last step; 0 if there
// is none. c is C(q). excluded tells of a step that it cannot be co-enabled with n.
func (h *History) LastRace(n *Intent, c Clock, excluded func(i uint32) bool) uint32 {
	best := uint32(0)
	look := func(i uint32) bool { // reports whether i is it
		if c.At(h.Events[i-1].G) >= i || excluded(i) {
			return false
		}
		best = i
		return true
	}
	if n.Tangled {
		for i := uint32(len(h.Events)); i > 0 && !look(i); i-- {
		}
		return best
	}
	for k := len(h.tangled) - 1; k >= 0 && !look(h.tangled[k]); k-- {
	}
	for _, a := range n.Touches {
		list := h.byObj[a.Obj]
		for k := len(list) - 1; k >= 0 && list[k] > best; k-- {
			e := &h.Events[list[k]-1]
			if c.At(e.G) >= list[k] {
				if h.covers(e, a) {
					break
				}
				continue
			}
			if h.conflict(e, a, n.Op.Commutes) && look(list[k]) {
				break
			}
		}
	}
	return best
}

// Bytes is the memory the history takes.
func (h *History) Bytes() int64 {
	const each = 200 // an event with its clock, movers and places in lists, for a few goroutines
	return int64(cap(h.Events))*each + int64(cap(h.touched))*16
}

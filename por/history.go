package por

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A history is the sequence of steps from the initial state to the present one, with
// the happens-before relation of Flanagan and Godefroid ("Dynamic Partial-Order
// Reduction for Model Checking Software", POPL 2005, section 4): the smallest order
// in which dependent steps are ordered as they were executed. It is kept in clock
// vectors: C(p)[q] is the index of the last step of q that happens before the next step of p.
//
// Two steps are dependent if they are of one goroutine, if they touch a common location and
// one of them may change it, unless both say that they commute, or if one of them is
// entangled with everything. A step in which two goroutines meet belongs to both and
// touches what either operation touches.
type history struct {
	fx     Effects
	output bool // the order of outputs, and where among them the program ends, matters
	// careful: Dones do not commute. Whether they do depends on what the others do: one that finds the
	// counter too low panics, whichever it is. underrun is set when there is one.
	careful, underrun bool
	// syncOnly: accesses to ordinary memory are dependent but order nothing.
	syncOnly bool

	events  []event  // S_1, S_2, ...: indices begin with 1
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
	g        trace.GID
	op       trace.Op
	lo, hi   int // touched[lo:hi]
	tangled  bool
	over     bool // it has ended the program
	clock    clock
	movers   []mover // g and who else was moved
	prevLast uint32  // of g: the last step before this one that moved it
}

// A mover is a goroutine that a step has moved, and the step that had moved it before.
type mover struct {
	g    trace.GID
	prev uint32
}

// reach is what a goroutine that stands before a channel operation touches.
type reach struct {
	op   trace.Op
	what []trace.Access
}

// A clock is a clock vector by goroutine; entries that are missing are 0.
type clock []uint32

// at returns the entry of g.
func (c clock) at(g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// set returns c with n as the entry of g.
func (c clock) set(g trace.GID, n uint32) clock {
	for int(g) >= len(c) {
		c = append(c, 0)
	}
	c[g] = n
	return c
}

// join returns c with what d knows.
func (c clock) join(d clock) clock {
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

func newHistory(fx Effects, output bool) *history {
	return &history{fx: fx, output: output, byObj: make(map[uint32][]uint32)}
}

// an intent is the operation a goroutine stands before, as dependence sees it.
type intent struct {
	op      trace.Op
	touches []trace.Access // valid until the next call of intent
	tangled bool
}

// intent returns what g stands before.
func (h *history) intent(g trace.GID) intent {
	h.scratch = h.fx.Touches(g, h.scratch[:0])
	n := intent{op: h.fx.Next(g), touches: h.scratch, tangled: h.fx.DependsOnAll(g)}
	n.op.Commutes = 0
	switch n.op.Kind {
	case trace.Output, trace.Exit, trace.Crash:
		if h.output {
			n.touches = append(n.touches, output)
			h.scratch = n.touches
		}
	case trace.WgAdd:
		switch a := h.fx.Adds(g); {
		case a.Raises():
			n.op.Commutes = commutesUp
		case a.Underruns():
			h.underrun = true
		case !h.careful:
			n.op.Commutes = commutesDown
		}
	}
	return n
}

// Numbers for Op.Commutes of operations on a WaitGroup's counter.
const (
	commutesUp   = trace.AddsOne
	commutesDown = trace.Subtracts
)

var output = trace.Access{Obj: outputObj, Size: 1, Write: true}

// clock returns C(g).
func (h *history) clock(g trace.GID) clock {
	if n := h.lastMoved(g); n > 0 {
		return h.events[n-1].clock
	}
	return nil
}

// lastMoved returns the index of the last step that moved g; 0 if there is none.
func (h *history) lastMoved(g trace.GID) uint32 {
	if int(g) < len(h.last) {
		return h.last[g]
	}
	return 0
}

// before notes what a step of g is going to do. It is called in front of the step.
func (h *history) before(g trace.GID) {
	n := len(h.events)
	if n < cap(h.events) {
		h.events = h.events[:n+1] // with the memory of an earlier one
	} else {
		h.events = append(h.events, event{})
	}
	i := h.intent(g)
	e := &h.events[n]
	e.g, e.op, e.tangled, e.prevLast = g, i.op, i.tangled, h.lastMoved(g)
	e.lo = len(h.touched)
	h.touched = append(h.touched, i.touches...)
	e.hi = len(h.touched)
	e.clock, e.movers, e.over = e.clock[:0], e.movers[:0], false
	h.partner = h.partner[:0]
	switch i.op.Kind {
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

// also adds a location that the step turned out to touch. It is called between
// before and after.
func (h *history) also(a trace.Access) {
	h.touched = append(h.touched, a)
	h.events[len(h.events)-1].hi++
}

// after completes what before has begun, and returns the step's index.
func (h *history) after() uint32 {
	n := uint32(len(h.events))
	e := &h.events[n-1]
	e.clock = e.clock.join(h.clock(e.g))
	h.moves(e, e.g, n)
	h.moved = h.fx.Advanced(h.moved[:0])
	for _, q := range h.moved {
		if q == e.g {
			continue
		}
		e.clock = e.clock.join(h.clock(q))
		h.moves(e, q, n)
		if r := h.met(q); r != nil {
			h.touched = append(h.touched, r.what...)
			e.hi += len(r.what)
		}
	}
	for k := len(h.tangled) - 1; k >= 0; k-- {
		e.clock = e.clock.join(h.events[h.tangled[k]-1].clock)
	}
	if e.tangled {
		for i := range h.events[:n-1] {
			e.clock = e.clock.join(h.events[i].clock)
		}
		h.tangled = append(h.tangled, n)
	}
	for _, a := range h.touches(e) {
		list := h.byObj[a.Obj]
		for k := len(list) - 1; k >= 0; k-- {
			f := &h.events[list[k]-1]
			known := e.clock.at(f.g) >= list[k]
			if orders := !h.syncOnly || !e.op.Kind.Plain() && !f.op.Kind.Plain(); !known && orders && h.conflict(f, a, e.op.Commutes) {
				e.clock = e.clock.join(f.clock)
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
	e.clock = e.clock.set(e.g, n)
	return n
}

// met returns what q stood before in front of the step that before has begun, if that could be
// part of a meeting.
func (h *history) met(q trace.GID) *reach {
	if k := slices.IndexFunc(h.partner, func(r reach) bool { return r.op.G == q }); k >= 0 {
		return &h.partner[k]
	}
	return nil
}

// ended reports whether a step of somebody else has ended q, which stood before an operation then; standing are those who do now. Stopping a timer
// ends the hidden goroutine that waits for it. Its operation races with that, but is not there to be looked at behind it.
func ended(q trace.GID, standing []trace.GID) bool { return !slices.Contains(standing, q) }

func (h *history) moves(e *event, g trace.GID, n uint32) {
	for int(g) >= len(h.last) {
		h.last = append(h.last, 0)
	}
	e.movers = append(e.movers, mover{g, h.last[g]})
	h.last[g] = n
}

// cut forgets all but the first n steps.
func (h *history) cut(n int) {
	for len(h.events) > n {
		k := uint32(len(h.events))
		e := &h.events[k-1]
		for i := len(e.movers) - 1; i >= 0; i-- {
			h.last[e.movers[i].g] = e.movers[i].prev
		}
		for _, a := range h.touches(e) {
			if list := h.byObj[a.Obj]; len(list) > 0 && list[len(list)-1] == k {
				h.byObj[a.Obj] = list[:len(list)-1]
			}
		}
		if m := len(h.tangled); m > 0 && h.tangled[m-1] == k {
			h.tangled = h.tangled[:m-1]
		}
		h.touched = h.touched[:e.lo]
		h.events = h.events[:k-1]
	}
}

// touches returns what e touched.
func (h *history) touches(e *event) []trace.Access { return h.touched[e.lo:e.hi] }

// conflict reports whether e is dependent with an access to a of an operation that
// commutes with others of the same number.
func (h *history) conflict(e *event, a trace.Access, commutes uint8) bool {
	if commutes != 0 && commutes == e.op.Commutes {
		return false
	}
	for _, b := range h.touches(e) {
		if (a.Write || b.Write) && a.Overlaps(b) {
			return true
		}
	}
	return false
}

// covers reports whether e may change all of a, so that every earlier step that is
// dependent with an access to a is dependent with e, too.
func (h *history) covers(e *event, a trace.Access) bool {
	if e.op.Commutes != 0 {
		return false
	}
	for _, b := range h.touches(e) {
		if b.Write && a.Obj == b.Obj && b.Off <= a.Off && a.Off+a.Size <= b.Off+b.Size {
			return true
		}
	}
	return false
}

// dependent reports whether step i is dependent with an operation.
func (h *history) dependent(i uint32, n *intent) bool {
	e := &h.events[i-1]
	if e.tangled || n.tangled {
		return true
	}
	return slices.ContainsFunc(n.touches, func(a trace.Access) bool { return h.conflict(e, a, n.op.Commutes) })
}

// lastRace returns the paper's i: the last step that is dependent and may be co-enabled
// with n, an operation of q, and does not happen before q's last step; 0 if there
// is none. c is C(q). excluded tells of a step that it cannot be co-enabled with n.
func (h *history) lastRace(n *intent, c clock, excluded func(i uint32) bool) uint32 {
	best := uint32(0)
	look := func(i uint32) bool { // reports whether i is it
		if c.at(h.events[i-1].g) >= i || excluded(i) {
			return false
		}
		best = i
		return true
	}
	if n.tangled {
		for i := uint32(len(h.events)); i > 0 && !look(i); i-- {
		}
		return best
	}
	for k := len(h.tangled) - 1; k >= 0 && !look(h.tangled[k]); k-- {
	}
	for _, a := range n.touches {
		list := h.byObj[a.Obj]
		for k := len(list) - 1; k >= 0 && list[k] > best; k-- {
			e := &h.events[list[k]-1]
			if c.at(e.g) >= list[k] {
				if h.covers(e, a) {
					break
				}
				continue
			}
			if h.conflict(e, a, n.op.Commutes) && look(list[k]) {
				break
			}
		}
	}
	return best
}

// bytes is the memory the history takes.
func (h *history) bytes() int64 {
	const each = 200 // an event with its clock, movers and places in lists, for a few goroutines
	return int64(cap(h.events))*each + int64(cap(h.touched))*16
}

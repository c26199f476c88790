package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// When a select is disabled. A disabled select has no ready case, and the readiness of a case depends on its
// channel only. If two down-closed sets of events disable it, so does their intersection (claim 10): on each
// channel the intersection has the events of one of the two. So there is a least disabling set, and an
// execution in which a select x has been disabled is explored after that set and nowhere else. As long as x
// is enabled, its heads are added in canonical order, except for a head with which a smaller set disables x.
// disabledByProperSubset is this part of line 38.

// disabledByProperSubset reports whether a proper subset of f's prefix and y, with y in it, disables f's
// operation.
//
// Only heads that do not happen before y can be left out of a set that has y.
func (s *searcher) disabledByProperSubset(f *frame, y int) bool {
	op := s.Next(f.g)
	if f.newestHead < 0 || f.mayPark || !op.MultiWay() {
		return false
	}
	s.scratch.events = s.scratch.events[:0]
	for h := f.newestHead; h >= 0; h = s.prevHead[h] {
		if !s.Before(int(h), s.Clock(y)) {
			s.scratch.events = append(s.scratch.events, int(h))
		}
	}
	return len(s.scratch.events) > 0 && s.someSubsetDisables(f, s.Clock(y), 0, false)
}

// someSubsetDisables reports whether f's operation is disabled after the set with clock c and some
// of scratch.events[k:]. proper: one of scratch.events[:k] has been left out.
//
// It tries all subsets, each once: each event is first left out, then added together with the events that
// happen before it. A subset that contains all of the events is the prefix itself, which is not proper.
func (s *searcher) someSubsetDisables(f *frame, c []uint32, k int, proper bool) bool {
	for k < len(s.scratch.events) && s.Before(s.scratch.events[k], c) {
		k++
	}
	if k == len(s.scratch.events) {
		return proper && s.disabledAfter(f, c)
	}
	if s.someSubsetDisables(f, c, k+1, true) {
		return true
	}
	with := slices.Clone(c)
	s.Join(with, s.scratch.events[k])
	return s.someSubsetDisables(f, with, k+1, proper)
}

// disabledAfter reports whether f's operation, a select, is disabled after the state before its
// prefix and those later events that happen before an event with clock c.
//
// It computes the channels of the cases from their state at baseDepth (por.Case: Len elements,
// room for Room), by the effect of each event of the set. The system is in another state.
//
// A case on a nil channel (Chan is 0) is never ready. A case that sends without a buffer needs a receiver
// that waits.
func (s *searcher) disabledAfter(f *frame, c []uint32) bool {
	for i := range f.cases {
		k := f.cases[i]
		if k.Chan == 0 {
			continue
		}
		for j := f.baseDepth; j < len(s.Events); j++ {
			if s.Before(j, c) {
				s.applyTo(&k, j)
			}
		}
		switch {
		case k.Closed, k.Send && k.Len < k.Room, !k.Send && k.Len > 0:
			return false
		case k.Send && k.Room == 0 && s.hasReceiver(f, &k, c):
			return false
		}
	}
	return true
}

// applyTo applies the effect of event j to the channel of k.
//
// An event that communicates without a buffer has no lasting effect.
func (s *searcher) applyTo(k *por.Case, j int) {
	e := &s.Events[j]
	switch e.Op.Kind {
	case trace.Close:
		k.Closed = k.Closed || e.Op.Access[0].Obj == k.Chan
	case trace.Send, trace.Recv:
		switch {
		case e.Op.Slot.Capacity == 0 || e.Op.Slot.Empty || e.Op.Access[0].Obj != k.Chan:
		case e.Op.Kind == trace.Send:
			k.Len++
		default:
			k.Len--
		}
	case trace.Timer: // the timer fires
		if e.Op.N == 2 && e.Op.Access[1].Obj == k.Chan {
			k.Len = 1
		}
	case trace.SyncAccess: // a timer is stopped
		if e.Op.N == 2 && e.Op.Access[1].Obj == k.Chan {
			k.Len = 0
		}
	default:
		if e.BufferChan == k.Chan {
			k.Len += e.BufferChange
		}
	}
}

// hasReceiver reports whether a goroutine waits to receive from the channel of k, which sends. (For a case
// that receives, a goroutine that waits to send is itself a head.)
func (s *searcher) hasReceiver(f *frame, k *por.Case, c []uint32) bool {
	for _, h := range s.intervals(f.baseDepth) {
		arrived := h.from < f.baseDepth || s.Before(h.from, c)
		left := h.until < len(s.Events) && s.Before(h.until, c)
		if h.g != f.g && arrived && !left && s.receivesFrom(&h, k.Chan) {
			return true
		}
	}
	return false
}

// receivesFrom reports whether the operation of h can receive from channel ch.
func (s *searcher) receivesFrom(h *interval, ch uint32) bool {
	//mutant: no select receives what is sent [meeting]: true
	if h.op.Kind != trace.Select {
		return h.op.Kind == trace.Recv && h.op.Access[0].Obj == ch
	}
	for i := range s.Snapshots {
		if n := &s.Snapshots[i]; n.G == h.g && n.At == h.from {
			return slices.ContainsFunc(n.Cases, func(k por.Case) bool { return k.Chan == ch && !k.Send })
		}
	}
	return false
}

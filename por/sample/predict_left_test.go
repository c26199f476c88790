package sample

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// TestPredictedLeft: the goroutines that, by a prediction from one execution, may wait forever. Each step
// of the list is at a separate point; a send has the partner that waits for it, in a select of obj and of
// others.
func TestPredictedLeft(t *testing.T) {
	type step struct {
		g       trace.GID
		kind    trace.Kind
		obj     uint32
		partner trace.GID // of a send
		others  []uint32
	}
	const (
		l, u, park, signal = trace.Lock, trace.Unlock, trace.Park, trace.Signal
		add, wait          = trace.WgAdd, trace.WgWait
		send, closes       = trace.Send, trace.Close
	)
	for _, x := range []struct {
		name  string
		steps []step
		want  int
	}{
		{"the partner's other case is ready later", []step{{g: 1, kind: send, obj: 1, partner: 2, others: []uint32{2}}, {g: 3, kind: closes, obj: 2}}, 1},
		{"nothing makes it ready", []step{{g: 1, kind: send, obj: 1, partner: 2, others: []uint32{2}}, {g: 3, kind: closes, obj: 4}}, 0},
		{"the sender closes it afterwards", []step{{g: 1, kind: send, obj: 1, partner: 2, others: []uint32{2}}, {g: 1, kind: closes, obj: 2}}, 0},
		{"who closes it has heard of the send", []step{{g: 1, kind: send, obj: 1, partner: 2, others: []uint32{2}},
			{g: 2, kind: l, obj: 7}, {g: 2, kind: trace.Write, obj: 9}, {g: 2, kind: u, obj: 7}, {g: 3, kind: trace.Read, obj: 9}, {g: 3, kind: closes, obj: 2}}, 0},
		{"another one sends there, too", []step{{g: 1, kind: send, obj: 1, partner: 2, others: []uint32{2}}, {g: 3, kind: send, obj: 2, partner: 2, others: []uint32{1}}}, 1}, // its turn comes later
		{"a signal comes after the wait", []step{{g: 1, kind: park, obj: 1}, {g: 2, kind: signal, obj: 1}}, 1},
		{"who notifies has seen the wait", []step{{g: 1, kind: trace.Write, obj: 9}, {g: 1, kind: park, obj: 1}, {g: 1, kind: trace.Write, obj: 8},
			{g: 2, kind: trace.Read, obj: 8}, {g: 2, kind: signal, obj: 1}}, 0},
		{"both hold one lock", []step{{g: 1, kind: l, obj: 7}, {g: 1, kind: park, obj: 1}, {g: 1, kind: u, obj: 7}, {g: 2, kind: l, obj: 7}, {g: 2, kind: signal, obj: 1}, {g: 2, kind: u, obj: 7}}, 0},
		{"an addition before the wait", []step{{g: 1, kind: add, obj: 1}, {g: 2, kind: wait, obj: 1}}, 1},
		{"who waits has been told", []step{{g: 1, kind: add, obj: 1}, {g: 1, kind: trace.Write, obj: 9}, {g: 2, kind: trace.Read, obj: 9}, {g: 2, kind: wait, obj: 1}}, 0},
		{"a send with the lock of its receiver", []step{{g: 2, kind: l, obj: 7}, {g: 2, kind: u, obj: 7}, {g: 1, kind: l, obj: 7}, {g: 1, kind: send, obj: 1, partner: 2}, {g: 1, kind: u, obj: 7}}, 1},
		{"the receiver has another lock", []step{{g: 2, kind: l, obj: 8}, {g: 2, kind: u, obj: 8}, {g: 1, kind: l, obj: 7}, {g: 1, kind: send, obj: 1, partner: 2}, {g: 1, kind: u, obj: 7}}, 0},
		{"the receiver locks it later", []step{{g: 1, kind: l, obj: 7}, {g: 1, kind: send, obj: 1, partner: 2}, {g: 1, kind: u, obj: 7}, {g: 2, kind: l, obj: 7}, {g: 2, kind: u, obj: 7}}, 0},
		{"a receive with the lock of its sender", []step{{g: 2, kind: l, obj: 7}, {g: 2, kind: u, obj: 7}, {g: 1, kind: l, obj: 7}, {g: 2, kind: send, obj: 1, partner: 1}, {g: 1, kind: u, obj: 7}}, 1},
		{"the sender locks it when the receiver has gone on", []step{{g: 1, kind: l, obj: 7}, {g: 2, kind: send, obj: 1, partner: 1}, {g: 1, kind: u, obj: 7}, {g: 2, kind: l, obj: 7}, {g: 2, kind: u, obj: 7}}, 0},
		{"a Wait with the lock of the one that is done", []step{{g: 2, kind: l, obj: 7}, {g: 2, kind: u, obj: 7}, {g: 2, kind: trace.WgAdd, obj: 1},
			{g: 1, kind: l, obj: 7}, {g: 1, kind: wait, obj: 1}, {g: 1, kind: u, obj: 7}}, 2}, // and an addition
	} {
		p := newPredictor(false)
		for i, s := range x.steps {
			op := trace.Op{G: s.g, Kind: s.kind, N: 1, PC: uint32(i + 1)}
			op.Access[0] = trace.Access{Obj: s.obj, Size: 8, Write: s.kind != trace.Read && s.kind != wait}
			if s.kind == add {
				op.Commutes = trace.AddsOne
			}
			if s.kind == send {
				own := &turn{moment: moment{g: s.g}, at: pointOf(&op), cases: []por.Case{{Chan: s.obj, Send: true}}}
				with := &turn{moment: moment{g: s.partner}, at: point{Func: 1}, cases: []por.Case{{Chan: s.obj}}}
				for _, c := range s.others {
					with.cases = append(with.cases, por.Case{Chan: c})
				}
				p.meeting(own, with)
			}
			p.step(s.g, &op, op.Access[:1])
			if s.kind == send {
				p.advanced(s.partner)
			}
		}
		if got := p.left(); len(got) != x.want {
			t.Errorf("%s: %d plans, want %d: %+v", x.name, len(got), x.want, got)
		}
	}
}

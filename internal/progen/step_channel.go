package progen

import (
	"slices"
)

// Steps of channel operations.

// channel returns the states that follow when g arrives at its channel
// operation: as in the runtime, it looks for parked partners first, then at
// the buffer, and otherwise parks.
func (r *refMachine) channel(s *refState, g int, in *instr) []*refState {
	type option struct {
		ch, kase, val int
		send          bool
	}
	var ops []option
	v := r.eval(s, g, in.e)
	switch in.op {
	case Send:
		ops = []option{{in.a, -1, v, true}}
	case Recv, Range:
		ops = []option{{in.a, -1, 0, false}}
	case Select:
		for k, c := range in.cases {
			ops = append(ops, option{c.Chan, k, r.eval(s, g, c.E), c.Send})
		}
	}
	var all []*refState
	for _, o := range ops {
		c := &s.chans[o.ch]
		spec := &r.p.Chans[o.ch]
		if spec.Nil {
			continue
		}
		val := spec.Type.wrap(o.val)
		option := func() (*refState, *refChan) {
			t := s.clone()
			all = append(all, t)
			return t, &t.chans[o.ch]
		}
		switch {
		case o.send && c.closed:
			t, _ := option()
			f := &t.gs[g].frames[len(t.gs[g].frames)-1]
			r.panic(f, "send on closed channel")
			r.run(t, g)
		case o.send && len(c.recvq) > 0:
			for _, w := range first(c.recvq) {
				t, _ := option()
				r.complete(t, int(w.g), int(w.kase), val, true)
				r.complete(t, g, o.kase, 0, true)
			}
		case o.send && len(c.buf) < spec.Cap:
			t, tc := option()
			tc.buf = append(tc.buf, val)
			r.complete(t, g, o.kase, 0, true)
		case !o.send && len(c.buf) > 0:
			val := c.buf[0]
			if len(c.sendq) == 0 {
				t, tc := option()
				tc.buf = tc.buf[1:]
				r.complete(t, g, o.kase, val, true)
			}
			for _, w := range first(c.sendq) { // the value of a waiting sender takes the free place
				t, tc := option()
				tc.buf = append(tc.buf[1:], w.val)
				r.complete(t, int(w.g), int(w.kase), 0, true)
				r.complete(t, g, o.kase, val, true)
			}
		case !o.send && len(c.sendq) > 0:
			for _, w := range first(c.sendq) {
				t, _ := option()
				r.complete(t, int(w.g), int(w.kase), 0, true)
				r.complete(t, g, o.kase, w.val, true)
			}
		case !o.send && c.closed:
			t, _ := option()
			r.complete(t, g, o.kase, 0, false)
		}
	}
	if len(all) > 0 {
		return all
	}
	t := s.clone()
	if in.op == Select && in.a != 0 {
		f := &t.gs[g].frames[len(t.gs[g].frames)-1]
		f.pc = in.to
		r.run(t, g)
		return []*refState{t}
	}
	t.gs[g].waiting = true
	for _, o := range ops {
		if r.p.Chans[o.ch].Nil {
			continue
		}
		w := parked{int8(g), int8(o.kase), r.p.Chans[o.ch].Type.wrap(o.val)}
		if o.send {
			t.chans[o.ch].sendq = append(t.chans[o.ch].sendq, w)
		} else {
			t.chans[o.ch].recvq = append(t.chans[o.ch].recvq, w)
		}
	}
	return []*refState{t}
}

// first returns the places of the goroutine that is first in queue q. A select with several cases on one
// channel is in the queue several times, in an order that the runtime chooses at random.
func first(q []parked) []parked {
	var f []parked
	for _, w := range q {
		if w.g == q[0].g {
			f = append(f, w)
		}
	}
	return f
}

// complete ends g's channel operation with case kase: it leaves all queues,
// takes the value received, and continues.
func (r *refMachine) complete(s *refState, g, kase, val int, ok bool) {
	me := &s.gs[g]
	if me.waiting {
		me.waiting = false
		for i := range s.chans {
			c := &s.chans[i]
			mine := func(w parked) bool { return int(w.g) == g }
			c.recvq, c.sendq = slices.DeleteFunc(c.recvq, mine), slices.DeleteFunc(c.sendq, mine)
		}
	}
	f := &me.frames[len(me.frames)-1]
	in := &r.code[f.fn][f.pc]
	set := func(l, v int) {
		if l >= 0 {
			me.l[l] = v
		}
	}
	okVal := 0
	if ok {
		okVal = 1
	}
	switch in.op {
	case Send:
		f.pc++
	case Recv:
		set(in.b, val)
		set(in.c, okVal)
		f.pc++
	case Range:
		if ok {
			set(in.b, val)
			f.pc++
		} else {
			f.pc = in.to
		}
	case Select:
		c := &in.cases[kase]
		if !c.Send {
			set(c.Ok, okVal)
			set(c.L, val)
		}
		f.pc = c.to
	}
	r.run(s, g)
}

// closeChan closes channel ch: the waiting goroutines continue.
func (r *refMachine) closeChan(s *refState, ch int) {
	c := &s.chans[ch]
	c.closed = true
	recvq, sendq := slices.Clone(c.recvq), slices.Clone(c.sendq)
	for _, w := range recvq {
		if !s.gs[w.g].waiting {
			continue // a select with several cases on ch
		}
		r.complete(s, int(w.g), int(w.kase), 0, false)
	}
	for _, w := range sendq {
		me := &s.gs[w.g]
		if !me.waiting {
			continue
		}
		me.waiting = false
		for i := range s.chans {
			c := &s.chans[i]
			mine := func(x parked) bool { return x.g == w.g }
			c.recvq, c.sendq = slices.DeleteFunc(c.recvq, mine), slices.DeleteFunc(c.sendq, mine)
		}
		r.panic(&me.frames[len(me.frames)-1], "send on closed channel")
		r.run(s, int(w.g))
	}
}

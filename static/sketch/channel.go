package sketch

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// item is a value in a channel.
type item struct {
	v     value
	clock clock
}

// channel is the state of a channel.
type channel struct {
	size   int
	buf    []item
	closed bool
	clock  clock // clock of the close, and of receives
	timer  bool  // a timer sends to it
}

// A timer is an event that happens at some time.
type timer struct {
	fire   func(r *Run)
	repeat bool
	off    bool
	never  bool // the deadline is too far in the future
	// reaches has the objects that its function, or its channel, refers to.
	reaches value
}

// fire lets a timer happen.
func (r *Run) fire() {
	k := r.rng.IntN(len(r.timers))
	t := r.timers[k]
	r.fired++
	if t.repeat && !t.off && r.fired > 20 {
		r.spent = append(r.spent, t) // the timer continues, but this run does not fire it again
	}
	if !t.repeat || t.off || r.fired > 20 {
		r.timers = append(r.timers[:k], r.timers[k+1:]...)
	}
	if !t.off {
		t.fire(r)
	}
}

// waiting describes a goroutine at a channel for its partners.
type waiting struct {
	sends map[*obj]value
	recvs map[*obj]bool
	took  func(o *obj, send bool, v value, c clock) // called when the operation has happened
}

// chanOf returns the channel of v; nil if it is a nil channel.
func (r *Run) chanOf(fr *frame, v ssa.Value) *obj {
	o, _ := r.force(fr, v).(*obj)
	return o
}

// partner returns a goroutine that waits at o for the other side of an operation.
func (r *Run) partner(g *goroutine, o *obj, send bool) *goroutine {
	for _, h := range r.gs {
		if h == g || h.done || len(h.frames) == 0 || h.top().unwinds {
			continue
		}
		if w := r.waits(h); w != nil {
			if _, sends := w.sends[o]; send && w.recvs[o] || !send && sends {
				return h
			}
		}
	}
	return nil
}

// waits describes the channel operation of h; nil if there is none.
func (r *Run) waits(h *goroutine) *waiting {
	fr := h.top()
	if fr.pc >= len(fr.block.Instrs) {
		return nil
	}
	switch i := fr.block.Instrs[fr.pc].(type) {
	case *ssa.Send:
		o := r.chanOf(fr, i.Chan)
		return &waiting{sends: map[*obj]value{o: r.get(fr, i.X)}, took: func(*obj, bool, value, clock) { fr.pc++ }}
	case *ssa.UnOp:
		if _, ok := i.X.Type().Underlying().(*types.Chan); !ok {
			return nil
		}
		o := r.chanOf(fr, i.X)
		return &waiting{recvs: map[*obj]bool{o: true}, took: func(_ *obj, _ bool, v value, c clock) {
			fr.env[i] = received(i.CommaOk, v, true)
			fr.pc++
		}}
	case *ssa.Select:
		if !i.Blocking {
			return nil
		}
		w := &waiting{sends: map[*obj]value{}, recvs: map[*obj]bool{}}
		for _, s := range i.States {
			o := r.chanOf(fr, s.Chan)
			if o == nil {
				continue
			}
			if s.Dir == types.SendOnly {
				w.sends[o] = r.get(fr, s.Send)
			} else {
				w.recvs[o] = true
			}
		}
		w.took = func(o *obj, send bool, v value, c clock) {
			for k, s := range i.States {
				if r.chanOf(fr, s.Chan) == o && (s.Dir == types.SendOnly) == send {
					r.selected(fr, i, k, v, true)
					return
				}
			}
		}
		return w
	}
	return nil
}

func received(commaOk bool, v value, ok bool) value {
	if commaOk {
		return tuple{v, ok}
	}
	return v
}

// canSend reports whether g can send to o now.
func (r *Run) canSend(g *goroutine, o *obj) bool {
	switch {
	case o == nil:
		return false
	case o.ch == nil:
		return true // the channel comes from outside, so a receiver is assumed
	}
	//mutant: channels have no buffers [test ./static/findings TestKernels]: "len(o.ch.buf) < o.ch.size" -> "false"
	return o.ch.closed || len(o.ch.buf) < o.ch.size || r.partner(g, o, true) != nil || o.outside
}

func (r *Run) canRecv(g *goroutine, o *obj) bool {
	switch {
	case o == nil:
		return false
	case o.ch == nil:
		return true
	}
	return o.ch.closed || len(o.ch.buf) > 0 || r.partner(g, o, false) != nil
}

// doSend sends; false if it was a panic.
func (r *Run) doSend(g *goroutine, o *obj, v value) bool {
	switch {
	case o.ch == nil:
		//mutant: sketch: outside code uses nothing that it receives [test ./static/findings TestWant]: "r.hand(v)" -> ""
		r.hand(v)
		return true
	case o.ch.closed:
		r.fail(g, SentClosed)
		return false
	}
	if h := r.partner(g, o, true); h != nil && len(o.ch.buf) == 0 {
		w := r.waits(h)
		c := g.clock
		g.clock = g.clock.join(h.clock)
		h.clock = h.clock.join(c)
		g.tick()
		w.took(o, false, v, c)
		h.tick()
		return true
	}
	if len(o.ch.buf) < o.ch.size {
		g.clock = g.clock.join(o.ch.clock)
		o.ch.buf = append(o.ch.buf, item{v, g.clock})
		g.tick()
	}
	return true
}

// doRecv receives.
func (r *Run) doRecv(g *goroutine, o *obj, t types.Type) (value, bool) {
	if o.ch == nil {
		o.happened = true
		return unknown{}, true
	}
	if len(o.ch.buf) > 0 {
		x := o.ch.buf[0]
		o.ch.buf = o.ch.buf[1:]
		g.clock = g.clock.join(x.clock)
		o.ch.clock = o.ch.clock.join(g.clock)
		g.tick()
		if h := r.partner(g, o, false); h != nil && len(o.ch.buf) < o.ch.size && !o.ch.closed {
			w := r.waits(h) // a waiting sender's value takes the free place
			o.ch.buf = append(o.ch.buf, item{w.sends[o], h.clock})
			h.clock = h.clock.join(g.clock)
			h.tick()
			w.took(o, true, nil, nil)
		}
		return x.v, true
	}
	if o.ch.closed {
		g.clock = g.clock.join(o.ch.clock)
		return zero(t), false
	}
	h := r.partner(g, o, false)
	w := r.waits(h)
	c := h.clock
	h.clock = h.clock.join(g.clock)
	g.clock = g.clock.join(c)
	h.tick()
	g.tick()
	v := w.sends[o]
	w.took(o, true, nil, nil)
	return v, true
}

func elemOf(ch ssa.Value) types.Type { return ch.Type().Underlying().(*types.Chan).Elem() }

func (r *Run) send(g *goroutine, fr *frame, i *ssa.Send) {
	if r.doSend(g, r.chanOf(fr, i.Chan), r.get(fr, i.X)) {
		fr.pc++
	}
}

func (r *Run) receive(g *goroutine, fr *frame, i *ssa.UnOp) {
	v, ok := r.doRecv(g, r.chanOf(fr, i.X), elemOf(i.X))
	fr.env[i] = received(i.CommaOk, v, ok)
	fr.pc++
}

// closes closes a channel; false if it was a panic.
func (r *Run) closes(g *goroutine, v value) bool {
	o, ok := v.(*obj)
	switch {
	case isNil(v):
		r.fail(g, NilClosed)
		return false
	case !ok || o.ch == nil:
		return true
	case o.ch.closed:
		r.fail(g, ClosedTwice)
		return false
	}
	o.ch.closed = true
	o.ch.clock = o.ch.clock.join(g.clock)
	g.tick()
	return true
}

// ready returns the cases of a select that can happen now.
func (r *Run) ready(g *goroutine, fr *frame, i *ssa.Select) (list []int) {
	for k, s := range i.States {
		o := r.chanOf(fr, s.Chan)
		if s.Dir == types.SendOnly && r.canSend(g, o) || s.Dir != types.SendOnly && r.canRecv(g, o) {
			list = append(list, k)
		}
	}
	return list
}

func (r *Run) selects(g *goroutine, fr *frame, i *ssa.Select) {
	list := r.ready(g, fr, i)
	if !i.Blocking {
		// A channel from outside may not be ready.
		kept := list[:0]
		for _, k := range list {
			if r.chanOf(fr, i.States[k].Chan).ch == nil {
				//mutant: sketch: that a channel from outside is not ready is certain [test ./static/findings TestWant]: "r.Guesses++" -> ""
				r.Guesses++
				if r.rng.IntN(2) != 0 {
					continue
				}
			}
			kept = append(kept, k)
		}
		list = kept
	}
	if len(list) == 0 {
		r.selected(fr, i, -1, nil, false)
		return
	}
	k := list[r.rng.IntN(len(list))]
	s := i.States[k]
	o := r.chanOf(fr, s.Chan)
	if o.ch == nil && i.Blocking {
		r.Guesses++
	}
	if s.Dir == types.SendOnly {
		if r.doSend(g, o, r.get(fr, s.Send)) {
			r.selected(fr, i, k, nil, false)
		}
		return
	}
	v, ok := r.doRecv(g, o, elemOf(s.Chan))
	r.selected(fr, i, k, v, ok)
}

// selected sets the results of a select: the index of the case, whether a value was received, and the
// values of all receiving cases.
func (r *Run) selected(fr *frame, i *ssa.Select, k int, v value, ok bool) {
	t := tuple{int64(k), ok}
	for n, s := range i.States {
		if s.Dir != types.SendOnly {
			var x value = zero(elemOf(s.Chan))
			if n == k {
				x = v
			}
			t = append(t, x)
		}
	}
	fr.env[i] = t
	fr.pc++
}

// newTimerChan returns a channel to which a timer sends once, or repeatedly.
func (r *Run) newTimerChan(t types.Type, repeat bool, d value) (*obj, *timer) {
	o := newObj(t, nil)
	o.kind = chanObj
	o.ch = &channel{size: 1, timer: true}
	tm := &timer{repeat: repeat, reaches: o}
	tm.fire = func(r *Run) {
		if h := r.partner(nil, o, true); h != nil && len(o.ch.buf) == 0 {
			r.waits(h).took(o, false, unknown{}, nil)
		} else if len(o.ch.buf) == 0 {
			o.ch.buf = append(o.ch.buf, item{v: unknown{}})
		}
	}
	r.begin(tm, d)
	return o, tm
}

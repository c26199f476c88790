package sample

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// There are four predictions of a goroutine that waits forever. As with other predictions, a plan leads the
// goroutines to these operations, and its execution shows what follows.
//
//	turned away      g is at a select, h at its partner's operation; g takes another alternative
//	missed           h is about to wait at a Cond, g about to notify it; g moves first
//	held up          h waits and holds a lock; g, which would wake h, is about to acquire the lock
//	not waited for   g is about to wait at a WaitGroup, h about to add to it; g moves first
//
// An alternative of a select is ready if its channel is closed or has room, or an element, or if another
// goroutine is about to communicate there. So a plan has the steps of a close, too, or those that lead the
// other goroutine there. The default of a select is taken if nothing else is ready.

// Bounds of the data for these plans.
const (
	mostLeft    = 6  // plans
	mostTurns   = 64 // occurrences of a select with the same partner
	mostMakings = 4  // steps that make an alternative ready, for one occurrence
)

// A turn is an occurrence of a select, or of another operation on channels.
type turn struct {
	moment
	cases []por.Case
	taken int    // case; noCase: default
	ready uint64 // other cases that were ready
	with  *turn  // turn of the partner; nil: no partner
	at    point
	tries bool // the operation never waits
}

// noCase stands for the default of a select.
const noCase = -1

// turns has the turns that took the same case of one select, with partners at the same point.
type turns struct{ sampled[*turn] }

// A turnKey identifies turns.
type turnKey struct {
	at, with point
	taken    int
}

// A lastStep is the last step of a plan: g takes a case, with a partner, if that is not NoGID.
type lastStep struct {
	g, with trace.GID
	index   int
}

// heldUp is a use of an object by goroutines that may wait there, with locks.
type heldUp struct {
	use
	object uint64
}

// meeting records an operation on channels, and that of its partner, if with is not nil. It is called
// before the step.
func (p *predictor) meeting(own, with *turn) {
	x, partner := own.copied(), with.copied() // each of several predictors needs its own copy
	for _, y := range []*turn{x, partner} {
		if y == nil {
			continue
		}
		t := p.goroutine(y.g)
		y.moment = moment{g: y.g, k: t.k, past: t.past}
	}
	if x.with = partner; partner != nil {
		partner.with, partner.by = x, &x.moment
	}
	for _, y := range []*turn{x, partner} {
		if y == nil {
			continue
		}
		for _, c := range y.cases {
			p.arrives(y, uint64(c.Chan)<<32, c.Send)
		}
		if len(y.cases) == 1 && !y.tries {
			continue
		}
		k := turnKey{at: y.at, taken: y.taken}
		if y.with != nil {
			k.with = y.with.at
		}
		if p.turns[k] == nil {
			p.turns[k] = &turns{sampled[*turn]{most: mostTurns}}
			p.turnKeys = append(p.turnKeys, k)
		}
		p.turns[k].add(y)
	}
}

func (t *turn) copied() *turn {
	if t == nil {
		return nil
	}
	c := *t
	return &c
}

// arrives notes that y sends to the channel at c, or receives from it.
func (p *predictor) arrives(y *turn, c uint64, send bool) {
	if c == 0 {
		return
	}
	o := p.object(c)
	o.uses(y.g)
	o.arrivals[send] = append(o.arrivals[send], y)
	if n := len(o.arrivals[send]); n == 2*mostTurns {
		o.arrivals[send] = slices.Delete(o.arrivals[send], 1, n/2) // the first, and the latest
	}
	if !y.tries {
		p.waits(y.moment, c, y.at)
	}
}

// uses records that g has an operation on o.
func (o *synchronised) uses(g trace.GID) {
	if !slices.Contains(o.users, g) {
		o.users = append(o.users, g)
	}
	if o.arrivals == nil {
		o.arrivals = map[bool][]*turn{}
	}
}

// waits notes that x may wait at the object at c.
func (p *predictor) waits(x moment, c uint64, at point) {
	t := p.goroutine(x.g)
	if t.lockset == 0 {
		return
	}
	for _, h := range p.heldUp {
		if h.object == c && h.at == at && h.lockset == t.lockset {
			h.of(x.g).add(x)
			return
		}
	}
	if len(p.heldUp) == mostEdges {
		return
	}
	h := &heldUp{use{at: at, lockset: t.lockset}, c}
	h.of(x.g).add(x)
	p.heldUp = append(p.heldUp, h)
}

// notified records that x, an operation on the Cond or WaitGroup at c, waits or wakes others.
func (p *predictor) notified(x moment, op *trace.Op, c uint64) {
	o := p.object(c)
	o.uses(x.g)
	switch op.Kind {
	case trace.Park, trace.WgWait:
		useAt(&o.waiters, pointOf(op)).of(x.g).add(x)
	case trace.Signal, trace.Broadcast:
		useAt(&o.notifiers, pointOf(op)).of(x.g).add(x)
	case trace.WgAdd:
		if op.Commutes == trace.AddsOne || op.Commutes == trace.AddsMore {
			useAt(&o.notifiers, pointOf(op)).of(x.g).add(x)
		}
	}
	if op.Kind == trace.WgWait || op.Kind == trace.CondWait {
		p.waits(x, c, pointOf(op))
	}
}

// useAt returns the use in list that is at a point.
func useAt(list *[]*use, at point) *use {
	for _, u := range *list {
		if u.at == at {
			return u
		}
	}
	u := &use{at: at}
	*list = append(*list, u)
	return u
}

// left returns the plans after which goroutines may wait forever.
func (p *predictor) left() (list []plan) {
	p.ideals = 0
	done := map[string]bool{}
	add := func(x plan) (more bool) {
		if k := x.key(); !done[k] {
			done[k] = true
			list = append(list, x)
		}
		return len(list) < mostLeft && p.ideals < mostIdeals
	}
	_ = p.heldUps(add) && p.missed(add) && p.turnedAway(add)
	return list
}

// heldUps yields the plans in which a goroutine waits with a lock that another one needs.
func (p *predictor) heldUps(yield func(plan) bool) bool {
	for _, h := range p.heldUp {
		for g := range h.moments {
			m := &h.moments[g]
			if len(m.list) == 0 {
				continue
			}
			for _, l := range p.sets[h.lockset] {
				for _, helper := range p.object(h.object).users {
					if helper == trace.GID(g) {
						continue
					}
					for _, u := range p.acquisitions(helper, l) {
						x, ok := p.reach([]*moments{&u.moments[helper], m})
						if !ok {
							continue
						}
						x.goal, x.gs, x.points = por.Cross, []trace.GID{helper, trace.GID(g)}, []point{u.at, h.at}
						if !yield(x) {
							return false
						}
					}
				}
			}
		}
	}
	return true
}

// acquisitions returns the acquisitions of the lock by g that exclude a goroutine that holds it in the mode
// of l.
func (p *predictor) acquisitions(g trace.GID, l heldAs) (list []*use) {
	h := *p.locks[l.lock]
	if int(g) >= len(h) {
		return nil
	}
	for _, s := range h[g] {
		if !s.shared || !l.shared {
			useAt(&list, s.at).of(g).add(moment{g: g, k: s.acquire, past: s.needs})
		}
	}
	return list
}

// missed yields the plans in which a goroutine begins to wait after the notification, or in which Wait
// returns before another goroutine has called Add.
func (p *predictor) missed(yield func(plan) bool) bool {
	for _, c := range p.waited {
		o := p.objects[c]
		for _, w := range o.waiters {
			for _, n := range o.notifiers {
				x, ok := p.pair(w, n)
				if !ok {
					continue
				}
				x.goal, x.first = por.Precede, x.gs[1]
				if o.counts {
					x.first = x.gs[0]
				}
				if !yield(x) {
					return false
				}
			}
		}
	}
	return true
}

// turnedAway yields the plans in which a goroutine takes an alternative other than that of its waiting
// partner. Alternatives with partners come first, then those never taken.
func (p *predictor) turnedAway(yield func(plan) bool) bool {
	took := map[turnKey]bool{} // turns without partners
	for _, k := range p.turnKeys {
		took[turnKey{at: k.at, taken: k.taken}] = true
	}
	for _, partners := range []bool{true, false} {
		for _, k := range p.turnKeys {
			if (k.with != point{}) != partners {
				continue
			}
			first := p.turns[k].list[0]
			for i := noCase; i < len(first.cases); i++ {
				if i == k.taken || i == noCase && !first.tries || !partners && took[turnKey{at: k.at, taken: i}] {
					continue
				}
				if x, ok := p.turnAway(p.turns[k], i); ok && !yield(x) {
					return false
				}
			}
		}
	}
	return true
}

// turnAway returns a plan in which one of the turns takes case i instead.
func (p *predictor) turnAway(list *turns, i int) (plan, bool) {
	for _, x := range list.list {
		if p.ideals >= mostIdeals {
			break
		}
		if i >= len(x.cases) {
			continue
		}
		//mutant: predict: all alternatives are ready [test ./por/sample TestPredictedLeft]: "i == noCase || " -> "true || "
		if i == noCase || x.ready>>i&1 != 0 {
			if f, ok := p.instead(x, i, nil, nil); ok {
				return f, true
			}
			continue
		}
		c := x.cases[i]
		if c.Chan == 0 {
			continue
		}
		o := p.object(uint64(c.Chan) << 32)
		n := 0
		for j := range o.closes {
			if c.Send {
				break
			}
			if f, ok := p.instead(x, i, o.closes[j].with(), nil); ok {
				return f, true
			}
		}
		for _, z := range o.arrivals[!c.Send] {
			if n == mostMakings {
				break
			}
			if z.g == x.g || z.by != nil && z.by.g == x.g || x.with != nil && z.g == x.with.g {
				continue
			}
			n++
			f, ok := plan{}, false
			if c.Room > 0 {
				f, ok = p.instead(x, i, z.moment.with(), nil)
			} else {
				f, ok = p.instead(x, i, nil, z)
			}
			if ok {
				return f, true
			}
		}
	}
	return plan{}, false
}

// instead returns the plan in which x takes case i, after the steps in extra, or with z as its partner.
func (p *predictor) instead(x *turn, i int, extra needed, z *turn) (plan, bool) {
	of := []*turn{x}
	if x.with != nil {
		of = append(of, x.with)
	}
	if z != nil {
		of = append(of, z)
	}
	var at []moment
	for _, y := range of {
		at = append(at, y.moment)
	}
	has, ok := p.ideal(at, extra)
	if !ok {
		return plan{}, false
	}
	last := slices.Clone(has)
	f := plan{has: has, goal: por.Precede, first: trace.NoGID, guess: p.guesses, takes: &lastStep{x.g, trace.NoGID, i}}
	for _, y := range of {
		if y.in(has) {
			return plan{}, false
		}
		last[y.g] = y.k
		f.gs, f.points = append(f.gs, y.g), append(f.points, y.at)
	}
	f.last = last
	if z != nil {
		f.takes.with = z.g
	}
	return f, true
}

// String returns a key: it is the same for plans that show the same bug.
func (t *lastStep) String() string {
	if t == nil {
		return ""
	}
	return fmt.Sprint(t.index)
}

// step returns the last step of a plan, if it can be made.
func (t *lastStep) step(x *sampler) (trace.Step, bool) {
	for _, gs := range [2][2]trace.GID{{t.g, t.with}, {t.with, t.g}} {
		g := gs[0]
		if g == trace.NoGID || !slices.Contains(x.Enabled, g) {
			continue
		}
		for c := range x.Sys.Alternatives(g) {
			partner, ok := x.effects.Partner(g, c)
			if !ok {
				partner = trace.NoGID
			}
			if partner == gs[1] && (g != t.g || x.effects.Case(g, c) == t.index) && !parks(x, g, c) {
				return trace.Step{G: g, Choice: c}, true
			}
		}
	}
	return trace.Step{}, false
}

// parks reports whether alternative c of g parks it.
func parks(x *sampler, g trace.GID, c int) bool {
	return x.effects.Case(g, c) == noCase && x.NextOp(g).Kind != trace.TrySelect
}

// turnsOf returns the operations on channels that step a, of operation op, executes; nil: none. It copies
// op.
func (x *sampler) turnsOf(a trace.Step, op *trace.Op) (own, partner *turn) {
	if !op.Kind.Communicates() || parks(x, a.G, a.Choice) {
		return nil, nil
	}
	own = x.turnOf(a.G, op)
	own.taken = x.effects.Case(a.G, a.Choice)
	for c := range x.Sys.Alternatives(a.G) {
		if i := x.effects.Case(a.G, c); i >= 0 && i < 64 && i != own.taken {
			if _, meets := x.effects.Partner(a.G, c); !meets {
				own.ready |= 1 << i
			}
		}
	}
	q, ok := x.effects.Partner(a.G, a.Choice)
	if !ok {
		return own, nil
	}
	partner = x.turnOf(q, x.NextOp(q))
	c := own.cases[own.taken]
	partner.taken = slices.IndexFunc(partner.cases, func(d por.Case) bool { return d.Chan == c.Chan && d.Send != c.Send })
	return own, partner
}

// turnOf returns the pending operation op of g.
func (x *sampler) turnOf(g trace.GID, op *trace.Op) *turn {
	t := &turn{moment: moment{g: g}, at: pointOf(op), tries: op.Kind == trace.TrySelect}
	t.cases, _ = x.effects.Cases(g, nil)
	return t
}

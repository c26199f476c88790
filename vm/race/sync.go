package race

// syncVar is a location on which goroutines synchronise. The fields last and more together have
// everything that was released there.
type syncVar struct {
	last  stamp
	more  *clock // earlier releases that last does not include
	count uint32
	saved uint64
}

// variable returns the variable at l, which is going to change.
func (d *Detector) variable(l Loc) *syncVar {
	n, isNew := d.varAt.find(l)
	if isNew {
		d.vars = append(d.vars, syncVar{saved: d.epoch})
		return &d.vars[n]
	}
	v := &d.vars[n]
	if v.saved != d.epoch {
		d.varUndo = append(d.varUndo, saved[syncVar]{n, *v})
		v.saved = d.epoch
	}
	return v
}

// Acquire makes everything that was released at l known to g.
func (d *Detector) Acquire(g uint32, l Loc) {
	n, isNew := d.varAt.find(l)
	if isNew {
		d.vars = append(d.vars, syncVar{saved: d.epoch})
		return
	}
	v := &d.vars[n]
	d.learn(g, &v.last)
	if t := &d.threads[g]; !t.clock.covers(v.more, g) {
		t = d.thread(g)
		t.clock, t.since = d.join(t.clock, v.more, noGoroutine, 0), t.time
	}
}

// Ordered reports whether g knows everything already that was released at l.
func (d *Detector) Ordered(g uint32, l Loc) bool {
	n, ok := d.varAt.lookup(l)
	if !ok {
		return true
	}
	v, c := &d.vars[n], d.threads[g].clock
	return (v.last.g == g || v.last.known(c)) && c.covers(v.more, g)
}

// Release makes the steps of g known to every goroutine that acquires l later, in addition to earlier
// releases.
func (d *Detector) Release(g uint32, l Loc) {
	v := d.variable(l)
	if c := d.threads[g].clock; v.last.g != g && !v.last.known(c) {
		v.more = d.joinStamp(v.more, &v.last)
	}
	v.last = d.stamp(g)
}

// Store makes the steps of g known to every goroutine that acquires l later, in place of earlier releases.
func (d *Detector) Store(g uint32, l Loc) {
	v := d.variable(l)
	v.last, v.more = d.stamp(g), nil
}

// Exchange is Store, and Acquire of the earlier releases.
func (d *Detector) Exchange(g uint32, l Loc) {
	v := d.variable(l)
	old := v.last
	v.last = d.stamp(g)
	d.learn(g, &old)
}

// Count returns the number kept at l and adds delta to it. The number is the caller's.
func (d *Detector) Count(l Loc, delta uint32) uint32 {
	v := d.variable(l)
	n := v.count
	v.count += delta
	return n
}

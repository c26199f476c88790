package race

// A clock has, for every goroutine by number, the time up to which all its actions are known.
// Missing components are 0. Clocks never change: they can be shared, and a change is undone by
// putting the old clock back.
type clock []uint32

// at returns the time of goroutine g that c knows.
func (c clock) at(g uint32) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// covers reports whether c is at least d in every component except g.
func (c clock) covers(d clock, g uint32) bool {
	for i, t := range d {
		if t > c.at(uint32(i)) && uint32(i) != g {
			return false
		}
	}
	return true
}

// join returns a new clock with room for at least n goroutines that is the join of c and d.
func (d *Detector) join(c, other clock, n int) clock {
	x := clock(d.clocks.take(max(len(c), len(other), n)))
	clear(x[copy(x, c):])
	for g, t := range other {
		x[g] = max(x[g], t)
	}
	return x
}

// joinStamp returns the join of c and s: c itself if s has nothing new.
func (d *Detector) joinStamp(c clock, s *stamp) clock {
	if s.known(c) {
		return c
	}
	x := d.join(c, s.rest, int(s.g)+1)
	// rest may have a component for its own goroutine, from before its time s.t.
	x[s.g] = s.t
	return x
}

// A stamp represents what goroutine g knew at its time t: the clock rest, in which t replaces the component
// of g. t is 0 in the empty stamp. A goroutine's time advances with every stamp it gives out, so g and t
// identify a stamp: a goroutine that knows g's time t has received everything that is in it. So most joins
// are one comparison, and no clock is copied to give out a stamp.
type stamp struct {
	rest clock
	g, t uint32
}

// known reports whether c, the clock of a goroutine other than s.g, contains s.
func (s *stamp) known(c clock) bool { return s.t <= c.at(s.g) }

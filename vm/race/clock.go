package race

// A clock says, for every goroutine by number, up to which of its times
// everything it did is known. Missing components are 0. Clocks are never
// changed: who has one may keep it, and taking something back is putting the
// old clock in its place.
type clock []uint32

// at returns the time of goroutine g that c knows.
func (c clock) at(g uint32) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// covers reports whether c has everything in it that d has, except that
// component g does not matter.
func (c clock) covers(d clock, g uint32) bool {
	for i, t := range d {
		if t > c.at(uint32(i)) && uint32(i) != g {
			return false
		}
	}
	return true
}

// An arena is where clocks are made: at the end of what is used of a block.
// Rewinding gives back what was used since the mark. Blocks are kept by the
// clocks in them, so those of a long path are collected when nothing refers to
// them any more; the last one given back is kept for the next need.
type arena struct {
	space
	spare []uint32
}

// space is a block and how much of it is used.
type space struct {
	block []uint32
	used  int
}

const blockSize = 4096

// join returns a new clock with room for at least n goroutines that knows what
// c and d know.
func (a *arena) join(c, d clock, n int) clock {
	n = max(len(c), len(d), n)
	if a.used+n > len(a.block) {
		a.block, a.spare, a.used = a.spare, nil, 0
		if len(a.block) < n {
			a.block = make([]uint32, max(blockSize, n))
		}
	}
	x := clock(a.block[a.used : a.used+n : a.used+n])
	a.used += n
	clear(x[copy(x, c):])
	for g, t := range d {
		x[g] = max(x[g], t)
	}
	return x
}

// joinStamp returns what c knows together with s: c itself if that is nothing new.
func (a *arena) joinStamp(c clock, s *stamp) clock {
	if s.known(c) {
		return c
	}
	x := a.join(c, s.rest, int(s.g)+1)
	// rest may have a component for its own goroutine, from before its time s.t.
	x[s.g] = s.t
	return x
}

// rewind gives back what was used since the present space was s.
func (a *arena) rewind(s space) {
	if len(a.block) > 0 && (len(s.block) == 0 || &s.block[0] != &a.block[0]) {
		a.spare = a.block
	}
	a.space = s
}

// A stamp is what goroutine g knew at its time t: the clock rest, whose own
// component for g does not count, and g up to t. t is 0 in the empty stamp. A
// goroutine's time goes on with every stamp it gives out, so g and t identify a
// stamp: who knows g's time t has received everything that is in it. That
// makes most joins one comparison, and giving out a stamp costs no copy.
type stamp struct {
	rest clock
	g, t uint32
}

// known reports whether c, the clock of another goroutine than s.g, has s in it.
func (s *stamp) known(c clock) bool { return s.t <= c.at(s.g) }

package race

// A clock has, for every goroutine by number, the time up to which all its actions are known. Missing
// components are 0, and nil is the empty clock. Clocks never change: they can be shared, and a change is
// undone by putting the old clock back.
//
// A program may have thousands of goroutines, and each lock makes a new clock. So two clocks share the chunks
// in which they are equal.
type clock struct {
	low  []uint32 // the first goroutines, at most chunkSize; a small program has no others
	high []*chunk // the others; nil: all components are 0
}

const chunkSize = 64

// A chunk has the components of chunkSize goroutines.
type chunk [chunkSize]uint32

// at returns the time of goroutine g that c knows.
func (c *clock) at(g uint32) uint32 {
	switch {
	case c == nil:
		return 0
	case g < uint32(len(c.low)):
		return c.low[g]
	case g < chunkSize:
		return 0
	}
	if x := chunkAt(c.high, int(g/chunkSize)-1); x != nil {
		return x[g%chunkSize]
	}
	return 0
}

func chunkAt(list []*chunk, i int) *chunk {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// covers reports whether c is at least d in every component except g.
func (c *clock) covers(d *clock, g uint32) bool {
	if c == d || d == nil {
		return true
	}
	for i, t := range d.low {
		if t > c.at(uint32(i)) && uint32(i) != g {
			return false
		}
	}
	for k, y := range d.high {
		x := (*chunk)(nil)
		if c != nil {
			x = chunkAt(c.high, k)
		}
		if x == y || y == nil {
			continue
		}
		if x == nil {
			x = new(chunk)
		}
		for i, t := range y {
			if t > x[i] && uint32((k+1)*chunkSize+i) != g {
				return false
			}
		}
	}
	return true
}

// noGoroutine is the number of none.
const noGoroutine = 1<<32 - 1

// join returns the join of c and other, in which t replaces the component of g.
func (d *Detector) join(c, other *clock, g, t uint32) *clock {
	x := &d.clocks.take(1)[0]
	*x = clock{}
	switch {
	case c == nil && other == nil:
		c, other = x, x
	case c == nil:
		c = x
	case other == nil:
		other = x
	}
	*x = clock{d.joinLow(c.low, other.low, g, t), d.joinHigh(c.high, other.high, g, t)}
	return x
}

// joinLow is join for the first goroutines.
func (d *Detector) joinLow(a, b []uint32, g, t uint32) []uint32 {
	n := max(len(a), len(b))
	switch {
	case g < chunkSize:
		n = max(n, int(g)+1)
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	x := d.times.take(n)
	if len(a) == 0 {
		clear(x[copy(x, b):])
	} else {
		clear(x[copy(x, a):])
		for i, t := range b {
			x[i] = max(x[i], t)
		}
	}
	if g < chunkSize {
		x[g] = t
	}
	return x
}

// joinHigh is join for the other goroutines.
func (d *Detector) joinHigh(a, b []*chunk, g, t uint32) []*chunk {
	n, of := max(len(a), len(b)), -1 // of is the chunk of g
	if g >= chunkSize && g != noGoroutine {
		of = int(g/chunkSize) - 1
		n = max(n, of+1)
	}
	switch {
	case of < 0 && len(a) == 0:
		return b
	case of < 0 && len(b) == 0:
		return a
	}
	x := d.parts.take(n)
	if len(a) == 0 {
		clear(x[copy(x, b):])
	} else {
		for i := range x {
			x[i] = d.joinChunk(chunkAt(a, i), chunkAt(b, i))
		}
	}
	if of >= 0 {
		y := &d.chunks.take(1)[0]
		if x[of] == nil {
			*y = chunk{}
		} else {
			*y = *x[of]
		}
		y[g%chunkSize] = t
		x[of] = y
	}
	return x
}

// joinChunk returns the join of a and b: one of them if it covers the other.
func (d *Detector) joinChunk(a, b *chunk) *chunk {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	less, more := false, false // a has a smaller component, or a greater one
	for i, t := range b {
		if u := a[i]; u == t {
			continue
		} else if u < t {
			less = true
		} else {
			more = true
		}
		if less && more {
			break
		}
	}
	switch {
	case !less:
		return a
	//mutant: parts of clocks that are older in places replace newer ones [test ./vm/race TestOracle]: "!more" -> "true"
	case !more:
		return b
	}
	x := &d.chunks.take(1)[0]
	for i, t := range b {
		x[i] = max(a[i], t)
	}
	return x
}

// joinStamp returns the join of c and s: c itself if s has nothing new.
func (d *Detector) joinStamp(c *clock, s *stamp) *clock {
	if s.known(c) {
		return c
	}
	rest := s.rest
	//mutant: clocks are taken to contain those of newer stamps [test ./vm/race TestOracle]: ">= s.since" -> "+ 1 >= s.since"
	if c.at(s.g) >= s.since {
		rest = nil // known from an earlier stamp
	}
	// rest may have a component for its own goroutine, from before its time s.t.
	return d.join(c, rest, s.g, s.t)
}

// A stamp represents what goroutine g knew at its time t: the clock rest, in which t replaces the component
// of g. t is 0 in the empty stamp. A goroutine's time advances with every stamp it gives out, so g and t
// identify a stamp: a goroutine that knows g's time t has received everything that is in it. So most joins
// are one comparison, and no clock is copied to give out a stamp.
type stamp struct {
	rest  *clock
	g, t  uint32
	since uint32 // the time at which the goroutine got rest
}

// known reports whether c, the clock of a goroutine other than s.g, contains s.
func (s *stamp) known(c *clock) bool { return s.t <= c.at(s.g) }

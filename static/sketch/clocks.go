package sketch

import "golang.org/x/tools/go/ssa"

// clock is a vector clock: by goroutine, the time up to which its steps happen before.
type clock []int

func (c clock) at(i int) int {
	if i < len(c) {
		return c[i]
	}
	return 0
}

// join returns the least clock that is after both.
func (c clock) join(d clock) clock {
	if len(c) < len(d) {
		c = append(append(clock{}, c...), make(clock, len(d)-len(c))...)
	} else {
		c = append(clock{}, c...)
	}
	for i, n := range d {
		c[i] = max(c[i], n)
	}
	return c
}

// accessAt is an access of goroutine g at its time n.
type accessAt struct {
	g, n   int
	instr  ssa.Instruction
	atomic bool
}

// cellClock has the last accesses to a location.
type cellClock struct {
	write accessAt
	wrote bool
	reads []accessAt
}

// Race is a pair of accesses that nothing orders.
type Race struct {
	First, Second ssa.Instruction
	FirstWrite    bool
	SecondWrite   bool
}

// touch records an access of g to a location.
func (r *Run) touch(g *goroutine, o *obj, path string, write, atomic bool, instr ssa.Instruction) {
	if o.outside || len(r.gs) < 2 || r.trusted(instr) {
		return
	}
	c := o.clocks[path]
	if c == nil {
		c = new(cellClock)
		o.clocks[path] = c
	}
	now := accessAt{g.id, g.clock.at(g.id), instr, atomic}
	before := func(a accessAt) bool { return a.g == g.id || a.n <= g.clock.at(a.g) || a.atomic && atomic }
	//mutant: reads do not race with writes [test ./static/findings TestKernels]: false
	if c.wrote && !before(c.write) {
		r.race(Race{c.write.instr, instr, true, write})
	}
	if write {
		for _, a := range c.reads {
			if !before(a) {
				r.race(Race{a.instr, instr, false, true})
			}
		}
		c.write, c.wrote, c.reads = now, true, nil
		return
	}
	for i, a := range c.reads {
		if a.g == g.id {
			c.reads[i] = now
			return
		}
	}
	c.reads = append(c.reads, now)
}

func (r *Run) race(x Race) {
	for _, y := range r.Races {
		if x == y {
			return
		}
	}
	if len(r.Races) < 16 {
		r.Races = append(r.Races, x)
	}
}

// tick begins a new time of g, after it has published its clock.
func (g *goroutine) tick() {
	for len(g.clock) <= g.id {
		g.clock = append(g.clock, 0)
	}
	g.clock = append(clock{}, g.clock...)
	g.clock[g.id]++
}

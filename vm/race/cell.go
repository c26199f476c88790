package race

import "math/bits"

// A cell has the recorded accesses to one word of memory.
//
// An access stays in the list until a later access subsumes it. The later access knew of the earlier one,
// touches the same bytes, and conflicts with every access with which the earlier one conflicts. Among
// ordered accesses, and accesses of one goroutine, a write subsumes every access and a read subsumes a read;
// an atomic access subsumes only atomic ones. So races are not lost, though they may be found with another
// access:
//
//  1. Let access a be dropped because b subsumes it, and let c come later and not know of a.
//  2. b knew of a; so if c knew of b, it knew of a. Hence c does not know of b either.
//  3. If c conflicts with a, it conflicts with b; so the race of b and c is found.
//
// A cell has room for two entries. Further accesses are rare. They are in a list whose elements never change;
// room at its end is used by one of the cells that share the list.
type cell struct {
	saved uint64
	two   [2]entry
	more  []entry
	n     uint32
}

// entry is one access to some bytes of a word.
type entry struct {
	g, time uint32
	stack   Stack
	mask    uint8 // the bytes, by bit
	flags   uint8
	tag     uint8
}

const (
	flagWrite = 1 << iota
	flagAtomic
)

func (a Access) flags() (f uint8) {
	if a.Write {
		f |= flagWrite
	}
	if a.Atomic {
		f |= flagAtomic
	}
	return f
}

// conflicts reports whether two accesses to the same bytes can race.
func conflicts(a, b uint8) bool {
	return (a|b)&flagWrite != 0 && a&b&flagAtomic == 0
}

// subsumes reports whether every access that conflicts with an access with flags old also conflicts with
// one with flags new.
func subsumes(new, old uint8) bool {
	return new&flagWrite >= old&flagWrite && new&flagAtomic <= old&flagAtomic
}

func (c *cell) entry(i uint32) *entry {
	if i < 2 {
		return &c.two[i]
	}
	return &c.more[i-2]
}

// cell returns cell n, which is going to change.
func (d *Detector) cell(n uint32) *cell {
	c := &d.cells[n]
	if c.saved != d.epoch {
		d.cellUndo = append(d.cellUndo, saved[cell]{n, *c})
		c.saved = d.epoch
	}
	return c
}

// Access follows an access of g to size bytes at l, and finds its races.
func (d *Detector) Access(g uint32, l Loc, size uint32, a Access, at Stack) {
	e := entry{g: g, time: d.threads[g].time, stack: at, tag: a.Tag, flags: a.flags()}
	for size > 0 {
		first := uint32(l & 7)
		n := min(8-first, size)
		e.mask = uint8((1<<n - 1) << first)
		d.word(l&^7, e)
		l += Loc(n)
		size -= n
	}
}

// word adds e to the cell of the word at l.
func (d *Detector) word(l Loc, e entry) {
	n, isNew := d.cellAt.find(l)
	if isNew {
		d.cells = append(d.cells, cell{saved: d.epoch, n: 1, two: [2]entry{e}})
		return
	}
	if c := &d.cells[n]; c.n > 0 && *c.entry(c.n - 1) == e {
		return // the same access again, as in a loop
	}
	c := d.cell(n)
	knows := d.threads[e.g].clock
	same := true // no entry has changed
	list := d.room[:0]
	for i := range c.n {
		o := *c.entry(i)
		if common := o.mask & e.mask; common != 0 {
			switch {
			case o.g != e.g && o.time > knows.at(o.g):
				if conflicts(o.flags, e.flags) {
					d.report(l+Loc(bits.TrailingZeros8(common)), &o, &e)
				}
			case subsumes(e.flags, o.flags):
				for k := uint32(0); same && k < i; k++ {
					list = append(list, *c.entry(k))
				}
				same = false
				o.mask &^= common
			}
		}
		if !same && o.mask != 0 {
			list = append(list, o)
		}
	}
	if same {
		d.append(c, e)
		return
	}
	list = append(list, e)
	d.room = list
	c.n = uint32(len(list))
	rest := list[copy(c.two[:], list):]
	c.more = nil
	if len(rest) > 0 {
		c.more = d.lists.take(len(rest))
		copy(c.more, rest)
	}
}

// append adds e to c, whose other entries stay.
func (d *Detector) append(c *cell, e entry) {
	if c.n < 2 {
		c.two[c.n] = e
	} else {
		if n := len(c.more); n == cap(c.more) {
			more := d.lists.take(max(2, 2*n))[:n]
			copy(more, c.more)
			c.more = more
		}
		c.more = append(c.more, e)
	}
	c.n++
}

// Cross follows an operation of one of two kinds: operations of different kinds race, and those of one kind
// do not. own and other are the places of the two kinds, which no access touches. A report shows the
// operation as the access a.
func (d *Detector) Cross(g uint32, own, other Loc, a Access, at Stack) {
	a.Atomic = true // operations of one kind do not conflict
	e := entry{g: g, time: d.threads[g].time, stack: at, tag: a.Tag, mask: 1, flags: a.flags()}
	if n, isNew := d.cellAt.find(other); isNew {
		d.cells = append(d.cells, cell{saved: d.epoch})
	} else {
		c := &d.cells[n]
		for i := range c.n {
			if o := c.entry(i); o.g != g && o.time > d.threads[g].clock.at(o.g) {
				d.report(own, o, &e)
			}
		}
	}
	d.word(own, e)
}

// report records a race at l. An access to several words races only once.
func (d *Detector) report(l Loc, first, second *entry) {
	r := Race{l, first.side(), second.side()}
	for i := range d.races {
		if d.races[i].First == r.First && d.races[i].Second == r.Second {
			return
		}
	}
	d.races = append(d.races, r)
}

func (e *entry) side() Side {
	return Side{e.g, e.stack, Access{e.flags&flagWrite != 0, e.flags&flagAtomic != 0, e.tag}}
}

package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// lookup emits s[i] of a string, and m[k] of a map in both forms.
//
// Bit 32 of the word after MapGet asks for ok as well, in the register after the element's last
// one.
// A string's byte is a load that is never visible; an entry of a map is part of the map, whose
// header is the object of the access.
func (c *compiler) lookup(v *ssa.Lookup) {
	x, k := c.use(v.X), c.use(v.Index)
	mt, ok := v.X.Type().Underlying().(*types.Map)
	if !ok {
		d := c.dst(v)
		c.indexing(v.Index)
		c.emit(bytecode.LdStr, d, x, k)
		return
	}
	w := uint64(c.l.MapType(mt))
	n := c.l.Layout(mt.Elem()).Words()
	if !v.CommaOk {
		d := c.dst(v)
		c.recordPending()
		c.emit(bytecode.MapGet, d, x, k)
		c.word(w)
		return
	}
	t := c.temp(n + 1)
	c.recordPending()
	c.emit(bytecode.MapGet, t, x, k)
	c.word(w | 1<<32)
	c.results(v, t)
}

// isMap reports whether t is a map type.
func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// next emits the step of a loop over a string or a map.
// The operation leaves ok, key and element in consecutive scratch registers.
func (c *compiler) next(v *ssa.Next) {
	it := c.use(v.Iter)
	if v.IsString {
		t := c.temp(3)
		c.emit(bytecode.StrNext, t, it, 0)
		for _, x := range c.extracts[v] {
			if d, ok := c.reg[x]; ok {
				c.move(d, t+x.(*ssa.Extract).Index, 1)
			}
		}
		return
	}
	mt := v.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	kw, ew := c.l.Layout(mt.Key()).Words(), c.l.Layout(mt.Elem()).Words()
	t := c.temp(1 + kw + ew)
	c.recordPending()
	ordered := 0
	if c.l.Ordered(v.Iter.(*ssa.Range)) {
		ordered = 1
	}
	c.emit(bytecode.MapNext, t, it, ordered)
	c.word(uint64(c.l.MapType(mt)))
	for _, x := range c.extracts[v] {
		// The tuple's types are invalid for components the loop ignores.
		e := x.(*ssa.Extract)
		if d, ok := c.reg[e]; ok {
			c.move(d, t+[]int{0, 1, 1 + kw}[e.Index], []int{1, kw, ew}[e.Index])
		}
	}
}

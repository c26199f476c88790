package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// makeInterface emits the conversion to an interface: the type word and a data word. As with gc,
// the data word is the value itself if it has the shape of a pointer, and otherwise points to a
// copy of it (a box).
//
//	pointer-shaped:  │ type word │ value │
//	no bytes:        │ type word │ zero base │
//	all else:        │ type word │ ──┼──▶ box: copy of the value, which nothing changes any more
//
// A box is a copy to which nothing else refers when it is made, and which is never written later. So
// reading it is not a visible operation in any goroutine (heap.Frozen).
func (c *compiler) makeInterface(v *ssa.MakeInterface) {
	t := v.X.Type()
	d := c.dst(v)
	l := c.l.Layout(t)
	switch {
	case layout.PointerShaped(t):
		c.into(v.X, d+1)
	case l.Size == 0:
		c.constant(d+1, c.l.ZeroBase())
	default:
		if src, ok := c.source(v.X); ok {
			t := c.temp(1)
			c.emitImm(bytecode.NewObj, t, int32(l.ID))
			if src != bytecode.NoReg {
				c.recordPending()
				c.emit(bytecode.CopyMem, t, src, 0)
				c.word(uint64(l.Size))
			}
			c.move(d+1, t, 1)
			break
		}
		x := c.use(v.X)
		c.emit(bytecode.Box, d+1, x, 0)
		c.word(uint64(l.ID))
	}
	c.constant(d, c.l.TypeWord(t))
}

// typeAssert emits both forms of x.(T).
//
//	      ok = dynamic type of x fits      Impl if T is an interface, else Eq with T's type word
//	      JF ok, fail
//	      d = x, or x's data word, or what it points to
//	      Jmp end
//	fail: d = zero, or PanicTA in the form without ok
//	end:
//
// If the value is not used, or has no words, the form with ok ends after JF.
func (c *compiler) typeAssert(v *ssa.TypeAssert) {
	x := c.use(v.X)
	target := v.AssertedType
	// Results that the program uses are written to their own registers at once; without ok, and
	// where it is not used, a scratch register holds the condition.
	var d, ok int = -1, -1
	if v.CommaOk {
		ok = c.temp(1)
		for _, e := range c.extracts[v] {
			if r, has := c.reg[e]; has {
				if e.(*ssa.Extract).Index == 0 {
					d = r
				} else {
					ok = r
				}
			}
		}
	} else {
		ok = c.temp(1)
		d = c.dst(v)
	}
	words := c.l.Layout(target).Words()
	iface := types.IsInterface(target)
	var fail int
	if iface {
		c.emit(bytecode.Impl, ok, x, 0)
		c.word(uint64(c.l.Layout(target).ID))
		fail = c.emitImm(bytecode.JF, ok, 0)
	} else {
		tw := c.temp(1)
		c.constant(tw, c.l.TypeWord(target))
		c.emit(bytecode.Eq, ok, x, tw)
		fail = c.emitImm(bytecode.JF, ok, 0)
	}
	if d >= 0 && words > 0 {
		switch {
		case iface:
			c.move(d, x, 2)
		case layout.PointerShaped(target):
			c.move(d, x+1, 1)
		default:
			c.load(d, x+1, 0, target)
		}
	}
	if v.CommaOk && (d < 0 || words == 0) {
		c.patch(fail, len(c.code))
		return
	}
	end := c.emitImm(bytecode.Jmp, 0, 0)
	c.patch(fail, len(c.code))
	if v.CommaOk {
		c.emit(bytecode.Zero, d, words, 0)
	} else {
		c.emit(bytecode.PanicTA, x, 0, 0)
		c.word(uint64(c.l.Layout(target).ID) | uint64(c.l.Layout(v.X.Type()).ID)<<32)
	}
	c.patch(end, len(c.code))
}

package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// selectOp emits Select, which is followed by a word for each case: its channel, and the register
// of the value to send or the destination of the value received. Its results are the case's index
// and whether a value was received.
//
//	word of a case   Op        A         B                      C
//	                 │ 1: send │ channel │ value                │ 0
//	                 │ 0: recv │ channel │ destination or NoReg │ words of the destination
//
// Destinations are the registers of the received values themselves. The machine clears those of the
// receive cases that are not chosen, as SSA expects zeros there.
func (c *compiler) selectOp(v *ssa.Select) {
	// The operation writes index and ok to consecutive registers; the registers of their Extracts need not be
	// consecutive.
	t := c.temp(2)
	var recv []ssa.Value // extracts of received values by receive case
	for range v.States {
		recv = append(recv, nil)
	}
	for _, x := range c.extracts[v] {
		e := x.(*ssa.Extract)
		// The tuple is (index, ok, the values of the receive cases in order); sends have no component.
		if e.Index >= 2 {
			k := 1
			for i, st := range v.States {
				if st.Dir == types.RecvOnly {
					k++
					if k == e.Index {
						recv[i] = e
					}
				}
			}
		}
	}
	// The words are collected first, because use may emit code, which must precede the operation and
	// its live list.
	var words []bytecode.Instr
	for i, st := range v.States {
		w := bytecode.Instr{A: uint16(c.use(st.Chan)), B: bytecode.NoReg}
		if st.Dir == types.SendOnly {
			w.Op = 1
			w.B = uint16(c.use(st.Send))
		} else if recv[i] != nil {
			if n := c.words(recv[i]); n > 0 {
				w.B, w.C = uint16(c.reg[recv[i]]), uint16(n)
			}
		}
		words = append(words, w)
	}
	blocking := 0
	if v.Blocking {
		blocking = 1
	}
	c.recordPending()
	c.emit(bytecode.Select, t, len(v.States), blocking)
	c.code = append(c.code, words...)
	for _, x := range c.extracts[v] {
		e := x.(*ssa.Extract)
		if d, ok := c.reg[e]; ok && e.Index < 2 {
			c.move(d, t+e.Index, 1)
		}
	}
}

package vm

import (
	"fmt"
	"go/types"
	"strings"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Channel operations by reflect. All operations that can wait are selects; like calls, they use an
// adapter, one for each list of cases, around the instruction:
//
//	hbSelect (cases, n, result) → load; Select, Send or Recv; store
var reflectChanNatives = []Native{
	{Name: "reflect.hbSelect", Peek: peekSelect, Fn: reflectSelect},
	{Name: "reflect.makechan", Fn: reflectMakeChan},
	{Name: "reflect.chanclose", Peek: peekClose, Fn: reflectClose},
	{Name: "hb.selectLoad", Fn: selectLoad},
	{Name: "hb.selectStore", Fn: selectStore},
}

// makechan(type, size int) channel
func reflectMakeChan(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	c, ctl := m.newChan(g, m.layouts.Of(t.Type.Underlying().(*types.Chan).Elem()), r.U(1))
	if ctl == Next {
		r.Set(0, c)
	}
	return ctl
}

func peekClose(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if c := r.U(0); c != 0 && m.heap.Objs[c>>32].Flags&heap.Shared != 0 {
		*op = closing(c)
	}
	return 1
}

// peekChanLen is the Peek of len of a channel (chanLen).
func peekChanLen(m *Machine, _ *goroutine, r Regs, op *trace.Op) int {
	if c := r.U(0); c != 0 && m.heap.Objs[c>>32].Flags&heap.Shared != 0 && !m.isTick(m.chanHdr(c)) {
		*op = trace.Op{Kind: trace.SyncAccess, N: 1, Access: [2]trace.Access{accessOf(c, 8, false)}}
	}
	return 1
}

// chanlen(ch) int
func reflectChanLen(m *Machine, _ *goroutine, r Regs) Ctl {
	r.Set(0, m.chanWord(r.U(0), chLen))
	return Next
}

// chancap(ch) int
func reflectChanCap(m *Machine, _ *goroutine, r Regs) Ctl {
	r.Set(0, m.chanWord(r.U(0), chCap))
	return Next
}

// chanWord returns a word of c's header, 0 for a nil channel. A timer's channel seems unbuffered.
func (m *Machine) chanWord(c ptr, off int) uint64 {
	if c == 0 || m.isTick(m.chanHdr(c)) {
		return 0
	}
	return m.chanHdr(c)[off/8]
}

func reflectClose(m *Machine, g *goroutine, r Regs) Ctl {
	if c := r.U(0); c != 0 && m.isOther(g, c) {
		return m.throwOutside(g, bytecode.Close)
	}
	if rt := m.closeNow(r.U(0)); rt >= 0 {
		m.throw(g, rt)
		return Called
	}
	return Next
}

// runtimeSelect is reflect's type of that name.
type runtimeSelect struct{ dir, typ, ch, val uint64 }

// maxSelectWords bounds the registers of a select's channels and values.
const maxSelectWords = 16 << 10

const (
	selSend = iota + 1
	selRecv
	selDefault
)

// selectCases returns the cases of hbSelect(cases []runtimeSelect, result).
func (m *Machine) selectCases(r Regs) []runtimeSelect {
	n := r.U(1)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*runtimeSelect)(m.heap.Load(r.U(0), n*uint64(unsafe.Sizeof(runtimeSelect{})), 0)), n)
}

// elemOf returns the element layout of a channel.
func (m *Machine) elemOf(c ptr) *layout.Layout {
	if c == 0 {
		return m.layouts.At(m.layByte)
	}
	return m.layouts.At(uint32(m.word(c, chElem) >> 32))
}

// peekSelect is the Peek of hbSelect: it reads the values to send first.
func peekSelect(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	for _, c := range m.selectCases(r) {
		if c.dir == selSend && c.ch != 0 {
			m.peekPlain(g, op, accessOf(c.val, uint64(m.elemOf(c.ch).Size), false))
		}
	}
	return 1
}

func reflectSelect(m *Machine, g *goroutine, r Regs) Ctl {
	var ops strings.Builder
	words := 0
	for _, c := range m.selectCases(r) {
		fmt.Fprintf(&ops, "%c%d ", " srd"[c.dir], m.elemOf(c.ch).ID)
		words += 1 + m.elemOf(c.ch).Words()
	}
	if words > maxSelectWords {
		m.unsupported(g, RefusedType, fmt.Sprintf("a select of %d cases", r.U(1)))
		return Stop
	}
	id := m.link.AdaptSelect(ops.String())
	m.callGuest(g, uint64(id)|funcBit, 0, r.U(0), r.U(1), r.U(3))
	return Called
}

func selectLoad(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	for i := a.Chans; i < g.Fn.NRegs; i++ {
		r.Set(i, 0)
	}
	r.Set(3, 0)
	r.Set(4, 0)
	for i, c := range m.selectCases(r) {
		k := &a.Cases[i]
		if k.Dir == 'd' {
			continue
		}
		r.Set(k.Reg, c.ch)
		if k.Dir == 's' && k.Elem.Size > 0 && c.val != 0 {
			src := m.heap.Load(c.val, uint64(k.Elem.Size), 0)
			if src == nil {
				return m.badAddress(g)
			}
			k.Elem.Load((*uint64)(r.At(k.Reg+1)), src)
		}
	}
	return Next
}

// selectStore stores the value received and the result {chosen int; recvOK bool}.
func selectStore(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	chosen := r.I(3)
	if chosen < 0 {
		chosen = int64(a.Default)
	} else {
		for i, k := range a.Cases { // default has no number in the instruction
			if k.Dir == 'd' && int64(i) <= chosen {
				chosen++
				break
			}
		}
	}
	ok := false
	if k := a.Cases[chosen]; k.Dir == 'r' {
		ok = r.U(4) != 0
		if k.Elem.Size > 0 {
			b := m.heap.Writable(m.selectCases(r)[chosen].val, k.Elem.Size)
			copy(b, unsafe.Slice((*byte)(r.At(k.Reg+1)), k.Elem.Size))
			m.publishBytes(m.selectCases(r)[chosen].val, b)
		}
	}
	res := r.U(2)
	m.setWord(res, 0, uint64(chosen))
	m.setWord(res, 8, b2u(ok))
	return Next
}

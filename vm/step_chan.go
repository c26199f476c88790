package vm

import (
	"go/types"
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// shiftCap is the capacity up to which receiving moves the buffer down, so
// that equal contents are equal bytes; longer buffers are rings.
const shiftCap = 64

// elemSize returns the size of an element of the channel with header h.
func elemSize(h *[5]uint64) uint32 { return uint32(uint16(h[chElem/8])) }

// chanOp executes Send, Recv or Select at g.pc, or makes it pending.
//
// It computes the alternatives, checks whether one may execute now, and only then has effects. Everything
// up to chanMayExecute is executed again when the operation is scheduled.
func (m *Machine) chanOp(g *goroutine) Ctl {
	if m.opened != 0 && m.isOutside(g) {
		return m.throwOutside(g, g.Fn.Code[g.PC].Op)
	}
	alts := m.alts[:0]
	n := m.chanAlternatives(g, &alts)
	m.alts = alts
	steps := g.scheduled
	if !m.chanMayExecute(g, n) {
		return Stop
	}
	a := alts[g.Choice]
	if m.auto {
		a = m.oldest(alts)
	}
	in := &g.Fn.Code[g.PC]
	// Parking is a step that only changes the view of other goroutines. The operation stays pending.
	if a.park {
		m.setPendingChan(g)
		g.parked = true
		return Stop
	}
	g.parked = false
	if a.caseIndex < 0 {
		//mutant: a loop that polls channels never waits [env TestPollPrograms]: "|| steps" -> "|| steps && false"
		m.glide.idle = m.glide.idle || steps
		m.finishChan(g, -1, false)
		return Next
	}
	var arr, parr [8]chanCase
	c := m.chanCases(g, arr[:0])[a.caseIndex]
	hp := m.chanHdr(c.ch)
	es := elemSize(hp)
	m.notePassing(g, a, c)
	// A rendezvous executes both operations: the value goes from registers to registers, and each
	// goroutine continues after its own operation.
	if a.partner >= 0 {
		q := m.gs[a.partner]
		m.saveGoroutine(q)
		d := m.chanCases(q, parr[:0])[a.partnerCase]
		from, to := g, q
		fr, tr := c.reg, d.reg
		if !c.send {
			from, to, fr, tr = q, g, d.reg, c.reg
		}
		if m.following() {
			m.raceRendezvous(from, to, c.ch)
		}
		m.copyRegs(to, tr, from, fr, es, uint32(hp[chElem/8]>>32))
		m.publishRegs(from, fr, es)
		m.finishChan(q, a.partnerCase, true)
		m.wake(q)
		m.finishChan(g, a.caseIndex, true)
		return Next
	}
	if m.following() {
		m.raceChan(g, c.ch, hp, c.send)
	}
	// Without a partner: on a closed channel a sender panics, otherwise the buffer has room or an
	// element, or a receiver gets the zero value (spec: Close).
	if hp[chClosed/8] != 0 && c.send {
		m.throw(g, rtPanicSendClosed)
		return Called
	}
	m.heap.WillWrite(uint32(c.ch >> 32))
	base := uint64(c.ch) + chBuf
	switch {
	case c.send:
		m.publishRegs(g, c.reg, es)
		slot := (hp[chHead/8] + hp[chLen/8]) % hp[chCap/8]
		if es > 0 {
			layout.StoreImage(m.heap.Load(base+slot*uint64(es), uint64(es), 0), g.Reg(uint32(c.reg)), uint64(es))
			m.sym.StoreRegs(&g.Goroutine, uint32(c.reg), base+slot*uint64(es), uint64(es))
		}
		hp[chLen/8]++
		m.serve(c.ch, false)
	case hp[chLen/8] > 0:
		m.takeBuffered(g, c, hp, es)
		m.serve(c.ch, true)
	default: // closed and empty
		if in.Op != bytecode.Recv || c.reg != bytecode.NoReg {
			m.zeroRegs(g, c.reg, es)
		}
		m.finishChan(g, a.caseIndex, false)
		return Next
	}
	m.finishChan(g, a.caseIndex, true)
	if m.auto && m.cfg.Run && m.handOver(g, c) {
		return Stop
	}
	return Next
}

// takeBuffered receives the oldest element of c's buffer, which is not empty. A short buffer is
// moved down by one place, a long one advances head: see shiftCap.
//
// The free place is cleared in both cases (invariant of channels).
//
//	short:  │ a │ b │ c │ 0 │  ──▶  │ b │ c │ 0 │ 0 │     head stays 0
//	long:   │ a │ b │ c │ 0 │  ──▶  │ 0 │ b │ c │ 0 │     head 0 → 1
func (m *Machine) takeBuffered(g *goroutine, c chanCase, hp *[5]uint64, es uint32) {
	if m.isTick(hp) || m.isEarly(hp) {
		m.wokenLate(g)
	}
	base := uint64(c.ch) + chBuf
	if es > 0 {
		src := m.heap.Load(base+hp[chHead/8]*uint64(es), uint64(es), 0)
		m.loadRegs(g, c.reg, src, es, uint32(hp[chElem/8]>>32))
		at := base + hp[chHead/8]*uint64(es)
		if c.reg != bytecode.NoReg {
			m.sym.LoadRegs(&g.Goroutine, uint32(c.reg), at, m.layouts.At(uint32(hp[chElem/8]>>32)))
		}
		if m.isTick(hp) && c.reg != bytecode.NoReg {
			m.tickTime(g, g.Reg(uint32(c.reg)))
		}
		if m.isEarly(hp) && c.reg != bytecode.NoReg {
			w := unsafe.Slice(g.Reg(uint32(c.reg)), 2)
			m.tickShown(g, w[0], w[1])
		}
		buf := m.heap.Bytes(base, uint32(hp[chCap/8])*es)
		if hp[chCap/8] <= shiftCap {
			used := uint32(hp[chLen/8]) * es
			copy(buf, buf[es:used])
			clear(buf[used-es : used])
			m.sym.Moved(base, base+uint64(es), uint64(used-es))
			m.sym.Cleared(base+uint64(used-es), uint64(es))
		} else {
			clear(unsafe.Slice((*byte)(src), es))
			m.sym.Cleared(at, uint64(es))
		}
	}
	if hp[chCap/8] > shiftCap {
		hp[chHead/8] = (hp[chHead/8] + 1) % hp[chCap/8]
	}
	hp[chLen/8]--
	if hp[chLen/8] == 0 {
		hp[chHead/8] = 0
	}
	if m.cfg.Run && (m.isTick(hp) || m.isEarly(hp)) {
		m.setWord(c.ch, chBuf+8, uint64(m.clockOf(g))+1) // see fullUntil
	}
}

// loadRegs puts an element image into registers, extended if it is a scalar.
//
// The layout says how a scalar is extended; in a rendezvous the value has been extended already
// (copyRegs).
func (m *Machine) loadRegs(g *goroutine, reg uint16, src unsafe.Pointer, size uint32, lay uint32) {
	if reg == bytecode.NoReg || size == 0 {
		return
	}
	m.layouts.At(lay).Load(g.Reg(uint32(reg)), src)
}

// zeroRegs clears the registers of an element of size bytes. Without a register it does nothing.
//
// Spec, Receive operator: receiving from a closed channel yields the zero value of its type.
func (m *Machine) zeroRegs(g *goroutine, reg uint16, size uint32) {
	if reg != bytecode.NoReg {
		clear(unsafe.Slice(g.Reg(uint32(reg)), (size+7)/8))
		m.sym.ClearRegs(&g.Goroutine, uint32(reg), int(size+7)/8)
	}
}

// copyRegs moves an element of size bytes in a rendezvous. The receiver may discard it.
func (m *Machine) copyRegs(to *goroutine, tr uint16, from *goroutine, fr uint16, size, _ uint32) {
	if tr != bytecode.NoReg && size > 0 {
		n := (size + 7) / 8
		copy(unsafe.Slice(to.Reg(uint32(tr)), n), unsafe.Slice(from.Reg(uint32(fr)), n))
		m.sym.MoveRegs(&to.Goroutine, uint32(tr), &from.Goroutine, uint32(fr), int(n))
	}
}

// publishRegs publishes everything to which an element of size bytes in g's registers points: the
// receiver can reach that.
func (m *Machine) publishRegs(g *goroutine, reg uint16, size uint32) {
	if m.multi {
		for _, w := range unsafe.Slice(g.Reg(uint32(reg)), (size+7)/8) {
			m.heap.Publish(w)
		}
	}
}

// finishChan writes the operation's control results and moves g after it. index is the case's, -1
// for default; ok says whether a received value was sent.
//
// It is called for both sides of a rendezvous, so g need not be the running goroutine: all operands are
// read at its pc.
func (m *Machine) finishChan(g *goroutine, index int, ok bool) {
	in := &g.Fn.Code[g.PC]
	g.scheduled, g.assigned = false, 0
	switch in.Op {
	case bytecode.Recv:
		if in.C != bytecode.NoReg {
			*g.Reg(uint32(in.C)) = b2u(ok)
			m.sym.ClearRegs(&g.Goroutine, uint32(in.C), 1)
		}
	// The results are the index, ok, and the received values; the words of the cases come after
	// the instruction and are skipped.
	case bytecode.Select:
		*g.Reg(uint32(in.A)) = uint64(int64(index))
		*g.Reg(uint32(in.A) + 1) = b2u(ok)
		m.sym.ClearRegs(&g.Goroutine, uint32(in.A), 2)
		// The destinations of the other receive cases are zero.
		for i := 0; i < int(in.B); i++ {
			w := g.Fn.Code[int(g.PC)+1+i]
			if w.Op != 1 && i != index && w.B != bytecode.NoReg {
				clear(unsafe.Slice(g.Reg(uint32(w.B)), int(w.C)))
				m.sym.ClearRegs(&g.Goroutine, uint32(w.B), int(w.C))
			}
		}
		g.PC += int32(in.B)
	}
	g.PC++
}

// chanMayExecute is mayExecute for the channel operation at g.pc with n alternatives.
//
// A single alternative of a program with one goroutine is local work. Without an alternative the
// operation becomes pending, and blocks.
func (m *Machine) chanMayExecute(g *goroutine, n int) bool {
	//mutant: selects of initialisers choose once [models TestInitialisers]: "m.choosesEarly(n)" -> "false"
	forks := m.choosesEarly(n)
	if n > 0 && !forks && (g.scheduled || m.auto || n == 1 && !m.multi) {
		if !g.scheduled {
			g.Choice = 0
		}
		g.scheduled = false
		return true
	}
	m.setPendingChan(g)
	return false
}

// setPendingChan makes g's channel operation pending.
//
// When a goroutine parks, it is called again; the goroutine's arrival does not change then.
func (m *Machine) setPendingChan(g *goroutine) {
	in := &g.Fn.Code[g.PC]
	// An operation on nil channels only accesses nothing (N is 0): no other goroutine can
	// affect it.
	op := trace.Op{Kind: trace.Select, G: g.ID, Func: g.Fn.ID, PC: uint32(g.PC)}
	switch {
	case in.Op == bytecode.Send:
		op.Kind = trace.Send
	case in.Op == bytecode.Recv:
		op.Kind = trace.Recv
	case !blocking(in):
		op.Kind = trace.TrySelect
	}
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		switch {
		case c.ch == 0:
		// Touches lists all channels; the operation itself has room for two.
		case op.N == 2:
			op.Wide = true
		default:
			op.Access[op.N] = onChannel(c.ch)
			op.N++
		}
	}
	if g.status != gReady {
		m.arrivals++
		g.wait.seq = m.arrivals
		g.came, g.cameAfter = m.clockOf(g), m.waitsIn(g.bubble)
	}
	arrives := g.status != gReady
	g.pending = op
	g.status = gReady
	g.scheduled = false
	if arrives {
		m.indexArrival(g)
	}
}

// closeChan executes close.
//
// Closing depends on all operations on the channel: after it sends panic, and receives find the end.
func (m *Machine) closeChan(g *goroutine, c ptr) Ctl {
	if c != 0 && m.isOther(g, c) {
		return m.throwOutside(g, bytecode.Close)
	}
	// Closing nil always panics, and so does closing a closed channel that only g can reach. Neither
	// operation is visible.
	if c != 0 && m.heap.Objs[c>>32].Flags&heap.Shared != 0 {
		if op := closing(c); !m.mayExecute(g, 1, &op) {
			return Stop
		}
		// A close that panics writes nothing, as for the runtime's race detector.
		if m.following() && m.chanHdr(c)[chClosed/8] == 0 {
			m.raceClose(g, c)
		}
	}
	if rt := m.closeNow(c); rt >= 0 {
		m.throw(g, rt)
		return Called
	}
	g.PC++
	return Next
}

// closing returns the operation of closing c.
func closing(c ptr) trace.Op {
	return trace.Op{Kind: trace.Close, N: 1, Access: [2]trace.Access{onChannel(c)}}
}

// closeNow closes c, or returns the panic that closing it raises; -1 for none.
//
// Waiting receivers need no wake-up: their operations have become enabled.
func (m *Machine) closeNow(c ptr) rtFunc {
	if c == 0 {
		return rtPanicCloseNil
	}
	m.heap.WillWrite(uint32(c >> 32))
	h := m.chanHdr(c)
	if h[chClosed/8] != 0 {
		return rtPanicCloseClosed
	}
	h[chClosed/8] = 1
	m.serve(c, false)
	return -1
}

// chanLen executes len and cap. Unlike the capacity, the length depends on the order of operations.
//
// The length of a nil channel, and every capacity, do not depend on other goroutines, so reading them is
// not an operation.
func (m *Machine) chanLen(g *goroutine, op bytecode.Op, dst *uint64, c ptr) Ctl {
	if c == 0 {
		*dst = 0
		g.PC++
		return Next
	}
	h := m.chanHdr(c)
	acc := [2]trace.Access{accessOf(c, 8, false)}
	steps := g.scheduled
	switch {
	// The channel of a timer looks unbuffered to the program, for len as for cap.
	case m.isTick(h):
		*dst = 0
	case op == bytecode.ChanCap:
		*dst = h[chCap/8]
	case m.heap.Objs[c>>32].Flags&heap.Shared != 0 &&
		!m.mayExecute(g, 1, &trace.Op{Kind: trace.SyncAccess, N: 1, Access: acc}):
		return Stop
	default:
		m.glide.idle = m.glide.idle || steps
		*dst = h[chLen/8]
	}
	g.PC++
	return Next
}

func (m *Machine) makeChan(g *goroutine, dst *uint64, n, word uint64) Ctl {
	c, ctl := m.newChan(g, m.layouts.At(uint32(word)), n)
	if ctl == Next {
		//mutant: all channels are tried [test ./cmd/hbcheck TestScripts/idioms]: "word&bytecode.Untried != 0" -> "false"
		if word&bytecode.Untried != 0 {
			m.heap.Objs[c>>32].Flags |= heap.Untried
		}
		*dst = c
		g.PC += 2
	}
	return ctl
}

// newChan makes a channel for n elements e, if that is possible: otherwise it panics, or refuses
// a channel that the real runtime would make.
//
// Sizes that gc would refuse cause the same panic; sizes that gc would accept, and for which the machine has
// no room, end the exploration with a reason.
func (m *Machine) newChan(g *goroutine, e *layout.Layout, n uint64) (ptr, Ctl) {
	const header = 96 // size of the header of the real runtime's channels
	switch es := uint64(e.Size); {
	case int64(n) < 0 || es > 0 && n > (heap.MaxAlloc-header)/es:
		m.throw(g, rtPanicMakeChan)
		return 0, Called
	case es > 0 && n > heap.MaxObject/es-64 || n > math.MaxUint32:
		m.unsupported(g, RefusedSize, hugeObject)
		return 0, Stop
	}
	id := m.alloc(g, chBuf+uint32(n)*e.Size, m.chanLayout(e, uint32(n)))
	m.heap.Objs[id].Flags |= heap.Chan
	hp := (*[5]uint64)(m.heap.Objs[id].Mem)
	hp[chCap/8] = n
	hp[chElem/8] = uint64(e.Size) | uint64(g.bubble)<<16 | uint64(e.ID)<<32
	return uint64(id) << 32, Next
}

// chanLayout returns the layout of a channel object with n elements e.
//
// There is one layout for each element type and capacity.
func (m *Machine) chanLayout(e *layout.Layout, n uint32) uint32 {
	k := chanKey{e.ID, n}
	id, ok := m.chanLays[k]
	if !ok {
		hdr := types.NewArray(types.Typ[types.Uint64], chBuf/8)
		buf := types.NewArray(e.Type, int64(n))
		var t types.Type = types.NewStruct([]*types.Var{link.Field("hdr", hdr), link.Field("buf", buf)}, nil)
		if len(e.Ptrs) == 0 {
			// Without pointers the layout only has to cover the size.
			t = types.NewArray(types.Typ[types.Uint8], int64(chBuf+n*e.Size))
		}
		id = m.layouts.Of(t).ID
		m.chanLays[k] = id
	}
	return id
}

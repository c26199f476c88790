package vm

import (
	"math"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/loops"
)

// ref appends a word that may be a reference.
func (t *serialised) ref(w uint64) {
	if w>>32 >= heap.StaticLimit {
		t.Refs = append(t.Refs, uint32(len(t.Words)))
	} else if w>>32 != 0 {
		t.named = append(t.named, uint32(len(t.Words))<<1)
	}
	t.Words = append(t.Words, w)
}

// writeG writes a goroutine.
func (m *Machine) writeG(ws []uint64, g *goroutine, whole bool) []uint64 {
	t := &g.serial
	if !t.valid {
		m.serialise(t, g, nil)
	}
	if whole {
		ws = m.writeSerialised(ws, t)
	} else {
		ws = m.canon.WriteStack(ws, &t.Stack)
	}
	//mutant: deadlines are no part of states [env TestPrograms/clockdeadline]: "(m.facts.ClockUsed || m.timeOrdered(g)" -> "m.timeOrdered(g"
	if g.label != 0 && (m.facts.ClockUsed || m.timeOrdered(g)) {
		ws = append(ws, m.distance(g, m.deadline(g)))
	}
	if t := g.looked.label; t != nil {
		h := t.Hash()
		ws = append(ws, 1<<62, h[0], h[1])
	}
	if t.until != 0 {
		ws = append(ws, m.distance(g, t.until))
	}
	if m.cfg.InTurn {
		ws = m.writeQueue(ws, g)
	}
	if t.raw && m.distances() {
		ws = append(ws, uint64(m.clock))
	}
	return ws
}

func (m *Machine) writeSerialised(ws []uint64, t *serialised) []uint64 {
	n := len(ws)
	ws = append(ws, t.Words...)
	for _, i := range t.Refs {
		w := &ws[n+int(i)]
		*w = m.canon.Ref(*w)
	}
	if len(t.Times) > 0 && m.distances() {
		for _, i := range t.Times {
			m.relativeTime(ws[n+int(i):], false)
		}
	}
	if m.canon.Naming {
		m.writeNames(ws[n:], t)
	}
	return ws
}

// serialise writes g's frames with their live registers. With copies, the two copies of some loops'
// tests count as one place.
//
//	goroutine  │ status, flags │ random words, wait, coroutine, panics, entries │ frames ...
//	                             only if one is not 0: bit 13
//	             bit 14: it ends, and there are no frames; bit 33: goroutine.leaves
//	             bit 36: before this, two words of its timed loop
//	             bit 15: before this, three words of the clock read it goes back to
//	frame      │ function << 40 | place << 8 | has defers << 7 | flags │ defers │ live registers ...
//
// The innermost frame comes first. Each word determines how many words come after it, so different
// goroutines have different strings of words.
func (m *Machine) serialise(t *serialised, g *goroutine, copies *loops.Table) {
	t.Reset()
	t.valid, t.named, t.names, t.until, t.raw, t.key = true, t.named[:0], t.names[:0], 0, false, 0
	looked := copies == nil && g.looked != (lookBack{})
	timed := copies == nil && g.timed.rounds > 0
	x := uint64(g.status) | b2u(g.parked)<<8 | b2u(g.wait.notified)<<9 | b2u(g.system)<<10 | b2u(g.ID == 0)<<11 |
		b2u(g.label != 0)<<12 | b2u(looked)<<15 | b2u(timed)<<36 | uint64(g.late)<<16 | b2u(g.label == math.MaxInt64)<<32
	if g.ending() {
		t.Words = append(t.Words, x|1<<14|b2u(g.leaves)<<33)
		t.ref(g.coro)
		return
	}
	// Rare parts are written only for goroutines that have them.
	nrand := uint64(0)
	if m.cfg.RandFixed { // otherwise the next value is one of the tried ones, and the verdict says so
		nrand = uint64(g.nrand)
	}
	if timed {
		if l := &g.timed; l.until != 0 {
			t.until = l.until
		}
		t.Words = append(t.Words, g.timed.at, uint64(g.timed.rounds)<<1|b2u(g.timed.until != 0))
	}
	if looked {
		l := &g.looked
		if l.until != 0 {
			t.until = l.until
		}
		flags := b2u(l.reads)<<4 | b2u(l.until != 0)<<3 | b2u(l.stale)<<2 | b2u(l.waits)<<1 | b2u(l.woken)
		t.Words = append(t.Words, l.state[0], l.state[1], flags)
	}
	if g.wait.obj != 0 || g.coro != 0 || g.panics != 0 || g.owned != 0 || nrand != 0 {
		t.Words = append(t.Words, x|1<<13, nrand)
		t.ref(g.wait.obj)
		t.ref(g.coro)
		t.ref(g.panics)
		t.ref(g.owned)
	} else {
		t.Words = append(t.Words, x)
	}
	if g.overflow != nil {
		// Its position is part of the report.
		t.Words = append(t.Words, 1<<63|uint64(g.pending.Func)<<32|uint64(g.pending.PC))
		return
	}
	names := m.tracking && m.sym.Drawn && m.sym.HasNames()
	fn, fp, pc := g.Fn, g.FP, g.PC
	above := callee{}
	for {
		link, ra, df := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn], g.Stack[fp-hdrDefer]
		place := pc
		if copies != nil {
			place = copies.Of(fn).LastCopy(pc, above == callee{}, above.flags)
		}
		// 24 bits are enough for the number of a function.
		t.named = append(t.named, uint32(len(t.Words))<<1|1)
		at := uint64(fn.ID)<<40 | uint64(uint32(place))<<8 | link>>32
		if df != 0 {
			t.Words = append(t.Words, at|1<<7)
			t.ref(df)
		} else {
			t.Words = append(t.Words, at)
		}
		live, ok := m.liveIn(fn, pc, above)
		if !ok {
			// No liveness is recorded for this point: everything counts.
			t.raw = true
			for i := 0; i < fn.NRegs; i++ {
				if names {
					t.nameAt(m.sym, g, fp+uint32(i))
				}
				t.ref(g.Stack[fp+uint32(i)])
			}
		}
		for i, e := range live {
			if i+1 < len(live) && live[i+1] == e { // a Time begins
				t.Times = append(t.Times, uint32(len(t.Words)))
				continue
			}
			if names {
				t.nameAt(m.sym, g, fp+uint32(e>>1))
			}
			w := g.Stack[fp+uint32(e>>1)]
			if e&1 != 0 {
				t.ref(w)
			} else {
				t.Words = append(t.Words, w)
			}
		}
		//mutant: labels are no part of states [env TestDraws/TestLookMatched]: "tracking" -> "Environment().Symbolic()"
		if m.tracking {
			t.Words = m.sym.WriteFrame(t.Words, &g.Goroutine, fp, fn, live, ok)
		}
		if link>>32&frBottom != 0 {
			return
		}
		above = callee{fn.ID, link >> 32}
		fp, fn, pc = uint32(link), m.link.Code[ra>>32], int32(uint32(ra))
	}
}

// callee has the relevant facts about the frame above another one: its function and its flags.
type callee struct {
	fn    uint32
	flags uint64
}

// liveIn returns the registers that are live in a frame of fn at pc that has called the frame
// above, and whether they are known. A frame that waits for fatalPanic to return waits forever: the
// program ends there.
func (m *Machine) liveIn(fn *bytecode.Func, pc int32, above callee) ([]uint16, bool) {
	switch {
	case above.flags&(frPanicDefer|frRecovered) != 0:
		return fn.Recovered, true // the frame can only continue at its RecoverPC
	case above.fn != 0 && above.fn == m.rt[rtFatalPanic]:
		return nil, true
	}
	return fn.Live(int(pc))
}

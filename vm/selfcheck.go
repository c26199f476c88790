package vm

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

const (
	// CheckLiveness overwrites dead registers whenever a step ends.
	CheckLiveness Check = 1 << iota
	// CheckState finds, after every step and rewind, objects that several goroutines reach without
	// being flagged as shared, and changes that the state hash or the cached pending operations
	// have missed.
	CheckState
	// CheckStops makes every access to memory a visible operation, so that
	// there are many more steps for the other checks.
	CheckStops
	// CheckGarbage collects after every third step, also of those that are repeated or undone. So
	// collections come at other moments when a path is executed again.
	CheckGarbage
)

// deadWord overwrites dead registers: no object has its number, and no program computes with it by
// accident.
const deadWord = 0x7EAD_7EAD_0000_0000

// verify is called between steps. ran: goroutines have moved.
func (m *Machine) verify(ran bool) {
	if m.confluent && m.paused { // main waits before the entry, with local work to do
		return
	}
	if m.check == nil || m.auto {
		return
	}
	if ran && m.check.what&CheckLiveness != 0 {
		for _, g := range m.gs {
			if !g.serial.valid {
				m.killDead(g)
			}
		}
	}
	if ran && m.check.what&CheckGarbage != 0 && !m.executionOver() {
		if m.check.collected++; m.check.collected%3 == 0 {
			m.collect()
		}
	}
	if m.check.what&CheckState == 0 {
		return
	}
	m.verifyGoroutines()
	m.verifyEnabled()
	m.verifyWaiters()
	m.verifyHash()
	if m.multi && !m.executionOver() {
		m.verifyEscape()
	}
	m.verifyBase()
}

// killDead overwrites the registers of g that are dead according to the compiler. If the compiler
// is wrong, the program computes nonsense. Scratch registers hold constants and parts of live
// values; their liveness is not known.
func (m *Machine) killDead(g *goroutine) {
	if g.status == gEnded || g.Fn == nil || m.executionOver() {
		return
	}
	m.eachLive(g, func(f *bytecode.Func, fp uint32, live []uint16, known bool) {
		if !known {
			return
		}
		for r := range uint32(f.NVals) {
			if !slices.Contains(live, uint16(r<<1)) && !slices.Contains(live, uint16(r<<1|1)) {
				g.Stack[fp+r] = deadWord | uint64(r)
			}
		}
	})
}

// verifyGoroutines checks that the cached next operation of each goroutine equals a new answer.
func (m *Machine) verifyGoroutines() {
	if len(m.ready) > 0 {
		panic("BUG: goroutines wait for local work between steps")
	}
	living := m.living()
	for i, s := range m.order {
		g := m.gs[s]
		if len(living) > 0 && living[0] == s {
			living = living[1:]
		} else if g.status != gEnded {
			panic(fmt.Sprintf("BUG: goroutine %d is not among the living", g.ID))
		}
		if i > 0 && !m.before(m.gs[m.order[i-1]].ID, g.ID) {
			panic("BUG: goroutines are not in spawn-path order")
		}
		if g.status == gRunning && !m.executionOver() {
			panic(fmt.Sprintf("BUG: goroutine %d has local work to do between steps", g.ID))
		}
		if g.status != gReady || m.executionOver() {
			continue
		}
		m.verifyLive(g)
		old := *m.viewOf(g)
		old.op.Call, old.op.Visits = 0, false // Peek adds them
		if !g.pending.Kind.Blocks() && old.n == 0 {
			panic(fmt.Sprintf("BUG: goroutine %d cannot execute %+v now", g.ID, old.op))
		}
		m.verifyDeclared(g, &old.op)
		g.view.moment = 0
		if now := *m.viewOf(g); now.n != old.n || now.parks != old.parks || now.op != old.op {
			panic(fmt.Sprintf("BUG: goroutine %d: remembered %d alternatives of %+v, now %d of %+v", g.ID, old.n, old.op, now.n, now.op))
		}
	}
}

// verifyLive checks that the live registers of g are known. Otherwise all registers count. Then a leftover
// value of an earlier frame or another path is part of the state, even if it refers to an object that does
// not exist. With symbolic values there is no such check: decisions about them are made in the middle of
// local work.
func (m *Machine) verifyLive(g *goroutine) {
	m.eachLive(g, func(f *bytecode.Func, fp uint32, live []uint16, known bool) {
		if !known && !m.tracking {
			panic(fmt.Sprintf("BUG: goroutine %d: the live registers of %s are not known", g.ID, f.Name))
		}
	})
}

// verifyEnabled checks that the set of enabled goroutines has those that a scan finds.
func (m *Machine) verifyEnabled() {
	if kept, anew := m.Enabled(nil), m.scanEnabled(nil); !m.executionOver() && !slices.Equal(kept, anew) {
		panic(fmt.Sprintf("BUG: the goroutines %v are enabled, remembered are %v", anew, kept))
	}
}

// verifyWaiters checks that the index has exactly the goroutines that wait at each channel, in order.
func (m *Machine) verifyWaiters() {
	at := make(map[chanCase][]*goroutine)
	for _, s := range m.order {
		g := m.gs[s]
		if g.status != gReady || !g.pending.Kind.Communicates() || m.executionOver() {
			continue
		}
		for _, c := range m.chanCases(g, nil) {
			c.reg = 0
			if list := at[c]; c.ch != 0 && (len(list) == 0 || list[len(list)-1] != g) {
				at[c] = append(list, g)
			}
		}
	}
	for c, want := range at {
		if m.indexes() && !slices.Equal(m.waitersAt(c), want) {
			panic(fmt.Sprintf("BUG: %d goroutines wait at a channel, the index has %d", len(want), len(m.waitersAt(c))))
		}
	}
}

// verifyHash checks that fingerprints equal those computed from scratch, and that they distinguish the same
// states as those that write a state as a whole. It computes only some of them from scratch, because that
// drops the cached data, which should also be from older states.
func (m *Machine) verifyHash() {
	c := m.check
	for i, hash := range []func() por.Hash{m.Hash, func() por.Hash { h, _ := m.SymmetricHash(nil); return h }} {
		old := hash()
		m.canon.whole = true
		whole := hash()
		m.canon.whole = false
		for k, x := range [2][2]por.Hash{{old, whole}, {whole, old}} {
			seen := &c.hashes[i][k]
			if *seen == nil {
				*seen = make(map[por.Hash]por.Hash)
			}
			if y, ok := (*seen)[x[0]]; ok && y != x[1] {
				panic("BUG: the state hash and the hash of all reachable objects disagree about which states are equal")
			}
			(*seen)[x[0]] = x[1]
		}
		if c.hashed++; c.hashed%7 == 0 {
			m.forgetHashes()
			if now := hash(); now != old {
				panic("BUG: the state hash depends on what was hashed before")
			}
		}
	}
}

// forgetHashes drops the data kept from earlier fingerprints.
func (m *Machine) forgetHashes() {
	for _, g := range m.gs {
		g.serial.valid = false
	}
	m.canon.byOrigin = m.canon.byOrigin[:0]
	m.canon.Forget()
	for id := range m.heap.All() {
		m.heap.Objs[id].Flags &^= heap.Hashed
	}
}

// class returns the goroutine that g counts as: a coroutine runs only while its owner waits for it.
func (m *Machine) class(g *goroutine) *goroutine {
	for g.coro != 0 {
		g = m.gs[m.slots[m.word(g.coro, crOwner)-1]]
	}
	return g
}

// verifyEscape checks dynamic escape: an object that is not flagged as shared is reachable from at
// most one goroutine, and from no shared object. So an access to it that is not a visible operation
// concerns only that goroutine.
func (m *Machine) verifyEscape() {
	h, c := m.heap, m.check
	c.owner = append(c.owner[:0], make([]uint32, len(h.Objs)-heap.StaticLimit)...)
	local := func(w uint64) bool {
		id := w >> 32
		dynamic := w&funcBit == 0 && id >= heap.StaticLimit && id < uint64(len(h.Objs))
		return dynamic && h.Objs[id].Flags&(heap.Shared|heap.Freed) == 0
	}
	holder := func(id uint32) func(uint64) {
		return func(w uint64) {
			if local(w) {
				panic(fmt.Sprintf("BUG: shared object %d (%v) refers to object %d (%v), which is not", id, m.typeOfObject(id), w>>32, m.typeOfObject(uint32(w>>32))))
			}
		}
	}
	for id := range h.All() {
		o := &h.Objs[id]
		if l := m.layouts.At(o.Layout); len(l.Ptrs) > 0 && o.Size%l.Size != 0 {
			panic(fmt.Sprintf("BUG: object %d of %d bytes does not consist of elements %v of %d bytes", id, o.Size, l.Type, l.Size))
		}
		if o.Flags&(heap.Var|heap.Shared) != 0 && o.Flags&heap.Freed == 0 {
			m.heap.EachPtr(o, holder(id))
		}
	}
	for _, g := range m.gs {
		if g.status == gEnded || g.Fn == nil {
			continue
		}
		me := m.class(g).slot + 1
		visit := func(w uint64) {
			if !local(w) {
				return
			}
			id := uint32(w >> 32)
			switch owner := &c.owner[id-heap.StaticLimit]; *owner {
			case me:
			case 0:
				*owner = me
				c.work = append(c.work, id)
			default:
				other := m.gs[*owner-1]
				panic(fmt.Sprintf("BUG: object %d (%v) is not shared, but goroutines %d and %d reach it", id, m.typeOfObject(id), other.ID, g.ID))
			}
		}
		visit(g.panics)
		visit(g.owned)
		visit(g.wait.obj)
		m.eachLive(g, func(f *bytecode.Func, fp uint32, live []uint16, known bool) {
			visit(g.Stack[fp-hdrDefer])
			for _, e := range live {
				if e&1 != 0 {
					visit(g.Stack[fp+uint32(e>>1)])
				}
			}
		})
		for len(c.work) > 0 {
			id := c.work[len(c.work)-1]
			c.work = c.work[:len(c.work)-1]
			m.heap.EachPtr(&h.Objs[id], visit)
		}
	}
}

func (m *Machine) typeOfObject(id uint32) any { return m.layouts.At(m.heap.Objs[id].Layout).Type }

// verifyBase checks that each object of the base state that has changed since the first mark is
// flagged as changed, so that the state hash reads it.
func (m *Machine) verifyBase() {
	h, c := m.heap, m.check
	if len(m.marks) == 0 {
		return
	}
	for _, b := range c.base {
		o := &h.Objs[b.id]
		if o.Flags&heap.Dirty == 0 && !bytes.Equal(b.mem, unsafe.Slice((*byte)(o.Mem), o.Size)) {
			panic(fmt.Sprintf("BUG: object %d (%v) has changed, but is not flagged as changed", b.id, m.typeOfObject(b.id)))
		}
	}
}

// snapshotBase copies the base state's objects when the first mark is set.
func (m *Machine) snapshotBase() {
	h, c := m.heap, m.check
	c.base = c.base[:0]
	for id := range h.All() {
		if o := &h.Objs[id]; id < h.BaseLimit && o.Size > 0 && o.Flags&(heap.Freed|heap.Dirty) == 0 {
			c.base = append(c.base, baseObject{id, bytes.Clone(unsafe.Slice((*byte)(o.Mem), o.Size))})
		}
	}
}

// checker has the data of the checks.
type checker struct {
	collected int // see CheckGarbage: steps, on all paths
	what      Check
	base      []baseObject
	owner     []uint32 // by dynamic object: class of the goroutine that reaches it, plus 1, in this check
	work      []uint32

	hashed int                         // fingerprints
	hashes [2][2]map[por.Hash]por.Hash // by one kind of fingerprint of a state: its fingerprint of the other kind
}

// baseObject is an object of the base state with its contents at the first mark.
type baseObject struct {
	id  uint32
	mem []byte
}

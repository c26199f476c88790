package vm

import (
	"slices"
	"unsafe"
)

// gcThreshold is how many bytes are allocated at least between two collections.
// If there is much alive it is half of that (collectIfNeeded), so that a collection is paid for by
// the allocations since the last one, or what is left of the memory that it may have. It is also how many
// are allocated at most before interrupts are looked for: the system may need seconds for some gigabytes.
const gcThreshold = 16 << 20

// collectIfNeeded collects if that is due, or if the program has more memory than it may;
// if it really has, the execution is abandoned. Between two calls garbage can
// pile up: the heap has a limit of its own, above MaxHeap, for that.
func (m *Machine) collectIfNeeded() {
	h := m.heap
	most := m.cfg.MaxHeap
	full := most > 0 && h.live > most
	if h.sinceGC > h.gcAt || full && h.sinceGC > 0 {
		m.collect()
		if h.gcAt = max(gcThreshold, h.live/2); most > 0 {
			h.gcAt = max(gcThreshold, min(h.gcAt, most-min(most, h.live))) // so that garbage stays below the limit
		}
	}
	h.pollAt = min(h.gcAt, h.sinceGC+gcThreshold)
	if full && h.live > most && m.cut.Cause == 0 {
		m.cut = m.outOfMemory()
	}
}

// collectPoll is how many objects are marked between two looks at Config.Interrupt.
const collectPoll = 1 << 16

// interruptedCollecting abandons the execution if the user interrupts.
func (m *Machine) interruptedCollecting() bool {
	if m.cut.Cause == 0 && m.interrupted() {
		m.cut = Cut{Cause: CutInterrupted, Text: "interrupted"}
	}
	return m.cut.Cause == CutInterrupted
}

// interrupted reports whether the user interrupts.
func (m *Machine) interrupted() bool {
	//mutant: steps that are repeated are interrupted [regions]: drop 2
	return m.cfg.Interrupt != nil && !m.repeating && m.cfg.Interrupt()
}

func (m *Machine) outOfMemory() Cut {
	return Cut{Cause: CutMemory, Text: "the program needs more memory than the limit of " + itoa(m.cfg.MaxHeap>>20) + " MiB"}
}

// recoverOutOfMemory is deferred where goroutines execute: it abandons the execution if the heap's
// limit, or that of an object, was reached in the middle of an instruction. The state that this
// instruction leaves is never used, and a rewind takes it back.
func (m *Machine) recoverOutOfMemory() {
	if m.heap.exhausted {
		recover()
		m.heap.exhausted = false
		m.growth.stepped(m)
		for _, g := range m.gs {
			g.inNative = false
		}
		if m.cut.Cause == 0 {
			m.cut = m.outOfMemory()
		}
		m.moment++
	}
}

// collect frees the dynamic objects created since the youngest mark that nothing refers to. Older
// ones stay: a rewind may need them. Stacks are scanned word by word, conservatively; objects by
// their layout.
//
//	objs   static │ at the youngest mark │ since then
//	       roots  │ kept, and roots      │ freed if not marked
//
// In a search with a mark before each step that is the garbage of one step's local work. Other
// garbage stays until the path is left; it is no part of fingerprints, as it is not reached.
func (m *Machine) collect() { m.collectWith(false, nil) }

// collectPrecisely is collect for a program that can notice what it does: only live registers of a
// frame count, where they are known, weak references do not, and watches are marked as dead. Where
// programs are explored that is all: nothing is freed, as what a rewind needs may refer to it.
func (m *Machine) collectPrecisely(refs []watched) { m.collectWith(true, refs) }

func (m *Machine) collectWith(precise bool, refs []watched) {
	h := m.heap
	first := uint32(staticLimit)
	if n := len(m.marks); n > 0 {
		first = uint32(m.marks[n-1].heap.objs)
	}
	marked, root, mark := m.mark(precise, first)
	if m.cut.Cause == CutInterrupted {
		return // not everything is marked
	}
	if precise {
		m.settle(m.dying(refs, marked, root, mark))
		if !m.cfg.Run || m.cut.Cause == CutInterrupted {
			return
		}
	}
	h.sinceGC = 0
	// Sweep. Memory and number of an object may be used again in this epoch: see forgetFree.
	for id := first; id < uint32(len(h.objs)); id++ {
		o := &h.objs[id]
		if marked[id] || o.flags&objFreed != 0 {
			continue
		}
		if o.size > 0 && o.size <= largeObject {
			c, _ := sizeClass(o.size)
			h.free[c] = append(h.free[c], o.mem)
		}
		h.live -= uint64(o.size) + 64
		m.sym.freed(id)
		h.touch(id, o)
		*o = object{flags: objFreed, mem: unsafe.Pointer(&zeroBase)}
		h.freeIDs = append(h.freeIDs, id)
		h.freed = true
	}
	h.paged = slices.DeleteFunc(h.paged, func(p pages) bool { return h.objs[p.id].flags&objFreed != 0 })
	if m.race != nil {
		m.race.Sweep(func(id uint32) bool { return h.objs[id].flags&objFreed != 0 })
	}
}

// reachable returns how many bytes the objects have that the program can still reach: what the heap
// has right after a collection. It is part of the state, as far as the program is concerned.
func (m *Machine) reachable() (bytes uint64) {
	marked, _, _ := m.mark(true, 0)
	for id := staticLimit; id < len(marked); id++ {
		if marked[id] {
			bytes += uint64(m.heap.objs[id].size)
		}
	}
	return bytes
}

// mark marks what is reachable: from static objects that can refer to others, goroutines, and, if it
// is not precise, objects older than first. It returns two functions that mark more: root what a
// word refers to, and mark what can be reached from that.
func (m *Machine) mark(precise bool, first uint32) (marked []bool, root func(w uint64), mark func()) {
	h := m.heap
	marked = make([]bool, len(h.objs))
	var work []uint32
	root = func(w uint64) {
		id := w >> 32
		if w&funcBit == 0 && id < uint64(len(h.objs)) && id != 0 && !marked[id] {
			marked[id] = true
			work = append(work, uint32(id))
		}
	}
	// A frozen one refers to nothing dynamic, but for descriptors (aux).
	for id := uint32(1); id < h.nstatic; id++ {
		if h.objs[id].flags&objFrozen == 0 || h.objs[id].aux != 0 {
			root(uint64(id) << 32)
		}
	}
	if !precise {
		for id := uint32(staticLimit); id < first; id++ {
			root(uint64(id) << 32)
		}
	}
	for _, g := range m.gs {
		root(g.panics)
		root(g.wait.obj)
		root(g.coro)
		if g.status == gEnded || g.fn == nil {
			continue
		}
		if precise {
			m.liveWords(g, root)
			continue
		}
		for _, w := range g.stack[:g.fp+uint32(g.fn.Window)] {
			root(w)
		}
	}
	mark = func() {
		for n := 1; len(work) > 0; n++ {
			if n%collectPoll == 0 && m.interruptedCollecting() {
				work = nil
				break
			}
			id := work[len(work)-1]
			work = work[:len(work)-1]
			if o := &h.objs[id]; !precise || o.layout != m.layWeak || m.layWeak == 0 {
				m.eachPtr(o, root)
			}
		}
	}
	mark()
	return marked, root, mark
}

// liveWords calls root for the words of g's stack that may be used again.
// It walks frames as the fingerprint does (serialise): what may be used again is the same in both.
func (m *Machine) liveWords(g *goroutine, root func(w uint64)) {
	if g.overflow != nil {
		return
	}
	fn, fp, pc := g.fn, g.fp, g.pc
	above := callee{}
	for {
		link, ra := g.stack[fp-hdrLink], g.stack[fp-hdrReturn]
		root(g.stack[fp-hdrDefer])
		live, ok := m.liveIn(fn, pc, above)
		if !ok {
			for _, w := range g.stack[fp : fp+uint32(fn.Window)] {
				root(w)
			}
		}
		for _, e := range live {
			if e&1 != 0 {
				root(g.stack[fp+uint32(e>>1)])
			}
		}
		if link>>32&frBottom != 0 {
			return
		}
		above = callee{fn.ID, link >> 32}
		fp, fn, pc = uint32(link), m.funcs[ra>>32], int32(uint32(ra))
	}
}

package vm

import "hbcheck.dev/hbcheck/vm/heap"

// collectIfNeeded collects if a collection is due, or if the program uses more memory than its
// limit. If it still does after the collection, the execution is abandoned. Garbage can pile up
// between two calls; for that the heap has a limit of its own, above MaxHeap.
func (m *Machine) collectIfNeeded() {
	h, most := m.heap, m.cfg.MaxHeap
	full := h.Exceeds(most)
	if h.CollectionDue(full) {
		m.collect()
		h.PlanCollection(most)
	}
	h.PlanPoll()
	if full && h.Exceeds(most) && m.cut.Cause == 0 {
		m.cut = m.outOfMemory()
	}
}

// collectPoll is the number of objects marked between two polls of Config.Interrupt.
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

// collect frees the unreachable dynamic objects created since the youngest mark. Older ones stay,
// because a rewind may need them. Stacks are scanned word by word, conservatively; objects by their
// layout.
//
//	objs   static │ at the youngest mark │ since then
//	       roots  │ kept, and roots      │ freed if not marked
//
// In a search with a mark before each step this is the garbage of one step's local work. Other
// garbage stays until the search leaves the path; it is unreachable and therefore not part of
// fingerprints.
func (m *Machine) collect() { m.collectWith(false, nil, m.reusesNumbers()) }

// collectPrecisely is collect for a program that can notice collections. Of a frame only the live
// registers count, if they are known; weak references do not count; and watches are marked as dead.
// Outside of run mode it frees nothing, because the state that a rewind restores may refer to it.
func (m *Machine) collectPrecisely(refs []watched) { m.collectWith(true, refs, true) }

func (m *Machine) collectWith(precise bool, refs []watched, reuse bool) {
	h := m.heap
	first := uint32(heap.StaticLimit)
	if n := len(m.marks); n > 0 {
		first = uint32(m.marks[n-1].heap.Objs)
	}
	marked, root, mark := m.mark(precise, first)
	if m.cut.Cause == CutInterrupted {
		return // some reachable objects are not marked
	}
	if precise {
		m.settle(m.dying(refs, marked, root, mark))
		if !m.cfg.Run || m.cut.Cause == CutInterrupted {
			return
		}
	}
	h.Sweep(first, marked, reuse, m.sym.Freed)
	if m.race != nil {
		m.race.Sweep(func(id uint32) bool { return h.Objs[id].Flags&heap.Freed != 0 })
	}
}

// reusesNumbers reports whether new objects may get the numbers of those that are freed now.
//
// The moment of a collection depends on the history of the machine. So the numbers of later objects depend on
// the time of a collection, too, if objects may get the numbers of freed ones. A search may keep the
// operations of a path and repeat its steps from a mark in the middle: then each object has to get the same
// number again. A search that samples never repeats steps. Other searches ask whether numbers have been used
// again since the youngest mark (Repeatable), unless another machine repeats the path: a replica, or the
// machine of a resumed search. The record of a freed object takes memory, so not all of them are kept.
func (m *Machine) reusesNumbers() bool {
	samples := m.reduction != nil && m.reduction.samples()
	switch {
	case m.cfg.Run:
		return true
	//mutant: steps that are repeated number objects otherwise [test ./internal/progen ^TestGarbage$]: "m.repeating" -> "false"
	case m.repeating || !samples && (m.sharedGIDs != nil || m.growth.again):
		return false
	}
	return samples || len(m.marks) <= 1 || m.heap.Kept >= m.heap.MostKept
}

// Repeatable implements por.Repeater.
func (m *Machine) Repeatable() bool { return !m.heap.Reused }

// reachable returns the number of bytes in reachable objects, which is the size of the heap right
// after a collection. For the program it is part of the state.
func (m *Machine) reachable() (bytes uint64) {
	marked, _, _ := m.mark(true, 0)
	for id := heap.StaticLimit; id < len(marked); id++ {
		if marked[id] {
			bytes += uint64(m.heap.Objs[id].Size)
		}
	}
	return bytes
}

// mark marks the objects that are reachable from static objects that can refer to others, from
// goroutines, and, unless it is precise, from objects older than first. It returns two functions
// that mark more: root marks the object that a word refers to, and mark marks everything reachable
// from there.
func (m *Machine) mark(precise bool, first uint32) (marked []bool, root func(w uint64), mark func()) {
	h := m.heap
	marked = make([]bool, len(h.Objs))
	var work []uint32
	root = func(w uint64) {
		id := w >> 32
		if w&funcBit == 0 && id < uint64(len(h.Objs)) && id != 0 && !marked[id] {
			marked[id] = true
			work = append(work, uint32(id))
		}
	}
	// A frozen object refers to nothing dynamic, except for descriptors (aux).
	for id := uint32(1); id < h.NumStatic; id++ {
		if h.Objs[id].Flags&heap.Frozen == 0 || h.Objs[id].Aux != 0 {
			root(uint64(id) << 32)
		}
	}
	if !precise {
		for id := uint32(heap.StaticLimit); id < first; id++ {
			root(uint64(id) << 32)
		}
	}
	for _, g := range m.gs {
		root(g.panics)
		root(g.wait.obj)
		root(g.coro)
		root(g.owned)
		if g.status == gEnded || g.Fn == nil {
			continue
		}
		if precise {
			m.liveWords(g, root)
			continue
		}
		for _, w := range g.Stack[:g.FP+uint32(g.Fn.Window)] {
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
			if o := &h.Objs[id]; !precise || o.Layout != m.layWeak || m.layWeak == 0 {
				m.heap.EachPtr(o, root)
			}
		}
	}
	mark()
	return marked, root, mark
}

// liveWords calls root for the words of g's stack that may be used again. It walks frames like the
// fingerprint (serialise): both use the same live words.
func (m *Machine) liveWords(g *goroutine, root func(w uint64)) {
	if g.overflow != nil {
		return
	}
	fn, fp, pc := g.Fn, g.FP, g.PC
	above := callee{}
	for {
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		root(g.Stack[fp-hdrDefer])
		live, ok := m.liveIn(fn, pc, above)
		if !ok {
			for _, w := range g.Stack[fp : fp+uint32(fn.Window)] {
				root(w)
			}
		}
		for _, e := range live {
			if e&1 != 0 {
				root(g.Stack[fp+uint32(e>>1)])
			}
		}
		if link>>32&frBottom != 0 {
			return
		}
		above = callee{fn.ID, link >> 32}
		fp, fn, pc = uint32(link), m.link.Code[ra>>32], int32(uint32(ra))
	}
}

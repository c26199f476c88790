package vm

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/heap"
)

// canonicaliser computes the canonical fingerprint of a state, as JPF's CFSerializer does. Dynamic
// objects are numbered in the order in which they are first reached from the base objects that have
// changed and from the goroutines, in spawn-path order; references are hashed as such numbers. So neither
// object numbers nor garbage nor the order of independent allocations matter. Objects of the base state
// that have not changed since keep their number as identity and are not visited.
//
//	g0 ──▶ obj 40 ──▶ obj 52          g0 ──▶ obj 61 ──▶ obj 33
//	g1 ──▶ obj 44                     g1 ──▶ obj 90
//	       1, 2 and 3 in both states: the same words, the same hash
//
// A state is written as a string of words, which is hashed in one go: this keeps the hash's two
// accumulators in registers and takes half the time of mixing in word by word. The words are, in
// this order:
//
//	base objects that have changed, each with its number (writeBase)
//	each goroutine that has not ended, in spawn-path order (serialise, writeStack)
//	the clock and what time has to do with it, as far as the program can tell
//	the output if it counts
//
// and the dynamic objects, by regions, where they are first reached (see regions). If memory has
// terms of inputs, or objects count by identity, regions are not kept; all objects then follow in
// the order of their visits (traverse).
//
// The words themselves determine how many words follow each other, so two states with the same
// words differ only in the numbers of objects. Two states with different words may have the same hash by
// chance: among n strings of words, of states and of objects, the probability of such a pair is n²/2^129,
// which is 10^-21 for a billion, if the hash behaves like a random function. A state mistaken for another
// one is not explored.
//
// A fingerprint leaves out everything on which the program's behaviour does not depend: dead
// registers, garbage, counters of steps and allocations, and assumptions and findings.
//
// The cost is proportional to the changes since the last fingerprint, plus a few words for each
// goroutine and each region. The words of a goroutine are kept until it moves (serialised), and the
// hash of a region until its shape changes.
type canonicaliser struct {
	seen       []visit  // by object
	gen        uint32   // number of the traversal
	n          uint32   // objects visited
	queue      []uint32 // the same, in the order of the visits
	dirty      []uint32
	words      []uint64
	text       []byte
	whole      bool // no regions are kept
	weight     int  // see Weight
	digested   int  // words that writeBytes has hashed
	unpolled   int  // words written since the last poll for interrupts
	stopped    bool // an interrupt has come: the fingerprint is not valid
	stops      uint64
	still      bool // no part of the state is the clock: for states between which nothing reads it
	ownOnly    bool // only memory that one goroutine can change: shared objects count by identity
	byIdentity bool // objects and goroutines count by identity; extra is one more object
	extra      uint32
	// For SymmetricHash.
	exchanging bool // in progress: the numbers of goroutines do not count
	ranked     []ranked
	byOrigin   []ranked // see the method byOrigin: made of
	sortedOf   []uint32 // these slots
	reordered  uint64   // value of goroutineTable.reordered at that time
	sorted     []uint32
	pairs      []objectPair
	several    bool     // identical goroutines have been sorted
	hash       por.Hash // the fingerprint at that time
	equal      []uint32 // see Orbits
}

// A visit records that traversal gen has given an object the number num.
type visit struct{ gen, num uint32 }

// fingerprint hashes words: two independent multiply-and-fold chains (as in wyhash) that take two
// words at a time. The length goes in as well: without it a last word of zero would make no
// difference.
func fingerprint(words []uint64) por.Hash {
	a, b := 0x243F6A8885A308D3^uint64(len(words)), uint64(0x13198A2E03707344)
	for ; len(words) >= 2; words = words[2:] {
		a, b = mixPair(a, b, words[0], words[1])
	}
	if len(words) > 0 {
		a, b = mixPair(a, b, words[0], 0)
	}
	return por.Hash(finishHash(a, b))
}

func mixPair(a, b, x, y uint64) (uint64, uint64) {
	// Each word goes into both chains, at different places.
	h, l := bits.Mul64(a^x, y^0xA0761D6478BD642F)
	i, k := bits.Mul64(b^y, x^0xE7037ED1A0B428DB)
	// The old values stay in use in case a factor is zero.
	return bits.RotateLeft64(a, 29) ^ h ^ l, bits.RotateLeft64(b, 31) ^ i ^ k
}

func finishHash(a, b uint64) [2]uint64 {
	h, l := bits.Mul64(a^0x8EBC6AF09C88C6E3, b^0x589965CC75374CC3)
	return [2]uint64{h ^ l ^ a, h + l + b}
}

// ref returns the canonical form of a pointer word.
func (m *Machine) ref(w uint64) uint64 {
	// The same on all paths: static objects, functions, objects of the base state. Words that are
	// not pointers stay unchanged.
	id := w >> 32
	c := &m.canon
	if id < heap.StaticLimit || w&funcBit != 0 || id >= uint64(len(m.heap.Objs)) {
		return w
	}
	if id < uint64(m.heap.BaseLimit) && !c.ownOnly {
		return w
	}
	if c.ownOnly && m.heap.Objs[id].Flags&heap.Shared != 0 {
		return m.identity(id) + w&(1<<32-1)
	}
	s := &c.seen[id]
	if s.gen != c.gen {
		c.n++
		*s = visit{c.gen, c.n}
		c.queue = append(c.queue, uint32(id))
	}
	if c.byIdentity {
		return m.identity(id) + w&(1<<32-1)
	}
	return dynamicBit | uint64(s.num)<<32 | w&(1<<32-1)
}

// beginTraversal begins a traversal. Its new number invalidates all earlier visits, so that seen
// need not be cleared.
func (m *Machine) beginTraversal() {
	c := &m.canon
	if n := len(m.heap.Objs); n > len(c.seen) {
		c.seen = append(c.seen, make([]visit, n-len(c.seen)+256)...)
	}
	c.gen++
	c.queue = c.queue[:0]
	c.n = 0
}

// Hash implements por.System. The exit or crash of the program is part of the state, because the
// remaining state may be equal to one that continues.
func (m *Machine) Hash() por.Hash {
	m.canon.several = false
	return m.hashInOrder(m.living())
}

// Weight implements por.Sized.
func (m *Machine) Weight() int { return m.canon.weight }

// hashInOrder returns the fingerprint of the present state with the goroutines in the order of
// slots, which has all that have not ended.
func (m *Machine) hashInOrder(slots []uint32) por.Hash {
	c := &m.canon
	ws := c.words[:0]
	whole := c.whole || c.byIdentity || m.Environment().Symbolic()
	c.unpolled, c.stopped = 0, false
	c.digested = 0
	if c.weight = 0; whole {
		m.beginTraversal()
	} else {
		m.beginRegions()
		ws = m.writeBase(ws)
	}
	//mutant: of equal goroutines with labels one counts [env TestFlows]: "_, s := range slots {" -> "n, s := range slots {\n\t\tif n > 0 && c.exchanging && m.labeled() && m.gs[s].origin == m.gs[slots[n-1]].origin {\n\t\t\ts = slots[n-1]\n\t\t}"
	for _, s := range slots {
		if g := m.gs[s]; g.status != gEnded {
			if !whole {
				m.regions.items.next(len(ws))
			}
			if ws = m.writeG(ws, g, whole); c.byIdentity {
				ws = append(ws, uint64(g.ID))
			}
			if len(m.bubbles) > 0 {
				ws = append(ws, uint64(g.bubble))
			}
			if g.trail != nil { // it decides where the goroutine waits
				ws = append(ws, g.trail.digest)
			}
		}
	}
	if !whole {
		m.regions.items.next(len(ws))
	}
	if m.distances() {
		m.cfg.absolute.hashed.Store(true)
		if m.Environment().Symbolic() {
			m.observeTime() // terms may be about Times
		}
	}
	debt := m.debtHash()
	ws = append(ws, uint64(m.clockHash())<<2|b2u(debt != 0)<<1|b2u(m.fault != nil || m.exited))
	if debt != 0 {
		ws = append(ws, uint64(debt))
	}
	if m.facts.clockUsed && !c.still {
		ws = append(ws, uint64(m.restsHash()), uint64(max(0, m.shown-m.clock+1)))
		for _, b := range m.bubbles {
			ws = append(ws, uint64(b.now))
		}
	}
	if m.Environment().Symbolic() {
		ws = m.writeInputs(ws)
	}
	//mutant: that a test has failed is no part of states [test ./cmd/hbcheck TestScripts/several]: false
	if m.failed != 0 {
		ws = append(ws, m.failed)
	}
	if m.skip != nil { // the verdict depends on it, even if memory does not
		ws = append(ws, 1<<63)
	}
	if m.cfg.VisibleOutput {
		ws = m.writeOutput(ws)
	}
	if whole {
		ws = m.traverse(ws)
	}
	c.words = ws
	c.weight += len(ws)
	if whole {
		c.weight += c.digested
	}
	if c.stopped {
		return m.stoppedHash()
	}
	return fingerprint(ws)
}

// hashPoll is the number of words written between two polls of Config.Interrupt: some milliseconds.
const hashPoll = 1 << 20

// stopHash reports whether the user interrupts, after n more words.
func (m *Machine) stopHash(n int) bool {
	c := &m.canon
	if c.unpolled += n; c.unpolled >= hashPoll && !c.stopped {
		c.unpolled = 0
		c.stopped = m.cfg.Interrupt != nil && m.cfg.Interrupt()
	}
	return c.stopped
}

// stoppedHash returns a substitute for an interrupted fingerprint. No state has it, so that the
// search matches nothing until it checks its limits, after the next step.
func (m *Machine) stoppedHash() por.Hash {
	m.forgetRegions()
	c := &m.canon
	c.stops++
	return fingerprint([]uint64{math.MaxUint64, c.stops})
}

// traverse writes all reachable objects.
func (m *Machine) traverse(ws []uint64) []uint64 {
	c, h := &m.canon, m.heap
	// Roots besides the goroutines: base objects that have changed. All other base objects need no
	// visit, because they can only refer to the base state.
	if len(h.Changed) > 0 {
		// In the order of their numbers, not of their first change.
		c.dirty = append(c.dirty[:0], h.Changed...)
		slices.Sort(c.dirty)
		for _, id := range c.dirty {
			ws = m.writeObject(append(ws, uint64(id)), id)
		}
	}
	if c.byIdentity {
		ws = append(ws, m.ref(uint64(c.extra)<<32))
	}
	// Writing an object appends the objects that it is the first to refer to.
	for i := 0; i < len(c.queue) && !c.stopped; i++ {
		n := len(ws)
		ws = m.writeObject(ws, c.queue[i])
		m.stopHash(len(ws) - n)
	}
	return ws
}

// IdentityHash implements por.Named. The object counts even if nothing refers to it any
// more.
func (m *Machine) IdentityHash(obj uint32) por.Hash {
	m.canon.byIdentity, m.canon.extra = true, obj
	h := m.Hash()
	m.canon.byIdentity = false
	return h
}

// writeOutput writes the output on stdout.
func (m *Machine) writeOutput(ws []uint64) []uint64 {
	c := &m.canon
	c.text = c.text[:0]
	start := 0
	for _, r := range m.runs {
		if r.fd == 1 {
			c.text = append(c.text, m.out[start:r.end]...)
		}
		start = r.end
	}
	ws = append(ws, uint64(len(c.text)))
	return writeRaw(ws, unsafe.Pointer(unsafe.SliceData(c.text)), uint32(len(c.text)))
}

// writeObject writes an object's contents.
func (m *Machine) writeObject(ws []uint64, id uint32) []uint64 {
	o := &m.heap.Objs[id]
	if o.Flags&heap.Derived != 0 {
		return ws
	}
	ws = append(ws, uint64(o.Layout)<<32|uint64(o.Size))
	if m.tracking {
		ws = m.sym.WriteCells(ws, id)
	}
	l := m.layouts.At(o.Layout)
	owners := l.Owners
	if !m.canon.exchanging {
		owners = nil
	}
	if len(l.Ptrs)+len(owners) == 0 || l.Size == 0 {
		return m.writeBytes(ws, o.Mem, o.Size)
	}
	times := l.Times
	if !m.distances() {
		times = nil
	}
	// Element by element, with the bytes between two pointers unchanged.
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		at, from := uint32(0), len(ws)
		for _, p := range l.Ptrs {
			if p > at {
				ws = writeRaw(ws, unsafe.Add(o.Mem, base+at), p-at)
			}
			ws = append(ws, m.ref(*(*uint64)(unsafe.Add(o.Mem, base+p))))
			at = p + 8
		}
		if l.Size > at {
			ws = writeRaw(ws, unsafe.Add(o.Mem, base+at), l.Size-at)
		}
		for _, t := range times {
			m.relativeTime(ws[from+int(t/8):], t&1 != 0)
		}
		for _, a := range owners {
			m.hideOwner(&ws[from+int(a/8)], a)
		}
	}
	return ws
}

// blockSize is the number of bytes of a large object without pointers that are written as one
// fingerprint. Writing them all would take too much memory, and too much time without polling
// Config.Interrupt.
const blockSize = 1 << 20

// writeBytes is writeRaw for an object without pointers.
func (m *Machine) writeBytes(ws []uint64, p unsafe.Pointer, n uint32) []uint64 {
	for ; n > blockSize; n -= blockSize {
		if !m.canon.ownOnly && m.stopHash(blockSize/8) {
			return ws
		}
		h := fingerprint(unsafe.Slice((*uint64)(p), blockSize/8))
		ws = append(ws, h[0], h[1])
		m.canon.digested += blockSize/8 - len(h)
		p = unsafe.Add(p, blockSize)
	}
	return writeRaw(ws, p, n)
}

// writeRaw writes n bytes at p.
func writeRaw(ws []uint64, p unsafe.Pointer, n uint32) []uint64 {
	for ; n >= 8; n -= 8 {
		ws = append(ws, *(*uint64)(p))
		p = unsafe.Add(p, 8)
	}
	if n > 0 {
		var t uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&t)), 8), unsafe.Slice((*byte)(p), n))
		ws = append(ws, t)
	}
	return ws
}

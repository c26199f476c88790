// Package fingerprint computes canonical fingerprints of states, as JPF's CFSerializer does. Dynamic
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
//	each goroutine that has not ended, in spawn-path order (WriteStack)
//	the clock and other data about time, as far as the program can distinguish them
//	the output if it counts
//
// and the dynamic objects, by regions, where they are first reached (see regions). If memory has
// terms of inputs, or objects count by identity, regions are not kept; all objects then follow in
// the order of their visits (Writer.Traverse).
//
// The words themselves determine how many words follow each other, so two states with the same words differ
// only in the numbers of objects. Two states with different words may have the same hash by chance. If the
// hash behaves like a random function, the probability of such a pair among n strings of words (of states and
// of objects) is n²/2^129. This is 10^-21 for a billion. A state that is mistaken for another one is not
// explored.
//
// The cost is proportional to the changes since the last fingerprint, plus a few words for each
// goroutine and each region. The words of a goroutine are kept until it moves (Stack), and the
// hash of a region until its shape changes.
//
// Package vm knows the goroutines, the clock and the output, and writes them between Begin and Finish. The
// files: writer has the fingerprint as a whole, items its parts, regions the parts of the heap whose hashes
// are kept.
package fingerprint

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Host has the data on which fingerprints depend besides the heap.
type Host interface {
	// Distance replaces the two words of a Time, or of a tick, by the words that a fingerprint has instead.
	// It reports whether these are the distance from the clock.
	Distance(words []uint64, tick bool) bool
	// Origin returns the word that replaces the number of a goroutine that holds a lock.
	Origin(goroutine uint32) uint64
	// Identity returns a number of an object that it has in all executions.
	Identity(object uint64) uint64
	// Interrupted reports whether the user interrupts.
	Interrupted() bool
}

// A Writer writes fingerprints. It keeps parts of each fingerprint for the next one.
type Writer struct {
	Host    Host
	Heap    *heap.Heap
	Shadows *shadow.Symbols // nil: there are none

	Clock      int64
	Relative   bool // Times are written as distances from the clock
	Exchanging bool // the numbers of goroutines do not count
	OwnOnly    bool // only memory that one goroutine can change: shared objects count by identity
	ByIdentity bool // objects and goroutines count by identity
	Naming     bool // names are compared only for equality: see names.go

	Words  []uint64 // words of the last fingerprint
	Weight int      // cost of the last fingerprint: the words of all its parts, also of the kept ones
	Reused int      // kept regions with several objects in the last fingerprint
	Queue  []uint32 // objects visited, in the order of the visits
	Names  []uint32 // with Naming: numbers of the names, in the order of their first places

	seen     []visit // by object
	named    []visit // by name
	gen      uint32  // number of the traversal
	n        uint32  // objects visited
	dirty    []uint32
	whole    bool // no regions are kept
	digested int  // words that writeBytes has hashed
	unpolled int  // words written since the last poll for interrupts
	stopped  bool // an interrupt has come: the fingerprint is not valid
	stops    uint64
	regions  regions
}

// Begin begins a fingerprint, and returns its first words. If it is whole, no regions are used.
func (f *Writer) Begin(whole bool) []uint64 {
	f.whole, f.unpolled, f.stopped, f.digested, f.Weight, f.Reused = whole, 0, false, 0, 0, 0
	if whole {
		f.BeginTraversal()
		return f.Words[:0]
	}
	f.beginRegions()
	return f.writeBase(f.Words[:0])
}

// Next begins the item of a goroutine, or the part after the last item.
func (f *Writer) Next(ws []uint64) {
	if !f.whole {
		f.regions.items.next(len(ws))
	}
}

// Item returns the words of the i-th goroutine, and whether a later item refers to an object in a region that
// this one was the first to refer to.
func (f *Writer) Item(i int) (words []uint64, referred bool) {
	x := &f.regions.items.list[i+1]
	return f.Words[x.words[0]:x.words[1]], x.referred
}

// Finish returns the fingerprint with the words ws.
func (f *Writer) Finish(ws []uint64) por.Hash {
	f.Words = ws
	f.Weight += len(ws)
	if f.whole {
		f.Weight += f.digested
	}
	if f.stopped {
		return f.stoppedSum()
	}
	return Sum(ws)
}

// Stopped reports whether the last fingerprint was interrupted.
func (f *Writer) Stopped() bool { return f.stopped }

// A visit records that traversal gen has given an object the number num.
type visit struct{ gen, num uint32 }

// Ref returns the canonical form of a pointer word.
func (f *Writer) Ref(w uint64) uint64 {
	// The same on all paths: static objects, functions, objects of the base state. Words that are
	// not pointers stay unchanged.
	id := w >> 32
	if id < heap.StaticLimit || w&bytecode.FuncBit != 0 || id >= uint64(len(f.Heap.Objs)) {
		return w
	}
	if id < uint64(f.Heap.BaseLimit) && !f.OwnOnly {
		return w
	}
	if f.OwnOnly && f.Heap.Objs[id].Flags&heap.Shared != 0 {
		return f.Host.Identity(id) + w&(1<<32-1)
	}
	s := &f.seen[id]
	if s.gen != f.gen {
		f.n++
		*s = visit{f.gen, f.n}
		f.Queue = append(f.Queue, uint32(id))
	}
	if f.ByIdentity {
		return f.Host.Identity(id) + w&(1<<32-1)
	}
	return dynamicBit | uint64(s.num)<<32 | w&(1<<32-1)
}

// BeginTraversal begins a traversal. Its new number invalidates all earlier visits, so that seen
// need not be cleared.
func (f *Writer) BeginTraversal() {
	if n := len(f.Heap.Objs); n > len(f.seen) {
		f.seen = append(f.seen, make([]visit, n-len(f.seen)+256)...)
	}
	f.gen++
	f.Queue, f.Names = f.Queue[:0], f.Names[:0]
	f.n = 0
}

// hashPoll is the number of words written between two polls of Host.Interrupted: some milliseconds.
const hashPoll = 1 << 20

// poll reports whether the user interrupts, after n more words.
func (f *Writer) poll(n int) bool {
	if f.unpolled += n; f.unpolled >= hashPoll && !f.stopped {
		f.unpolled = 0
		f.stopped = f.Host.Interrupted()
	}
	return f.stopped
}

// stoppedSum returns a substitute for an interrupted fingerprint. No state has it, so that the
// search matches nothing until it checks its limits, after the next step.
func (f *Writer) stoppedSum() por.Hash {
	f.Forget()
	f.stops++
	return Sum([]uint64{math.MaxUint64, f.stops})
}

// Traverse writes all reachable objects. If they count by identity, extra is one more object.
func (f *Writer) Traverse(ws []uint64, extra uint32) []uint64 {
	h := f.Heap
	// Roots besides the goroutines: base objects that have changed. All other base objects need no
	// visit, because they can only refer to the base state.
	if len(h.Changed) > 0 {
		// In the order of their numbers, not of their first change.
		f.dirty = append(f.dirty[:0], h.Changed...)
		slices.Sort(f.dirty)
		for _, id := range f.dirty {
			ws = f.WriteObject(append(ws, uint64(id)), id)
		}
	}
	if f.ByIdentity {
		ws = append(ws, f.Ref(uint64(extra)<<32))
	}
	// Writing an object appends the objects that it is the first to refer to.
	for i := 0; i < len(f.Queue) && !f.stopped; i++ {
		n := len(ws)
		ws = f.WriteObject(ws, f.Queue[i])
		f.poll(len(ws) - n)
	}
	return ws
}

// WriteObject writes an object's contents.
func (f *Writer) WriteObject(ws []uint64, id uint32) []uint64 {
	o := &f.Heap.Objs[id]
	if o.Flags&heap.Derived != 0 {
		return ws
	}
	ws = append(ws, uint64(o.Layout)<<32|uint64(o.Size))
	if f.Shadows != nil {
		ws = f.Shadows.WriteCells(ws, id)
	}
	at := len(ws)
	ws = f.writeImage(ws, o)
	//mutant: names in memory are the numbers that they are [equalOnes]: "f.Naming && f.Shadows" -> "false && f.Shadows"
	if f.Naming && f.Shadows != nil && (o.Size <= blockSize || len(f.Heap.Layouts.At(o.Layout).Ptrs) > 0) {
		ws = f.nameWords(ws, at, id)
	}
	return ws
}

// writeImage writes the bytes of an object, with references replaced.
func (f *Writer) writeImage(ws []uint64, o *heap.Object) []uint64 {
	l := f.Heap.Layouts.At(o.Layout)
	owners := l.Owners
	if !f.Exchanging {
		owners = nil
	}
	if len(l.Ptrs)+len(owners) == 0 || l.Size == 0 {
		return f.writeBytes(ws, o.Mem, o.Size)
	}
	times := l.Times
	if !f.Relative {
		times = nil
	}
	// Element by element, with the bytes between two pointers unchanged.
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		at, from := uint32(0), len(ws)
		for _, p := range l.Ptrs {
			if p > at {
				ws = WriteRaw(ws, unsafe.Add(o.Mem, base+at), p-at)
			}
			ws = append(ws, f.Ref(*(*uint64)(unsafe.Add(o.Mem, base+p))))
			at = p + 8
		}
		if l.Size > at {
			ws = WriteRaw(ws, unsafe.Add(o.Mem, base+at), l.Size-at)
		}
		for _, t := range times {
			f.Host.Distance(ws[from+int(t/8):], t&1 != 0)
		}
		for _, a := range owners {
			HideOwner(f.Host, &ws[from+int(a/8)], a)
		}
	}
	return ws
}

// blockSize is the number of bytes of a large object without pointers that are written as one fingerprint.
// Writing all its bytes at once would take too much memory, and too much time without polling
// Host.Interrupted.
const blockSize = 1 << 20

// writeBytes is WriteRaw for an object without pointers.
func (f *Writer) writeBytes(ws []uint64, p unsafe.Pointer, n uint32) []uint64 {
	for ; n > blockSize; n -= blockSize {
		if !f.OwnOnly && f.poll(blockSize/8) {
			return ws
		}
		h := Sum(unsafe.Slice((*uint64)(p), blockSize/8))
		ws = append(ws, h[0], h[1])
		f.digested += blockSize/8 - len(h)
		p = unsafe.Add(p, blockSize)
	}
	return WriteRaw(ws, p, n)
}

// WriteRaw writes n bytes at p.
func WriteRaw(ws []uint64, p unsafe.Pointer, n uint32) []uint64 {
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

// Sum hashes words: two independent multiply-and-fold chains (as in wyhash) that take two
// words at a time. The length goes in as well: without it a last word of zero would make no
// difference.
func Sum(words []uint64) por.Hash {
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

// HideOwner replaces the number of a goroutine in the word w by its origin; at is the position of the number
// in its object, as in layout.Layout.Owners. For several readers of an RWMutex there is only the sum of their
// numbers, which fingerprints leave out.
func HideOwner(h Host, w *uint64, at uint32) {
	shift := at &^ 1 % 8 * 8
	n := uint32(*w >> shift)
	*w &^= math.MaxUint32 << shift
	if n == 0 || at&1 != 0 {
		return
	}
	*w |= h.Origin(n) << shift
}

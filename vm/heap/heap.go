package heap

import (
	"iter"
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// Heap is the guest's memory with its undo log.
//
//	objs     0   │ 1 ...    │ NumStatic... │ StaticLimit ...   │ BaseLimit ...
//	         nil │ static   │ not used    │ of the base state │ of the path
//
// Each mark and each rewind begins a new epoch, the next number after lastEpoch. After a release
// the epoch in which the mark was made becomes the present one again.
//
// Invariant: an object (or a page of a large one) whose epoch is the present one was created in it
// or is in undo. undoMem has the bytes of the records of undo, in their order. Freed memory and
// numbers are not reused beyond their epoch: free and freeIDs belong to objects that were created
// after the youngest mark, and are emptied at the next one.
//
// Claim: a rewind to mark k restores the bytes of all objects that existed at k.
//
//  1. Bytes change through Store, which accepts only objects of the present epoch, or after
//     WillWrite or WillWriteRange, which save objects of another epoch.
//  2. Each mark and rewind gets a new epoch number. So an object of the present epoch was created
//     or saved after k, or after a later mark.
//  3. An object may have several records, of different epochs. The log is undone from its end, so
//     the first record after k is restored last, and it has the bytes at k.
//  4. Release makes the epoch of the closed mark's predecessor the present one. An object saved
//     after the closed mark has another number, and is saved again: one more record, which by 3 is
//     harmless.
//
// A step costs a copy of each object, or of each page of a large one, that it is the first to write
// after the mark. A rewind costs the same; the size of the memory does not matter.
type Heap struct {
	Objs      []Object // by number
	Layouts   *layout.Table
	NumStatic uint32 // the number of the next static object

	chunks   [][]byte
	chunk    int // index of the chunk for the next allocation
	chunkOff int
	free     [40][]unsafe.Pointer // memory freed in this epoch, by size class
	freeIDs  []uint32
	freed    bool // free or freeIDs may have entries
	Kept     int  // records of freed objects whose numbers are not used again
	MostKept int  // the number of kept records from which numbers are used again
	Reused   bool // since the youngest mark, an object has got the number of a freed one

	Epoch     uint64 // number of the present epoch
	lastEpoch uint64
	undo      []undoRec
	undoMem   []byte
	paged     []pages
	Changed   []uint32 // static and base objects changed since the base state
	Touched   []uint32 // objects that had the flag Hashed at the last fingerprint and have lost the flag
	hashedIn  uint64   // the epoch that the last fingerprint began
	BaseLimit uint32   // first dynamic object that does not belong to the base state
	Based     bool     // the base state has been reached (BecomeBase)

	Live      uint64 // bytes in dynamic objects
	Limit     uint64 // the most bytes that Live may be (Fits)
	SinceGC   uint64 // bytes allocated since the last Sweep
	GCAt      uint64 // the value of SinceGC at which a collection is due
	PollAt    uint64 // the value of SinceGC at which the interpreter checks whether a collection is due
	exhausted bool   // see Exhaust
	NewFlags  Flags  // flags of new objects; 0 except in tests

	work []uint32 // scratch of Publish
}

// New returns an empty heap.
func New(layouts *layout.Table) *Heap {
	// Epoch 0 is before all others: an object with it is saved before its next write.
	h := &Heap{Layouts: layouts, NumStatic: 1, Epoch: 1, lastEpoch: 1, Limit: math.MaxUint64, MostKept: 1 << 20, GCAt: GCThreshold, PollAt: GCThreshold}
	h.Objs = make([]Object, StaticLimit, StaticLimit+4096)
	return h
}

// Bytes returns n bytes of guest memory at p, or nil if they do not exist. Zero bytes exist
// everywhere, even at nil.
func (h *Heap) Bytes(p Ptr, n uint32) []byte {
	id, off := p>>32, uint32(p)
	if n == 0 {
		return []byte{}
	}
	if id >= uint64(len(h.Objs)) {
		return nil
	}
	o := &h.Objs[id]
	if uint64(off)+uint64(n) > uint64(o.Size) {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(o.Mem, off)), n)
}

// Readable returns the n bytes at p of an object that exists, or fewer if it is shorter: package unsafe can
// make a slice longer than its array.
func (h *Heap) Readable(p Ptr, n uint64) []byte {
	b := h.Load(p, n, 0)
	if b == nil {
		n = uint64(h.Objs[p>>32].Size - uint32(p))
		b = h.Load(p, n, 0)
	}
	return unsafe.Slice((*byte)(b), n)
}

// Writable is Bytes for memory that is about to change: it saves the old contents first.
func (h *Heap) Writable(p Ptr, n uint32) []byte {
	b := h.Bytes(p, n)
	if n != 0 && b != nil {
		h.WillWriteRange(uint32(p>>32), uint32(p), n)
	}
	return b
}

// Load returns the host address of n readable bytes at p, or nil.
//
// One comparison covers nil, too: object 0, to which nil refers, has no bytes. Offset and n are added in 64
// bits, so the sum cannot wrap around.
func (h *Heap) Load(p, n uint64, stop Flags) unsafe.Pointer {
	if o := h.Object(p); !o.Lacks(p, n, stop) {
		return o.At(p)
	}
	return nil
}

// Store returns the host address of n writable bytes at p, or nil.
//
// An object of this epoch has been saved since the last mark, or is newer than the mark: its previous
// content need not be kept. All others go to the slow path once.
func (h *Heap) Store(p, n uint64, stop Flags) unsafe.Pointer {
	if o := h.Object(p); !o.Lacks(p, n, stop) && h.Saved(o) {
		return o.At(p)
	}
	return nil
}

// Object returns the object to which p points, or one without bytes. The interpreter's loop checks accesses
// with Object, Lacks, Saved and At, not with Load and Store, which are too large for gc to inline them
// there: in a function of that size it inlines functions up to cost 20. Object has 20 and Lacks 17.
func (h *Heap) Object(p uint64) *Object {
	if p>>32 < uint64(len(h.Objs)) {
		return &h.Objs[p>>32]
	}
	return &noObject
}

var noObject Object

// Lacks reports whether o has not all of the n bytes at p, or has one of the flags.
func (o *Object) Lacks(p, n uint64, stop Flags) bool {
	//mutant: loads of the loop are not visible [test ./vm TestRaceEdges]: "o.Flags&stop != 0" -> "false"
	return uint64(uint32(p))+n > uint64(o.Size) || o.Flags&stop != 0
}

// Saved reports whether the bytes of o may be written: see Store.
func (h *Heap) Saved(o *Object) bool {
	//mutant: stores of the loop are not undone [test ./vm TestRewind]: "o.Epoch == h.Epoch" -> "o.Epoch != 0"
	return o.Epoch == h.Epoch
}

// At returns the host address of the bytes at p, which point to o.
func (o *Object) At(p uint64) unsafe.Pointer { return unsafe.Add(o.Mem, uint32(p)) }

// All lists the numbers of all objects.
func (h *Heap) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for id := uint32(1); id < uint32(len(h.Objs)); id++ {
			if id == h.NumStatic {
				if id = StaticLimit; len(h.Objs) == StaticLimit {
					return
				}
			}
			if !yield(id) {
				return
			}
		}
	}
}

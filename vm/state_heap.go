package vm

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/compile"
	"hbcheck.dev/hbcheck/vm/layout"
)

// A guest pointer is object number << 32 | byte offset. Object 0 has no bytes,
// so every access through nil fails the bounds check all accesses make.
type ptr = uint64

// object is one allocation of the guest. Its bytes are in gc layout and hold
// guest pointers only, so a state can be hashed, compared and copied as is.
type object struct {
	mem    unsafe.Pointer
	epoch  uint64 // the epoch in which the present contents were last saved or created
	size   uint32
	layout uint32 // layout of the elements mem consists of
	gid    trace.GID
	seq    uint32 // number of the allocation among gid's: with gid, an identity on all paths
	flags  objFlags
	aux    uint32 // number of the described type for abi.Type objects
	// site is where it was allocated: function number << 32 | pc of the
	// allocating instruction; 0 for static objects.
	site uint64
}

// objFlags are of two sorts. An object keeps those of its creation: static, frozen, derived,
// variable. The flags shared, dirty and iterated depend on the path and are undone with it: the
// records of the undo log have the earlier flags. objHashed is about the present bytes: each write
// and each rewind clears it, and adds the object to touched.
type objFlags uint32

const (
	// objShared: more than one goroutine may hold a pointer to it; accesses are visible operations.
	objShared objFlags = 1 << iota
	// objStatic: a global, a literal or a type descriptor; its number is its identity.
	objStatic
	// objFrozen: never written after creation (literals, boxes, descriptors).
	objFrozen
	// objDirty: a static or base object changed since the base state; a root of the state hash.
	objDirty
	// objDerived: contents follow from other objects (a map's hash index); not part of the state.
	objDerived
	// objFreed: collected; an access is a bug of the machine.
	objFreed
	// objVar: a package-level variable.
	objVar
	// objHashed: the hash of its contents is up to date (see regions).
	objHashed
	// objIterated: a map for which an iterator may hold the numbers of entries (see step_map.go).
	objIterated
	// objChan: a channel.
	objChan
)

const (
	// staticLimit is the first object number of dynamic objects. Static objects are created lazily
	// while functions are compiled, in the middle of an exploration, and must not disturb the
	// numbers that a rewind frees.
	staticLimit = 1 << 17
	chunkSize   = 1 << 18
	largeObject = chunkSize / 4
	maxObject   = layout.MaxSize
	maxAlloc    = 1 << 48 // the real runtime's largest object
)

// hugeObject is the message for an object larger than maxObject.
const hugeObject = compile.HugeObject

// heap is the guest's memory with its undo log.
//
//	objs     0   │ 1 ...    │ nstatic ... │ staticLimit ...   │ baseLimit ...
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
//  1. Bytes change through store, which accepts only objects of the present epoch, or after
//     willWrite or willWriteRange, which save objects of another epoch.
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
type heap struct {
	objs    []object
	nstatic uint32
	layouts *layout.Table

	chunks   [][]byte
	chunk    int // index of the chunk for the next allocation
	chunkOff int
	free     [40][]unsafe.Pointer // freed in this epoch, by size class
	freeIDs  []uint32
	freed    bool // free or freeIDs may have entries

	epoch     uint64
	lastEpoch uint64
	undo      []undoRec
	undoMem   []byte
	paged     []pages
	dirty     []uint32 // static and base objects changed since the base state
	touched   []uint32 // objects that had the flag objHashed at the last fingerprint and have lost it
	hashedIn  uint64   // the epoch that the last fingerprint began
	baseLimit uint32   // first dynamic object that does not belong to the base state
	based     bool

	live      uint64 // bytes in dynamic objects
	limit     uint64 // of live; see Config.MaxHeap
	sinceGC   uint64
	gcAt      uint64   // value of sinceGC at which a collection is due
	pollAt    uint64   // value of sinceGC at which the budget of back edges and calls ends early
	exhausted bool     // the limit was reached in the middle of an instruction
	newFlags  objFlags // of new objects; 0 except with CheckStops

	allocated func(g trace.GID, id uint32) // nil unless there is an Observer
}

// undoRec restores one object, a page of a large one, or (size 0) its flags.
type undoRec struct {
	id    uint32
	off   uint32
	size  uint32
	flags objFlags
	epoch uint64
	page  bool
}

// Objects of at least pagedObject bytes are saved page by page, so that a step that changes one
// element of a large array costs one page.
const (
	pagedObject = 8 << 10
	pageSize    = 1 << 10
)

// pages has the epochs in which the pages of a large object were last saved. The object's own epoch
// covers all of it: if that is the present one, the pages do not matter.
type pages struct {
	id     uint32
	epochs []uint64
}

func newHeap(lt *layout.Table) *heap {
	// Epoch 0 is before all others: an object with it is saved before its next write.
	h := &heap{layouts: lt, nstatic: 1, epoch: 1, lastEpoch: 1, limit: math.MaxUint64, gcAt: gcThreshold, pollAt: gcThreshold}
	h.objs = make([]object, staticLimit, staticLimit+4096)
	return h
}

// bytesOf returns n bytes of guest memory at p, or nil if they do not exist. Zero bytes exist
// everywhere, even at nil.
func (h *heap) bytesOf(p ptr, n uint32) []byte {
	id, off := p>>32, uint32(p)
	if n == 0 {
		return []byte{}
	}
	if id >= uint64(len(h.objs)) {
		return nil
	}
	o := &h.objs[id]
	if uint64(off)+uint64(n) > uint64(o.size) {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(o.mem, off)), n)
}

// writable is bytesOf for memory that is about to change: it saves the old contents first.
func (h *heap) writable(p ptr, n uint32) []byte {
	b := h.bytesOf(p, n)
	if n != 0 && b != nil {
		h.willWriteRange(uint32(p>>32), uint32(p), n)
	}
	return b
}

// willWriteRange prepares a write of n bytes at off in object id.
func (h *heap) willWriteRange(id, off, n uint32) {
	o := &h.objs[id]
	// Created in this epoch, or saved as a whole.
	if o.epoch == h.epoch {
		return
	}
	if o.size < pagedObject || id < staticLimit {
		h.save(id, o)
		return
	}
	pg := h.pagesOf(id, o)
	for k := off / pageSize; k <= (off+n-1)/pageSize; k++ {
		if pg.epochs[k] == h.epoch {
			continue
		}
		lo := k * pageSize
		size := min(pageSize, o.size-lo)
		h.undo = append(h.undo, undoRec{id: id, off: lo, size: size, epoch: pg.epochs[k], flags: o.flags, page: true})
		h.undoMem = append(h.undoMem, unsafe.Slice((*byte)(unsafe.Add(o.mem, lo)), size)...)
		pg.epochs[k] = h.epoch
	}
	h.changed(id, o)
}

// pagesOf returns the page table of large object id, a new one if it has none.
func (h *heap) pagesOf(id uint32, o *object) *pages {
	// The newest tables first: few objects are that large.
	for i := len(h.paged) - 1; i >= 0; i-- {
		if h.paged[i].id == id {
			return &h.paged[i]
		}
	}
	epochs := make([]uint64, (o.size+pageSize-1)/pageSize)
	for i := range epochs {
		epochs[i] = o.epoch
	}
	h.paged = append(h.paged, pages{id, epochs})
	return &h.paged[len(h.paged)-1]
}

// changed records that o is about to differ from the base state and from the last fingerprint.
func (h *heap) changed(id uint32, o *object) {
	//mutant: writes are not noted [regions]
	h.touch(id, o)
	if h.based && o.flags&objDirty == 0 && (id < staticLimit || id < h.baseLimit) {
		o.flags |= objDirty
		h.dirty = append(h.dirty, id)
	}
}

// touch records that o differs from its contents at the last fingerprint.
func (h *heap) touch(id uint32, o *object) {
	if o.flags&objHashed != 0 {
		o.flags &^= objHashed
		h.touched = append(h.touched, id)
	}
}

// noteWrites begins an epoch, so that the next write to each object passes through changed. No
// rewind leads to this epoch, so memory freed since the last mark stays usable.
func (h *heap) noteWrites() {
	h.lastEpoch++
	//mutant: a fingerprint begins no epoch [regions]: "epoch, h.hashedIn = h.lastEpoch," -> "hashedIn ="
	h.epoch, h.hashedIn = h.lastEpoch, h.lastEpoch
}

// willWrite prepares a write to object id.
func (h *heap) willWrite(id uint32) {
	if o := &h.objs[id]; o.epoch != h.epoch {
		h.save(id, o)
	}
}

// save logs o's contents, once per epoch, so that rewinding can restore them.
func (h *heap) save(id uint32, o *object) {
	h.undo = append(h.undo, undoRec{id: id, size: o.size, epoch: o.epoch, flags: o.flags})
	h.undoMem = append(h.undoMem, unsafe.Slice((*byte)(o.mem), o.size)...)
	o.epoch = h.epoch
	h.changed(id, o)
}

// setFlags adds flags to an object, undoably. The record has no bytes and the object's epoch stays,
// because this does not save the contents.
func (h *heap) setFlags(id uint32, f objFlags) {
	o := &h.objs[id]
	if o.flags&f == f {
		return
	}
	// An object saved in this epoch has its old flags in its record.
	if o.epoch != h.epoch {
		h.undo = append(h.undo, undoRec{id: id, epoch: o.epoch, flags: o.flags})
	}
	o.flags |= f
}

// sizeClass returns the class that n bytes are allocated from, and the size of its members:
// multiples of 8 up to 128 bytes (class = size / 8), then powers of two.
func sizeClass(n uint32) (class int, size uint32) {
	if n <= 128 {
		c := (n + 7) / 8
		return int(c), c * 8
	}
	c, s := 17, uint32(256)
	for s < n {
		c, s = c+1, s*2
	}
	return c, s
}

// rawAlloc returns n zeroed bytes: freed ones of the same class, or else the next ones of the
// chunk. Chunks stay when the path is left; a rewind only moves the place of the next allocation
// back. An object larger than largeObject has memory of its own.
func (h *heap) rawAlloc(n uint32) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(&zeroBase)
	}
	if n > largeObject {
		h.collectHost(n)
		b := make([]uint64, (n+7)/8)
		return unsafe.Pointer(&b[0])
	}
	class, size := sizeClass(n)
	if l := h.free[class]; len(l) > 0 {
		p := l[len(l)-1]
		h.free[class] = l[:len(l)-1]
		clear(unsafe.Slice((*byte)(p), size))
		return p
	}
	if h.chunk >= len(h.chunks) || h.chunkOff+int(size) > chunkSize {
		if h.chunk < len(h.chunks) {
			h.chunk++
		}
		if h.chunk == len(h.chunks) {
			words := make([]uint64, chunkSize/8) // aligned for any type
			h.chunks = append(h.chunks, unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), chunkSize))
		}
		h.chunkOff = 0
	}
	b := h.chunks[h.chunk][h.chunkOff : h.chunkOff+int(size)]
	h.chunkOff += int(size)
	clear(b)
	return unsafe.Pointer(&b[0])
}

var zeroBase uint64

// largeMemory is the number of bytes of large objects, of all machines, allocated since the last
// forced collection of the process.
var largeMemory atomic.Int64

// collectHost now and then makes the process collect before n more bytes are allocated. Memory of
// large objects is garbage as soon as the search leaves the path that made them, and it may exceed
// the limit of the process. The collector alone comes too late, because it runs concurrently.
func (h *heap) collectHost(n uint32) {
	if h.limit == math.MaxUint64 {
		return
	}
	if largeMemory.Add(int64(n)) > int64(max(4*gcThreshold, h.limit/4)) {
		largeMemory.Store(0)
		runtime.GC()
	}
}

// fits panics if objects, with the given bytes in addition, exceed the heap's limit (see
// recoverOutOfMemory).
func (h *heap) fits(bytes uint64) {
	if h.live+bytes > h.limit {
		h.exhausted = true
		panic("the heap's limit has been met")
	}
}

// alloc creates a dynamic object of size zero bytes for goroutine g (nil while linking). It panics
// at the heap's limit (see recoverOutOfMemory).
func (h *heap) alloc(g *goroutine, size uint32, lay uint32) uint32 {
	h.fits(uint64(size))
	var id uint32
	if n := len(h.freeIDs); n > 0 {
		id = h.freeIDs[n-1]
		h.freeIDs = h.freeIDs[:n-1]
	} else {
		id = uint32(len(h.objs))
		h.objs = append(h.objs, object{})
	}
	// An object of this epoch can be written without saving: a rewind drops it.
	o := &h.objs[id]
	*o = object{mem: h.rawAlloc(size), epoch: h.epoch, size: size, layout: lay, flags: h.newFlags}
	if g != nil {
		o.gid, o.seq = g.id, g.nalloc
		o.site = uint64(g.fn.ID)<<32 | uint64(uint32(g.executing()))
		g.nalloc++
		if h.allocated != nil {
			h.allocated(g.id, id)
		}
	}
	// About the cost of the record and the rounding of sizes, so that many small objects count.
	h.live += uint64(size) + 64
	h.sinceGC += uint64(size) + 64
	return id
}

// allocStatic creates a static object holding a copy of data, or size zero bytes.
func (h *heap) allocStatic(size uint32, lay uint32, flags objFlags) uint32 {
	if h.nstatic == staticLimit {
		panic("hbcheck: program too large: more than 131072 globals and literals")
	}
	id := h.nstatic
	h.nstatic++
	mem := make([]uint64, (size+7)/8+1)
	h.objs[id] = object{mem: unsafe.Pointer(&mem[0]), epoch: h.epoch, size: size, layout: lay, flags: flags | objStatic}
	return id
}

// heapMark is the heap's part of a mark.
type heapMark struct {
	epoch         uint64
	undo, undoMem int
	objs          int
	chunk, off    int
	dirty         int
	live          uint64
}

// mark stores the present state in k.
func (h *heap) mark(k *heapMark) {
	*k = heapMark{epoch: h.epoch, undo: len(h.undo), undoMem: len(h.undoMem), objs: len(h.objs),
		chunk: h.chunk, off: h.chunkOff, dirty: len(h.dirty), live: h.live}
	// Memory freed before the mark stays unused while the mark is open: reusing it would overwrite
	// bytes that a rewind needs.
	h.begin()
}

// begin begins a new epoch.
func (h *heap) begin() {
	h.lastEpoch++
	h.epoch = h.lastEpoch
	h.forgetFree()
}

// forgetFree makes the memory freed in this epoch unavailable.
func (h *heap) forgetFree() {
	if !h.freed {
		return
	}
	for i := range h.free {
		h.free[i] = h.free[i][:0]
	}
	h.freeIDs = h.freeIDs[:0]
	h.freed = false
}

// rewind restores the state at k; the mark stays open.
func (h *heap) rewind(k *heapMark) {
	for len(h.undo) > k.undo {
		r := &h.undo[len(h.undo)-1]
		if int(r.id) >= k.objs { // about to be dropped; its number may even mean another object by now
			h.undoMem = h.undoMem[:len(h.undoMem)-int(r.size)]
			h.undo = h.undo[:len(h.undo)-1]
			continue
		}
		o := &h.objs[r.id]
		// Its bytes, unless only its flags were saved, are the last ones of undoMem.
		if r.size > 0 {
			off := len(h.undoMem) - int(r.size)
			copy(unsafe.Slice((*byte)(unsafe.Add(o.mem, r.off)), r.size), h.undoMem[off:])
			h.undoMem = h.undoMem[:off]
		}
		if r.page {
			h.pagesOf(r.id, o).epochs[r.off/pageSize] = r.epoch
		} else {
			o.epoch = r.epoch
		}
		if r.size > 0 {
			//mutant: rewinds are not noted [regions]
			h.touch(r.id, o)
		}
		o.flags = r.flags&^objHashed | o.flags&objHashed
		h.undo = h.undo[:len(h.undo)-1]
	}
	h.paged = slices.DeleteFunc(h.paged, func(p pages) bool { return int(p.id) >= k.objs })
	if len(h.objs) > k.objs {
		for i := range h.objs[k.objs:] {
			//mutant: objects that go are not noted [regions]
			h.touch(uint32(k.objs+i), &h.objs[k.objs+i])
		}
		clear(h.objs[k.objs:])
		h.objs = h.objs[:k.objs]
	}
	// All memory allocated since the mark becomes free again at once.
	h.chunk, h.chunkOff = k.chunk, k.off
	h.dirty = h.dirty[:k.dirty]
	h.live = k.live
	h.forgetFree()
	// A new number: an object saved after the mark and restored now must be saved again.
	h.lastEpoch++
	h.epoch = h.lastEpoch
}

// release closes the mark k and keeps the present state. Objects saved since k have a later epoch
// than the one that continues, so they are saved once more at the next write, which is harmless. An
// epoch from before the last fingerprint does not continue, because each write since then has to be
// recorded.
func (h *heap) release(k *heapMark) {
	//mutant: an epoch from before a fingerprint continues [regions]: true
	if h.hashedIn <= k.epoch {
		h.epoch = k.epoch
	}
}

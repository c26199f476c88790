package heap

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// Alloc creates a dynamic object of size zero bytes. It panics at the heap's limit (see Fits). An
// object of this epoch can be written without saving: a rewind drops it.
func (h *Heap) Alloc(size uint32, lay uint32) uint32 {
	h.Fits(uint64(size))
	var id uint32
	if n := len(h.freeIDs); n > 0 {
		id = h.freeIDs[n-1]
		h.freeIDs = h.freeIDs[:n-1]
		h.Reused = true
	} else {
		id = uint32(len(h.Objs))
		if len(h.Objs) == cap(h.Objs) {
			h.growObjs()
		}
		h.Objs = h.Objs[:id+1]
	}
	h.Objs[id] = Object{Mem: h.rawAlloc(size), Epoch: h.Epoch, Size: size, Layout: lay, Flags: h.NewFlags}
	// An object's record, and rounding its size, cost about 64 bytes, which count if a program has many small
	// objects.
	h.Live += uint64(size) + 64
	h.SinceGC += uint64(size) + 64
	return id
}

// growObjs makes room for more records of dynamic objects. append would also copy the records of static
// objects that do not exist, some megabytes each time.
func (h *Heap) growObjs() {
	objs := make([]Object, len(h.Objs), StaticLimit+2*max(4096, cap(h.Objs)-StaticLimit))
	copy(objs, h.Objs[:h.NumStatic])
	copy(objs[StaticLimit:], h.Objs[StaticLimit:])
	h.Objs = objs
}

// AllocStatic creates a static object of size zero bytes.
func (h *Heap) AllocStatic(size uint32, lay uint32, flags Flags) uint32 {
	if h.NumStatic == StaticLimit {
		panic("hbcheck: program too large: more than 131072 globals and literals")
	}
	id := h.NumStatic
	h.NumStatic++
	mem := make([]uint64, (size+7)/8+1)
	h.Objs[id] = Object{Mem: unsafe.Pointer(&mem[0]), Epoch: h.Epoch, Size: size, Layout: lay, Flags: flags | Static}
	return id
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

const (
	chunkSize   = 1 << 18
	largeObject = chunkSize / 4
)

// rawAlloc returns n zeroed bytes: freed ones of the same class, or else the next ones of the
// chunk. Chunks stay when the path is left; a rewind only moves the place of the next allocation
// back. An object larger than largeObject has memory of its own.
func (h *Heap) rawAlloc(n uint32) unsafe.Pointer {
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

// forgetFree makes the memory freed in this epoch unavailable.
func (h *Heap) forgetFree() {
	if !h.freed {
		return
	}
	for i := range h.free {
		h.free[i] = h.free[i][:0]
	}
	h.freeIDs = h.freeIDs[:0]
	h.freed = false
}

var zeroBase uint64

// largeMemory is the number of bytes of large objects, of all machines, allocated since the last
// forced collection of the process.
var largeMemory atomic.Int64

// collectHost now and then makes the process collect before n more bytes are allocated. Memory of
// large objects is garbage as soon as the search leaves the path that made them, and it may exceed
// the limit of the process. The collector alone comes too late, because it runs concurrently.
func (h *Heap) collectHost(n uint32) {
	if h.Limit == math.MaxUint64 {
		return
	}
	if largeMemory.Add(int64(n)) > int64(max(4*GCThreshold, h.Limit/4)) {
		largeMemory.Store(0)
		runtime.GC()
	}
}

// Fits panics if the objects and the given bytes together exceed the heap's limit.
func (h *Heap) Fits(bytes uint64) {
	if h.Live+bytes > h.Limit {
		h.Exhaust("the heap's limit has been reached")
	}
}

// Exhaust panics in the middle of an instruction that needs more memory than there may be. The machine
// recovers if Recovers is set, and does not use the state any more.
func (h *Heap) Exhaust(why string) {
	h.exhausted = true
	panic(why)
}

// Recovers reports whether the present panic comes from Exhaust. It reports each such panic once.
func (h *Heap) Recovers() bool {
	was := h.exhausted
	h.exhausted = false
	return was
}

// GCThreshold is the least number of bytes allocated between two collections. If many bytes are alive, the
// number is half of these (PlanCollection), so that the allocations since the last collection pay for the
// next one; or it is the rest of the memory limit, if that is less than this half. GCThreshold is also the
// most bytes that are allocated without polling for interrupts, because the system may need seconds for some
// gigabytes.
const GCThreshold = 16 << 20

// Exceeds reports whether the dynamic objects have more bytes than most; 0 is no limit.
func (h *Heap) Exceeds(most uint64) bool { return most > 0 && h.Live > most }

// CollectionDue reports whether garbage should be collected; at once if the heap is full.
func (h *Heap) CollectionDue(full bool) bool { return h.SinceGC > h.GCAt || full && h.SinceGC > 0 }

// PlanCollection determines after a collection when the next one is due: garbage has to stay below the
// limit most, if that is not 0.
func (h *Heap) PlanCollection(most uint64) {
	if h.GCAt = max(GCThreshold, h.Live/2); most > 0 {
		h.GCAt = max(GCThreshold, min(h.GCAt, most-min(most, h.Live)))
	}
}

// PlanPoll determines after how many more bytes the interpreter has to check whether a collection is due.
func (h *Heap) PlanPoll() { h.PollAt = min(h.GCAt, h.SinceGC+GCThreshold) }

// Sweep frees the objects from first on that are not marked, and calls freed for each. Their memory may be
// used again in this epoch (see forgetFree), and so may their numbers if reuse is set. Otherwise the records
// of the objects remain, and count as alive.
func (h *Heap) Sweep(first uint32, marked []bool, reuse bool, freed func(id uint32)) {
	h.SinceGC = 0
	for id := first; id < uint32(len(h.Objs)); id++ {
		o := &h.Objs[id]
		if marked[id] || o.Flags&Freed != 0 {
			continue
		}
		if o.Size > 0 && o.Size <= largeObject {
			c, _ := sizeClass(o.Size)
			h.free[c] = append(h.free[c], o.Mem)
		}
		h.Live -= uint64(o.Size)
		freed(id)
		h.touch(id, o)
		*o = Object{Flags: Freed, Mem: unsafe.Pointer(&zeroBase)}
		if h.freed = true; reuse {
			h.Live -= 64
			h.freeIDs = append(h.freeIDs, id)
		} else {
			h.Kept++
		}
	}
	h.paged = slices.DeleteFunc(h.paged, func(p pages) bool { return h.Objs[p.id].Flags&Freed != 0 })
}

// Held returns the memory that is held for objects and for rewinds.
func (h *Heap) Held() int64 {
	return max(int64(len(h.chunks))*chunkSize, int64(h.Live)) + SizeOf(h.Objs) + SizeOf(h.undo) + SizeOf(h.undoMem)
}

// SizeOf returns the memory allocated for s.
func SizeOf[T any](s []T) int64 {
	var x T
	return int64(cap(s)) * int64(unsafe.Sizeof(x))
}

// Copy returns a heap with the same objects. Frozen static objects are never written or freed; all
// others get memory of their own. There are no marks, so nothing can be undone.
//
// Between the static and the dynamic objects are megabytes of zeros, which Copy does not access: pages that
// nothing has accessed need neither time nor memory.
func (h *Heap) Copy(layouts *layout.Table) *Heap {
	c := new(Heap)
	*c = *h
	c.Layouts, c.work = layouts, nil
	c.Objs = make([]Object, len(h.Objs), len(h.Objs)+4096)
	copy(c.Objs, h.Objs[:h.NumStatic])
	copy(c.Objs[StaticLimit:], h.Objs[StaticLimit:])
	c.chunks, c.chunk, c.chunkOff, c.free, c.freeIDs, c.freed = nil, 0, 0, [len(h.free)][]unsafe.Pointer{}, nil, false
	c.undo, c.undoMem, c.paged, c.Touched = nil, nil, nil, nil
	c.Changed = slices.Clone(h.Changed)
	c.own(c.Objs[:h.NumStatic], 8) // as AllocStatic does
	c.own(c.Objs[StaticLimit:], 0)
	return c
}

// own gives objects, which are copies of another heap's, memory of their own, and extra bytes after it.
func (h *Heap) own(objs []Object, extra uint32) {
	for i := range objs {
		o := &objs[i]
		o.Flags &^= Hashed
		if o.Size == 0 || o.Flags&(Static|Frozen) == Static|Frozen {
			continue
		}
		old := unsafe.Slice((*byte)(o.Mem), o.Size)
		//mutant: memory is shared [base]
		o.Mem = h.rawAlloc(o.Size + extra)
		copy(unsafe.Slice((*byte)(o.Mem), o.Size), old)
	}
}

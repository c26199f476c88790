package heap

import (
	"slices"
	"unsafe"
)

// undoRec restores one object, a page of a large one, or (size 0) its flags.
type undoRec struct {
	id    uint32
	off   uint32
	size  uint32
	flags Flags
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

// WillWrite prepares a write to object id.
func (h *Heap) WillWrite(id uint32) {
	if o := &h.Objs[id]; o.Epoch != h.Epoch {
		h.save(id, o)
	}
}

// WillWriteRange prepares a write of n bytes at off in object id.
func (h *Heap) WillWriteRange(id, off, n uint32) {
	o := &h.Objs[id]
	// Created in this epoch, or saved as a whole.
	if o.Epoch == h.Epoch {
		return
	}
	if o.Size < pagedObject || id < StaticLimit {
		h.save(id, o)
		return
	}
	pg := h.pagesOf(id, o)
	for k := off / pageSize; k <= (off+n-1)/pageSize; k++ {
		if pg.epochs[k] == h.Epoch {
			continue
		}
		lo := k * pageSize
		size := min(pageSize, o.Size-lo)
		h.undo = append(h.undo, undoRec{id: id, off: lo, size: size, epoch: pg.epochs[k], flags: o.Flags, page: true})
		h.undoMem = append(h.undoMem, unsafe.Slice((*byte)(unsafe.Add(o.Mem, lo)), size)...)
		pg.epochs[k] = h.Epoch
	}
	h.changed(id, o)
}

// pagesOf returns the page table of the large object id; if it has none, it gets a new one.
func (h *Heap) pagesOf(id uint32, o *Object) *pages {
	// The search begins with the newest tables; it is short, because few objects are so large.
	for i := len(h.paged) - 1; i >= 0; i-- {
		if h.paged[i].id == id {
			return &h.paged[i]
		}
	}
	epochs := make([]uint64, (o.Size+pageSize-1)/pageSize)
	for i := range epochs {
		epochs[i] = o.Epoch
	}
	h.paged = append(h.paged, pages{id, epochs})
	return &h.paged[len(h.paged)-1]
}

// save logs o's contents, once per epoch, so that rewinding can restore them.
func (h *Heap) save(id uint32, o *Object) {
	h.undo = append(h.undo, undoRec{id: id, size: o.Size, epoch: o.Epoch, flags: o.Flags})
	h.undoMem = append(h.undoMem, unsafe.Slice((*byte)(o.Mem), o.Size)...)
	o.Epoch = h.Epoch
	h.changed(id, o)
}

// changed records that o is about to differ from the base state and from the last fingerprint.
func (h *Heap) changed(id uint32, o *Object) {
	//mutant: writes are not noted [regions]
	h.touch(id, o)
	if h.Based && o.Flags&Dirty == 0 && (id < StaticLimit || id < h.BaseLimit) {
		o.Flags |= Dirty
		h.Changed = append(h.Changed, id)
	}
}

// touch records that o differs from its contents at the last fingerprint.
func (h *Heap) touch(id uint32, o *Object) {
	if o.Flags&Hashed != 0 {
		o.Flags &^= Hashed
		h.Touched = append(h.Touched, id)
	}
}

// NoteWrites empties touched and begins an epoch, so that the next write to each object passes through
// changed. No rewind leads to this epoch, so memory freed since the last mark stays usable.
func (h *Heap) NoteWrites() {
	h.Touched = h.Touched[:0]
	h.lastEpoch++
	//mutant: a fingerprint begins no epoch [regions]: "Epoch, h.hashedIn = h.lastEpoch," -> "hashedIn ="
	h.Epoch, h.hashedIn = h.lastEpoch, h.lastEpoch
}

// SetFlags adds flags to an object, undoably. The record has no bytes and the object's epoch stays,
// because this does not save the contents.
func (h *Heap) SetFlags(id uint32, f Flags) {
	o := &h.Objs[id]
	if o.Flags&f == f {
		return
	}
	// An object saved in this epoch has its old flags in its record.
	if o.Epoch != h.Epoch {
		h.undo = append(h.undo, undoRec{id: id, epoch: o.Epoch, flags: o.Flags})
	}
	o.Flags |= f
}

// BecomeBase makes the present state the base state: from now on only objects that change are
// dirty. It begins an epoch, because otherwise writes to objects that initialisers have written
// would not be noted.
func (h *Heap) BecomeBase() {
	h.Based = true
	h.BaseLimit = uint32(len(h.Objs))
	//mutant: main writes the base state [models TestModels/setenv]
	h.begin()
}

// Unbase forgets the base state, and removes the flags f from all objects. No mark is open.
// BecomeBase then makes another state the base.
func (h *Heap) Unbase(f Flags) {
	for id := range h.Objs {
		h.Objs[id].Flags &^= f | Dirty | Hashed
	}
	h.Based, h.Changed, h.Touched, h.undo, h.undoMem = false, nil, nil, nil, nil
}

// Mark is a state to return to: see Heap.Mark.
type Mark struct {
	epoch         uint64
	undo, undoMem int
	Objs          int // the number of objects
	chunk, off    int
	dirty         int
	live          uint64
	kept          int
	Reused        bool // whether numbers were reused between the previous mark and this one: see Heap.Reused
}

// Mark stores the present state in k. Marks are nested: Rewind closes those that are younger than its own.
func (h *Heap) Mark(k *Mark) {
	*k = Mark{epoch: h.Epoch, undo: len(h.undo), undoMem: len(h.undoMem), Objs: len(h.Objs),
		chunk: h.chunk, off: h.chunkOff, dirty: len(h.Changed), live: h.Live, kept: h.Kept, Reused: h.Reused}
	// Memory freed before the mark stays unused while the mark is open: reusing it would overwrite
	// bytes that a rewind needs.
	h.begin()
	h.Reused = false
}

// begin begins a new epoch.
func (h *Heap) begin() {
	h.lastEpoch++
	h.Epoch = h.lastEpoch
	h.forgetFree()
}

// Rewind restores the state at k; the mark stays open.
func (h *Heap) Rewind(k *Mark) {
	for len(h.undo) > k.undo {
		r := &h.undo[len(h.undo)-1]
		if int(r.id) >= k.Objs { // the object is about to be dropped; its number may already belong to another object
			h.undoMem = h.undoMem[:len(h.undoMem)-int(r.size)]
			h.undo = h.undo[:len(h.undo)-1]
			continue
		}
		o := &h.Objs[r.id]
		// Its bytes, unless only its flags were saved, are the last ones of undoMem.
		if r.size > 0 {
			off := len(h.undoMem) - int(r.size)
			copy(unsafe.Slice((*byte)(unsafe.Add(o.Mem, r.off)), r.size), h.undoMem[off:])
			h.undoMem = h.undoMem[:off]
		}
		if r.page {
			h.pagesOf(r.id, o).epochs[r.off/pageSize] = r.epoch
		} else {
			o.Epoch = r.epoch
		}
		if r.size > 0 {
			//mutant: rewinds are not noted [regions]
			h.touch(r.id, o)
		}
		o.Flags = r.flags&^Hashed | o.Flags&Hashed
		h.undo = h.undo[:len(h.undo)-1]
	}
	h.paged = slices.DeleteFunc(h.paged, func(p pages) bool { return int(p.id) >= k.Objs })
	if len(h.Objs) > k.Objs {
		for i := range h.Objs[k.Objs:] {
			//mutant: objects that go are not noted [regions]
			h.touch(uint32(k.Objs+i), &h.Objs[k.Objs+i])
		}
		clear(h.Objs[k.Objs:])
		h.Objs = h.Objs[:k.Objs]
	}
	// All memory allocated since the mark becomes free again at once.
	h.chunk, h.chunkOff = k.chunk, k.off
	h.Changed = h.Changed[:k.dirty]
	h.Live, h.Kept, h.Reused = k.live, k.kept, false
	h.forgetFree()
	// The epoch has a new number, because an object that was saved after the mark and restored now must be
	// saved again.
	h.lastEpoch++
	h.Epoch = h.lastEpoch
}

// Release closes the mark k and keeps the present state. Objects saved since k have a later epoch
// than the one that continues, so they are saved once more at the next write, which is harmless. An
// epoch from before the last fingerprint does not continue, because each write since then has to be
// recorded.
func (h *Heap) Release(k *Mark) {
	h.Reused = h.Reused || k.Reused
	//mutant: an epoch from before a fingerprint continues [regions]: true
	if h.hashedIn <= k.epoch {
		h.Epoch = k.epoch
	}
}

// Package heap is the memory of the program that package vm executes: objects in gc's layout, and a log
// that restores an earlier state of them.
//
// A pointer of the guest (Ptr) is the number of an object and an offset in it; nothing in an object's bytes
// refers to the host. An object is saved when it is written for the first time in an epoch, and each mark
// and each rewind begins an epoch:
//
//	Ptr            ┌──────────────┬─────────────┐
//	               │ object 7     │ offset 16   │
//	               └──────┬───────┴─────────────┘
//	                      ▼
//	Objs[7]        Mem ─────▶ │ word │ word │ word │ ...   Layout: which words are pointers
//	               Epoch 12                                Flags: Shared, Static, Dirty, ...
//	               Site, GID, Seq                          where it was allocated, by which goroutine
//
//	undo           │ obj 3: epoch 9, bytes │ obj 7: epoch 11, bytes │   saved in epoch 12
//	                                                                ▲
//	               Mark: length of undo, epoch, number of objects ──┘
//
//	a write        Objs[7].Epoch == Heap.Epoch  →  nothing to save: the fast path
//	               else: append contents and epoch to undo, Objs[7].Epoch = Heap.Epoch
//	Rewind         copy back from the end of undo to the mark's length; begin a new epoch
//
// Objects of 8 KiB and more are saved in pages.
//
// A user reads memory by Load or Bytes. It writes to the memory that Store returns. Store succeeds in the
// epoch in which the object was made or saved, or after WillWrite, WillWriteRange or Writable, which save
// it. An object that Alloc has just made is written without any of these. Objs may grow at each Alloc, so
// that addresses of its elements do not outlive one; addresses of bytes (Mem) do.
//
// The files: heap has reading and writing, object the records, alloc allocation and the freeing of
// garbage, undo marks and the log, sharing the objects that several goroutines can reach. Which
// objects are garbage is for package vm to find; the heap keeps the answer as a flag.
package heap

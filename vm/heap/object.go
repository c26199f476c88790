package heap

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Ptr is a pointer of the guest: object number << 32 | byte offset. Object 0 has no bytes,
// so every access through nil fails the check of bounds that all accesses make.
type Ptr = uint64

// Object is one allocation of the guest. Its bytes are in gc layout and hold
// guest pointers only, so a state can be hashed, compared and copied as is.
type Object struct {
	Mem    unsafe.Pointer
	Epoch  uint64 // the epoch in which the present contents were last saved or created
	Size   uint32
	Layout uint32 // number of the layout of the elements that Mem consists of
	GID    trace.GID
	Seq    uint32 // number of the allocation among GID's: with GID, an identity on all paths
	Flags  Flags
	Aux    uint32 // number of the described type for abi.Type objects
	// Site is where it was allocated: function number << 32 | pc of the
	// allocating instruction; 0 for static objects.
	Site uint64
}

// Flags are of two sorts. An object keeps those of its creation: Static, Frozen, Derived,
// Var, Chan, Untried. The flags Shared, Dirty and Iterated depend on the path and are undone with it: the
// records of the undo log have the earlier flags. Hashed is valid for the present bytes: each write and
// each rewind clears it, and adds the object to Heap.Touched.
type Flags uint32

const (
	// Shared: more than one goroutine may hold a pointer to it; accesses are visible operations.
	Shared Flags = 1 << iota
	// Static: a global, a literal or a type descriptor; its number is its identity.
	Static
	// Frozen: never written after creation (literals, boxes, descriptors).
	Frozen
	// Dirty: a static or base object changed since the base state; a root of the state hash.
	Dirty
	// Derived: contents follow from other objects (a map's hash index); not part of the state.
	Derived
	// Freed: collected; an access is a bug of the machine.
	Freed
	// Var: a package-level variable.
	Var
	// Hashed: the hash of its contents is up to date (see package fingerprint).
	Hashed
	// Iterated: a map for which an iterator may hold the numbers of entries (see package maps).
	Iterated
	// Chan: a channel.
	Chan
	// Untried: a channel on which every operation waits.
	Untried
)

const (
	// StaticLimit is the first object number of dynamic objects. Static objects are created lazily
	// while functions are compiled, in the middle of an exploration, and must not disturb the
	// numbers that a rewind frees.
	StaticLimit = 1 << 17
	// MaxObject is the size of the largest object.
	MaxObject = layout.MaxSize
	// MaxAlloc has the same value as in the real runtime.
	MaxAlloc = 1 << 48
)

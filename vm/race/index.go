package race

// A Loc names a byte of guest memory: object number << 32 | offset. The top
// bit of the offset is free: objects are smaller than 2 GB.
type Loc uint64

// Hidden, added to a location, gives another location, which no access touches.
const Hidden Loc = 1 << 31

// At returns the location off bytes into object obj.
func At(obj, off uint32) Loc { return Loc(obj)<<32 | Loc(off) }

func (l Loc) obj() uint32 { return uint32(l >> 32) }

// An index numbers locations in the order of their first queries. The youngest can be forgotten again.
//
// It is a hash table with linear probing. A location goes into the first free place. Locations are
// removed in the reverse order of their insertion, so no other location has to move.
type index struct {
	locs  []Loc
	slots []uint32 // number + 1; 0: free
	shift uint8
}

const minIndex = 256

func (x *index) home(l Loc) uint64 { return uint64(l) * 0x9E3779B97F4A7C15 >> x.shift }

// find returns the number of l, and whether l is new. For a new l the caller has to make room in its own
// tables.
func (x *index) find(l Loc) (n uint32, isNew bool) {
	if len(x.locs)*2 >= len(x.slots) {
		x.grow()
	}
	mask := uint64(len(x.slots) - 1)
	for i := x.home(l); ; i = (i + 1) & mask {
		switch n := x.slots[i]; {
		case n == 0:
			x.locs = append(x.locs, l)
			x.slots[i] = uint32(len(x.locs))
			return uint32(len(x.locs)) - 1, true
		case x.locs[n-1] == l:
			return n - 1, false
		}
	}
}

// lookup returns the number of l, if it has one.
func (x *index) lookup(l Loc) (n uint32, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(x.slots) - 1)
	for i := x.home(l); x.slots[i] != 0; i = (i + 1) & mask {
		if n := x.slots[i] - 1; x.locs[n] == l {
			return n, true
		}
	}
	return 0, false
}

func (x *index) grow() {
	size := max(minIndex, 2*len(x.slots))
	x.slots = make([]uint32, size)
	x.shift = 64
	for s := size; s > 1; s /= 2 {
		x.shift--
	}
	mask := uint64(size - 1)
	for n, l := range x.locs { // the oldest first, see above
		i := x.home(l)
		for x.slots[i] != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = uint32(n) + 1
	}
}

// truncate forgets all locations but the first n.
func (x *index) truncate(n int) {
	mask := uint64(len(x.slots) - 1)
	for k := len(x.locs); k > n; k-- {
		i := x.home(x.locs[k-1])
		for x.slots[i] != uint32(k) {
			i = (i + 1) & mask
		}
		x.slots[i] = 0
	}
	x.locs = x.locs[:n]
}

package values

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/vm/layout"
)

// GrowCap returns the capacity of a slice of elements e that has grown from capacity old to have need
// elements, as the runtime's growslice computes it: small slices double, large ones grow by a quarter, those
// in between by some factor in between. The result is rounded up to the size of the allocation.
//
// The capacity must equal that of the runtime, because it decides whether later appends share an array:
// after a := append(s, 1); b := append(s, 2) the new elements are the same memory if s has room for one. gc
// gives arrays on the stack other capacities; the machine has every array on the heap.
func GrowCap(old, need uint64, e *layout.Layout) uint64 {
	es := uint64(e.Size)
	if es == 0 {
		return need
	}
	k := old
	switch {
	case need > 2*old:
		k = need
	case old < 256:
		k = 2 * old
	default:
		for k < need && k <= math.MaxInt64 {
			k += (k + 3*256) / 4
		}
		if k > math.MaxInt64 {
			k = need
		}
	}
	return RoundUpSize(k*es, len(e.Ptrs) == 0) / es
}

// RoundUpSize returns the number of bytes that a program can use when the runtime allocates n bytes
// (runtime/msize.go). noscan: they contain no pointers. An allocation with pointers that is not small has a
// header.
func RoundUpSize(n uint64, noscan bool) uint64 {
	const (
		page      = 8192
		header    = 8
		noHeader  = 512 // up to this many bytes
		mostSmall = 32768
	)
	if n > mostSmall-header {
		return (n + page - 1) &^ (page - 1)
	}
	extra := uint64(0)
	if !noscan && n > noHeader {
		extra = header
	}
	i, _ := slices.BinarySearch(mallocSizes[:], n+extra)
	return mallocSizes[i] - extra
}

// mallocSizes are the runtime's size classes (internal/runtime/gc/sizeclasses.go).
var mallocSizes = [...]uint64{
	0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288,
	320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536,
	1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912,
	8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760,
	24576, 27264, 28672, 32768,
}

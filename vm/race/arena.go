package race

import "unsafe"

// An arena allocates immutable clocks and lists, at the end of the used part of a block. Rewinding frees
// the part that was used since the mark. The clocks and lists in a block keep it alive, so blocks of a long
// path are collected when nothing refers to them any more. The last freed block is kept for reuse.
type arena[T any] struct {
	space[T]
	spare []T
}

// space is a block and how much of it is used.
type space[T any] struct {
	block []T
	used  int
}

// blockBytes is the size of a block.
const blockBytes = 1 << 14

// take returns room for n elements, which is not cleared.
func (a *arena[T]) take(n int) []T {
	if a.used+n > len(a.block) {
		a.block, a.spare, a.used = a.spare, nil, 0
		if len(a.block) < n {
			a.block = make([]T, max(blockBytes/int(unsafe.Sizeof(a.block[0])), n))
		}
	}
	a.used += n
	return a.block[a.used-n : a.used : a.used]
}

// rewind frees the part that was used since the present space was s.
func (a *arena[T]) rewind(s space[T]) {
	if len(a.block) > 0 && (len(s.block) == 0 || &s.block[0] != &a.block[0]) {
		a.spare = a.block
	}
	a.space = s
}

package race

// An arena is where clocks and lists are made that never change: at the end of what is used of a
// block. Rewinding gives back what was used since the mark. Blocks are kept by what is made in
// them, so those of a long path are collected when nothing refers to them any more; the last one
// given back is kept for the next need.
type arena[T any] struct {
	space[T]
	spare []T
}

// space is a block and how much of it is used.
type space[T any] struct {
	block []T
	used  int
}

const blockSize = 4096

// take returns room for n elements, with whatever is in it.
func (a *arena[T]) take(n int) []T {
	if a.used+n > len(a.block) {
		a.block, a.spare, a.used = a.spare, nil, 0
		if len(a.block) < n {
			a.block = make([]T, max(blockSize, n))
		}
	}
	a.used += n
	return a.block[a.used-n : a.used : a.used]
}

// rewind gives back what was used since the present space was s.
func (a *arena[T]) rewind(s space[T]) {
	if len(a.block) > 0 && (len(s.block) == 0 || &s.block[0] != &a.block[0]) {
		a.spare = a.block
	}
	a.space = s
}

// Allocation: binary trees that live for a moment, and one that lives long.
package main

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func main() {
	long, total := grow(16), 0
	for depth := 4; depth <= 16; depth += 2 {
		for range 1 << (16 - depth + 2) {
			total += grow(depth).count()
		}
	}
	println(total, long.count())
}

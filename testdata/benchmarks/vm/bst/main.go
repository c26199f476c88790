// Pointer chasing: insert 100,000 keys into a binary search tree, walk it ten times.
package main

type node struct {
	key         int
	left, right *node
}

func insert(t *node, key int) *node {
	if t == nil {
		return &node{key: key}
	}
	p := t
	for {
		switch {
		case key < p.key:
			if p.left == nil {
				p.left = &node{key: key}
				return t
			}
			p = p.left
		case key > p.key:
			if p.right == nil {
				p.right = &node{key: key}
				return t
			}
			p = p.right
		default:
			return t
		}
	}
}

func sum(t *node) int {
	if t == nil {
		return 0
	}
	return sum(t.left) + t.key + sum(t.right)
}

func main() {
	var t *node
	x := uint32(1)
	for i := 0; i < 100_000; i++ {
		x = x*1664525 + 1013904223
		t = insert(t, int(x>>8))
	}
	s := 0
	for i := 0; i < 10; i++ {
		s += sum(t)
	}
	println(s)
}

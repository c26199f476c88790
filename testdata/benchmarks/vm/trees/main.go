// Binary trees, made and forgotten.
package main

type tree struct{ l, r *tree }

func grow(d int) *tree {
	if d == 0 {
		return &tree{}
	}
	return &tree{grow(d - 1), grow(d - 1)}
}

func (t *tree) count() int {
	if t.l == nil {
		return 1
	}
	return 1 + t.l.count() + t.r.count()
}

func main() {
	long := grow(14)
	n := 0
	for range 60 {
		n += grow(12).count()
	}
	println(n, long.count())
}

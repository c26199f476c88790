package static

// table numbers values in the order in which they come.
type table[T comparable] struct {
	list []T
	num  map[T]int
}

// of returns the number of x.
func (t *table[T]) of(x T) int {
	n, ok := t.num[x]
	if !ok {
		if t.num == nil {
			t.num = map[T]int{}
		}
		n = len(t.list)
		t.list = append(t.list, x)
		t.num[x] = n
	}
	return n
}

package lin

// linearizable reports whether s has an order of the operations of h with the same results that
// respects real time (Wing and Gong 1993).
func (h *history) linearizable(s *spec) bool {
	return h.order(s, s.root, nil, make([]int, len(h.events))) != nil
}

// order returns an order of all operations that s allows and that extends the given order; nil if
// there is none. The given order has the first at[g] operations of each goroutine g, and ends at node
// n of s.
func (h *history) order(s *spec, n *node, order, at []int) []int {
	left := false
	for g, events := range h.events {
		if at[g] == len(events) {
			continue
		}
		left = true
		e := &events[at[g]]
		if !h.minimal(e, at) {
			continue
		}
		longer := append(order, g)
		next := n.next[g]
		if next == nil {
			next = s.learn(longer)
		}
		if next.result != e.result {
			continue
		}
		at[g]++
		all := h.order(s, next, longer, at)
		at[g]--
		if all != nil {
			return all
		}
	}
	if left {
		return nil
	}
	if n.ended == nil {
		s.learn(order)
	}
	if !equal(h.initial, n.ended.initial) || !equal(h.final, n.ended.final) {
		return nil
	}
	return append([]int{}, order...)
}

// longest sets best to an order of as many operations as possible that s allows and that extends the
// given order: see method order.
func (h *history) longest(s *spec, n *node, order, at []int, best *[]int) {
	if len(order) > len(*best) {
		*best = append([]int{}, order...)
	}
	for g, events := range h.events {
		if at[g] == len(events) || !h.minimal(&events[at[g]], at) {
			continue
		}
		longer := append(order, g)
		next := n.next[g]
		if next == nil {
			next = s.learn(longer)
		}
		if next.result == events[at[g]].result {
			at[g]++
			h.longest(s, next, longer, at, best)
			at[g]--
		}
	}
}

// minimal reports whether every operation that precedes e in real time is among the first at[g] of its
// goroutine g.
func (h *history) minimal(e *event, at []int) bool {
	for g, n := range at {
		if e.before.returned(g) > n {
			return false
		}
	}
	return true
}

// equal reports whether a and b are the same results.
func equal(a, b []any) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

package lin

// linearizable reports whether s has an order of the operations of h with the same results that
// respects real time.
func (h *history) linearizable(s *spec) bool {
	return equal(h.initial, s.initial) && h.order(s.root, make([]int, len(h.events))) != nil
}

// order returns in reverse the goroutines of an order of the remaining operations, of goroutine g those
// from at[g] on, that n and the nodes after it allow; nil if there is none.
func (h *history) order(n *node, at []int) []int {
	ended := true
	for g, events := range h.events {
		if at[g] == len(events) {
			continue
		}
		ended = false
		e := &events[at[g]]
		if n.next[g].result != e.result || !h.minimal(e, at) {
			continue
		}
		at[g]++
		rest := h.order(n.next[g], at)
		at[g]--
		if rest != nil {
			return append(rest, g)
		}
	}
	if ended && equal(h.final, n.final) {
		return []int{}
	}
	return nil
}

// minimal reports whether everything that precedes e in real time is among what at says.
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

package lin

// A spec is the specification of a scenario: what its operations return when they are executed one
// after another, by the orders in which they can be.
type spec struct {
	initial []any
	root    *node
	// sequential executes operations of the scenario in an order of goroutines, and then the final ones.
	sequential func(order []int) (initial, results, final []any)
	lengths    []int
}

// A node is what is known after some operations have been executed in some order.
type node struct {
	result any     // of the last of them
	next   []*node // by the goroutine that executes the next one
	final  []any   // if there is none
}

// specify returns the specification of sc that objects of o are.
func specify[T any](o Object[T], sc scenario) *spec {
	calls, initial, final := flat(o.Ops), flat(o.Initial), flat(o.Final)
	s := &spec{root: &node{next: make([]*node, len(sc))}}
	for _, ops := range sc {
		s.lengths = append(s.lengths, len(ops))
	}
	s.sequential = func(order []int) (first, results, last []any) {
		x := o.New()
		first = sequence(x, initial)
		at := make([]int, len(sc))
		for _, g := range order {
			results = append(results, plain(calls[sc[g][at[g]]].do(x)))
			at[g]++
		}
		return first, results, sequence(x, final)
	}
	s.all(s.root, nil, make([]int, len(sc)))
	return s
}

// all adds all orders that begin with order, which leads to n, where at operations of the goroutines
// have been executed.
func (s *spec) all(n *node, order, at []int) {
	ended := true
	for g, length := range s.lengths {
		if at[g] == length {
			continue
		}
		ended = false
		at[g]++
		if n.next[g] == nil {
			n.next[g] = &node{next: make([]*node, len(s.lengths))}
		}
		s.all(n.next[g], append(order, g), at)
		at[g]--
	}
	if !ended {
		return
	}
	var results []any
	s.initial, results, n.final = s.sequential(order)
	n = s.root
	for i, g := range order {
		n = n.next[g]
		n.result = results[i]
	}
}

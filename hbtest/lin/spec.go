package lin

// A spec is the specification of a scenario: for each order of its operations, their results when they are
// executed one after another.
type spec struct {
	root    *node
	lengths []int // operations of each goroutine
	// sequential executes operations of the scenario in an order of goroutines, and then the final ones.
	sequential func(order []int) (initial, results, final []any)
}

// A node has the results after some operations have been executed in some order.
type node struct {
	result any     // result of the last operation
	next   []*node // by the goroutine that executes the next operation; nil: not known yet
	ended  *ended  // not nil if it is known, and no operation is left
}

// ended has the results of a complete order.
type ended struct{ initial, final []any }

// mostOrders is the most orders that are executed before a scenario is explored. If there are more, each
// execution of the scenario executes the orders that its history asks for.
const mostOrders = 1000

// specify returns the specification of sc, whose results are those of an object of o.
func specify[T any](o Object[T], sc scenario) *spec {
	calls, initial, final := flat(o.Ops), flat(o.Initial), flat(o.Final)
	s := &spec{root: newNode(len(sc))}
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
	if orders(s.lengths) <= mostOrders {
		s.all(nil, make([]int, len(sc)))
	}
	return s
}

func newNode(goroutines int) *node { return &node{next: make([]*node, goroutines)} }

// orders returns how many orders there are, or some number above mostOrders.
func orders(lengths []int) int {
	n, all := 0, 1
	for _, length := range lengths {
		for i := range length { // ways to choose the places of its operations
			n++
			if all = all * n / (i + 1); all > mostOrders {
				return all
			}
		}
	}
	return all
}

// all executes all orders that begin with order, which has at[g] operations of each goroutine g.
func (s *spec) all(order, at []int) {
	left := false
	for g, length := range s.lengths {
		if at[g] < length {
			left = true
			at[g]++
			s.all(append(order, g), at)
			at[g]--
		}
	}
	if !left {
		s.learn(order)
	}
}

// learn executes an order, records the results in the tree, and returns the order's node.
func (s *spec) learn(order []int) *node {
	initial, results, final := s.sequential(order)
	n := s.root
	for i, g := range order {
		if n.next[g] == nil {
			n.next[g] = newNode(len(s.lengths))
		}
		n = n.next[g]
		n.result = results[i]
	}
	if len(order) == sum(s.lengths) {
		n.ended = &ended{initial, final}
	}
	return n
}

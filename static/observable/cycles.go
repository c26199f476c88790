package observable

// Cycles returns, for each of n nodes of a graph, whether it is on a cycle, and the number of its
// strongly connected component (Tarjan 1972). Component numbers serve only for comparison.
// From roots all nodes can be reached; successor returns the i-th successor of a node, if it exists.
// The function has a stack of its own: the graphs of generated code are thousands of nodes deep.
func Cycles(n int, roots []int, successor func(v, i int) (int, bool)) (in []bool, part []int) {
	in, part = make([]bool, n), make([]int, n)
	type node struct {
		num, low int
		open     bool
		next     int // successors followed
	}
	at := make([]node, n)
	var stack, path []int
	count := 0
	for _, root := range roots {
		if at[root].num != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			x := &at[v]
			if x.num == 0 {
				count++
				x.num, x.low, x.open = count, count, true
				stack = append(stack, v)
			}
			if s, ok := successor(v, x.next); ok {
				x.next++
				switch t := &at[s]; {
				case s == v:
					in[v] = true
				case t.num == 0:
					path = append(path, s)
				case t.open:
					x.low = min(x.low, t.num)
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := &at[path[len(path)-1]]
				p.low = min(p.low, x.low)
			}
			if x.low != x.num {
				continue
			}
			for alone := stack[len(stack)-1] == v; ; {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				at[last].open, part[last] = false, x.num
				in[last] = in[last] || !alone
				if last == v {
					break
				}
			}
		}
	}
	return in, part
}

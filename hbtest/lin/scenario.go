package lin

import "slices"

// A scenario has the operations that each goroutine executes, as indices of calls.
type scenario [][]int

// A shape has the number of operations of each goroutine of a scenario, the largest first.
type shape struct {
	lengths []int
	count   int // scenarios of this shape, up to the order of goroutines with equally many operations
}

// shapes returns all shapes with 2 to k goroutines (1 if k is 1), each with 1 to m operations. Shapes with
// few operations come first, and the list ends when there are too many scenarios. There are d calls.
func shapes(k, m, d int) (all []shape) {
	n := 0 // scenarios
	// add adds the shapes that begin with lengths and have left more operations.
	var add func(lengths []int, left int)
	add = func(lengths []int, left int) {
		switch {
		case left == 0 && len(lengths) >= min(k, 2):
			s := shape{slices.Clone(lengths), count(lengths, d)}
			all = append(all, s)
			n += s.count
			return
		case left == 0 || len(lengths) == k:
			return
		}
		most := min(m, left)
		if len(lengths) > 0 {
			most = min(most, lengths[len(lengths)-1])
		}
		for length := 1; length <= most && n < mostScenarios; length++ {
			add(append(lengths, length), left-length)
		}
	}
	for operations := 1; operations <= k*m && n < mostScenarios; operations++ {
		add(nil, operations)
	}
	return all
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// count returns how many scenarios have goroutines of these lengths.
func count(lengths []int, d int) int {
	n := 1
	for i := 0; i < len(lengths); {
		same := i
		for same < len(lengths) && lengths[same] == lengths[i] {
			same++
		}
		n = min(n*multisets(power(d, lengths[i]), same-i), mostScenarios)
		i = same
	}
	return n
}

// mostScenarios is more than a search can explore. Counts of scenarios stop there.
const mostScenarios = 1 << 20

// multisets returns how many multisets of k elements there are of n.
func multisets(n, k int) int {
	c := 1
	for i := range k {
		if c = c * (n + i) / (i + 1); c > mostScenarios {
			return mostScenarios
		}
	}
	return c
}

func power(d, n int) int {
	p := 1
	for range n {
		p = min(p*d, mostScenarios)
	}
	return p
}

// nth returns scenario i of all shapes with d calls. Goroutines with the same number of operations are
// ordered by their operations, so that no two scenarios differ only in the order of goroutines.
func nth(all []shape, d, i int) scenario {
	for _, s := range all {
		if i < s.count {
			return s.nth(d, i)
		}
		i -= s.count
	}
	panic("lin: no such scenario")
}

func (s shape) nth(d, i int) (sc scenario) {
	for from := 0; from < len(s.lengths); {
		to := from
		for to < len(s.lengths) && s.lengths[to] == s.lengths[from] {
			to++
		}
		n := power(d, s.lengths[from]) // sequences of that length, as numbers with digits of base d
		group := multisets(n, to-from)
		rest := i % group
		i /= group
		low := 0 // the next sequence is not less
		for g := from; g < to; g++ {
			for {
				below := multisets(n-low, to-g-1) // multisets that begin with low
				if rest < below {
					break
				}
				rest -= below
				low++
			}
			sc = append(sc, digits(low, d, s.lengths[g]))
		}
		from = to
	}
	return sc
}

// digits returns the n digits of x with base d, the most significant first.
func digits(x, d, n int) []int {
	list := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		list[i] = x % d
		x /= d
	}
	return list
}

package symbolic

// analysis has the data for the analysis of a conflict.
type analysis struct {
	marks  []mark    // by node
	marked []literal // nodes that are marked, to be unmarked
	clause []literal // the clause that is learned
	stamps []int     // by level: the last conflict whose clause has the level
	number int       // number of the conflict
}

// A mark is the state of a node's literal in the analysis of a conflict.
type mark int8

const (
	unmarked  mark = iota
	inClause       // the node is in the clause, or will be replaced by its reason
	follows        // the node follows from others that are in the clause
	necessary      // the node does not follow from others in the clause
)

// analyze returns the clause learned from a conflict, with the implied literal first; the level to go back
// to, at which only that literal is unassigned; and its glue, the number of its levels. The literals of the
// clause are the last ones on the ways from the decisions to the conflict, with a single literal of the
// last level (the first unique implication point). Literals that follow from the others are left out.
func (s *sat) analyze(conflict clause) (lits []literal, level, glue int) {
	a := &s.analysis
	a.clause, a.marked = append(a.clause[:0], no), a.marked[:0]
	last := int32(len(s.levels))
	at, open := len(s.trail), 0
	for c := conflict; ; {
		if s.arena[c-1] > 0 {
			s.arena[c-1] |= used
		}
		for _, l := range s.literals(c) {
			n := l.node()
			p := &s.nodes[n]
			if p.level == 0 || a.marks[n] != unmarked || s.values[l] > 0 { // true: the implied literal
				continue
			}
			s.mark(l, inClause)
			s.queue.raise(n)
			if p.level == last {
				open++
			} else {
				//mutant: conflicts have few literals [symbolic Problems]: "a.clause = append(a.clause, l)" -> "if len(a.clause) < 4 {\n\t\t\t\t\ta.clause = append(a.clause, l)\n\t\t\t\t}"
				a.clause = append(a.clause, l)
			}
		}
		for at--; a.marks[s.trail[at].node()] != inClause; at-- {
		}
		if open--; open == 0 {
			break
		}
		c = s.nodes[s.trail[at].node()].reason
	}
	a.clause[0] = s.trail[at].not()
	a.number++
	for _, l := range a.clause {
		s.stamp(l)
	}
	kept := a.clause[:1]
	for _, l := range a.clause[1:] {
		//mutant: what has a reason follows [symbolic Problems]: "implied(l) " -> "implied(l) && s.nodes[l.node()].reason == 0 "
		if !s.implied(l) {
			kept = append(kept, l)
		}
	}
	a.clause = kept
	for _, l := range a.marked {
		a.marks[l.node()] = unmarked
	}
	a.number++
	for i, l := range kept {
		if s.stamp(l) {
			glue++
		}
		if n := int(s.nodes[l.node()].level); i > 0 && n > level {
			level = n
			kept[1], kept[i] = l, kept[1]
		}
	}
	return kept, level, glue
}

func (s *sat) mark(l literal, m mark) {
	a := &s.analysis
	if a.marks[l.node()] == unmarked {
		a.marked = append(a.marked, l)
	}
	a.marks[l.node()] = m
}

// stamp notes that a literal of that level is in the clause, and reports whether it is the first.
func (s *sat) stamp(l literal) bool {
	a, n := &s.analysis, s.nodes[l.node()].level
	for len(a.stamps) <= int(n) {
		a.stamps = append(a.stamps, 0)
	}
	first := a.stamps[n] != a.number
	a.stamps[n] = a.number
	return first
}

// implied reports whether the falsehood of l follows from that of other literals in the clause: its reason
// consists of such literals, and of literals that they imply. A literal of a level without a literal in the
// clause is not implied.
func (s *sat) implied(l literal) bool {
	a := &s.analysis
	reason := s.nodes[l.node()].reason
	if reason == 0 {
		return false
	}
	for _, x := range s.literals(reason) {
		n := x.node()
		p := &s.nodes[n]
		if n == l.node() || p.level == 0 || a.marks[n] == inClause || a.marks[n] == follows {
			continue
		}
		if a.marks[n] == necessary || p.reason == 0 || a.stamps[p.level] != a.number {
			return false
		}
		if !s.implied(x) {
			s.mark(x, necessary)
			return false
		}
		s.mark(x, follows)
	}
	return true
}

// queue is a heap of nodes, ordered by the number of recent conflicts.
type queue struct {
	heap     []int32
	at       []int32 // by node: its place in the heap, from 1 on; 0: not in the heap
	activity []float64
	weight   float64 // of a conflict
}

const (
	decayed  = 0.95
	tooLarge = 1e100
)

func (q *queue) add(n int32) {
	if q.at[n] == 0 {
		q.heap = append(q.heap, n)
		q.up(len(q.heap)-1, n)
	}
}

// pop removes the first node.
func (q *queue) pop() (n int32, ok bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	n = q.heap[0]
	q.at[n] = 0
	end := len(q.heap) - 1
	last := q.heap[end]
	if q.heap = q.heap[:end]; end > 0 {
		q.down(last)
	}
	return n, true
}

// raise records that a conflict involves n.
func (q *queue) raise(n int32) {
	q.activity[n] = float64(q.activity[n] + q.weight)
	if q.activity[n] > tooLarge {
		for i := range q.activity {
			q.activity[i] = float64(q.activity[i] / tooLarge)
		}
		q.weight = float64(q.weight / tooLarge)
	}
	if i := q.at[n]; i > 0 {
		q.up(int(i-1), n)
	}
}

// decay makes all conflicts so far count less than the next one.
func (q *queue) decay() { q.weight = float64(q.weight / decayed) }

// up puts n at the free place i, or nearer to the top.
func (q *queue) up(i int, n int32) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(n, q.heap[parent]) {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, n)
}

// down puts n at the top, or at its place below.
func (q *queue) down(n int32) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.less(q.heap[child+1], q.heap[child]) {
			child++
		}
		if q.less(n, q.heap[child]) {
			break
		}
		q.put(i, q.heap[child])
		i = child
	}
	q.put(i, n)
}

func (q *queue) put(i int, n int32) {
	q.heap[i] = n
	q.at[n] = int32(i + 1)
}

func (q *queue) less(a, b int32) bool {
	x, y := q.activity[a], q.activity[b]
	return x > y || x == y && a > b
}

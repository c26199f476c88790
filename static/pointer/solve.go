package pointer

// nodeID is a register or an address. Addresses are the leaves of objects;
// those that hold pointers have a content, as registers have a value: a
// variable of the constraint system. 0 is no node.
type nodeID int32

// node has the meaning of a nodeID.
type node struct {
	obj int32 // the object whose leaf it is; 0: a register
	v   int32 // variable of the node; 0: none yet
}

// variable has the known value of a register or a leaf.
//
// Difference propagation: elems[:done] has reached all successors and
// constraints, the rest has not.
//
//	elems    a  b  c | d  e
//	         elems[:done]   elems[done:] is the delta of the next propagate
//
// A successor or constraint that is added later gets elems[:done] at once, and the rest
// together with all others.
type variable struct {
	elems  []nodeID     // elements in the order found
	copies []nodeID     // variables whose value includes this one
	cons   []constraint // constraints to be applied to every element
	set    nodeSet      // of elems, once there are more than few
	edges  nodeSet      // of copies, once there are more than few
	done   int32
	node   nodeID
	queued bool
}

// few is the size up to which a slice is searched faster than a set.
const few = 8

// nodeSet is a hash table with open addressing, at most half full, whose length is
// a power of two; 0 is a free place.
type nodeSet []nodeID

// add notes that x is going to be added to list, and reports whether it is new. t is
// the set of list.
func (t *nodeSet) add(list []nodeID, x nodeID) bool {
	if len(list) <= few && *t == nil {
		for _, e := range list {
			if e == x {
				return false
			}
		}
		if len(list) < few {
			return true
		}
	}
	if 2*(len(list)+1) > len(*t) {
		*t = make(nodeSet, max(4*few, 2*len(*t)))
		for _, e := range list {
			t.insert(e)
		}
	}
	return t.insert(x)
}

func (t *nodeSet) insert(x nodeID) bool {
	for i := uint32(x) * 0x9E3779B1 >> 7; ; i++ {
		switch p := &(*t)[i&uint32(len(*t)-1)]; *p {
		case x:
			return false
		case 0:
			*p = x
			return true
		}
	}
}

// constraint is a reaction to new elements of a variable.
type constraint interface {
	apply(a *analysis, delta []nodeID)
}

const slabBits = 10

// solver holds the constraint graph.
//
// Claim: when the queue is empty, each copy edge v ⊆ w and each constraint on v holds for all
// elements of v.
//
//  1. An edge or constraint holds for elems[:done]: it gets these elements when it is added, and later
//     elements when done moves past them (propagate).
//  2. If done is less than the number of elements and v has edges or constraints, v is in the
//     queue: code that adds an element enqueues v, and code that adds the first edge moves done to the end.
//  3. So when the queue is empty, done is the number of elements for every variable with edges.
//
// Each element passes each edge once. There are at most n² elements and n² edges in all, which
// gives the cubic bound of Andersen's analysis; programs need much less (doc.go).
type solver struct {
	nodes []node
	slabs [][]variable
	nvar  int32
	queue []nodeID // variables with elements to propagate
	head  int
	stats struct{ copies, cons, facts, steps int }
}

func newSolver() solver {
	return solver{nodes: make([]node, 1, 1<<14), nvar: 1}
}

// registers creates n registers.
func (s *solver) registers(n int) nodeID {
	id := nodeID(len(s.nodes))
	for range n {
		s.nodes = append(s.nodes, node{})
	}
	return id
}

// variable returns the variable of n, creating it.
func (s *solver) variable(n nodeID) *variable {
	i := s.nodes[n].v
	if i == 0 {
		i = s.nvar
		s.nvar++
		if int(i)>>slabBits >= len(s.slabs) {
			s.slabs = append(s.slabs, make([]variable, 1<<slabBits))
		}
		s.nodes[n].v = i
		v := &s.slabs[i>>slabBits][i&(1<<slabBits-1)]
		v.node = n
		return v
	}
	return &s.slabs[i>>slabBits][i&(1<<slabBits-1)]
}

// value returns the elements of n in the order they were found.
func (s *solver) value(n nodeID) []nodeID {
	if n == 0 || s.nodes[n].v == 0 {
		return nil
	}
	return s.variable(n).elems
}

// insert adds x to v and reports whether it is new.
func (v *variable) insert(x nodeID) bool {
	if !v.set.add(v.elems, x) {
		return false
	}
	v.elems = append(v.elems, x)
	return true
}

// add puts address x into the value of n.
func (s *solver) add(n, x nodeID) {
	if n == 0 {
		return
	}
	if v := s.variable(n); v.insert(x) {
		s.stats.facts++
		s.enqueue(v)
	}
}

func (s *solver) addAll(n nodeID, xs []nodeID) {
	if len(xs) == 0 {
		return
	}
	v := s.variable(n)
	grown := false
	for _, x := range xs {
		if v.insert(x) {
			s.stats.facts++
			grown = true
		}
	}
	if grown {
		s.enqueue(v)
	}
}

func (s *solver) enqueue(v *variable) {
	if !v.queued && (len(v.copies) > 0 || len(v.cons) > 0) {
		v.queued = true
		s.queue = append(s.queue, v.node)
	}
}

// copy makes dst include src.
func (s *solver) copy(dst, src nodeID) {
	if src == dst || src == 0 || dst == 0 {
		return
	}
	v := s.variable(src)
	if !v.edges.add(v.copies, dst) {
		return
	}
	s.stats.copies++
	if len(v.copies) == 0 && len(v.cons) == 0 {
		v.done = int32(len(v.elems)) // v had no constraint that needs them
	}
	v.copies = append(v.copies, dst)
	s.addAll(dst, v.elems[:v.done])
}

// copyN is copy for n registers in a row.
func (s *solver) copyN(dst, src nodeID, n int) {
	if src == 0 || dst == 0 {
		return
	}
	for i := range nodeID(n) {
		s.copy(dst+i, src+i)
	}
}

// on applies c to every element of n, now and later.
func (a *analysis) on(n nodeID, c constraint) {
	if n == 0 {
		return
	}
	a.stats.cons++
	v := a.variable(n)
	if len(v.copies) == 0 && len(v.cons) == 0 {
		v.done = int32(len(v.elems))
	}
	v.cons = append(v.cons, c)
	if v.done > 0 {
		a.work += uint64(v.done)
		c.apply(a, v.elems[:v.done:v.done])
	}
}

// propagate takes the next variable from the queue and passes its new elements on to its constraints and
// successors. It reports false if there is none. The order is first in, first out, because the variable that
// has waited longest has the most elements to pass on at once.
func (a *analysis) propagate() bool {
	if a.head == len(a.queue) {
		a.queue, a.head = a.queue[:0], 0
		return false
	}
	n := a.queue[a.head]
	a.head++
	if a.head > 1<<12 && a.head > len(a.queue)/2 {
		a.queue = append(a.queue[:0], a.queue[a.head:]...)
		a.head = 0
	}
	a.stats.steps++
	v := a.variable(n)
	v.queued = false
	delta := v.elems[v.done:len(v.elems):len(v.elems)]
	v.done = int32(len(v.elems))
	a.work += uint64(len(delta)) * uint64(len(v.cons)+len(v.copies))
	// Entries added to the lists during that time get delta by copy and on.
	for _, c := range v.cons[:len(v.cons):len(v.cons)] {
		c.apply(a, delta)
	}
	for _, d := range v.copies[:len(v.copies):len(v.copies)] {
		a.addAll(d, delta)
	}
	return true
}

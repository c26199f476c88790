package mhb

import (
	"hbcheck.dev/hbcheck/trace"
)

// Answers are remembered. A walk is a deterministic program that asks the state
// for a register here and a word of memory there; its result depends on the
// answers and on nothing else. So the walks for one operation before one
// configuration of stacks are kept as a decision tree: inner nodes are questions,
// edges answers, leaves results. In a state in which every answer on the way
// down is known, a query asks these few questions and walks no code. Nothing
// ever has to be invalidated.

// maxNodes bounds the trees; beyond it they are dropped and grow anew.
const maxNodes = 1 << 20

// node is a question, or a result.
type node struct {
	q    question
	leaf *leaf
	kids []kid
	more map[answer]*node // instead of kids, when there are many
}

type kid struct {
	a answer
	n *node
}

// child returns the node behind answer a, or nil.
func (n *node) child(a answer) *node {
	if n.more != nil {
		return n.more[a]
	}
	for i := range n.kids {
		if n.kids[i].a == a {
			return n.kids[i].n
		}
	}
	return nil
}

// grow adds the node behind answer a.
func (n *node) grow(a answer) *node {
	c := new(node)
	switch {
	case n.more != nil:
		n.more[a] = c
	case len(n.kids) < 8:
		n.kids = append(n.kids, kid{a, c})
	default:
		n.more = make(map[answer]*node)
		for _, k := range n.kids {
			n.more[k.a] = k.n
		}
		n.kids = nil
		n.more[a] = c
	}
	return c
}

// rootKey is what the root of a tree is found by: the operation and where the
// others stand. Objects are told apart by their identity too.
type rootKey struct {
	op    trace.Op
	ident [2]struct {
		site   uint64
		layout uint32
	}
	shape [2]uint64
}

// rootOf returns the tree for op in the present configuration. An op whose Kind
// is None stands for everything the others can do while g is parked.
func (o *Oracle) rootOf(s State, g trace.GID, op *trace.Op) *node {
	k := rootKey{op: *op, shape: o.shape(s, g)}
	k.op.G = g
	for i := range op.N {
		k.ident[i].site, k.ident[i].layout = s.Identity(op.Access[i].Obj)
	}
	n := o.roots[k]
	if n == nil {
		if o.nodes > maxNodes {
			o.nodes = 0
			clear(o.roots)
		}
		n = new(node)
		o.roots[k] = n
		o.nodes++
	}
	return n
}

// recall follows the tree at n as far as answers are known. It returns the
// result, or nil.
func (o *Oracle) recall(s State, n *node) *leaf {
	for n != nil && n.leaf == nil && n.q.kind != noQuestion {
		n = n.child(o.answer(s, n.q))
	}
	if n == nil {
		return nil
	}
	return n.leaf
}

// view asks the state on behalf of one walk and writes down what it says.
type view struct {
	o     *Oracle
	s     State
	known map[question]answer
	at    *node
}

func (v *view) ask(q question) answer {
	if a, ok := v.known[q]; ok {
		return a
	}
	a := v.o.answer(v.s, q)
	v.known[q] = a
	switch v.at.q.kind {
	case noQuestion:
		v.at.q = q
	default:
		if v.at.q != q {
			panic("BUG: a walk asks different questions in states that look the same to it")
		}
	}
	n := v.at.child(a)
	if n == nil {
		n = v.at.grow(a)
		v.o.nodes++
	}
	v.at = n
	return a
}

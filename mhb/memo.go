package mhb

import (
	"hbcheck.dev/hbcheck/trace"
)

// Walks are remembered. The walk of one goroutine is a deterministic program
// that asks the state for a register here and a word of memory there; its result
// depends on the answers and on nothing else. So the walks for one operation,
// of a goroutine that stands in one place, are kept as a decision tree: inner
// nodes are questions, edges answers, leaves results. In a state in which every
// answer on the way down is known, a query asks these few questions and walks
// no code. Nothing ever has to be invalidated.

// maxNodes bounds the trees; beyond it they are dropped and grow anew.
const maxNodes = 1 << 20

// node is a question, or a result.
type node struct {
	q    question
	leaf *summary
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

// recall follows the tree at n as far as answers are known. It returns the
// result, or nil.
func (o *Oracle) recall(s State, tc, g trace.GID, n *node) *summary {
	for n != nil && n.leaf == nil && n.q.kind != noQuestion {
		n = n.child(o.answer(s, tc, g, n.q))
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
	tc    trace.GID // who waits
	g     trace.GID // who is walked
	known map[question]answer
	at    *node
}

func (v *view) ask(q question) answer {
	if a, ok := v.known[q]; ok {
		return a
	}
	a := v.o.answer(v.s, v.tc, v.g, q)
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

package mhb

import (
	"hbcheck.dev/hbcheck/trace"
)

// Walks are memoised by the values that they read (adaptive memoisation: Acar, Blelloch and Harper,
// Selective Memoization, POPL 2003). The walk of one goroutine is a deterministic program that reads some
// registers and words of memory; its result depends only on these values. So the walks for one operation,
// of goroutines with the same stack, are kept as a decision tree: inner nodes are questions, edges answers,
// leaves results. If the present state has a known answer to each question from the root to a leaf, a query
// asks only these few questions and interprets no code. Nothing ever has to be invalidated.
//
//	register r1 of frame 0?
//	 ├─ 0x7_0010 → word at 0x7_0010?
//	 │              ├─ 1 → [stops at the mutex 0x7_0010]
//	 │              └─ 0 → [may write s.f]
//	 └─ unknown  → [anything]

// maxNodes bounds the trees; with more nodes they are dropped and grow again.
const maxNodes = 1 << 20

// node is a question, or a result.
type node struct {
	q     question
	leaf  *summary
	edges []edge
	more  map[answer]*node // instead of edges, when there are many
}

type edge struct {
	a answer
	n *node
}

// child returns the node that answer a leads to, or nil.
//
// A node with many answers, such as a register that holds another object each time, has a map.
func (n *node) child(a answer) *node {
	if n.more != nil {
		return n.more[a]
	}
	for i := range n.edges {
		if n.edges[i].a == a {
			return n.edges[i].n
		}
	}
	return nil
}

// grow adds the node that answer a leads to.
func (n *node) grow(a answer) *node {
	c := new(node)
	switch {
	case n.more != nil:
		n.more[a] = c
	case len(n.edges) < 8:
		n.edges = append(n.edges, edge{a, c})
	default:
		n.more = make(map[answer]*node)
		for _, k := range n.edges {
			n.more[k.a] = k.n
		}
		n.edges = nil
		n.more[a] = c
	}
	return c
}

// recall follows the tree at n as far as answers are known. It returns the result, or nil, and records in
// last the answers on which the result depends.
func (o *Oracle) recall(s State, tc, g trace.GID, found []*summary, n *node, last *recent, canMove bool) *summary {
	objs, deps := o.renaming[:0], o.deps[:0]
	o.renaming, o.deps = nil, nil // an answer may take other walks
	for n != nil && n.leaf == nil && n.q.kind != noQuestion {
		q := n.q
		a := o.answer(s, tc, g, found, q, &objs)
		switch q.kind {
		case askRegister, askDeferred, askClosing: // see again
		default:
			q.p = objs.resolve(q.p)
			deps = append(deps, dep{q, a})
		}
		n = n.child(a)
	}
	o.renaming, o.deps = objs, deps
	if n == nil || n.leaf == nil {
		return nil
	}
	last.note(s, g, n.leaf, canMove, deps)
	return n.leaf
}

// view asks the state on behalf of one walk, and records the answers.
type view struct {
	o       *Oracle
	s       State
	tc      trace.GID  // the goroutine in question
	g       trace.GID  // the goroutine that is walked
	found   []*summary // the findings of the previous round
	renamed renaming
	recs    []record // the record of the walk, followed by those of the functions that are being walked
}

// record has the questions of a walk, or of a part of one, and the node of the tree that the answers lead
// to.
type record struct {
	known map[question]answer
	at    *node // nil: given up (giveUp)
}

// record begins a record in the tree at n.
func (v *view) record(n *node) {
	v.recs = append(v.recs, record{known: map[question]answer{}, at: n})
}

// recorded ends the record begun last, and returns the node that it leads to.
func (v *view) recorded() *node {
	r := v.recs[len(v.recs)-1]
	v.recs = v.recs[:len(v.recs)-1]
	return r.at
}

// giveUp ends the records of all functions that are being walked, but not the walk's own: their further
// questions depend on earlier parts of the walk.
func (v *view) giveUp() {
	for i := 1; i < len(v.recs); i++ {
		v.recs[i].at = nil
	}
}

// recall follows the tree at n, of a part of the current walk, as far as answers are known. It returns the
// result, or nil.
func (v *view) recall(n *node) *summary {
	for n != nil && n.leaf == nil && n.q.kind != noQuestion {
		n = n.child(v.ask(n.q))
	}
	if n == nil {
		return nil
	}
	return n.leaf
}

// Invariant: a record has all questions that were asked during it, and so have all records around
// it. So the first record that has the answer shows which records lack it. Each of these gets its
// own node for the question, as if it had asked.
func (v *view) ask(q question) (a answer) {
	// A question of a function is also a question of all functions around it.
	known := len(v.recs)
	for ; known > 0; known-- {
		var ok bool
		if a, ok = v.recs[known-1].known[q]; ok {
			break
		}
	}
	if known == 0 {
		a = v.o.answer(v.s, v.tc, v.g, v.found, q, &v.renamed)
	}
	for i := known; i < len(v.recs); i++ {
		v.note(&v.recs[i], q, a)
	}
	return a
}

// note writes a down in r as the answer to q.
//
// Two walks at one node have had the same answers so far, and are deterministic. If they ask different
// questions, the code of the walk depends on something other than answers.
func (v *view) note(r *record, q question, a answer) {
	r.known[q] = a
	switch {
	case r.at == nil:
		return
	case r.at.q.kind == noQuestion:
		r.at.q = q
	default:
		if r.at.q != q {
			panic("BUG: a walk asks different questions after equal answers")
		}
	}
	n := r.at.child(a)
	if n == nil {
		n = r.at.grow(a)
		v.o.nodes++
	}
	r.at = n
}

package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// fill notes what alternative choice of e, a select that is about to be executed, does to a buffer.
func (x *Execution) fill(e *Event, choice int) {
	k := x.Sys.Case(e.G, choice)
	if k < 0 || e.With.Kind != trace.None {
		return
	}
	x.cases, _ = x.Sys.Cases(e.G, x.cases[:0])
	switch c := &x.cases[k]; {
	case c.Room == 0 || c.Closed && (c.Send || c.Len == 0):
	case c.Send:
		e.Obj, e.Grow = c.Chan, 1
	default:
		e.Obj, e.Grow = c.Chan, -1
	}
}

// Several reports whether op waits for one of several channels.
func (n *NextOp) Several() bool { return n.Kind == trace.Select && (n.N > 1 || n.Wide) }

// front is what a goroutine could do when it arrived before a select by event at.
type front struct {
	At    int
	G     trace.GID
	Cases []por.Case
}

// front notes what g could do, which has arrived by event i, if it stands before a select.
func (x *Execution) front(g trace.GID, i int) {
	if k := x.Pending[g].Kind; k != trace.Select && k != trace.TrySelect {
		return
	}
	cases, _ := x.Sys.Cases(g, nil)
	x.Fronts = append(x.Fronts, front{i, g, cases})
}

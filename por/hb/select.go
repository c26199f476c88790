package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A SelectSnapshot is what a goroutine could do when it arrived at a select by event At (-1: at the
// start).
//
// It is kept because later it cannot be known any more: claim 10 of docs/research/optimal.md compares what
// a select could do in the state before a prefix with what it can do after it.
type SelectSnapshot struct {
	At    int
	G     trace.GID
	Cases []por.Case
}

// snapshotSelect is called when g has arrived by event i. It records the cases of a select.
func (x *Execution) snapshotSelect(g trace.GID, i int) {
	if k := x.Pending[g].Kind; k == trace.Select || k == trace.TrySelect {
		x.addSnapshot(g, i)
	}
}

func (x *Execution) addSnapshot(g trace.GID, i int) {
	cases, _ := x.sys.Cases(g, nil)
	x.Snapshots = append(x.Snapshots, SelectSnapshot{i, g, cases})
}

// recordBufferChange records what the given alternative of e, a select that is about to be
// executed, does to a buffer.
//
// A case with a partner goes past the buffer, and one on a closed channel changes nothing.
func (x *Execution) recordBufferChange(e *Event, choice int) {
	k := x.sys.Case(e.G, choice)
	if k < 0 || e.PartnerOp.Kind != trace.None {
		return
	}
	x.cases, _ = x.sys.Cases(e.G, x.cases[:0])
	c := &x.cases[k]
	nothing := c.Closed && (c.Send || c.Len == 0)
	if c.Room == 0 || nothing {
		return
	}
	e.BufferChan, e.BufferChange = c.Chan, -1
	if c.Send {
		e.BufferChange = 1
	}
}

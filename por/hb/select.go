package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// recordBufferChange notes what alternative choice of e, a select that is about to be executed, does to a buffer.
func (x *Execution) recordBufferChange(e *Event, choice int) {
	k := x.Sys.Case(e.G, choice)
	if k < 0 || e.PartnerOp.Kind != trace.None {
		return
	}
	x.cases, _ = x.Sys.Cases(e.G, x.cases[:0])
	switch c := &x.cases[k]; {
	case c.Room == 0 || c.Closed && (c.Send || c.Len == 0):
	case c.Send:
		e.BufferChan, e.BufferChange = c.Chan, 1
	default:
		e.BufferChan, e.BufferChange = c.Chan, -1
	}
}

// MultiWay reports whether op waits for one of several channels.
func (n *NextOp) MultiWay() bool { return n.Kind == trace.Select && (n.N > 1 || n.Wide) }

// SelectSnapshot is what a goroutine could do when it arrived before a select by event at.
type SelectSnapshot struct {
	At    int
	G     trace.GID
	Cases []por.Case
}

// snapshotSelect notes what g could do, which has arrived by event i, if it stands before a select.
func (x *Execution) snapshotSelect(g trace.GID, i int) {
	if k := x.Pending[g].Kind; k != trace.Select && k != trace.TrySelect {
		return
	}
	cases, _ := x.Sys.Cases(g, nil)
	x.Snapshots = append(x.Snapshots, SelectSnapshot{i, g, cases})
}

package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A SelectSnapshot has the cases of a select when its goroutine arrived by event At (-1: at the
// start). Claim 10 of docs/research/optimal.md compares the cases
// in the state before a prefix with those after it.
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

// recordBufferChange records the effect on a buffer of the given alternative of e, a select that is
// about to be executed. A case with a partner bypasses the buffer, and one on a closed channel has no
// effect.
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

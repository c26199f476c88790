package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// beginSilence is called when g's step begins.
func (m *Machine) beginSilence(g *goroutine) silentStep {
	if m.reduction != nil || m.cfg.InTurn {
		return silentStep{}
	}
	op := &g.view.op
	for _, a := range op.Access[:op.N] {
		//mutant: only operations on channels touch channels [silent]: "heap.Chan != 0 " -> "heap.Chan != 0 && false "
		if m.heap.Objs[a.Obj].Flags&heap.Chan != 0 {
			return silentStep{}
		}
	}
	//mutant: silence has no beginning [silent]: "since: m.moment, " -> ""
	h := silentStep{silent: true, since: m.moment, saves: m.saves}
	if m.silent.until == m.moment {
		h.since = m.silent.since
	}
	return h
}

// endSilence is called when g's step has ended.
func (m *Machine) endSilence(g *goroutine, h silentStep) {
	//mutant: goroutines change by their own steps only [silent]: drop 2
	//mutant: to come to a channel makes no difference [silent]: drop 3
	if h.silent && h.saves == m.saves && !g.pending.Kind.Communicates() {
		m.silent = silence{h.since, m.moment}
	}
}

// staysTrue reports whether g's views from the beginning of the silence are still true.
func (m *Machine) staysTrue(g *goroutine) bool {
	k := g.pending.Kind
	//mutant: views stay true beyond silent steps [silent]: drop 1
	//mutant: views of all operations stay true [silent]: drop 2
	return m.silent.until == m.moment && k.Communicates() && k != trace.TrySelect
}

// A silence is a sequence of silent steps. Most steps do not involve channels, and most goroutines wait at
// channels. After a silent step the alternatives of these goroutines are unchanged, so their views stay
// valid.
//
// Claim: let g's step be silent, that is
//
//	its operation touches no channel
//	no goroutine but g is changed
//	after it g is not about to execute an operation on channels
//
// Then the alternatives of any waiting operation on channels (Send, Recv, Select) are unchanged.
//
//  1. The alternatives of an operation are a function of three things: the registers of its goroutine; the
//     headers of channels; and, for each goroutine, whether it has such an operation pending, on which
//     channels, and whether it is parked (chanAlternatives). Config.InTurn is an exception: with it no views
//     are kept.
//  2. A channel that another goroutine has is shared (state_sharing.go). So only an operation that
//     declares its objects changes it: an operation on channels, the firing or stopping of a timer, an
//     access to memory by way of package unsafe.
//  3. A goroutine is saved before it is changed, and saves are counted; a new goroutine is saved before
//     it reaches its first operation. g itself had no operation pending on a channel, by the first
//     condition, and has none now.
//
// A rewind, or another new moment, ends the period in which views stay valid.
type silence struct {
	since, until uint64 // between the states of these two moments there were silent steps only
}

// silentStep has the data that have to be the same at the end of a silent step.
type silentStep struct {
	silent       bool
	since, saves uint64
}

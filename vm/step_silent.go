package vm

import "hbcheck.dev/hbcheck/trace"

// Most steps have nothing to do with channels, and most goroutines wait at channels. What these can do is
// what they could do before such a step, so their views stay true.
//
// Claim: let g's step be silent, that is
//
//	its operation touches no channel
//	no goroutine but g is changed
//	after it g is not about to execute an operation on channels
//
// Then the alternatives of any operation on channels that waits (Send, Recv, Select) are what they were.
//
//  1. They are a function of its own registers, of the headers of channels, and of which goroutines
//     have such operations pending, on which channels, and which of them are parked
//     (chanAlternatives). But for Config.InTurn, with which nothing is kept.
//  2. A channel that another goroutine has is shared (state_sharing.go). So what changes it is what a step
//     is about, which says what it touches: an operation on channels, what fires or stops a timer, an
//     access to memory by way of package unsafe.
//  3. A goroutine is saved before it is changed, which counts; what has been started, before it comes to its
//     first operation. g itself had no operation pending on a channel, by the first
//     condition, and has none.
//
// A rewind, or whatever else makes a new moment, ends it.
type silence struct {
	since, until uint64 // from the state of one moment to that of the other there were silent steps only
}

// hush is what has to be the same at the end of a silent step.
type hush struct {
	silent       bool
	since, saves uint64
}

// beginSilence is called when g's step begins.
func (m *Machine) beginSilence(g *goroutine) hush {
	if m.reduction != nil || m.cfg.InTurn {
		return hush{}
	}
	op := &g.view.op
	for _, a := range op.Access[:op.N] {
		//mutant: only operations on channels touch channels [silent]: "objChan != 0 " -> "objChan != 0 && false "
		if m.heap.objs[a.Obj].flags&objChan != 0 {
			return hush{}
		}
	}
	//mutant: silence has no beginning [silent]: "since: m.moment, " -> ""
	h := hush{silent: true, since: m.moment, saves: m.saves}
	if m.silent.until == m.moment {
		h.since = m.silent.since
	}
	return h
}

// endSilence is called when it has ended.
func (m *Machine) endSilence(g *goroutine, h hush) {
	//mutant: goroutines change by their own steps only [silent]: drop 2
	//mutant: to come to a channel makes no difference [silent]: drop 3
	if h.silent && h.saves == m.saves && !g.pending.Kind.Communicates() {
		m.silent = silence{h.since, m.moment}
	}
}

// staysTrue reports whether the views of g that were true since silent steps began are.
func (m *Machine) staysTrue(g *goroutine) bool {
	k := g.pending.Kind
	//mutant: views stay true beyond silent steps [silent]: drop 1
	//mutant: views of all operations stay true [silent]: drop 2
	return m.silent.until == m.moment && k.Communicates() && k != trace.TrySelect
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Goroutines that wait on a channel are a set, not a queue: the language promises no order, and a
// program cannot observe which came first. So the partner of an operation is one of its
// alternatives.
//
// 1. Buffered or closed channels: an operation that can proceed needs no partner; it only has to be
//    enabled.
// 2. Unbuffered channels: sender and receiver rendezvous in one step. The sender executes it, with
//    a receiver whose operation is pending.
// 3. In a rendezvous one of the two has parked before the other arrives, and a goroutine that has
//    another case ready does not park, nor stay parked. So two selects that both have a ready case do
//    not rendezvous with each other.
// 4. Only operations that do not wait (select with default) can distinguish a goroutine that has
//    parked from one that has only arrived. Where the program may have such operations on the channel,
//    parking is an alternative of its own (observable).
//
// internal/progen compares this with the runtime's queues.

// chanCases decodes the channel operation at g.pc.
//
//	Select   A: results   B: number of cases   C: 1 if it waits, 0 with default
//	word     Op: 1 send   A: channel           B: value or destination   C: registers of it
//	word     ...          one for each case, skipped by finishChan
func (m *Machine) chanCases(g *goroutine, buf []chanCase) []chanCase {
	in := &g.Fn.Code[g.PC]
	switch in.Op {
	case bytecode.Send:
		return append(buf, chanCase{*g.Reg(uint32(in.A)), true, in.B})
	case bytecode.Recv:
		return append(buf, chanCase{*g.Reg(uint32(in.B)), false, in.A})
	}
	for i := 0; i < int(in.B); i++ {
		w := g.Fn.Code[int(g.PC)+1+i] // Op: 1 send; A: channel; B: value or destination
		buf = append(buf, chanCase{*g.Reg(uint32(w.A)), w.Op == 1, w.B})
	}
	return buf
}

// partnerOf returns the partner of a, or nil.
func (m *Machine) partnerOf(a chanAlt) *goroutine {
	if a.partner < 0 {
		return nil
	}
	return m.gs[a.partner]
}

// blocking reports whether the channel operation at g.pc waits.
//
// C is 1 if the select has no default.
func blocking(in *bytecode.Instr) bool { return in.Op != bytecode.Select || in.C != 0 }

// chanAlternatives enumerates the alternatives that g's channel operation has now.
// They are appended to *list unless list is nil: then they are only counted. A select's cases come
// in its order, the partners of a case in spawn-path order, and parking or default last.
func (m *Machine) chanAlternatives(g *goroutine, list *[]chanAlt) int {
	n := 0
	var arr [8]chanCase
	cases := m.chanCases(g, arr[:0])
	add := func(a chanAlt) {
		if (m.cfg.InTurn || m.auto && m.cfg.Run) && a.caseIndex >= 0 {
			if q, _ := m.ahead(g, cases[a.caseIndex], m.partnerOf(a)); q != nil || m.assignedOther(g, a.caseIndex, cases) {
				return
			}
		}
		n++
		if list != nil {
			*list = append(*list, a)
		}
	}
	in := &g.Fn.Code[g.PC]
	// A select with default never blocks: it has at least one alternative.
	waits := blocking(in)
	// If one case is ready without a partner, the only possible rendezvous are with
	// goroutines that have parked (3 above).
	ready, seen := m.anyReadyWithoutPartner(cases), false
	for i, c := range cases {
		switch {
		// A nil channel is never ready (spec: Send statements, Receive operator).
		case c.ch == 0:
		case ready && m.readyWithoutPartner(c):
			add(chanAlt{i, -1, 0, false})
		// A full or empty buffer has no partners: the operation that changes it makes the case ready (1 above).
		case m.chanHdr(c.ch)[chCap/8] > 0:
		default:
			seen = seen || m.observable(c)
			// Without a buffer the sender executes the rendezvous (2 above), but only with receivers
			// that wait. A receive that does not wait executes it itself. So of `c <- 1` and `<-c`,
			// which both wait, the sender executes the rendezvous: if each could, one rendezvous
			// would be an alternative of both goroutines. With `select { case <-c: default: }` the
			// receiver executes it, as it must not wait. In run mode the second goroutine to arrive
			// executes the rendezvous, and continues before the other one is scheduled.
			if c.send || !waits || m.auto && m.cfg.Run {
				meet := func(slot, k int) { add(chanAlt{i, slot, k, false}) }
				peers := m.waitingPeers(c, list == nil)
				if m.auto && m.cfg.Run {
					peers = m.longestWaiting(g, c, peers)
				}
				m.partners(g, c, peers, !waits, ready, meet)
			}
		}
	}
	if !waits && n == 0 {
		add(chanAlt{-1, -1, 0, false}) // default
	}
	// Parking makes a difference only where an operation that does not wait can see it (4 above).
	m.parking = waits && seen && !ready && !g.parked && !m.auto
	if m.parking {
		add(chanAlt{-1, -1, 0, true})
	}
	return n
}

// countAlternatives is chanAlternatives if the list is nil. For most goroutines it is called in each
// state, and most wait to receive: such a call has an empty result, because the sender executes a
// rendezvous.
func (m *Machine) countAlternatives(g *goroutine) int {
	in := &g.Fn.Code[g.PC]
	words, at := g.Fn.Code[g.PC:g.PC+1], in.B // of the cases; the register of the channel of a Recv
	switch {
	case m.auto || m.cfg.InTurn || in.Op == bytecode.Send || !blocking(in):
		return m.chanAlternatives(g, nil)
	case in.Op == bytecode.Select:
		words = g.Fn.Code[g.PC+1 : g.PC+1+int32(in.B)]
	}
	n, seen := 0, false
	for i := range words {
		if in.Op == bytecode.Select {
			at = words[i].A
		}
		c := *g.Reg(uint32(at))
		if c == 0 {
			continue
		}
		h := m.chanHdr(c)
		sends := in.Op == bytecode.Select && words[i].Op == 1
		switch {
		case h[chClosed/8] != 0, !sends && h[chLen/8] > 0, sends && h[chLen/8] < h[chCap/8]:
			n++
		case h[chCap/8] > 0:
		case sends:
			return m.chanAlternatives(g, nil)
		default:
			seen = seen || m.observable(chanCase{ch: c})
		}
	}
	if m.parking = n == 0 && seen && !g.parked; m.parking {
		n++
	}
	return n
}

// readyWithoutPartner reports whether c can proceed without a partner.
//
// A closed channel is ready for both: receiving gets zeros, sending panics.
func (m *Machine) readyWithoutPartner(c chanCase) bool {
	h := m.chanHdr(c.ch)
	return h[chClosed/8] != 0 || c.send && h[chLen/8] < h[chCap/8] || !c.send && h[chLen/8] > 0
}

// anyReadyWithoutPartner reports whether one of the cases can proceed without a partner.
func (m *Machine) anyReadyWithoutPartner(cases []chanCase) bool {
	for _, c := range cases {
		if c.ch != 0 && m.readyWithoutPartner(c) {
			return true
		}
	}
	return false
}

// finds reports whether a select of g that does not wait would find one of the cases ready.
func (m *Machine) finds(g *goroutine, cases []chanCase) (found bool) {
	if m.anyReadyWithoutPartner(cases) {
		return true
	}
	for _, c := range cases {
		if c.ch != 0 && m.chanHdr(c.ch)[chCap/8] == 0 {
			m.partners(g, c, m.waitingPeers(c, false), true, false, func(int, int) { found = true })
		}
	}
	return found
}

// partners calls f for each goroutine of list, and each of its cases, that can rendezvous with case
// c of g. If g has a ready case or does not wait, the partner has to be parked.
//
// Two rules of selects decide. A goroutine that does not wait (select with default) communicates only with
// one that has parked. A goroutine that could continue without g does so as soon as it arrives, so it is no
// partner, unless g has parked before it arrives.
//
//	g: select { case a <- 1: case <-b: }      g has b ready: q must have parked before
//	q: select { case <-a: case <-c: }         q has c ready: it does not park, so no rendezvous
func (m *Machine) partners(g *goroutine, c chanCase, list []*goroutine, try, ready bool, f func(slot, index int)) {
	var arr [8]chanCase
	for _, q := range list {
		if q == g || try && !q.parked && !m.auto {
			continue
		}
		if q.pending.Kind != trace.Select && q.pending.Access[0].Obj != uint32(c.ch>>32) {
			continue // q's operation is on another channel
		}
		cases := m.chanCases(q, arr[:0])
		// If g does not wait, or has a ready case, then q must be the goroutine that has parked (3 above), so
		// q must not have a ready case itself.
		checked := !try && !ready
		for k, d := range cases {
			if d.ch != c.ch || d.send == c.send {
				continue
			}
			if !checked {
				if m.anyReadyWithoutPartner(cases) {
					break
				}
				checked = true
			}
			f(int(q.slot), k)
		}
	}
}

// onlyReceives reports whether op, the pending operation of g, is one of trace.Receives.
func (m *Machine) onlyReceives(g *goroutine, op *trace.Op) bool {
	if op.Kind != trace.Recv || op.N == 0 {
		return false
	}
	h := m.chanHdr(ptr(op.Access[0].Obj) << 32)
	//mutant: receives from a buffer commute [receives]: drop 1
	//mutant: receives that may park commute [receives]: drop 2
	return h[chCap/8] == 0 && !m.observable(chanCase{ch: ptr(op.Access[0].Obj) << 32})
}

// peerChannels calls f for the channels, other than those of g's cases, on which the result of g's select
// with default depends: the channels of the goroutines that are parked opposite. Once another case of a
// parked goroutine is ready, that goroutine is no partner of g any more. Which goroutines these are depends
// on operations on g's own channels only.
func (m *Machine) peerChannels(g *goroutine, f func(trace.Access)) {
	var arr, parr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch == 0 || m.chanHdr(c.ch)[chCap/8] > 0 {
			continue
		}
		for _, q := range m.waitingPeers(c, true) {
			if q == g || !q.parked || q.pending.Kind != trace.Select {
				continue
			}
			cases := m.chanCases(q, parr[:0])
			if !slices.ContainsFunc(cases, func(d chanCase) bool { return d.ch == c.ch && d.send != c.send }) {
				continue
			}
			for _, d := range cases {
				if d.ch != 0 && d.ch != c.ch {
					f(onChannel(d.ch))
				}
			}
		}
	}
}

// observable reports whether an operation that does not wait may find a
// goroutine that is parked in c.
//
// The linker has the element types and directions for which the program has such operations (rule 4): in
// most programs none, and then parking is not a step.
//
// A channel all of whose uses are known (observable.Untried) is not used by such operations.
func (m *Machine) observable(c chanCase) bool {
	return m.heap.Objs[c.ch>>32].Flags&heap.Untried == 0 && m.link.Observable(uint32(m.chanHdr(c.ch)[chElem/8]>>32), c.send)
}

// oldest chooses, in run mode, a random ready case, and the partner that has waited longest, as the runtime
// does.
//
// The runtime has queues; waiting goroutines are numbered here as they arrive (wait.seq), which
// is equivalent.
func (m *Machine) oldest(alts []chanAlt) chanAlt {
	a := alts[m.autoChoice(len(alts))]
	for _, b := range alts {
		if b.caseIndex == a.caseIndex && b.partner >= 0 && m.gs[b.partner].wait.seq < m.gs[a.partner].wait.seq {
			a = b
		}
	}
	return a
}

// autoChoice picks one of n alternatives in run mode, pseudo-randomly but equally in every run.
//
// (xorshift64: Marsaglia 2003.)
func (m *Machine) autoChoice(n int) int32 {
	if n <= 1 {
		return 0
	}
	m.rand ^= m.rand << 13
	m.rand ^= m.rand >> 7
	m.rand ^= m.rand << 17
	return int32(m.rand >> 33 % uint64(n))
}

// onChannel returns the access of an operation on c.
func onChannel(c ptr) trace.Access {
	return trace.Access{Obj: uint32(c >> 32), Size: 8, Write: true}
}

package vm

import (
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/orders"
)

// The order in which a loop visits the entries of a map is a choice if the program can notice it
// (link.Linker.Ordered). Each iteration is two visible operations at most:
//
//  1. a read of the map, if it is shared. It records which entries must and which may be visited.
//  2. a Choose among those, which concerns only the goroutine.
//
// Package orders keeps these records.
const (
	maxOrdered = 4   // up to this number of entries all orders are tried
	maxStarts  = 16  // up to this number of entries all rotations are tried
	maxOrders  = 256 // number of orders that a goroutine tries in all its loops together
)

// noteEntries notes which entries of the map mp can be visited now. *ord is the order, 0 before the
// first iteration.
func (m *Machine) noteEntries(g *goroutine, mp ptr, t *link.MapType, ord *uint64, code bool) {
	if *ord != 0 {
		if orders.Note(&m.maps, mp, t, *ord) {
			m.assume(g, MapInserted)
		}
		return
	}
	n, mode := m.maps.Len(mp), orders.Slots
	if m.auto || !m.maps.Small(mp, t) || !m.showsOrder(g, code) {
		mode = m.orderOf(g, n, code)
	}
	*ord = uint64(m.alloc(g, orders.Size(mode, n), m.layWord)) << 32
	orders.Begin(&m.maps, mp, t, *ord, mode)
}

// orderOf decides how the order of n entries is chosen.
//
// The verdict names all orders that are not tried (assume); none is omitted silently.
func (m *Machine) orderOf(g *goroutine, n uint64, code bool) orders.Mode {
	if n > 1 && m.cfg.Maps != MapsEvery && !m.showsOrder(g, code) {
		return orders.One
	}
	switch {
	case n <= 1 && !m.auto:
		return orders.All
	case m.cfg.Maps == MapsInsertion:
		return orders.One
	case m.auto:
	case m.cfg.Maps != MapsAuto:
		return orders.All
	//mutant: one order [env TestPrograms/maporder]: drop 1
	case n <= maxOrdered && m.tryOrders(g, [...]uint32{1, 1, 2, 6, 24}[n]):
		return orders.All
	case n <= maxStarts && m.tryOrders(g, uint32(n)):
		//mutant: starting points are not named [env TestPrograms/mapstarts]
		m.assume(g, MapStarts)
		return orders.Start
	}
	if n > 1 {
		//mutant: one order is not named [env TestPrograms/mapmany]
		m.assume(g, MapOrder)
	}
	return orders.One
}

// tryOrders reports whether g may try n more orders. The number of tried orders is not part of the state.
// Where that makes a difference, the path that is explored first has an assumption.
//
// It counts the product and not the sum, because two loops over four entries have 24 times 24 executions.
func (m *Machine) tryOrders(g *goroutine, n uint32) bool {
	if max(g.orders, 1)*n > maxOrders {
		return false
	}
	g.orders = max(g.orders, 1) * n
	return true
}

// noteRanging records that g chooses how its loop over a map continues.
func (m *Machine) noteRanging(g *goroutine) {
	if m.ranged == nil {
		pos, _, _ := m.userFrame(g)
		//mutant: orders are no matter of gc [test ./cmd/hbcheck TestScripts/slots]
		m.ranged = &Ranging{g.ID, pos}
	}
}

// Ranged returns the first loop over a map on this path whose order was chosen, if there is one.
func (v Report) Ranged() *Ranging { return v.m.ranged }

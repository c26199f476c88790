package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// ForgetSerialised makes the next Hash write every goroutine anew.
func (m *Machine) ForgetSerialised() {
	for _, g := range m.gs {
		g.serial.valid = false
	}
	m.forgetHashes()
}

// HashAll is Hash without regions.
func (m *Machine) HashAll() por.Hash {
	m.canon.whole = true
	defer func() { m.canon.whole = false }()
	return m.Hash()
}

// HeapLive returns the number of bytes in the program's objects.
func (m *Machine) HeapLive() uint64 { return m.heap.Live }

// GrowMap rebuilds a map of the program's, in the middle of a step of main, with room for entries
// of a bit more than 4 GB.
func (m *Machine) GrowMap() {
	defer m.recoverOutOfMemory()
	m.allocMap(m.gs[0], 1<<32+8, m.layMap)
}

// OrbitHash returns the least fingerprint of the present state over all orders of the goroutines of
// each origin: the same for all states that are equal up to exchanging these. If any is set it takes all
// orders of all goroutines, as goroutines of different origins that have reached the same code have the
// same future.
func (m *Machine) OrbitHash(any bool) (least por.Hash) {
	compare := compareOrigins
	if any {
		compare = func(a, b *goroutine) int { return 0 }
	}
	var slots []uint32
	for _, s := range m.living() {
		if m.gs[s].status != gEnded {
			slots = append(slots, s)
		}
	}
	slices.SortStableFunc(slots, func(a, b uint32) int { return compare(m.gs[a], m.gs[b]) })
	m.canon.Exchanging, m.canon.Naming = true, m.hasNames()
	defer func() { m.canon.Exchanging, m.canon.Naming = false, false }()
	least = por.Hash{^uint64(0), ^uint64(0)}
	var permute func(i int)
	permute = func(i int) {
		if i == len(slots) {
			if h := m.hashInOrder(slots); slices.Compare(h[:], least[:]) < 0 {
				least = h
			}
			return
		}
		for k := i; k < len(slots) && compare(m.gs[slots[k]], m.gs[slots[i]]) == 0; k++ {
			rest := slices.Clone(slots)
			slots[i], slots[k] = slots[k], slots[i]
			permute(i + 1)
			copy(slots, rest)
		}
	}
	permute(0)
	return least
}

// Exchanging returns the classes of goroutines of which any two can be exchanged without changing
// the words of the present state: for each class the first goroutine in the order of SymmetricHash.
func (m *Machine) Exchanging() map[trace.GID]trace.GID {
	m.SymmetricHash(nil)
	slots := slices.Clone(m.canon.sorted)
	m.canon.Exchanging, m.canon.Naming = true, m.hasNames()
	defer func() { m.canon.Exchanging, m.canon.Naming = false, false }()
	before, classes := m.hashInOrder(slots), map[trace.GID]trace.GID{}
	for i, s := range slots {
		g := m.gs[s]
		classes[g.ID] = g.ID
		for k := i - 1; k >= 0 && compareOrigins(m.gs[slots[k]], g) == 0; k-- {
			slots[i], slots[k] = slots[k], slots[i]
			if m.hashInOrder(slots) == before {
				classes[g.ID] = m.gs[slots[i]].ID
			}
			slots[i], slots[k] = slots[k], slots[i]
		}
	}
	return classes
}

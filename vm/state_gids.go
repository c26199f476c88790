package vm

import (
	"sync"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/link"
)

// A goroutine gets its number (GID) when a machine creates it for the first time, on whichever path.
// Machines that explore one program together must mean the same goroutine by a number, so they share one
// table. The number of a goroutine then depends on timing, so explorers must depend on spawn paths only
// (see Precedes).
//
//      main            spawn path: ()
//      ├── 0           (0)
//      │   └── 0       (0, 0)       the first child of main's first child
//      └── 1           (1)

// A goroutine keeps its number when its path is left. The goroutine that the same parent starts as its n-th
// child on another path gets the same number. So numbers in schedules and sleep sets mean the same in all
// executions.

// gidTable is a table of the goroutines of several machines. Invariant: the spawn table of each
// machine is a prefix of this one. A machine that already knows a goroutine does not lock the
// table.
type gidTable struct {
	mu    sync.Mutex
	gids  map[spawnKey]trace.GID
	spawn []spawnInfo

	// The linkers' numbers are shared, too, and the facts about the clock.
	numbers *link.Numbers
	times   *clockFacts
}

// ShareGIDs makes Replica possible: the goroutines known so far get the same numbers in the shared
// table.
func (m *Machine) ShareGIDs() {
	if m.sharedGIDs != nil {
		return
	}
	m.sharedGIDs = &gidTable{gids: make(map[spawnKey]trace.GID)}
	for i, s := range m.spawn {
		m.sharedGIDs.gids[s.spawnKey] = trace.GID(i)
		m.sharedGIDs.spawn = append(m.sharedGIDs.spawn, s)
	}
	m.sharedGIDs.numbers, m.sharedGIDs.times = m.link.Share(), m.times
	m.times.mu, m.times.read = new(sync.Mutex), m.clockReads > 0
}

// SharesNumbers reports whether all numbers have the same meaning on this machine, a replica, and on its
// original. Then fingerprints of the two are comparable.
func (v StaticView) SharesNumbers() bool { return v.m.link.Shares() }

// number returns the GID of the goroutine with key k and path, which m does not know yet, and adds to m all
// goroutines up to this one.
func (n *gidTable) number(m *Machine, k spawnKey, path []uint32) trace.GID {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, ok := n.gids[k]
	if !ok {
		id = trace.GID(len(n.spawn))
		n.gids[k] = id
		n.spawn = append(n.spawn, spawnInfo{k, path})
	}
	for i := len(m.spawn); i <= int(id); i++ {
		m.spawn = append(m.spawn, n.spawn[i])
		m.gids[n.spawn[i].spawnKey] = trace.GID(i)
		m.slots = append(m.slots, -1)
	}
	return id
}

// Precedes implements por.Named: goroutines are ordered by spawn path, parents before
// children.
func (m *Machine) Precedes(a, b trace.GID) bool { return m.before(a, b) }

// Existed returns the goroutines that have existed on some path since the last call of
// ForgetExisted, without helpers of the models, such as timers.
func (m *Machine) Existed() []trace.GID {
	var list []trace.GID
	for g, met := range m.existed {
		if met {
			list = append(list, trace.GID(g))
		}
	}
	return list
}

// ForgetExisted resets Existed and Assumed. The goroutines of the present state count as existing
// since then.
func (m *Machine) ForgetExisted() {
	m.assumed = nil
	clear(m.existed)
	for _, g := range m.gs {
		if !g.system {
			m.noteExisted(g.ID)
		}
	}
}

// becomesSystem makes g, which the program has not started, a helper of the models.
func (m *Machine) becomesSystem(g *goroutine) {
	g.system = true
	if int(g.ID) < len(m.existed) {
		m.existed[g.ID] = false
	}
}

func (m *Machine) noteExisted(g trace.GID) {
	for len(m.existed) <= int(g) {
		m.existed = append(m.existed, false)
	}
	m.existed[g] = true
}

// spawnKey names a goroutine by its parent and its place among the parent's children.
type spawnKey struct {
	parent trace.GID
	n      uint32
}

// spawnInfo is the meaning of a GID.
type spawnInfo struct {
	spawnKey
	path []uint32 // child numbers from main down
}

// internG returns the GID of parent's n-th child.
func (m *Machine) internG(parent trace.GID, n uint32) trace.GID {
	k := spawnKey{parent, n}
	if id, ok := m.gids[k]; ok {
		return id
	}
	var path []uint32
	if parent != trace.NoGID {
		p := m.spawn[parent].path
		path = append(append(make([]uint32, 0, len(p)+1), p...), n)
	}
	if m.sharedGIDs != nil {
		return m.sharedGIDs.number(m, k, path)
	}
	id := trace.GID(len(m.spawn))
	m.spawn = append(m.spawn, spawnInfo{k, path})
	m.gids[k] = id
	m.slots = append(m.slots, -1)
	return id
}

// before orders goroutines by spawn path: parents before children, older children before younger.
// It does not compare GIDs, which depend on the order of the paths.
func (m *Machine) before(a, b trace.GID) bool {
	p, q := m.spawn[a].path, m.spawn[b].path
	for i := 0; i < len(p) && i < len(q); i++ {
		if p[i] != q[i] {
			return p[i] < q[i]
		}
	}
	return len(p) < len(q)
}

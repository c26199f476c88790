package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/fingerprint"
)

// Hash implements por.System. The exit or crash of the program is part of the state, because the
// remaining state may be equal to one that continues.
func (m *Machine) Hash() por.Hash {
	m.canon.several = false
	return m.hashInOrder(m.living())
}

// Weight implements por.Sized.
func (m *Machine) Weight() int { return m.canon.Weight }

// hashInOrder returns the fingerprint of the present state with the goroutines in the order of slots, which
// has all goroutines that have not ended.
func (m *Machine) hashInOrder(slots []uint32) por.Hash {
	c := &m.canon
	whole := c.whole || c.ByIdentity || c.Naming || m.Environment().Symbolic()
	m.prepareWriter(m.distances())
	ws := c.Begin(whole)
	//mutant: of equal goroutines with labels one counts [env TestFlows]: "_, s := range slots {" -> "n, s := range slots {\n\t\tif n > 0 && c.Exchanging && m.labeled() && m.gs[s].origin == m.gs[slots[n-1]].origin {\n\t\t\ts = slots[n-1]\n\t\t}"
	for _, s := range slots {
		if g := m.gs[s]; g.status != gEnded {
			c.Next(ws)
			if ws = m.writeG(ws, g, whole); c.ByIdentity {
				ws = append(ws, uint64(g.ID))
			}
			if len(m.bubbles) > 0 {
				ws = append(ws, uint64(g.bubble))
			}
			if g.trail != nil { // the trail decides where the goroutine waits
				ws = append(ws, g.trail.digest)
			}
		}
	}
	c.Next(ws)
	if m.distances() {
		m.cfg.absolute.hashed.Store(true)
		if m.Environment().Symbolic() {
			m.observeTime() // terms may be about Times
		}
	}
	debt := m.debtHash()
	ws = append(ws, uint64(m.clockHash())<<2|b2u(debt != 0)<<1|b2u(m.fault != nil || m.exited))
	if debt != 0 {
		ws = append(ws, uint64(debt))
	}
	if m.facts.ClockUsed && !c.still {
		ws = append(ws, uint64(m.restsHash()), uint64(max(0, m.shown-m.clock+1)))
		for _, d := range m.jumped { // comparisons note sums with them
			ws = append(ws, 1<<60|uint64(d))
		}
		for _, b := range m.bubbles {
			ws = append(ws, uint64(b.now))
		}
	}
	if m.Environment().Symbolic() {
		ws = m.writeInputs(ws)
	}
	//mutant: that a test has failed is no part of states [test ./cmd/hbcheck TestScripts/several]: false
	if m.failed != 0 {
		ws = append(ws, m.failed)
	}
	if m.skip != nil { // the verdict depends on it, even if memory does not
		ws = append(ws, 1<<63)
	}
	//mutant: what an execution lacked is no part of states [test ./cmd/hbcheck TestScripts/arguments]: "m.lacks != LackNothing || m.missed != LackNothing" -> "false"
	if m.lacks != LackNothing || m.missed != LackNothing { // a bug is a warning or an error
		ws = append(ws, 1<<62|uint64(m.lacks)<<8|uint64(m.missed))
	}
	if m.cfg.VisibleOutput {
		ws = m.writeOutput(ws)
	}
	if m.hasNames() {
		ws = append(ws, m.namesHash())
	}
	if whole {
		ws = c.Traverse(ws, c.extra)
	}
	return c.Finish(ws)
}

// prepareWriter gives the writer of fingerprints the present state.
func (m *Machine) prepareWriter(relative bool) {
	c := &m.canon
	c.Host, c.Heap, c.Shadows, c.Clock, c.Relative = fingerprintHost{m}, m.heap, nil, m.clock, relative
	//mutant: nor are those in memory [env TestDraws/TestLookMatched]: "tracking" -> "Environment().Symbolic()"
	if m.tracking {
		c.Shadows = m.sym
	}
}

// fingerprintHost answers the questions that fingerprints ask the machine.
type fingerprintHost struct{ m *Machine }

func (h fingerprintHost) Distance(words []uint64, tick bool) bool {
	return h.m.relativeTime(words, tick)
}
func (h fingerprintHost) Origin(g uint32) uint64        { return h.m.originOf(g) }
func (h fingerprintHost) Identity(object uint64) uint64 { return h.m.identity(object) }

func (h fingerprintHost) Interrupted() bool {
	return h.m.cfg.Interrupt != nil && h.m.cfg.Interrupt()
}

// IdentityHash implements por.Named. The object counts even if nothing refers to it any
// more.
func (m *Machine) IdentityHash(obj uint32) por.Hash {
	m.canon.ByIdentity, m.canon.extra = true, obj
	h := m.Hash()
	m.canon.ByIdentity = false
	return h
}

// writeOutput writes the output on stdout.
func (m *Machine) writeOutput(ws []uint64) []uint64 {
	c := &m.canon
	c.text = c.text[:0]
	start := 0
	for _, r := range m.runs {
		if r.fd == 1 {
			c.text = append(c.text, m.out[start:r.end]...)
		}
		start = r.end
	}
	ws = append(ws, uint64(len(c.text)))
	return fingerprint.WriteRaw(ws, unsafe.Pointer(unsafe.SliceData(c.text)), uint32(len(c.text)))
}

// A colour describes where else in the state a name occurs. Colours order goroutines that are equal except
// for their names, so that more states match; they need not tell all of them apart.
type colours struct {
	known bool
	of    []uint64 // by name
}

// canonicaliser computes the fingerprint of a state: see package fingerprint. A fingerprint leaves out
// everything on which the program's behaviour does not depend: dead registers, garbage, counters of steps
// and allocations, and assumptions and findings.
type canonicaliser struct {
	fingerprint.Writer
	text  []byte
	whole bool   // no regions are kept
	still bool   // leave the clock out: for states between which nothing reads it
	extra uint32 // see IdentityHash

	// For SymmetricHash.
	ranked    []ranked
	byOrigin  []ranked // see the method byOrigin: made of
	sortedOf  []uint32 // the slots from which byOrigin was made
	reordered uint64   // value of goroutineTable.reordered at that time
	sorted    []uint32
	pairs     []objectPair
	several   bool     // identical goroutines have been sorted
	named     bool     // some of these goroutines had names
	hash      por.Hash // the fingerprint at that time
	equal     []uint32 // see Orbits
	colours   colours
}

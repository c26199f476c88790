package vm

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

const (
	spinStart  = 4 * budget // work before a loop is suspected
	spinWindow = 128        // the part of the work in which back edges are compared
	spinCost   = 16         // the part of the work that may be spent on hashing, in words
)

// diverges reports whether g loops forever. g is after a back edge if back is set, otherwise before a call.
// diverges may ask to be called again soon.
//
// refillBudget checks after each budget; a budget of 0 or 1 makes the next back edge check again, so every
// back edge of the window is compared.
func (m *Machine) diverges(g *goroutine, back bool) bool {
	s := &m.divergence
	switch {
	case s.begin == 0:
		s.begin = spinStart
		return false
	case m.localWork < s.begin:
		return false
	case s.end == 0:
		s.end = m.localWork + m.localWork/spinWindow
	case m.localWork > s.end:
		s.begin, s.end, s.recorded, s.noted = 2*m.localWork, 0, false, 0
		return false
	}
	if !back {
		m.budgetLeft = 1 // g executes the call first
		return false
	}
	m.budgetLeft = 0
	frame := m.frameWords(g)
	if !s.recorded {
		s.recorded, s.frame, s.whole = true, frame, false
		s.noted++
	}
	// The cheap test first. When the frame has agreed once, the whole state is hashed; when the frame agrees
	// again, the whole states are compared.
	if frame != s.frame {
		return false
	}
	// A frame that agrees too often is useless: if a loop calls a coroutine, it is the
	// coroutine's frame that changes. Then the state at the next back edge is recorded, for
	// half of the remaining cost.
	most := m.localWork / spinCost
	if s.hashed > most-most>>s.noted {
		s.recorded = false
		return false
	}
	if s.whole && !s.clocked && m.clockReads != s.reads {
		s.clocked, s.whole = true, false
	}
	// If no iteration reads the clock, the time does not matter.
	//mutant: still: who sleeps in a loop without end is never back [test ./cmd/hbcheck TestScripts/sleeping]: "!s.clocked" -> "false"
	//mutant: still: it does not matter what time it is [test ./cmd/hbcheck TestScripts/sleeping]: "!s.clocked" -> "true"
	m.canon.still = !s.clocked
	state := m.Hash()
	m.canon.still = false
	g.serial.valid = false // g continues
	s.hashed += uint64(m.canon.Weight) + 64
	if !s.whole {
		s.whole, s.state, s.reads = true, state, m.clockReads
		return false
	}
	return state == s.state
}

// frameWords returns a fingerprint of g's running frame without the objects to which it refers.
//
// It omits the numbers of new objects, because an iteration that allocates and drops an object has another
// number each time.
func (m *Machine) frameWords(g *goroutine) uint64 {
	x := uint64(g.ID)<<32 ^ uint64(g.FP)
	x = x*0x9E3779B97F4A7C15 + uint64(g.Fn.ID)<<32 + uint64(uint32(g.PC))
	for _, w := range g.Stack[g.FP : g.FP+uint32(g.Fn.NRegs)] {
		if w>>32 >= heap.StaticLimit { // perhaps a new object in every iteration
			w = heap.StaticLimit
		}
		x = (x ^ x>>29 ^ w) * 0xBF58476D1CE4E5B9
	}
	return x
}

// spinForever lets g spin in the loop that it does not leave. If the loop reads the clock, it waits
// for an event that does not happen here, and the execution is abandoned.
func (m *Machine) spinForever(g *goroutine) {
	if m.clockReads != m.divergence.reads {
		m.cutForTime(g)
		return
	}
	m.setSpinning(g)
}

// cutForTime abandons the execution in a loop that waits for time to pass.
func (m *Machine) cutForTime(g *goroutine) {
	if m.untilMoment(g) {
		m.cfg.endless.add(m.place(g))
	}
	m.cut = Cut{Cause: CutTime, Text: "the loop at " + m.place(g) +
		" ends only when time passes, and time passes here only while goroutines sleep"}
}

// maxLooks bounds the clock reads of a goroutine within one step. A goroutine with more reads counts as
// waiting for time to pass, although each of its iterations has an effect, so that its state never repeats. A
// loop that ends by itself has fewer clock reads; this number takes a second.
const maxLooks = 1 << 20

// maxIdleLooks bounds the clock reads that are operations, of all goroutines of a path: time might have
// passed at each, and has not. If states are stored, no bound on steps would end such a path.
const maxIdleLooks = 1 << 12

// setSpinning records that g loops forever: its pending operation is never enabled.
func (m *Machine) setSpinning(g *goroutine) {
	g.status = gSpinning
	g.pending = trace.Op{G: g.ID, Kind: trace.Spin, Func: g.Fn.ID, PC: uint32(g.PC)}
}

// A goroutine whose local work returns to an earlier state loops forever: the work is deterministic,
// and no other goroutine can change the memory that it reads. (Reading shared memory would be a
// visible operation.) Its pending operation is then trace.Spin, which is never enabled, and the other
// goroutines continue without it.
//
// divergence finds that within one step. When the work has doubled since the last time, it records the
// state. Then it compares the state at every back edge with it, for a hundredth of the work done so far.
// (Brent 1980 also doubles, so that loops of any length are found.) It first compares a few words of the
// running frame. Only if they agree, it hashes the whole state, as long as that is cheap compared with the
// work.
//
//	work of the step ──┬───────────┬────────────────┬──────────────▶
//	                   begin       end              begin = 2 × work
//	                   record      nothing agreed   record
type divergence struct {
	begin    uint64 // when the next state is recorded, in back edges and calls of the step
	end      uint64 // the work at which the recorded state is dropped
	recorded bool
	noted    int    // states recorded since begin
	frame    uint64 // the running frame of the recorded state
	whole    bool   // state has been computed
	state    por.Hash
	reads    uint64 // number of clock reads when state was computed
	clocked  bool   // the loop reads the clock
	hashed   uint64 // words hashed in this step
}

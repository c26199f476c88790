package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// A step can glide: the goroutine continues with the plain accesses that follow its operation. Each of these
// accesses is a step of its own in the path. The explorer is not asked in between, so a long execution costs
// little more than in run mode.
//
//	Glide(100)
//	Step(g)      lock mu                      the step
//	             read b.bal, write b.bal      two more, glided
//	             unlock mu                    pending
//	Glided()     2
//
// Gliding ends before an access
//
//   - after the second access of a race, which is then the last step of the path,
//   - of a goroutine that loops without an effect, which the reduction may have to hold,
//   - if the step has given other goroutines work, whose operations come before it, and
//   - at the bound.
//
// The machine must track happens-before: two accesses whose order matters are a race, which is then found
// in either order.

// Glide makes the next step glide over at most n accesses. It has no effect if races are not followed.
func (m *Machine) Glide(n int) { m.glide.bound = n }

// Glided returns the number of accesses over which the last step has glided. In the path each is a step
// of its own.
func (m *Machine) Glided() int { return m.glide.n }

// beginGlide is called when a step of g begins, of an operation of kind k.
func (m *Machine) beginGlide(g *goroutine, k trace.Kind) {
	m.glide = gliding{g: g, kind: k, left: m.glide.bound}
	if m.race == nil || m.raceless || m.watched {
		m.glide.left = 0
	}
}

// glides reports whether g, which arrives at a plain access in its step, executes it in the same step. It
// does the work of step between two steps.
func (m *Machine) glides(g *goroutine, kind trace.Kind, acc ...trace.Access) bool {
	x := &m.glide
	if x.left == 0 || g != x.g || g.trail != nil || len(m.ready) > 0 || len(m.race.Races()) > 0 {
		return false
	}
	for _, a := range acc {
		//mutant: gliding over channels is silent [test ./vm TestEnabledKept]
		if m.heap.Objs[a.Obj].Flags&heap.Chan != 0 {
			return false
		}
	}
	// The end of one step,
	m.noteEffect(g, x.kind, x.idle)
	m.growth.stepped(m)
	// and the beginning of the next one.
	m.growth.willStep(m, g.ID, 0)
	if m.able.collects {
		m.able.touched = append(m.able.touched, acc...)
	}
	x.left--
	x.n++
	x.kind, x.idle = kind, false
	g.steps++
	m.cnt.Steps++
	m.steps++
	m.localWork, m.pollAt, m.looksOfStep = 0, 0, 0
	m.divergence = divergence{}
	m.quietStep = false
	g.Choice = 0
	return true
}

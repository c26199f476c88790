package vm

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/hash"
)

// Natives that choose: package hbtest and the global functions of math/rand.

var choiceNatives = []Native{
	{Name: "hbcheck.dev/hbcheck/hbtest.Choose", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.choices(r, op)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if r.I(0) < 1 {
			const text = "hbtest.Choose: nothing to choose from"
			m.throw(g, rtPanicString, m.literal(text), uint64(len(text)))
			return Called
		}
		return choose(m, g, r)
	}},
	{Name: "hbcheck.dev/hbcheck/hbtest.nondet", Symbolic: true, Makes: nondetMakes, Fn: nondet},
	{Name: "hbcheck.dev/hbcheck/hbtest.Assume", Symbolic: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if t := r.sym(m, g, 0); t != nil { // there is one goroutine so far; otherwise supposeAmong has replaced the call
			return m.suppose(g, t)
		}
		if r.U(0) != 0 {
			return Next
		}
		m.cut = Cut{Cause: CutAssumption, Text: "an assumption of the program does not hold"}
		m.halt(g)
		return Stop
	}},
	{Name: "hbcheck.dev/hbcheck/hbtest.Running", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, true)
		return Next
	}},
	{Name: "math/rand.hbChoose", Peek: peekRand, Fn: chooseRand},
	{Name: "math/rand/v2.hbChoose", Peek: peekRand, Fn: chooseRand},
	{Name: "fmt.hbAddress", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.onlyShown(g) {
			m.assume(g, AddressShown)
		}
		return Next
	}},
	{Name: "math/rand.runtime_rand", Symbolic: true, Fn: sample},
	{Name: "math/rand.hbSeeds", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.SeedsRand)
		return Next
	}},
	{Name: "math/rand.hbSeeded", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		//mutant: sources with seeds from the clock are like others [env TestPrograms/clockseed$]: "m.times.seeded(r.U(0))" -> "false"
		r.SetBool(0, m.times.seeded(r.U(0)))
		return Next
	}},
	{Name: "math/rand.hbDraw", Symbolic: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.cfg.RandFixed {
			label, again := m.draw(g, RandSampled, bounds.Bound{})
			if again {
				return Stop
			}
			if m.labeled() {
				r.setLabel(m, g, 0, label)
			}
		}
		return Next
	}},
	{Name: "math/rand.hbAgain", Symbolic: true, Fn: drawAgain},
	{Name: "math/rand/v2.hbAgain", Symbolic: true, Fn: drawAgain},
	{Name: "math/rand/v2.runtime_rand", Symbolic: true, Fn: sample},
}

// choices describes a choice among the numbers below the first argument.
func (m *Machine) choices(r Regs, op *trace.Op) int {
	if r.I(0) <= 1 {
		return 1
	}
	op.Kind = trace.Choose
	return int(r.I(0))
}

func choose(m *Machine, g *goroutine, r Regs) Ctl {
	k := uint64(0)
	if r.I(0) > 1 {
		k = uint64(g.Choice)
	}
	r.Set(0, k)
	return Next
}

// peekRand is the Peek of a choice of math/rand, which has one alternative if random numbers are fixed.
func peekRand(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.cfg.RandFixed {
		return 1
	}
	return m.choices(r, op)
}

func chooseRand(m *Machine, g *goroutine, r Regs) Ctl {
	if !m.cfg.RandFixed {
		return choose(m, g, r)
	}
	n := r.U(0)
	r.Set(0, m.random(g, uint64(m.cfg.RandSeed))%n)
	return Next
}

// sample returns a random number of 64 bits: one of too many to enumerate them.
func sample(m *Machine, g *goroutine, r Regs) Ctl {
	var label *symbolic.Term
	if !m.cfg.RandFixed {
		var again bool
		if label, again = m.draw(g, RandSampled, bounds.Bound{}); again {
			return Stop
		}
	}
	r.Set(0, m.random(g, uint64(m.cfg.RandSeed)))
	r.setLabel(m, g, 0, label)
	return Next
}

// drawAgain returns its first argument. If the second argument is set, nothing depends on the label
// of a random value, and the result has none: see math/rand of the overlay. A symbolic value that a
// generator of the program has made stays symbolic.
func drawAgain(m *Machine, g *goroutine, r Regs) Ctl {
	//mutant: what goroutines of the program draw again is not looked at [env TestDraws/TestLookCounted]: drop 2
	if m.labeled() && r.U(1)&1 != 0 {
		r.setLabel(m, g, 0, nil)
	}
	return Next
}

// random returns pseudo-random bits that depend only on the seed, on the goroutine and on the
// number of its earlier calls, so they are the same in every interleaving.
func (m *Machine) random(g *goroutine, seed uint64) uint64 {
	g.nrand++
	h := hash.Mix(hash.K0^seed, uint64(g.nrand))
	for _, n := range m.spawn[g.ID].path {
		h = hash.Mix(h, uint64(n)+1)
	}
	return hash.Mix(h, hash.K1)
}

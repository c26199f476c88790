package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestHybridObjects: the checks of TestHybrid for programs about objects. Their outcomes are those
// of a full search by the machine.
func TestHybridObjects(t *testing.T) {
	c := newComparison(t)
	c.batches(800, func(seeds []uint64) {
		// Programs that copy locks are loaded separately, because with them mhb has fewer facts about the
		// others.
		var groups [2][]objectProgram
		for _, seed := range seeds {
			x := objectsOf(seed)
			k := 0
			if x.Copies {
				k = 1
			}
			groups[k] = append(groups[k], objectProgram{seed, x})
		}
		for _, list := range groups {
			if len(list) > 0 {
				c.objects(list, modes)
			}
		}
	})
}

func objectsOf(seed uint64) progen.Text {
	return progen.Objects(fmt.Sprintf("P%d", seed), rand.New(rand.NewPCG(seed, 0x0b1ec75)))
}

type objectProgram struct {
	seed uint64
	text progen.Text
}

// objects compares searches of the programs with a full one.
func (c *comparison) objects(list []objectProgram, modes func(seed uint64) []mode) {
	c.Helper()
	var us []unit
	for _, p := range list {
		us = append(us, unit{p.text.Name, p.text.Source})
	}
	g := loadGroupWith(c, us, c.config)
	for i, p := range list {
		g.in(i, func() {
			o := &observer{t: c, m: g.m, outcomes: map[string]bool{}, races: map[string]bool{}}
			r := stateful.Full(g.m, o, por.Config{Match: true, MaxStates: maxStates, AnyGoroutine: false})
			if len(r.Incomplete) > 0 {
				c.left++
				return
			}
			c.checked++
			c.states = r.States
			g.loops = o.loops > 0
			c.searches(g, p.seed, modes(p.seed), func() string { return p.text.Source }, o.outcomes, o.races)
		})
	}
}

// FuzzHybrid lets the fuzzer make the programs: each byte is a choice.
func FuzzHybrid(f *testing.F) {
	for seed := range deep.Pick(uint64(1), 20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, 20+rng.IntN(60))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 200 {
			t.Skip()
		}
		x := progen.Objects("P0", rand.New(&progen.FromBytes{Bytes: b}))
		seed := uint64(len(b))
		for _, k := range b {
			seed = seed*31 + uint64(k)
		}
		c := newComparison(t)
		c.objects([]objectProgram{{seed, x}}, modes)
	})
}

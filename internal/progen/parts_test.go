package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// TestParts: searches that explore parts of a program one after the other find in programs of several
// parts what a full search finds, and each part that they take is a persistent set. A livelock in the
// latter is one in the former.
func TestParts(t *testing.T) {
	c := newComparison(t)
	c.batches(3000, nil, func(seeds []uint64) {
		var list []objectProgram
		for _, seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 0x9a475))
			list = append(list, objectProgram{seed, progen.Parts(fmt.Sprintf("P%d", seed), rng)})
		}
		c.objects(list, partModes)
	})
	if c.parts == 0 {
		t.Error("no part was explored alone: the programs do not test it")
	}
}

// partModes returns searches by parts: with the explorers that store states, with facts and without.
func partModes(seed uint64) []mode {
	list := []mode{
		{name: "jpf", run: stateful.JPF, h: oracle.Parts, only: true, check: true},
		{name: "full", run: stateful.Full, h: oracle.Parts, only: true},
		{name: "jpf", run: stateful.JPF, h: oracle.Parts},
	}
	list[seed%2+1].check = true
	return list
}

// checkedParts checks each part by the criterion itself.
type checkedParts struct {
	por.Parts
	*skipCheck
}

// Part implements por.Parts.
func (c checkedParts) Part(enabled []trace.GID) []trace.GID {
	part := c.Parts.Part(enabled)
	if part != nil {
		c.verify(part, "parts")
	}
	return part
}

package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
)

// TestTasks: programs whose goroutines start others that a WaitGroup counts have the outcomes of a full
// search with every oracle.
func TestTasks(t *testing.T) {
	c := newComparison(t)
	c.batches(300, func(seeds []uint64) {
		var list []objectProgram
		for _, seed := range seeds {
			list = append(list, objectProgram{seed, progen.Tasks(fmt.Sprintf("P%d", seed), rand.New(rand.NewPCG(seed, 0x7a545)))})
		}
		c.objects(list, modes)
	})
	if c.eliminated["join"] == 0 {
		t.Error("no choice was eliminated as a goroutine waits for others: the programs do not test it")
	}
}

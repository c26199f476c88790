package describe

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMaximal compares with a comparison of all pairs, in random partial orders.
func TestMaximal(t *testing.T) {
	fewer := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const n = 20
		var before [n][n]bool
		for y := range n {
			for x := range y {
				if rng.IntN(8) == 0 {
					before[x][y] = true
					for w := range x {
						before[w][y] = before[w][y] || before[w][x]
					}
				}
			}
		}
		var steps, want []int
		for x := range n {
			steps = append(steps, x)
			if !slices.Contains(before[x][:], true) {
				want = append(want, x)
			}
		}
		got := maximal(steps, func(x, y int) bool { return before[x][y] })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if len(want) < n {
			fewer++
		}
	}
	if fewer == 0 {
		t.Error("no step happens before another one")
	}
}

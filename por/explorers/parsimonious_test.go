package explorers

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestPolynomialMemory: "POP ... needs only memory that is polynomial in the size of the longest
// execution" (section 1 of "Parsimonious Optimal Dynamic Partial Order Reduction", in our words):
// where one operation has as many prefixes as a part of the program has classes, memory grows with the
// length of an execution and not with the number of executions.
func TestPolynomialMemory(t *testing.T) {
	program := func(n int) *toys.System {
		writes := func(x int8) []toys.Instr { return slices.Repeat([]toys.Instr{{Op: toys.Store, A: 0, B: x}}, n) }
		return toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}, {Op: toys.Store, A: 1, B: 1}},
			writes(1), writes(2), []toys.Instr{{Op: toys.Load, A: 0}, {Op: toys.Store, A: 1, B: 2}})
	}
	explore := func(n int, run func(por.System, por.Visitor, por.Config) por.Result) por.Stats {
		toy := program(n)
		return run(toy, toys.NewFindings(toy), por.Config{}).Stats
	}
	const small, large = 3, 6
	for _, e := range []struct {
		name  string
		run   func(por.System, por.Visitor, por.Config) por.Result
		grows bool
	}{{"optimal", With("optimal").Explore, true}, {"parsimonious", parsimonious.Explore, false}} {
		a, b := explore(small, e.run), explore(large, e.run)
		t.Logf("%s: %d executions, %d bytes; %d executions, %d bytes", e.name, a.Executions, a.PeakBytes, b.Executions, b.PeakBytes)
		if b.Executions < 50*a.Executions {
			t.Errorf("%s: %d executions and %d, not 50 times as many", e.name, a.Executions, b.Executions)
		}
		if (b.PeakBytes > 4*a.PeakBytes) != e.grows {
			t.Errorf("%s: %d bytes, and %d for more executions", e.name, a.PeakBytes, b.PeakBytes)
		}
	}
}

package por

import (
	"slices"
	"testing"
)

// TestPolynomialMemory: "POP ... needs only memory that is polynomial in the size of the longest execution" (section 1 of
// "Parsimonious Optimal Dynamic Partial Order Reduction", in our words): where one operation has as many pasts as a part
// of the program has classes, memory grows with the length of an execution and not with the number of them.
func TestPolynomialMemory(t *testing.T) {
	program := func(n int) *toy {
		writes := func(x int8) []instr { return slices.Repeat([]instr{{op: tStore, a: 0, b: x}}, n) }
		return newToy([]instr{{op: tGo, a: 1}, {op: tGo, a: 2}, {op: tGo, a: 3}, {op: tStore, a: 1, b: 1}},
			writes(1), writes(2), []instr{{op: tLoad, a: 0}, {op: tStore, a: 1, b: 2}})
	}
	explore := func(n int, run func(System, Visitor, Config) Result) Stats {
		toy := program(n)
		return run(toy, newFindings(toy), Config{}).Stats
	}
	const small, large = 3, 6
	for _, e := range []struct {
		name  string
		run   func(System, Visitor, Config) Result
		grows bool
	}{{"optimal", Optimal, true}, {"parsimonious", parsimonious, false}} {
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

package por_test

import (
	"fmt"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// endings is a visitor that prints how executions end.
type endings struct{ sys *toys.System }

func (v endings) Leaf(path trace.Schedule, status por.Status) bool {
	var order []trace.GID
	for _, step := range path {
		order = append(order, step.G)
	}
	fmt.Printf("%v, x = %d, after %d\n", status, v.sys.Vars[0], order)
	return true
}

func (v endings) Race(_ trace.Schedule, a, b trace.Op) bool {
	fmt.Printf("race: g%d %v, g%d %v\n", a.G, a.Kind, b.G, b.Kind)
	return true
}

func (v endings) Livelock(trace.Schedule, int) bool { return true }

func (v endings) Restart() {}

// Two goroutines increment x without a lock: read, add one, write. If both read before one writes,
// an increment is lost. There are 20 interleavings, and one execution for each class is enough.
func Example() {
	increment := []toys.Instr{{Op: toys.Read}, {Op: toys.Inc}, {Op: toys.WriteReg}}
	sys := toys.Started(increment, increment)
	r := explorers.With("optimal").Explore(sys, endings{sys}, por.Config{})
	fmt.Println(r.Executions, "executions")
	// Output:
	// ended, x = 2, after [0 0 0 1 1 1]
	// race: g0 write, g1 read
	// ended, x = 1, after [0 1 0 0 1 1]
	// race: g0 write, g1 write
	// ended, x = 1, after [0 1 1 0 0 1]
	// race: g0 read, g1 write
	// ended, x = 2, after [1 1 0 0 0 1]
	// 4 executions
}

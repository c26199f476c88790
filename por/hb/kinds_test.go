package hb

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestKinds compares the dependence of all kinds of operations with the rows of trace's table.
// Exceptions are listed, so that a new kind is not forgotten.
func TestKinds(t *testing.T) {
	// The accesses to a lock or a Once that is released or awaited: see MayBeCoEnabled.
	released := map[trace.Kind]trace.Accesses{trace.Unlock: trace.First, trace.OnceLeave: trace.First, trace.Park: trace.Second}
	acquired := map[trace.Kind]trace.Accesses{trace.Lock: trace.First, trace.OnceEnter: trace.First, trace.WakeLock: trace.First, trace.CondWait: trace.Second}
	// Two of these on one location do not depend on each other, though they change it.
	commutes := map[trace.Kind]bool{trace.WgAdd: true}
	// Reads-from equivalence supports the operations on these objects. It supports no operation on other
	// objects that another goroutine can reach.
	known := map[trace.Object]bool{trace.OnNothing: true, trace.OnMemory: true, trace.OnLock: true, trace.OnWaitGroup: true,
		trace.OnOnce: true, trace.OnOutput: true}

	for k := range trace.NumKinds {
		row := k.Row()
		t.Run(row.Name, func(t *testing.T) {
			first := trace.Access{Obj: 3, Size: 8, Write: true}
			second := trace.Access{Obj: 4, Size: 8, Write: true}
			n := &NextOp{Op: trace.Op{Kind: k, N: 2, Access: [2]trace.Access{first, second}, Lock: trace.MutexLock}}
			n.setFootprint()
			for bit, want := range map[uint64]bool{1 << objectNumber(3): true, 1 << objectNumber(4): true,
				channelsBit: row.Channels, outputBit: row.On == trace.OnOutput} {
				if got := n.footprint&bit != 0; got != want {
					t.Errorf("footprint %#x: bit %#x is %v, want %v", n.footprint, bit, got, want)
				}
			}
			if n.Blocks() != row.Blocks {
				t.Errorf("blocks: %v, want %v", n.Blocks(), row.Blocks)
			}
			for what, c := range map[string]struct {
				of   func(*NextOp) (trace.Access, bool)
				want trace.Accesses
			}{"releases": {releases, released[k]}, "acquires": {acquires, acquired[k]}} {
				a, ok := c.of(n)
				if got := map[trace.Access]trace.Accesses{first: trace.First, second: trace.Second}[a]; ok != (c.want != 0) || got != c.want {
					t.Errorf("%s %v (%v), want %v", what, got, ok, c.want)
				}
			}
			m := *n
			for on, want := range map[dependence]bool{{}: !commutes[k], {pairwise: true}: true} {
				if row.On == trace.OnOutput {
					want = true // of the order of output
				}
				if got := on.dependent(n, &m); got != want {
					t.Errorf("%+v: dependent on one of its kind: %v, want %v", on, got, want)
				}
			}
			apart := *n
			apart.Access = [2]trace.Access{{Obj: 5, Size: 8, Write: true}, {Obj: 6, Size: 8, Write: true}}
			apart.setFootprint()
			if (dependence{ignoreOutput: true}).dependent(n, &apart) {
				t.Error("depends on one of its kind on other objects")
			}
			one := trace.Op{Kind: k, N: 1, Access: n.Access}
			if got, want := supported(&one), known[row.On] && k != trace.WakeLock; got != want {
				t.Errorf("supported says %v of an operation on a %v, this test's list known %v", got, row.On, want)
			}
		})
	}
}

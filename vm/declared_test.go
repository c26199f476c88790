package vm

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestDeclared: package trace, where all others look them up, declares exactly the functions that
// the machine implements. Those with an operation have one here, and the other way round.
func TestDeclared(t *testing.T) {
	declared := map[string]bool{}
	trace.Natives(func(name string) { declared[name] = true })
	for _, table := range nativeTables {
		for _, n := range table {
			if !declared[n.Name] {
				t.Errorf("%s: what does it do to memory?", n.Name)
			}
			delete(declared, n.Name)
			kinds, memory := trace.KindsOf(n.Name), trace.MemoryOf(n.Name)
			inStep := n.Name == "time.hbSend" // its operation belongs to the step that it is in
			switch visible := n.Peek != nil; {
			case visible && len(kinds) == 0 && memory == trace.NoMemory:
				t.Errorf("%s is a visible operation: of which kind?", n.Name)
			case !visible && len(kinds) > 0 && !inStep:
				t.Errorf("%s is said to execute %v, and is not visible", n.Name, kinds)
			}
		}
	}
	for name := range declared {
		t.Errorf("%s is declared, and is no native", name)
	}
}

// TestUndeclared: an operation that differs from the declared one is noticed.
func TestUndeclared(t *testing.T) {
	on := func(k trace.Kind, n uint8) *trace.Op { return &trace.Op{Kind: k, N: n} }
	for _, x := range []struct {
		name string
		op   *trace.Op
		ok   bool
	}{
		{"internal/effect.Access", on(trace.SyncAccess, 1), true},
		{"internal/effect.Access", on(trace.SyncAccess, 0), false},
		{"internal/effect.Access", on(trace.Lock, 1), false},
		{"internal/effect.Access", on(trace.Write, 1), false},
		{"sync/atomic.AddInt32", on(trace.AtomicRMW, 1), true},
		{"sync/atomic.AddInt32", on(trace.Write, 1), false},
		{"syscall.hbWrite", on(trace.Output, 1), true},
		{"bytes.Equal", on(trace.Read, 1), true},
		{"bytes.Equal", on(trace.Write, 1), false},
		{"runtime.callers", on(trace.Write, 1), true},
		{"runtime.Gosched", on(trace.Yield, 0), true},
		{"runtime.NumGoroutine", on(trace.Inspect, 0), true}, // on all goroutines
		{"runtime.NumGoroutine", on(trace.Lock, 1), false},
		{"(*sync.Mutex).Unlock", on(trace.Crash, 0), true}, // it is not locked
		{"os.notThere", on(trace.Read, 1), false},
	} {
		if why := undeclared(x.name, x.op); (why == "") != x.ok {
			t.Errorf("%s, %v with %d accesses: %q", x.name, x.op.Kind, x.op.N, why)
		}
	}
}

package vm

import (
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// TestDeclared: package trace declares exactly the functions that the machine implements, and exactly those
// with an operation in the machine have one in package trace.
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
		if why := trace.Misdeclared(x.name, x.op); (why == "") != x.ok {
			t.Errorf("%s, %v with %d accesses: %q", x.name, x.op.Kind, x.op.N, why)
		}
	}
}

// TestMisplaced: an operation on a primitive that is at none of the native's arguments is noticed.
func TestMisplaced(t *testing.T) {
	args := [2]uint64{3<<32 | 16, 4 << 32}
	for _, x := range []struct {
		kind     trace.Kind
		obj, off uint32
		ok       bool
	}{
		{trace.Lock, 3, 16, true},
		{trace.WakeLock, 4, 0, true}, // the Cond's lock is the second argument
		{trace.Lock, 3, 0, false},
		{trace.WgWait, 3, 24, false},
		{trace.SyncAccess, 3, 24, true}, // there is more to an object of the library
	} {
		op := trace.Op{Kind: x.kind, N: 1, Access: [2]trace.Access{{Obj: x.obj, Off: x.off, Size: 8}}}
		if why := misplaced("native", regsAt(unsafe.Pointer(&args)), &op); (why == "") != x.ok {
			t.Errorf("%v at %d+%d: %q", x.kind, x.obj, x.off, why)
		}
	}
}

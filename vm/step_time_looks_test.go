package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/vm"
)

// TestMayLook: a search may assume that no goroutine looks at all others only if nothing else can
// overtake them, such as the time of a bubble.
func TestMayLook(t *testing.T) {
	for _, tt := range []struct {
		src            string
		ordered        bool
		overtakes, may bool
	}{
		{`package main; func main() {}`, true, false, false},
		{`package main; import "runtime"; func main() { runtime.GC() }`, true, true, true},
		{`package main; import ("runtime"; "time"); func main() { time.Sleep(1); runtime.GC(); println(time.Since(time.Now()) > 1) }`, false, true, false},
		{`package main; import ("runtime"; _ "testing/synctest"); func main() { runtime.GC() }`, true, true, false},
	} {
		prog := vmtest.Load(t, tt.src)
		m, err := vm.New(prog, prog.Entries[0], vm.Config{OrderedTime: tt.ordered})
		if err != nil {
			t.Fatal(err)
		}
		if m.Overtakes() != tt.overtakes || m.MayLook() != tt.may {
			t.Errorf("%s: overtakes %v, may look %v", tt.src, m.Overtakes(), m.MayLook())
		}
	}
}

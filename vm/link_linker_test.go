package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
)

// TestStubs: a deferred builtin of a generic function differs between instances, although the types
// that the function declares have the same names in all of them.
func TestStubs(t *testing.T) {
	m := vmtest.Run(t, `package main

func size[K comparable](k K) int {
	type key struct{ k K }
	m := map[key]int{{k}: 1}
	func() {
		defer delete(m, key{k})
	}()
	return len(m)
}

func main() { println(size(int8(1)), size("s"), size([3]string{"a"})) }
`)
	if out := m.Report().Output(2); out != "0 0 0\n" {
		t.Errorf("prints %q", out)
	}
}

package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/vm"
)

// TestReplicasNumberFunctions: a replica that has taken another path uses the same numbers of functions,
// which are in pending operations and in fingerprints. Functions are numbered when a caller is compiled:
// here f3 and g3, whose operations are otherwise alike, in either order.
func TestReplicasNumberFunctions(t *testing.T) {
	prog := vmtest.Load(t, `package main

var x, y, z int

func f3() { x++ }
func g3() { y++ }
func f2() { f3(); x++ }
func g2() { g3(); y++ }
func f()  { z++; f2() }
func g()  { z--; g2() }

func main() {
	go f()
	go g()
	x++
	y++
}
`)
	m, err := vm.New(prog, prog.Entries[0], vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m.ShareGIDs()
	r, err := m.Replica()
	if err != nil {
		t.Fatal(err)
	}
	away := func(m *vm.Machine, last bool) {
		k := m.Mark()
		for e := m.Enabled(nil); len(e) > 0; e = m.Enabled(e[:0]) {
			g := e[0]
			if last {
				g = e[len(e)-1]
			}
			m.Step(g, 0)
		}
		m.Rewind(k)
		m.Release(k)
	}
	away(m, false)
	away(r, true)
	for e := m.Enabled(nil); len(e) > 0; e = m.Enabled(e[:0]) {
		for _, g := range e {
			if a, b := m.Next(g), r.Next(g); a != b {
				t.Errorf("goroutine %d: %+v, on the replica %+v", g, a, b)
			}
		}
		if m.Hash() != r.Hash() {
			t.Error("fingerprints differ")
		}
		g := e[len(e)-1]
		m.Step(g, 0)
		r.Step(g, 0)
	}
}

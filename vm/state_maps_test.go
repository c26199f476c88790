package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/vm"
)

// TestMapsOfOneState: two ways to the same entries lead to the same state, unless an iterator can
// distinguish the ways.
func TestMapsOfOneState(t *testing.T) {
	const program = `package main

import "os"

func main() {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	how := os.Args[1]
	os.Args = nil
	switch how {
	case "deleted":
		m[4] = 4
		delete(m, 4)
	case "again":
		delete(m, 1)
		delete(m, 2)
		delete(m, 3)
		m[1], m[2], m[3] = 1, 2, 3
	case "cleared":
		clear(m)
		m[1], m[2], m[3] = 1, 2, 3
	case "grown":
		for i := range 30 {
			m[9] = i
			delete(m, 9)
		}
	case "values":
		delete(m, 2)
		m[2], m[3] = 2, 3
		delete(m, 3)
		m[3] = 3
	case "other":
		m[3] = 4
	}
	how = ""
	<-make(chan int)
	println(how, m[0])
}
`
	prog := vmtest.Load(t, program)
	at := func(how string) (h [2]uint64) {
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"", how}})
		if err != nil {
			t.Fatal(err)
		}
		for len(m.Enabled(nil)) > 0 {
			m.Step(0, 0)
		}
		return m.Hash()
	}
	want := at("untouched")
	for _, how := range []string{"deleted", "again", "cleared", "grown", "values"} {
		if at(how) != want {
			t.Errorf("%s: another state", how)
		}
	}
	if at("other") == want {
		t.Error("other: the same state")
	}
}

package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestCounted: snapshots are taken in loops that may return to the same state, and not in counting
// loops.
func TestCounted(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"os"
	"sync/atomic"
)

var a atomic.Int64

func zero() bool { return a.Load() == 0 }

func main() {
	go func() { select {} }()
	n := len(os.Args[1]) // not known to the compiler
	switch os.Args[1] {
	case "waits":
		for a.Load() == 0 {
		}
	case "range":
		for range n {
			a.Load()
		}
	case "slice":
		for range os.Args {
			a.Load()
		}
	case "condition":
		for i := n; a.Load() != int64(i); i-- {
		}
	case "continue":
		for i := 0; i < n; i++ {
			if zero() {
				continue
			}
			a.Load()
		}
	case "unused":
		for i := 0; ; i++ {
			a.Load()
		}
	case "caller":
		for i := 0; i < n; i += 2 {
			zero()
		}
	case "nested":
		for i := range n {
			for j := range i {
				if a.Load() == int64(j) {
					break
				}
			}
		}
	case "inside":
		for range n {
			for zero() {
			}
		}
	case "outside":
		for {
			for range n {
				a.Load()
			}
		}
	case "wraps":
		for i := uint8(0); ; i++ {
			a.Load()
		}
	case "far":
		for i := 0; ; i += 1 << 62 {
			a.Load()
		}
	case "turns":
		for i := 0; ; i = (i + 1) % n {
			a.Load()
		}
	case "back and forth":
		for i := 0; i < n; {
			if zero() {
				i++
			} else {
				i--
			}
		}
	case "sometimes":
		for i := 0; i < n; {
			if !zero() {
				i++
			}
		}
	case "again":
		for i := 0; i < n; i++ {
			if zero() {
				i = 0
			}
		}
	case "goto":
		i := 0
		if n > 3 {
			goto middle
		}
	begin:
		a.Load()
	middle:
		i++
		if a.Load() < int64(n) {
			goto begin
		}
	}
}
`)
	for name, want := range map[string]bool{
		"waits": true, "range": false, "slice": false, "condition": false, "continue": false, "unused": false, "caller": false, "nested": false,
		"inside": true, "outside": true, "wraps": true, "far": true, "turns": true, "back and forth": true, "sometimes": true, "again": true, "goto": true,
	} {
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"p", name}})
		if err != nil {
			t.Fatal(err)
		}
		m.Await(vm.AwaitOnce)
		loads, looked := 0, false
		for range 20 {
			if op := m.Next(0); op.Kind == trace.AtomicLoad {
				loads++
				looked = looked || op.Awaits != trace.NoAwait
			}
			if m.Alternatives(0) == 0 {
				break
			}
			m.Step(0, 0)
		}
		if loads == 0 || looked != want {
			t.Errorf("%s: %d loads; looked at: %t, want %t", name, loads, looked, want)
		}
	}
}

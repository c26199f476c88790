package mhb_test

import (
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/microtest"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestFailed: the order of two operations on a test can decide whether it has failed. They are dependent
// like two operations on a sync.Map.
func TestFailed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module test\n\ngo 1.26\n", "x_test.go": `package test

import (
	"sync"
	"syscall"
	"testing"
)

func TestFails(t *testing.T) {
	var wg sync.WaitGroup
	failed := false
	wg.Add(2)
	go func() { t.Fail(); wg.Done() }()
	go func() { t.Skipped(); failed = t.Failed(); wg.Done() }() // the walk reaches Failed before its operation
	wg.Wait()
	if failed {
		syscall.Write(1, []byte("failed"))
	}
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	e, err := prog.Lookup("TestFails")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := microtest.Explore(t, prog, e, oracle.None, stateful.Full)
	if len(all) < 2 {
		t.Fatalf("outcomes %v: the test depends on no order", all)
	}
	for _, h := range []oracle.Kind{oracle.Patterns, oracle.MHB, microtest.Walks, oracle.Full} {
		got, _ := microtest.Explore(t, prog, e, h, stateful.JPF)
		microtest.Same(t, h, got, all)
	}
}

package describe

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

var update = flag.Bool("update", false, "rewrite testdata/words.txt")

// TestWords executes testdata/words.go under one schedule and compares the descriptions of its
// operations with testdata/words.txt.
func TestWords(t *testing.T) {
	src, err := os.ReadFile("testdata/words.go")
	if err != nil {
		t.Fatal(err)
	}
	prog := vmtest.Load(t, string(src))
	m, err := NewMachine(prog, prog.Entries[0], vm.Config{VisibleOutput: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	var got strings.Builder
	for m.Status() == por.Running {
		g := m.Enabled(nil)[0]
		e := m.Describe(g)
		m.Step(g, 0)
		e.Effect = m.Effect()
		fmt.Fprintf(&got, "%-4s %-40s %v\n", e.Name, strings.TrimSpace(fmt.Sprintf("%v %s %s", e.Kind, e.What, e.Effect)), strings.TrimSpace(lines[max(0, e.Pos.Line-1)]))
	}
	if end := m.Ending(); end.Exit != nil || end.Failure != nil || end.Fault != nil || end.Unsupported != "" {
		t.Errorf("%+v", end)
	}
	if *update {
		if err := os.WriteFile("testdata/words.txt", []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("testdata/words.txt:%d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}

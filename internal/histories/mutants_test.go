package histories

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var every = flag.String("mutants", "", "all: build hbcheck with each mutant, and see that TestHistories notices")

// mutants are clauses without which histories are lost, or are others.
var mutants = []mutation.Mutant{
	{Name: "calls declare nothing", File: "vm/native_lin.go", Old: "return m.syncOp(op, trace.SyncAccess, r.U(0), 8, false, true)", New: "return 1"},
	{Name: "calls declare one byte", File: "vm/native_lin.go", Old: "r.U(0), 8, false, true)", New: "r.U(0), 1, false, true)"},
	{Name: "returns read", File: "vm/native_lin.go", Old: "r.U(0)+r.U(1), 1, true, true)", New: "r.U(0)+r.U(1), 1, false, true)"},
	{Name: "returns do not count", File: "vm/native_lin.go", Old: "*(*uint8)(m.heap.load(p, 1, 0))++", New: "_ = p"},
	{Name: "returns are not undone", File: "vm/native_lin.go", Old: "m.heap.willWrite(uint32(p >> 32))", New: ""},
}

func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := x.Source(t, root)
		if !ok || *every != "all" {
			continue
		}
		overlay := mutation.Overlay(t, file, text)
		// The test builds hbcheck: the flag has to reach that.
		cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=5m", "-run=^TestHistories$", "./internal/histories")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s: not noticed", x.Name)
		} else if !strings.Contains(string(out), "is lost") && !strings.Contains(string(out), "cannot be") && !strings.Contains(string(out), "BUG") {
			t.Errorf("%s: noticed by something else\n%s", x.Name, out)
		}
	}
}

package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// TestLibrary: a program that uses a little of fifty packages of the standard
// library, as they are in the Go distribution, has the same output in the machine as compiled.
func TestLibrary(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "library")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/library").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	native := exec.Command(exe)
	native.Env = append(os.Environ(), "GOGC=100") // which the program prints
	want, err := native.Output()
	if err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Patterns: []string{"./testdata/library"}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	var got, stderr bytes.Buffer
	end, err := describe.RunOnce(prog, prog.Entries[0], vm.Config{Args: []string{exe}, Stdout: &got, Stderr: &stderr})
	if err != nil || end.Exit != 0 || end.Unsupported != "" {
		t.Errorf("%v, exit %d, %s\n%s", err, end.Exit, end.Unsupported, &stderr)
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("line %d\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}

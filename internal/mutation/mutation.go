// Package mutation breaks the program in one place and sees whether a test notices. A condition
// that soundness rests on and that no test notices the loss of is either not needed or not tested.
package mutation

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Mutant is the program with Old replaced by New in File, where it must be exactly once.
type Mutant struct{ Name, File, Old, New string }

// Source returns the mutant's file. It fails the test if the mutant is not one of the present code.
func (x *Mutant) Source(t *testing.T, root string) (file, text string, ok bool) {
	t.Helper()
	file = filepath.Join(root, x.File)
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), x.Old); n != 1 {
		t.Errorf("%s: %q is %d times in %s", x.Name, x.Old, n, x.File)
		return "", "", false
	}
	return file, strings.Replace(string(src), x.Old, x.New, 1), true
}

// Overlay returns a file for go's flag -overlay, with which text stands for file.
func Overlay(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: mutant}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{mutant: []byte(text), overlay: list} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return overlay
}

// Kills executes go test with args in directory root, with file replaced by text, and returns what
// failed; "" if nothing did.
func Kills(t *testing.T, root, file, text string, args ...string) string {
	t.Helper()
	overlay := Overlay(t, file, text)
	c := exec.Command("go", append([]string{"test", "-vet=off", "-count=1", "-timeout=5m", "-overlay", overlay}, args...)...)
	c.Dir = root
	c.Env = append(os.Environ(), "HBCHECK_TESTS=full")
	out, err := c.CombinedOutput()
	if strings.Contains(string(out), "[build failed]") {
		t.Errorf("%s", out)
	}
	if err == nil {
		return ""
	}
	for l := range strings.Lines(string(out)) {
		says := func(s string) bool { return strings.Contains(l, s) }
		if says("--- FAIL") && says("/") || says("seed ") || says("panic:") || says(", want ") {
			return strings.TrimSpace(l)
		}
	}
	return "failed: " + string(out)
}

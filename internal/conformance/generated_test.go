package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestGenerated compares the output of generated programs in the machine with that of the compiled
// programs.
func TestGenerated(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(generate(int(deep.Seed()), deep.N(8, 200))), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	want, err := cmd.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, stderr.String())
	}
	got, err := run(dir, []string{file}, nil, nil)
	if err != nil {
		t.Errorf("in the machine: %v\n%s", err, tail(got))
	}
	const mark = "== "
	gots, wants := strings.SplitAfter(got, mark), strings.SplitAfter(string(want), mark)
	bad := 0
	for i := range wants {
		if i < len(gots) && gots[i] == wants[i] {
			continue
		}
		if bad++; bad > 5 {
			break
		}
		g := ""
		if i < len(gots) {
			g = gots[i]
		}
		t.Errorf("program %s", difference(g, wants[i]))
	}
}

// difference shows the first line in which two outputs differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			have := "nothing"
			if i < len(g) {
				have = g[i]
			}
			return w[0] + ", line " + w[i] + "\nbut the machine prints\n" + have
		}
	}
	return w[0] + ": more output than expected"
}

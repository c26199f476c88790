package vm_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
)

var update = flag.Bool("update", false, "run the programs of testdata with go run and keep what they print")

// TestReflect runs programs that use package reflect heavily, by themselves or through fmt,
// encoding/*, text/template, log/slog. Their output must equal that of the compiled programs.
func TestReflect(t *testing.T) {
	files, err := filepath.Glob("testdata/reflect/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			golden := strings.TrimSuffix(file, ".go") + ".out"
			if *update {
				var stderr bytes.Buffer
				cmd := exec.Command("go", "run", file)
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, &stderr)
				}
				if err := os.WriteFile(golden, out, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			m := vmtest.Run(t, string(src))
			if status, reason := m.Report().Exit(); status != 0 {
				t.Errorf("exit status %d %s\n%s", status, reason, m.Report().Output(2))
			}
			got, lines := strings.Split(m.Report().Output(1), "\n"), strings.Split(string(want), "\n")
			for i := range max(len(got), len(lines)) {
				if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
					t.Fatalf("line %d:\ngot  %q\nwant %q", i+1, got[min(i, len(got)-1)], lines[min(i, len(lines)-1)])
				}
			}
		})
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestBuildID: a program has the ID that the go command gives it, but none that its user chooses.
func TestBuildID(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not an ELF file")
	}
	dir := t.TempDir()
	src := filepath.Join(dir, "main.go")
	if err := os.WriteFile(src, []byte("package main\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]bool{"-ldflags=": true, "-ldflags=-buildid=chosen": false} {
		bin := filepath.Join(dir, "bin")
		if out, err := exec.Command("go", "build", flag, "-o", bin, src).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f, err := os.Open(bin)
		if err != nil {
			t.Fatal(err)
		}
		id, ok := goBuildID(f)
		f.Close()
		if ok != want {
			t.Errorf("%s: %q, %t", flag, id, ok)
		}
	}
}

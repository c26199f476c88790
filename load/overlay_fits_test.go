package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWholeLibraryFits type-checks the whole standard library with the overlay in
// place: a package that needs a missing declaration of a replaced one is found here and not by the first
// user who imports it.
func TestWholeLibraryFits(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	var src strings.Builder
	src.WriteString("package main\n\nimport (\n")
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "vendor/") || strings.Contains(path, "internal") || path == "runtime/cgo" || path == "plugin" {
			continue
		}
		src.WriteString("\t_ \"" + path + "\"\n")
	}
	src.WriteString(")\n\nfunc main() {}\n")
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": src.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(Config{Dir: dir, early: true}); err != nil {
		t.Fatal(err)
	}
}

package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestParallelSubtests: other test functions that are parallel make the subtests of a test no more parallel;
// the test itself and helpers do.
func TestParallelSubtests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) {}) }\n\nfunc TestB(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Parallel() }) }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) { help(t) }\n\nfunc help(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Parallel() }) }\n",
		"c/c_test.go": "package c\n\nimport (\n\t\"m/h\"\n\t\"testing\"\n)\n\nfunc TestD(t *testing.T) { h.Help(t) }\n",
		"h/h.go":      "package h\n\nimport \"testing\"\n\nfunc Help(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Parallel() }) }\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := Load(Config{Dir: dir, Patterns: []string{"./..."}, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"TestA": false, "TestB": true, "TestC": true, "TestD": true} {
		e, err := prog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := prog.ParallelSubtests(e); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyCalled: a function is only called, unless its name is also used in another way, or other
// code calls it.
func TestOnlyCalled(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": `package main

import _ "unsafe"

type T struct{}

func (T) method() {}

func called()        {}
func inParens()      {}
func started()       {}
func deferred()      {}
func taken()         {}
func both()          {}
func passed()        {}
func stored()        {}
func generic[E any](E) {}

//go:linkname linked m.other
func linked() {}

var table = []func(){stored}

func use(func()) {}

func init() { called() }

func main() {
	called()
	(inParens)()
	go started()
	defer deferred()
	f := taken
	f()
	both()
	use(both)
	use(passed)
	generic(1)
	T{}.method()
	linked()
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := Load(Config{Dir: dir, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	pkg := prog.Packages[0].SSA
	for name, want := range map[string]bool{"called": true, "inParens": true, "started": true, "deferred": true, "use": true,
		"taken": false, "both": false, "passed": false, "stored": false, "linked": false, "main": false, "init": false} {
		if got := prog.OnlyCalled(pkg.Func(name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

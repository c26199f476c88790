package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// extract writes the files of a txtar archive to a new directory.
func extract(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// overlayOf makes an overlay tree of a txtar archive.
func overlayOf(archive string) fs.FS {
	tree := make(fstest.MapFS)
	for _, f := range txtar.Parse([]byte(archive)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

// noOverlay leaves the standard library as it is.
var noOverlay = fstest.MapFS{}

// entryNames lists the entries as path.Name.
func entryNames(prog *Program) string {
	var names []string
	for _, e := range prog.Entries {
		names = append(names, e.String())
	}
	return strings.Join(names, " ")
}

func mustLoad(t testing.TB, cfg Config) *Program {
	t.Helper()
	if cfg.Overlay == nil {
		cfg.Overlay = noOverlay
	}
	prog, err := Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestPatterns(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- lib/lib.go --
package lib
func Go() {}
-- lib/lib_test.go --
package lib
import "testing"
func TestIn(t *testing.T) {}
func Testing() {}
func TestMain(m *testing.M) {}
func BenchmarkB(b *testing.B) {}
-- lib/x_test.go --
package lib_test
import ("testing"; "m/lib"; "m/user")
func TestOut(t *testing.T) { lib.Go(); user.Use() }
-- user/user.go --
package user
import "m/lib"
func Use() { lib.Go() }
-- cmd/b/main.go --
package main
import "m/lib"
func main() { lib.Go() }
-- cmd/b/main_test.go --
package main
import "testing"
func TestB(t *testing.T) {}
-- cmd/a/main.go --
package main
func main() {}
-- single.go --
//go:build ignore

package main
func main() {}
`)
	for _, test := range []struct {
		patterns string
		tests    bool
		want     string
	}{
		{"./...", false, "m/cmd/a.main m/cmd/b.main"},
		{"./...", true, "m/cmd/a.main m/cmd/b.main m/cmd/b.TestB m/lib.TestIn m/lib.TestOut"},
		{"./lib", true, "m/lib.TestIn m/lib.TestOut"},
		{"./lib ./cmd/...", true, "m/lib.TestIn m/lib.TestOut m/cmd/a.main m/cmd/b.main m/cmd/b.TestB"},
		{"m/cmd/a", true, "m/cmd/a.main"},
		{"./user", true, ""},
		{"single.go", false, "command-line-arguments.main"},
		{"lib/lib.go lib/lib_test.go", true, "command-line-arguments.TestIn"},
	} {
		prog := mustLoad(t, Config{Dir: dir, Patterns: strings.Fields(test.patterns), Tests: test.tests})
		if got := entryNames(prog); got != test.want {
			t.Errorf("%s (tests: %t): entries\n\t%s\nwant\n\t%s", test.patterns, test.tests, got, test.want)
		}
	}
}

func TestEnsureBuilt(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main
import "slices"
func main() { f := func() {}; f(); println(slices.Max([]int{1})) }
`)
	prog := mustLoad(t, Config{Dir: dir})
	e, err := prog.Lookup("main")
	if err != nil {
		t.Fatal(err)
	}
	if e.Func.Blocks != nil {
		t.Error("main is built before anybody needs it")
	}
	prog.EnsureBuilt(e.Func)
	if e.Func.Blocks == nil || e.Func.AnonFuncs[0].Blocks == nil {
		t.Error("main is not built")
	}
	max := prog.Package("slices").SSA.Func("Max")
	if max.Blocks != nil {
		t.Error("slices is built though only an instance of Max is needed")
	}
	if e.Func.String() != "main.main" {
		t.Errorf("main is called %s", e.Func)
	}
}

func TestErrorText(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- a.go --
package m

import "os"

func f() int { x := 1; return y }
func f() {}
`)
	_, err := Load(Config{Dir: dir, Overlay: noOverlay})
	want := `a.go:3:8: "os" imported and not used
a.go:5:16: declared and not used: x
a.go:5:31: undefined: y
a.go:6:6: f redeclared in this block
	a.go:5:6: other declaration of f`
	if err == nil || err.Error() != want {
		t.Errorf("errors\n%v\nwant\n%s", err, want)
	}
	var errs Errors
	if !errors.As(err, &errs) {
		t.Errorf("error is a %T", err)
	}
}

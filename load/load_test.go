package load

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// extract writes the files of a txtar archive to a new directory.
func extract(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		writeFile(t, filepath.Join(dir, f.Name), f.Data)
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
var noOverlay = &fstest.MapFS{}

// realStd is shared by the tests that load the standard library as it is.
var realStd Cache

// mustLoad loads with the real standard library unless there is an overlay.
func mustLoad(t testing.TB, cfg Config) *Program {
	t.Helper()
	if cfg.Overlay == nil {
		cfg.Overlay = noOverlay
		cfg.Cache = cmp.Or(cfg.Cache, &realStd)
	}
	prog, err := Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return prog
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
		t.Error("main is built before it is needed")
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

// TestDeterministic loads twice, with different numbers of processors: every
// declaration must be at the same token.Pos, every list in the same order.
func TestDeterministic(t *testing.T) {
	dir := extract(t, tenLines)
	load := func() []string {
		prog := mustLoad(t, Config{Dir: dir, Tests: true, Cache: new(Cache)})
		var facts []string
		for _, p := range prog.All {
			facts = append(facts, p.ID)
			for _, name := range p.Types.Scope().Names() {
				facts = append(facts, fmt.Sprintf("%s %d", name, p.Types.Scope().Lookup(name).Pos()))
			}
		}
		for _, p := range prog.InitOrder(prog.Entries[0]) {
			facts = append(facts, "init "+p.Pkg.Path())
		}
		return facts
	}
	one := load()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	two := load()
	for i := range one {
		if i >= len(two) || one[i] != two[i] {
			t.Fatalf("%d facts, %d facts; %q differs", len(one), len(two), one[i])
		}
	}
}

func TestSplitFlags(t *testing.T) {
	for in, want := range map[string][]string{
		"":                              nil,
		" -v  -x ":                      {"-v", "-x"},
		"-tags=a,b '-ldflags=-s -w' -x": {"-tags=a,b", "-ldflags=-s -w", "-x"},
		`"-tags=a b"`:                   {"-tags=a b"},
		`'-open`:                        {"-open"},
	} {
		if got := splitFlags(in); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestTestVariants checks the names of packages: a command is "main" unless
// compiled for its own test, as in stack traces of go run and go test.
func TestTestVariants(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main
func main() {}
func f() {}
-- main_test.go --
package main
import "testing"
func Test(t *testing.T) { f() }
`)
	prog := mustLoad(t, Config{Dir: dir, Tests: true})
	var names []string
	for _, p := range prog.Packages {
		names = append(names, p.SSA.Func("f").String())
	}
	if want := []string{"main.f", "m.f"}; !slices.Equal(names, want) {
		t.Errorf("f is %q, want %q", names, want)
	}
}

// TestLoaded checks that Config.Loaded counts all packages.
func TestLoaded(t *testing.T) {
	var got []int
	dir := extract(t, "-- main.go --\npackage main\nimport \"sort\"\nfunc main() { sort.Ints(nil) }\n")
	prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Loaded: func(done, all int) { got = append(got, done, all) }})
	n := len(prog.All)
	if len(got) != 2*n || got[0] != 1 || got[2*n-2] != n || got[2*n-1] != n {
		t.Errorf("%d packages, but %v", n, got)
	}
}

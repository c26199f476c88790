package load

import (
	"io/fs"
	"path/filepath"
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
var noOverlay = fstest.MapFS{}

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

package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load/overlay"
)

func TestPatchApply(t *testing.T) {
	const src = `package p

import (
	"fmt"
	"math/rand/v2"
	str "strings"
	_ "unsafe"
)

const (
	A = iota
	B
	C
)

var x, y = 1, 2

const V = 3

var z = rand.Int()

type T[E any] struct{}

type U int

func (t *T[E]) M() { fmt.Println() }
func (t T[E]) V()  {}
func (U) M()       {}
func F()           { str.Fields("") }
func init()        { fmt.Println() }
func init()        {}
`
	const want = `package p

import (
	"fmt"
	_ "unsafe"
)

const (
	A = iota
	_
	C
)

var _, y = 1, 2

type T[E any] struct{}

func (t *T[E]) M() { fmt.Println() }
func (U) M()
func F()
`
	p, err := parsePatch("p", `
drop B
drop x
drop z   # the only use of rand
drop U
drop (T).V
native (U).M
drop F if go1.27  # of another release
drop y if !go1.26 && !go1.27
drop V if go1.26

native F
drop init
`, []string{"go1.25", "go1.26"})
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p.apply(f)
	if err := p.unused(); err != nil {
		t.Error(err)
	}
	if got := source(t, fset, f); got != canonical(t, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPatchSwap: a swap replaces a text that the file has once, by one of equal length.
func TestPatchSwap(t *testing.T) {
	p, err := parsePatch("p", `
swap a.go: x := f(y) => x := g(y)  # a comment
swap b.go: x := f(y) => x := h(y)
swap a.go if go1.26: y => z
swap a.go if !go1.26: x => w
swap a.go: twice => other
`, []string{"go1.26"})
	if err != nil {
		t.Fatal(err)
	}
	src := []byte("x := f(y); twice; twice")
	got, edits := p.swap("a.go", src)
	if string(got) != "x := g(z); twice; twice" || string(src) != "x := f(y); twice; twice" || len(edits) != 2 {
		t.Errorf("%s, %s, %v", got, src, edits)
	}
	if err := p.unused(); err == nil || !strings.Contains(err.Error(), "PATCH:3: ") {
		t.Errorf("the line for another file is unused: %v", err)
	}
	p.swap("b.go", []byte("x := f(y)"))
	if err := p.unused(); err == nil || !strings.Contains(err.Error(), "PATCH:6: ") {
		t.Errorf("a text that occurs twice: %v", err)
	}
	for _, bad := range []string{"swap a.go: x => longer", "swap a.go x => y", "swap a.go: => y", "swap", "swap a.go then go1.26: x => y"} {
		if _, err := parsePatch("p", bad, nil); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// source prints a syntax tree without the blank lines that depend on positions.
func source(t *testing.T, fset *token.FileSet, f *ast.File) string {
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func canonical(t *testing.T, src string) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source(t, fset, f)
}

// TestOverlayFits loads every overlay package against the Go distribution: its
// patches apply, its imports exist, its types check.
func TestOverlayFits(t *testing.T) {
	tree := overlay.FS()
	var paths []string
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && isPackage(tree, path) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	prog := mustLoad(t, Config{
		Dir:      extract(t, "-- main.go --\npackage main\nfunc main() {}\n"),
		Patterns: []string{"main.go"},
		Implicit: paths,
		Overlay:  tree,
	})
	for _, p := range paths {
		if q := prog.Package(p); q == nil || !q.Overlaid {
			t.Errorf("overlay of %s is not used", p)
		}
	}
}

func TestReplacedAndPatched(t *testing.T) {
	tree := overlayOf(`
-- sort/sort.go --
package sort
import "container/list"
const Ours = list.Ours
var _ = list.New
-- container/list/ours.go --
package list
const Ours = 1
func (l *List) Remove(e *Element) any
-- container/list/PATCH --
drop (*List).Remove
`)
	dir := extract(t, `
-- main.go --
package main
import "sort"
const _ = sort.Ours
func main() {}
`)
	prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Overlay: tree})
	sort, list := prog.Package("sort"), prog.Package("container/list")
	if sort.SSA.Func("Sort") != nil || list.SSA.Func("New") == nil {
		t.Error("sort is to be replaced and list to be patched")
	}
	ptr := types.NewPointer(list.Types.Scope().Lookup("List").Type())
	remove := prog.SSA.LookupMethod(ptr, list.Types, "Remove")
	prog.EnsureBuilt(remove)
	if remove.Blocks != nil || len(remove.Params) != 2 {
		t.Error("the overlay's Remove has no body, but parameters")
	}
	if pos := prog.Fset.Position(remove.Pos()); pos.Filename != "$hbcheck/container/list/ours.go" || pos.Line != 3 {
		t.Errorf("Remove is at %s", pos)
	}
	// Packages that only the replaced files import are not loaded.
	for _, p := range prog.All {
		if p.Std && p != sort && p != list {
			t.Errorf("%s is loaded", p.Path)
		}
	}
	if !prog.IsStd(list.Types) || prog.IsStd(prog.Packages[0].Types) {
		t.Error("IsStd")
	}
}

func TestLinked(t *testing.T) {
	tree := overlayOf(`
-- sort/sort.go --
package sort
import (
	_ "container/list"
	_ "unsafe"
)

func pushed() int

//go:linknamestd pulled container/list.hidden
func pulled() int

//go:linkname here container/list.there
func here() int { return 1 }

func assembly()
func goes() {}

//go:linkname pulledVar container/list.hiddenVar
var pulledVar int

func read() int { return pulledVar }
-- container/list/list.go --
package list
import _ "unsafe"

var hiddenVar = 1

//go:linkname push sort.pushed
func push() int { return 1 }

func hidden() int { return 2 }
func there() int
`)
	dir := extract(t, "-- main.go --\npackage main\nimport _ \"sort\"\nfunc main() {}\n")
	prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Overlay: tree})
	for _, test := range []struct{ pkg, name, want string }{
		{"sort", "pushed", "container/list.push"},
		{"sort", "pulled", "container/list.hidden"},
		{"container/list", "there", "sort.here"},
		{"sort", "assembly", "<nil>"},
		{"sort", "goes", "<nil>"},
	} {
		if got := fmt.Sprint(prog.Linked(prog.Package(test.pkg).SSA.Func(test.name))); got != test.want {
			t.Errorf("%s.%s is linked to %s, want %s", test.pkg, test.name, got, test.want)
		}
	}
	sort := prog.Package("sort").SSA
	prog.BuildPackage(sort)
	if code := sort.Func("read").Blocks[0].Instrs; !strings.Contains(code[0].String(), "container/list.hiddenVar") {
		t.Errorf("sort.read begins with %s, want the variable it is linked to", code[0])
	}
}

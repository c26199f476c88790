package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestPrune checks what remains of package unicode, when it is loaded for one
// program and when several have it from the same cache.
func TestPrune(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- selector/m.go --
package main
import uni "unicode"
func main() { println(uni.Han, uni.IsUpper('A')) }
-- dot/m.go --
package main
import . "unicode"
func main() { println(Han) }
-- none/m.go --
package main
import _ "unicode"
func main() { Han := 0; _ = Han }
-- linked/m.go --
package main
import (
	_ "unicode"
	_ "unsafe"
)
//go:linkname pulled unicode.IsLower
func pulled(rune) bool
func main() {}
`)
	var cache Cache
	for _, test := range []struct {
		name       string
		kept, gone []string
	}{
		{"selector", []string{"Han", "_Han", "IsUpper", "Upper", "_Lu"}, []string{"Latin", "Scripts", "IsLower"}},
		{"dot", []string{"Han", "_Han", "Latin", "Scripts", "IsLower"}, nil},
		{"none", []string{"RangeTable", "MaxRune", "UpperCase"}, []string{"Han", "_Han", "IsUpper", "Categories", "CaseOrbit"}},
		{"linked", []string{"IsLower", "Lower"}, []string{"IsUpper"}},
	} {
		for _, cache := range []*Cache{nil, &cache} {
			prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"./" + test.name}, Overlay: noOverlay, Cache: cache})
			unicode := prog.Package("unicode").SSA
			prog.BuildPackage(unicode)
			for _, name := range test.kept {
				if unicode.Members[name] == nil {
					t.Errorf("%s, cache %t: %s is gone", test.name, cache != nil, name)
				}
			}
			for _, name := range test.gone {
				if unicode.Members[name] != nil {
					t.Errorf("%s, cache %t: %s is still there", test.name, cache != nil, name)
				}
			}
		}
	}
}

// TestPruneBodies checks which functions of container/ring, and of a package that is only used, have
// a body: those that may be called.
func TestPruneBodies(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- calls/m.go --
package main
import "container/ring"
func main() { ring.New(1).Len() }
-- iface/m.go --
package main
import "container/ring"
var x interface{ Unlink(int) *ring.Ring } = ring.New(1)
func main() { _ = x }
-- reflects/m.go --
package main
import ("container/ring"; "reflect")
func main() { reflect.ValueOf(ring.New(1)).Method(0) }
-- types/m.go --
package main
import _ "container/ring"
type T struct{}
func (T) Move() {}
func main() { T{}.Move() }
-- effects/m.go --
package main
import "m/dep"
func main() { println(dep.N) }
-- uses/m.go --
package main
import "m/dep"
func main() { dep.Used() }
-- links/m.go --
package main
import (
	_ "m/dep"
	_ "m/dep.v2"
	_ "unsafe"
)
//go:linkname used m/dep.Used
func used()
//go:linkname two m/dep.v2.two
func two()
func main() { used(); two() }
-- links/m.s --
-- dep.v2/dep.go --
package dep
import "container/ring"
func two() { ring.New(1).Move(1) }
-- dep/dep.go --
package dep
import "container/ring"
var (
	N  = 1
	_  any = (*ring.Ring)(nil)
	r  = ring.New(1)
	rs = []*ring.Ring{r, {Value: do}}
)
func do()     { r.Do(nil) }
func Used()   { println(rs[0].Prev()) }
func Unused() { r.Unlink(1); do() }
`)
	all := []string{"New", "Len", "Next", "Prev", "Move", "Link", "Unlink", "Do"}
	var cache Cache
	for _, test := range []struct{ name, kept, dep string }{
		{"calls", "New Len Next init", ""},
		{"iface", "New Next Prev Move Link Unlink init", ""},
		{"reflects", "New Len Next Prev Move Link Unlink Do init", ""},
		{"types", "", ""},
		{"effects", "New", ""},
		{"uses", "New Prev init Do Next", "do Used"},
		{"links", "New Prev init Do Next Move", "do Used"},
	} {
		for _, cache := range []*Cache{nil, &cache} {
			prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"./" + test.name}, Overlay: noOverlay, Cache: cache})
			ring := prog.Package("container/ring").SSA
			prog.BuildPackage(ring)
			typ := types.NewPointer(ring.Type("Ring").Type())
			for _, name := range append(all, "init") {
				fn := ring.Func(name)
				if name != "New" {
					fn = prog.SSA.LookupMethod(typ, ring.Pkg, name)
				} else if fn == nil {
					continue // not even mentioned
				}
				kept := slices.Contains(strings.Fields(test.kept), name)
				if (fn.Blocks != nil) != kept || prog.HasLostBody(fn) == kept {
					t.Errorf("%s, cache %t: %s has a body: %t, lost it: %t", test.name, cache != nil, name, fn.Blocks != nil, prog.HasLostBody(fn))
				}
			}
			for _, p := range prog.All {
				if p.Path != "m/dep" {
					continue
				}
				prog.BuildPackage(p.SSA)
				for _, name := range []string{"do", "Used", "Unused"} {
					fn, kept := p.SSA.Func(name), slices.Contains(strings.Fields(test.dep), name)
					if (fn.Blocks != nil) != kept || prog.HasLostBody(fn) == kept {
						t.Errorf("%s, cache %t: dep.%s has a body: %t, lost it: %t", test.name, cache != nil, name, fn.Blocks != nil, prog.HasLostBody(fn))
					}
				}
			}
		}
	}
}

// TestPruneOverlay checks that files of the overlay, in which the machine may search for functions that are
// not mentioned, are kept, with their mentions.
func TestPruneOverlay(t *testing.T) {
	tree := overlayOf(`
-- sort/sort.go --
package sort
func secret() {}
-- container/list/ours.go --
package list
import "container/ring"
func secret() { ring.New(1) }
-- container/list/PATCH --
`)
	dir := extract(t, "-- main.go --\npackage main\nimport (\n_ \"sort\"\n_ \"container/list\"\n)\nfunc main() {}\n")
	prog := mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Overlay: tree})
	for pkg, names := range map[string][]string{"sort": {"secret"}, "container/list": {"secret"}, "container/ring": {"New"}} {
		for _, name := range names {
			if prog.Package(pkg).SSA.Func(name) == nil {
				t.Errorf("%s.%s is gone", pkg, name)
			}
		}
	}
	if prog.Package("container/list").SSA.Func("New") != nil {
		t.Error("a real file of a patched package is kept whole")
	}
}

func TestIsPure(t *testing.T) {
	for expr, want := range map[string]bool{
		`1`:                               true,
		`map[string]*T{"x": {1, y}}`:      true,
		`&T{f: func() { panic(1) }}`:      true,
		`[]T{{f()}}`:                      false,
		`-x + y*(z)`:                      true,
		`x / y`:                           false,
		`<-c`:                             false,
		`*p`:                              false,
		`a[0]`:                            false,
		`a[1:]`:                           false,
		`x.(T)`:                           false,
		`errors.New("")`:                  false,
		`struct{ a []int }{[]int{1: *p}}`: false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p; var v = "+expr, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := isPure(f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)); got != want {
			t.Errorf("%s: %t", expr, got)
		}
	}
}

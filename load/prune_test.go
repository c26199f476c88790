package load

import (
	"go/ast"
	"go/parser"
	"go/token"
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
			unicode.Build()
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

// TestPruneOverlay checks that files of the overlay, where the machine may look
// for functions that are not mentioned, are kept, and what they mention.
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

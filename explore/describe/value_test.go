package describe

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestGeneric: types whose size depends on a type parameter have no size.
func TestGeneric(t *testing.T) {
	const src = `package p
type pair[T any] struct { a int; b T }
type list[T any] struct { items []T; next *list[T] }
func f[T any]() {
	var (
		yes1 T
		yes2 pair[T]
		yes3 [3]T
		not1 []T
		not2 *T
		not3 list[T]
		not4 pair[int]
	)
	_, _, _, _, _, _, _ = yes1, yes2, yes3, not1, not2, not3, not4
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	n := 0
	for id, obj := range info.Defs {
		if len(id.Name) != 4 || obj.Parent() == nil {
			continue
		}
		switch want := id.Name[:3] == "yes"; {
		case id.Name[:3] != "yes" && id.Name[:3] != "not":
		case generic(obj.Type()) != want:
			t.Errorf("%s of type %v: %v", id.Name, obj.Type(), !want)
		default:
			n++
		}
	}
	if n != 7 {
		t.Errorf("%d variables were right, want 7", n)
	}
}

// Package yielding puts calls that perhaps let other goroutines run before the statements of Go source, so
// that runs of small compiled programs differ from each other. It is for tests that compare the runs with
// explorations.
package yielding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Source is the package that instrumented programs call. The environment variable NATIVE_YIELD ("",
// "yield", "sleep") selects its action; how often it acts is chosen for each process anew.
const Source = `package yield

import (
	"math/rand/v2"
	"os"
	"runtime"
	"time"
)

var mode = os.Getenv("NATIVE_YIELD")

// Now perhaps lets other goroutines run.
func Now() {
	if mode == "" {
		return
	}
	switch n := rand.Uint32N(64); {
	case n < 12:
		runtime.Gosched()
	case n < 14:
		for range rand.Uint32N(2000) {
			nothing()
		}
	case n < 18 && mode == "sleep":
		time.Sleep(time.Duration(rand.Uint32N(50_000)))
	}
}

//go:noinline
func nothing() {}
`

// Instrument puts a call of Now, of the package with the given path, before every statement of a
// file. Lines stay as they are.
func Instrument(name string, src []byte, path string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var at []int
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			at = append(at, fset.Position(s.Pos()).Offset)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) > 0 {
				switch n.List[0].(type) {
				case *ast.CaseClause, *ast.CommClause:
					return true
				}
			}
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		}
		return true
	})
	if len(at) == 0 {
		return src, nil
	}
	slices.Sort(at)
	var out []byte
	end := fset.Position(f.Name.End()).Offset
	out = append(out, src[:end]...)
	out = append(out, `; import hbYield "`+path+`"`...)
	last := end
	for _, p := range at {
		out = append(out, src[last:p]...)
		out = append(out, "hbYield.Now(); "...)
		last = p
	}
	return append(out, src[last:]...), nil
}

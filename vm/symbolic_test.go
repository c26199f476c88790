package vm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// TestSymbolicOps: each operation has a case for its symbolic parts. The default is a panic.
func TestSymbolicOps(t *testing.T) {
	cases := map[string]bool{}
	for file, fn := range map[string]string{"symbolic_exec.go": "before", "symbolic_slow.go": "beforeSlow"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == fn {
				ast.Inspect(d, func(n ast.Node) bool {
					if c, ok := n.(*ast.CaseClause); ok {
						for _, x := range c.List {
							if id, ok := x.(*ast.Ident); ok {
								cases[id.Name] = true
							}
						}
					}
					return true
				})
			}
		}
	}
	for op := range bytecode.NumOps {
		if !cases[op.String()] {
			t.Errorf("what is symbolic in %s?", op)
		}
	}
}

package shadow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	. "hbcheck.dev/hbcheck/vm/bytecode"
)

// TestShadows: each operation, or its class, has a case for symbolic operands, and one for drawn ones. The
// default is a panic.
func TestShadows(t *testing.T) {
	classes := map[Class]string{Neutral: "Neutral", Moves: "Moves", Computes: "Computes", Fresh: "Fresh", Jumps: "Jumps", Branches: "Branches",
		Compares: "Compares", ComparesImm: "ComparesImm", Loads: "Loads", LoadsElem: "LoadsElem", LoadsPart: "LoadsPart", Stores: "Stores",
		StoresElem: "StoresElem", Returns: "Returns"}
	for what, functions := range map[string]map[string]string{
		"symbolic": {"exec.go": "Before", "slow.go": "beforeSlow"},
		"drawn":    {"labels_exec.go": "BeforeDrawn beforeSpecial"},
	} {
		cases := map[string]bool{}
		for file, names := range functions {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && slices.Contains(strings.Fields(names), d.Name.Name) {
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
		for op := range NumOps {
			if class := op.Row().Class; !cases[op.String()] && (class == Special || !cases[classes[class]]) {
				t.Errorf("what is %s in %s?", what, op)
			}
		}
	}
}

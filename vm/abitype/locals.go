package abitype

import (
	"go/ast"
	"go/token"
)

// NumberLocals numbers the types declared inside functions in the files of one
// package, as the compiler does: from 1 on, in the order of the source, aliases
// not counted. Keys are the positions of the declared names.
func NumberLocals(files []*ast.File, number map[token.Pos]int) {
	n := 0
	inside := func(node ast.Node) bool {
		if spec, ok := node.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
			n++
			number[spec.Name.Pos()] = n
		}
		return true
	}
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			if body, ok := node.(*ast.BlockStmt); ok {
				ast.Inspect(body, inside)
				return false
			}
			return true
		})
	}
}

package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Library returns an entry for p as a library: its exported functions, the
// exported methods of its exported types, and its exported variables, for unknown code that calls and uses
// them. A command's own files have no exports, but benchmarks, fuzz targets and examples in its tests count
// as exported. Functions and types with type parameters are instantiated (generic.go). The result is nil if
// there is nothing. It must be called once for each package.
func (prog *Program) Library(p *Package) *Entry {
	e := &Entry{Kind: Library, Path: p.subject(), Name: "exported", Package: p, roots: []*Package{p}}
	if p.ForTest != "" {
		e.roots = prog.testBinaries()[p.ForTest]
	}
	generic := &instances{prog: prog, p: p, any: map[string]types.Type{}}
	for i, tree := range p.Files {
		isTest := strings.HasSuffix(p.files[i].base(), "_test.go")
		if p.Name == "main" && !isTest {
			continue
		}
		for _, d := range tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch fn := prog.exported(p, d); {
				case fn == nil || isTest && prog.runsAsTest(fn):
				case fn.TypeParams().Len() > 0:
					generic.add(fn)
				default:
					e.Exports = append(e.Exports, fn)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR && !isTest {
					for _, s := range d.Specs {
						for _, id := range s.(*ast.ValueSpec).Names {
							if id.IsExported() {
								e.Exports = append(e.Exports, p.SSA.Var(id.Name))
							}
						}
					}
				}
			}
		}
	}
	e.Exports = append(e.Exports, generic.build()...)
	e.Left = generic.left
	if len(e.Exports) == 0 && len(e.Left) == 0 {
		return nil
	}
	slices.SortStableFunc(e.Exports, func(a, b ssa.Member) int { return cmp.Compare(a.Pos(), b.Pos()) })
	if len(e.Exports) > 0 {
		e.Pos = e.Exports[0].Pos()
	}
	return e
}

// exported returns the function that d declares if code outside of it can name it,
// and nil otherwise.
func (prog *Program) exported(p *Package, d *ast.FuncDecl) *ssa.Function {
	obj, ok := p.Info.Defs[d.Name].(*types.Func)
	if !ok || !obj.Exported() {
		return nil
	}
	if recv := obj.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); !ok || !n.Obj().Exported() {
			return nil
		}
	}
	return prog.SSA.FuncValue(obj)
}

// runsAsTest reports whether go test runs fn by itself as a test or TestMain, so
// that it is, or belongs to, an entry of its own.
func (prog *Program) runsAsTest(fn *ssa.Function) bool {
	return isTestName(fn.Name(), "Test") && (isTestParam(fn, "T") || isTestParam(fn, "M"))
}

package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Packages of the standard library can be under test like any other: their tests are compiled together with
// the only package of that path in the program. If the overlay has changed it, tests may mention
// declarations that no longer exist: such code is removed, and the tests among it are named.

// dropUncheckable takes declarations with type errors out of the tests of a package that the
// overlay has changed. It reports whether there were any, because then other declarations may refer
// to removed ones.
func (l *loader) dropUncheckable(p *Package) bool {
	if q := l.stdPkgs[p.ForTest]; p.ForTest == "" || q == nil || !q.Overlaid {
		return false
	}
	var bad []token.Pos
	cfg := &types.Config{Importer: importer{l, p}, Sizes: sizes, GoVersion: p.GoVersion, DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				bad = append(bad, e.Pos)
			}
		}}
	types.NewChecker(cfg, l.fset, types.NewPackage(p.Path, p.Name), &types.Info{}).Files(p.Files)
	dropped := false
	for i, f := range p.Files {
		if !strings.HasSuffix(p.files[i].base(), "_test.go") {
			continue
		}
		has := func(n ast.Node) bool {
			return slices.ContainsFunc(bad, func(pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() })
		}
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !has(d) {
					return false
				}
				dropped = true
				if d.Recv == nil && isTestName(d.Name.Name, "Test") {
					p.Dropped = append(p.Dropped, NoEntry{p.subject(), d.Name.Name, d.Name.Pos()})
				}
				return true
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					return false
				}
				n := len(d.Specs)
				d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool { return has(s) })
				dropped = dropped || len(d.Specs) < n
				return len(d.Specs) == 0
			}
			return false
		})
	}
	return dropped
}

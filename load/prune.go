package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// prune takes away declarations of std packages that the program cannot
// mention: package-level functions, and variables whose initial values are
// computed without side effects. It is what the linker's dead code elimination
// does for native programs, and what makes loading fast: package unicode, for
// one, is a hundred tables of which a program uses a handful, and reached by
// nearly every program.
//
// What is mentioned is decided by names: an identifier in a package mentions
// the package's declaration of that name, whatever it turns out to mean, and so
// does a selector on an import's name in another. The user's packages, the
// overlay's files, types, methods, constants, init functions, other
// initialisers and //go:linkname directives are where mentions begin.
// Reflection finds no functions by name, and methods are all kept.
func (l *loader) prune() error {
	if l.cfg.Cache != nil {
		return nil // the next program may mention other names
	}
	pr := &pruner{l: l, names: make(map[*Package]map[string][]*decl), decls: make(map[ast.Node]*decl)}
	for _, p := range l.all {
		if p.Std {
			pr.declare(p)
		}
	}
	roots := make([][]*decl, len(l.all))
	parallel(len(l.all), func(i int) { roots[i] = pr.mentionsIn(l.all[i]) })
	work := slices.Concat(roots...)
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		if !d.live {
			d.live = true
			work = append(work, d.mentions...)
		}
	}
	for _, p := range l.all {
		pr.remove(p)
	}
	return nil
}

// decl is a declaration that can be taken away.
type decl struct {
	mentions []*decl
	live     bool
}

// pruner is the state of prune.
type pruner struct {
	l     *loader
	names map[*Package]map[string][]*decl // by package and name; several if a name is declared twice
	decls map[ast.Node]*decl              // by *ast.FuncDecl or *ast.ValueSpec
}

// declare finds the declarations of p that can be taken away.
func (pr *pruner) declare(p *Package) {
	names := make(map[string][]*decl)
	add := func(n ast.Node, ids ...*ast.Ident) {
		d := new(decl)
		pr.decls[n] = d
		for _, id := range ids {
			names[id.Name] = append(names[id.Name], d)
		}
	}
	for i, f := range p.Files {
		if p.Overlaid && p.files[i].patch == nil {
			continue // the machine may look for what nobody mentions
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" {
					add(d, d.Name)
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, s := range d.Specs {
					if s := s.(*ast.ValueSpec); isPure(s) {
						add(s, s.Names...)
					}
				}
			}
		}
	}
	pr.names[p] = names
}

// mentionsIn sets the mentions of the declarations of p and returns what the
// rest of p mentions.
func (pr *pruner) mentionsIn(p *Package) []*decl {
	roots := &mentions{own: pr.names[p], seen: make(map[*decl]bool)}
	for _, link := range p.links {
		roots.add(pr.names[p][link.local])
		if i := strings.LastIndexByte(link.symbol, '.'); i > 0 {
			roots.add(pr.names[pr.l.stdPkgs[link.symbol[:i]]][link.symbol[i+1:]])
		}
	}
	for _, f := range p.Files {
		imports := make(map[string]map[string][]*decl)
		for _, spec := range f.Imports {
			q := pr.l.importedBy(p, importPath(spec))
			if q == nil || !q.Std {
				continue
			}
			name := q.Name
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = pr.names[q]
			if name == "." { // in any order: this is about a set
				for _, decls := range pr.names[q] {
					roots.add(decls)
				}
			}
		}
		roots.imports = imports
		visit := func(n ast.Node) {
			if d := pr.decls[n]; d != nil {
				m := &mentions{own: pr.names[p], imports: imports, seen: make(map[*decl]bool)}
				ast.Inspect(n, m.visit)
				d.mentions = m.list
			} else {
				ast.Inspect(n, roots.visit)
			}
		}
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				for _, s := range gen.Specs {
					visit(s)
				}
			} else {
				visit(d)
			}
		}
	}
	return roots.list
}

// mentions collects what some syntax of a file mentions.
type mentions struct {
	own     map[string][]*decl            // the package's declarations
	imports map[string]map[string][]*decl // those of imports, by the import's name
	list    []*decl
	seen    map[*decl]bool
}

func (m *mentions) add(decls []*decl) {
	for _, d := range decls {
		if !m.seen[d] {
			m.seen[d] = true
			m.list = append(m.list, d)
		}
	}
}

func (m *mentions) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		m.add(m.own[n.Name])
	case *ast.FuncDecl: // not what it is called
		if n.Recv != nil {
			ast.Inspect(n.Recv, m.visit)
		}
		ast.Inspect(n.Type, m.visit)
		if n.Body != nil {
			ast.Inspect(n.Body, m.visit)
		}
		return false
	case *ast.ValueSpec:
		// A local variable's name, or that of a variable that stays anyway; one
		// that may go is not mentioned by its own declaration.
		if n.Type != nil {
			ast.Inspect(n.Type, m.visit)
		}
		for _, v := range n.Values {
			ast.Inspect(v, m.visit)
		}
		return false
	case *ast.SelectorExpr: // n.Sel is a field, a method, or another package's
		if id, ok := n.X.(*ast.Ident); ok {
			m.add(m.imports[id.Name][n.Sel.Name])
		}
		ast.Inspect(n.X, m.visit)
		return false
	}
	return true
}

// isPure reports whether evaluating the initial values of a variable can have
// no effect, as far as syntax tells: they may not call, receive, index or
// dereference anything. (A conversion looks like a call.)
func isPure(s *ast.ValueSpec) bool {
	pure := true
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.StarExpr:
			pure = false
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.BinaryExpr:
			pure = pure && n.Op != token.QUO && n.Op != token.REM
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			for _, elt := range n.Elts { // in n.Type, a star does not dereference
				ast.Inspect(elt, visit)
			}
			return false
		}
		return pure
	}
	for _, v := range s.Values {
		ast.Inspect(v, visit)
	}
	return pure
}

// remove takes the declarations that are not live from p's syntax.
func (pr *pruner) remove(p *Package) {
	dead := func(n ast.Node) bool {
		d := pr.decls[n]
		if d == nil || d.live {
			return false
		}
		p.pruned = true
		return true
	}
	for _, f := range p.Files {
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				return dead(d)
			}
			gen.Specs = slices.DeleteFunc(gen.Specs, func(s ast.Spec) bool { return dead(s) })
			return len(gen.Specs) == 0
		})
	}
}

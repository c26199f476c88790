package load

import (
	"go/ast"
	"go/token"
	"strings"
)

// mentionsIn sets the mentions of the declarations of p and returns the mentions of the rest of p, except
// for links.
func (l *loader) mentionsIn(p *Package) *decl {
	own := p.graph
	inReflect := p.Path == "reflect" || p.Path == "internal/reflectlite"
	newMentions := func() *mentions { return &mentions{own: own, inReflect: inReflect, seen: make(map[nameIn]bool)} }
	roots := newMentions()
	for _, f := range p.Files {
		imports := make(map[string]*graph)
		for _, spec := range f.Imports {
			q := l.importedBy(p, importPath(spec))
			if q == nil || q.graph == nil {
				continue
			}
			name := q.Name
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = q.graph
			if name == "." {
				roots.list = append(roots.list, nameIn{q.graph, "."})
			}
		}
		roots.imports = imports
		visit := func(n ast.Node) {
			if p.graph == nil || p.graph.decls[n] == nil {
				ast.Inspect(n, roots.visit)
				return
			}
			m := newMentions()
			m.imports = imports
			ast.Inspect(n, m.visit)
			d := p.graph.decls[n]
			for _, e := range d.effects {
				ast.Inspect(e, roots.visit)
			}
			d.effects = nil
			d.mentions, d.reflects = m.list, m.reflects
			for name := range m.names { // in any order: this is about a set
				d.names = append(d.names, name)
			}
			if f, ok := n.(*ast.FuncDecl); ok {
				for _, link := range p.links {
					if link.local == f.Name.Name { // the function may be another name of a method
						d.names = append(d.names, link.symbol[strings.LastIndexByte(link.symbol, '.')+1:])
					}
				}
			}
		}
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && (gen.Tok == token.VAR || gen.Tok == token.TYPE) {
				for _, s := range gen.Specs {
					visit(s)
				}
			} else {
				visit(d)
			}
		}
	}
	d := &decl{mentions: roots.list, reflects: roots.reflects}
	for name := range roots.names { // in any order: this is about a set
		d.names = append(d.names, name)
	}
	return d
}

// mentions collects the mentions in some syntax of a file.
type mentions struct {
	own       *graph            // the package's declarations
	imports   map[string]*graph // those of imports, by the import's name
	inReflect bool              // the file belongs to reflection itself
	list      []nameIn
	seen      map[nameIn]bool
	names     map[string]bool
	reflects  bool
}

// name adds the name of a method.
func (m *mentions) name(name string) {
	if m.names == nil {
		m.names = make(map[string]bool)
	}
	m.names[name] = true
}

func (m *mentions) add(of *graph, name string) {
	if of == nil || of.names[name] == nil {
		return
	}
	if x := (nameIn{of, name}); !m.seen[x] {
		m.seen[x] = true
		m.list = append(m.list, x)
	}
}

func (m *mentions) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		m.add(m.own, n.Name)
	case *ast.FuncDecl: // the function's own name is not a mention
		if n.Recv != nil {
			ast.Inspect(n.Recv, m.visit)
		}
		ast.Inspect(n.Type, m.visit)
		if n.Body != nil {
			ast.Inspect(n.Body, m.visit)
		}
		return false
	case *ast.ValueSpec:
		// The declared names are not mentions, whether the variable is local, stays anyway, or may
		// be removed.
		if n.Type != nil {
			ast.Inspect(n.Type, m.visit)
		}
		for _, v := range n.Values {
			ast.Inspect(v, m.visit)
		}
		return false
	case *ast.TypeSpec: // the type's own name is not a mention
		if n.TypeParams != nil {
			ast.Inspect(n.TypeParams, m.visit)
		}
		ast.Inspect(n.Type, m.visit)
		return false
	case *ast.InterfaceType:
		for _, f := range n.Methods.List {
			for _, id := range f.Names {
				m.name(id.Name)
			}
		}
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && !m.inReflect {
			m.reflects = m.reflects || sel.Sel.Name == "Method" || sel.Sel.Name == "MethodByName"
		}
	case *ast.SelectorExpr: // n.Sel is a field, a method, or another package's
		m.name(n.Sel.Name)
		if id, ok := n.X.(*ast.Ident); ok {
			m.add(m.imports[id.Name], n.Sel.Name)
		}
		ast.Inspect(n.X, m.visit)
		return false
	}
	return true
}

// isPure reports whether evaluating the initial values of a variable can have
// no effect, as far as syntax shows: they may not call, receive, index or
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
			for _, elt := range n.Elts { // a star in n.Type is not a dereference
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

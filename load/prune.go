package load

import (
	"go/ast"
	"go/token"
	"go/types"
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
	if l.cfg.whole {
		return nil
	}
	var fresh []*Package
	for _, p := range l.all {
		if p.library() && p.graph == nil {
			p.graph = newGraph(p)
			fresh = append(fresh, p)
		}
	}
	parallel(len(fresh), func(i int) {
		fresh[i].cutTables()
		fresh[i].graph.roots = l.mentionsIn(fresh[i])
	})
	rest := make([][]*decl, len(l.all))
	parallel(len(l.all), func(i int) {
		if p := l.all[i]; p.library() {
			rest[i] = append(l.linksIn(p), p.graph.roots...)
		} else {
			rest[i] = append(l.linksIn(p), l.mentionsIn(p)...)
		}
	})
	work := slices.Concat(rest...)
	l.live = make(map[*decl]bool)
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		if !l.live[d] {
			l.live[d] = true
			work = append(work, d.mentions...)
		}
	}
	if l.cfg.Cache == nil {
		l.removeDead()
	}
	return nil
}

// removeDead takes away what prune has found to be mentioned nowhere. With a
// cache that is done to the packages of one program only, when they have been
// checked: the next program may mention other names.
func (l *loader) removeDead() {
	if l.cfg.whole {
		return
	}
	parallel(len(l.all), func(i int) {
		if p := l.all[i]; p.library() && p.Files != nil {
			p.removeDead(l.live)
		}
	})
}

// decl is a declaration that can be taken away.
type decl struct {
	mentions []*decl
}

// graph holds the declarations of a std package that can be taken away. It is
// the same for all programs.
type graph struct {
	names map[string][]*decl // several if a name is declared twice
	decls map[ast.Node]*decl // by *ast.FuncDecl or *ast.ValueSpec
	roots []*decl            // mentioned by what stays, links apart
}

// newGraph finds the declarations of p that can be taken away.
func newGraph(p *Package) *graph {
	g := &graph{names: make(map[string][]*decl), decls: make(map[ast.Node]*decl)}
	add := func(n ast.Node, ids ...*ast.Ident) {
		d := new(decl)
		g.decls[n] = d
		for _, id := range ids {
			g.names[id.Name] = append(g.names[id.Name], d)
		}
	}
	for i, f := range p.Files {
		if p.Overlaid && p.files[i].patch == nil {
			continue // the machine may need what is not mentioned
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
	return g
}

// named returns the declarations of the names of p that can be taken away.
func (p *Package) named() map[string][]*decl {
	if p == nil || p.graph == nil {
		return nil
	}
	return p.graph.names
}

// linksIn returns what the //go:linkname directives of p mention. That depends
// on what else is loaded.
func (l *loader) linksIn(p *Package) []*decl {
	var found []*decl
	for _, link := range p.links {
		found = append(found, p.named()[link.local]...)
		if i := strings.LastIndexByte(link.symbol, '.'); i > 0 {
			found = append(found, l.stdPkgs[link.symbol[:i]].named()[link.symbol[i+1:]]...)
		}
	}
	return found
}

// mentionsIn sets the mentions of the declarations of p and returns what the
// rest of p mentions, links apart.
func (l *loader) mentionsIn(p *Package) []*decl {
	own := p.named()
	roots := &mentions{own: own, seen: make(map[*decl]bool)}
	for _, f := range p.Files {
		imports := make(map[string]map[string][]*decl)
		for _, spec := range f.Imports {
			q := l.importedBy(p, importPath(spec))
			if q == nil || !q.library() {
				continue
			}
			name := q.Name
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = q.named()
			if name == "." { // in any order: this is about a set
				for _, decls := range q.named() {
					roots.add(decls)
				}
			}
		}
		roots.imports = imports
		visit := func(n ast.Node) {
			if p.graph == nil || p.graph.decls[n] == nil {
				ast.Inspect(n, roots.visit)
				return
			}
			m := &mentions{own: own, imports: imports, seen: make(map[*decl]bool)}
			ast.Inspect(n, m.visit)
			p.graph.decls[n].mentions = m.list
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

// removeDead takes the declarations that are not live from p's syntax, and if p
// has been checked what is to be initialised with them. Other programs that have
// p from the same cache keep theirs.
func (p *Package) removeDead(live map[*decl]bool) {
	gone := make(map[types.Object]bool)
	dead := func(n ast.Node) bool {
		d := p.graph.decls[n]
		if d == nil || live[d] {
			return false
		}
		if spec, ok := n.(*ast.ValueSpec); ok && p.Info != nil {
			for _, id := range spec.Names {
				gone[p.Info.Defs[id]] = true
			}
		}
		p.pruned = true
		return true
	}
	var files []*ast.File
	versions := make(map[*ast.File]string)
	for _, f := range p.Files {
		pruned := *f
		pruned.Decls = nil
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				if !dead(d) {
					pruned.Decls = append(pruned.Decls, d)
				}
				continue
			}
			specs := slices.DeleteFunc(slices.Clone(gen.Specs), func(s ast.Spec) bool { return dead(s) })
			if len(specs) > 0 {
				kept := *gen
				kept.Specs = specs
				pruned.Decls = append(pruned.Decls, &kept)
			}
		}
		files = append(files, &pruned)
		if p.Info != nil {
			versions[&pruned] = p.Info.FileVersions[f]
		}
	}
	p.Files = files
	if p.Info != nil {
		info := *p.Info
		info.FileVersions = versions
		info.InitOrder = slices.DeleteFunc(slices.Clone(info.InitOrder), func(in *types.Initializer) bool { return gone[in.Lhs[0]] })
		p.Info = &info
	}
}

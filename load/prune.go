package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// prune takes away declarations of std packages that the program cannot mention: package-level
// functions, variables whose initial values are computed without side effects, and the bodies of
// methods. The linker's dead code elimination does the same for native programs. It makes loading
// fast: nearly every program reaches package unicode, for example, and uses a handful of its
// hundred tables.
//
// Names decide what is mentioned: an identifier in a package mentions the package's declaration of that
// name, whatever the identifier refers to, and so does a selector on an import's name in another package.
// The user's packages, the overlay's files, constants, init functions, other initialisers and //go:linkname
// directives are where mentions begin.
//
// Types and methods stay, so that types do not change. A method can be called if its type is
// mentioned, because otherwise it has no values, and if its name is mentioned: by a selector, or by
// an interface type with a method of that name. (Error is a method of the interface error.) A call
// of reflection's Method or MethodByName mentions the names of all exported methods; reflection
// finds no functions by name. The machine refuses to call a function that has lost its body.
func (l *loader) prune() error {
	if l.cfg.whole {
		return nil
	}
	var fresh []*Package
	for _, p := range l.all {
		if p.outline != nil {
			p.graph = p.outline.newGraph(p)
		} else if p.graph == nil && (p.library() || p.isUsed()) {
			p.graph = newGraph(p)
			fresh = append(fresh, p)
		}
	}
	parallel(len(l.all), func(i int) {
		if p := l.all[i]; p.outline != nil {
			p.outline.connect(p)
		}
	})
	parallel(len(fresh), func(i int) {
		p := fresh[i]
		if p.Std || p.published {
			p.cutTables()
		}
		p.graph.roots = l.mentionsIn(p)
		if p.library() && l.outlines != nil {
			l.outlines.keep(p)
		}
	})
	roots, aliases := make([]*decl, 2*len(l.all)), make([][]*decl, len(l.all))
	parallel(len(l.all), func(i int) {
		p := l.all[i]
		if roots[2*i], aliases[i] = l.linksIn(p); p.graph != nil {
			roots[2*i+1] = p.graph.roots
		} else {
			roots[2*i+1] = l.mentionsIn(p)
		}
	})
	l.live = findLive(append(slices.Clone(roots), &decl{names: []string{"Error"}}))
	for _, p := range l.all {
		if p.graph != nil {
			roots = append(roots, p.graph.checked...)
		}
	}
	l.declared = findLive(slices.Concat(roots, slices.Concat(aliases...)))
	if l.cfg.Cache == nil {
		l.removeDead()
	}
	return l.parseOutlines()
}

// removeDead removes the declarations that, according to prune, are not mentioned. With a cache that is
// done to the packages of one program only, when they have been checked: the next program may mention other
// names.
func (l *loader) removeDead() {
	if l.cfg.whole {
		return
	}
	parallel(len(l.all), func(i int) {
		if p := l.all[i]; p.library() && p.Files != nil && p.outline == nil {
			p.removeDead(l.declared, l.live)
		}
	})
}

// isUsed reports whether p is a package of the user's that is there to be imported only.
func (p *Package) isUsed() bool { return !p.Std && p.list.DepOnly && p.list.cgo == nil }

// decl is a declaration that can be removed, or a method or type for which it matters whether it is
// mentioned.
type decl struct {
	mentions []nameIn
	links    []*decl  // mentioned by //go:linkname directives
	names    []string // names of methods that are mentioned
	reflects bool     // the declaration mentions all exported methods
	methods  []*decl  // of a type

	method string // name, if the declaration is a method

	// effects are the parts of the initial values of a variable that may have effects.
	effects []ast.Expr
}

// A nameIn is the name of a declaration, and its package.
type nameIn struct {
	of   *graph
	name string // "." for all
}

// findLive returns all that is mentioned if roots are.
func findLive(roots []*decl) map[*decl]bool {
	live := make(map[*decl]bool)
	named := make(map[string]bool)
	reflects := false
	waiting := make(map[string][]*decl) // methods of types that are live, by name
	work := roots
	callable := func(m *decl) bool { return named[m.method] || reflects && ast.IsExported(m.method) }
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		if live[d] {
			continue
		}
		live[d] = true
		work = append(work, d.links...)
		for _, m := range d.mentions {
			if m.name != "." {
				work = append(work, m.of.names[m.name]...)
				continue
			}
			for _, decls := range m.of.names { // in any order: this is about a set
				work = append(work, decls...)
			}
		}
		for _, m := range d.methods {
			if callable(m) {
				work = append(work, m)
			} else {
				waiting[m.method] = append(waiting[m.method], m)
			}
		}
		for _, name := range d.names {
			if !named[name] {
				named[name] = true
				work = append(work, waiting[name]...)
			}
		}
		if d.reflects && !reflects {
			reflects = true
			for name, methods := range waiting { // in any order: this is about a set
				if ast.IsExported(name) {
					work = append(work, methods...)
				}
			}
		}
	}
	return live
}

// graph holds the declarations of a std package that can be taken away. It is
// the same for all programs.
type graph struct {
	names map[string][]*decl // functions, variables, types; several if a name is declared twice
	decls map[ast.Node]*decl // by *ast.FuncDecl, *ast.ValueSpec or *ast.TypeSpec
	roots *decl              // a declaration with the mentions of all declarations that stay, except for links
	// checked are those that are checked whether they are mentioned or not: types, methods, and
	// the functions of the user's.
	checked []*decl
}

// newGraph finds the declarations of p that can be taken away.
func newGraph(p *Package) *graph {
	g := &graph{names: make(map[string][]*decl), decls: make(map[ast.Node]*decl)}
	add := func(n ast.Node, ids ...*ast.Ident) *decl {
		d := new(decl)
		g.decls[n] = d
		switch n := n.(type) {
		case *ast.TypeSpec:
			g.checked = append(g.checked, d)
		case *ast.FuncDecl:
			if n.Recv != nil || !p.Std {
				g.checked = append(g.checked, d)
			}
		default:
			if !p.Std {
				g.checked = append(g.checked, d)
			}
		}
		for _, id := range ids {
			if id.Name != "_" {
				g.names[id.Name] = append(g.names[id.Name], d)
			}
		}
		return d
	}
	typed := make(map[string]*decl)
	var methods []*ast.FuncDecl
	var vars []*ast.ValueSpec
	for i, f := range p.Files {
		if p.Overlaid && p.files[i].patch == nil {
			continue // the machine may need declarations that are not mentioned
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods = append(methods, d)
				} else if d.Name.Name != "init" && d.Name.Name != "_" {
					add(d, d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						typed[s.Name.Name] = add(s, s.Name)
					case *ast.ValueSpec:
						if d.Tok == token.VAR {
							vars = append(vars, s)
						}
					}
				}
			}
		}
	}
	for _, s := range vars {
		if v := add(s, s.Names...); !isPure(s) {
			g.checked = append(g.checked, v)
			v.effects = effectsOf(s, typed)
		}
	}
	for _, d := range methods {
		if typ := typed[receiver(d)]; typ != nil { // types that are not in typed are those of the overlay
			m := add(d)
			m.method = d.Name.Name
			typ.methods = append(typ.methods, m)
		}
	}
	return g
}

// effectsOf returns the parts of the initial values of s that may have effects or pass values to others.
// These parts are executed even if no other code mentions the variables of s. The rest, values that only the
// variables get, matters only to code that mentions these. types are the package's.
func effectsOf(s *ast.ValueSpec, types map[string]*decl) (effects []ast.Expr) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		whole := false
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			for _, elt := range n.Elts {
				ast.Inspect(elt, visit)
			}
			return false
		case *ast.CallExpr:
			f := ast.Unparen(n.Fun)
			if ptr, ok := f.(*ast.StarExpr); ok {
				f = ptr.X
			}
			if id, ok := f.(*ast.Ident); ok && types[id.Name] != nil { // a conversion
				ast.Inspect(n.Args[0], visit)
				return false
			}
			whole = true
		case *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.StarExpr:
			whole = true
		case *ast.UnaryExpr:
			whole = n.Op == token.ARROW
		case *ast.BinaryExpr:
			whole = n.Op == token.QUO || n.Op == token.REM
		}
		if whole {
			effects = append(effects, n.(ast.Expr))
		}
		return !whole
	}
	for _, v := range s.Values {
		ast.Inspect(v, visit)
	}
	return effects
}

// receiver returns the name of the type that d is a method of.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		default:
			return ""
		}
	}
}

// named returns the declarations of the names of p that can be taken away.
func (p *Package) named() map[string][]*decl {
	if p == nil || p.graph == nil {
		return nil
	}
	return p.graph.names
}

// linksIn returns what the //go:linkname directives of p mention. That depends on the other loaded
// packages. Functions that are other names of methods are in aliases: they matter only if they are
// mentioned, but are checked in any case.
func (l *loader) linksIn(p *Package) (found *decl, aliases []*decl) {
	found = new(decl)
	// named returns the declarations of name in the packages at path: variants, if they are the user's.
	named := func(path, name string) (decls []*decl) {
		for _, q := range l.all {
			if q.Path == path {
				decls = append(decls, q.named()[name]...)
			}
		}
		return decls
	}
	for _, link := range p.links {
		local := p.named()[link.local]
		i := strings.LastIndexByte(link.symbol, '.')
		if i <= 0 {
			found.links = append(found.links, local...)
			continue
		}
		pkg, name := link.symbol[:i], link.symbol[i+1:]
		k := strings.LastIndexByte(pkg, '.')
		if k <= strings.LastIndexByte(pkg, '/') { // no method
			found.links = append(append(found.links, local...), named(pkg, name)...)
			continue
		}
		if pkg[:k] == p.Path && len(local) > 0 {
			aliases = append(aliases, local...) // with the method's receiver, and so its type, as a parameter
			continue
		}
		// The last element of the path may have a dot, too.
		found.links = slices.Concat(found.links, local, named(pkg, name), named(pkg[:k], strings.Trim(pkg[k+1:], "(*)")))
		found.names = append(found.names, name)
	}
	return found, aliases
}

// HasLostBody reports whether fn had a body, which was taken away.
func (prog *Program) HasLostBody(fn *ssa.Function) bool {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	p := prog.PackageOf(fn)
	return p != nil && p.bare[fn.Pos()]
}

// bodies returns the files of p without the bodies of functions that are not live, and information
// for them. p keeps its files.
func (p *Package) bodies(live map[*decl]bool) ([]*ast.File, *types.Info) {
	if p.graph == nil || live == nil {
		return p.Files, p.Info
	}
	q := *p
	q.removeDead(nil, live)
	p.bare = q.bare
	return q.Files, q.Info
}

// removeDead removes from p's syntax the declarations that are not in declared, if that is not nil,
// and the bodies of the functions that are not live. If p has been checked, it also removes the
// initialisation of these declarations. Other programs that have p from the same cache keep theirs.
func (p *Package) removeDead(declared, live map[*decl]bool) {
	gone := make(map[types.Object]bool)
	p.bare = make(map[token.Pos]bool)
	dead := func(n ast.Node) bool {
		d := p.graph.decls[n]
		if d == nil || declared == nil || declared[d] {
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
			switch d := d.(type) {
			case *ast.FuncDecl:
				node := p.graph.decls[d]
				if dead(d) {
					continue
				}
				late := p.late[d.Name.Pos()] != nil
				if node != nil && !live[node] && (d.Body != nil || late) {
					if late {
						p.bare[d.Name.Pos()], p.pruned = true, true
						pruned.Decls = append(pruned.Decls, d)
						continue
					}
					bare := *d
					if bare.Body = nil; d.Type.TypeParams != nil { // must have a body
						bare.Body = endless(d.Body.Lbrace)
					}
					d = &bare
					p.bare[d.Name.Pos()], p.pruned = true, true
				}
				pruned.Decls = append(pruned.Decls, d)
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					kept := *d
					kept.Specs = slices.DeleteFunc(slices.Clone(d.Specs), func(s ast.Spec) bool { return dead(s) })
					if d = &kept; len(d.Specs) == 0 {
						continue
					}
				}
				pruned.Decls = append(pruned.Decls, d)
			default:
				pruned.Decls = append(pruned.Decls, d)
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

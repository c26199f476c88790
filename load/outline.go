package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// An outline of a package of the standard library has, for each declaration, the position, the
// mentioned names, and whether the body can be checked alone. From these a program selects the
// declarations that it needs. The outline is kept on disk, so that the next program parses only
// these declarations, and only the first line of most functions. Everything else is made from the
// source, as without an outline: with the same positions, in the same order.

// A Store keeps data from one process to the next. Declarations whose data are damaged are not found.
type Store interface {
	Bytes(key string) ([]byte, bool)
	PutBytes(key string, data []byte)
}

// outline is an outline. Offsets are those in a file.
type outline struct {
	name     string // name of the package
	dir      string
	overlaid bool
	imports  []string // IDs
	files    []outlineFile
	decls    []outlineDecl // the declarations that can be taken away
	roots    outlineDecl   // the mentions of the others
	links    []link
	facts    fact
	testing  TestMethods

	made []*decl // the declarations of this load, by the indices of decls
}

type outlineFile struct {
	name          string // name of the file
	size          int
	lines         []int // offsets where lines begin
	version       string
	clause, ident int // of the package clause
	edits         []edit
	pieces        []piece
}

// A piece is an import, the declaration of constants, a variable, a type, or a function.
type piece struct {
	kind     int // a token
	off, end int
	header   int   // for a function: the end of its signature
	body     int   // place where the function's body begins; 0: no body
	late     bool  // the body can be left out when the file is checked
	decl     int   // index in outline.decls, -1: the piece always stays
	blank    []int // offsets of names that have become blank
}

type outlineDecl struct {
	names    []string
	checked  bool
	method   string
	methods  []int // for a type: indices in decls of its methods
	mentions []outlineMention
	calls    []string // names of methods
	reflects bool
}

type outlineMention struct {
	of   int // index in imports, -1: the package itself
	name string
}

// outlines keeps the outlines of a load.
type outlines struct {
	store Store
	base  string // prefix of all keys

	mu   sync.Mutex
	keys map[string]string // by path of a package: its key; "": no key
	kept []*Package        // packages that have new outlines
}

// newOutlines returns the outlines of l, or nil if l keeps none. Packages that are changed by
// tests, or by an overlay of the caller's, have no outlines.
func (l *loader) newOutlines() *outlines {
	cfg := l.cfg
	if !oneByOne || cfg.Outlines == nil || cfg.Cache != nil || cfg.Overlay != nil || cfg.Root != "" || cfg.whole || cfg.early || len(l.std.tests) > 0 {
		return nil
	}
	//mutant: an outline of another build is taken [test ./load TestOutlines]: "cfg.Build, l.goEnv" -> "0, l.goEnv"
	base := fmt.Sprintf("outline\n%s\n%q\n%q %q %q", cfg.Build, l.goEnv.fixed(), l.std.ctxt.BuildTags, l.std.ctxt.ReleaseTags, l.std.ctxt.ToolTags)
	return &outlines{store: cfg.Outlines, base: base, keys: make(map[string]string)}
}

// key returns the key of the package at path, whose directory in the distribution is dir: the files in it, as
// go list indexes a directory, unless one has just been written.
func (o *outlines) key(path, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", o.base, path)
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return ""
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || time.Since(info.ModTime()) < 2*time.Second {
				return ""
			}
			//mutant: a changed file has its old outline [test ./load TestOutlineKey]: "info.Size(), info.ModTime().UnixNano()" -> "0, 0"
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// recall returns the package at path with its outline, nil if there is none.
func (o *outlines) recall(s *stdFinder, path string) *Package {
	if o == nil {
		return nil
	}
	key := o.key(path, filepath.Join(s.goroot, "src", filepath.FromSlash(path)))
	o.mu.Lock()
	o.keys[path] = key
	o.mu.Unlock()
	if key == "" {
		return nil
	}
	data, ok := o.store.Bytes(key)
	if !ok {
		return nil
	}
	x, ok := decodeOutline(data)
	if !ok {
		return nil
	}
	p := &Package{ID: path, Path: path, Std: true, Name: x.name, Dir: x.dir, Overlaid: x.overlaid,
		importIDs: slices.Clone(x.imports), links: x.links, facts: x.facts, testing: x.testing, outline: x}
	for _, f := range x.files {
		p.files = append(p.files, &file{name: f.name, size: f.size})
	}
	return p
}

// keep makes an outline of p, which has been parsed, before declarations are removed.
func (o *outlines) keep(p *Package) {
	if o.keys[p.Path] == "" || len(p.errs) > 0 || len(p.Files) != len(p.files) {
		return
	}
	x := &outline{name: p.Name, dir: p.Dir, overlaid: p.Overlaid, imports: p.importIDs}
	numbers := make(map[*decl]int)
	graphs := map[*graph]int{p.graph: -1}
	for _, q := range p.Imports {
		if q.graph != nil {
			graphs[q.graph] = slices.Index(p.importIDs, q.ID)
		}
	}
	mentioned := p.mentionedByVariables()
	for i, f := range p.Files {
		src := p.files[i].src
		if bytes.Contains(src, []byte("//line ")) || bytes.Contains(src, []byte("/*line ")) {
			return // positions differ
		}
		at := func(pos token.Pos) int { return int(pos - f.FileStart) }
		file := outlineFile{name: p.files[i].name, size: len(src), lines: p.files[i].pos.Lines(), version: f.GoVersion,
			clause: at(f.Package), ident: at(f.Name.NamePos), edits: p.files[i].edits}
		add := func(kind token.Token, n ast.Node) *piece {
			x.add(numbers, p.graph.decls[n])
			number, ok := numbers[p.graph.decls[n]]
			if !ok {
				number = -1
			}
			file.pieces = append(file.pieces, piece{kind: int(kind), off: at(n.Pos()), end: at(n.End()), decl: number})
			return &file.pieces[len(file.pieces)-1]
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c := add(token.FUNC, d)
				c.header = at(d.Type.End())
				if d.Body != nil {
					c.body, c.late = at(d.Body.Lbrace), !mentioned[d] && checksAlone(d)
				} else {
					c.end = c.header
				}
			case *ast.GenDecl:
				if d.Tok == token.CONST {
					c := add(token.CONST, d)
					for _, s := range d.Specs {
						c.blank = append(c.blank, blanks(s, src, at)...)
					}
					continue
				}
				for _, s := range d.Specs {
					add(d.Tok, s).blank = blanks(s, src, at)
				}
			}
		}
		x.files = append(x.files, file)
	}
	for d, i := range numbers {
		x.decls[i].set(d, graphs, numbers)
	}
	x.roots.set(p.graph.roots, graphs, numbers)
	for name, decls := range p.graph.names {
		for _, d := range decls {
			x.decls[numbers[d]].names = append(x.decls[numbers[d]].names, name)
		}
	}
	for i := range x.decls {
		slices.Sort(x.decls[i].names)
	}
	for _, d := range p.graph.checked {
		x.decls[numbers[d]].checked = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	p.kept = x
	o.kept = append(o.kept, p)
}

// add gives d the next number, unless d is nil or has a number already.
func (x *outline) add(numbers map[*decl]int, d *decl) {
	if _, known := numbers[d]; d != nil && !known {
		numbers[d] = len(x.decls)
		x.decls = append(x.decls, outlineDecl{})
	}
}

// set makes s describe d.
func (s *outlineDecl) set(d *decl, graphs map[*graph]int, numbers map[*decl]int) {
	s.method, s.calls, s.reflects = d.method, slices.Sorted(slices.Values(d.names)), d.reflects
	for _, m := range d.methods {
		s.methods = append(s.methods, numbers[m])
	}
	for _, m := range d.mentions {
		s.mentions = append(s.mentions, outlineMention{graphs[m.of], m.name})
	}
}

// blanks returns where s has blank names that the source does not have.
func blanks(s ast.Spec, src []byte, at func(token.Pos) int) (list []int) {
	if s, ok := s.(*ast.ValueSpec); ok {
		for _, id := range s.Names {
			if id.Name == "_" && src[at(id.NamePos)] != '_' {
				list = append(list, at(id.NamePos))
			}
		}
	}
	return list
}

// flush writes the outlines of packages that turned out to be without errors.
func (o *outlines) flush() {
	if o == nil {
		return
	}
	parallel(len(o.kept), func(i int) {
		if p := o.kept[i]; p.Types != nil {
			x := p.kept
			x.links, x.facts, x.testing = p.links, p.facts, p.testing
			o.store.PutBytes(o.keys[p.Path], encodeOutline(x))
		}
	})
	for _, p := range o.kept {
		p.kept = nil
	}
	o.kept = nil
}

// newGraph returns the declarations of p, whose outline is x, without their mentions.
func (x *outline) newGraph(p *Package) *graph {
	g := &graph{names: make(map[string][]*decl)}
	x.made = make([]*decl, len(x.decls))
	all := make([]decl, len(x.decls))
	for i := range x.decls {
		s, d := &x.decls[i], &all[i]
		x.made[i] = d
		d.method, d.names, d.reflects = s.method, s.calls, s.reflects
		for _, name := range s.names {
			g.names[name] = append(g.names[name], d)
		}
		if s.checked {
			g.checked = append(g.checked, d)
		}
	}
	for i, s := range x.decls {
		for _, m := range s.methods {
			x.made[i].methods = append(x.made[i].methods, x.made[m])
		}
	}
	g.roots = &decl{names: x.roots.calls, reflects: x.roots.reflects}
	return g
}

// connect sets the mentions of the declarations of p, once all packages have graphs.
func (x *outline) connect(p *Package) {
	graphs := make([]*graph, len(x.imports))
	for _, q := range p.Imports {
		graphs[slices.Index(x.imports, q.ID)] = q.graph
	}
	set := func(d *decl, s *outlineDecl) {
		d.mentions = make([]nameIn, len(s.mentions))
		for i, m := range s.mentions {
			d.mentions[i] = nameIn{p.graph, m.name}
			if m.of >= 0 {
				d.mentions[i].of = graphs[m.of]
			}
		}
	}
	for i := range x.decls {
		set(x.made[i], &x.decls[i])
	}
	set(p.graph.roots, &x.roots)
}

// readFile returns the contents of a file of the standard library or of the overlay.
func (l *loader) readFile(name string) ([]byte, error) {
	if in, ok := strings.CutPrefix(name, overlayDir+"/"); ok {
		return fs.ReadFile(l.overlay, in)
	}
	return os.ReadFile(name)
}

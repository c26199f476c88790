package load

import (
	"go/ast"
	"path/filepath"
)

// A Change is a file that differs from an earlier version of itself.
type Change struct {
	File  string   // absolute, without symbolic links
	Lines [][2]int // first and last line of a difference; of a removal, the lines around; nil: the whole file
}

// Touched selects the entries that changes can affect: those that reach a function whose body has
// changed, or that are linked with a package with any other change. Functions are reached as in
// UsesClock, and also from all initialisers.
type Touched struct {
	prog    *Program
	changes []Change
	known   map[*Package]touchedPackage
	files   map[string]bool // see compiled
}

// touchedPackage has the changes in a package.
type touchedPackage struct {
	all       bool // more than bodies of functions
	functions map[ast.Node]bool
}

// Touched returns the parts of prog that changes concern.
func (prog *Program) Touched(changes []Change) *Touched {
	return &Touched{prog: prog, changes: changes, known: make(map[*Package]touchedPackage)}
}

// Reached reports whether the changes can concern e.
func (t *Touched) Reached(e *Entry) bool {
	var pkgs []*Package
	bodies := make(map[ast.Node]bool)
	for _, p := range closure(e.roots) {
		if p.library() {
			continue
		}
		pkgs = append(pkgs, p)
		x := t.of(p)
		if x.all {
			return true
		}
		for n := range x.functions {
			bodies[n] = true
		}
	}
	if len(bodies) == 0 {
		return false
	}
	found := false
	reachAll(e, pkgs, func(d *declared) bool {
		found = found || bodies[d.node]
		return found
	})
	return found
}

// of returns the changes in p. The compiled files of a package that uses cgo, and links by name, are not
// followed.
func (t *Touched) of(p *Package) touchedPackage {
	if x, ok := t.known[p]; ok {
		return x
	}
	x := touchedPackage{functions: make(map[ast.Node]bool)}
	for _, c := range t.changes {
		x.add(t, p, c)
	}
	t.known[p] = x
	return x
}

func (x *touchedPackage) add(t *Touched, p *Package, c Change) {
	for i, f := range p.files {
		if resolved(f.name) != c.File {
			continue
		}
		if c.Lines == nil || f.cgo != nil || len(p.links) > 0 {
			x.all = true
			return
		}
		for _, lines := range c.Lines {
			d := functionAt(t.prog, p.Files[i], lines)
			if d == nil || d.Name.Name == "init" && d.Recv == nil {
				x.all = true // each program that is linked with p executes it
				return
			}
			x.functions[d] = true
		}
		return
	}
	// A file that is not compiled may be embedded, or read by a test; one that is gone, or that is left out
	// now, may have been compiled.
	//mutant: data of tests do not count [test ./cmd/hbcheck TestSince]: "!t.compiled()[c.File]" -> "false"
	if rel, err := filepath.Rel(resolved(p.Dir), c.File); err == nil && filepath.IsLocal(rel) && !t.compiled()[c.File] {
		x.all = true
	}
}

// compiled returns the files of all packages.
func (t *Touched) compiled() map[string]bool {
	if t.files == nil {
		t.files = make(map[string]bool)
		for _, p := range t.prog.All {
			for _, f := range p.files {
				if !p.library() {
					t.files[resolved(f.name)] = true
				}
			}
		}
	}
	return t.files
}

// resolved returns name without symbolic links, as git has it.
func resolved(name string) string {
	if r, err := filepath.EvalSymlinks(name); err == nil {
		return r
	}
	return name
}

// functionAt returns the declaration of the function whose body has all of lines; nil if there is none.
func functionAt(prog *Program, file *ast.File, lines [2]int) *ast.FuncDecl {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			first, last := prog.Fset.PositionFor(d.Body.Lbrace, false).Line, prog.Fset.PositionFor(d.Body.Rbrace, false).Line
			//mutant: a change anywhere is in a body [test ./cmd/hbcheck TestSince]: "first < lines[0] && lines[1] < last" -> "lines[1] < last"
			if first < lines[0] && lines[1] < last || first == last && lines == [2]int{first, first} {
				return d
			}
		}
	}
	return nil
}

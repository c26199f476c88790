package load

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

// Whether a program reads the clock decides whether the time of day is part of
// its states: one with a ticker has infinitely many states if it is, and a
// handful if it is not.

// readsClock reports whether fn is a function that gives away the time: time.Now
// and its like, or what one can do with a Time: a context's deadline and what a
// ticker sends are Times, too.
func readsClock(fn *types.Func) bool {
	switch name := fn.FullName(); name {
	case "time.Now", "time.Since", "time.Until", "syscall.Gettimeofday", "syscall.Time":
		return true
	default:
		return strings.HasPrefix(name, "(time.Time).") || strings.HasPrefix(name, "(*time.Time).")
	}
}

// showsTime are the packages of the standard library that read the clock but
// decide nothing by it: they print it, measure with it, make it a seed. Package
// context compares deadlines; see UsesDeadlines.
var showsTime = map[string]bool{
	"time": true, "context": true, "log": true, "log/slog": true, "testing": true, "testing/quick": true,
	"internal/poll": true, "crypto/internal/fips140deps/time": true,
}

// readsTime reports whether the text of p, a std package, mentions the functions
// that read the clock, and those that make contexts with deadlines.
func (p *Package) readsTime() (clock, deadlines bool) {
	mentions := func(src []byte, names ...string) bool {
		for _, name := range names {
			if bytes.Contains(src, []byte(name)) {
				return true
			}
		}
		return false
	}
	if showsTime[p.Path] {
		return false, false
	}
	for _, file := range p.files {
		clock = clock || mentions(file.src, `"time"`) && mentions(file.src, "time.Now(", "time.Since(", "time.Until(")
		deadlines = deadlines || mentions(file.src, `"context"`) && mentions(file.src, "context.WithTimeout", "context.WithDeadline")
	}
	return clock, deadlines
}

// UsesDeadlines reports whether a package that is linked for e makes contexts
// with deadlines. Those are times in memory, which matters where time passes in
// the order of deadlines. Where timers fire in any order, a context may expire
// at any moment whatever its deadline, so it does not.
func (prog *Program) UsesDeadlines(e *Entry) bool {
	for _, p := range closure(e.roots) {
		if p.facts.deadlines {
			return true
		}
	}
	return false
}

// UsesClock reports whether a program that begins at e, package initialisation
// apart, may decide something by what the clock says: whether a std package that
// does is linked, or code of the user's that does is reached. What counts as reached from e
// is what its declaration mentions, what the declarations mentioned there mention, and so
// on, with all methods of the types among them. A Time that is only printed by fmt does not
// count: it will always show the moment the clock starts at.
func (prog *Program) UsesClock(e *Entry) bool {
	var pkgs []*Package
	any := false
	for _, p := range closure(e.roots) {
		switch {
		case !p.library():
			pkgs = append(pkgs, p)
			any = any || p.facts.clock
		case p.facts.clock:
			return true
		}
	}
	return any && reaches(e, pkgs, readsClock, true)
}

// reaches reports whether code of pkgs that e reaches mentions a function that is wanted; ownStacks
// says whether runtime.Stack counts where it shows no other goroutine.
func reaches(e *Entry, pkgs []*Package, wanted func(*types.Func) bool, ownStacks bool) bool {
	m := newReachability(pkgs, wanted)
	m.reach(e.Func.Object())
	if e.Beside != nil {
		m.reach(e.Beside.Func.Object())
	}
	if e.TestMain != nil {
		m.reach(e.TestMain.Object())
	}
	if e.initialisers {
		for _, p := range pkgs {
			m.work = append(m.work, p.declarations().variables...)
		}
	}
	for len(m.work) > 0 && !m.found {
		d := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		for _, use := range d.mentions() {
			if ownStacks || !use.ownStack {
				m.reach(use.obj)
			}
		}
	}
	return m.found
}

// reachability is a search through declarations.
type reachability struct {
	pkgs   map[*types.Package]*Package
	seen   map[types.Object]bool
	work   []*declared
	wanted func(*types.Func) bool
	found  bool // what is wanted
}

// newReachability returns a search through the declarations of pkgs. Functions named init run by
// themselves and may start goroutines that outlive them.
func newReachability(pkgs []*Package, wanted func(*types.Func) bool) *reachability {
	m := &reachability{pkgs: make(map[*types.Package]*Package), seen: make(map[types.Object]bool), wanted: wanted}
	for _, p := range pkgs {
		m.pkgs[p.Types] = p
		m.work = append(m.work, p.declarations().inits...)
	}
	return m
}

// declared is a declaration and the package in which its identifiers are resolved.
type declared struct {
	pkg  *Package
	node ast.Node

	once sync.Once
	uses []mention // of different objects; nil until asked for
}

// mention is an object that a declaration mentions.
type mention struct {
	obj      types.Object
	ownStack bool // only as a function called as ownStack says
}

// mentions returns what d mentions. Tests of a package reach mostly the same.
func (d *declared) mentions() []mention {
	d.once.Do(func() {
		seen := make(map[mention]bool)
		var own *ast.Ident
		ast.Inspect(d.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				use := mention{d.pkg.Info.Uses[n], n == own}
				if use.obj != nil && !seen[use] {
					seen[use] = true
					d.uses = append(d.uses, use)
				}
			case *ast.CallExpr: // its function comes next
				own = ownStack(d.pkg, n)
			}
			return true
		})
	})
	return d.uses
}

// decls returns what belongs to a package-level object: to a type its methods, too.
func (m *reachability) decls(obj types.Object) []*declared {
	if p := m.pkgs[obj.Pkg()]; p != nil {
		return p.declarations().of[obj]
	}
	return nil
}

// declarations are those of a package, by object; its init functions and the variables with
// initialisers.
type declarations struct {
	once      sync.Once
	of        map[types.Object][]*declared
	inits     []*declared
	variables []*declared
}

// declarations returns those of p.
func (p *Package) declarations() *declarations {
	p.decls.once.Do(func() {
		p.decls.of = make(map[types.Object][]*declared)
		p.collect(p.decls)
	})
	return p.decls
}

func (p *Package) collect(m *declarations) {
	add := func(obj types.Object, n ast.Node) {
		if obj != nil {
			m.of[obj] = append(m.of[obj], &declared{pkg: p, node: n})
		}
	}
	for _, file := range p.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				fn, ok := p.Info.Defs[d.Name].(*types.Func)
				switch {
				case d.Recv == nil && d.Name.Name == "init":
					m.inits = append(m.inits, &declared{pkg: p, node: d})
				case !ok:
				case d.Recv == nil:
					add(fn, d)
				default:
					t := fn.Signature().Recv().Type()
					if ptr, ok := t.(*types.Pointer); ok {
						t = ptr.Elem()
					}
					if n, ok := t.(*types.Named); ok {
						add(n.Obj(), d)
					}
					add(fn, d)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(p.Info.Defs[s.Name], s)
					case *ast.ValueSpec:
						if d.Tok == token.VAR && len(s.Values) > 0 {
							m.variables = append(m.variables, &declared{pkg: p, node: s})
						}
						for _, id := range s.Names {
							add(p.Info.Defs[id], s)
						}
					}
				}
			}
		}
	}
}

// reach notes that obj is mentioned.
func (m *reachability) reach(obj types.Object) {
	switch o := obj.(type) {
	case nil:
		return
	case *types.Func:
		obj = o.Origin()
		m.found = m.found || m.wanted(o)
	case *types.Var:
		obj = o.Origin()
	}
	if !m.seen[obj] {
		m.seen[obj] = true
		m.work = append(m.work, m.decls(obj)...)
	}
}

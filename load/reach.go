package load

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"sync"
)

// Queries about the code that an entry reaches. What counts as reached from e is what its declaration
// mentions, what the declarations mentioned there mention, and so on, with all methods of the types among
// them.

// UsesClock reports whether a program that begins at e, without the initialisation of packages, may
// depend on the clock: whether a std package that depends on it is linked, or code of the user that
// depends on it is reached. A Time that is only printed by fmt does not count: it will always show
// the moment the clock starts at.
func (prog *Program) UsesClock(e *Entry) bool {
	var pkgs []*Package
	any := false
	for _, p := range closure(e.roots) {
		switch {
		case !p.library():
			pkgs = append(pkgs, p)
			any = any || p.facts&clockFact != 0
		case p.facts&clockFact != 0:
			return true
		}
	}
	return any && reaches(e, pkgs, readsClock, true)
}

// CountsGoroutines reports whether a program that begins at e, package initialisation apart, can ask
// which goroutines there are. What counts as reached is as in UsesClock.
func (prog *Program) CountsGoroutines(e *Entry) bool {
	any := false
	for _, p := range closure(e.roots) {
		if p.Std && p.facts&goroutineFact != 0 {
			return true
		}
		any = any || p.facts&goroutineFact != 0
	}
	return any && prog.reached(e)&mentionsGoroutines != 0
}

// ShowsDescriptors reports whether a program that begins at e, or the initialisation of its packages, can see
// the numbers of descriptors. What counts as reached is as in UsesClock.
func (prog *Program) ShowsDescriptors(e *Entry) bool {
	var pkgs []*Package
	any := false
	for _, p := range closure(e.roots) {
		if p.facts&linkedCallFact != 0 {
			return true
		}
		any = any || p.facts&descriptorFact != 0
		if !p.library() {
			pkgs = append(pkgs, p)
		}
	}
	return any && reaches(e.WithInitialisers(), pkgs, showsDescriptors, false)
}

// Watches reports whether a program that begins at e, or the initialisation of its packages, can watch files
// with inotify. What counts as reached is as in UsesClock.
func (prog *Program) Watches(e *Entry) bool {
	var pkgs []*Package
	any := false
	for _, p := range closure(e.roots) {
		switch {
		case !p.library():
			pkgs = append(pkgs, p)
			any = any || p.facts&watchFact != 0
		case p.facts&watchFact != 0:
			return true
		}
	}
	return any && reaches(e.WithInitialisers(), pkgs, watches, false)
}

// LooksAtAll reports whether a program that begins at e may execute, after the initialisation of packages, an
// operation that depends on what all other goroutines do. Operations that are enabled only when none of them
// can continue do not count. These are the operations of InspectsAll, and testing/synctest with goroutines
// outside of the bubble. What counts as reached is as in UsesClock.
func (prog *Program) LooksAtAll(e *Entry) bool {
	return prog.mayInspect(e, mentionsInspecting|mentionsBubbles)
}

// ImportsBubbles reports whether such a program imports testing/synctest, directly or not.
func (prog *Program) ImportsBubbles(e *Entry) bool {
	return slices.ContainsFunc(closure(e.roots), func(p *Package) bool { return p.Path == "testing/synctest" })
}

// InspectsAll reports whether such a program may execute an operation that shows the positions and
// references of the other goroutines. These are stacks of all goroutines, and garbage collections,
// which show references through finalizers, cleanups and weak pointers.
func (prog *Program) InspectsAll(e *Entry) bool { return prog.mayInspect(e, mentionsInspecting) }

func inspectsAll(fn *types.Func) bool {
	//mutant: collections show nothing [models TestModels/weakPrivate]: drop 1
	return asksForCollection(fn) || showsGoroutines(fn) && fn.FullName() != "runtime.NumGoroutine"
}

func (prog *Program) mayInspect(e *Entry, wanted mentionSet) bool {
	any := false
	for _, p := range closure(e.roots) {
		switch {
		case !p.Std:
			any = any || p.facts&(goroutineFact|collectionFact) != 0
		case p.facts&goroutineFact != 0:
			return true
		}
		any = any || p.Path == "testing/synctest"
	}
	return any && prog.reached(e)&wanted != 0
}

// reaches reports whether code of pkgs that e reaches mentions a function that is wanted; ownStacks
// says whether a call of runtime.Stack that shows no other goroutine counts, too.
func reaches(e *Entry, pkgs []*Package, wanted func(*types.Func) bool, ownStacks bool) bool {
	m := newReachability(pkgs, wanted)
	m.begin(e)
	if e.initialisers {
		for _, p := range pkgs {
			m.work = append(m.work, p.declarations().variables...)
		}
	}
	for len(m.work) > 0 && !m.found {
		m.next(ownStacks)
	}
	return m.found
}

// reachAll calls visit for the declarations of pkgs that e and the initialisers reach, until it returns true.
func reachAll(e *Entry, pkgs []*Package, visit func(d *declared) bool) {
	m := newReachability(pkgs, func(*types.Func) bool { return false })
	m.begin(e)
	for _, p := range pkgs {
		m.work = append(m.work, p.declarations().variables...)
	}
	for len(m.work) > 0 && !visit(m.next(true)) {
	}
}

// begin notes the functions at which e begins as reached.
func (m *reachability) begin(e *Entry) {
	m.reach(e.Func.Object())
	if e.Beside != nil {
		m.reach(e.Beside.Func.Object())
	}
	if e.TestMain != nil {
		m.reach(e.TestMain.Object())
	}
}

// next reaches the declarations that the last declaration of m.work mentions, and returns that declaration.
func (m *reachability) next(ownStacks bool) *declared {
	d := m.work[len(m.work)-1]
	m.work = m.work[:len(m.work)-1]
	for _, use := range d.mentions() {
		if ownStacks || !use.ownStack {
			m.reach(use.obj)
		}
	}
	return d
}

// reachability is a search through declarations.
type reachability struct {
	pkgs   map[*types.Package]*Package
	seen   map[types.Object]bool
	work   []*declared
	wanted func(*types.Func) bool
	found  bool // the wanted functions
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
	uses []mention // mentions of different objects; nil until asked for
}

// mention is an object that a declaration mentions.
type mention struct {
	obj      types.Object
	ownStack bool // it is mentioned only as the function of such a call (see ownStack)
}

// mentions returns what d mentions. The result is kept, because most tests of a package reach the
// same declarations.
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
			case *ast.CallExpr: // the function of the call is visited next
				own = ownStack(d.pkg, n)
			}
			return true
		})
	})
	return d.uses
}

// decls returns the declarations of a package-level object: for a type also its methods.
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

// ownStack returns the name of the callee if the call is runtime.Stack(buf, false), which shows no other
// goroutine.
func ownStack(p *Package, call *ast.CallExpr) *ast.Ident {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 2 {
		return nil
	}
	fn, ok := p.Info.Uses[sel.Sel].(*types.Func)
	v := p.Info.Types[call.Args[1]].Value
	if ok && fn.FullName() == "runtime.Stack" && v != nil && v.Kind() == constant.Bool && !constant.BoolVal(v) {
		return sel.Sel
	}
	return nil
}

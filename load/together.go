package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Tests of one package that call t.Parallel run at the same time. They can share only memory reachable from
// package-level variables. So two tests are explored together, as one more entry, if they share a variable:
// both reach code that uses it, and one of them reaches code that may change it, or memory reachable from it.

// together is between the names of two tests.
const together = "+"

// TestName returns the name of the test function, without that of the test beside it.
func (e *Entry) TestName() string {
	if e.Beside == nil {
		return e.Name
	}
	name, _, _ := strings.Cut(e.Name, together)
	return name
}

// Together returns an entry for each two parallel tests that share memory, in the order of the
// entries.
func (prog *Program) Together() []*Entry {
	prog.togetherOnce.Do(func() { prog.together = prog.findTogether() })
	return prog.together
}

func (prog *Program) findTogether() (pairs []*Entry) {
	type test struct {
		*Entry
		varUses
	}
	binaries := make(map[string][]test)
	var paths []string
	for _, e := range prog.Entries {
		if e.Kind == Test && prog.callsParallel(e) {
			if binaries[e.Path] == nil {
				paths = append(paths, e.Path)
			}
			binaries[e.Path] = append(binaries[e.Path], test{Entry: e})
		}
	}
	for _, path := range paths {
		tests := binaries[path]
		if len(tests) < 2 {
			continue
		}
		var pkgs []*Package
		for _, p := range closure(tests[0].roots) {
			if !p.Std {
				pkgs = append(pkgs, p)
			}
		}
		all := newUseGraph(pkgs)
		for i := range tests {
			tests[i].varUses = all.usesOf(tests[i].Func.Object())
		}
		for i, a := range tests {
			for _, b := range tests[i+1:] {
				if a.changes.meets(b.uses) || b.changes.meets(a.uses) {
					pairs = append(pairs, &Entry{Kind: Test, Path: a.Path, Name: a.Name + together + b.Name, Pos: a.Pos,
						Func: a.Func, Package: a.Package, TestMain: a.TestMain, Beside: b.Entry, roots: a.roots})
				}
			}
		}
	}
	return pairs
}

// callsParallel reports whether the test function of e calls Parallel on its parameter, itself or
// in a function to which it passes the parameter.
func (prog *Program) callsParallel(e *Entry) bool {
	return e.Package.callsParallel(e.Func.Object(), 0, map[types.Object]bool{})
}

// ParallelSubtests reports whether subtests of e may run at the same time, because code of its program
// outside of the standard library mentions a method Parallel. Test functions other than that of e do not
// count.
func (prog *Program) ParallelSubtests(e *Entry) bool {
	others := make(map[types.Object]bool)
	for _, o := range prog.Entries {
		if o.Kind == Test && o.Func.Object() != e.Func.Object() {
			others[o.Func.Object()] = true
		}
	}
	for _, p := range closure(e.roots) {
		if p.Std {
			continue
		}
		for _, file := range p.Files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				//mutant: other tests make subtests parallel [test ./load TestParallelSubtests]: "!others[p.Info.Defs[f.Name]]" -> "true"
				if ok && f.Body != nil && !others[p.Info.Defs[f.Name]] && mentionsParallel(f.Body) {
					return true
				}
			}
		}
	}
	return false
}

// mentionsParallel reports whether a body has x.Parallel. It needs no types, which dependencies may lack.
func mentionsParallel(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && s.Sel.Name == "Parallel"
		return !found
	})
	return found
}

func (p *Package) callsParallel(fn types.Object, param int, seen map[types.Object]bool) (calls bool) {
	d := p.funcDecl(fn)
	if d == nil || d.Body == nil || seen[fn] {
		return false
	}
	seen[fn] = true
	sig := fn.(*types.Func).Signature()
	if param >= sig.Params().Len() {
		return false
	}
	t := sig.Params().At(param)
	isT := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && p.Info.Uses[id] == t
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			var callee *ast.Ident
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.SelectorExpr:
				calls = calls || f.Sel.Name == "Parallel" && isT(f.X)
				callee = f.Sel
			case *ast.Ident:
				callee = f
			}
			for i, a := range n.Args {
				if callee != nil && isT(a) {
					if g, ok := p.Info.Uses[callee].(*types.Func); ok {
						calls = calls || p.callsParallel(g.Origin(), i, seen)
					}
				}
			}
		}
		return !calls
	})
	return calls
}

// funcDecl returns the declaration of fn in p, or nil.
func (p *Package) funcDecl(fn types.Object) *ast.FuncDecl {
	for _, f := range p.Files {
		if f.FileStart <= fn.Pos() && fn.Pos() < f.FileEnd {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && p.Info.Defs[d.Name] == fn {
					return d
				}
			}
		}
	}
	return nil
}

// varUses are the package-level variables that a test reaches, and those that it may change or
// whose reachable memory it may change. They are given by their numbers in a useGraph.
type varUses struct{ uses, changes bits }

// bits is a set of small numbers.
type bits []uint64

func (b *bits) add(i int) {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

func (b bits) meets(c bits) bool {
	for i := range min(len(b), len(c)) {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b *bits) join(c bits) {
	for len(*b) < len(c) {
		*b = append(*b, 0)
	}
	for i, w := range c {
		(*b)[i] |= w
	}
}

// A useGraph has what declarations mention. Each declaration is inspected once, though hundreds of tests
// reach it.
type useGraph struct {
	*reachability
	nodes map[*declared]*useNode
	ofObj map[types.Object][]*useNode
	vars  map[*types.Var]int
	all   int // nodes numbered
}

// useNode is a declaration: the variables that it uses itself, and the declarations that it
// mentions.
type useNode struct {
	number int
	decl   *declared
	varUses
	next      []*useNode
	inspected bool
}

func newUseGraph(pkgs []*Package) *useGraph {
	return &useGraph{reachability: newReachability(pkgs, func(*types.Func) bool { return false }),
		nodes: make(map[*declared]*useNode), ofObj: make(map[types.Object][]*useNode), vars: make(map[*types.Var]int)}
}

// declared returns the nodes of the declarations of obj.
func (g *useGraph) declared(obj types.Object) []*useNode {
	switch o := obj.(type) {
	case nil:
		return nil
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	}
	list, known := g.ofObj[obj]
	if !known {
		for _, d := range g.decls(obj) {
			if g.nodes[d] == nil {
				g.nodes[d] = &useNode{number: g.all, decl: d}
				g.all++
			}
			list = append(list, g.nodes[d])
		}
		g.ofObj[obj] = list
	}
	return list
}

// usesOf returns the variables that code reached from fn uses. Initialisers are executed before.
func (g *useGraph) usesOf(fn types.Object) (v varUses) {
	var seen bits
	work := slices.Clone(g.declared(fn))
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen.has(n.number) {
			continue
		}
		seen.add(n.number)
		if !n.inspected {
			n.inspected = true
			g.inspect(n)
		}
		v.uses.join(n.uses)
		//mutant: what a test may change is forgotten [test ./explore/selection TestPairs$]: remove
		v.changes.join(n.changes)
		work = append(work, n.next...)
	}
	return v
}

// inspect sets what n uses and mentions.
func (g *useGraph) inspect(x *useNode) {
	d := x.decl
	_, executed := d.node.(*ast.FuncDecl)
	var stack []ast.Node
	literals := 0
	mentioned := make(map[types.Object]bool)
	ast.Inspect(d.node, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				literals--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			literals++
		}
		if id, ok := n.(*ast.Ident); ok {
			obj := d.pkg.Info.Uses[id]
			if obj != nil && !mentioned[obj] {
				mentioned[obj] = true
				x.next = append(x.next, g.declared(obj)...)
			}
			if v, ok := obj.(*types.Var); ok && (executed || literals > 0) && isPackageLevel(v) {
				v = v.Origin()
				leads := leads
				if g.decls(v) == nil { // a variable of the standard library: os.Stdout is made to be shared
					leads = func(types.Type) bool { return false }
				}
				i, known := g.vars[v]
				if !known {
					i = len(g.vars)
					g.vars[v] = i
				}
				x.uses.add(i)
				if mayChange(d.pkg.Info, id, stack, leads) {
					x.changes.add(i)
				}
			}
		}
		stack = append(stack, n)
		return true
	})
}

func isPackageLevel(x *types.Var) bool {
	return !x.IsField() && x.Pkg() != nil && x.Parent() == x.Pkg().Scope()
}

// mayChange reports whether the use id of a variable, in the nodes of stack, may change it or memory
// reachable from it. Every use may, unless it is known to only read. leads reports whether a value of a
// type may lead to memory that matters.
func mayChange(info *types.Info, id *ast.Ident, stack []ast.Node, leads func(types.Type) bool) bool {
	var x ast.Expr = id
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
			x = n
		case *ast.SelectorExpr:
			s := info.Selections[n]
			switch {
			case s == nil: // a package's name comes before x
			case s.Kind() != types.FieldVal:
				recv := s.Obj().(*types.Func).Signature().Recv().Type()
				_, byPointer := types.Unalias(recv).(*types.Pointer)
				t := info.TypeOf(n.X)
				if !byPointer {
					return leads(t)
				}
				if _, ok := t.Underlying().(*types.Pointer); !ok {
					t = types.NewPointer(t)
				}
				return leads(t)
			}
			x = n
		case *ast.IndexExpr:
			if n.X != x {
				return false // x is the index
			}
			x = n
		case *ast.StarExpr:
			x = n
		case *ast.IncDecStmt, *ast.SendStmt, *ast.SliceExpr:
			return true
		case *ast.UnaryExpr:
			return n.Op == token.AND || n.Op == token.ARROW
		case *ast.BinaryExpr:
			return false
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if l == x {
					return true
				}
			}
			return leads(info.TypeOf(x))
		case *ast.RangeStmt:
			if n.X != x {
				return true // n assigns to x
			}
			t := info.TypeOf(x).Underlying()
			_, isChan := t.(*types.Chan)
			return isChan || leadsOn(t, leads)
		case *ast.CallExpr:
			if n.Fun == x {
				return false // a func
			}
			if b, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
				if b, ok := info.Uses[b].(*types.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
					return false
				}
			}
			return leads(info.TypeOf(x))
		default:
			return leads(info.TypeOf(x))
		}
	}
	return true
}

// leadsOn reports whether the elements of a range over a value of type t refer to other memory.
func leadsOn(t types.Type, leads func(types.Type) bool) bool {
	switch t := t.(type) {
	case *types.Slice:
		return leads(t.Elem())
	case *types.Array:
		return leads(t.Elem())
	case *types.Map:
		return leads(t.Key()) || leads(t.Elem())
	case *types.Basic:
		return false
	}
	return leads(t)
}

// leads reports whether a value of type t may lead to memory that can be changed. Errors count as
// constants, and so do functions, whose bodies are inspected.
func leads(t types.Type) bool {
	if t == nil || types.Identical(t, types.Universe.Lookup("error").Type()) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Signature:
		return false
	case *types.Array:
		return leads(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if leads(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

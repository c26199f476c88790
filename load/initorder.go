package load

import (
	"container/heap"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// initWork is the work of a package at initialisation.
type initWork int

const (
	initNothing initWork = iota // neither variables with initial values nor init functions
	initStatic                  // only variables whose values gc's linker lays out
	initDynamic
)

// initWorkOf classifies the initialisation of a package.
func initWorkOf(files []*ast.File, info *types.Info) initWork {
	work := initNothing
	for _, in := range info.InitOrder {
		if work = max(work, initStatic); !isStatic(info, in.Rhs) {
			return initDynamic
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" {
				return initDynamic
			}
		}
	}
	return work
}

// isStatic reports whether the linker lays out e. It does so for constants, functions, and composite
// literals, conversions and addresses of these. (gc lays out more expressions, for instance inlined calls;
// cmd/compile/internal/staticinit.)
func isStatic(info *types.Info, e ast.Expr) bool {
	if tv := info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isStatic(info, e.X)
	case *ast.FuncLit:
		return true // at package level it captures nothing
	case *ast.Ident:
		_, ok := info.Uses[e].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := info.Uses[e.Sel].(*types.Func)
		return ok && info.Selections[e] == nil
	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return false
		}
		if _, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return isStatic(info, e.X)
		}
		id, ok := ast.Unparen(e.X).(*ast.Ident)
		return ok && info.Uses[id] != nil
	case *ast.CompositeLit:
		if _, ok := info.TypeOf(e).Underlying().(*types.Map); ok {
			return false
		}
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if !isStatic(info, elt) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		if len(e.Args) != 1 || !info.Types[e.Fun].IsType() || !isStatic(info, e.Args[0]) {
			return false
		}
		return info.Types[e.Args[0]].IsNil() || isPlainConversion(info.TypeOf(e.Args[0]), info.TypeOf(e))
	}
	return false
}

// isPlainConversion reports whether converting a constant or a static value needs no memory. A
// conversion of a string to []byte, or to an interface, needs memory.
func isPlainConversion(from, to types.Type) bool {
	if types.IsInterface(to) {
		return false
	}
	_, toSlice := to.Underlying().(*types.Slice)
	_, fromSlice := from.Underlying().(*types.Slice)
	return toSlice == fromSlice
}

// InitOrder returns the packages whose initialisers must run before e, in the
// order in which they run. The machine calls each one's init function (see
// ssa.Package.Func("init")); it initialises that package's variables and then
// calls its init functions, and no other package's. Packages without initialisation are omitted and need
// not be built for it.
//
// The order is the language's: sort by import path; again and again initialise the first package that has all
// its imports initialised. As with gc, packages without code to run at initialisation delay no other package
// (cmd/link/internal/ld, inittask.go), and the implicit packages (the runtime is one) come before all others.
func (prog *Program) InitOrder(e *Entry) []*ssa.Package {
	var order []*ssa.Package
	inited := make(map[*Package]bool)
	for _, roots := range [][]*Package{prog.implicit, e.roots} {
		for _, p := range initOrder(roots, inited) {
			if p.initWork != initNothing {
				order = append(order, p.SSA)
			}
		}
	}
	return order
}

// initOrder orders the packages in the import closure of roots that are not in
// inited, and adds them to it.
func initOrder(roots []*Package, inited map[*Package]bool) []*Package {
	var (
		order    []*Package
		ready    pathHeap
		waiting  = make(map[*Package]int)        // number of imports to wait for
		importer = make(map[*Package][]*Package) // by package: those that wait for it
		dynamic  = make(map[*Package]bool)       // by package: whether the package or one of its imports has code to run
	)
	for _, p := range closure(roots) {
		if inited[p] {
			continue
		}
		inited[p] = true
		dynamic[p] = p.initWork == initDynamic
		for _, q := range p.Imports {
			if dynamic[q] {
				dynamic[p] = true
				waiting[p]++
				importer[q] = append(importer[q], p)
			}
		}
		switch {
		case !dynamic[p]:
			order = append(order, p) // the variables are initialised, as if by the linker
		case waiting[p] == 0:
			heap.Push(&ready, p)
		}
	}
	for len(ready) > 0 {
		p := heap.Pop(&ready).(*Package)
		order = append(order, p)
		for _, q := range importer[p] {
			if waiting[q]--; waiting[q] == 0 {
				heap.Push(&ready, q)
			}
		}
	}
	return order
}

// closure returns roots and all packages they import, dependencies first.
func closure(roots []*Package) []*Package {
	var all []*Package
	seen := make(map[*Package]bool)
	var visit func(p *Package)
	visit = func(p *Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, q := range p.Imports {
			visit(q)
		}
		all = append(all, p)
	}
	for _, p := range roots {
		visit(p)
	}
	return all
}

// pathHeap is a heap of packages by import path. A command's path is that of
// its directory here; it is last in any case, for it imports the others.
type pathHeap []*Package

func (h pathHeap) Len() int           { return len(h) }
func (h pathHeap) Less(i, j int) bool { return h[i].Path < h[j].Path }
func (h pathHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *pathHeap) Push(x any)        { *h = append(*h, x.(*Package)) }
func (h *pathHeap) Pop() any {
	old := *h
	p := old[len(old)-1]
	*h = old[:len(old)-1]
	return p
}

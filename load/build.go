package load

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Package ssa builds packages as a whole. Functions of the standard library are built one by one,
// as they are needed: while a function is built, it is the only member of a temporary package. For
// that, and to give the function a body that has been checked late, this file sets fields that
// package ssa does not export. With a version of package ssa with other fields, which a module that
// uses hbcheck as a tool may select, packages are built as a whole.
//
// So code that reads Blocks, Params or AnonFuncs of a library function calls EnsureBuilt first. Code that
// only needs to know whether the function has a body calls IsBodyless.

// oneByOne reports whether package ssa has the fields that this file sets.
var oneByOne = hasField[*types.Info](ssa.Package{}, "info") && hasField[[]*ssa.Function](ssa.Package{}, "created") &&
	hasField[ast.Node](ssa.Function{}, "syntax") && hasField[*types.Info](ssa.Function{}, "info")

func hasField[T any](x any, name string) bool {
	f, ok := reflect.TypeOf(x).FieldByName(name)
	return ok && f.Type == reflect.TypeFor[T]()
}

// building records the built parts of a Program.
type building struct {
	done sync.Map // functions that are built: keys are *ssa.Function
	mu   sync.Mutex
	pkgs map[*ssa.Package]*sync.Mutex // guarded by mu; each is held while one of its functions is built
	// created are the functions of packages, in the order of the source. Package ssa itself keeps only the
	// initialiser and the generic functions of a package: it builds these together where Function.Origin
	// needs one, and then forgets the parts of the initialiser.
	created map[*ssa.Package][]*ssa.Function
}

// takeFunctions prepares pkg for building its functions one by one.
func (b *building) takeFunctions(pkg *ssa.Package) {
	created := field[[]*ssa.Function](pkg, "created")
	b.created[pkg] = *created
	*created = slices.DeleteFunc(slices.Clone(*created), func(fn *ssa.Function) bool { return !isShared(fn) })
}

// isShared reports whether fn is built with its package.
func isShared(fn *ssa.Function) bool {
	//mutant: generic functions are built one by one [test ./cmd/hbcheck TestScripts/once$]: "|| fn.Signature.TypeParams().Len()+fn.Signature.RecvTypeParams().Len() > 0" -> ""
	return fn.Synthetic == "package initializer" || fn.Signature.TypeParams().Len()+fn.Signature.RecvTypeParams().Len() > 0
}

// lock returns the lock of pkg.
func (b *building) lock(pkg *ssa.Package) *sync.Mutex {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pkgs == nil {
		b.pkgs = make(map[*ssa.Package]*sync.Mutex)
	}
	if b.pkgs[pkg] == nil {
		b.pkgs[pkg] = new(sync.Mutex)
	}
	return b.pkgs[pkg]
}

// buildFunction builds fn, a function of p.
func (prog *Program) buildFunction(p *Package, fn *ssa.Function) {
	if isShared(fn) {
		fn.Pkg.Build()
		return
	}
	if _, ok := prog.built.done.Load(fn); ok {
		return
	}
	mu := prog.built.lock(fn.Pkg)
	mu.Lock()
	defer mu.Unlock()
	if _, ok := prog.built.done.Load(fn); ok {
		return
	}
	//mutant: a body that was taken away comes back [test ./load TestPrune]: "&& !p.bare[fn.Pos()]" -> ""
	if b := p.late[fn.Pos()]; b != nil && !p.bare[fn.Pos()] {
		decl, info := prog.loader.checkBody(p, b)
		*field[ast.Node](fn, "syntax") = decl
		*field[*types.Info](fn, "info") = info
	}
	alone := &ssa.Package{Prog: prog.SSA}
	*field[*types.Info](alone, "info") = new(types.Info) // without it ssa would build nothing
	*field[[]*ssa.Function](alone, "created") = []*ssa.Function{fn}
	alone.Build()
	prog.built.done.Store(fn, true)
}

// BuildPackage builds all functions of pkg.
func (prog *Program) BuildPackage(pkg *ssa.Package) {
	if p := prog.byTypes[pkg.Pkg]; p == nil || prog.buildsWhole(p) {
		pkg.Build()
		return
	}
	for _, fn := range prog.built.created[pkg] {
		prog.EnsureBuilt(fn)
	}
}

// buildsWhole reports whether p is built as a whole: a package of the user's, most of whose code is executed.
func (prog *Program) buildsWhole(p *Package) bool { return !oneByOne || !p.library() }

// Build builds all functions of the program.
func (prog *Program) Build() {
	for _, p := range prog.All {
		prog.BuildPackage(p.SSA)
	}
}

// field returns a pointer to a field of *x.
func field[T any](x any, name string) *T {
	v := reflect.ValueOf(x).Elem().FieldByName(name)
	if !v.IsValid() || v.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("BUG: package ssa has changed: %T.%s is no %v", x, name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

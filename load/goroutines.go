package load

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/types"
)

// Whether a program can ask which goroutines there are decides whether starting and ending one are
// operations that another goroutine notices.

// showsGoroutines reports whether fn is a function that says which goroutines there are.
func showsGoroutines(fn *types.Func) bool {
	switch fn.FullName() {
	case "runtime.NumGoroutine", "runtime.GoroutineProfile", "runtime.Stack",
		//mutant: pprof does not ask [points]: "Lookup\", \"runtime/pprof." -> ""
		"runtime/pprof.Lookup", "runtime/pprof.Profiles":
		return true
	}
	return false
}

// ownStack returns the name of what call calls if that is runtime.Stack(buf, false), which shows no
// other goroutine.
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

// asksForGoroutines reports whether the text of p, a std package, mentions what says which
// goroutines there are. Package runtime/pprof does it only for its users.
func (p *Package) asksForGoroutines() bool {
	if p.Path == "runtime" || p.Path == "runtime/pprof" {
		return false
	}
	for _, file := range p.files {
		for _, name := range []string{"runtime.NumGoroutine(", "runtime.GoroutineProfile(", "pprof.Lookup(", "pprof.Profiles("} {
			if bytes.Contains(file.src, []byte(name)) {
				return true
			}
		}
	}
	return false
}

// CountsGoroutines reports whether a program that begins at e, package initialisation apart, can ask
// which goroutines there are. What counts as reached is as in UsesClock.
func (prog *Program) CountsGoroutines(e *Entry) bool {
	var pkgs []*Package
	any := false
	for _, p := range closure(e.roots) {
		if p.Std {
			if p.facts.goroutines {
				return true
			}
			continue
		}
		pkgs = append(pkgs, p)
		any = any || p.facts.goroutines
	}
	return any && reaches(e, pkgs, showsGoroutines, false)
}

// LooksAtAll reports whether a program that begins at e, package initialisation apart, may execute an
// operation that depends on what all other goroutines do, and is not only enabled when none of them
// can continue: testing/synctest with goroutines outside of the bubble, and what InspectsAll is about.
// What counts as reached is as in UsesClock.
func (prog *Program) LooksAtAll(e *Entry) bool {
	return prog.mayInspect(e, func(fn *types.Func) bool {
		return inspectsAll(fn) || fn.Pkg() != nil && fn.Pkg().Path() == "testing/synctest"
	})
}

// InspectsAll reports whether such a program may execute an operation that shows where the other
// goroutines are, and what they refer to: stacks of all goroutines, and a collection, of which finalizers,
// cleanups and weak pointers tell.
func (prog *Program) InspectsAll(e *Entry) bool { return prog.mayInspect(e, inspectsAll) }

func inspectsAll(fn *types.Func) bool {
	//mutant: collections show nothing [models TestModels/weakPrivate]: drop 1
	return asksForCollection(fn) || showsGoroutines(fn) && fn.FullName() != "runtime.NumGoroutine"
}

func (prog *Program) mayInspect(e *Entry, wanted func(*types.Func) bool) bool {
	var pkgs []*Package
	for _, p := range closure(e.roots) {
		switch {
		case !p.Std:
			pkgs = append(pkgs, p)
		case p.facts.goroutines:
			return true
		}
	}
	return reaches(e, pkgs, wanted, false)
}

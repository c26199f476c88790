package compile

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Symbol returns fn's name as the runtime shows it: main.main.func1,
// path/to/pkg.(*T).Method, pkg.F[...], main.init.0.
//
//	main.main                   a function of a command; else the import path
//	pkg.F[...]                  of a generic function, whatever its arguments
//	pkg.T.M  pkg.(*T).M         methods; with -fm the function of a method value
//	pkg.F.func1  pkg.F.func1.2  literals in F, and in those
//	pkg.F-range1                the body of a loop over a function
//	pkg.init.0                  the first function init of the package
func Symbol(fn *ssa.Function) string {
	if p := fn.Parent(); p != nil {
		return Symbol(p) + closureSuffix(fn)
	}
	if o := fn.Origin(); o != nil && o != fn {
		fn = o
	}
	name, _, _ := strings.Cut(fn.Name(), "$") // wrappers: M$bound, M$thunk
	pkg := ""
	if fn.Pkg != nil {
		pkg = symbolPath(fn.Pkg.Pkg) + "."
	} else if obj := fn.Object(); obj != nil && obj.Pkg() != nil {
		pkg = symbolPath(obj.Pkg()) + "."
	}
	recv := fn.Signature.Recv()
	if m, ok := fn.Object().(*types.Func); ok && recv == nil {
		recv = m.Signature().Recv() // a bound method or a thunk
	}
	suffix := ""
	if strings.HasSuffix(fn.Name(), "$bound") {
		suffix = "-fm"
	}
	switch {
	case recv != nil:
		return pkg + receiverName(recv.Type()) + "." + name + suffix
	case fn.Signature.TypeParams().Len() > 0 || fn.TypeParams().Len() > 0:
		return pkg + name + "[...]"
	case strings.HasPrefix(name, "init#"):
		n := 0
		fmt.Sscanf(name[len("init#"):], "%d", &n)
		return fmt.Sprintf("%sinit.%d", pkg, n-1)
	}
	return pkg + name
}

// closureSuffix returns the suffix that gc appends to the name of the enclosing function of fn.
// Function literals and the bodies of loops over functions are numbered separately; literals in
// literals have only the number.
func closureSuffix(fn *ssa.Function) string {
	n := 0
	for _, f := range fn.Parent().AnonFuncs {
		if (f.Synthetic == RangeFuncBody) == (fn.Synthetic == RangeFuncBody) {
			n++
		}
		if f == fn {
			break
		}
	}
	switch {
	case fn.Synthetic == RangeFuncBody:
		return fmt.Sprintf("-range%d", n)
	case fn.Parent().Parent() != nil && fn.Parent().Synthetic != RangeFuncBody:
		return fmt.Sprintf(".%d", n)
	}
	return fmt.Sprintf(".func%d", n)
}

// receiverName returns T, (*T), T[...] or (*T[...]).
func receiverName(t types.Type) string {
	t = types.Unalias(t)
	p, ptr := t.(*types.Pointer)
	if ptr {
		t = types.Unalias(p.Elem())
	}
	name := types.TypeString(t, func(*types.Package) string { return "" })
	if n, ok := t.(*types.Named); ok {
		name = n.Obj().Name()
		if n.TypeParams().Len() > 0 {
			name += "[...]"
		}
	}
	if ptr {
		return "(*" + name + ")"
	}
	return name
}

// symbolPath returns a package's import path as in symbol names: main for a command, and dots after
// the last slash escaped.
func symbolPath(p *types.Package) string {
	if p.Name() == "main" {
		return "main"
	}
	path := p.Path()
	slash := strings.LastIndexByte(path, '/')
	return path[:slash+1] + strings.ReplaceAll(path[slash+1:], ".", "%2e")
}

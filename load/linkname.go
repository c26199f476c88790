package load

import (
	"bytes"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// links are the //go:linkname directives between functions.
type links struct {
	pushed map[string]*ssa.Function // symbol to the function with a body and that linker name
	pulled map[*ssa.Function]string // function without a body to the symbol it represents
}

// link is one //go:linkname directive with two names.
type link struct{ local, symbol string }

// findLinks finds the directives in a source file.
func findLinks(src []byte) []link {
	var found []link
	for {
		i := bytes.Index(src, []byte("\n//go:linkname"))
		if i < 0 {
			return found
		}
		src = src[i+1:]
		line, _, _ := bytes.Cut(src, []byte("\n"))
		if fields := strings.Fields(string(line)); len(fields) == 3 && isLinkname(fields[0]) {
			found = append(found, link{fields[1], fields[2]})
		}
	}
}

// isLinkname reports whether word begins a directive. Since Go 1.27 there is one for the standard
// library alone.
func isLinkname(word string) bool { return word == "//go:linkname" || word == "//go:linknamestd" }

// linkVariables replaces variables that are declared without a value by the variables that a directive
// names, if the program has these.
func (l *loader) linkVariables() {
	for _, p := range l.all {
		if p.Info == nil {
			continue
		}
		others := map[types.Object]types.Object{}
		for _, link := range p.links {
			local, _ := p.Types.Scope().Lookup(link.local).(*types.Var)
			i := strings.LastIndexByte(link.symbol, '.')
			if local == nil || i < 0 {
				continue
			}
			q := l.stdPkgs[link.symbol[:i]]
			if q == nil || q.Types == nil || q == p {
				continue
			}
			if other, _ := q.Types.Scope().Lookup(link.symbol[i+1:]).(*types.Var); other != nil && types.Identical(local.Type(), other.Type()) {
				others[local] = other
			}
		}
		if len(others) == 0 {
			continue
		}
		p.linked = others
		for id, local := range p.Info.Uses {
			if other := others[local]; other != nil {
				p.Info.Uses[id] = other
			}
		}
	}
}

// collectLinks resolves the local names of the directives of all packages. Directives of declarations that a
// patch dropped are ignored.
func (prog *Program) collectLinks() {
	prog.links = links{make(map[string]*ssa.Function), make(map[*ssa.Function]string)}
	for _, p := range prog.All {
		for _, l := range p.links {
			fn := p.SSA.Func(l.local)
			switch {
			case fn == nil:
			case prog.hasBody(fn):
				prog.links.pushed[l.symbol] = fn
			default:
				prog.links.pulled[fn] = l.symbol
			}
		}
	}
}

// Linked returns the function by which the linker would replace fn, which has no body. Either a
// //go:linkname directive beside fn names that function (a pull), or a directive beside that function names
// fn (a push). Linked returns nil if the program has no such function, for example because fn is written in
// assembly.
func (prog *Program) Linked(fn *ssa.Function) *ssa.Function {
	if fn.Pkg == nil || fn.Signature.Recv() != nil || prog.hasBody(fn) {
		return nil
	}
	symbol, ok := prog.links.pulled[fn]
	if !ok {
		symbol = fn.Pkg.Pkg.Path() + "." + fn.Name()
	}
	if target := prog.links.pushed[symbol]; target != nil {
		return target
	}
	// A pull may name a function without a directive of its own.
	if i := strings.LastIndexByte(symbol, '.'); i > 0 {
		if p := prog.byPath[symbol[:i]]; p != nil && p.SSA != nil {
			if target := p.SSA.Func(symbol[i+1:]); target != nil && prog.hasBody(target) {
				return target
			}
		}
	}
	return nil
}

// IsBodyless reports whether fn is declared without a body, or the loader has taken its body away. The syntax
// of fn shows that only after fn has been built.
func (prog *Program) IsBodyless(fn *ssa.Function) bool {
	if fn.Pkg != nil && prog.byTypes[fn.Pkg.Pkg] != nil && fn.Parent() == nil {
		//mutant: what has not been built has no body [test ./load TestIsBodyless]: "!prog.hasBody(fn)" -> "!prog.hasBody(fn) || len(fn.Blocks) == 0"
		return fn.Object() != nil && !prog.hasBody(fn)
	}
	d, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && d.Body == nil
}

// hasBody reports whether the source gives fn, a declared function, a body.
func (prog *Program) hasBody(fn *ssa.Function) bool {
	p := prog.byTypes[fn.Pkg.Pkg]
	if p.late[fn.Pos()] != nil { // building it changes its syntax
		return !p.bare[fn.Pos()]
	}
	d, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && d.Body != nil
}

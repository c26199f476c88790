package load

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// links are the //go:linkname directives between functions.
type links struct {
	pushed map[string]*ssa.Function // symbol to the function with a body that goes by it
	pulled map[*ssa.Function]string // function without a body to the symbol it stands for
}

// findLinks reads the //go:linkname directives of all packages.
func (prog *Program) findLinks() {
	prog.links = links{make(map[string]*ssa.Function), make(map[*ssa.Function]string)}
	for _, p := range prog.All {
		for _, f := range p.files {
			for text := string(f.src); ; {
				i := strings.Index(text, "\n//go:linkname ")
				if i < 0 {
					break
				}
				line, rest, _ := strings.Cut(text[i+1:], "\n")
				text = "\n" + rest
				if fields := strings.Fields(line); len(fields) == 3 {
					prog.addLink(p, fields[1], fields[2])
				}
			}
		}
	}
}

// addLink records that local in p and symbol are one.
func (prog *Program) addLink(p *Package, local, symbol string) {
	fn := p.SSA.Func(local)
	if fn == nil {
		return // a variable, or a declaration that a patch dropped
	}
	if hasBody(fn) {
		prog.links.pushed[symbol] = fn
	} else {
		prog.links.pulled[fn] = symbol
	}
}

// Linked returns the function with a body that the linker would put in the
// place of fn, which has none: because a //go:linkname directive beside fn
// names it, or one beside it names fn. It returns nil if there is no such
// function in the program, as for those written in assembly.
func (prog *Program) Linked(fn *ssa.Function) *ssa.Function {
	if fn.Pkg == nil || fn.Signature.Recv() != nil || hasBody(fn) {
		return nil
	}
	symbol, ok := prog.links.pulled[fn]
	if !ok {
		symbol = fn.Pkg.Pkg.Path() + "." + fn.Name()
	}
	if target := prog.links.pushed[symbol]; target != nil {
		return target
	}
	// A pull may name a function that knows nothing of it.
	if i := strings.LastIndexByte(symbol, '.'); i > 0 {
		if p := prog.byPath[symbol[:i]]; p != nil && p.SSA != nil {
			if target := p.SSA.Func(symbol[i+1:]); target != nil && hasBody(target) {
				return target
			}
		}
	}
	return nil
}

// hasBody reports whether the source gives fn, a declared function, a body.
func hasBody(fn *ssa.Function) bool {
	d, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && d.Body != nil
}

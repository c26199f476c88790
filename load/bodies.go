package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sync"
)

// Few of the library's functions that may be called are executed: 51 of 1,524 by a test of ten lines, 273 of
// 6,334 by one that imports net/http. So the bodies of the library's functions are not checked with the
// package. When a body is needed it is checked separately, in a file that has only the imports and this one
// declaration, with the name _.
//
// By the following claims the program is the same as with all bodies checked:
//
//  1. The rest of a package does not depend on the body of a function, except for the order of
//     initialisation. Functions on which that order may depend keep their bodies (mentionedByVariables).
//  2. Some functions keep their bodies because data are collected from them when the package is checked:
//     those with selects (for Nonblocking) or local types (which are numbered). Generic functions keep
//     theirs, because package ssa substitutes the type parameters of their signatures, and so do init
//     functions, which are always executed.
//  3. The parameters of a declaration that is checked twice are other objects, of the same types.
//     Package ssa takes them from the syntax, with the information that belongs to the body.

// A lateBody is a body that was not checked with its package.
type lateBody struct {
	file *ast.File
	decl *ast.FuncDecl // the declaration with the body; if parse is set: guarded by checking, and nil until parsed
	// parse, if not nil, parses decl.
	parse func() (*ast.FuncDecl, error)
	info  *types.Info // guarded by checking; nil until checked
}

// checking is held for reading while packages are checked, and for writing while a body is checked: the
// body becomes part of the types of its package, which programs may share.
var checking sync.RWMutex

// setBodiesAside removes from p, which is not checked yet, the bodies that can be checked separately.
func (p *Package) setBodiesAside() {
	p.late = make(map[token.Pos]*lateBody)
	kept := p.mentionedByVariables()
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !kept[d] && checksAlone(d) {
				whole := *d
				p.late[d.Name.Pos()] = &lateBody{file: f, decl: &whole}
				d.Body = nil
			}
		}
	}
}

// checksAlone reports whether only the function itself depends on the body of d.
func checksAlone(d *ast.FuncDecl) bool {
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_") || d.Type.TypeParams != nil {
		return false
	}
	if d.Recv != nil {
		t := d.Recv.List[0].Type
		if ptr, ok := ast.Unparen(t).(*ast.StarExpr); ok {
			t = ptr.X
		}
		if _, ok := ast.Unparen(t).(*ast.Ident); !ok { // the type is generic
			return false
		}
	}
	alone := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n.(type) {
		//mutant: functions with selects are checked late [test ./load TestBodies]: "*ast.SelectStmt, " -> ""
		case *ast.SelectStmt, *ast.TypeSpec:
			alone = false
		}
		return alone
	})
	return alone
}

// mentionedByVariables returns the functions and methods of p that the order of initialisation may depend on.
// The next variable to initialise is the first one in the source that mentions only initialised variables,
// directly or through functions. So if a variable leads only to variables declared before it, the order is
// the same as if it mentioned nothing, because these are initialised earlier in any case. The variables to
// which it leads are found by name, which over-approximates.
func (p *Package) mentionedByVariables() map[*ast.FuncDecl]bool {
	var specs []*ast.ValueSpec
	declared := byName{vars: make(map[string]int), funcs: make(map[string][]*ast.FuncDecl), methods: make(map[string][]*ast.FuncDecl)}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if list := declared.funcs; d.Body != nil {
					if d.Recv != nil {
						list = declared.methods
					}
					list[d.Name.Name] = append(list[d.Name.Name], d)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					for _, s := range d.Specs {
						s := s.(*ast.ValueSpec)
						for _, id := range s.Names {
							if len(s.Values) > 0 && id.Name != "_" {
								declared.vars[id.Name] = len(specs)
							}
						}
						specs = append(specs, s)
					}
				}
			}
		}
	}
	mentioned := make(map[ast.Node]*namesIn)
	found := make(map[*ast.FuncDecl]bool)
	for i, s := range specs {
		last := -1 // the last variable in the source to which it leads
		seen := map[ast.Node]bool{s: true}
		for work := []ast.Node{s}; len(work) > 0; {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			m := mentioned[n]
			if m == nil {
				m = declared.in(n)
				mentioned[n] = m
			}
			for _, v := range m.vars {
				if last = max(last, v); !seen[specs[v]] {
					seen[specs[v]] = true
					work = append(work, specs[v])
				}
			}
			for _, d := range m.funcs {
				if !seen[d] {
					seen[d] = true
					work = append(work, d)
				}
			}
		}
		//mutant: initial values mention no functions [test ./load TestBodiesOrder]: "last >= i" -> "last >= i && false"
		if last >= i { // variables of one declaration may depend on each other
			for n := range seen { // in any order, because this computes a set
				if d, ok := n.(*ast.FuncDecl); ok {
					found[d] = true
				}
			}
		}
	}
	return found
}

// byName has the declarations of a package by name: variables with initial values, by their places in the
// source, and functions with bodies.
type byName struct {
	vars           map[string]int
	funcs, methods map[string][]*ast.FuncDecl
}

// namesIn are the names that a declaration mentions.
type namesIn struct {
	vars  []int
	funcs []*ast.FuncDecl
}

// in returns the names that the initial values of a variable, or the body of a function, mention.
func (x *byName) in(n ast.Node) *namesIn {
	m := new(namesIn)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // n.Sel is a field, a method, or another package's
			m.funcs = append(m.funcs, x.methods[n.Sel.Name]...)
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			if v, ok := x.vars[n.Name]; ok {
				m.vars = append(m.vars, v)
			}
			m.funcs = append(m.funcs, x.funcs[n.Name]...)
		}
		return true
	}
	switch n := n.(type) {
	case *ast.ValueSpec:
		if n.Type != nil {
			ast.Inspect(n.Type, visit)
		}
		for _, v := range n.Values {
			ast.Inspect(v, visit)
		}
	case *ast.FuncDecl:
		ast.Inspect(n.Body, visit)
	}
	return m
}

// checkBody returns the declaration of b, with information about it.
func (l *loader) checkBody(p *Package, b *lateBody) (*ast.FuncDecl, *types.Info) {
	checking.Lock()
	defer checking.Unlock()
	if b.info != nil {
		return b.decl, b.info
	}
	if b.parse != nil {
		var err error
		if b.decl, err = b.parse(); err != nil {
			panic(fmt.Sprintf("BUG: %s: %v", p.Path, err))
		}
	}
	alone := *b.decl
	alone.Name = &ast.Ident{NamePos: b.decl.Name.NamePos, Name: "_"}
	file := *b.file
	file.Decls = nil
	for _, d := range b.file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			file.Decls = append(file.Decls, d)
		}
	}
	file.Decls = append(file.Decls, &alone)
	info := newInfo()
	cfg := l.checkerConfig(p)
	cfg.Error = nil
	if err := types.NewChecker(cfg, l.fset, p.Types, info).Files([]*ast.File{&file}); err != nil {
		panic(fmt.Sprintf("BUG: the body of %s.%s: %v", p.Path, declName(b.decl), err))
	}
	orderMapLits(b.decl.Body, info)
	for id, local := range info.Uses {
		if other := p.linked[local]; other != nil {
			info.Uses[id] = other
		}
	}
	b.info = info
	return b.decl, info
}

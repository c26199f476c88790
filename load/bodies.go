package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sync"
)

// Of the library's functions that may be called hardly any is executed: 51 of 1,524 by a test of ten lines,
// 273 of 6,334 by one that imports net/http. So the bodies of the library's functions are not checked with
// the package. A body that something needs is checked by itself, in a file with nothing but the imports
// and this one declaration, which is called _.
//
// Claims, on which it rests that a program is the same as with all bodies checked:
//
//  1. What the rest of a package means does not depend on the body of a function, but for the order of
//     initialisation. Functions on which that may depend keep their bodies (mentionedByVariables).
//  2. What is collected of a package when it is checked keeps its bodies: selects, for Nonblocking, and
//     local types, which are numbered. Generic functions do as well, as package ssa substitutes the type
//     parameters that their signatures have, and init functions, which are executed in any case.
//  3. The parameters of a declaration that is checked twice are other objects, of the same types.
//     Package ssa takes them from the syntax, with the information that belongs to the body.

// lateBody is a body that has not been checked with its package.
type lateBody struct {
	file *ast.File
	decl *ast.FuncDecl // with the body; guarded by checking if there is a parse, and nil until then
	// parse, if not nil, parses decl.
	parse func() (*ast.FuncDecl, error)
	info  *types.Info // guarded by checking; nil until checked
}

// checking is held by what checks packages, for reading, and by what checks a body: that is part of
// the types of its package then, and programs may share these.
var checking sync.RWMutex

// setBodiesAside takes the bodies out of p, which is not checked yet, that can be checked by themselves.
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

// checksAlone reports whether nothing but the function itself depends on the body of d.
func checksAlone(d *ast.FuncDecl) bool {
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_") || d.Type.TypeParams != nil {
		return false
	}
	if d.Recv != nil {
		t := d.Recv.List[0].Type
		if ptr, ok := ast.Unparen(t).(*ast.StarExpr); ok {
			t = ptr.X
		}
		if _, ok := ast.Unparen(t).(*ast.Ident); !ok { // it is generic
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
// The next variable to be initialised is the first one in the source that mentions none that is not, be it
// through functions. So where all that a variable leads to is declared before it, the order is the same as
// if it mentioned nothing: what it leads to is initialised earlier in any case. What it leads to is found
// by name, which is more than enough.
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
		last := -1 // of the variables that it leads to
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
			for n := range seen { // in any order: this is about a set
				if d, ok := n.(*ast.FuncDecl); ok {
					found[d] = true
				}
			}
		}
	}
	return found
}

// byName are the declarations of a package by name: variables with initial values, by their places in the
// source, and functions with bodies.
type byName struct {
	vars           map[string]int
	funcs, methods map[string][]*ast.FuncDecl
}

// namesIn are what a declaration mentions.
type namesIn struct {
	vars  []int
	funcs []*ast.FuncDecl
}

// in returns what the initial values of a variable, or the body of a function, mention.
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

package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// The machine does not run C, but most of a package that uses it is Go. Where there is no
// alternative for CGO_ENABLED=0, files that import "C" are loaded in a reduced form. Functions that
// use C have no body and are refused when they are reached, like those in assembly. C's types
// become types of the package, with the names that cgo gives them.

// A CUse is the first place in a function where it uses C.
type CUse struct {
	Name string // "C.puts"
	Pos  token.Pos
	What string // what uses C, if the function only stands for it: "call of main.init"
}

// cgoFile has the reduced form of a file that imports "C", and the names that were lost.
type cgoFile struct {
	declare []string          // C types to be declared in the file; the first such file of a package has all of them
	types   map[string]bool   // C types that the file mentions
	uses    map[ast.Node]CUse // functions without a body because of C
}

// cTypes are the C types whose representation is known for linux/amd64, with their Go types in cgo: a
// defined type, or with = an alias of another one.
var cTypes = map[string]string{
	"char": "int8", "schar": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16",
	"int": "int32", "uint": "uint32", "long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64",
	"float": "float32", "double": "float64", "_Bool": "bool", "bool": "=_Bool",
	"int8_t": "=schar", "uint8_t": "=uchar", "int16_t": "=short", "uint16_t": "=ushort",
	"int32_t": "=int", "uint32_t": "=uint", "int64_t": "=long", "uint64_t": "=ulong",
	"size_t": "=ulong", "ssize_t": "=long", "uintptr_t": "=ulong", "intptr_t": "=long",
}

// addCgo adds files that import "C" to the user's packages that have no alternative. It takes files in Go in
// place of those with assembly (takePure), and lists the packages that only these files import.
func (l *loader) addCgo() error {
	known := make(map[string]bool)
	for next := 0; next < len(l.listed); {
		batch := l.listed[next:]
		next = len(l.listed)
		for _, lp := range batch {
			known[lp.ImportPath] = true
		}
		var missing []string
		for _, lp := range batch {
			for _, path := range append(l.addCgoFiles(lp), l.takePure(lp)...) {
				id := path
				if variant := path + " [" + lp.ForTest + ".test]"; known[variant] {
					id = variant
					if lp.ImportMap == nil {
						lp.ImportMap = make(map[string]string)
					}
					lp.ImportMap[path] = id
				}
				lp.Imports = append(lp.Imports, id)
				if !known[id] && !l.std.exists(path) {
					missing = append(missing, path)
				}
			}
		}
		if len(missing) == 0 {
			continue
		}
		slices.Sort(missing)
		more, _, err := l.query(l.listArgs("-json="+listFields, false, slices.Compact(missing)))
		if err != nil {
			return err
		}
		for _, lp := range more {
			if !known[lp.ImportPath] {
				lp.DepOnly = true
				l.listed = append(l.listed, lp)
			}
		}
	}
	return nil
}

// addCgoFiles adds to lp's files those that are ignored only because they import "C", and returns their other
// imports. It adds no files if one of lp's files is built only without cgo, because then the author has an
// alternative.
func (l *loader) addCgoFiles(lp *listPackage) (imports []string) {
	if lp.Standard {
		return nil
	}
	ctxt := l.std.ctxt
	files := make(map[string]*cgoFile)
	var names []string
	types := make(map[string]bool)
	for _, name := range lp.IgnoredGoFiles {
		path := filepath.Join(lp.Dir, name)
		if match, err := ctxt.MatchFile(lp.Dir, name); err != nil || !match || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if _, ok := l.importsC(path); !ok {
			continue
		}
		// This syntax tree serves only to find imports and types; its positions are meaningless.
		// Errors are found again when the file is parsed.
		fset := token.NewFileSet()
		tree, _ := parser.ParseFile(fset, l.choices.source(path), nil, parser.SkipObjectResolution)
		if tree == nil || lp.Name != "" && tree.Name.Name != lp.Name { // an external test has the same directory
			continue
		}
		lp.Name = tree.Name.Name
		for _, spec := range tree.Imports {
			if path := importPath(spec); path != "C" {
				imports = append(imports, path)
			}
		}
		f := new(cgoFile)
		f.reduce(fset, tree)
		maps.Copy(types, f.types)
		names, files[name] = append(names, name), new(cgoFile)
	}
	if len(names) == 0 {
		return nil
	}
	ctxt.CgoEnabled = true
	for _, name := range lp.GoFiles {
		if match, err := ctxt.MatchFile(lp.Dir, name); err == nil && !match {
			return nil
		}
	}
	files[names[0]].declare = slices.Sorted(maps.Keys(types))
	lp.cgo = files
	lp.GoFiles = append(lp.GoFiles, names...)
	lp.IgnoredGoFiles = slices.DeleteFunc(lp.IgnoredGoFiles, func(name string) bool { return files[name] != nil })
	if lp.Error != nil && strings.Contains(lp.Error.Err, "build constraints exclude all Go files") {
		lp.Error = nil
	}
	return imports
}

// reduce takes C out of tree. The error is a scanner.ErrorList of declarations that need C: constants, and
// variables with a type of C.
func (c *cgoFile) reduce(fset *token.FileSet, tree *ast.File) error {
	c.types, c.uses = make(map[string]bool), make(map[ast.Node]CUse)
	var errs scanner.ErrorList
	refuse := func(use CUse, text string) {
		errs.Add(fset.Position(use.Pos), fmt.Sprintf("%s: %s without C, which the machine does not run", use.Name, text))
	}
	pos := tree.Name.Pos() // of import "C"
	var added []ast.Decl
	// stub declares a function without a body in the place of code that uses C.
	stub := func(typ *ast.FuncType, use CUse, what, name string) *ast.Ident {
		use.What = what + " " + tree.Name.Name + "." + name
		p := fset.PositionFor(use.Pos, false)
		id := &ast.Ident{NamePos: use.Pos, Name: fmt.Sprintf("_cgo_%s_%d_%d", identifier(filepath.Base(p.Filename)), p.Line, p.Column)}
		d := &ast.FuncDecl{Name: &ast.Ident{NamePos: use.Pos, Name: id.Name}, Type: typ}
		c.uses[d] = use
		added = append(added, d)
		return id
	}
	call := func(use CUse, what, name string, results ...*ast.Field) *ast.CallExpr {
		typ := &ast.FuncType{Func: use.Pos, Params: &ast.FieldList{Opening: use.Pos, Closing: use.Pos}, Results: &ast.FieldList{List: results}}
		return &ast.CallExpr{Fun: stub(typ, use, what, name), Lparen: use.Pos, Rparen: use.Pos}
	}

	isC := func(s *ast.ImportSpec) bool { return importPath(s) == "C" }
	tree.Imports = slices.DeleteFunc(tree.Imports, isC)
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			use, ok := usesC(d.Body)
			switch {
			case !ok:
			case d.Recv == nil && (d.Name.Name == "init" || d.Type.TypeParams.NumFields() > 0): // must have a body
				loop := &ast.ForStmt{For: use.Pos, Body: &ast.BlockStmt{Lbrace: use.Pos, Rbrace: use.Pos}}
				loop.Body.List = []ast.Stmt{&ast.ExprStmt{X: call(use, "call of", d.Name.Name)}}
				d.Body.List = []ast.Stmt{loop}
			default:
				d.Body = nil
				c.uses[d] = use
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
					if isC(s.(*ast.ImportSpec)) {
						pos = s.Pos()
						return true
					}
					return false
				})
				continue
			}
			for _, s := range d.Specs {
				s, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				// A function literal at package level captures nothing.
				astutil.Apply(s, func(cur *astutil.Cursor) bool {
					lit, ok := cur.Node().(*ast.FuncLit)
					if !ok {
						return true
					}
					if use, ok := usesC(lit.Body); ok {
						cur.Replace(stub(lit.Type, use, "call of a function literal of", s.Names[0].Name))
					}
					return false
				}, nil)
				for i, v := range s.Values {
					use, ok := usesC(v)
					switch {
					case !ok:
					case d.Tok == token.CONST:
						refuse(use, fmt.Sprintf("the value of constant %s is not known", s.Names[i].Name))
					case s.Type == nil:
						refuse(use, fmt.Sprintf("the type of variable %s is not known", s.Names[i].Name))
					default:
						results := []*ast.Field{{Type: s.Type}}
						if len(s.Values) == 1 {
							results = slices.Repeat(results, len(s.Names))
						}
						s.Values[i] = call(use, "initialisation of", s.Names[i].Name, results...)
					}
				}
			}
		}
	}
	tree.Decls = slices.DeleteFunc(tree.Decls, func(d ast.Decl) bool {
		gen, ok := d.(*ast.GenDecl)
		return ok && gen.Tok == token.IMPORT && len(gen.Specs) == 0
	})
	tree.Decls = append(tree.Decls, added...)

	// The remaining ones are types.
	astutil.Apply(tree, func(cur *astutil.Cursor) bool {
		switch n := cur.Node().(type) {
		case *ast.ArrayType:
			if use, ok := usesC(n.Len); ok {
				refuse(use, "the length of an array is not known")
			}
		case *ast.SelectorExpr:
			if name, ok := cName(n); ok {
				c.types[name] = true
				if other, ok := strings.CutPrefix(cTypes[name], "="); ok {
					c.types[other] = true
				}
				cur.Replace(&ast.Ident{NamePos: n.Pos(), Name: "_Ctype_" + name})
			}
		}
		return true
	}, nil)
	for _, name := range c.declare {
		tree.Decls = append(tree.Decls, declareC(name, pos))
	}
	return errs.Err()
}

// declareC declares the Go type for a C type as cgo does. Types that are not in cTypes are unknown to the
// machine: they have a field, so that no two variables share an address.
func declareC(name string, pos token.Pos) ast.Decl {
	id := func(name string) *ast.Ident { return &ast.Ident{NamePos: pos, Name: name} }
	spec := &ast.TypeSpec{Name: id("_Ctype_" + name)}
	if typ, ok := cTypes[name]; !ok {
		field := &ast.Field{Names: []*ast.Ident{id("_")}, Type: id("byte")}
		spec.Type = &ast.StructType{Struct: pos, Fields: &ast.FieldList{Opening: pos, List: []*ast.Field{field}, Closing: pos}}
	} else if other, ok := strings.CutPrefix(typ, "="); ok {
		spec.Assign, spec.Type = pos, id("_Ctype_"+other)
	} else {
		spec.Type = id(typ)
	}
	return &ast.GenDecl{TokPos: pos, Tok: token.TYPE, Specs: []ast.Spec{spec}}
}

// cName returns name if e is C.name.
func cName(e *ast.SelectorExpr) (name string, ok bool) {
	x, ok := e.X.(*ast.Ident)
	return e.Sel.Name, ok && x.Name == "C"
}

// usesC finds the first C.name in n that is not in cTypes. A variable named C
// is taken for the package, which refuses more than necessary.
func usesC(n ast.Node) (use CUse, found bool) {
	if body, ok := n.(*ast.BlockStmt); n == nil || ok && body == nil {
		return use, false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && !found {
			if name, ok := cName(sel); ok && cTypes[name] == "" {
				use, found = CUse{Name: "C." + name, Pos: sel.Pos()}, true
			}
		}
		return !found
	})
	return use, found
}

// identifier makes a part of an identifier from a file name.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return '_'
		}
		return r
	}, name)
}

// UsesC returns the names of C that fn uses, if it has no body because of these.
func (prog *Program) UsesC(fn *ssa.Function) (use CUse, ok bool) {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if p := prog.PackageOf(fn); p != nil {
		for _, f := range p.files {
			if f.cgo != nil && !ok {
				use, ok = f.cgo.uses[fn.Syntax()]
			}
		}
	}
	return use, ok
}

package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// parseOutlines parses the declarations that the program needs from packages with outlines.
func (l *loader) parseOutlines() error {
	type job struct {
		p    *Package
		i    int
		tree *ast.File
		late map[token.Pos]*lateBody
		bare map[token.Pos]bool
		err  error
	}
	var jobs []*job
	for _, p := range l.all {
		if p.outline != nil && p.Files == nil {
			p.late, p.bare, p.pruned = make(map[token.Pos]*lateBody), make(map[token.Pos]bool), true
			for i := range p.files {
				jobs = append(jobs, &job{p: p, i: i, late: make(map[token.Pos]*lateBody), bare: make(map[token.Pos]bool)})
			}
		}
	}
	parallel(len(jobs), func(i int) {
		j := jobs[i]
		f := j.p.files[j.i]
		x := &outlineParser{l: l, of: j.p.outline, file: &j.p.outline.files[j.i], name: f.name, start: f.start, late: j.late, bare: j.bare}
		if x.src, j.err = l.readFile(f.name); j.err == nil && len(x.src) != f.size {
			j.err = fmt.Errorf("%s has changed while it was loaded", f.name)
		}
		if j.err == nil {
			for _, e := range x.file.edits {
				e.apply(x.src)
			}
			f.src = x.src
			j.tree, j.err = x.parse()
		}
	})
	for _, j := range jobs {
		if j.err != nil {
			return j.err
		}
		j.p.Files = append(j.p.Files, j.tree)
		for pos, b := range j.late {
			j.p.late[pos] = b
		}
		for pos := range j.bare {
			j.p.bare[pos] = true
		}
	}
	for _, p := range l.all {
		if p.outline != nil {
			p.cutTables()
			p.outline.made = nil
		}
	}
	return nil
}

// addFile adds f, whose outline is x, to the file set.
func (l *loader) addFile(f *file, x *outlineFile) {
	fset := token.NewFileSet()
	if f.start > 1 {
		fset.AddFile("", 1, f.start-2)
	}
	f.pos = fset.AddFile(f.name, f.start, f.size)
	f.pos.SetLines(x.lines)
	l.fset.AddExistingFiles(f.pos)
}

// outlineParser parses a file that has an outline.
type outlineParser struct {
	l     *loader
	of    *outline
	file  *outlineFile
	name  string
	start int // the first position
	src   []byte
	late  map[token.Pos]*lateBody
	bare  map[token.Pos]bool
}

// parse returns the file with the declarations that the program needs.
func (x *outlineParser) parse() (*ast.File, error) {
	f := &ast.File{Package: token.Pos(x.start + x.file.clause), FileStart: token.Pos(x.start), FileEnd: token.Pos(x.start + x.file.size),
		Name: &ast.Ident{NamePos: token.Pos(x.start + x.file.ident), Name: x.of.name}, GoVersion: x.file.version}
	for i := range x.file.pieces {
		c := &x.file.pieces[i]
		live := true
		if c.decl >= 0 {
			d := x.of.made[c.decl]
			if live = x.l.live[d]; !x.l.declared[d] {
				continue
			}
		}
		end := c.end
		if token.Token(c.kind) == token.FUNC && (!live || c.late) {
			end = c.header
		}
		d, err := x.piece(c, end)
		if err != nil {
			return nil, err
		}
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ImportSpec); ok {
					f.Imports = append(f.Imports, s)
				}
			}
		case *ast.FuncDecl:
			switch {
			case c.body == 0:
			case !live:
				x.bare[d.Name.Pos()] = true
				if d.Type.TypeParams != nil { // must have a body
					d.Body = endless(token.Pos(x.start + c.body))
				}
			case c.late:
				x.late[d.Name.Pos()] = &lateBody{file: f, parse: func() (*ast.FuncDecl, error) {
					d, err := x.piece(c, c.end)
					if err != nil {
						return nil, err
					}
					return d.(*ast.FuncDecl), nil
				}}
			}
		}
		f.Decls = append(f.Decls, d)
	}
	return f, nil
}

// piece parses c up to end, as the only declaration of a file. The file's base is chosen so that the
// declaration gets the positions that it has in the whole file.
func (x *outlineParser) piece(c *piece, end int) (ast.Decl, error) {
	text := "package p;"
	switch kind := token.Token(c.kind); kind {
	case token.IMPORT, token.VAR, token.TYPE:
		text += kind.String() + " "
	}
	base := x.start + c.off - len(text)
	if base < 1 || end > len(x.src) {
		return nil, fmt.Errorf("BUG: %s: a declaration at %d", x.name, c.off)
	}
	src := append([]byte(text), x.src[c.off:end]...)
	for _, at := range c.blank {
		for k := at - c.off + len(text); k < len(src) && isNameByte(src[k]); k++ {
			src[k] = ' '
		}
		src[at-c.off+len(text)] = '_'
	}
	fset := token.NewFileSet()
	if base > 1 {
		fset.AddFile("", 1, base-2)
	}
	tree, err := parser.ParseFile(fset, x.name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return tree.Decls[0], nil
}

func isNameByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// endless returns a body at a position, for a function that needs a body but is not called.
func endless(at token.Pos) *ast.BlockStmt {
	loop := &ast.ForStmt{For: at, Body: &ast.BlockStmt{Lbrace: at, Rbrace: at}}
	return &ast.BlockStmt{Lbrace: at, Rbrace: at, List: []ast.Stmt{loop}}
}

package load

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"slices"
	"strings"
	"sync"
)

// A patch is the content of a PATCH file: the parts of a std package's real files
// that are removed. The nil patch takes nothing. Package overlay
// documents the format.
type patch struct {
	pkgpath string
	lines   []patchLine

	mu   sync.Mutex
	used []bool // guarded by mu; parallel to lines
}

type patchLine struct {
	number   int
	verb     string // "drop", "native" or "swap"
	target   string // "f.go", "F", "(*T).M" or "(T).M"; for a swap a file
	old, new string // for a swap: texts of equal length, so that positions stay the same
}

// An edit replaces the text of a file at an offset by another one of equal length.
type edit struct {
	off  int
	text string
}

func (e *edit) apply(src []byte) { copy(src[e.off:], e.text) }

// parsePatch reads the lines of a PATCH file that hold for a release of Go with these build tags, of releases
// and of experiments.
func parsePatch(pkgpath, text string, tags []string) (*patch, error) {
	p := &patch{pkgpath: pkgpath}
	for i, line := range strings.Split(text, "\n") {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Fields(line)
		var l patchLine
		if fields[0] == "swap" {
			var ok bool
			if l, fields, ok = parseSwap(line); !ok {
				return nil, fmt.Errorf("%s/%s/PATCH:%d: want swap file.go: text => text of equal length", overlayDir, pkgpath, i+1)
			}
		} else if len(fields) > 1 && (fields[0] == "drop" || fields[0] == "native") {
			l = patchLine{verb: fields[0], target: fields[1]}
		}
		if l.verb == "" || len(fields) > 2 && fields[2] != "if" {
			return nil, fmt.Errorf("%s/%s/PATCH:%d: want drop or native, one name, and perhaps if and a build constraint", overlayDir, pkgpath, i+1)
		}
		if len(fields) > 2 {
			expr, err := constraint.Parse("//go:build " + strings.Join(fields[3:], " "))
			if err != nil {
				return nil, fmt.Errorf("%s/%s/PATCH:%d: %v", overlayDir, pkgpath, i+1, err)
			}
			//mutant: all lines of a PATCH hold in every release [test ./load TestPatchApply]: false
			if !expr.Eval(func(tag string) bool { return slices.Contains(tags, tag) }) {
				continue
			}
		}
		l.number = i + 1
		p.lines = append(p.lines, l)
	}
	p.used = make([]bool, len(p.lines))
	return p, nil
}

// parseSwap parses "swap file.go: old => new", where "if" and a constraint may precede the colon. fields are
// the words before it.
func parseSwap(line string) (l patchLine, fields []string, ok bool) {
	head, texts, _ := strings.Cut(strings.TrimSpace(line), ": ")
	if fields = strings.Fields(head); len(fields) < 2 {
		return l, nil, false
	}
	l = patchLine{verb: "swap", target: fields[1]}
	l.old, l.new, ok = strings.Cut(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(texts), " => ")
	return l, fields, ok && l.old != "" && len(l.old) == len(l.new)
}

// swap returns src, the file with that base name, after the swaps for it, and the edits that it made. A text
// that src does not have exactly once is not swapped, so that its line remains unused.
func (p *patch) swap(base string, src []byte) (swapped []byte, edits []edit) {
	if p == nil {
		return src, nil
	}
	for i, l := range p.lines {
		//mutant: a text that occurs twice is swapped [test ./load TestPatchSwap]: "!= 1" -> "< 1"
		if l.verb != "swap" || l.target != base || bytes.Count(src, []byte(l.old)) != 1 {
			continue
		}
		p.used[i] = true
		edits = append(edits, edit{bytes.Index(src, []byte(l.old)), l.new})
	}
	if len(edits) > 0 {
		src = slices.Clone(src)
	}
	for i := range edits {
		edits[i].apply(src)
	}
	return src, edits
}

// has reports whether there is such a line, and marks it as used.
func (p *patch) has(verb, target string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found := false
	for i, line := range p.lines {
		if line.verb == verb && line.target == target {
			p.used[i], found = true, true
		}
	}
	return found
}

// dropsFile reports whether the file with that base name is left out.
func (p *patch) dropsFile(name string) bool { return p.has("drop", name) }

// unused returns an error naming the first line that has not been used.
func (p *patch) unused() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.used, false); i >= 0 {
		line := p.lines[i]
		return fmt.Errorf("%s/%s/PATCH:%d: there is no %s to %s", overlayDir, p.pkgpath, line.number, line.target, line.verb)
	}
	return nil
}

// apply patches f and removes imports that only the removed declarations needed.
func (p *patch) apply(f *ast.File) {
	if p == nil {
		return
	}
	before := qualifiers(f)
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := declName(d)
			if p.has("drop", name) {
				return true
			}
			if p.has("native", name) {
				d.Body = nil
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				break
			}
			kept := slices.DeleteFunc(slices.Clone(d.Specs), p.dropsSpec)
			if d.Tok != token.CONST { // iota counts even blank constants
				d.Specs = kept
			}
			return len(kept) == 0
		}
		return false
	})
	after := qualifiers(f)
	gone := func(s ast.Spec) bool {
		name := importName(s.(*ast.ImportSpec))
		return before[name] && !after[name]
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			d.Specs = slices.DeleteFunc(d.Specs, gone)
		}
	}
	f.Imports = slices.DeleteFunc(f.Imports, func(s *ast.ImportSpec) bool { return gone(s) })
}

// dropsSpec reports whether nothing is left of a declaration of a type, of
// variables or of constants. If a declaration has several names, the dropped ones become blank.
func (p *patch) dropsSpec(s ast.Spec) bool {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return p.has("drop", s.Name.Name)
	case *ast.ValueSpec:
		left := len(s.Names)
		for i, id := range s.Names {
			if p.has("drop", id.Name) {
				s.Names[i] = &ast.Ident{NamePos: id.NamePos, Name: "_"}
				left--
			}
		}
		return left == 0
	}
	return false
}

// declName returns the name of a function as PATCH files spell it.
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, ""
	if ptr, ok := t.(*ast.StarExpr); ok {
		t, star = ptr.X, "*"
	}
	switch x := t.(type) { // receiver type parameters are not part of the name
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return "(" + star + id.Name + ")." + d.Name.Name
	}
	return d.Name.Name
}

// qualifiers returns the names before the dot in selector expressions: all
// uses of imports are among them.
func qualifiers(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// importName returns the name an import of a std package declares.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	elems := strings.Split(importPath(spec), "/")
	last := elems[len(elems)-1]
	if len(elems) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = elems[len(elems)-2] // math/rand/v2
	}
	return last
}

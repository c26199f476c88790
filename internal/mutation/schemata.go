package mutation

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schemata are files that replace those of the module in a build, so that one build has all
// mutants: a function with a mark has the bodies of its mutants besides its own,
//
//	if hbactive.On == 17 { mutated } else { original }
//
// and the value of a package variable is hbactive.Value(17, mutated, original), where hbactive is a
// package that exists in the build only. A mutant that adds a tag to a field has its number in the tag's
// key, and code that reads tags calls hbactive. Models of the standard library are files that the program
// reads: package load/overlay also has the mutated ones.
type Schemata struct {
	File    string // for go's flag -overlay
	numbers map[string]int
	list    []Mutant
}

// NewSchemata writes the files for mutants of the module in directory root into directory dir.
func NewSchemata(root, dir string, list []Mutant) (*Schemata, error) {
	s := &Schemata{File: filepath.Join(dir, "overlay.json"), numbers: make(map[string]int), list: list}
	files := make(map[string][]int)
	for i := range list {
		files[list[i].File] = append(files[list[i].File], i)
		s.numbers[list[i].String()] = i + 1
	}
	w := &writer{list: list, replaced: make(map[string]string)}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		errs = append(errs, w.file(name, string(src), files[name]))
	}
	for name, r := range readers {
		text, ok := w.replaced[name]
		if !ok {
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			text = string(src)
		}
		if !strings.Contains(text, r.old) {
			errs = append(errs, fmt.Errorf("%s does not have %q any more", name, r.old))
		}
		w.replaced[name] = strings.ReplaceAll(text, r.old, r.by)
	}
	for name, text := range w.replaced {
		w.replaced[name] = withImport(text)
	}
	w.replaced[active+"/active.go"] = activeSource + w.models.String() + "}\n"
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	replace := make(map[string]string)
	for i, name := range slices.Sorted(maps.Keys(w.replaced)) {
		to := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(to, []byte(w.replaced[name]), 0o666); err != nil {
			return nil, err
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return s, os.WriteFile(s.File, b, 0o666)
}

// Number returns the value of HBCHECK_MUTANT that is the mutant.
func (s *Schemata) Number(x *Mutant) int { return s.numbers[x.String()] }

var numbered = regexp.MustCompile(`mutant(\d+):`)

// named returns errors of the compiler with the names of mutants instead of their numbers.
func (s *Schemata) named(text string) string {
	return numbered.ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(numbered.FindStringSubmatch(m)[1])
		if err != nil || n < 1 || n > len(s.list) {
			return m
		}
		return s.list[n-1].String() + ": the mutant's line "
	})
}

// active is the directory of the package with the selected mutant's number.
const active = "internal/mutation/active"

const activeSource = `// Package hbactive says which mutant the program is.
package hbactive

import (
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"testing/fstest"
)

// On is the mutant's number; 0: none.
var On, _ = strconv.Atoi(os.Getenv("HBCHECK_MUTANT"))

// Value returns the value of a variable that mutant n changes.
func Value[T any](n int, mutated, original T) T {
	if On == n {
		return mutated
	}
	return original
}

// Tag returns the value for key in the tag of a field.
func Tag(tag reflect.StructTag, key string) string {
	if s := tag.Get(key + strconv.Itoa(On)); s != "" {
		return s
	}
	return tag.Get(key)
}

// FS returns fsys with the mutant's file.
func FS(fsys fs.FS) fs.FS {
	if m, ok := models[On]; ok {
		return model{fsys, m[0], m[1]}
	}
	return fsys
}

type model struct {
	fs.FS
	name, text string
}

func (m model) Open(name string) (fs.File, error) {
	if name == m.name {
		return fstest.MapFS{name: {Data: []byte(m.text)}}.Open(name)
	}
	return m.FS.Open(name)
}

var models = map[int][2]string{
`

// readers are the places where the program reads values that mutants change at run time.
var readers = map[string]struct{ old, by string }{
	"internal/saved/saved.go": {"f.Tag.Get(tag)", "hbactive.Tag(f.Tag, tag)"},
	"load/overlay/overlay.go": {"return sub\n", "return hbactive.FS(sub)\n"},
}

// modelFiles is the directory of the files that package load/overlay reads.
const modelFiles = "load/overlay/_src/"

// writer makes the files.
type writer struct {
	list     []Mutant
	replaced map[string]string // text by path
	models   strings.Builder   // entries of activeSource's models
}

// file makes the file with mutants of one, whose numbers are those of list from 1.
func (w *writer) file(name, src string, mutants []int) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	g := &guards{name: name, src: src, fset: fset, f: f, at: make(map[int][2]string)}
	var errs []error
	for _, i := range mutants {
		x := &w.list[i]
		e, err := x.edit(fset, f, src)
		switch {
		case err != nil:
			errs = append(errs, err)
		case strings.HasPrefix(name, modelFiles):
			fmt.Fprintf(&w.models, "\t%d: {%q, %q},\n", i+1, strings.TrimPrefix(name, modelFiles), e.in(src))
		case !g.add(i+1, e):
			errs = append(errs, fmt.Errorf("%s: want a change in a function, the value of a package variable, "+
				"or the tag of a field, as all mutants are in one build", x))
		}
	}
	if len(g.at) > 0 {
		w.replaced[name] = g.text()
	}
	return errors.Join(errs...)
}

// withImport returns a file of Go that imports hbactive, if it uses it.
func withImport(src string) string {
	if !strings.Contains(src, "hbactive.") {
		return src
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly)
	if err != nil {
		panic("BUG: " + err.Error()) // it has been parsed before
	}
	at := int(f.Name.End() - f.FileStart)
	return src[:at] + "; import hbactive \"hbcheck.dev/hbcheck/" + active + "\"" + src[at:]
}

// guards are insertions into a file: its text stays.
type guards struct {
	name, src string
	fset      *token.FileSet
	f         *ast.File
	at        map[int][2]string // by offset: the texts that end and begin there
}

// insert puts text around the text between two offsets. Earlier insertions remain outside.
func (g *guards) insert(from, to int, before, after string) {
	b, e := g.at[from], g.at[to]
	b[1] += before
	g.at[from] = b
	if from == to {
		return
	}
	e[0] = after + e[0]
	g.at[to] = e
}

// text returns the file.
func (g *guards) text() string {
	var b strings.Builder
	last := 0
	for _, at := range slices.Sorted(maps.Keys(g.at)) {
		b.WriteString(g.src[last:at] + g.at[at][0] + g.at[at][1])
		last = at
	}
	return b.String() + g.src[last:]
}

// add adds mutant n, and reports whether it can be one of several in a build.
func (g *guards) add(n int, e edit) bool {
	for _, d := range g.f.Decls {
		if !g.has(d, e) {
			continue
		}
		body, value, field := g.place(d, e)
		switch {
		case body != nil:
			from, to := g.offset(body.Lbrace)+1, g.offset(body.Rbrace)
			text := relabel(g.name, e.in(g.src), from, to+len(e.by)-(e.to-e.from), fmt.Sprintf("_%d", n))
			p := g.fset.Position(body.Lbrace + 1)
			g.insert(from, to, fmt.Sprintf(" if hbactive.On == %d {/*line mutant%[1]d:1:1*/%s\n} else {/*line %s:%d:%d*/",
				n, text, path.Base(g.name), p.Line, p.Column), "}")
			return true
		case value != nil:
			from, to := g.offset(value.Pos()), g.offset(value.End())
			g.insert(from, to, fmt.Sprintf("hbactive.Value(%d, %s, ", n, e.in(g.src)[from:to+len(e.by)-(e.to-e.from)]), ")")
			return true
		case field != nil:
			// The tag comes last, and has one key.
			_, tag, ok := strings.Cut(e.by, "`")
			key, rest, ok2 := strings.Cut(tag, ":")
			end := g.offset(field.End())
			tagged := g.src[:end] + " `" + tag + g.src[end:]
			if ok && ok2 && field.Tag == nil && spaces.ReplaceAllString(e.in(g.src), " ") == spaces.ReplaceAllString(tagged, " ") {
				g.insert(end, end, fmt.Sprintf(" `%s%d:%s", key, n, rest), "")
				return true
			}
		}
		return false
	}
	return false
}

func (g *guards) offset(p token.Pos) int { return int(p - g.f.FileStart) }

// has reports whether the edit lies within n.
func (g *guards) has(n ast.Node, e edit) bool {
	return g.offset(n.Pos()) <= e.from && e.to <= g.offset(n.End())
}

// place returns the part of d that the edit changes: the body of the outermost function, or else the value of
// a variable, or a field of a struct.
func (g *guards) place(d ast.Decl, e edit) (body *ast.BlockStmt, value ast.Expr, field *ast.Field) {
	inside := func(b *ast.BlockStmt) bool {
		return b != nil && g.offset(b.Lbrace) < e.from && e.to <= g.offset(b.Rbrace)
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil || body != nil || !g.has(n, e) {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if inside(n.Body) {
				body = n.Body
			}
		case *ast.FuncLit:
			if inside(n.Body) {
				body = n.Body
			}
		case *ast.GenDecl:
			return n.Tok == token.VAR || n.Tok == token.TYPE
		case *ast.ValueSpec:
			for _, v := range n.Values {
				if g.has(v, e) {
					value = v
				}
			}
		case *ast.Field:
			field = n
		}
		return true
	})
	return body, value, field
}

// relabel returns the text between two offsets of a file, with suffix added to all labels.
func relabel(name, src string, from, to int, suffix string) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		panic("BUG: " + err.Error()) // it has been parsed before
	}
	var ends []int
	label := func(id *ast.Ident) {
		if at := int(id.End() - f.FileStart); from < at && at <= to {
			ends = append(ends, at)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			label(n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				label(n.Label)
			}
		}
		return true
	})
	slices.Sort(ends)
	var b strings.Builder
	for _, at := range ends {
		b.WriteString(src[from:at] + suffix)
		from = at
	}
	return b.String() + src[from:to]
}

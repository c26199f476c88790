package native

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A program is a function of one of the areas, or a test.
type program struct {
	area, name string
	test       bool   // TestXxx
	hash       string // of its source, and of code that it shares with others of its area

	// From its comment.
	race, norace, straggler, interrupt bool
	bugs                               []string // codes
	incomplete                         []string // texts of reasons
}

func (p *program) String() string { return p.area + "." + p.name }

// areas returns the directories of programs.
func areas(t testing.TB) []string {
	dirs, err := filepath.Glob("testdata/programs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no programs: ", err)
	}
	for i := range dirs {
		dirs[i] = filepath.Base(dirs[i])
	}
	return dirs
}

// parse returns the programs of an area.
func parse(t testing.TB, area string) []*program {
	files, err := filepath.Glob(filepath.Join("testdata/programs", area, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []*program
	text := map[*program]string{}
	var shared strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			source := string(src[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
			if fn, ok := d.(*ast.FuncDecl); ok && isProgram(fn, strings.HasSuffix(file, "_test.go")) {
				p := &program{area: area, name: fn.Name.Name, test: strings.HasSuffix(file, "_test.go")}
				p.directives(t, fn.Doc)
				text[p] = source
				list = append(list, p)
			} else if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
				shared.WriteString(source)
			}
		}
	}
	for _, p := range list {
		p.hash = fmt.Sprintf("%x", sha256.Sum256([]byte(text[p]+"\n"+shared.String())))[:12]
	}
	slices.SortFunc(list, func(a, b *program) int { return strings.Compare(a.name, b.name) })
	return list
}

// isProgram reports whether a declaration is a program: an exported function without
// parameters, or in a file of tests a test.
func isProgram(fn *ast.FuncDecl, tests bool) bool {
	if fn.Recv != nil || fn.Type.TypeParams != nil || fn.Type.Results != nil || !fn.Name.IsExported() {
		return false
	}
	if tests {
		return strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" && len(fn.Type.Params.List) == 1
	}
	return len(fn.Type.Params.List) == 0
}

var codeRE = regexp.MustCompile(`^HB\d{3} .`)

// directives reads the lines of a comment that are for the suite.
func (p *program) directives(t testing.TB, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		line, ok := strings.CutPrefix(c.Text, "//native:")
		if !ok {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case verb == "race" && rest == "":
			p.race = true
		case verb == "straggler" && rest == "":
			p.straggler = true
		case verb == "interrupt" && rest == "":
			p.interrupt = true
		case verb == "norace" && rest != "":
			p.norace = true
		case verb == "bug" && codeRE.MatchString(rest):
			p.bugs = append(p.bugs, rest[:5])
		case verb == "incomplete" && rest != "":
			p.incomplete = append(p.incomplete, rest)
		default:
			t.Fatalf("%s: %s: no such directive, or not what it wants", p, c.Text)
		}
	}
}

// disagreements are the kinds of failures in TestOutcomes.
var disagreements = map[string]string{
	"lost":       "a native outcome is not among those explored, and the verdict is exhaustive",
	"red":        "a bug is reported that the program does not have",
	"missed":     "a bug that the program has natively is not reported, and the verdict is exhaustive",
	"incomplete": "the verdict is incomplete, not for what is assumed of the environment, and the program's comment does not say so",
	"broken":     "exploring it fails",
}

// known reads testdata/known.txt: for programs that disagree, how and why.
func known(t testing.TB) map[string]map[string]bool {
	f, err := os.Open("testdata/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		w := strings.Fields(line)
		if len(w) < 3 || disagreements[w[1]] == "" {
			t.Fatalf("known.txt: %s: want: area.Program kind reason", line)
		}
		if list[w[0]] == nil {
			list[w[0]] = map[string]bool{}
		}
		list[w[0]][w[1]] = true
	}
	return list
}

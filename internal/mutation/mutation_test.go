package mutation

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

var only = flag.String("mutant", "", "try the mutants whose place and name contain this")

// TestMutants: each mark names a text that is in its file. In the deep tier each mutant is built, and its
// tests have to fail; the other tiers try one that is killed quickly.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 500 {
		t.Errorf("only %d mutants", len(list))
	}
	seen := make(map[string]bool)
	var tried []Mutant
	for i := range list {
		x := &list[i]
		if key := x.File + x.Name; seen[key] {
			t.Errorf("%s: the name is there twice", x)
		} else {
			seen[key] = true
		}
		if _, err := x.killer(); err != nil {
			t.Error(err)
		}
		switch {
		case *only != "":
			if strings.Contains(x.String(), *only) {
				tried = append(tried, *x)
			}
		case deep.On() || few[x.Name]:
			tried = append(tried, *x)
		}
	}
	if _, err := NewSchemata(root, t.TempDir(), list); err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(root, t.TempDir(), tried)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tried {
		x := &tried[i]
		t.Run(x.File+"/"+x.Name, func(t *testing.T) {
			switch killer, wrong, _, err := r.Verdict(t.Context(), x); {
			case err != nil:
				t.Fatal(err)
			case wrong != "":
				t.Error(wrong)
			default:
				t.Log(killer)
			}
		})
	}
}

// few has the mutants that every tier tries. If a test fails for one, mutants are really built.
var few = map[string]bool{"signed sums do not wrap": true}

// TestMisplaced: a mark that was wrapped into the text of a comment is an error, and not lost.
func TestMisplaced(t *testing.T) {
	root := t.TempDir()
	for text, want := range map[string]string{
		"// f returns 1.\n//\n// mutant: two [p F]: \"1\" -> \"2\"\n": "",
		"// f returns 1. mutant: two [p\n// F]: \"1\" -> \"2\"\n":     "a.go:2: want //mutant: name [tests]",
	} {
		if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package p\n"+text+"func f() int { return 1 }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := Find(root)
		if want == "" && (err != nil || len(list) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v; want %q", text, list, err, want)
		}
	}
}

// TestChanges applies each kind of change to a file.
func TestChanges(t *testing.T) {
	const src = `package p

func f(a, b, c bool) int {
	//mutant: x [symbolic Terms]
	if a && (b || c) {
		return 1
	}
	g()
	h()
	return 2
}
`
	for change, want := range map[string]string{
		"":                "\tif len(\"\") > 0 { if a && (b || c) {\n\t\treturn 1\n\t} }\n",
		"remove 2":        "\tif len(\"\") > 0 { if a && (b || c) {\n\t\treturn 1\n\t}\n\tg() }\n",
		"true":            "if ((a && (b || c)) || true) {",
		"false":           "if ((a && (b || c)) && false) {",
		"not":             "if !(a && (b || c)) {",
		"drop 1":          "if ((a) || true) && (b || c) {",
		"drop 3":          "if a && (b || ((c) && false)) {",
		`"b || c" -> "c"`: "if a && (c) {",
		`"g()" -> "h()"`:  "",
		"drop 4":          "",
		"remove 9":        "",
		"sometimes":       "",
	} {
		x := Mutant{Name: "x", File: "p.go", Line: 4, Killer: "symbolic Terms", Change: change}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, x.File, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		e, err := x.edit(fset, f, src)
		got := e.in(src)
		if (err == nil) != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q: %v\n%s\nwant %s", change, err, got, want)
		}
	}
}

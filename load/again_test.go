package load_test

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/load"
)

func TestEdited(t *testing.T) {
	src := "package p\n\nconst n = 100 // many\nvar s = make([]int, 100*n)\n"
	at := func(line, column int, from, to string) load.Edit {
		return load.Edit{Pos: token.Position{Filename: "p.go", Line: line, Column: column}, From: from, To: to}
	}
	for _, tt := range []struct {
		edits []load.Edit
		want  string // lines 3 and 4; empty: an error
	}{
		{nil, "const n = 100 // many\nvar s = make([]int, 100*n)"},
		{[]load.Edit{at(3, 11, "100", "3")}, "const n = 3   // many\nvar s = make([]int, 100*n)"},
		{[]load.Edit{at(4, 21, "100", "2"), at(3, 11, "100", "10")}, "const n = 10  // many\nvar s = make([]int, 2  *n)"},
		{[]load.Edit{at(3, 11, "100", "1000")}, "const n = 1000 // many\nvar s = make([]int, 100*n)"},
		{[]load.Edit{at(3, 12, "100", "3")}, ""},
		{[]load.Edit{at(3, 40, "100", "3")}, ""},
		{[]load.Edit{at(9, 1, "100", "3")}, ""},
		{[]load.Edit{at(3, 0, "100", "3")}, ""},
	} {
		got, err := load.Edited(tt.edits, "p.go", []byte(src))
		if (err != nil) != (tt.want == "") || err == nil && strings.TrimPrefix(string(got), "package p\n\n") != tt.want+"\n" {
			t.Errorf("%v:\n%s%v", tt.edits, got, err)
		}
		if other, err := load.Edited(tt.edits, "q.go", []byte(src)); err != nil || string(other) != src {
			t.Errorf("another file is edited: %s%v", other, err)
		}
	}
}

// TestAgain: a program that is loaded again has the new numbers, also in its types; code that does not
// depend on the edited file is shared.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": "package a\n\nimport \"strings\"\n\nfunc F() string { return strings.Repeat(\"a\", 2) }\n",
		"m.go":   "package m\n\nimport \"m/a\"\n\nvar S = a.F()\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nconst N = 100\n\nvar A [N]int\n\n" +
			"func TestA(t *testing.T) {\n\tif len(A) != N {\n\t\tt.Error(S)\n\t}\n}\n",
		"x_test.go": "package m_test\n\nimport (\n\t\"m\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {\n\t_ = m.A\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: true, Again: true, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	edits := []load.Edit{{Pos: token.Position{Filename: filepath.Join(dir, "m_test.go"), Line: 5, Column: 11}, From: "100", To: "3"}}
	begin := time.Now()
	small, err := prog.Again(edits)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %v, again in %v", prog.Phases, time.Since(begin))
	find := func(prog *load.Program, id string) *load.Package {
		for _, p := range prog.All {
			if p.ID == id {
				return p
			}
		}
		t.Fatalf("no package %s", id)
		return nil
	}
	length := func(prog *load.Program) string {
		return find(prog, "m [m.test]").Types.Scope().Lookup("A").Type().String()
	}
	if got := length(small); got != "[3]int" {
		t.Errorf("A is %s", got)
	}
	if got := length(prog); got != "[100]int" {
		t.Errorf("the first program's A is %s", got)
	}
	for id, shared := range map[string]bool{"strings": true, "testing": true, "m/a": true, "m [m.test]": false, "m_test [m.test]": false} {
		if got := find(prog, id).Types == find(small, id).Types; got != shared {
			t.Errorf("%s is shared: %v", id, got)
		}
	}
	for i, e := range small.Entries {
		small.EnsureBuilt(e.Func)
		if e.Name != prog.Entries[i].Name || len(e.Func.Blocks) == 0 {
			t.Errorf("entry %d: %s with %d blocks", i, e.Name, len(e.Func.Blocks))
		}
	}
	// The same edits when loading for the first time.
	fresh, err := load.Load(load.Config{Dir: dir, Tests: true, Edits: edits, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := length(fresh); got != "[3]int" {
		t.Errorf("loaded with edits A is %s", got)
	}
	for _, wrong := range []token.Position{
		{Filename: filepath.Join(dir, "m_test.go"), Line: 5, Column: 12},
		{Filename: filepath.Join(dir, "gone_test.go"), Line: 5, Column: 11},
	} {
		if _, err := prog.Again([]load.Edit{{Pos: wrong, From: "100", To: "3"}}); err == nil {
			t.Errorf("an edit at %v is accepted", wrong)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int64{"100": 100, "1_000": 1000, "0x10": 16, "1e3": 1000, "2.0": 2, "0": 0,
		"2.5": -1, "x": -1, "": -1, "1; panic(1)": -1, "'a'": -1, "9e99": -1} {
		n, ok := load.Number(text)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%s is %d, want %d", text, n, want)
		}
	}
}

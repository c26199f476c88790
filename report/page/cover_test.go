package page

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
)

// TestCover: each part of a line is shown as executed or not, with advice in words.
func TestCover(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	if err := os.WriteFile(name, []byte("package a\n\nfunc f(b bool) {\n\tif b { g() }\n\th(\"<x>\")\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := func(line, column int) token.Position {
		return token.Position{Filename: name, Line: line, Column: column}
	}
	c := &explore.Coverage{
		Blocks: []load.Block{
			{File: name, Package: "ex/a", Start: at(3, 16), End: at(4, 7), Stmts: 1},
			{File: name, Package: "ex/a", Start: at(4, 7), End: at(4, 14), Stmts: 1},
			{File: name, Package: "ex/a", Start: at(4, 2), End: at(4, 7), Kind: load.Else, Then: 1},
			{File: name, Package: "ex/a", Start: at(5, 2), End: at(5, 10), Stmts: 1},
		},
		Reached: []bool{true, false, true, true}, Init: make([]bool, 4),
		Orders: map[describe.Order]uint64{{First: describe.Place{Pos: at(4, 0), Kind: trace.Lock, What: "a<b>"},
			Second: describe.Place{Pos: at(5, 0), Kind: trace.Lock, What: "a<b>"}}: 3},
	}
	out := filepath.Join(dir, "coverage.html")
	w := &Cover{Name: out, Paths: report.Paths{Base: dir}}
	if err := w.Result(&explore.Result{Coverage: c}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"66.7%", `<span class="no">{ g() }</span>`, `<span class="yes">h(&#34;&lt;x&gt;&#34;)</span>`, "partly reached", "a.go",
		"lock a.go:4 before lock a.go:5 (a&lt;b&gt;), never the other way round"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(string(page), "always true") {
		t.Error("the condition does not always hold")
	}
}

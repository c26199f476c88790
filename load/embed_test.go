package load

import (
	"fmt"
	"strings"
	"testing"
)

func TestEmbeds(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main
import "embed"

//go:embed a.txt
var a string

// b has several patterns.
//go:embed dir "with space.txt"
//go:embed all:hidden
var b embed.FS

var (
	//go:embed *.txt
	c embed.FS

	d int
)

func main() {}
-- a.txt --
-- with space.txt --
-- dir/x --
-- dir/sub/y --
-- dir/.z --
-- hidden/_h --
`)
	tree := overlayOf("-- embed/e.go --\npackage embed\ntype FS struct{}\n")
	p := mustLoad(t, Config{Dir: dir, Overlay: tree}).Packages[0]
	var got []string
	for _, e := range p.Embeds {
		s := fmt.Sprintf("%s:", e.Var.Name())
		for _, f := range e.Files {
			s += " " + f.Name
		}
		got = append(got, s)
	}
	want := "a: a.txt, b: dir/sub/y dir/x hidden/_h with space.txt, c: a.txt with space.txt"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("embeds %s, want %s", got, want)
	}
}

func TestMatchesEmbed(t *testing.T) {
	for _, test := range []struct {
		patterns, name string
		want           bool
	}{
		{".", "x/y", true},
		{".", "x/_y", false},
		{"all:.", "x/_y", true},
		{"x", "x/y/z", true},
		{"x/*", "x/y/z", true},
		{"x/*", "x/.y", true}, // matched itself, not only its directory
		{"x", "xx/y", false},
		{"*.go", "x/a.go", false},
	} {
		if got := matchesEmbed(strings.Fields(test.patterns), test.name); got != test.want {
			t.Errorf("%s matches %s: %t", test.patterns, test.name, got)
		}
	}
}

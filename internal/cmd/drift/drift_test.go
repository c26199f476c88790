package main

import (
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReviewed: in the installed Go distributions, the declarations that hbcheck replaces equal the
// reviewed ones. The running distribution cannot read newer ones.
func TestReviewed(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	known, err := readReviewed(filepath.Join(root, reviewedFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, goroot := range installed(t) {
		sources, err := standsFor(root, goroot)
		if err != nil {
			t.Fatal(err)
		}
		if len(sources) < 1000 {
			t.Errorf("%s: only %d declarations", goroot, len(sources))
		}
		bad := 0
		for _, name := range names(known, nil) {
			if source := sources[name]; source == "" && !known.has(name, source) {
				bad++
				t.Errorf("%s: there is no %s any more", goroot, name)
			}
		}
		for _, name := range names(sources, nil) {
			if !known.has(name, sources[name]) {
				if bad++; bad <= 20 {
					t.Errorf("%s: %s is none that has been reviewed", goroot, name)
				}
			}
		}
		if bad > 0 {
			t.Errorf("%s: %d declarations to review: docs/dev/adding-a-release.md", goroot, bad)
		}
	}
}

// installed returns the directories of the running distribution and of those that the go command has
// fetched, as far as we know their language.
func installed(t *testing.T) []string {
	goroot, err := goEnv("go", "", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	list := []string{goroot}
	cache, err := goEnv("go", "", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	fetched, _ := filepath.Glob(filepath.Join(cache, "golang.org", "toolchain@v0.0.1-go1.*"))
	for _, dir := range fetched {
		data, err := os.ReadFile(filepath.Join(dir, "VERSION"))
		v, _, _ := strings.Cut(string(data), "\n")
		if err != nil || dir == goroot || version.Compare(version.Lang(v), version.Lang(runtime.Version())) > 0 || version.Compare(v, "go1.26") < 0 {
			continue
		}
		list = append(list, dir)
	}
	return list
}

// TestDeclarations: the declarations of a file, without comments.
func TestDeclarations(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("VERSION", "go1.26.8\n")
	write("src/p/p.go", `package p

const (
	A = iota
	B
)

// F is a function.
func F() {} // it does nothing

func (t *T[E]) M() {}

func (T[E]) V() {}

type T[E any] struct{}
`)
	write("src/p/new.go", "//go:build go1.27\n\npackage p\n\nvar New int\n")
	write("src/p/p_windows.go", "package p\n\nvar Windows int\n")
	lib, err := newLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lib.pkg("p")
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if got := strings.Join(names(p.sources, nil), " "); got != "(*T).M (T).V A B F T" {
		t.Errorf("declarations %s", got)
	}
	if p.sources["F"] != "func F()\t{}\n" {
		t.Errorf("F is %q", p.sources["F"])
	}
	if p, err := lib.pkg("q"); p != nil || err != nil {
		t.Error(p, err)
	}
}

func TestDifference(t *testing.T) {
	if got, want := difference("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nx\n"), "      c\n      d\n      e\n    - f\n    + x\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

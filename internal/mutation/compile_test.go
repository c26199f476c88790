package mutation

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestAllCompile: each package has no type errors with all of its mutants. If one did, the others of the
// package could not be tried.
//
// The types of packages that have no mutants are those of the build without mutants, and nothing is compiled,
// because a second build of all packages needs much space.
func TestAllCompile(t *testing.T) {
	deep.Skip(t, "checks the types of the module")
	root, list := found(t)
	s, err := NewSchemata(root, t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	errs, n, err := typeErrors(root, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(errs) > 0 {
		t.Error(s.named(strings.Join(errs, "\n")))
	}
	t.Logf("%d packages", n)
	if n < 100 {
		t.Errorf("only %d packages", n)
	}
}

// found returns the directory of the module, and its mutants.
func found(t *testing.T) (root string, list []Mutant) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if list, err = Find(root); err != nil {
		t.Fatal(err)
	}
	return root, list
}

// TestBrokenMutant: a mutant that has a type error is reported by its name.
func TestBrokenMutant(t *testing.T) {
	deep.Skip(t, "checks the types of the module")
	root, list := found(t)
	i := slices.IndexFunc(list, func(x Mutant) bool { return strings.HasPrefix(x.File, "por/") && x.Change == "false" })
	if i < 0 {
		t.Fatal("no mutant of package por makes a condition false")
	}
	x := list[i]
	x.Change = "not"
	list = []Mutant{x}
	s, err := NewSchemata(root, t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	replaced, err := s.replaced()
	if err != nil {
		t.Fatal(err)
	}
	to := replaced[filepath.Join(root, filepath.FromSlash(x.File))]
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(strings.Replace(string(text), "!(", "unknownName(", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	errs, _, err := typeErrors(root, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.named(strings.Join(errs, "\n")); !strings.Contains(got, x.Name) || !strings.Contains(got, "unknownName") {
		t.Errorf("errors %q, want unknownName in mutant %q", got, x.Name)
	}
}

// replaced returns the files that replace those of the module, by the path that each replaces.
func (s *Schemata) replaced() (map[string]string, error) {
	b, err := os.ReadFile(s.File)
	if err != nil {
		return nil, err
	}
	var overlay struct{ Replace map[string]string }
	err = json.Unmarshal(b, &overlay)
	return overlay.Replace, err
}

// typeErrors returns the type errors of the module's packages with the mutants of s, and how many packages
// it has checked.
func typeErrors(root string, s *Schemata) (errs []string, n int, err error) {
	replaced, err := s.replaced()
	if err != nil {
		return nil, 0, err
	}
	c := exec.Command("go", "list", "-tags=cluster", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,Module", "./...", "testing/fstest")
	c.Dir, c.Stderr = root, os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, 0, err
	}
	k := &checker{fset: token.NewFileSet(), exports: make(map[string]string), own: make(map[string]*types.Package)}
	k.others = importer.ForCompiler(k.fset, "gc", k.export)
	var own []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, 0, err
		}
		if p.Module != nil && p.Module.Main {
			own = append(own, p) // after its dependencies
		} else {
			k.exports[p.ImportPath] = p.Export
		}
	}
	if len(own) == 0 {
		return nil, 0, fmt.Errorf("%s has no packages", root)
	}
	own = slices.Insert(own, 0, listed{ImportPath: own[0].Module.Path + "/" + active, Dir: filepath.Join(root, filepath.FromSlash(active)), GoFiles: []string{"active.go"}})
	for _, p := range own {
		if err := k.check(p, replaced); err != nil {
			return nil, 0, err
		}
	}
	return k.errs, len(own), nil
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct {
		Path string
		Main bool
	}
}

// checker checks the types of packages whose imports it has checked, or finds in export data.
type checker struct {
	fset    *token.FileSet
	exports map[string]string // files of export data, by package
	own     map[string]*types.Package
	others  types.Importer
	errs    []string
}

func (k *checker) export(path string) (io.ReadCloser, error) {
	if name := k.exports[path]; name != "" {
		return os.Open(name)
	}
	return nil, fmt.Errorf("no export data of %s; there is that of %d packages", path, len(k.exports))
}

// Import implements types.Importer.
func (k *checker) Import(path string) (*types.Package, error) {
	if p := k.own[path]; p != nil {
		return p, nil
	}
	return k.others.Import(path)
}

// check checks p with the replaced files.
func (k *checker) check(p listed, replaced map[string]string) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		if by, ok := replaced[name]; ok {
			name = by
		}
		f, err := parser.ParseFile(k.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: k, Error: func(err error) { k.errs = append(k.errs, err.Error()) }}
	k.own[p.ImportPath], _ = config.Check(p.ImportPath, k.fset, files, nil)
	return nil
}

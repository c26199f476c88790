package conformance

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// hidden are names that package reflect exports only for its own tests, or from packages that only the
// library may import; and the test that waits for a cleanup, which the machine never runs.
var hidden = []string{
	"FuncLayout", "CallGC", "TypeLinks", "GCBits", "FirstMethodNameBytes", "ResolveReflectName", "SetArgRegs", "MethodValueCallCodePtr",
	"InternalIsZero", "IsRegularMemory", "MapGroupOf", "IsExported", "OtherPkgFields", "EmbedWithUnexpMeth", "Buffer", "abi", "goarch", "testenv",
	"TestCallReturnsEmpty",
}

// TestPackageReflect runs package reflect's own tests, except those that need hidden names.
func TestPackageReflect(t *testing.T) {
	src := filepath.Join(build.Default.GOROOT, "src", "reflect")
	if _, err := os.Stat(filepath.Join(src, "all_test.go")); err != nil {
		t.Skipf("this Go distribution has no tests: %v", err)
	}
	deep.Skip(t, "skipped with -short")
	const list = "testdata/reflect.txt"
	failures := expected(t, list)
	dir := t.TempDir()
	if err := copyReflectTests(src, dir, failures); err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	run := func(e *load.Entry) error {
		var out bytes.Buffer
		end, err := describe.RunOnce(prog, e, vm.Config{Stdout: &out, Stderr: &out, MaxRun: maxRun})
		switch {
		case err != nil:
			return err
		case end.Unsupported != "":
			return fmt.Errorf("incomplete: %s", end.Unsupported)
		case end.Exit != 0:
			return fmt.Errorf("exit status %d\n%s", end.Exit, tail(out.String()))
		}
		return nil
	}
	if n := len(prog.Entries) - 1 - len(failures); n < 150 {
		t.Errorf("only %d tests left", n)
	}
	for _, e := range prog.Entries {
		reason, known := failures[e.Name]
		delete(failures, e.Name)
		switch {
		case e.Name == allOthers:
			if err := run(e); err != nil {
				t.Error(err)
			}
		case known && run(e) == nil:
			t.Errorf("%s passes, but %s says it cannot: %s", e.Name, list, reason)
		}
	}
	for name := range failures {
		t.Errorf("%s: there is no test %s", list, name)
	}
}

// allOthers runs all tests not expected to fail, in one machine.
const allOthers = "TestAllOthers"

// copyReflectTests writes the tests of reflect in src as those of a module of
// their own, with one more, allOthers, for those that are not in failures.
func copyReflectTests(src, dir string, failures map[string]string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	names := []string{"all_test.go", "set_test.go", "tostring_test.go", "visiblefields_test.go", "iter_test.go", "map_test.go", "type_test.go"}
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(src, name), nil, 0)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	withoutHidden(files)
	var calls strings.Builder
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") && failures[fn.Name.Name] == "" {
				fmt.Fprintf(&calls, "\tt.Run(%q, %s)\n", fn.Name.Name, fn.Name.Name)
			}
		}
	}
	text := map[string]string{
		"go.mod": "module own\n\ngo 1.26\n",
		// Names of export_test.go and benchmark_test.go that other files use.
		"more_test.go": `package own

import (
	"reflect"
	"testing"
	"unsafe"
)

func ` + allOthers + `(t *testing.T) {
` + calls.String() + `}

type header struct {
	typ, ptr unsafe.Pointer
	flag     uintptr
}

func MakeRO(v reflect.Value) reflect.Value { (*header)(unsafe.Pointer(&v)).flag |= 1 << 5; return v }
func IsRO(v reflect.Value) bool { return (*header)(unsafe.Pointer(&v)).flag&(1<<5) != 0 }

type S struct{ i1, i2 int64 }
`,
	}
	for _, pkg := range []string{"asan", "msan", "race"} {
		text[pkg+"/x.go"] = "package " + pkg + "\n\nconst Enabled = false\n"
	}
	for i, f := range files {
		f.Name.Name = "own"
		dropUnusedImports(f)
		var b bytes.Buffer
		if err := format.Node(&b, fset, f); err != nil {
			return err
		}
		text[names[i]] = strings.NewReplacer(`"internal/`, `"own/`, `"reflect/internal/`, `"own/`, "reflect_test", "own").Replace(b.String())
	}
	for _, pkg := range []string{"example1", "example2"} {
		all, err := filepath.Glob(filepath.Join(src, "internal", pkg, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range all {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text[path.Join(pkg, filepath.Base(file))] = string(b)
		}
	}
	for name, s := range text {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(s), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// withoutHidden removes the declarations that mention hidden names, and those that mention removed
// declarations.
func withoutHidden(files []*ast.File) {
	gone := make(map[string]bool)
	for _, name := range hidden {
		gone[name] = true
	}
	for again := true; again; {
		again = false
		for _, f := range files {
			f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT || !mentions(d, gone) {
					return false
				}
				again = true
				for _, name := range declared(d) {
					gone[name] = true
				}
				return true
			})
		}
	}
}

// mentions reports whether one of names is used in d, alone or qualified by reflect.
func mentions(d ast.Decl, names map[string]bool) bool {
	found, dotted := false, make(map[*ast.Ident]bool)
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			found = found || ok && id.Name == "reflect" && names[n.Sel.Name]
			dotted[n.Sel] = true
		case *ast.Ident:
			found = found || names[n.Name] && !dotted[n]
		}
		return true
	})
	return found
}

// declared returns the names d declares, methods and blanks excepted.
func declared(d ast.Decl) []string {
	var ids []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				ids = append(ids, s.Name)
			case *ast.ValueSpec:
				ids = append(ids, s.Names...)
			}
		}
	}
	var names []string
	for _, id := range ids {
		if id.Name != "_" {
			names = append(names, id.Name)
		}
	}
	return names
}

func dropUnusedImports(f *ast.File) {
	used := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
			imp := s.(*ast.ImportSpec)
			p, _ := strconv.Unquote(imp.Path.Value)
			return imp.Name == nil && !used[path.Base(p)]
		})
	}
}

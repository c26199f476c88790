package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// distribution returns the directory of a release, which is a version, or the directory itself. If the go
// command in the path has this version, nothing is fetched.
func distribution(release string) (string, error) {
	if strings.ContainsRune(release, filepath.Separator) {
		return release, nil
	}
	if version.Compare(version.Lang(release), version.Lang(runtime.Version())) > 0 {
		return "", fmt.Errorf("drift was built with %s, which does not know the language of %s: type GOTOOLCHAIN=%s go run ./internal/cmd/drift",
			runtime.Version(), release, release)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		command := filepath.Join(dir, "go")
		if v, err := goEnv(command, "local", "GOVERSION"); err == nil && v == release {
			return goEnv(command, "local", "GOROOT")
		}
	}
	return goEnv("go", release, "GOROOT")
}

// pkg has the declarations of a package of the standard library for linux/amd64 without assembly.
type pkg struct {
	sources map[string]string   // by name: "F", "(*T).M"
	files   map[string][]string // names, by the file that they are in
}

// library reads packages of a distribution.
type library struct {
	ctxt build.Context
	src  string
	read map[string]*pkg
}

func newLibrary(goroot string) (*library, error) {
	l := &library{ctxt: build.Default, src: filepath.Join(goroot, "src"), read: make(map[string]*pkg)}
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return nil, err
	}
	var minor int
	if _, err := fmt.Sscanf(string(version), "go1.%d", &minor); err != nil {
		return nil, fmt.Errorf("%s/VERSION: %v", goroot, err)
	}
	l.ctxt.GOROOT, l.ctxt.GOOS, l.ctxt.GOARCH, l.ctxt.CgoEnabled = goroot, "linux", "amd64", false
	l.ctxt.ReleaseTags = nil
	for i := range minor {
		l.ctxt.ReleaseTags = append(l.ctxt.ReleaseTags, fmt.Sprintf("go1.%d", i+1))
	}
	return l, nil
}

// pkg returns the package at path, nil if there is none.
func (l *library) pkg(path string) (*pkg, error) {
	if p, ok := l.read[path]; ok {
		return p, nil
	}
	l.read[path] = nil
	dir := filepath.Join(l.src, filepath.FromSlash(path))
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) || path == "" {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	ctxt := l.ctxt
	switch { // as in package load
	case path == "math/big":
		ctxt.BuildTags = []string{"math_big_pure_go"}
	case strings.HasPrefix(path, "crypto"):
		ctxt.BuildTags = []string{"purego"}
	}
	p := &pkg{sources: make(map[string]string), files: make(map[string][]string)}
	fset := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if ok, err := ctxt.MatchFile(dir, e.Name()); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		each(f, func(name string, n ast.Node) {
			var b bytes.Buffer
			if err := printer.Fprint(&b, fset, n); err == nil { // without comments: they are not parsed
				p.sources[name] += b.String() + "\n" // there may be several functions init
			}
			p.files[e.Name()] = append(p.files[e.Name()], name)
		})
	}
	if len(p.files) == 0 {
		return nil, nil
	}
	l.read[path] = p
	return p, nil
}

// each calls f for each declaration except imports. Constants that depend on iota are printed alone, which
// shows changes of one, but not an addition before it.
func each(file *ast.File, f func(name string, n ast.Node)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f(funcName(d), d)
		case *ast.GenDecl:
			for i, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					f(s.Name.Name, s)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.Name == "_" {
							continue
						}
						if d.Tok == token.CONST && len(s.Values) == 0 { // repeats the previous one: its place counts
							f(id.Name, &ast.ParenExpr{X: &ast.BinaryExpr{X: id, Op: token.EQL, Y: &ast.BasicLit{Value: fmt.Sprint(i)}}})
							continue
						}
						f(id.Name, s)
					}
				}
			}
		}
	}
}

// funcName returns the name of a function in the form of PATCH files.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, ""
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = p.X, "*"
	}
	switch x := t.(type) {
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

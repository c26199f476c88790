package load

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// overlayDir is the fictitious directory of overlay files, so that their positions are not confused with
// those in the Go distribution.
const overlayDir = "$hbcheck"

// stdFinder finds the source files of std packages: those of the Go
// distribution as changed by the overlay.
type stdFinder struct {
	goroot  string
	root    string // Config.Root
	ctxt    build.Context
	overlay fs.FS

	// tests are the in-package test files, by name, of packages under test, by path.
	tests map[string][]string

	mu   sync.Mutex
	dirs map[string]bool // guarded by mu; whether GOROOT/src/<path> exists
}

// test makes lp, which the go command describes, a package under test, and returns its data. It is
// called before find.
func (s *stdFinder) test(lp *listPackage) *Package {
	path := lp.path()
	s.tests[path] = []string{}
	for _, f := range lp.GoFiles {
		if strings.HasSuffix(f, "_test.go") {
			s.tests[path] = append(s.tests[path], filepath.Join(lp.Dir, f))
		}
	}
	return &Package{ID: path, Path: path, Name: lp.Name, Std: true, ForTest: lp.ForTest, list: lp}
}

// newStdFinder returns a finder for the Go distribution that env describes.
func newStdFinder(env *goEnv, tags []string, overlay fs.FS) *stdFinder {
	ctxt := build.Default
	ctxt.GOROOT = env.GOROOT
	if len(env.tags.Releases) > 0 {
		ctxt.ReleaseTags, ctxt.ToolTags = env.tags.Releases, env.tags.Tools
	}
	ctxt.GOOS, ctxt.GOARCH = goos, goarch
	ctxt.CgoEnabled = false
	ctxt.BuildTags = tags
	return &stdFinder{goroot: env.GOROOT, ctxt: ctxt, overlay: overlay, tests: make(map[string][]string), dirs: make(map[string]bool)}
}

// resolve returns the path of the package that is imported as path in the standard library or in the user's
// code: the vendored package if only that exists. ok is false if there is no such package.
func (s *stdFinder) resolve(path string) (string, bool) {
	for _, p := range []string{path, "vendor/" + path} {
		if s.exists(p) {
			return p, true
		}
	}
	return path, false
}

func (s *stdFinder) exists(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, known := s.dirs[path]
	if !known {
		ok = isPackage(os.DirFS(Rooted(s.root, filepath.Join(s.goroot, "src"))), path) || isPackage(s.overlay, path)
		s.dirs[path] = ok
	}
	return ok
}

// isPackage reports whether there are files in dir of fsys, not only further
// directories.
func isPackage(fsys fs.FS, dir string) bool {
	if !fs.ValidPath(dir) {
		return false
	}
	entries, _ := fs.ReadDir(fsys, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() })
}

// find returns the package at path with the files to parse and its imports, or
// an error if files cannot be read or the overlay does not fit.
func (s *stdFinder) find(pkgpath string) (*Package, error) {
	p := &Package{ID: pkgpath, Path: pkgpath, Std: true}
	var patch *patch
	fromOverlay := make(map[string]bool)
	if isPackage(s.overlay, pkgpath) {
		p.Overlaid = true
		p.Dir = path.Join(overlayDir, pkgpath)
		names, err := s.goFiles(pkgpath, s.overlay, pkgpath)
		if err != nil {
			return nil, err
		}
		for _, f := range names {
			fromOverlay[f.base()] = true
			f.name = path.Join(overlayDir, pkgpath, f.base())
			p.files = append(p.files, f)
		}
		text, err := fs.ReadFile(s.overlay, pkgpath+"/PATCH")
		if err == nil {
			if patch, err = parsePatch(pkgpath, string(text), s.patchTags(pkgpath)); err != nil {
				return nil, err
			}
		}
	}
	if !p.Overlaid || patch != nil {
		p.Dir = filepath.Join(s.goroot, "src", filepath.FromSlash(pkgpath))
		names, err := s.goFiles(pkgpath, os.DirFS(Rooted(s.root, p.Dir)), ".")
		if err != nil {
			return nil, err
		}
		for _, f := range names {
			if fromOverlay[f.base()] || patch.dropsFile(f.base()) {
				continue
			}
			f.name = filepath.Join(p.Dir, f.base())
			f.patch = patch
			f.src, f.edits = patch.swap(f.base(), f.src)
			p.files = append(p.files, f)
		}
	}
	for _, name := range s.tests[pkgpath] {
		src, err := os.ReadFile(Rooted(s.root, name))
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, &file{name: name, src: src})
	}
	slices.SortFunc(p.files, func(a, b *file) int { return strings.Compare(a.base(), b.base()) })
	if err := s.imports(p); err != nil {
		return nil, err
	}
	if err := patch.unused(); err != nil {
		return nil, err
	}
	return p, nil
}

// pureTags returns the build tags that make a std package do without assembly.
func pureTags(pkgpath string) []string {
	switch {
	case pkgpath == "math/big":
		return []string{"math_big_pure_go"}
	case strings.HasPrefix(strings.TrimPrefix(pkgpath, "vendor/golang.org/x/"), "crypto"):
		return []string{"purego"}
	}
	return nil
}

// goFiles reads the .go files in dir of fsys that satisfy the build
// constraints of package pkgpath, without tests, and returns them by name.
func (s *stdFinder) goFiles(pkgpath string, fsys fs.FS, dir string) ([]*file, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var files []*file
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		var src []byte
		ctxt := s.ctxt
		ctxt.BuildTags = append(slices.Clip(ctxt.BuildTags), pureTags(pkgpath)...)
		ctxt.OpenFile = func(string) (_ io.ReadCloser, err error) {
			src, err = fs.ReadFile(fsys, path.Join(dir, name))
			return io.NopCloser(bytes.NewReader(src)), err
		}
		// MatchFile does not read files whose very name excludes them.
		match, err := ctxt.MatchFile(dir, name)
		if err != nil {
			return nil, err
		}
		if match {
			files = append(files, &file{name: name, src: src})
		}
	}
	return files, nil
}

// patchTags returns the tags that the lines of a PATCH may name: those of releases and experiments, and
// hb_tested if the package is loaded with its own tests, which may use what a line changes.
func (s *stdFinder) patchTags(pkgpath string) []string {
	tags := slices.Concat(s.ctxt.ReleaseTags, s.ctxt.ToolTags)
	if len(s.tests[pkgpath]) > 0 {
		tags = append(tags, "hb_tested")
	}
	return tags
}

// imports computes p's imports from the headers of its files, after patching.
// Files that import "C" are left out.
func (s *stdFinder) imports(p *Package) error {
	kept := p.files[:0]
	for _, f := range p.files {
		mode := parser.ImportsOnly
		if f.patch != nil {
			mode = parser.SkipObjectResolution
		}
		// This syntax tree serves only to find imports; its positions are meaningless.
		tree, err := parser.ParseFile(token.NewFileSet(), f.name, f.src, mode)
		if err != nil {
			return err
		}
		f.patch.apply(tree)
		var paths []string
		for _, spec := range tree.Imports {
			paths = append(paths, importPath(spec))
		}
		if slices.Contains(paths, "C") {
			continue
		}
		kept = append(kept, f)
		p.Name = tree.Name.Name
		for _, path := range paths {
			if path == "unsafe" {
				continue
			}
			id, ok := s.resolve(path)
			if !ok {
				return fmt.Errorf("%s: package %s is not in std", f.name, path)
			}
			if !slices.Contains(p.importIDs, id) {
				p.importIDs = append(p.importIDs, id)
			}
		}
	}
	p.files = kept
	slices.Sort(p.importIDs)
	return nil
}

// importPath returns the path of an import declaration, empty if malformed.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}

// closure finds the packages at paths and all they import, by path.
func (s *stdFinder) closure(paths []string, cache *Cache, o *outlines) (map[string]*Package, error) {
	found := make(map[string]*Package)
	for len(paths) > 0 {
		slices.Sort(paths)
		paths = slices.Compact(paths)
		paths = slices.DeleteFunc(paths, func(path string) bool { return found[path] != nil })
		pkgs := make([]*Package, len(paths))
		errs := make([]error, len(paths))
		parallel(len(paths), func(i int) {
			if pkgs[i] = cache.get(paths[i]); pkgs[i] == nil {
				pkgs[i] = o.recall(s, paths[i])
			}
			if pkgs[i] == nil {
				pkgs[i], errs[i] = s.find(paths[i])
			}
		})
		if err := cmp.Or(errs...); err != nil {
			return nil, fmt.Errorf("standard library: %w", err)
		}
		paths = nil
		for _, p := range pkgs {
			found[p.Path] = p
			paths = append(paths, p.importIDs...)
		}
	}
	return found, nil
}

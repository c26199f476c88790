package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// parallel runs f(0) ... f(n-1) on as many processors as there are.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// parse parses all files of all packages. Errors are left in the packages.
//
// A FileSet assigns positions in the order in which files are added. To have the same positions in
// every run, parse computes each file's range before it parses any file. Each file is then parsed
// in a file set of its own, which is filled up to the start of the range, and the file sets are
// merged.
func (l *loader) parse() error {
	type job struct {
		p    *Package
		i    int // index of the file in p
		tree *ast.File
		err  error
	}
	var jobs []*job
	for _, p := range l.all {
		if p.Types != nil {
			continue // from the cache
		}
		for i := range p.files {
			jobs = append(jobs, &job{p: p, i: i})
		}
	}
	parallel(len(jobs), func(i int) {
		j := jobs[i]
		if f := j.p.files[j.i]; f.src == nil && j.p.outline == nil {
			f.src, j.err = os.ReadFile(l.choices.source(f.name))
			if j.err == nil && !j.p.Std {
				f.src, j.err = Edited(l.cfg.Edits, f.name, f.src)
			}
		}
	})
	for _, j := range jobs {
		f := j.p.files[j.i]
		f.start = l.end + 1
		l.end = f.start + max(f.size, len(f.src))
	}
	parallel(len(jobs), func(i int) {
		if j := jobs[i]; j.err == nil && j.p.outline == nil {
			j.tree, j.err = j.p.files[j.i].parse(j.p.library())
		}
	})
	found := make(map[*Package][]error)
	for _, j := range jobs {
		if j.err != nil {
			found[j.p] = append(found[j.p], j.err)
		}
		if j.p.outline != nil {
			l.addFile(j.p.files[j.i], &j.p.outline.files[j.i])
		}
		if j.tree != nil {
			j.p.Files = append(j.p.Files, j.tree)
			j.p.links = append(j.p.links, findLinks(j.p.files[j.i].src)...)
			l.fset.AddExistingFiles(j.p.files[j.i].pos)
		}
	}
	for _, p := range l.all {
		if len(found[p]) > 0 {
			l.syntaxErrors(p, found[p])
		}
	}
	for _, e := range l.cfg.Edits {
		read := func(j *job) bool { return !j.p.Std && j.p.files[j.i].name == e.Pos.Filename }
		if !slices.ContainsFunc(jobs, read) {
			return Errors{{Pos: e.Pos, Msg: "no package has this file"}}
		}
	}
	return nil
}

// parse parses f at its place in the file set. Comments matter to us in the
// user's files only; directives of std files are found in the text.
func (f *file) parse(std bool) (*ast.File, error) {
	mode := parser.SkipObjectResolution | parser.AllErrors
	if !std {
		mode |= parser.ParseComments
	}
	fset := token.NewFileSet()
	if f.start > 1 {
		fset.AddFile("", 1, f.start-2)
	}
	tree, err := parser.ParseFile(fset, f.name, f.src, mode)
	if tree != nil {
		f.patch.apply(tree)
	}
	if f.cgo != nil && err == nil {
		err = f.cgo.reduce(fset, tree)
	}
	f.pos = fset.File(token.Pos(f.start))
	return tree, err
}

// base returns the file's name without directories.
func (f *file) base() string { return filepath.Base(f.name) }

// importsC returns the position of import "C" in the named file.
func (l *loader) importsC(name string) (token.Position, bool) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, l.choices.source(name), nil, parser.ImportsOnly)
	if err != nil {
		return token.Position{}, false
	}
	for _, spec := range tree.Imports {
		if importPath(spec) == "C" {
			return fset.Position(spec.Path.Pos()), true
		}
	}
	return token.Position{}, false
}

package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watchedTree is the files of a module, or of a workspace.
//
// As for the go command, directories and files whose names begin with "." or "_" do not belong to it; nor
// do those that hbcheck itself writes.
type watchedTree struct {
	root    string
	own     []string // absolute names of files and directories that hbcheck writes
	notify  *fsnotify.Watcher
	changed chan struct{} // gets a value when changes have ended
	known   map[string]watchedFile
}

// A watchedFile is the state of a file.
type watchedFile struct {
	size    int64
	time    time.Time
	listing string // a hash of the parts of the file that go list depends on
}

// settling is the time without further changes after which a round begins: editors write a file in
// several steps.
const settling = 20 * time.Millisecond

// watchTree watches the module or workspace of dir, except for the files and directories of own.
func watchTree(dir string, own []string) (*watchedTree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	t := &watchedTree{root: rootOf(dir), changed: make(chan struct{}, 1), known: make(map[string]watchedFile)}
	for _, name := range own {
		if name == "" {
			continue
		}
		if name, err = filepath.Abs(name); err != nil {
			return nil, err
		}
		t.own = append(t.own, name)
	}
	if t.notify, err = fsnotify.NewWatcher(); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if err := t.add(t.root); err != nil {
		t.close()
		return nil, fmt.Errorf("watch: %w", err)
	}
	go t.listen()
	return t, nil
}

func (t *watchedTree) close() { t.notify.Close() }

// rootOf returns the directory of the go.work or go.mod file that applies in dir, or dir.
func rootOf(dir string) string {
	for _, file := range []string{"go.work", "go.mod"} {
		for d := dir; ; d = filepath.Dir(d) {
			if _, err := os.Stat(filepath.Join(d, file)); err == nil {
				return d
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return dir
}

// belongs reports whether the file or directory of that name belongs to the tree.
func (t *watchedTree) belongs(name string) bool {
	if name == t.root {
		return true
	}
	base := filepath.Base(name)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || strings.HasSuffix(base, "~") {
		return false
	}
	return !slices.ContainsFunc(t.own, func(own string) bool {
		return name == own || strings.HasPrefix(name, own+string(filepath.Separator))
	})
}

// add watches dir and the directories below it.
func (t *watchedTree) add(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // the file or directory has been removed meanwhile
			return nil
		case !e.IsDir():
			return nil
		case !t.belongs(name):
			return fs.SkipDir
		}
		return t.notify.Add(name)
	})
}

// listen sends changes to changed until the tree is closed.
func (t *watchedTree) listen() {
	quiet := time.NewTimer(settling)
	quiet.Stop()
	for {
		select {
		case e, ok := <-t.notify.Events:
			if !ok {
				return
			}
			if !t.belongs(e.Name) || e.Op == fsnotify.Chmod {
				continue
			}
			if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
				t.add(e.Name)
			}
			quiet.Reset(settling)
		case _, ok := <-t.notify.Errors: // events were lost
			if !ok {
				return
			}
			quiet.Reset(settling)
		case <-quiet.C:
			select {
			case t.changed <- struct{}{}:
			default:
			}
		}
	}
}

// files returns the files of the tree as they are now.
func (t *watchedTree) files() map[string]watchedFile {
	now := make(map[string]watchedFile)
	filepath.WalkDir(t.root, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case !t.belongs(name):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		f, ok := t.known[name]
		if !ok || f.size != info.Size() || !f.time.Equal(info.ModTime()) {
			f = watchedFile{info.Size(), info.ModTime(), listing(name)}
		}
		short, err := filepath.Rel(t.root, name)
		if err != nil {
			short = name
		}
		now[short] = f
		return nil
	})
	t.known = make(map[string]watchedFile, len(now))
	for short, f := range now {
		t.known[filepath.Join(t.root, short)] = f
	}
	return now
}

// listing returns a hash of the parts of a file that decide which packages exist and which files they
// have: the package, imports and directives of a Go file, all of go.mod and the like.
func listing(name string) string {
	base := filepath.Base(name)
	goFile := filepath.Ext(base) == ".go"
	if !goFile && !strings.HasPrefix(base, "go.") && base != "modules.txt" {
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	if !goFile {
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	h := sha256.New()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.ImportsOnly)
	if err != nil {
		return fmt.Sprintf("%v", err)
	}
	fmt.Fprintf(h, "%q\n", file.Name.Name)
	for _, i := range file.Imports {
		fmt.Fprintf(h, "%s\n", i.Path.Value)
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Doc != nil { // the preamble of import "C"
			fmt.Fprintf(h, "%q\n", g.Doc.Text())
		}
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "// +build") {
			fmt.Fprintf(h, "%q\n", line)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// changes compares the files at two times. It returns a text that names the changed ones, and whether the
// answer of go list may have changed.
func changes(before, now map[string]watchedFile) (names string, asks bool) {
	var list []string
	for name, f := range now {
		old, ok := before[name]
		if !ok || old != f {
			list = append(list, name)
		}
		asks = asks || !ok || old.listing != f.listing
	}
	for name := range before {
		if _, ok := now[name]; !ok {
			list, asks = append(list, name), true
		}
	}
	slices.Sort(list)
	const most = 3
	if n := len(list); n > most {
		list = append(list[:most], fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(list, ", "), asks
}

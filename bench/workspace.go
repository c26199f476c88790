package bench

import (
	"fmt"
	"os"
	"path/filepath"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/testdata/benchmarks"
)

// Workspace is a directory that holds the programs of the suites as a module.
// It is not for concurrent use, which would make times meaningless anyway.
type Workspace struct {
	dir   string
	cache load.Cache // the library is loaded once for all programs
	progs map[string]*load.Program
}

// NewWorkspace writes the programs to a temporary directory. Close removes it.
func NewWorkspace() (*Workspace, error) {
	dir, err := os.MkdirTemp("", "hbcheck-bench")
	if err != nil {
		return nil, err
	}
	if err := benchmarks.Write(dir); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("writing the benchmark programs: %w", err)
	}
	return &Workspace{dir: dir, progs: make(map[string]*load.Program)}, nil
}

// Close removes the programs.
func (w *Workspace) Close() error { return os.RemoveAll(w.dir) }

// load loads the program in directory name of the workspace, once.
func (w *Workspace) load(name string) (*load.Program, *load.Entry, error) {
	prog, err := w.loadPattern(name, ".")
	if err != nil {
		return nil, nil, err
	}
	return prog, prog.Entries[0], nil
}

// loadAll loads the programs below directory name, once.
func (w *Workspace) loadAll(name string) (*load.Program, error) { return w.loadPattern(name, "./...") }

func (w *Workspace) loadPattern(name, pattern string) (*load.Program, error) {
	if p := w.progs[name]; p != nil {
		return p, nil
	}
	prog, err := load.Load(load.Config{
		Dir: filepath.Join(w.dir, filepath.FromSlash(name)), Patterns: []string{pattern}, Implicit: []string{"runtime"}, Cache: &w.cache,
	})
	if err != nil {
		return nil, err
	}
	if err := prog.HasEntries(); err != nil {
		return nil, err
	}
	w.progs[name] = prog
	return prog, nil
}

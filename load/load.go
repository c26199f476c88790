package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load/overlay"
)

// A Package is one package, or one test variant of one, with its syntax and
// types.
type Package struct {
	ID        string // unique; "p", "p [p.test]", "p_test [p.test]"
	Path      string // import path; "p", "p", "p_test"
	Name      string // as in the package clause
	Dir       string
	Module    string // module path; empty in the standard library and outside of modules
	GoVersion string // language version of the module, "go1.21"; empty if there is none
	ForTest   string // the package under test, if only compiled for its test
	Std       bool   // belongs to the standard library or its overlay
	Overlaid  bool   // the overlay replaces or patches it

	Files      []*ast.File
	Types      *types.Package
	Info       *types.Info // nil for Std packages
	SSA        *ssa.Package
	Imports    []*Package // by ID
	EmbedFiles []string   // absolute names of files matched by go:embed patterns

	files     []*file
	list      *listPackage // nil for std packages
	importIDs []string
	errs      []Error
	done      chan struct{} // closed when type-checked, or given up
	facts     facts
}

// subject returns the path of the package a test package is about, and p's own
// path for others.
func (p *Package) subject() string { return cmp.Or(p.ForTest, p.Path) }

// file is one source file of a Package.
type file struct {
	name  string // absolute, or under overlayDir
	src   []byte // nil until read
	patch *patch // to be applied to the syntax tree
	start int    // its first token.Pos
	pos   *token.File
}

// A Phase is the time one phase of loading took.
type Phase struct {
	Name string
	Time time.Duration
}

// loader is the state of one Load.
type loader struct {
	cfg      *Config
	dir      string
	patterns []string
	overlay  fs.FS
	goEnv    goEnv
	std      *stdFinder
	fset     *token.FileSet
	user     map[string]*Package // by ID
	stdPkgs  map[string]*Package // by path
	wanted   []*Package
	all      []*Package
	phases   []Phase
}

// Load loads what cfg asks for. The error is an Errors if the sources or the
// request are at fault; then there is no Program.
func Load(cfg Config) (*Program, error) {
	l := &loader{
		cfg:      &cfg,
		patterns: cfg.Patterns,
		overlay:  cfg.Overlay,
		fset:     token.NewFileSet(),
		user:     make(map[string]*Package),
	}
	if len(l.patterns) == 0 {
		l.patterns = []string{"."}
	}
	if l.overlay == nil {
		l.overlay = overlay.FS()
	}
	var err error
	if l.dir, err = cfg.dir(); err != nil {
		return nil, err
	}

	var list []*listPackage
	if err := l.phase("list", func() (err error) { list, err = l.list(); return }); err != nil {
		return nil, err
	}
	l.wanted = l.userPackages(list)
	l.std = newStdFinder(l.goEnv.GOROOT, cfg.tags(l.goEnv.GOFLAGS), l.overlay)
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"discover", l.discover},
		{"parse", l.parse},
		{"check", l.check},
	} {
		if err := l.phase(step.name, step.run); err != nil {
			return nil, err
		}
	}
	l.cgoErrors()
	if err := collect(l.all); err != nil {
		return nil, err
	}
	var prog *Program
	err = l.phase("create", func() (err error) { prog, err = l.program(); return })
	if err != nil {
		return nil, err
	}
	prog.Phases = l.phases
	return prog, nil
}

// phase runs f and keeps the time it took.
func (l *loader) phase(name string, f func() error) error {
	start := time.Now()
	err := f()
	l.phases = append(l.phases, Phase{name, time.Since(start)})
	return err
}

// discover finds the std packages reachable by import from the wanted packages
// and puts all packages in dependency order.
func (l *loader) discover() error {
	var roots []string
	for _, path := range l.cfg.Implicit {
		id, ok := l.std.resolve(path)
		if !ok {
			return fmt.Errorf("implicit package %s is not in std", path)
		}
		roots = append(roots, id)
	}
	implicit := len(roots)

	// Resolve the imports of the user's packages in reach.
	reached := make(map[*Package]bool)
	var visit func(p *Package)
	visit = func(p *Package) {
		if reached[p] {
			return
		}
		reached[p] = true
		for _, id := range p.list.Imports {
			if q := l.user[id]; q != nil {
				p.importIDs = append(p.importIDs, id)
				visit(q)
				continue
			}
			path, _, _ := strings.Cut(id, " ") // std packages have no variants for us
			if path == "unsafe" || path == "C" {
				continue
			}
			std, ok := l.std.resolve(path)
			if !ok {
				p.errs = append(p.errs, Error{Msg: fmt.Sprintf("package %s imports %s: not found by the go command", p.Path, path)})
				continue
			}
			p.importIDs = append(p.importIDs, std)
			roots = append(roots, std)
		}
		slices.Sort(p.importIDs)
		p.importIDs = slices.Compact(p.importIDs)
	}
	for _, p := range l.wanted {
		visit(p)
	}
	var err error
	if l.stdPkgs, err = l.std.closure(roots); err != nil {
		return err
	}

	// Depth-first: dependencies come first. An edge that closes a cycle is
	// ignored here. The go command has reported those among the user's packages;
	// the overlay may contain one by mistake.
	state := make(map[*Package]int) // 1: on the path, 2: done
	var order func(p *Package)
	order = func(p *Package) {
		state[p] = 1
		for _, id := range p.importIDs {
			q := cmp.Or(l.user[id], l.stdPkgs[id])
			switch {
			case q == nil:
				panic("BUG: undiscovered package " + id)
			case state[q] == 1:
				if q.Std {
					err = cmp.Or(err, fmt.Errorf("overlay: import cycle between %s and %s", p.Path, q.Path))
				} else if len(q.errs) == 0 && len(p.errs) == 0 {
					p.errs = append(p.errs, Error{Msg: fmt.Sprintf("package %s imports %s: import cycle not allowed", p.Path, q.Path)})
				}
				continue
			case state[q] == 0:
				order(q)
			}
			p.Imports = append(p.Imports, q)
		}
		state[p] = 2
		p.done = make(chan struct{})
		l.all = append(l.all, p)
	}
	for _, id := range roots[:implicit] {
		if state[l.stdPkgs[id]] == 0 {
			order(l.stdPkgs[id])
		}
	}
	for _, p := range l.wanted {
		if state[p] == 0 {
			order(p)
		}
	}
	return err
}

// cgoErrors explains errors of packages that have lost files because these
// import "C".
func (l *loader) cgoErrors() {
	for _, p := range l.all {
		if p.Std || len(p.errs) == 0 {
			continue
		}
		for _, name := range p.list.IgnoredGoFiles {
			if pos, ok := importsC(filepath.Join(p.Dir, name)); ok {
				pos.Filename = shortPath(l.dir, pos.Filename)
				p.errs = append(p.errs, Error{Pos: pos, Msg: `import "C": the machine does not run C, so this file is left out (CGO_ENABLED=0)`})
			}
		}
	}
}

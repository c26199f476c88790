package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load/overlay"
)

// A Package is one package, or one test variant of one, with its syntax and
// types.
type Package struct {
	ID        string // unique; "p", "p [p.test]", "p_test [p.test]"
	Path      string // import path; "p", "p", "p_test"
	Name      string // name in the package clause
	Dir       string
	Module    string // module path; empty in the standard library and outside of modules
	GoVersion string // language version of the module, "go1.21"; empty if there is none
	Settings  string // GODEBUG, as go build or go test puts it into a program that begins here
	ForTest   string // the package under test, if only compiled for its test
	Main      bool   // the package belongs to a main module, which is under development
	Std       bool   // belongs to the standard library or its overlay
	Overlaid  bool   // the overlay replaces or patches it
	// UnderTest is set if the package is of the standard library, and a pattern matches it. Its in-package
	// tests are among its files, and all of the program imports this one package.
	UnderTest bool
	// Dropped are the tests that were removed because they mention declarations without a model in the
	// overlay.
	Dropped []NoEntry

	Files   []*ast.File
	Types   *types.Package
	Info    *types.Info // nil for Std packages
	SSA     *ssa.Package
	Imports []*Package // by ID: the imported package
	Embeds  []Embed

	published   bool // set for a package in a fixed version of a module, which has certainly been compiled before
	files       []*file
	list        *listPackage // nil for std packages
	importIDs   []string
	errs        []Error
	graph       *graph             // see prune; nil if the user's
	pruned      bool               // prune has taken declarations away
	bare        map[token.Pos]bool // methods whose bodies it has removed, by the positions of their names
	done        chan struct{}      // closed when type-checked, or given up
	initWork    initWork
	facts       fact
	testing     TestMethods // methods of testing.T that the package may call
	nonblocking []nonblocking
	decls       *declarations
	links       []link
	cuts        []tableLit // see tables.go
	tables      map[token.Pos]*Table
	outline     *outline                      // the outline that an earlier load has written; see outline.go
	kept        *outline                      // the outline that this load writes
	late        map[token.Pos]*lateBody       // by the positions of the functions' names; see setBodiesAside
	linked      map[types.Object]types.Object // variables that stand for other ones; see linkVariables
}

// library reports whether p is only used, not itself a subject.
func (p *Package) library() bool { return p.Std && !p.UnderTest }

// subject returns the path of the package that a test package tests, and p's own path for others.
func (p *Package) subject() string { return cmp.Or(p.ForTest, p.Path) }

// file is one source file of a Package.
type file struct {
	name  string   // absolute, or under overlayDir
	src   []byte   // nil until read
	size  int      // size of src, if there is an outline
	patch *patch   // changes that are made to the syntax tree
	edits []edit   // edits that src already contains
	cgo   *cgoFile // likewise; nil if it does not import "C"
	start int      // its first token.Pos
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
	choices  buildChoices
	listed   []*listPackage
	std      *stdFinder
	fset     *token.FileSet
	end      int // end of the last file in fset
	cache    *Cache
	outlines *outlines           // nil: no outlines
	user     map[string]*Package // by ID: packages of the user's
	stdPkgs  map[string]*Package // by path: packages of the standard library
	wanted   []*Package
	all      []*Package
	declared map[*decl]bool // the removable declarations that are needed: see prune
	live     map[*decl]bool // those of them that may be executed: see prune
	phases   []Phase
	cover    *coverage // nil: Config.Cover is not set
	readMu   sync.Mutex
	read     []string // files besides those of packages: see host
}

// Load loads the program of cfg. The error is an Errors if the sources or the request are at fault; then
// there is no Program.
func Load(cfg Config) (*Program, error) { return newLoader(&cfg).load() }

func newLoader(cfg *Config) *loader {
	l := &loader{
		cfg:      cfg,
		patterns: cfg.Patterns,
		overlay:  cfg.Overlay,
		user:     make(map[string]*Package),
		cache:    cmp.Or(cfg.Cache, new(Cache)),
	}
	if len(l.patterns) == 0 {
		l.patterns = []string{"."}
	}
	l.choices.root = cfg.Root
	if l.overlay == nil {
		l.overlay = overlay.FS()
	}
	return l
}

func (l *loader) load() (*Program, error) {
	cfg := l.cfg
	var err error
	if l.dir, err = cfg.dir(); err != nil {
		return nil, err
	}

	if l.listed == nil { // otherwise a Listing has listed the packages
		if err := l.phase("list", l.list); err != nil {
			return nil, err
		}
	}
	l.std = newStdFinder(&l.goEnv, cfg.tags(l.goEnv.GOFLAGS), l.overlay)
	l.std.root = cfg.Root
	l.std.ctxt.OpenFile = func(name string) (io.ReadCloser, error) { return os.Open(l.choices.source(name)) }
	if err := l.phase("cgo", l.addCgo); err != nil {
		return nil, err
	}
	l.wanted = l.userPackages(l.listed)
	if len(l.std.tests) > 0 {
		l.cache = new(Cache) // the checked package includes the tests
	}
	l.outlines = l.newOutlines()
	if err := l.types(); err != nil {
		return nil, err
	}
	l.outlines.flush()
	l.explainLosses()
	if err := collect(l.all); err != nil {
		return nil, err
	}
	if cfg.Cache != nil {
		l.removeDead()
	}
	var prog *Program
	err = l.phase("create", func() (err error) { prog, err = l.program(); return })
	if err != nil {
		return nil, err
	}
	prog.Phases = l.phases
	return prog, nil
}

// types finds, parses and checks all packages.
func (l *loader) types() error {
	l.cache.enter(l)
	defer l.cache.leave(l)
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"discover", l.discover},
		{"parse", l.parse},
		{"cover", l.count},
		{"prune", l.prune},
		{"check", l.check},
	} {
		if err := l.phase(step.name, step.run); err != nil {
			return err
		}
	}
	return nil
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
	implicit := slices.Clone(roots)

	// Resolve the imports of the user's packages in reach.
	reached := make(map[string]bool) // by ID
	var missing error
	var visit func(p *Package)
	visit = func(p *Package) {
		if reached[p.ID] {
			return
		}
		reached[p.ID] = true
		for _, id := range p.list.Imports {
			if q := l.user[id]; q != nil {
				p.importIDs = append(p.importIDs, id)
				visit(q)
				continue
			}
			path, _, _ := strings.Cut(id, " ") // see imported
			if path == "unsafe" || path == "C" {
				continue
			}
			std, ok := l.std.resolve(path)
			if !ok {
				missing = cmp.Or(missing, fmt.Errorf("go list: %s is imported by %s but neither listed nor in %s", path, p.Path, l.goEnv.GOROOT))
				continue
			}
			p.importIDs = append(p.importIDs, std)
			roots = append(roots, std)
		}
		if p.ForTest != "" { // the examples of the test need not import it
			p.importIDs = append(p.importIDs, "testing")
			roots = append(roots, "testing")
		}
		slices.Sort(p.importIDs)
		p.importIDs = slices.Compact(p.importIDs)
	}
	for _, p := range l.wanted {
		if p.Std {
			roots = append(roots, p.Path)
		} else {
			visit(p)
		}
	}
	err := l.listErrors(l.listed, func(lp *listPackage) bool { return !lp.DepOnly || reached[lp.ImportPath] })
	if err != nil {
		return err
	}
	if missing != nil {
		return missing
	}
	if len(l.wanted) == 0 {
		return l.noFiles()
	}
	if l.stdPkgs, err = l.std.closure(roots, l.cache, l.outlines); err != nil {
		return err
	}
	for i, p := range l.wanted {
		if p.Std {
			q := l.stdPkgs[p.Path]
			q.UnderTest, q.ForTest, q.list = true, p.ForTest, p.list
			l.wanted[i] = q
		}
	}

	// Depth-first: dependencies come first. The go command has reported cycles
	// of the user's packages; the overlay may contain one by mistake.
	state := make(map[*Package]int) // 1: on the path, 2: done
	var order func(p *Package)
	order = func(p *Package) {
		state[p] = 1
		for _, id := range p.importIDs {
			q := l.imported(p, id)
			switch {
			case q == nil:
				panic("BUG: undiscovered package " + id)
			case state[q] == 1:
				err = cmp.Or(err, fmt.Errorf("overlay: package %s imports %s: import cycle not allowed", p.Path, q.Path))
				continue
			case state[q] == 0:
				order(q)
			}
			p.Imports = append(p.Imports, q)
		}
		state[p] = 2
		p.done = make(chan struct{})
		p.decls = new(declarations)
		l.all = append(l.all, p)
	}
	for _, id := range implicit {
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

// noFiles returns the error that the packages that matched have no files except tests.
func (l *loader) noFiles() error {
	var errs Errors
	for _, lp := range l.listed {
		if !lp.DepOnly && !lp.isTestMain() {
			errs = append(errs, Error{Msg: fmt.Sprintf("%s: no non-test Go files in %s", lp.ImportPath, lp.Dir)})
		}
	}
	return errs
}

// imported returns the package that p imports as id. Std packages see only each other, and have no test
// variants.
func (l *loader) imported(p *Package, id string) *Package {
	if q := l.user[id]; q != nil && !p.Std {
		return q
	}
	return l.stdPkgs[id]
}

// cgoErrors names the files of lp that are left out because they import "C".
func (l *loader) cgoErrors(lp *listPackage) []Error {
	var errs []Error
	for _, name := range lp.IgnoredGoFiles {
		if pos, ok := l.importsC(filepath.Join(lp.Dir, name)); ok {
			pos.Filename = l.compilerPath(pos.Filename)
			errs = append(errs, Error{Pos: pos, Msg: `import "C": the machine does not run C, so the build leaves this file out (CGO_ENABLED=0)`})
		}
	}
	return errs
}

// explainLosses adds cgoErrors to packages with undefined names.
func (l *loader) explainLosses() {
	undefined := func(e Error) bool { return strings.HasPrefix(e.Msg, "undefined: ") }
	for _, p := range l.all {
		if !p.Std && slices.ContainsFunc(p.errs, undefined) {
			p.errs = append(p.errs, l.cgoErrors(p.list)...)
		}
	}
}

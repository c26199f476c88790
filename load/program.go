package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// A Program is a type-checked program whose functions become SSA on demand.
type Program struct {
	Dir        string // absolute; positions are best shown relative to it
	GOROOT     string // where the files of std packages are
	GoVersion  string // version of the go command, "go1.27.1"
	Minor      int    // minor number of its release, 27
	Fset       *token.FileSet
	SSA        *ssa.Program
	Sizes      types.Sizes
	Packages   []*Package // packages that the patterns match, in the order of patterns and paths
	All        []*Package // these packages and all their imports; dependencies come first
	Entries    []*Entry   // entries of Packages, in that order and the order of the source
	Benchmarks []*Entry   // entries that are benchmarks, in the same order
	NoEntry    []NoEntry  // functions of Packages that look like entries and are not
	Dropped    []NoEntry  // tests of Packages that mention declarations without a model in the overlay
	Phases     []Phase    // the time of each phase of Load
	Bases      Kept       // of package vm: states in which packages are initialised
	Begun      Kept       // of package vm: machines in which packages are being initialised
	Variables  Kept       // of package observable: what changes
	Code       Kept       // of package link: code of functions without numbers
	Files      Kept       // of package vm: the host's files that have been read

	tests     bool     // Config.Tests
	names     bool     // Config.Names
	naming    sync.Map // by function: its Namings
	facts     keptFacts
	mentioned mentioned
	implicit  []*Package

	takenOnce    sync.Once
	taken        map[*types.Func]bool // see OnlyCalled
	togetherOnce sync.Once
	together     []*Entry // see Together
	byTypes      map[*types.Package]*Package
	byPath       map[string]*Package // std packages
	links        links
	cover        *coverage // nil: Config.Cover was not set
	choices      buildChoices
	root         string  // Config.Root
	again        *again  // nil: Config.Again was not set
	loader       *loader // checks bodies that are left for later
	built        building
}

// Kept holds data of another package that the machines for the entries of a program share.
type Kept struct {
	sync.Mutex
	Value any
}

// program creates the SSA program and its packages, without function bodies.
//
// BareInits: a package's init function initialises that package only. The
// order among packages is ours to keep (see InitOrder), because the calls ssa
// would emit follow the order of import declarations, which is neither the
// language's nor gc's.
func (l *loader) program() (*Program, error) {
	prog := &Program{
		Dir:    l.dir,
		GOROOT: l.goEnv.GOROOT,

		GoVersion: l.goEnv.GOVERSION,
		Minor:     minor(l.goEnv.GOVERSION),

		Fset:     l.fset,
		SSA:      ssa.NewProgram(l.fset, ssa.BareInits|ssa.InstantiateGenerics),
		Sizes:    sizes,
		Packages: l.wanted,
		tests:    l.cfg.Tests,
		names:    l.cfg.Names,
		All:      l.all,
		byTypes:  make(map[*types.Package]*Package),
		byPath:   l.stdPkgs,
		cover:    l.cover,
		choices:  l.choices,
		root:     l.cfg.Root,
		loader:   l,
		built:    building{created: make(map[*ssa.Package][]*ssa.Function)},
	}
	for _, path := range l.cfg.Implicit {
		id, _ := l.std.resolve(path)
		prog.implicit = append(prog.implicit, l.stdPkgs[id])
	}
	l.linkVariables()
	for _, p := range l.all {
		files, info := p.Files, p.Info
		if !p.Std {
			files, info = p.bodies(l.live)
		}
		p.SSA = prog.SSA.CreatePackage(p.Types, files, info, p.Std)
		if !prog.buildsWhole(p) {
			prog.built.takeFunctions(p.SSA)
		}
		p.SSA.SetDebugMode(l.cfg.Names && !p.library())
		prog.byTypes[p.Types] = p
	}
	if err := prog.findEntries(); err != nil {
		return nil, err
	}
	prog.collectLinks()
	prog.strip()
	if l.cfg.Again {
		prog.again = &again{l: l, info: make(map[*Package]*types.Info)}
	}
	for _, p := range l.all {
		if p.library() { // package ssa keeps the data that it still needs
			if l.cfg.Again {
				prog.again.info[p] = p.Info
			}
			p.Info = nil
		}
	}
	return prog, nil
}

// Size returns the number of functions and methods that are declared in the program.
func (prog *Program) Size() int {
	n := 0
	for _, p := range prog.All {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if _, ok := d.(*ast.FuncDecl); ok {
					n++
				}
			}
		}
	}
	return n
}

// Package returns the std package at path (one the overlay brings along
// included), or nil if the program does not import it.
func (prog *Program) Package(path string) *Package { return prog.byPath[path] }

// PackageOf returns the package that declares fn, or the function whose instance or wrapper fn is; nil for
// functions of no package, such as the wrapper of error.Error.
func (prog *Program) PackageOf(fn *ssa.Function) *Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg != nil {
		return prog.byTypes[fn.Pkg.Pkg]
	}
	if obj := fn.Object(); obj != nil && obj.Pkg() != nil {
		return prog.byTypes[obj.Pkg()]
	}
	return nil
}

// InLibrary reports whether fn is code of the standard library that is not a subject itself: in a package
// under test, only code of the overlay.
func (prog *Program) InLibrary(fn *ssa.Function) bool {
	p := prog.PackageOf(fn)
	if p == nil || !p.Std {
		return false
	}
	return !p.UnderTest || strings.HasPrefix(prog.Fset.Position(fn.Pos()).Filename, overlayDir+"/")
}

// IsOwn reports whether fn is the user's own code: in a module in which the go command works, in a module
// with an explored package, or in no module. The overlay is not.
func (prog *Program) IsOwn(fn *ssa.Function) bool {
	p := prog.PackageOf(fn)
	if p == nil || p.Std && (!p.UnderTest || strings.HasPrefix(prog.Fset.Position(fn.Pos()).Filename, overlayDir+"/")) {
		return false
	}
	if !p.Main && !p.UnderTest && p.Module != "" && !prog.explores(p.Module) {
		return false
	}
	return !prog.InHarness(fn)
}

// explores reports whether an entry is in the module: packages of other modules can be explored, too.
func (prog *Program) explores(module string) bool {
	return slices.ContainsFunc(prog.Packages, func(p *Package) bool { return p.Module == module })
}

// Packages of ours that tests import.
const (
	hbtest = "hbcheck.dev/hbcheck/hbtest"
	lin    = hbtest + "/lin"
)

// UsesHarness reports whether the program contains package hbtest, and so may have inputs.
func (prog *Program) UsesHarness() bool {
	//mutant: random values have labels beside inputs [inputs Refused]: "p.Path == hbtest" -> "false"
	return slices.ContainsFunc(prog.All, func(p *Package) bool { return p.Path == hbtest })
}

// InHarness reports whether fn is code of package hbtest or hbtest/lin, which call functions of a test.
// Such code is not a subject itself, unless it belongs to a test of these packages.
func (prog *Program) InHarness(fn *ssa.Function) bool {
	p := prog.PackageOf(fn)
	return p != nil && (p.Path == hbtest || p.Path == lin) &&
		!strings.HasSuffix(prog.Fset.Position(fn.Pos()).Filename, "_test.go")
}

// IsStd reports whether pkg belongs to the standard library or its overlay.
func (prog *Program) IsStd(pkg *types.Package) bool {
	p := prog.byTypes[pkg]
	return pkg == types.Unsafe || p != nil && p.Std
}

// IsModel reports whether fn belongs to a model, or is an instance, a wrapper or a part of a function that
// does. The overlay provides the functions of models, in files whose names do not mark them as plain code
// (package internal/effect of the overlay). The other functions of a patched package are real ones. Functions
// of package hbtest/lin belong to a model, too; that package documents why no other goroutine notices its
// accesses.
func (prog *Program) IsModel(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if p := prog.PackageOf(fn); p != nil && p.Path == lin {
		return prog.InHarness(fn)
	}
	f := prog.Fset.File(fn.Pos())
	//mutant: real code is trusted [models TestModels/sharedRand]: "strings.HasPrefix(f.Name(), overlayDir+\"/\")" -> "prog.PackageOf(fn) != nil && prog.PackageOf(fn).Std"
	return f != nil && strings.HasPrefix(f.Name(), overlayDir+"/") &&
		//mutant: plain code is trusted [models TestModels/memStats]: "!strings.HasPrefix(path.Base(f.Name()), \"plain\")" -> "path.Base(f.Name()) != \"plain\""
		!strings.HasPrefix(path.Base(f.Name()), "plain")
}

// EnsureBuilt makes sure that fn has its body, if the source gives it one.
// It is safe for concurrent use and cheap when there is nothing
// to do.
//
// Afterwards, Blocks is nil only for functions without a body. Instances of
// generic functions and wrappers of methods belong to no ssa.Package; they are
// built when they are created, by whatever refers to them.
func (prog *Program) EnsureBuilt(fn *ssa.Function) {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg != nil {
		if p := prog.byTypes[fn.Pkg.Pkg]; p != nil && !prog.buildsWhole(p) {
			prog.buildFunction(p, fn)
		} else {
			fn.Pkg.Build()
		}
	} else if prog.cover != nil {
		prog.cover.stripFunction(fn)
	}
}

// Within returns pos with its file name relative to the directory where the program was loaded, if it is
// below that.
func (p *Program) Within(pos token.Position) token.Position {
	if rel, ok := strings.CutPrefix(pos.Filename, p.Dir+string(filepath.Separator)); ok {
		pos.Filename = rel
	}
	return pos
}

// SourceFiles yields the files of p.Packages, each once: the variants of a package for its tests share files.
func (p *Program) SourceFiles() iter.Seq[*ast.File] {
	return func(yield func(*ast.File) bool) {
		seen := make(map[string]bool)
		for _, q := range p.Packages {
			for _, f := range q.Files {
				name := p.Fset.Position(f.Pos()).Filename
				if !seen[name] && !yield(f) {
					return
				}
				seen[name] = true
			}
		}
	}
}

package analyze

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
)

// Program is a loaded program with the results of analyses, which are computed on demand.
type Program struct {
	Prog    *load.Program
	Entries []*load.Entry // where execution may begin
	Deps    bool          // select facts about all packages, not only about those named

	// Timeout bounds the time of each analysis; 0 means that there is no bound.
	Timeout time.Duration
	// GaveUp are the names of the analyses that have taken longer.
	GaveUp []string

	deadline time.Time    // end of the time of the present analysis
	base     *static.Base // base of the analyses of package static, once there are any
	analyses []Analysis
	natives  static.Natives
	result   *pointer.Result
	graph    *static.CallGraph
	named    map[*load.Package]bool
	funcs    []*ssa.Function
	generic  []*ssa.Function // generic functions of which no instance is reached
	files    map[*token.File]*load.Package

	// Work bounds the points-to analysis of Solve: see pointer.AnalyzeWithin; 0 means that there is no bound.
	Work uint64

	// Stop, if set, ends Solve when it reports true.
	Stop func() bool

	solvers      *pointer.Analyses
	pointerTime  time.Duration
	withoutUsers bool
}

// New returns prog as executed from entries.
func New(prog *load.Program, natives static.Natives, entries []*load.Entry) *Program {
	p := &Program{Prog: prog, Entries: entries, natives: natives, named: make(map[*load.Package]bool), solvers: pointer.Of(prog)}
	for _, pkg := range prog.Packages {
		p.named[pkg] = true
	}
	return p
}

// Entries returns the entries of the packages named on a command line: main functions, tests, and exported
// functions.
func Entries(prog *load.Program) []*load.Entry {
	list := slices.Clone(prog.Entries)
	for _, p := range prog.Packages {
		if e := prog.Library(p); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// Solve runs the points-to analysis, on which all others depend. It reports false if that takes longer than
// Timeout, or more than Work.
func (p *Program) Solve() bool {
	begin := time.Now()
	p.result = p.solvers.Within(p.Work, func() bool {
		return p.Timeout > 0 && time.Since(begin) > p.Timeout || p.Stop != nil && p.Stop()
	}, p.Entries...)
	p.pointerTime = time.Since(begin)
	return p.result != nil
}

// SolveWithoutUsers is Solve without the code that uses the packages named, for findings where Solve takes
// too long. It takes a fraction of the time of Solve.
func (p *Program) SolveWithoutUsers() bool {
	begin := time.Now()
	p.result = p.solvers.WithoutUsers(p.Work, func() bool { return p.Timeout > 0 && time.Since(begin) > p.Timeout }, p.Entries...)
	p.withoutUsers = true
	return p.result != nil
}

// SolveOwn is SolveWithoutUsers without most of the code of other modules.
func (p *Program) SolveOwn() bool {
	begin := time.Now()
	p.result = p.solvers.Own(p.Work, func() bool { return p.Timeout > 0 && time.Since(begin) > p.Timeout }, p.Entries...)
	p.withoutUsers = true
	return p.result != nil
}

// Pointer returns the points-to analysis. Solve must have been called.
func (p *Program) Pointer() *pointer.Result { return p.result }

// Graph returns the call graph that the analyses of package static use.
func (p *Program) Graph() *static.CallGraph {
	if p.graph == nil {
		p.graph = static.NewCallGraphOf(p.Prog, p.Pointer(), p.natives)
	}
	return p.graph
}

// shown reports whether facts about pkg are wanted.
func (p *Program) shown(pkg *load.Package) bool { return p.named[pkg] || p.Deps && pkg != nil }

// Functions returns the functions for which facts are selected, sorted by position: those of the packages
// named, reachable or not, with instances in place of generic functions; with Deps also all other reachable
// functions.
func (p *Program) Functions() []*ssa.Function {
	if p.funcs != nil {
		return p.funcs
	}
	seen, instances := make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || seen[fn] || fn.Syntax() == nil && fn.Synthetic != "" {
			return // wrappers and initialisers have no place in the source
		}
		seen[fn] = true
		p.Prog.EnsureBuilt(fn)
		if o := fn.Origin(); o != nil {
			instances[o] = true
		}
		if fn.TypeParams().Len() > len(fn.TypeArgs()) {
			p.generic = append(p.generic, fn)
			return
		}
		p.funcs = append(p.funcs, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, pkg := range p.Prog.Packages {
		for _, fn := range declared(p.Prog, pkg) {
			add(fn)
		}
	}
	for _, fn := range p.Pointer().Reachable() {
		if p.shown(p.Prog.PackageOf(fn)) {
			add(fn)
		}
	}
	p.sort(p.funcs)
	p.generic = slices.DeleteFunc(p.generic, func(fn *ssa.Function) bool { return instances[fn] })
	p.sort(p.generic)
	return p.funcs
}

// Generic returns the generic functions of the packages named that have no reachable instance to analyse,
// sorted by position.
func (p *Program) Generic() []*ssa.Function {
	p.Functions()
	return p.generic
}

// whyNot says why there is no instance of fn.
func (p *Program) whyNot(fn *ssa.Function) string {
	s := p.Name(fn) + " is generic and not analysed: no instance of it is called from any entry"
	for _, e := range p.Entries {
		for _, x := range e.Left {
			if x.Func == fn {
				s += ", and " + x.Why
			}
		}
	}
	return s
}

// declared returns the functions and methods of pkg in the order of the source.
func declared(prog *load.Program, pkg *load.Package) []*ssa.Function {
	prog.BuildPackage(pkg.SSA)
	var list []*ssa.Function
	for _, f := range pkg.Files {
		for _, d := range f.Decls {
			if fn := declaredBy(pkg, d); fn != nil {
				list = append(list, fn)
			}
		}
	}
	// Function literals in the initial values of variables.
	if init := pkg.SSA.Func("init"); init != nil {
		list = append(list, init.AnonFuncs...)
	}
	return list
}

// sort sorts functions by position, then by name.
func (p *Program) sort(list []*ssa.Function) {
	slices.SortFunc(list, func(a, b *ssa.Function) int {
		return cmp.Or(comparePositions(p.position(a.Pos()), p.position(b.Pos())), strings.Compare(a.String(), b.String()))
	})
}

func comparePositions(a, b token.Position) int {
	return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func (p *Program) position(pos token.Pos) token.Position { return p.Prog.Fset.Position(pos) }

// Reached reports whether fn may be called.
func (p *Program) Reached(fn *ssa.Function) bool { return p.Pointer().IsReachable(fn) }

// Name returns the name of fn as people write it: with the package's name only if the function is of
// another package than p.
func (p *Program) Name(fn *ssa.Function) string {
	pkg := p.Prog.PackageOf(fn)
	if pkg != nil && p.named[pkg] && len(p.paths()) == 1 {
		return fn.RelString(pkg.Types)
	}
	return fn.String()
}

// paths returns the import paths of the packages named.
func (p *Program) paths() []string {
	var list []string
	for _, pkg := range p.Prog.Packages {
		path := cmp.Or(pkg.ForTest, pkg.Path)
		if !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// NoSuchFunction is the error for a --func that matches no function.
type NoSuchFunction struct {
	Name    string
	Like    []string
	Generic string // the facts about a function of this name
}

// Error suggests similar names.
func (e *NoSuchFunction) Error() string {
	if e.Generic != "" {
		return fmt.Sprintf("--func %s: %s", e.Name, e.Generic)
	}
	s := fmt.Sprintf("--func %s: no such function in the packages loaded", e.Name)
	if len(e.Like) > 0 {
		s += "; there is " + strings.Join(e.Like, ", ")
	}
	return s
}

func declaredBy(pkg *load.Package, d ast.Decl) *ssa.Function {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return nil
	}
	obj, _ := pkg.Info.Defs[f.Name].(*types.Func)
	if obj == nil {
		return nil // init functions and blanks are found below
	}
	return pkg.SSA.Prog.FuncValue(obj)
}

// packageAt returns the package whose source contains pos, or nil.
func (p *Program) packageAt(pos token.Pos) *load.Package {
	f := p.Prog.Fset.File(pos)
	if f == nil {
		return nil
	}
	if p.files == nil {
		p.files = make(map[*token.File]*load.Package)
		for _, pkg := range p.Prog.All {
			for _, tree := range pkg.Files {
				p.files[p.Prog.Fset.File(tree.Pos())] = pkg
			}
		}
	}
	return p.files[f]
}

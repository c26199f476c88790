package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"runtime"
	"strings"
)

// sizes are those of gc on the machine's platform.
var sizes = types.SizesFor("gc", goarch)

// check type-checks all packages, each as soon as those it imports are done.
// Errors are left in the packages; a package that imports one with errors is
// not checked, as the go command would not compile it.
func (l *loader) check() error {
	checking.RLock()
	defer checking.RUnlock()
	sem := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range l.all {
		if p.Types != nil { // from the cache
			close(p.done)
			continue
		}
		go func() {
			defer close(p.done)
			ok := len(p.errs) == 0
			for _, q := range p.Imports {
				<-q.done
				ok = ok && q.Types != nil
			}
			if ok {
				sem <- struct{}{}
				l.checkPackage(p)
				<-sem
			}
		}()
	}
	for i, p := range l.all {
		<-p.done
		if l.cfg.Loaded != nil {
			l.cfg.Loaded(i+1, len(l.all))
		}
		for _, f := range p.files {
			f.src = nil
		}
	}
	return nil
}

// checkPackage sets p's Types and Info, unless it has errors.
func (l *loader) checkPackage(p *Package) {
	for l.dropUncheckable(p) {
	}
	if oneByOne && p.library() && p.outline == nil && !l.cfg.whole && !l.cfg.early {
		p.setBodiesAside()
	}
	cfg, info := l.checkerConfig(p), newInfo()
	// For the compiler, stack traces and reflection the path of a command's package is "main"; it has its
	// own path only when it is compiled for its own test.
	path := p.Path
	if p.Name == "main" && p.ForTest == "" {
		path = "main"
	}
	tp := types.NewPackage(path, p.Name)
	err := types.NewChecker(cfg, l.fset, tp, info).Files(p.Files)
	if err != nil && len(p.errs) == 0 {
		l.typeError(p, err)
	}
	if len(p.errs) == 0 {
		p.Types, p.Info = tp, info
		l.setVars(p)
		//mutant: map literals are in the order of the source [env TestPrograms/maplit]
		p.orderMapLits()
		p.layTables()
		p.initWork, p.nonblocking = initWorkOf(p.Files, p.Info), nonblockingOf(p)
		if p.outline == nil {
			p.facts, p.testing = factsOf(p), testMethodsOf(p)
		}
		p.Embeds = findEmbeds(p, l.choices.source)
	}
}

// checkerConfig returns how p is checked.
func (l *loader) checkerConfig(p *Package) *types.Config {
	return &types.Config{
		Importer:  importer{l, p},
		Sizes:     sizes,
		GoVersion: cmp.Or(p.GoVersion, l.language()),
		Error:     func(err error) { l.typeError(p, err) },
		// A removed declaration may have been the only use of an import.
		DisableUnusedImportCheck: p.library() || p.Std && (p.Overlaid || p.pruned) || !p.Std && p.list.cgo != nil || len(p.Dropped) > 0,
	}
}

// newInfo returns information with all that package ssa needs.
func newInfo() *types.Info {
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
}

// language returns the language version for packages that have none. The result is empty, which means the
// version of go/types, unless the go command is of another release.
func (l *loader) language() string {
	if len(l.goEnv.tags.Releases) == 0 {
		return ""
	}
	return version.Lang(release(l.goEnv.GOVERSION))
}

// importer resolves the imports of one package.
type importer struct {
	l *loader
	p *Package
}

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if q := i.l.importedBy(i.p, path); q != nil && q.Types != nil {
		return q.Types, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// importedBy returns the package that an import of path in p means, nil if
// there is none among p.Imports.
func (l *loader) importedBy(p *Package, path string) *Package {
	id := path
	if p.Std {
		id, _ = l.std.resolve(path)
	} else {
		if mapped := p.list.ImportMap[path]; mapped != "" {
			id = mapped
		}
		if l.user[id] == nil { // no package of the user's: a std package, which has no variants
			id, _, _ = strings.Cut(id, " ")
			id, _ = l.std.resolve(id)
		}
	}
	for _, q := range p.Imports {
		if q.ID == id {
			return q
		}
	}
	return nil
}

package load

import (
	"errors"
	"go/types"
	"slices"
	"sync"
)

// A program is loaded again after edits of a few of its files, which usually change numbers in a test. Only
// the packages of these files, and those that import them, are parsed and checked again. All other packages
// share files and types with the first program; nothing writes to these after Load. SSA is made anew,
// function by function as it is needed, because a package of package ssa belongs to one program.

// again is the data that a Program keeps for Again.
type again struct {
	mu   sync.Mutex // guards the file set, and is held while files get their ranges in it
	l    *loader
	info map[*Package]*types.Info // type information of packages that have released theirs
}

// ErrNotAgain is the error of Again for a program that cannot be loaded again in parts.
var ErrNotAgain = errors.New("load: the program cannot be loaded again in parts")

// Again loads the program again, with edits of files of the user's. It needs Config.Again.
func (prog *Program) Again(edits []Edit) (*Program, error) {
	a := prog.again
	if a == nil || a.l.cover != nil || len(a.l.std.tests) > 0 {
		return nil, ErrNotAgain
	}
	l := newLoader(a.l.cfg)
	l.dir, l.goEnv, l.choices, l.listed, l.std, l.live = a.l.dir, a.l.goEnv, a.l.choices, a.l.listed, a.l.std, a.l.live
	cfg := *l.cfg
	cfg.Edits, cfg.Loaded, cfg.Again = edits, nil, false
	l.cfg, l.fset, l.stdPkgs = &cfg, a.l.fset, make(map[string]*Package)
	copies := make(map[*Package]*Package)
	fresh := make(map[*Package]bool)
	for _, p := range a.l.all { // dependencies come first
		edited := !p.Std && slices.ContainsFunc(p.files, func(f *file) bool {
			return slices.ContainsFunc(edits, func(e Edit) bool { return e.Pos.Filename == f.name })
		})
		//mutant: what imports an edited package keeps the types of the first program [test ./load TestAgain]: "edited || " -> "edited || false && "
		fresh[p] = edited || slices.ContainsFunc(p.Imports, func(q *Package) bool { return fresh[q] })
		q := p.shared()
		if fresh[p] {
			q = p.unread()
		} else if q.Info == nil {
			q.Info = a.info[p]
		}
		q.done, q.decls = make(chan struct{}), new(declarations)
		for _, imp := range p.Imports {
			q.Imports = append(q.Imports, copies[imp])
		}
		copies[p] = q
		l.all = append(l.all, q)
		if p.Std {
			l.stdPkgs[q.Path] = q
		} else {
			l.user[q.ID] = q
		}
	}
	for _, p := range a.l.wanted {
		l.wanted = append(l.wanted, copies[p])
	}
	if err := a.parse(l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	if err := collect(l.all); err != nil {
		return nil, err
	}
	return l.program()
}

// parse parses those files of l that are not parsed yet. Loads take turns with the file set, because a
// cache may share it.
func (a *again) parse(l *loader) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := l.cfg.Cache; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	l.end = l.fset.Base() - 1
	return l.parse()
}

// unread returns a copy of p, a package of the user's, without its files and types.
func (p *Package) unread() *Package {
	q := &Package{ID: p.ID, Path: p.Path, Name: p.Name, Dir: p.Dir, Module: p.Module, GoVersion: p.GoVersion,
		Settings: p.Settings, ForTest: p.ForTest, Main: p.Main, published: p.published, list: p.list,
		importIDs: p.importIDs, decls: new(declarations)}
	for _, f := range p.files {
		q.files = append(q.files, &file{name: f.name, patch: f.patch, cgo: f.cgo})
	}
	return q
}

package load

import (
	"errors"
	"slices"
	"strings"
)

// Broken are requested packages that could not be loaded, with the errors in them or in their imports.
type Broken struct {
	Paths []string // import paths; of tests, that of the package under test
	Err   error
}

// LoadRest loads the packages that x lists, as Load does. But if only some of them have errors, it loads
// the others, and Broken has those that it could not load; otherwise Broken is nil. It can be called once.
func (x *Listing) LoadRest() (*Program, *Broken, error) {
	cfg, first := x.cfg, x.l
	var broken *Broken
	var all Errors
	for {
		l := first
		if first = nil; l == nil { // the go command is asked again
			l = newLoader(&cfg)
		}
		prog, err := l.load()
		if err == nil {
			return prog, broken, nil
		}
		var wrong Errors
		if !errors.As(err, &wrong) {
			return nil, nil, err
		}
		for _, e := range wrong {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
		// Errors of types are found only when the go command can list all packages: so try again
		// without those at fault.
		good, bad := l.sides()
		if len(good) == 0 || len(bad) == 0 {
			return nil, nil, all
		}
		if broken == nil {
			broken = new(Broken)
		}
		broken.Paths, broken.Err = slices.Concat(broken.Paths, bad), all
		slices.Sort(broken.Paths)
		cfg.Patterns = good
	}
}

// sides divides the packages that the patterns match: bad packages are at fault themselves or import a bad
// package; all others are good.
func (l *loader) sides() (good, bad []string) {
	wrong := make(map[string]bool) // by ID: itself
	for _, lp := range l.listed {
		wrong[lp.ImportPath] = lp.Error != nil
	}
	for _, p := range l.user {
		wrong[p.ID] = wrong[p.ID] || len(p.errs) > 0
	}
	reaches := make(map[string]bool) // by ID: a package at fault; false during its visit
	var visit func(id string) bool
	visit = func(id string) bool {
		if r, seen := reaches[id]; seen {
			return r
		}
		reaches[id] = false
		r := wrong[id]
		if p := l.user[id]; p != nil {
			for _, q := range p.list.Imports {
				r = visit(q) || r
			}
		}
		reaches[id] = r
		return r
	}
	paths := make(map[string]bool) // whether a package that was asked for is at fault
	for _, lp := range l.listed {
		if lp.DepOnly {
			continue
		}
		path := lp.path()
		switch {
		case lp.ForTest != "":
			path = lp.ForTest
		case lp.isTestMain():
			path = strings.TrimSuffix(path, ".test")
		}
		paths[path] = visit(lp.ImportPath) || paths[path]
	}
	for path, wrong := range paths {
		if wrong {
			bad = append(bad, path)
		} else {
			good = append(good, path)
		}
	}
	slices.Sort(good)
	slices.Sort(bad)
	return good, bad
}

package pointer

import (
	"go/types"

	"hbcheck.dev/hbcheck/load"
)

// Analyses are several analyses of one program, one after the other, such as attempts that are cut off. They
// share what depends only on types: the layouts, and which types implement which interfaces. The kinds of
// contexts (Policy) are determined anew, because for recursive functions they depend on the order in which
// the analysis finds the functions.
type Analyses struct {
	prog *load.Program
	lays *layouts
	impl map[types.Type]map[types.Type]bool // whether a type implements an interface, by interface; both are canonical
}

// Of returns analyses of prog that have not begun.
func Of(prog *load.Program) *Analyses {
	return &Analyses{prog: prog, lays: newLayouts(prog.Sizes), impl: make(map[types.Type]map[types.Type]bool)}
}

// Within is AnalyzeWithin.
func (s *Analyses) Within(work uint64, interrupt func() bool, entries ...*load.Entry) *Result {
	return s.analyze(&analysis{most: work}, interrupt, entries)
}

// WithoutUsers is Within for libraries without the code that uses them. All exported functions are called,
// with parameters that point to nothing. The result only covers the library's own allocations: pointers may
// point to other objects, too.
func (s *Analyses) WithoutUsers(work uint64, interrupt func() bool, entries ...*load.Entry) *Result {
	return s.analyze(&analysis{alone: true, most: work}, interrupt, entries)
}

// Own is WithoutUsers for modules that use much other code. It analyses the module, and of the other code
// only the packages in ownLibrary. A function outside calls the functions and methods that are passed to it,
// returns nothing, and has no other effect. If the bound is reached, a coarser analysis with ten times the
// bound begins: a function has few contexts (maxContexts), conversions of unsafe.Pointer only have addresses
// of their type (fitting), and calls by functions outside have arguments that point to nothing
// (calledOutside).
func (s *Analyses) Own(work uint64, interrupt func() bool, entries ...*load.Entry) *Result {
	r := s.analyze(&analysis{alone: true, own: true, most: work}, interrupt, entries)
	if r == nil {
		//mutant: no attempt with few contexts [test ./static/pointer TestFewContexts]: remove
		r = s.analyze(&analysis{alone: true, own: true, few: true, most: 10 * work}, interrupt, entries)
	}
	return r
}

package load

import (
	"go/types"
	"sync"
)

// Other entries reach most of the declarations that an entry reaches. So each declaration keeps the set of
// functions mentioned in it, and in all that it reaches. Declarations that reach each other have the same set
// (Tarjan 1972). The set does not depend on the entry: all declarations that a package mentions are in
// packages that it imports, so they are linked wherever that package is.

// A mentionSet has the functions that decide about facts of an entry.
type mentionSet uint64

// Its elements.
const (
	mentionsGoroutines mentionSet = 1 << iota // showsGoroutines
	mentionsInspecting                        // inspectsAll
	mentionsBubbles                           // of testing/synctest

	mentionsMethods = iota // place of the TestMethods
)

// mentionsOf returns the set for a mention of fn; own reports whether it is one of ownStack.
func mentionsOf(fn *types.Func, own bool) mentionSet {
	set := mentionSet(testMethod(fn)) << mentionsMethods
	if own {
		return set
	}
	if showsGoroutines(fn) {
		set |= mentionsGoroutines
	}
	if inspectsAll(fn) {
		set |= mentionsInspecting
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "testing/synctest" {
		set |= mentionsBubbles
	}
	return set
}

// mentioned has the sets of declarations outside of the standard library, and of the declarations of a
// package that no identifier refers to.
type mentioned struct {
	sync.Mutex
	of        map[*declared]*mentioning
	stack     []*declared // visited, and in a component that is not complete
	inits     map[*Package]mentionSet
	variables map[*Package]mentionSet
}

// mentioning is the set of a declaration.
type mentioning struct {
	number, low int
	open        bool // its component is not complete
	set         mentionSet
}

// reached returns the functions that are mentioned in code that e reaches, outside of the standard library.
func (prog *Program) reached(e *Entry) (set mentionSet) {
	m := &prog.mentioned
	m.Lock()
	defer m.Unlock()
	if m.of == nil {
		m.of, m.inits, m.variables = make(map[*declared]*mentioning), make(map[*Package]mentionSet), make(map[*Package]mentionSet)
	}
	kept := func(sets map[*Package]mentionSet, p *Package, list []*declared) mentionSet {
		x, ok := sets[p]
		if !ok {
			x = prog.mentionedIn(list)
			sets[p] = x
		}
		return x
	}
	linked := make(map[*types.Package]bool)
	for _, p := range closure(e.roots) {
		if p.Std {
			continue
		}
		linked[p.Types] = true
		set |= kept(m.inits, p, p.declarations().inits)
		if e.initialisers {
			//mutant: initialisers of variables mention nothing [test ./load TestMentioned]: remove
			set |= kept(m.variables, p, p.declarations().variables)
		}
	}
	begin := []types.Object{e.Func.Object()}
	if e.Beside != nil {
		//mutant: the test beside mentions nothing [test ./load TestMentioned]: remove
		begin = append(begin, e.Beside.Func.Object())
	}
	if e.TestMain != nil {
		begin = append(begin, e.TestMain.Object())
	}
	for _, obj := range begin {
		if obj != nil && linked[obj.Pkg()] {
			set |= prog.mentionedIn(prog.declaredAs(obj))
		}
	}
	return set
}

func (prog *Program) mentionedIn(list []*declared) (set mentionSet) {
	for _, d := range list {
		x := prog.mentioned.of[d]
		if x == nil {
			x = prog.mention(d)
		}
		set |= x.set
	}
	return set
}

// declaredAs returns the declarations of obj outside of the standard library.
func (prog *Program) declaredAs(obj types.Object) []*declared {
	if p := prog.byTypes[obj.Pkg()]; p != nil && !p.Std {
		return p.declarations().of[obj]
	}
	return nil
}

// mention computes the set of d and of what it reaches.
func (prog *Program) mention(d *declared) *mentioning {
	m := &prog.mentioned
	x := &mentioning{number: len(m.of), low: len(m.of), open: true}
	m.of[d] = x
	m.stack = append(m.stack, d)
	for _, use := range d.mentions() {
		obj := use.obj
		switch o := obj.(type) {
		case *types.Func:
			obj = o.Origin()
			x.set |= mentionsOf(o, use.ownStack)
		case *types.Var:
			obj = o.Origin()
		}
		for _, c := range prog.declaredAs(obj) {
			y := m.of[c]
			if y == nil {
				y = prog.mention(c)
			}
			if y.open {
				x.low = min(x.low, y.low)
			}
			x.set |= y.set
		}
	}
	if x.low < x.number {
		return x
	}
	for i := len(m.stack) - 1; ; i-- {
		y := m.of[m.stack[i]]
		x.set |= y.set
		if y == x {
			for _, c := range m.stack[i:] {
				//mutant: declarations that reach each other do not mention the same [test ./load TestMentioned]: "false, x.set" -> "false, m.of[c].set"
				m.of[c].open, m.of[c].set = false, x.set
			}
			m.stack = m.stack[:i]
			return x
		}
	}
}

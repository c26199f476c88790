package findings

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// This file computes which functions may run at the same time. A thread is the execution of one
// root, of all users of a library together, or of the goroutines that one go statement starts. It
// is marked in many if several of its goroutines may run at a time.

// thread is a set of numbers of threads.
type thread map[int]bool

type threads struct {
	of   map[*ssa.Function]thread
	many map[int]bool
}

// parallel reports whether f and g may run at the same time.
func (p *pass) parallel(f, g *ssa.Function) bool {
	t := p.allThreads()
	for x := range t.of[f] {
		for y := range t.of[g] {
			if x != y && (x > 0 || y > 0) || x == y && t.many[x] {
				return true
			}
		}
	}
	return false
}

func (p *pass) allThreads() *threads {
	if p.thr != nil {
		return p.thr
	}
	t := &threads{of: map[*ssa.Function]thread{}, many: map[int]bool{}}
	p.thr = t
	// The goroutines that are started, and their places.
	type start struct {
		fn   *ssa.Function
		site ssa.Instruction
		id   int
	}
	var starts []start
	calls := map[*ssa.Function][]*ssa.Function{}
	all := p.Graph.Functions()
	const users, rest = 1, 2 // threads
	id := rest
	for _, fn := range all {
		if p.Graph.Body(fn) != fn {
			continue
		}
		code := p.Base.Code(fn)
		for _, b := range fn.Blocks {
			for _, step := range code.Steps(b.Index) {
				for _, c := range step.Callees() {
					if c.Fn == nil {
						continue
					}
					if step.Kind() == static.Starts {
						id++
						starts = append(starts, start{c.Fn, step.Instr(), id})
					} else {
						calls[fn] = append(calls[fn], c.Fn)
					}
				}
			}
		}
	}
	// visit reports whether anything is new.
	var visit func(fn *ssa.Function, id int) bool
	visit = func(fn *ssa.Function, id int) bool {
		if t.of[fn][id] {
			return false
		}
		if t.of[fn] == nil {
			t.of[fn] = thread{}
		}
		t.of[fn][id] = true
		for _, g := range calls[fn] {
			visit(g, id)
		}
		return true
	}
	t.many[users] = true
	mains := 0
	for _, r := range p.Roots {
		if r.Library {
			visit(r.Fn, users)
		} else {
			// Different entries are different programs, and only one of them runs.
			mains++
			visit(r.Fn, -mains)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, s := range starts {
			by := t.of[s.site.Parent()]
			if len(by) == 0 {
				continue
			}
			changed = visit(s.fn, s.id) || changed
			many := inLoop(s.site.Block()) || p.calledTwice(s.site.Parent())
			for x := range by {
				many = many || t.many[x]
			}
			if many && !t.many[s.id] {
				t.many[s.id] = true
				changed = true
			}
		}
	}
	// Code outside of the program may call functions of the program. A literal then runs in the threads of
	// its enclosing function, because most literals are callbacks; any other function runs in any goroutine.
	t.many[rest] = true
	for _, fn := range all {
		if p.Graph.Body(fn) != fn || len(t.of[fn]) > 0 {
			continue
		}
		if fn.Parent() == nil {
			visit(fn, rest)
			continue
		}
		for x := range t.of[fn.Parent()] {
			visit(fn, x)
		}
	}
	return t
}

// calledTwice reports whether fn may be called more than once.
func (p *pass) calledTwice(fn *ssa.Function) bool {
	p.findCallers()
	sites := p.callers[fn]
	if len(sites) == 0 {
		return slices.ContainsFunc(p.Roots, func(r Root) bool { return r.Library && r.Fn == fn })
	}
	return len(sites) > 1 || inLoop(sites[0].Block())
}

// inLoop reports whether b can be executed again after it has been.
func inLoop(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := slices.Clone(b.Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			work = append(work, x.Succs...)
		}
	}
	return false
}

package findings

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// fieldOf returns the field that instr reads or writes: "pkg.S.f", and whether it writes. A write to the map
// in a field is a write to the field.
func fieldOf(instr ssa.Instruction) (fa *ssa.FieldAddr, write bool) {
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			fa, _ = i.X.(*ssa.FieldAddr)
		}
	case *ssa.Store:
		fa, _ = i.Addr.(*ssa.FieldAddr)
		return fa, true
	case *ssa.MapUpdate:
		if x, ok := i.Map.(*ssa.UnOp); ok && x.Op == token.MUL {
			fa, _ = x.X.(*ssa.FieldAddr)
		}
		return fa, true
	}
	return fa, false
}

func fieldName(fa *ssa.FieldAddr) string {
	t := fa.X.Type().Underlying().(*types.Pointer).Elem()
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin()
	}
	return types.TypeString(t, nil) + "." + t.Underlying().(*types.Struct).Field(fa.Field).Name()
}

// guardedAccess is an access to a field, with the locks that are held in all contexts.
type guardedAccess struct {
	instr ssa.Instruction
	write bool
	locks []static.Guard
}

// checkGuards finds fields that are accessed without the lock that most accesses hold (HBA107), and fields
// that are written while it is held for reading only (HBA108).
func checkGuards(p *pass) {
	g := static.NewGuardedBy(p.Base, static.NewForeignUnlock(p.Base))
	var roots []*ssa.Function
	for _, r := range p.Roots {
		roots = append(roots, r.Fn)
	}
	p.eachStart(func(_ *ssa.Function, _ static.Step, c static.Callee) { roots = append(roots, c.Fn) })
	all, ok := p.within(g, roots)
	if !ok {
		p.note("HBA107, and most of HBA108")
		p.mapsReadLocked()
		return
	}
	by := map[ssa.Instruction]*guardedAccess{}
	g.Each(all, func(x static.Guarded, locks []static.Guard) {
		if x.Instr == nil || !p.wanted[x.Instr.Parent()] {
			return
		}
		fa, write := fieldOf(x.Instr)
		if fa == nil || p.freshly(fa) || norace(x.Instr) {
			return
		}
		locks = append(slices.Clone(locks), p.ownGuards(x.Instr, fa)...)
		a := by[x.Instr]
		if a == nil {
			by[x.Instr] = &guardedAccess{x.Instr, write, locks}
			return
		}
		a.locks = slices.DeleteFunc(a.locks, func(l static.Guard) bool { return !slices.Contains(locks, l) })
	})
	fields := map[string][]*guardedAccess{}
	for _, a := range by {
		fa, _ := fieldOf(a.instr)
		fields[fieldName(fa)] = append(fields[fieldName(fa)], a)
	}
	p.mapsReadLocked()
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list := fields[name]
		slices.SortFunc(list, func(a, b *guardedAccess) int {
			return cmp.Or(cmp.Compare(a.instr.Pos(), b.instr.Pos()), strings.Compare(a.instr.Parent().String(), b.instr.Parent().String()))
		})
		p.readLocked(list)
		p.unguarded(name, list)
	}
}

// guardWork bounds the analysis of guards, in accesses that functions pass to their callers. Most modules
// need a hundredth of it.
var guardWork = 60_000_000

// within returns the accesses of all functions that may be called from roots; false if that takes too long.
func (p *pass) within(g *static.GuardedBy, roots []*ssa.Function) (static.May, bool) {
	stop := p.Base.Interrupt
	defer func() {
		p.Base.Interrupt = stop
		p.Base.Restart()
	}()
	//mutant: findings: the analysis of guards has no bound [test ./static/findings TestGuardWork]: "g.Work() > guardWork" -> "false"
	p.Base.Interrupt = func() bool { return g.Work() > guardWork || stop != nil && stop() }
	all := g.All(roots)
	return all, !p.Base.Interrupted()
}

// ownGuards returns the locks that the function of instr holds itself and that are fields of the object
// of fa, though the path to it leads through memory that may change.
func (p *pass) ownGuards(instr ssa.Instruction, fa *ssa.FieldAddr) (list []static.Guard) {
	for _, h := range p.heldAt(instr) {
		if p.Base.Paths.Siblings(h.path, p.Base.Paths.Of(fa)) {
			class := p.Base.Paths.Class(h.path)
			list = append(list, static.Guard{Name: class[strings.LastIndexByte(class, '.')+1:], Mode: h.mode})
		}
	}
	return list
}

// freshly reports whether fa is of an object that its function has allocated itself.
func (p *pass) freshly(fa *ssa.FieldAddr) bool {
	v := p.Base.Paths.Root(p.Base.Paths.Of(fa))
	a, ok := v.(*ssa.Alloc)
	return ok && a.Parent() == fa.Parent() || !ok && v != nil && v.Parent() == fa.Parent() && p.unshared(v)
}

// sibling reports whether l is a field of the same struct, or embedded there, or a variable. The lock of an
// inner struct guards only that struct.
func sibling(l static.Guard) bool { return !strings.Contains(l.Name, ".") }

// readLocked reports writes under a read lock.
func (p *pass) readLocked(list []*guardedAccess) {
	for _, a := range list {
		locks := slices.DeleteFunc(slices.Clone(a.locks), func(l static.Guard) bool { return !sibling(l) })
		if !a.write || len(locks) == 0 || slices.ContainsFunc(a.locks, func(l static.Guard) bool { return l.Mode == static.Write }) {
			continue
		}
		fn := a.instr.Parent()
		if !p.parallel(fn, fn) {
			continue
		}
		fa, _ := fieldOf(a.instr)
		c := High
		//mutant: findings: each lock of a package guards each field [test ./static/findings TestWant]: "!guardedElsewhere(list, locks)" -> "false"
		if !guardedElsewhere(list, locks) {
			c = Low
		}
		//mutant: findings: a helper knows how its callers lock [test ./static/findings TestWant]: "len(p.heldAt(a.instr)) == 0" -> "false"
		if len(p.heldAt(a.instr)) == 0 {
			c = min(c, Medium) // some caller locks, perhaps for another purpose
		}
		p.report("HBA108", c, a.instr, fmt.Sprintf("%s is written while %s is locked for reading only, as others may have it at the same time: a data race; call Lock", p.name(p.Base.Paths.Of(fa)), locks[0].Name))
	}
}

// guardedElsewhere reports whether one of the locks belongs to the object of a field, or is held for writing
// at another access to it. (A variable that is a lock may guard something else.)
func guardedElsewhere(list []*guardedAccess, locks []static.Guard) bool {
	return slices.ContainsFunc(locks, func(l static.Guard) bool {
		return l.Global == static.Unknown || slices.ContainsFunc(list, func(a *guardedAccess) bool {
			return slices.ContainsFunc(a.locks, func(g static.Guard) bool { return g.Name == l.Name && g.Mode == static.Write })
		})
	})
}

// mapsReadLocked is readLocked for maps, which the analysis of guards distinguishes only by type.
func (p *pass) mapsReadLocked() {
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				up, ok := instr.(*ssa.MapUpdate)
				fa, _ := fieldOf(instr)
				if !ok || fa == nil || p.freshly(fa) || !p.parallel(fn, fn) {
					continue
				}
				path := p.Base.Paths.Of(fa)
				var read *hold
				for _, h := range p.heldAt(up) {
					if h.mode == static.Write {
						read = nil
						break
					}
					if p.Base.Paths.Siblings(h.path, path) {
						read = &h
					}
				}
				if read != nil {
					p.report("HBA108", High, instr, fmt.Sprintf("%s is written while %s is locked for reading only, as others may have it at the same time: a data race; call Lock", p.name(path), p.name(read.path)), p.place(read.at, "it is locked for reading here"))
				}
			}
		}
	}
}

// helper returns the confidence of an access without a lock. It is low if a caller of the function holds
// the lock, if the function is a callback with unknown callers, or if an earlier call may unlock any lock.
func (p *pass) helper(instr ssa.Instruction, lock string) Confidence {
	fn := instr.Parent()
	p.findCallers()
	//mutant: findings: a call that may unlock anything unlocks [test ./static/findings TestWant]: "p.lostAt(instr) ||" -> ""
	if p.lostAt(instr) || p.sawAll(fn) && len(p.callers[fn]) == 0 {
		return Low
	}
	//mutant: findings: locks without a name are of other objects [test ./static/findings TestWant]: "p.locksSome(instr, lock)" -> "false"
	if p.locksSome(instr, lock) {
		return Low
	}
	//mutant: findings: nothing is prepared before goroutines are started [test ./static/findings TestWant]: "p.beforeStarts(fn, instr)" -> "false"
	if p.beforeStarts(fn, instr) {
		return Low
	}
	if p.heldBySome(fn, lock, helperDepth, map[*ssa.Function]bool{}) {
		return Low
	}
	return Medium
}

// beforeStarts reports whether fn starts goroutines, all of them after instr: then it probably prepares what
// these use.
func (p *pass) beforeStarts(fn *ssa.Function, instr ssa.Instruction) bool {
	starts := p.startsOf(fn)
	return len(starts) > 0 && !slices.ContainsFunc(starts, func(s start) bool { return reaches(s.site, instr) })
}

// releases reports whether fn releases a lock of that name that it has not acquired.
func (p *pass) releases(fn *ssa.Function, lock string) bool {
	for _, list := range p.flow(fn).returns {
		for _, s := range list {
			if slices.ContainsFunc(s.unacquired, func(h hold) bool { return strings.HasSuffix(p.Base.Paths.Class(h.path), "."+lock) }) {
				return true
			}
		}
	}
	return false
}

// locksSome reports whether the function of instr may have acquired, before instr, a lock in a
// field named lock of an unknown object, such as an element of a list.
func (p *pass) locksSome(instr ssa.Instruction, lock string) bool {
	return slices.ContainsFunc(p.flow(instr.Parent()).acquires, func(a acquisition) bool {
		return a.path == static.Unknown && strings.HasSuffix(a.class, "."+lock) && reaches(a.chain[0], instr)
	})
}

// helperDepth bounds the calls between the place where a lock is acquired and a helper. Functions of
// another package may be between a function and its callback.
const helperDepth = 6

// heldBySome reports whether fn is called, through at most depth calls, by a function that holds the lock.
func (p *pass) heldBySome(fn *ssa.Function, lock string, depth int, seen map[*ssa.Function]bool) bool {
	if depth == 0 || seen[fn] {
		return false
	}
	seen[fn] = true
	//mutant: findings: a goroutine is given no lock [test ./static/findings TestWant]: "p.releases(fn, lock)" -> "false"
	if p.releases(fn, lock) {
		return true
	}
	for _, site := range p.callers[fn] {
		if !p.user(site.Parent()) {
			continue
		}
		if _, ok := site.(*ssa.Go); ok {
			continue // a started goroutine does not hold the lock
		}
		//mutant: findings: helpers are called directly [test ./static/findings TestWant]: "|| p.heldBySome(site.Parent(), lock, depth-1, seen)" -> ""
		if slices.ContainsFunc(p.classesAt(site, 0), func(c string) bool { return strings.HasSuffix(c, "."+lock) }) || p.heldBySome(site.Parent(), lock, depth-1, seen) {
			return true
		}
	}
	return false
}

// unguarded reports accesses without the lock that most others hold.
func (p *pass) unguarded(name string, list []*guardedAccess) {
	var locks []string
	for _, a := range list {
		for _, l := range a.locks {
			if !slices.Contains(locks, l.Name) && sibling(l) {
				locks = append(locks, l.Name)
			}
		}
	}
	for _, lock := range locks {
		var with, without []*guardedAccess
		var write *guardedAccess
		for _, a := range list {
			// Callers may acquire the lock by a path through memory that may change.
			byCallers := func(c string) bool { return strings.HasSuffix(c, "."+lock) }
			if slices.ContainsFunc(a.locks, func(l static.Guard) bool { return l.Name == lock }) || slices.ContainsFunc(p.classesAt(a.instr, 3), byCallers) {
				with = append(with, a)
				if a.write {
					write = a
				}
			} else {
				without = append(without, a)
			}
		}
		if write == nil || len(with) < 2 || len(with) < 3*len(without) {
			continue
		}
		for _, a := range without {
			if len(a.locks) > 0 || !p.parallel(a.instr.Parent(), write.instr.Parent()) || p.afterJoin(a.instr) {
				continue
			}
			fa, _ := fieldOf(a.instr)
			verb := "read"
			if a.write {
				verb = "written"
			}
			c := p.helper(a.instr, lock)
			//mutant: findings: an object is reset with its lock only [test ./static/findings TestWant]: " || resets(a.instr)" -> ""
			if p.isSettled(a.instr, list, lock) || resets(a.instr) {
				c = Low
			}
			f := p.report("HBA107", c, a.instr, fmt.Sprintf("%s is %s without %s, which %d other accesses hold: a data race if one of them comes at the same time", p.name(p.Base.Paths.Of(fa)), verb, lock, len(with)), p.place(write.instr, "it is written here with "+lock))
			other := p.place(write.instr, "")
			f.Other = &other
		}
		return
	}
}

// afterJoin reports whether instr comes after its function has waited for other goroutines.
func (p *pass) afterJoin(instr ssa.Instruction) bool {
	fn := instr.Parent()
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			if step.Kind() != static.RunsThem && p.waits(step) && reaches(step.Instr(), instr) {
				return true
			}
		}
		for i, s := range b.Succs {
			events, _ := code.Edge(b.Index, i)
			if slices.ContainsFunc(events, func(e static.Event) bool { return isWait(e.Kind) }) && (s == instr.Block() || len(s.Instrs) > 0 && reaches(s.Instrs[0], instr)) {
				return true
			}
		}
	}
	return false
}

// lostAt reports whether the locks held at instr are unknown on some path.
func (p *pass) lostAt(instr ssa.Instruction) bool {
	return slices.ContainsFunc(p.flow(instr.Parent()).before[instr], func(s *state) bool {
		return s.lost || slices.ContainsFunc(s.freed, func(h hold) bool { return h.unsure })
	})
}

// heldAt returns the locks that are held on all paths to instr.
func (p *pass) heldAt(instr ssa.Instruction) []hold {
	f := p.flow(instr.Parent())
	states := f.before[instr]
	if len(states) == 0 {
		return nil
	}
	var list []hold
	for _, h := range states[0].held {
		all := true
		for _, s := range states[1:] {
			all = all && holds(s.held, h.path) >= 0
		}
		if all {
			list = append(list, h)
		}
	}
	return list
}

// sameLock reports whether a lock of one class is held at both, by the functions themselves or by all their
// callers.
func (p *pass) sameLock(x, y ssa.Instruction) bool {
	list := p.classesAt(y, 3)
	return slices.ContainsFunc(p.classesAt(x, 3), func(c string) bool { return slices.Contains(list, c) })
}

// classesAt returns the classes of the locks that are held at instr, by its function or by all its callers.
func (p *pass) classesAt(instr ssa.Instruction, depth int) (list []string) {
	for _, h := range p.heldAt(instr) {
		//mutant: findings: locks that are pointers do not count [test ./static/findings TestWant]: "p.kindOf(h.path); c != \"\" && c != \"*\"" -> "p.Base.Paths.Class(h.path); c != \"\""
		if c := p.kindOf(h.path); c != "" && c != "*" {
			list = append(list, c)
		}
	}
	return append(list, p.heldByCallers(instr.Parent(), depth)...)
}

// heldByCallers returns the classes of the locks that all callers of fn hold, or that all their callers hold.
func (p *pass) heldByCallers(fn *ssa.Function, depth int) []string {
	p.findCallers()
	sites := p.callers[fn]
	if depth == 0 || len(sites) == 0 || !p.sawAll(fn) {
		return nil
	}
	var common []string
	first := true
	for _, site := range sites {
		if d, ok := site.(*ssa.Defer); ok && len(sites) == 1 && fn.Parent() == d.Parent() {
			//mutant: findings: a deferred literal runs without locks [test ./static/findings TestWant]: "p.heldByCallers(fn.Parent(), depth)" -> "nil"
			return p.heldByCallers(fn.Parent(), depth)
		}
		if _, ok := site.(*ssa.Call); !ok || !p.user(site.Parent()) {
			return nil
		}
		//mutant: findings: constructors lock [test ./static/findings TestWant]: "p.constructs(site, fn)" -> "false"
		if p.constructs(site, fn) {
			continue // no other goroutine has the object yet
		}
		held := p.classesAt(site, depth-1)
		if first {
			common, first = held, false
		} else {
			common = slices.DeleteFunc(slices.Clone(common), func(c string) bool { return !slices.Contains(held, c) })
		}
	}
	return common
}

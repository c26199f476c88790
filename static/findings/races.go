package findings

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Races are pairs of accesses that nothing orders.

// checkRaces finds races between a goroutine and the function that starts it, or another goroutine
// (HBA401).
func checkRaces(p *pass) {
	for _, fn := range p.list {
		starts := p.startsOf(fn)
		if len(starts) == 0 {
			continue
		}
		inner := make([][]access, len(starts))
		for i, s := range starts {
			for _, a := range p.accesses(s.body, 4) {
				if a.path = s.names.Path(a.path); a.path == static.Unknown || p.Base.Paths.Fresh(a.path) {
					continue
				}
				a.held = p.renamed(a.held, s.names)
				inner[i] = append(inner[i], a)
			}
			slices.SortStableFunc(inner[i], func(a, b access) int { // writes first
				switch {
				case a.write == b.write:
					return 0
				case a.write:
					return -1
				}
				return 1
			})
		}
		for i, s := range starts {
			p.raceOutside(fn, s, inner[i])
			for j, t := range starts {
				if j > i || j == i && inLoop(s.site.Block()) {
					p.raceInside(fn, s, t, inner[i], inner[j])
				}
			}
		}
	}
}

// raceOutside compares the accesses of a goroutine with later accesses of its starter.
func (p *pass) raceOutside(fn *ssa.Function, s start, inner []access) {
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			var list []access
			instr := step.Instr()
			if path, write, ok := p.ownAccess(instr); ok && path != static.Unknown {
				list = append(list, access{path, write, []ssa.Instruction{instr}, p.heldAt(instr), false})
			}
			if step.Kind() == static.Calls && len(step.Callees()) == 1 && instr != s.site {
				if c := step.Callees()[0]; c.Fn != nil && p.user(c.Fn) {
					for _, a := range p.accesses(c.Fn, 3) {
						if q := c.Names.Path(a.path); q != static.Unknown {
							x := access{q, a.write, append([]ssa.Instruction{instr}, a.chain...), p.heldAt(instr), a.weak}
							x.held = slices.Concat(x.held, p.renamed(a.held, c.Names))
							list = append(list, x)
						}
					}
				}
			}
			for _, o := range list {
				for _, a := range inner {
					if o.path != a.path || !o.write && !a.write || p.common(o.held, a.held) {
						continue
					}
					if ok, weak := p.follows(fn, s.site, instr, o.path); ok {
						p.race(s, a, o, weak || a.weak || o.weak)
					}
				}
			}
		}
	}
}

// raceInside seeks a race between two goroutines that fn starts, which may come from one go
// statement.
func (p *pass) raceInside(fn *ssa.Function, s, t start, one, two []access) {
	ok, weak := p.follows(fn, s.site, t.site, 0)
	if !ok {
		return
	}
	for i, a := range one {
		// Prefer the pair of one access with itself.
		for j, b := range slices.Concat(one[i:i+1], two) {
			if j == 0 && s.site != t.site {
				continue
			}
			if a.path != b.path || !a.write && !b.write || p.common(a.held, b.held) {
				continue
			}
			if ok, _ := p.follows(fn, s.site, t.site, a.path); ok {
				p.race(s, a, b, weak || a.weak || b.weak)
			}
		}
	}
}

// renamed returns locks in terms of another function. Locks without a name there are known only by their
// kind.
func (p *pass) renamed(list []hold, names *static.Renaming) []hold {
	out := slices.Clone(list)
	for i := range out {
		out[i].class = cmp.Or(out[i].class, p.Base.Paths.Class(out[i].path))
		out[i].path = names.Path(out[i].path)
	}
	return out
}

// common reports whether both lists may have the same lock, or locks of the same kind, in modes that
// exclude each other.
func (p *pass) common(x, y []hold) bool {
	for _, h := range x {
		for _, g := range y {
			class := cmp.Or(h.class, p.Base.Paths.Class(h.path))
			same := h.path == g.path && h.path != static.Unknown
			if (same || class != "" && class == cmp.Or(g.class, p.Base.Paths.Class(g.path))) && h.mode.Excludes(g.mode) {
				return true
			}
		}
	}
	return false
}

// maxPaths bounds the paths that follows distinguishes by their conditions.
const maxPaths = 400

// follows reports whether to can be executed after from without waiting in between, and while path still
// means the same. weak is set if every way from one to the other has locks or atomic operations.
func (p *pass) follows(fn *ssa.Function, from, to ssa.Instruction, path static.Path) (ok, weak bool) {
	values := map[ssa.Instruction]bool{}
	for _, v := range p.Base.Paths.Values(path) {
		if i, isInstr := v.(ssa.Instruction); isInstr {
			values[i] = true
		}
	}
	code, cond := p.Base.Code(fn), p.flow(fn).cond
	type at struct {
		b     *ssa.BasicBlock
		weak  bool
		facts string
	}
	seen := map[at]bool{}
	found, strong := false, false
	var visit func(x at, begin int, facts []fact)
	visit = func(x at, begin int, facts []fact) {
		for _, step := range code.Steps(x.b.Index) {
			instr := step.Instr()
			if slices.Index(x.b.Instrs, instr) < begin {
				continue
			}
			if instr == to {
				found = true
				strong = strong || !x.weak
				if to != from {
					return
				}
			}
			//mutant: nothing is waited for [test ./static/findings TestWant]: "values[instr] || p.waits(step)" -> "values[instr]"
			if values[instr] || p.waits(step) {
				return
			}
			x.weak = x.weak || p.orders(step)
			if st, ok := instr.(*ssa.Store); ok {
				facts = cond.store(st, facts)
			}
		}
		for i, s := range x.b.Succs {
			events, ok := code.Edge(x.b.Index, i)
			if !ok || slices.ContainsFunc(events, func(e static.Event) bool { return isWait(e.Kind) }) {
				continue
			}
			//mutant: findings: a loop that receives from each goroutine receives from none [test ./static/findings TestWant]: "p.collects(fn, from.Block(), x.b, s)" -> "false"
			if p.collects(fn, from.Block(), x.b, s) {
				continue
			}
			next, ok := cond.branch(x.b, i, facts)
			//mutant: findings: branches after a go statement are independent of those before it [test ./static/findings TestWant]: "!ok" -> "false"
			if !ok {
				continue
			}
			if next = cond.needed(s, next, false); len(seen) > maxPaths {
				next = nil
			}
			if y := (at{s, x.weak, fmt.Sprint(next)}); !seen[y] {
				seen[y] = true
				visit(y, 0, next)
			}
		}
	}
	begins := map[string]bool{}
	for _, s := range p.flow(fn).before[from] {
		if facts := cond.needed(from.Block(), s.facts, false); !begins[fmt.Sprint(facts)] {
			begins[fmt.Sprint(facts)] = true
			visit(at{from.Block(), false, ""}, slices.Index(from.Block().Instrs, from)+1, facts)
		}
	}
	return found, !strong
}

// collects reports whether head begins a loop each of whose iterations waits, and the edge to block to leaves
// it. After a loop that starts goroutines, in block from, it waits for them: it has as many iterations.
//
//	for range n { go func() { results <- work() }() }
//	for range n { all = append(all, <-results) }
func (p *pass) collects(fn *ssa.Function, from, head, to *ssa.BasicBlock) bool {
	var ends []*ssa.BasicBlock // of iterations
	loop := map[*ssa.BasicBlock]bool{head: true}
	var add func(b *ssa.BasicBlock)
	add = func(b *ssa.BasicBlock) {
		if !loop[b] {
			loop[b] = true
			for _, before := range b.Preds {
				add(before)
			}
		}
	}
	for _, b := range head.Preds {
		if head.Dominates(b) {
			ends = append(ends, b)
			add(b)
		}
	}
	//mutant: findings: the loop that starts goroutines waits for them [test ./static/findings TestWant]: "loop[from] || " -> ""
	if len(ends) == 0 || loop[from] || loop[to] || !inLoop(from) {
		return false
	}
	code := p.Base.Code(fn)
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return loop[b] && slices.ContainsFunc(code.Steps(b.Index), p.waits) &&
			//mutant: findings: what one iteration waits for, each waits for [test ./static/findings TestWant]: "!b.Dominates(end)" -> "false"
			!slices.ContainsFunc(ends, func(end *ssa.BasicBlock) bool { return !b.Dominates(end) })
	})
}

// along reports whether a lock of one class is held somewhere on both chains of calls, or by all callers of
// the function in which one begins.
func (p *pass) along(one, two []ssa.Instruction) bool {
	held := func(chain []ssa.Instruction) (list []string) {
		for _, instr := range chain {
			list = append(list, p.classesAt(instr, 0)...)
		}
		//mutant: findings: only the starter itself holds locks [test ./static/findings TestWant]: "p.classesAt(chain[0], 3)" -> "nil"
		return append(list, p.classesAt(chain[0], 3)...)
	}
	list := held(two)
	return slices.ContainsFunc(held(one), func(c string) bool { return slices.Contains(list, c) })
}

// isTimer reports whether site starts a goroutine when some time has passed.
func isTimer(site ssa.Instruction) bool {
	c, ok := site.(*ssa.Call)
	return ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().String() == "time.AfterFunc"
}

type raceKey struct {
	start ssa.Instruction
	path  static.Path
}

// raceName is a variable of a declared function, by name.
type raceName struct {
	fn   *ssa.Function
	name string
}

// race reports a pair.
func (p *pass) race(s start, a, b access, weak bool) {
	if !a.write {
		a, b = b, a
	}
	c := High
	//mutant: findings: what is created on demand is not there yet [test ./static/findings TestWant]: "p.onDemand(a.chain[len(a.chain)-1])" -> "false"
	//mutant: findings: timers happen at once [test ./static/findings TestWant]: " || isTimer(s.site)" -> ""
	if weak || isTimer(s.site) || !p.Base.Paths.Stable(a.path) || p.onDemand(a.chain[len(a.chain)-1]) {
		c = Medium
	}
	if weak && isTimer(s.site) {
		c = Low
	}
	verb := map[bool]string{true: "written", false: "read"}
	x, y := a.chain[len(a.chain)-1], b.chain[len(b.chain)-1]
	//mutant: findings: locks that the callers hold order no accesses [test ./static/findings TestWant]: "p.along(a.chain, b.chain)" -> "false"
	if p.along(a.chain, b.chain) {
		return
	}
	// One race for each variable and goroutine.
	key := raceKey{s.site, a.path}
	if p.raced[key] {
		return
	}
	p.raced[key] = true
	p.raceAt[x], p.raceAt[y] = true, true
	p.raceOf[raceName{outermost(s.site.Parent()), p.name(a.path)}] = true
	text := fmt.Sprintf("data race: %s is written here and %s at %s, and nothing orders the two", p.name(a.path), verb[b.write], p.line(y))
	if x == y {
		text = fmt.Sprintf("data race: %s is written here by each of several goroutines, and nothing orders them", p.name(a.path))
	}
	rel := []Place{p.place(s.site, "a goroutine is started here")}
	if x != y {
		rel = append(rel, p.place(y, "it is "+verb[b.write]+" here"))
	}
	for _, list := range [][]ssa.Instruction{a.chain, b.chain} {
		for _, instr := range list[:len(list)-1] {
			rel = append(rel, p.place(instr, "through this call of "+callee(instr)))
		}
	}
	f := p.report("HBA401", c, x, text, rel...)
	other := p.place(y, "")
	f.Other = &other
}

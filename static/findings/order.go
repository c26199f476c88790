package findings

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// An orderEdge says that a lock of one class is acquired while one of another is held.
type orderEdge struct {
	from, to string // classes
	held     hold
	acq      acquisition
	at       ssa.Instruction // instruction in the function that holds the lock
	gates    []string        // classes of other locks that are held
}

// orderKey identifies an edge.
type orderKey struct {
	from, to string
	at, held ssa.Instruction
}

// order records the edges of an acquisition in state s.
func (p *pass) order(f *lockFlow, instr ssa.Instruction, a acquisition, s *state) {
	if a.class == "" {
		return
	}
	paths := p.Base.Paths
	for _, h := range s.held {
		class := paths.Class(h.path)
		if class == "" || h.path == a.path || h.unsure {
			continue
		}
		e := orderEdge{from: class, to: a.class, held: h, acq: a, at: instr}
		for _, g := range s.held {
			if g.path != h.path {
				e.gates = append(e.gates, paths.Class(g.path))
			}
		}
		key := orderKey{class, a.class, instr, h.at}
		if i, known := p.edgeOf[key]; known {
			x := &p.edges[i]
			x.gates = slices.DeleteFunc(x.gates, func(g string) bool { return !slices.Contains(e.gates, g) })
		} else if len(p.edges) < 4096 {
			p.edgeOf[key] = len(p.edges)
			p.edges = append(p.edges, e)
		}
	}
}

// checkOrder finds locks that are acquired in different orders (HBA110), and two locks of one kind that are
// acquired in an order that depends on the caller (HBA111).
func checkOrder(p *pass) {
	for _, fn := range p.list {
		p.flow(fn)
	}
	from := map[string][]*orderEdge{}
	for i := range p.edges {
		e := &p.edges[i]
		if e.from == e.to {
			p.siblings(e)
			continue
		}
		from[e.from] = append(from[e.from], e)
	}
	seen := map[string]bool{}
	for i := range p.edges {
		e := &p.edges[i]
		if e.from == e.to {
			continue
		}
		for _, x := range from[e.to] {
			if x.to == e.from {
				p.cycle(seen, []*orderEdge{e, x})
				continue
			}
			for _, y := range from[x.to] {
				if y.to == e.from && y.from != e.to {
					p.cycle(seen, []*orderEdge{e, x, y})
				}
			}
		}
	}
}

// cycle reports edges that form a cycle, unless their acquisitions exclude each other.
func (p *pass) cycle(seen map[string]bool, list []*orderEdge) {
	c := High
	var names []string
	for i, e := range list {
		next := list[(i+1)%len(list)]
		// A goroutine that holds next.from excludes one that acquires it in e.
		//mutant: readers keep readers out [test ./static/findings TestWant]: false
		if !e.acq.mode.Excludes(next.held.mode) {
			return
		}
		if !p.parallel(e.at.Parent(), next.at.Parent()) {
			return
		}
		for _, g := range e.gates {
			//mutant: a lock around both orders does not help [test ./static/findings TestWant]: false
			if g != "" && slices.Contains(next.gates, g) {
				return
			}
		}
		// If the locks are fields, it is unknown which goroutines call these functions on one
		// object, and in which state.
		//mutant: findings: orders of fields are certain [test ./static/findings TestWant]: "!single(e.from) || !single(e.to)" -> "false"
		if p.dynamic(e.acq.chain) || !single(e.from) || !single(e.to) {
			c = min(c, Medium)
		}
		//mutant: findings: three functions meet as often as two [test ./static/findings TestWant]: "len(list) > 2" -> "false"
		if (len(list) > 2 || p.dynamic(e.acq.chain)) && (!single(e.from) || !single(e.to)) {
			c = Low
		}
		names = append(names, e.from)
	}
	slices.Sort(names)
	if k := strings.Join(names, " "); seen[k] {
		return
	} else {
		seen[k] = true
	}
	var rel []Place
	for i, e := range list {
		if i > 0 {
			rel = append(rel, p.place(e.held.at, short(e.from)+" is locked here"), p.place(e.at, "and then "+short(e.to)+via(e)))
		}
	}
	rel = append([]Place{p.place(list[0].held.at, short(list[0].from)+" is locked here")}, rel...)
	text := fmt.Sprintf("%s is locked%s while %s is held, and elsewhere the other way round: two goroutines may wait for each other forever", short(list[0].to), via(list[0]), short(list[0].from))
	if len(list) > 2 {
		text = fmt.Sprintf("%s is locked while %s is held, which closes a cycle of %[3]d locks: %[3]d goroutines may wait for each other", short(list[0].to), short(list[0].from), len(list))
	}
	f := p.report("HBA110", c, list[0].at, text, rel...)
	other := p.place(list[1].at, "")
	f.Other = &other
}

func via(e *orderEdge) string {
	if len(e.acq.chain) > 1 {
		return " (by " + callee(e.acq.chain[0]) + ")"
	}
	return ""
}

// single reports whether a class has only one lock: a variable.
func single(class string) bool {
	return strings.HasPrefix(class, "variable ") || !strings.Contains(class[strings.LastIndexByte(class, '/')+1:], "].") && strings.Count(class[strings.LastIndexByte(class, '/')+1:], ".") == 1
}

// short returns the short name of a class, for messages.
func short(class string) string {
	if s, ok := strings.CutPrefix(class, "variable "); ok {
		name, _, _ := strings.Cut(s, " of ")
		return name
	}
	return class[strings.LastIndexByte(class, '/')+1:]
}

// siblings reports two locks of one class, of two objects that the caller passes.
func (p *pass) siblings(e *orderEdge) {
	paths := p.Base.Paths
	fn := e.at.Parent()
	if e.acq.path == static.Unknown || !p.parallel(fn, fn) || !e.acq.mode.Excludes(e.held.mode) || len(e.gates) > 0 {
		return
	}
	h, a := paths.Root(e.held.path), paths.Root(e.acq.path)
	if h == a && (paths.Begins(e.acq.path, paths.Base(e.held.path)) || paths.Begins(e.held.path, paths.Base(e.acq.path))) {
		return // the locks lead from an outer object to an inner one: a list, a tree
	}
	owner := e.from[:strings.LastIndexByte(e.from, '.')+1]
	for _, l := range slices.Concat(paths.Loads(e.acq.path), paths.Loads(e.held.path)) {
		if strings.HasPrefix(paths.Class(l), owner) {
			return // one lock is found through another object of the type
		}
	}
	if ordered(fn, e.at, h, a) {
		return
	}
	c := Low
	if _, ok := h.(*ssa.Parameter); ok && h != a {
		if _, ok := a.(*ssa.Parameter); ok {
			c = Medium
		}
	}
	p.report("HBA111", c, e.at, fmt.Sprintf("%s is locked%s while %s is held, another lock of the same kind: if another goroutine does so with the two exchanged, each waits for the other", p.name(e.acq.path), via(e), p.name(e.held.path)), p.place(e.held.at, p.name(e.held.path)+" is locked here"))
}

// compares reports whether instr calls a function that compares two objects, and decides a branch.
func compares(instr ssa.Instruction, one, two ssa.Value) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || one == nil || two == nil {
		return false
	}
	t, ok := call.Type().Underlying().(*types.Basic)
	return ok && t.Info()&(types.IsBoolean|types.IsInteger) != 0 && slices.Contains(call.Call.Args, one) && slices.Contains(call.Call.Args, two)
}

// ordered reports whether the objects one and two are compared, or anything with <, >, <= or >=, before instr
// on every path.
func ordered(fn *ssa.Function, instr ssa.Instruction, one, two ssa.Value) bool {
	for _, b := range fn.Blocks {
		if !b.Dominates(instr.Block()) && b != instr.Block() {
			continue
		}
		for _, i := range b.Instrs {
			//mutant: findings: only operators compare [test ./static/findings TestWant]: "compares(i, one, two)" -> "false"
			if compares(i, one, two) {
				return true
			}
			x, ok := i.(*ssa.BinOp)
			if !ok {
				continue
			}
			switch x.Op {
			case token.LSS, token.GTR, token.LEQ, token.GEQ:
				return true
			}
		}
	}
	return false
}

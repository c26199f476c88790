package sketch

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Slices, arrays and maps.

func (r *Run) indexAddr(g *goroutine, fr *frame, i *ssa.IndexAddr) {
	n, ok := r.force(fr, i.Index).(int64)
	if !ok {
		n = 0
	}
	switch x := r.force(fr, i.X).(type) {
	case *slice:
		if x.o.outside && (n < 0 || int(n) >= x.len) {
			n = 0 // the length of the slice was made up
		}
		if n < 0 || int(n) >= x.len && !x.o.outside {
			r.fail(g, OtherPanic)
			return
		}
		fr.env[i] = &ptr{x.o, elemPath("", x.off+int(n))}
	case *ptr:
		fr.env[i] = &ptr{x.o, elemPath(x.path, int(n))}
	case nilV:
		r.fail(g, OtherPanic)
		return
	default:
		fr.env[i] = &ptr{r.outside(i.Type().Underlying().(*types.Pointer).Elem()), ""}
	}
	fr.pc++
}

func (r *Run) index(fr *frame, x, k ssa.Value) value {
	n, ok := r.force(fr, k).(int64)
	a, isAgg := r.get(fr, x).(*aggregate)
	if ok && isAgg && n >= 0 && int(n) < len(a.f) {
		return a.f[n]
	}
	return unknown{}
}

func (r *Run) slicing(g *goroutine, fr *frame, i *ssa.Slice) {
	bound := func(v ssa.Value, or int) int {
		if v == nil {
			return or
		}
		n, ok := r.force(fr, v).(int64)
		if !ok {
			return or
		}
		return int(n)
	}
	var out value = unknown{}
	switch x := r.force(fr, i.X).(type) {
	case *slice:
		lo := bound(i.Low, 0)
		hi := bound(i.High, x.len)
		if lo > hi || hi > x.cap || lo < 0 {
			if !x.o.outside {
				r.fail(g, OtherPanic)
				return
			}
			lo, hi = 0, x.len
		}
		out = &slice{x.o, x.off + lo, hi - lo, x.cap - lo}
	case *ptr: // an array
		if a, ok := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array); ok && x.path == "" {
			lo, hi := bound(i.Low, 0), bound(i.High, int(a.Len()))
			out = &slice{x.o, lo, hi - lo, int(a.Len()) - lo}
		}
	case nilV:
		out = nilV{}
	}
	fr.env[i] = out
	fr.pc++
}

func keyOf(v value) string {
	switch x := v.(type) {
	case int64, bool, string:
		return "[" + toString(x) + "]"
	case *iface:
		return keyOf(x.v)
	}
	return "[" + toString(v) + "]"
}

func (r *Run) lookup(g *goroutine, fr *frame, i *ssa.Lookup) {
	var v value = unknown{}
	found := false
	elem := i.Type()
	if i.CommaOk {
		elem = elem.(*types.Tuple).At(0).Type()
	}
	switch m := r.force(fr, i.X).(type) {
	case *obj:
		r.touch(g, m, "", false, false, i)
		k := keyOf(r.force(fr, i.Index))
		v, found = m.cells[k]
		switch {
		case !found && m.outside:
			r.Guesses++
			found = r.rng.IntN(2) == 0
			v = zero(elem)
			if found {
				v = unknown{}
				m.cells[k] = v
				m.order = append(m.order, k)
			}
		case !found:
			v = zero(elem)
		}
	case nilV:
		v = zero(elem)
	case string:
		v = int64(0)
	}
	if i.CommaOk {
		v = tuple{v, found}
	}
	fr.env[i] = v
	fr.pc++
}

// iterator is the state of a range over a map or string.
type iterator struct {
	of   value
	n    int
	keys []string
}

// fill makes up the elements of a map from outside: one, or none.
func (r *Run) fill(m *obj) {
	if !m.outside || m.filled {
		return
	}
	m.filled = true
	r.Guesses++
	if t, ok := m.t.Underlying().(*types.Map); ok && len(m.order) == 0 && r.rng.IntN(2) == 0 {
		const k = "[made up]"
		m.order = append(m.order, k)
		m.cells[k], m.cells["key "+k] = r.makeUp(t.Elem()), unknown{}
	}
}

func (r *Run) next(g *goroutine, fr *frame, i *ssa.Next) value {
	it, ok := fr.env[i.Iter].(*iterator)
	if !ok {
		return tuple{false, unknown{}, unknown{}}
	}
	m, ok := it.of.(*obj)
	if !ok {
		it.n++
		return tuple{it.n < 2 && !isNil(it.of), unknown{}, unknown{}}
	}
	r.touch(g, m, "", false, false, i)
	if it.n == 0 {
		r.fill(m)
		it.keys = append(it.keys, m.order...)
	}
	for it.n < len(it.keys) {
		k := it.keys[it.n]
		it.n++
		if v, ok := m.cells[k]; ok {
			return tuple{true, m.cells["key "+k], v}
		}
	}
	return tuple{false, unknown{}, unknown{}}
}

// leavesAtOnce reports whether fr leaves, by the k-th successor of its block, a loop that starts a
// number of goroutines, before its first iteration. That is unlikely, because programs have
// workers. (A list may well be empty.)
func (r *Run) leavesAtOnce(fr *frame, k int) bool {
	head, out := fr.block, fr.block.Succs[k]
	cond, ok := fr.at().(*ssa.If).Cond.(*ssa.BinOp)
	if !ok || isLen(cond.X) || isLen(cond.Y) {
		return false
	}
	if t, ok := cond.X.Type().Underlying().(*types.Basic); !ok || t.Info()&types.IsInteger == 0 {
		return false
	}
	loop := r.startsIn(head, fr.block.Succs[1-k], out)
	//mutant: sketch: a loop that is left begins [test ./static/findings TestWant]: "!loop[fr.prev]" -> "true"
	return loop != nil && !loop[fr.prev]
}

func isLen(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// startsIn returns the blocks of a loop if the loop starts goroutines, and nil otherwise. head
// decides whether the loop, which begins with body, is executed once more, or out, which follows
// it.
func (p *Program) startsIn(head, body, out *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	known, ok := p.loops[[2]*ssa.BasicBlock{head, body}]
	if ok {
		return known
	}
	is, loop, rest := false, from(body, out), from(out, nil)
	for b := range loop {
		for _, instr := range b.Instrs {
			_, isGo := instr.(*ssa.Go)
			is = is || isGo
		}
	}
	if p.loops == nil {
		p.loops = map[[2]*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}
	}
	if !is || !loop[body] || rest[head] {
		loop = nil
	}
	p.loops[[2]*ssa.BasicBlock{head, body}] = loop
	return loop
}

// from returns the blocks that can be executed after begin, before end.
func from(begin, end *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock{}, begin.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b != end && !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return seen
}

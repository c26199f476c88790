package compile

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OrderMatters reports whether a loop over a map may do different things if it visits the entries in
// another order. A loop in which it certainly makes no difference needs no choice.
//
// Claim: if the conditions below hold, the state after the loop and all that other goroutines can
// notice of it are the same for each order, in programs without data races.
//
//  1. The body does nothing but compute, read memory and the effects listed in 3 and 4. It neither
//     synchronises nor calls anything that could. So what it reads of memory that it does not write
//     is the same in all iterations: another goroutine that changed it would race with the loop.
//  2. The body never ends the loop early; or it has no effect and nothing in it panics, and all
//     early exits lead to the same place with the same values. Then only whether there is one counts.
//  3. A variable that iterations hand on to each other (a phi of the loop's head) is used for
//     nothing but to be combined with the entry: added to, multiplied, and-ed, or-ed, its maximum or
//     minimum taken, set to one constant; or a slice is appended to that is sorted right after the
//     loop, with equal elements that cannot be told apart.
//  4. Iterations write to places of their own (another map, under the key of the entry), or what
//     they write is the same constant, or is added; and no iteration reads what another one writes.
//     The map itself may change under the key of the entry only. Then no instruction of the body
//     but the first of those writes may panic, as what was written before would show.
//
// Example: it makes no difference in the first three loops, and it does in the others.
//
//	for k, v := range m { sum += v; n[k] = v }
//	for k := range m { keys = append(keys, k) }; slices.Sort(keys)
//	for k := range m { if k == "" { return true } }; return false
//	for k := range m { return k }                                     the value
//	for k, v := range m { fmt.Println(k, v) }                         the output
//	for k, v := range m { n[v] = k }                                  which k wins
//
// Claim 1 is checked by pure (order_pure.go), 2 by exits, 3 by accumulates (order_fold.go), 4 by
// writes and writesApart (order_writes.go).
func OrderMatters(r *ssa.Range) bool {
	l := loopOf(r)
	return l == nil || !l.commutes()
}

// Inserts reports whether a loop over a map may insert entries into maps, or calls what may. If insertions
// have places by their order, that of the loop is given away.
func Inserts(r *ssa.Range) bool {
	l := loopOf(r)
	if l == nil {
		return true
	}
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			switch x := i.(type) {
			case *ssa.MapUpdate, *ssa.Go, *ssa.Defer:
				return true
			case *ssa.Call:
				if _, ok := x.Call.Value.(*ssa.Builtin); !ok && !l.pure(x) {
					return true
				}
			}
		}
	}
	return false
}

// mapLoop is a loop over a map.
//
//	head:  t = next r        phis of the head are what iterations hand on (claim 3)
//	▲      if t.ok ──no──▶ done
//	│        │
//	└── body ┘ ──early──▶ elsewhere (claim 2)
type mapLoop struct {
	r     *ssa.Range
	next  *ssa.Next
	head  *ssa.BasicBlock
	done  *ssa.BasicBlock // where it continues at the end
	body  map[*ssa.BasicBlock]bool
	early []exit

	taken   map[ssa.Instruction]bool // instructions that claims 3 and 4 explain
	panics  bool                     // an instruction may panic other than by a nil pointer
	derefs  bool                     // or by one
	effects bool                     // there are writes to memory that can be noticed before the loop has ended
	private bool                     // there are others
	appends []types.Type             // the elements that are appended to slices
	reads   []ssa.Instruction        // of memory and maps
}

// exit is an edge out of the loop's body.
type exit struct{ from, to *ssa.BasicBlock }

// loopOf returns the loop, or nil if it has not the form of a range statement.
//
// It is the natural loop of the head: what is dominated by it and leads back to it without
// passing it.
func loopOf(r *ssa.Range) *mapLoop {
	l := &mapLoop{r: r, body: map[*ssa.BasicBlock]bool{}, taken: map[ssa.Instruction]bool{}}
	for _, u := range *r.Referrers() {
		n, ok := u.(*ssa.Next)
		if !ok || l.next != nil {
			return nil
		}
		l.next = n
	}
	if l.next == nil {
		return nil
	}
	l.head = l.next.Block()
	cond, ok := l.head.Instrs[len(l.head.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	if x, ok := cond.Cond.(*ssa.Extract); !ok || x.Tuple != l.next || x.Index != 0 {
		return nil
	}
	l.done = l.head.Succs[1]
	// The body is what the head dominates and what leads back to it.
	l.body[l.head] = true
	var add func(b *ssa.BasicBlock)
	add = func(b *ssa.BasicBlock) {
		if !l.body[b] && l.head.Dominates(b) {
			l.body[b] = true
			for _, p := range b.Preds {
				add(p)
			}
		}
	}
	for _, p := range l.head.Preds {
		if l.head.Dominates(p) {
			add(p)
		}
	}
	for b := range l.body {
		for _, s := range b.Succs {
			if !l.body[s] && b != l.head {
				l.early = append(l.early, exit{b, s})
			}
		}
	}
	return l
}

// blocks returns the blocks of the body in the function's order.
func (l *mapLoop) blocks() []*ssa.BasicBlock {
	var list []*ssa.BasicBlock
	for _, b := range l.head.Parent().Blocks {
		if l.body[b] {
			list = append(list, b)
		}
	}
	return list
}

func (l *mapLoop) in(i ssa.Instruction) bool { return l.body[i.Block()] }

// entry reports whether v is the key (1) or the element (2) of the iteration.
func (l *mapLoop) entry(v ssa.Value, index int) bool {
	x, ok := v.(*ssa.Extract)
	return ok && x.Tuple == l.next && x.Index == index
}

// Phis and writes are explained first (taken), so that what is left has to be pure. Last comes
// what concerns all of the body: a panic, or an endless inner loop, shows how many of the other
// effects had been made.
func (l *mapLoop) commutes() bool {
	for _, i := range l.head.Instrs {
		phi, ok := i.(*ssa.Phi)
		if ok && !l.accumulates(phi) {
			return false
		}
	}
	writes := l.writes()
	if writes == nil {
		return false
	}
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			if !l.taken[i] && !l.pure(i) {
				return false
			}
		}
	}
	if !l.writesApart(*writes) || !l.appendsApart() {
		return false
	}
	if l.panics || l.effects && (l.derefs || l.nested()) {
		return false
	}
	return len(l.early) == 0 || l.exits()
}

// nested reports whether there is another loop in the body, which may be one without end.
func (l *mapLoop) nested() bool {
	for b := range l.body {
		for _, s := range b.Succs {
			if s != l.head && l.body[s] && s.Dominates(b) {
				return true
			}
		}
	}
	return false
}

// exits checks claim 2 for a loop that may end early.
//
// That some entry makes the loop end early does not depend on the order; which one it is does. So
// nothing may depend on that: no effect, nothing that is handed on, the same target and the same
// values there.
func (l *mapLoop) exits() bool {
	if l.effects || l.private || l.derefs || l.nested() {
		return false
	}
	for _, i := range l.head.Instrs {
		if _, ok := i.(*ssa.Phi); ok {
			return false
		}
	}
	to := l.early[0].to
	for _, e := range l.early {
		if e.to != to {
			return false
		}
	}
	// What is computed in the loop is not used after it, but for phis with the same value for each
	// of the exits.
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			v, ok := i.(ssa.Value)
			if !ok || v.Referrers() == nil {
				continue
			}
			for _, u := range *v.Referrers() {
				if !l.in(u) {
					return false
				}
			}
		}
	}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		var one ssa.Value
		for k, p := range to.Preds {
			if !l.body[p] || p == l.head {
				continue
			}
			if one != nil && !sameValue(one, phi.Edges[k]) {
				return false
			}
			one = phi.Edges[k]
		}
	}
	return true
}

// Constants are compared by value, as each use in the source is an object of its own.
func sameValue(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.Const)
	y, ok2 := b.(*ssa.Const)
	return ok && ok2 && types.Identical(x.Type(), y.Type()) && sameConst(x, y)
}

func sameConst(x, y *ssa.Const) bool {
	if x.Value == nil || y.Value == nil {
		return x.Value == nil && y.Value == nil
	}
	return constant.Compare(x.Value, token.EQL, y.Value)
}

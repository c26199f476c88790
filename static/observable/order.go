package observable

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OrderMatters reports whether a loop over a map may have another effect if it visits the entries in another
// order. A loop for which the order makes no difference needs no choice. bodies returns the code of a
// function whose calls may be inspected.
//
// Claim: if the conditions below hold, the state after the loop and everything that other goroutines
// can notice of it are the same for each order, in programs without data races.
//
//  1. The body does nothing but compute, read memory, write to variables that are the iteration's
//     own, and the effects listed in 3 and 4; so do the functions it calls. It neither
//     synchronises nor calls a function that may. So memory that the loop reads and does not write
//     is the same in all iterations: another goroutine that changed it would race with the loop.
//  2. The body never ends the loop early. Or it has no effect and cannot panic, it reads the same
//     variables in each iteration, so that it races with their writers in each order, and all
//     early exits lead to the same place with the same values. Then it only matters whether some
//     iteration takes an exit.
//  3. A variable that one iteration hands on to the next (a phi of the loop's head) is only combined
//     with the entry: by +, *, &, |, maximum or minimum, or by setting it to one constant. Or the
//     loop appends to a slice, or fills it by an index (fills), and the slice is sorted right after
//     the loop, by an order in which equal elements cannot be distinguished.
//  4. Iterations write to separate places (another map, under the key of the entry), or write
//     the same value, or add; and no iteration reads what another one writes.
//     The map itself may change under the key of the entry only. Then no instruction of the body
//     but the first of those writes may panic, because the panic would show the writes before it.
//  5. A nil pointer counts as a panic, for 2 and 4, unless it is dereferenced in each iteration before
//     any effect or exit and is the same in all of them.
//
// Example: it makes no difference in the first four loops, and it does in the others.
//
//	for k, v := range m { sum += v; n[k] = v }
//	for k := range m { keys = append(keys, k) }; slices.Sort(keys)
//	for k := range m { if k == "" { return true } }; return false
//	for k := range c.m { if old(k) { delete(c.m, k) } }               old only reads
//	for k := range m { return k }                                     the value
//	for k, v := range m { fmt.Println(k, v) }                         the output
//	for k, v := range m { n[v] = k }                                  which k wins
//
// Claim 1 is checked by pure (order_pure.go), calls (order_calls.go) and prints (order_format.go), 2 by
// exits (order_exits.go) and read (order_reads.go), 3 by accumulates (order_fold.go) and fills
// (order_filled.go), 4 by writes and writesApart (order_writes.go), 5 by nilFirst (order_nil.go).
// order_same.go finds values that are the same in all iterations.
func OrderMatters(r *ssa.Range, bodies Bodies) bool {
	l := loopOf(r, bodies)
	return l == nil || !l.commutes()
}

// Bodies returns the code of a function whose calls may be inspected; nil for all others.
type Bodies func(*ssa.Function) []*ssa.BasicBlock

// Inserts reports whether a loop over a map may insert entries into maps, or call a function that may.
// If maps keep the order of insertions, they then show the order of the loop.
func Inserts(r *ssa.Range, bodies Bodies) bool {
	l := loopOf(r, bodies)
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

	params  []*ssa.Parameter // parameters of the body, if the body is a function that is called for each entry (VisitMatters)
	bodies  Bodies
	calling map[*ssa.Function]bool // the functions whose calls are being inspected

	taken   map[ssa.Instruction]bool // instructions that claims 3 and 4 explain
	panics  bool                     // an instruction may panic other than by a nil pointer
	derefs  []deref                  // dereferences, which may panic
	effects []ssa.Instruction        // effects that others can notice before the loop has ended
	filled  bool                     // a slice is filled by an index, which may be out of range
	private bool                     // there are writes that others cannot notice before
	endless bool                     // a called function has a loop that may not end
	appends []types.Type             // the elements that are appended to slices
	reads   []ssa.Instruction        // instructions that read memory or maps
	varies  bool                     // an iteration may end the loop before it has read all that the others read
}

// exit is an edge out of the loop's body.
type exit struct{ from, to *ssa.BasicBlock }

// loopOf returns the loop, or nil if it does not have the form of a range statement.
//
// It is the natural loop of the head: the blocks that the head dominates and that lead back to it
// without passing it.
func loopOf(r *ssa.Range, bodies Bodies) *mapLoop {
	l := &mapLoop{r: r, body: map[*ssa.BasicBlock]bool{}, taken: map[ssa.Instruction]bool{}}
	l.bodies, l.calling = bodies, map[*ssa.Function]bool{r.Parent(): true}
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
	// The body consists of the blocks that the head dominates and that lead back to it.
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
	if l.params != nil {
		return v == ssa.Value(l.params[index-1])
	}
	x, ok := v.(*ssa.Extract)
	return ok && x.Tuple == l.next && x.Index == index
}

// Phis and writes are explained first (taken); all other instructions have to be pure. The checks
// of the whole body come last: a panic, or an endless inner loop, shows how many of the other
// effects had happened.
func (l *mapLoop) commutes() bool {
	for _, i := range l.head.Instrs {
		phi, ok := i.(*ssa.Phi)
		if ok && !l.fills(phi) && !l.accumulates(phi) {
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
	//mutant: an index out of range shows nothing [order]: drop 1
	if l.filled && (len(l.effects) > 0 || l.private || len(*writes) > 0) {
		return false
	}
	//mutant: panics do not count [order]: drop 1
	if l.panics || !l.nilFirst() || len(l.effects) > 0 && l.nested() {
		return false
	}
	//mutant: any loop may end early [order]: true
	return len(l.early) == 0 || l.exits()
}

// nested reports whether the body, or a function that it calls, has a loop that may not end.
func (l *mapLoop) nested() bool {
	return l.endless || mayBeEndless(l.blocks(), l.head)
}

// mayBeEndless reports whether blocks have a loop that does not range over a slice, a map, a
// string or a number, which ends. The loop of head does not count.
func mayBeEndless(blocks []*ssa.BasicBlock, head *ssa.BasicBlock) bool {
	for _, b := range blocks {
		for _, s := range b.Succs {
			if s == head || !s.Dominates(b) {
				continue
			}
			switch s.Comment {
			case "rangeindex.loop", "rangeint.loop", "rangeiter.loop":
			default:
				return true
			}
		}
	}
	return false
}

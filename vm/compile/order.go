package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

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
func OrderMatters(r *ssa.Range) bool {
	l := loopOf(r)
	return l == nil || !l.commutes()
}

// mapLoop is a loop over a map.
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

// A fold is how an accumulator is combined with an entry.
type fold struct {
	op  string    // "+", "max", "set", "append", ...; empty: not at all
	set ssa.Value // the constant of "set"
}

// accumulates checks claim 3 for a variable that iterations hand on.
func (l *mapLoop) accumulates(p *ssa.Phi) bool {
	a := &accumulator{l: l, p: p, chain: map[ssa.Value]bool{p: true}, used: map[ssa.Instruction]bool{}}
	for k, from := range l.head.Preds {
		if l.body[from] && !a.chosen(p, k) && !a.follow(p.Edges[k]) {
			return false
		}
	}
	if a.mixed {
		return false
	}
	// Nothing else in the loop uses what it is on the way.
	for v := range a.chain {
		for _, u := range *v.Referrers() {
			if l.in(u) && !a.used[u] {
				w, ok := u.(ssa.Value)
				if !ok || !a.chain[w] {
					return false
				}
			} else if !l.in(u) && v != ssa.Value(p) {
				return false // only an early exit leads there
			}
		}
	}
	if a.fold.op == "append" {
		if !l.sorted(p) {
			return false
		}
		l.appends = append(l.appends, p.Type().Underlying().(*types.Slice).Elem())
		for k, from := range l.head.Preds {
			if !l.body[from] && !ownArray(p.Edges[k]) {
				l.effects = true
			}
		}
	}
	for v := range a.chain {
		l.taken[v.(ssa.Instruction)] = true
	}
	return true
}

// ownArray: the slice v has an array that nothing else refers to, or none.
func ownArray(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeSlice:
		return len(*x.Referrers()) == 1
	case *ssa.Slice:
		a, ok := x.X.(*ssa.Alloc)
		return ok && len(*a.Referrers()) == 1 && len(*x.Referrers()) == 1
	}
	return false
}

// An accumulator is a variable that iterations hand on.
type accumulator struct {
	l     *mapLoop
	p     *ssa.Phi
	fold  fold
	chain map[ssa.Value]bool
	used  map[ssa.Instruction]bool // comparisons that choose a maximum
	mixed bool                     // of several folds
}

// is notes that the accumulator is folded by f, and reports whether that goes with the other folds.
func (a *accumulator) is(f fold) bool {
	if a.fold.op == "" {
		a.fold = f
		return true
	}
	return a.fold.op == f.op && (f.set == nil || sameValue(a.fold.set, f.set))
}

// follow walks from a value that the accumulator gets back to itself.
func (a *accumulator) follow(v ssa.Value) bool {
	if a.chain[v] {
		return true
	}
	if c, ok := v.(*ssa.Const); ok {
		return a.is(fold{op: "set", set: c})
	}
	i, ok := v.(ssa.Instruction)
	if !ok || !a.l.in(i) {
		return false
	}
	switch x := v.(type) {
	case *ssa.Phi:
		if x.Block() == a.l.head {
			return false
		}
		a.chain[x] = true
		for k, e := range x.Edges {
			if !a.chosen(x, k) && !a.follow(e) {
				return false
			}
		}
		return true
	case *ssa.BinOp:
		if !integer(x.Type()) {
			return false
		}
		op, left, right := x.Op.String(), x.X, x.Y
		switch x.Op {
		case token.ADD, token.MUL, token.AND, token.OR, token.XOR:
			if !a.leads(left) {
				left, right = right, left
			}
		case token.SUB:
			op = "+"
		default:
			return false
		}
		if !a.leads(left) || a.leads(right) {
			return false
		}
		a.chain[x] = true
		return a.is(fold{op: op}) && a.follow(left)
	case *ssa.Call:
		b, ok := x.Call.Value.(*ssa.Builtin)
		if !ok || len(x.Call.Args) != 2 {
			return false
		}
		left, right := x.Call.Args[0], x.Call.Args[1]
		switch b.Name() {
		case "max", "min":
			if !integer(x.Type()) {
				return false
			}
			if !a.leads(left) {
				left, right = right, left
			}
		case "append":
		default:
			return false
		}
		if !a.leads(left) || a.leads(right) {
			return false
		}
		a.chain[x] = true
		return a.is(fold{op: b.Name()}) && a.follow(left)
	}
	return false
}

// leads reports whether v is computed from the accumulator.
func (a *accumulator) leads(v ssa.Value) bool { return a.reaches(v, map[ssa.Value]bool{}) }

func (a *accumulator) reaches(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == ssa.Value(a.p) || a.chain[v] {
		return true
	}
	i, ok := v.(ssa.Instruction)
	if !ok || seen[v] || !a.l.in(i) {
		return false
	}
	seen[v] = true
	for _, o := range i.Operands(nil) {
		if *o != nil && a.reaches(*o, seen) {
			return true
		}
	}
	return false
}

// chosen recognises edge k of x = phi(p, e), the one of e, in "if e > p { p = e }", where nothing else
// depends on the comparison, and notes the fold.
func (a *accumulator) chosen(x *ssa.Phi, k int) bool {
	e, from := x.Edges[k], x.Block().Preds[k]
	if !integer(x.Type()) || !a.l.body[from] || len(from.Instrs) != 1 || len(from.Preds) != 1 || a.leads(e) {
		return false
	}
	test := from.Preds[0]
	not := slices.Index(x.Block().Preds, test)
	branch, ok := test.Instrs[len(test.Instrs)-1].(*ssa.If)
	if !ok || not < 0 || x.Edges[not] != ssa.Value(a.p) || test.Succs[0] != from || test.Succs[1] != x.Block() {
		return false
	}
	for _, i := range x.Block().Instrs {
		if phi, ok := i.(*ssa.Phi); ok && phi != x && phi.Edges[k] != phi.Edges[not] {
			return false
		}
	}
	c, ok := branch.Cond.(*ssa.BinOp)
	if !ok || len(*c.Referrers()) != 1 {
		return false
	}
	greater := c.Op == token.GTR || c.Op == token.GEQ
	switch {
	case !greater && c.Op != token.LSS && c.Op != token.LEQ:
		return false
	case c.X == e && c.Y == ssa.Value(a.p):
	case c.Y == e && c.X == ssa.Value(a.p):
		greater = !greater
	default:
		return false
	}
	a.used[c] = true
	op := "min"
	if greater {
		op = "max"
	}
	a.mixed = a.mixed || !a.is(fold{op: op})
	return true
}

// integer reports whether t is a type of integers.
func integer(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// plainOrder: equal values of the type are the same, and < orders all of them.
func plainOrder(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// sorted reports whether the slice p is sorted after the loop before it is used.
func (l *mapLoop) sorted(p *ssa.Phi) bool {
	s, ok := p.Type().Underlying().(*types.Slice)
	if !ok || !plainOrder(s.Elem()) || len(l.early) > 0 || len(l.done.Preds) != 1 {
		return false
	}
	for _, i := range l.done.Instrs {
		switch x := i.(type) {
		case *ssa.MakeInterface, *ssa.ChangeType:
			continue
		case *ssa.Call:
			f := x.Call.StaticCallee()
			if f == nil || len(x.Call.Args) != 1 || x.Call.Args[0] != ssa.Value(p) {
				return false
			}
			if o := f.Origin(); o != nil {
				f = o
			}
			switch f.String() {
			case "sort.Strings", "sort.Ints", "slices.Sort":
				return l.only(p, x)
			}
		}
		return false
	}
	return false
}

// only reports whether the first use of p after the loop is call.
func (l *mapLoop) only(p *ssa.Phi, call *ssa.Call) bool {
	for _, u := range *p.Referrers() {
		b := u.Block()
		switch {
		case u == ssa.Instruction(call), l.body[b]:
		case b == l.done: // only what comes before the call has been looked at
			if _, ok := u.(*ssa.Phi); ok {
				return false
			}
		case !l.done.Dominates(b):
			return false
		}
	}
	return true
}

// A write is an effect of the body.
type write struct {
	instr ssa.Instruction
	m     ssa.Value // the map that is written to; nil: memory
	addr  ssa.Value
	kind  string // "own": under the key of the entry; "set": a constant; "add": it is added; "delete"
	val   ssa.Value
}

// writes lists the effects, or returns nil if there is one of another form than those of claim 4.
func (l *mapLoop) writes() *[]write {
	list := []write{}
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			switch x := i.(type) {
			case *ssa.MapUpdate:
				w := write{instr: x, m: x.Map, val: x.Value}
				if _, ok := x.Key.Type().Underlying().(*types.Interface); ok && !l.entry(x.Key, 1) {
					return nil // it may not be hashable
				}
				_, set := x.Value.(*ssa.Const)
				switch {
				case l.adds(x.Value, func(v ssa.Value) bool {
					k, ok := v.(*ssa.Lookup)
					return ok && !k.CommaOk && k.X == x.Map && k.Index == x.Key
				}):
					w.kind = "add"
				case l.entry(x.Key, 1):
					w.kind = "own"
				case set:
					w.kind = "set"
				default:
					return nil
				}
				list = append(list, w)
			case *ssa.Store:
				if a, ok := x.Addr.(*ssa.IndexAddr); ok && variadic(a.X) {
					l.taken[x], l.taken[a] = true, true
					continue
				}
				w := write{instr: x, addr: x.Addr, val: x.Val}
				_, set := x.Val.(*ssa.Const)
				switch {
				case set && fieldOf(x.Addr) != nil, set && cell(x.Addr):
					w.kind = "set"
				case cell(x.Addr) && l.adds(x.Val, func(v ssa.Value) bool {
					u, ok := v.(*ssa.UnOp)
					return ok && u.Op == token.MUL && u.X == x.Addr
				}):
					w.kind = "add"
				default:
					return nil
				}
				list = append(list, w)
			case *ssa.Call:
				if bi, ok := x.Call.Value.(*ssa.Builtin); ok && bi.Name() == "delete" {
					if _, ok := x.Call.Args[1].Type().Underlying().(*types.Interface); ok && !l.entry(x.Call.Args[1], 1) {
						return nil
					}
					w := write{instr: x, m: x.Call.Args[0], kind: "delete", val: x.Call.Args[1]}
					list = append(list, w)
				}
			}
		}
	}
	return &list
}

// adds recognises old + e of integers, where old is read as is says, for nothing else, and e has
// nothing to do with it; the reading is then explained.
func (l *mapLoop) adds(v ssa.Value, is func(ssa.Value) bool) bool {
	x, ok := v.(*ssa.BinOp)
	if !ok || !integer(x.Type()) || x.Op != token.ADD && x.Op != token.SUB || len(*x.Referrers()) != 1 {
		return false
	}
	for k, old := range []ssa.Value{x.X, x.Y} {
		if !is(old) || k == 1 && x.Op == token.SUB || len(*old.Referrers()) != 1 || x.X == x.Y {
			continue
		}
		l.taken[old.(ssa.Instruction)] = true
		return true
	}
	return false
}

// variadic: v is the array of a call's variable arguments, which exists for that call only.
func variadic(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && a.Comment == "varargs"
}

// fieldOf returns the struct's field that v is the address of, or nil.
func fieldOf(v ssa.Value) *types.Var {
	f, ok := v.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	return f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(f.Field)
}

// cell: v is the address of a variable of its own.
func cell(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Alloc:
		return x.Comment != "varargs"
	case *ssa.FreeVar, *ssa.Global:
		return true
	}
	return false
}

// writesApart checks the rest of claim 4: what the writes do to each other, and what is read.
func (l *mapLoop) writesApart(list []write) bool {
	for i, w := range list {
		if w.m != nil && l.hidden(w.m) {
			l.private = true
		} else {
			l.effects = true
		}
		if w.m != nil && !l.invariant(w.m) || w.m == nil && cell(w.addr) && !l.invariant(w.addr) {
			return false
		}
		// It is a nil map in all iterations or in none. What is not in the map cannot be panicked
		// about: other writes come before it in no order, or in each.
		if w.m != nil && len(list) > 1 && w.kind != "delete" && !fresh(w.m) {
			return false
		}
		if w.m != nil && types.Identical(w.m.Type().Underlying(), l.r.X.Type().Underlying()) && !(fresh(w.m) && l.older(w.m)) {
			// It may be the map itself: the entries that follow are to stay.
			if w.kind == "own" && len(list) > 1 || w.kind == "set" || w.kind == "add" || w.kind == "delete" && !l.entry(w.val, 1) {
				return false
			}
		}
		for _, v := range list[:i] {
			if (v.m == nil) != (w.m == nil) {
				continue
			}
			switch {
			case w.m != nil && !types.Identical(v.m.Type().Underlying(), w.m.Type().Underlying()):
			case w.m != nil && (v.kind != w.kind || w.kind == "set" && !sameValue(v.val, w.val)):
				return false
			case w.m != nil:
			case apart(v.addr, w.addr):
			case v.kind != w.kind || w.kind == "set" && !sameValue(v.val, w.val):
				return false
			}
		}
		for _, r := range l.reads {
			switch x := r.(type) {
			case *ssa.Lookup:
				if w.m != nil && types.Identical(x.X.Type().Underlying(), w.m.Type().Underlying()) {
					return false
				}
			case *ssa.UnOp:
				if w.m == nil && !apart(x.X, w.addr) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// appendsApart: nothing is read that may be an element of what is appended to.
func (l *mapLoop) appendsApart() bool {
	for _, r := range l.reads {
		u, ok := r.(*ssa.UnOp)
		for _, t := range l.appends {
			if ok && types.Identical(u.Type(), t) && !cell(u.X) && fieldOf(u.X) == nil {
				return false
			}
		}
	}
	return true
}

// apart reports whether two addresses are certainly those of different variables.
func apart(a, b ssa.Value) bool {
	f, g := fieldOf(a), fieldOf(b)
	switch {
	case f != nil && g != nil:
		// A field of one name may be one of several types, by conversion.
		return f.Name() != g.Name() && scalar(f.Type()) && scalar(g.Type())
	case cell(a) && cell(b):
		return a != b
	case cell(a) && g != nil:
		return scalar(elemOf(a))
	case f != nil && cell(b):
		return scalar(elemOf(b))
	}
	return false
}

func elemOf(a ssa.Value) types.Type { return a.Type().Underlying().(*types.Pointer).Elem() }

// scalar: variables of the type do not contain others.
func scalar(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// invariant: v is the same in all iterations.
func (l *mapLoop) invariant(v ssa.Value) bool {
	i, ok := v.(ssa.Instruction)
	return !ok || !l.in(i)
}

// fresh: v is a map that the function has made, so it is not nil.
func fresh(v ssa.Value) bool {
	_, ok := v.(*ssa.MakeMap)
	return ok
}

// hidden: v is a map that the function has made, and that nothing else refers to until the loop has
// ended.
func (l *mapLoop) hidden(v ssa.Value) bool {
	if !fresh(v) {
		return false
	}
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.MapUpdate:
			if x.Map == v && x.Key != v && x.Value != v {
				continue
			}
		case *ssa.Lookup, *ssa.DebugRef:
			continue
		case *ssa.Call:
			if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() != "print" && b.Name() != "println" {
				continue
			}
		case *ssa.Phi:
			return false
		}
		if l.in(u) || !l.done.Dominates(u.Block()) {
			return false
		}
	}
	return true
}

// older: the map of the loop was there before the map v was made.
func (l *mapLoop) older(v ssa.Value) bool {
	made := v.(*ssa.MakeMap)
	x, ok := l.r.X.(ssa.Instruction)
	return !ok || x != ssa.Instruction(made) && x.Block().Dominates(made.Block()) && (x.Block() != made.Block() || before(x, made))
}

func before(a, b ssa.Instruction) bool {
	for _, i := range a.Block().Instrs {
		if i == a || i == b {
			return i == a
		}
	}
	return false
}

// pureFuncs have no effect, need no memory of others, and never panic.
var pureFuncs = func() map[string]bool {
	set := map[string]bool{}
	for _, f := range strings.Fields(`strings.HasPrefix strings.HasSuffix strings.Contains strings.ContainsRune strings.Index
		strings.IndexByte strings.ToLower strings.ToUpper strings.TrimSpace strings.TrimPrefix strings.TrimSuffix
		strings.EqualFold strings.Compare strconv.Itoa strconv.Quote unicode.IsLetter unicode.IsDigit unicode.IsSpace
		unicode.IsUpper unicode.IsLower bytes.Equal math.Abs`) {
		set[f] = true
	}
	return set
}()

// pure checks claim 1 for an instruction, and notes what it reads and whether it may panic.
func (l *mapLoop) pure(i ssa.Instruction) bool {
	switch x := i.(type) {
	case *ssa.Next:
		return x == l.next
	case *ssa.Extract, *ssa.If, *ssa.Jump, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Field, *ssa.DebugRef, *ssa.Phi:
		return true
	case *ssa.Alloc:
		return x.Comment == "varargs"
	case *ssa.Slice:
		return variadic(x.X)
	case *ssa.MapUpdate, *ssa.Store:
		return true // writes has looked at it
	case *ssa.BinOp:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			c, ok := x.Y.(*ssa.Const)
			l.panics = l.panics || !ok || c.Value == nil || constant.Sign(c.Value) <= 0
		case token.EQL, token.NEQ:
			l.panics = l.panics || !comparesPlainly(x.X.Type()) && !isNil(x.X) && !isNil(x.Y)
		}
		return true
	case *ssa.Convert:
		return scalar(x.Type())
	case *ssa.UnOp:
		switch x.Op {
		case token.ARROW:
			return false
		case token.MUL:
			l.derefs = l.derefs || !cell(x.X) && !l.certain(x.X)
			l.reads = append(l.reads, x)
		}
		return true
	case *ssa.FieldAddr:
		l.derefs = l.derefs || !cell(x.X)
		return true
	case *ssa.IndexAddr:
		if _, ok := x.Index.(*ssa.Const); !ok {
			l.panics = true
		} else if _, ok := x.X.Type().Underlying().(*types.Pointer); !ok {
			l.panics = true
		}
		return true
	case *ssa.Lookup:
		if _, ok := x.X.Type().Underlying().(*types.Map); !ok {
			l.panics = true // the index of a string
			return true
		}
		if !comparesPlainly(x.Index.Type()) {
			l.panics = true
		}
		l.reads = append(l.reads, x)
		return true
	case *ssa.TypeAssert:
		return x.CommaOk
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap":
				return !isMap(x.Call.Args[0].Type()) && !isChan(x.Call.Args[0].Type())
			case "max", "min", "delete":
				return true
			}
			return false
		}
		f := x.Call.StaticCallee()
		return f != nil && pureFuncs[f.String()]
	}
	return false
}

// certain: the address is that of a field, whose pointer has been looked at.
func (l *mapLoop) certain(v ssa.Value) bool {
	_, ok := v.(*ssa.FieldAddr)
	return ok
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// comparesPlainly: comparing values of the type does not panic.
func comparesPlainly(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.TypeParam:
		return false
	case *types.Struct:
		for f := range u.Fields() {
			if !comparesPlainly(f.Type()) {
				return false
			}
		}
	case *types.Array:
		return comparesPlainly(u.Elem())
	}
	return true
}

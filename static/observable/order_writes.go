package observable

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Claim 4 of OrderMatters: the writes of iterations.
//
//	n[k] = v         "own": each iteration has an entry of its own, as keys differ
//	seen[v] = true   "set": which one is last makes no difference
//	count[v]++       "add": a sum, which has no order
//	delete(m, k)     "delete": a deleted entry stays deleted

// A write is an effect of the body.
type write struct {
	instr ssa.Instruction
	m     ssa.Value // the written map; nil: memory
	addr  ssa.Value
	kind  string // "own": under the key of the entry; "set": one value; "add": it is added; "delete"
	key   ssa.Value
	val   ssa.Value
}

// writes lists the effects, or returns nil if one of them does not have a form of claim 4.
//
// It returns a pointer, so that "no writes" and "unknown writes" are different answers.
//
// The kind of a write decides with which other writes it commutes (writesApart): two writes of one kind to
// the same place commute, and so do writes to places that are surely different.
func (l *mapLoop) writes() *[]write {
	list := []write{}
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			switch x := i.(type) {
			case *ssa.MapUpdate:
				w := write{instr: x, m: x.Map, key: x.Key, val: x.Value}
				//mutant: any key has a hash [order]
				if !plainKey(x.Key.Type()) && !l.entry(x.Key, 1) {
					return nil
				}
				switch {
				case l.adds(x.Value, func(v ssa.Value) bool {
					k, ok := v.(*ssa.Lookup)
					return ok && !k.CommaOk && l.same(k.X, x.Map) && k.Index == x.Key
				}):
					w.kind = "add"
				case l.entry(x.Key, 1):
					w.kind = "own"
				case l.constant(x.Value):
					w.kind = "set"
				default:
					return nil
				}
				list = append(list, w)
			case *ssa.Store:
				if l.taken[x] {
					continue
				}
				if l.owned(x.Addr, nil) {
					l.taken[x] = true
					continue
				}
				w := write{instr: x, addr: x.Addr, val: x.Val}
				set := l.constant(x.Val)
				switch {
				case set && fieldOf(x.Addr) != nil, set && cell(x.Addr):
					w.kind = "set"
				case (cell(x.Addr) || fieldOf(x.Addr) != nil) && l.adds(x.Val, func(v ssa.Value) bool {
					u, ok := v.(*ssa.UnOp)
					return ok && u.Op == token.MUL && l.same(u.X, x.Addr)
				}):
					w.kind = "add"
				default:
					return nil
				}
				list = append(list, w)
			case *ssa.Call:
				if bi, ok := x.Call.Value.(*ssa.Builtin); ok && bi.Name() == "delete" {
					if key := x.Call.Args[1]; !plainKey(key.Type()) && !l.entry(key, 1) {
						return nil
					}
					w := write{instr: x, m: x.Call.Args[0], kind: "delete", key: x.Call.Args[1]}
					list = append(list, w)
				}
				if w, ok := l.sets(x); ok {
					l.taken[x] = true
					list = append(list, w)
				}
				if l.stores(x) {
					l.looksAt(x, x.Call.Args[0], nil)
					l.taken[x] = true
					l.effects = append(l.effects, x)
				}
			}
		}
	}
	return &list
}

// sets recognises a call of a function that only writes an entry under the key of the iteration:
//
//	func (h Header) Set(key, value string) { h[key] = value }
func (l *mapLoop) sets(x *ssa.Call) (w write, ok bool) {
	fn := x.Call.StaticCallee()
	if fn == nil || len(fn.FreeVars) > 0 || l.bodies == nil {
		return write{}, false
	}
	blocks := l.bodies(fn)
	if len(blocks) != 1 || fn.Recover != nil {
		return write{}, false
	}
	var update *ssa.MapUpdate
	for _, i := range blocks[0].Instrs {
		switch u := i.(type) {
		case *ssa.DebugRef:
		case *ssa.Return:
			ok = len(u.Results) == 0
		case *ssa.MapUpdate:
			if update != nil {
				return write{}, false
			}
			update = u
		default:
			return write{}, false
		}
	}
	if update == nil || !ok {
		return write{}, false
	}
	arg := func(v ssa.Value) ssa.Value {
		for k, p := range fn.Params {
			if v == ssa.Value(p) {
				return x.Call.Args[k]
			}
		}
		return nil
	}
	w = write{instr: x, m: arg(update.Map), key: arg(update.Key), val: arg(update.Value), kind: "own"}
	//mutant: a function sets an entry under any key [order]: "l.entry(w.key, 1)" -> "w.key != nil"
	return w, w.m != nil && w.key != nil && w.val != nil && l.entry(w.key, 1)
}

// adds recognises the sum old + e of integers, where old is a read that has no other use and
// is(old) holds, and e is independent of old; the read is then explained.
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

// plainKey reports whether keys of the type have a hash, and equal keys are identical. 0 and -0 are not
// identical, and a map keeps the last one.
func plainKey(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		//mutant: equal keys are the same [order]: true
		return u.Info()&(types.IsFloat|types.IsComplex) == 0
	case *types.Struct:
		for f := range u.Fields() {
			if !plainKey(f.Type()) {
				return false
			}
		}
	case *types.Array:
		return plainKey(u.Elem())
	}
	return comparesPlainly(t)
}

// fieldOf returns the field of a struct whose address is v, or nil.
func fieldOf(v ssa.Value) *types.Var {
	f, ok := v.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	return f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(f.Field)
}

// cell reports whether v is the address of a variable of its own.
func cell(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Global:
		return true
	}
	return false
}

// writesApart checks the rest of claim 4: the writes against each other, and against the reads.
//
// Maps are distinguished by their types, as two variables may be the same map; places in memory by
// their form: a variable of its own, or a field of another name.
func (l *mapLoop) writesApart(list []write) bool {
	several := len(list)+len(l.effects) > 1
	for i, w := range list {
		if w.m != nil && l.hidden(w.m) {
			l.private = true
		} else {
			l.effects = append(l.effects, w.instr)
		}
		if w.m != nil && !l.invariant(w.m) || w.m == nil && cell(w.addr) && !l.invariant(w.addr) {
			return false
		}
		// The map is nil in all iterations or in none. If it may be nil the write has to be the
		// only effect, because the effects before a panic would depend on the order.
		if w.m != nil && several && w.kind != "delete" && !fresh(w.m) {
			return false
		}
		if w.m != nil && l.mayBeItself(w.m) {
			// The entries that follow must remain.
			another := w.kind == "delete" && !l.entry(w.key, 1)
			if w.kind == "own" && len(list) > 1 || w.kind == "set" || w.kind == "add" || another {
				return false
			}
		}
		for _, v := range list[:i] {
			if (v.m == nil) != (w.m == nil) {
				continue
			}
			switch {
			case w.m != nil && !types.Identical(v.m.Type().Underlying(), w.m.Type().Underlying()):
			//mutant: what is written under any key is the iteration's own [order]: drop 3
			case w.m != nil && l.entry(v.key, 1) && l.entry(w.key, 1): // the iteration's own
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
				if w.m != nil && types.Identical(x.X.Type().Underlying(), w.m.Type().Underlying()) &&
					//mutant: what is read under any key is the iteration's own [order]: "(l.entry(x.Index, 1) && l.entry(w.key, 1)" -> "l.entry(w.key, 1"
					!(l.entry(x.Index, 1) && l.entry(w.key, 1)) {
					return false
				}
			case *ssa.Next:
				if w.m != nil && types.Identical(x.Iter.(*ssa.Range).X.Type().Underlying(), w.m.Type().Underlying()) {
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

// appendsApart reports whether no read may be of an element of a slice that is appended to.
func (l *mapLoop) appendsApart() bool {
	for _, r := range l.reads {
		u, ok := r.(*ssa.UnOp)
		switch r.(type) {
		case *ssa.Convert, *ssa.Call: // bytes
			if len(l.appends) > 0 {
				return false
			}
		}
		for _, t := range l.appends {
			if ok && types.Identical(u.Type(), t) && !cell(u.X) && fieldOf(u.X) == nil {
				return false
			}
		}
	}
	return true
}

// apart reports whether two addresses are certainly those of different variables.
//
// It holds for scalars only: a struct contains its fields, so its address belongs to the same variable as
// theirs.
func apart(a, b ssa.Value) bool {
	f, g := fieldOf(a), fieldOf(b)
	switch {
	case f != nil && g != nil:
		// By conversion, a field of one name may have one of several types.
		return f.Name() != g.Name() && scalar(f.Type()) && scalar(g.Type())
	case cell(a) && cell(b):
		return a != b
	case cell(a) && g != nil:
		return scalar(elemOf(a))
	case f != nil && cell(b):
		return scalar(elemOf(b))
	case element(a): // a read of an element: elements are never written
		//mutant: elements are of no variable [order]: "(cell(b) || g != nil) && scalar(elemOf(b))" -> "cell(b) || g != nil"
		return (cell(b) || g != nil) && scalar(elemOf(b))
	}
	return false
}

// element reports whether v is the address of an element of a slice or an array, which contains no
// variables.
func element(v ssa.Value) bool {
	_, ok := v.(*ssa.IndexAddr)
	return ok && scalar(elemOf(v))
}

func elemOf(a ssa.Value) types.Type { return a.Type().Underlying().(*types.Pointer).Elem() }

// scalar reports whether variables of the type contain no others.
func scalar(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// fresh reports whether the function has made the map v, so that it is not nil.
func fresh(v ssa.Value) bool {
	_, ok := v.(*ssa.MakeMap)
	return ok
}

// hidden reports whether the function has made the map v, and nothing else refers to it until the
// loop has ended. Afterwards the function may pass it on.
// Then a nil dereference in the middle of the loop, or an endless loop in it, shows nothing of v.
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

// mayBeItself reports whether m may be the map over which the loop ranges.
func (l *mapLoop) mayBeItself(m ssa.Value) bool {
	if l.r == nil || !types.Identical(m.Type().Underlying(), l.r.X.Type().Underlying()) {
		return false
	}
	return !fresh(m) || !l.older(m)
}

// older reports whether the map of the loop existed before the map v was made.
func (l *mapLoop) older(v ssa.Value) bool {
	made := v.(*ssa.MakeMap)
	x, ok := l.r.X.(ssa.Instruction)
	if !ok {
		return true
	}
	if x == ssa.Instruction(made) || !x.Block().Dominates(made.Block()) {
		return false
	}
	return x.Block() != made.Block() || before(x, made)
}

func before(a, b ssa.Instruction) bool {
	for _, i := range a.Block().Instrs {
		if i == a || i == b {
			return i == a
		}
	}
	return false
}

package sketch

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// frame is an activation of a function.
type frame struct {
	fn     *ssa.Function
	env    map[ssa.Value]value
	block  *ssa.BasicBlock
	prev   *ssa.BasicBlock
	pc     int
	defers []deferred
	// back is called with the results when the function has returned; nil: they are not wanted.
	back func(v value)
	// unwinds: a panic leaves this function.
	unwinds bool
	deferOf *frame // the frame whose deferred call this is
}

func (fr *frame) at() ssa.Instruction {
	if fr.pc < len(fr.block.Instrs) {
		return fr.block.Instrs[fr.pc]
	}
	return fr.block.Instrs[len(fr.block.Instrs)-1]
}

func (g *goroutine) top() *frame { return g.frames[len(g.frames)-1] }

// step executes the pending operation of g, and everything up to its next one.
func (r *Run) step(g *goroutine) {
	for first := true; !g.done && !r.stopped; first = false {
		if !first && r.visible(g) {
			return
		}
		r.count()
		r.exec(g)
	}
}

// get returns the value of v in fr.
func (r *Run) get(fr *frame, v ssa.Value) value {
	switch x := v.(type) {
	case *ssa.Const:
		return constOf(x)
	case *ssa.Global:
		return &ptr{r.global(x), ""}
	case *ssa.Function:
		return &closure{fn: x}
	case *ssa.Builtin:
		return nilV{}
	}
	return fr.env[v]
}

// force is get, but makes up an unknown value. The memory that it was loaded from keeps the value.
func (r *Run) force(fr *frame, v ssa.Value) value {
	x := r.get(fr, v)
	if _, ok := x.(unknown); !ok && x != nil {
		return x
	}
	if x = r.compute(fr, v); x == nil {
		x = r.makeUp(v.Type())
	}
	if _, isConst := v.(*ssa.Const); isConst {
		return x
	}
	fr.env[v] = x
	switch l := v.(type) {
	case *ssa.UnOp:
		if p, ok := fr.env[l.X].(*ptr); ok && l.Op == token.MUL {
			r.store(p, x, v.Type())
		} else if g, ok := l.X.(*ssa.Global); ok && l.Op == token.MUL {
			r.store(&ptr{r.global(g), ""}, x, v.Type())
		}
	case *ssa.Field:
		if a, ok := fr.env[l.X].(*aggregate); ok {
			a.f[l.Field] = x
		}
	}
	return x
}

// compute makes up values for the operands of v, and returns the value of v if it is a number that
// depends on them only; otherwise nil. So all numbers that depend on an input agree.
//
//	wg.Add(n + m)
//	for range n { go send() }
func (r *Run) compute(fr *frame, v ssa.Value) value {
	if basic, ok := v.Type().Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
		return nil
	}
	var x value
	switch i := v.(type) {
	case *ssa.BinOp:
		//mutant: sketch: a sum has nothing to do with its terms [test ./static/findings TestWant]: "r.force(fr, i.X)" -> ""
		r.force(fr, i.X)
		r.force(fr, i.Y)
		x = r.binop(fr, i)
	case *ssa.Convert:
		r.force(fr, i.X)
		x = r.convert(fr, i)
	}
	if _, ok := x.(int64); ok {
		return x
	}
	return nil
}

// pointer forces v to a pointer; false if it is nil, which is a panic.
func (r *Run) pointer(g *goroutine, fr *frame, v ssa.Value) (*ptr, bool) {
	switch x := r.force(fr, v).(type) {
	case *ptr:
		return x, true
	case nilV:
		r.fail(g, NilUse)
		return nil, false
	}
	if pt, ok := v.Type().Underlying().(*types.Pointer); ok {
		p := &ptr{r.outside(pt.Elem()), ""}
		fr.env[v] = p
		return p, true
	}
	panic(giveUp{why: "no pointer"})
}

// Same reports whether st stores the value that its variable already has, as the return of a named
// result does.
func Same(st *ssa.Store) bool {
	load, ok := st.Val.(*ssa.UnOp)
	return ok && load.Op == token.MUL && load.X == st.Addr
}

// exec executes the next instruction of g.
func (r *Run) exec(g *goroutine) {
	fr := g.top()
	if fr.unwinds {
		r.unwind(g)
		return
	}
	if fr.pc >= len(fr.block.Instrs) {
		panic(giveUp{why: "end of a block"})
	}
	instr := fr.block.Instrs[fr.pc]
	set := func(v value) {
		fr.env[instr.(ssa.Value)] = v
		fr.pc++
	}
	switch i := instr.(type) {
	case *ssa.Alloc:
		t := i.Type().Underlying().(*types.Pointer).Elem()
		set(&ptr{newObj(t, i), ""})
	case *ssa.Phi:
		r.phis(fr)
	case *ssa.If:
		c, _ := r.force(fr, i.Cond).(bool)
		k := 1
		if c {
			k = 0
		}
		//mutant: sketch: a program may have no workers [test ./static/findings TestWant]: "r.leavesAtOnce(fr, k)" -> "false"
		if r.leavesAtOnce(fr, k) {
			r.Guesses += Unlikely
		}
		r.jump(fr, fr.block.Succs[k])
	case *ssa.Jump:
		r.jump(fr, fr.block.Succs[0])
	case *ssa.Return:
		r.ret(g, fr, i)
	case *ssa.BinOp:
		set(r.binop(fr, i))
	case *ssa.UnOp:
		r.unop(g, fr, i)
	case *ssa.Store:
		p, ok := r.pointer(g, fr, i.Addr)
		if ok {
			//mutant: sketch: the return of a named result is a write [test ./static/findings TestWant]: "!Same(i)" -> "true"
			if !Same(i) {
				r.touch(g, p.o, p.path, true, false, i)
			}
			r.store(p, r.get(fr, i.Val), i.Val.Type())
			fr.pc++
		}
	case *ssa.FieldAddr:
		if p, ok := r.pointer(g, fr, i.X); ok {
			set(&ptr{p.o, fieldPath(p.path, i.Field)})
		}
	case *ssa.Field:
		if a, ok := r.force(fr, i.X).(*aggregate); ok && i.Field < len(a.f) {
			set(a.f[i.Field])
		} else {
			set(unknown{})
		}
	case *ssa.IndexAddr:
		r.indexAddr(g, fr, i)
	case *ssa.Index:
		set(r.index(fr, i.X, i.Index))
	case *ssa.Extract:
		if t, ok := r.get(fr, i.Tuple).(tuple); ok && i.Index < len(t) {
			set(t[i.Index])
		} else {
			set(unknown{})
		}
	case *ssa.MakeClosure:
		c := &closure{fn: i.Fn.(*ssa.Function)}
		for _, b := range i.Bindings {
			c.bind = append(c.bind, r.get(fr, b))
		}
		set(c)
	case *ssa.MakeInterface:
		set(&iface{i.X.Type(), r.get(fr, i.X)})
	case *ssa.ChangeInterface:
		set(r.get(fr, i.X))
	case *ssa.ChangeType:
		set(r.get(fr, i.X))
	case *ssa.Convert:
		set(r.convert(fr, i))
	case *ssa.MultiConvert, *ssa.SliceToArrayPointer:
		set(unknown{})
	case *ssa.MakeChan:
		o := newObj(i.Type(), i)
		o.kind = chanObj
		_, madeUp := r.get(fr, i.Size).(unknown)
		n, _ := r.force(fr, i.Size).(int64)
		//mutant: sketch: a made-up buffer may have no room [test ./static/findings TestWant]: "n == 0" -> "n == 0 && false"
		if madeUp && n == 0 {
			r.Guesses += Unlikely
		}
		o.ch = &channel{size: int(n)}
		set(o)
	case *ssa.MakeMap:
		o := newObj(i.Type(), i)
		o.kind = mapObj
		set(o)
	case *ssa.MakeSlice:
		n, _ := r.force(fr, i.Len).(int64)
		if n < 0 || n > 64 {
			panic(giveUp{why: "long slice"})
		}
		c, _ := r.force(fr, i.Cap).(int64)
		set(&slice{newObj(i.Type().Underlying().(*types.Slice).Elem(), i), 0, int(n), int(max(n, c))})
	case *ssa.Slice:
		r.slicing(g, fr, i)
	case *ssa.Lookup:
		r.lookup(g, fr, i)
	case *ssa.MapUpdate:
		switch m := r.force(fr, i.Map).(type) {
		case *obj:
			r.touch(g, m, "", true, false, i)
			k := keyOf(r.force(fr, i.Key))
			if _, ok := m.cells[k]; !ok {
				m.order = append(m.order, k)
				m.cells["key "+k] = r.get(fr, i.Key)
			}
			m.cells[k] = r.get(fr, i.Value)
			fr.pc++
		case nilV:
			r.fail(g, NilUse)
		default:
			fr.pc++
		}
	case *ssa.Range:
		set(&iterator{of: r.force(fr, i.X)})
	case *ssa.Next:
		set(r.next(g, fr, i))
	case *ssa.TypeAssert:
		r.assert(g, fr, i)
	case *ssa.Panic:
		r.fail(g, OtherPanic)
	case *ssa.Send:
		r.send(g, fr, i)
	case *ssa.Select:
		r.selects(g, fr, i)
	case *ssa.RunDefers:
		if len(fr.defers) == 0 {
			fr.pc++
			return
		}
		r.runDeferred(g, fr)
	case *ssa.Defer:
		r.deferCall(fr, i)
		fr.pc++
	case *ssa.Go:
		r.goCall(g, fr, i)
		fr.pc++
	case *ssa.Call:
		r.call(g, fr, i)
	case *ssa.DebugRef:
		fr.pc++
	default:
		panic(giveUp{why: "instruction"})
	}
}

func (r *Run) jump(fr *frame, to *ssa.BasicBlock) { fr.prev, fr.block, fr.pc = fr.block, to, 0 }

// phis executes all phis of a block at once.
func (r *Run) phis(fr *frame) {
	k := 0
	for i, p := range fr.block.Preds {
		if p == fr.prev {
			k = i
		}
	}
	var vals []value
	n := 0
	for _, instr := range fr.block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		vals = append(vals, r.get(fr, phi.Edges[k]))
		n++
	}
	for i := range n {
		fr.env[fr.block.Instrs[i].(ssa.Value)] = vals[i]
	}
	fr.pc = n
}

func (r *Run) binop(fr *frame, i *ssa.BinOp) value {
	switch i.Op {
	case token.EQL, token.NEQ:
		x, y := r.get(fr, i.X), r.get(fr, i.Y)
		eq, known := same(x, y)
		if !known {
			x, y = r.force(fr, i.X), r.force(fr, i.Y)
			if eq, known = same(x, y); !known {
				r.Guesses++
				eq = r.rng.IntN(2) == 0
			}
		}
		return eq == (i.Op == token.EQL)
	}
	x, y := r.get(fr, i.X), r.get(fr, i.Y)
	if basic, ok := i.X.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
		switch i.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			x, y = r.force(fr, i.X), r.force(fr, i.Y)
		}
	}
	a, ok := x.(int64)
	b, ok2 := y.(int64)
	if ok && ok2 {
		switch i.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		case token.QUO, token.REM:
			if b == 0 {
				panic(giveUp{why: "division by zero"})
			}
			if i.Op == token.REM {
				return a % b
			}
			return a / b
		case token.AND:
			return a & b
		case token.OR:
			return a | b
		case token.XOR:
			return a ^ b
		case token.AND_NOT:
			return a &^ b
		case token.SHL:
			return a << uint(b&63)
		case token.SHR:
			return a >> uint(b&63)
		case token.LSS:
			return a < b
		case token.LEQ:
			return a <= b
		case token.GTR:
			return a > b
		case token.GEQ:
			return a >= b
		}
	}
	if s, ok := x.(string); ok {
		if t, ok := y.(string); ok {
			switch i.Op {
			case token.ADD:
				return s + t
			case token.LSS:
				return s < t
			case token.GTR:
				return s > t
			}
		}
	}
	if c, ok := x.(bool); ok {
		if d, ok := y.(bool); ok {
			switch i.Op {
			case token.AND, token.LAND:
				return c && d
			case token.OR, token.LOR:
				return c || d
			}
		}
	}
	return unknown{}
}

func (r *Run) unop(g *goroutine, fr *frame, i *ssa.UnOp) {
	switch i.Op {
	case token.MUL:
		if p, ok := r.pointer(g, fr, i.X); ok {
			r.touch(g, p.o, p.path, false, false, i)
			fr.env[i] = r.load(p, i.Type())
			fr.pc++
		}
	case token.ARROW:
		r.receive(g, fr, i)
	case token.NOT:
		b, _ := r.force(fr, i.X).(bool)
		fr.env[i] = !b
		fr.pc++
	case token.SUB:
		fr.env[i] = unknown{}
		if n, ok := r.get(fr, i.X).(int64); ok {
			fr.env[i] = -n
		}
		fr.pc++
	default:
		fr.env[i] = unknown{}
		fr.pc++
	}
}

func (r *Run) convert(fr *frame, i *ssa.Convert) value {
	v := r.get(fr, i.X)
	if n, ok := v.(int64); ok {
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return n
		}
	}
	if s, ok := v.(string); ok {
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return s
		}
	}
	return unknown{}
}

func (r *Run) assert(g *goroutine, fr *frame, i *ssa.TypeAssert) {
	x := r.force(fr, i.X)
	ok := false
	var v value = zero(i.AssertedType)
	switch f := x.(type) {
	case *iface:
		if types.IsInterface(i.AssertedType) {
			ok = types.Implements(f.t, i.AssertedType.Underlying().(*types.Interface))
			v = x
		} else if ok = types.Identical(f.t, i.AssertedType); ok {
			v = f.v
		}
	case opaque:
		r.Guesses++
		if ok = !i.CommaOk || r.rng.IntN(2) == 0; ok {
			v = unknown{}
			if types.IsInterface(i.AssertedType) {
				v = x
			}
		}
	case *contextValue:
		ok, v = types.IsInterface(i.AssertedType), x
	}
	if !ok && v == nil {
		v = zero(i.AssertedType)
	}
	if !ok {
		v = zero(i.AssertedType)
	}
	if i.CommaOk {
		v = tuple{v, ok}
	} else if !ok {
		r.fail(g, OtherPanic)
		return
	}
	fr.env[i] = v
	fr.pc++
}

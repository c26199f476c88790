package findings

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Objects that only one function can reach: those that it allocates, those that a constructor or a copying
// method makes for it, and those that it gets from a Pool.

// freshDepth bounds the calls that lead to the allocation, and to code that keeps the object.
const freshDepth = 3

// unshared reports whether v points to an object that only the function of v has.
func (p *pass) unshared(v ssa.Value) bool { return p.makes(v, freshDepth) && !p.shares(v, freshDepth) }

// makes reports whether v is a new object.
func (p *pass) makes(v ssa.Value, depth int) bool {
	switch x := v.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.Extract:
		call, ok := x.Tuple.(*ssa.Call)
		return ok && p.callMakes(call, x.Index, depth)
	case *ssa.Call:
		return p.callMakes(x, 0, depth)
	case *ssa.TypeAssert:
		return p.makes(x.X, depth)
	}
	return false
}

// callMakes reports whether the k-th result of call is new, or nil, on all paths of all functions that it
// may call.
func (p *pass) callMakes(call *ssa.Call, k, depth int) bool {
	if fn := call.Call.StaticCallee(); fn != nil && fn.String() == "(*sync.Pool).Get" {
		return true
	}
	callees := p.callees(call)
	if call.Call.IsInvoke() && len(callees) == 0 {
		callees = p.implementations(call.Call.Method)
	}
	if depth == 0 || len(callees) == 0 {
		return false
	}
	for _, fn := range callees {
		if !p.user(fn) {
			return false
		}
		for _, b := range fn.Blocks {
			r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok || b == fn.Recover || k >= len(r.Results) {
				continue
			}
			if c, isConst := r.Results[k].(*ssa.Const); isConst && c.IsNil() {
				continue
			}
			//mutant: findings: what a constructor returns is new though others have it [test ./static/findings TestWant]: " || p.shares(r.Results[k], depth-1)" -> ""
			if !p.makes(r.Results[k], depth-1) || p.shares(r.Results[k], depth-1) {
				return false
			}
		}
	}
	return true
}

// implementations returns the methods in the user's code that implement m. (In an analysis
// without the users of a library, the fields that users set have no values.)
func (p *pass) implementations(m *types.Func) (list []*ssa.Function) {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	for _, fn := range p.list {
		//mutant: findings: what has no value has no methods [test ./static/findings TestWant]: "ok &&" -> "ok && false &&"
		if recv := fn.Signature.Recv(); ok && recv != nil && fn.Name() == m.Name() && types.Implements(recv.Type(), i) {
			list = append(list, fn)
		}
	}
	return list
}

// shares reports whether other functions may get the object at v from the function of v, except by its
// return.
func (p *pass) shares(v ssa.Value, depth int) bool {
	return p.sharesAt(v, depth, func(ssa.Instruction) bool { return true })
}

// sharesAt is shares for those uses of the object that counts accepts.
func (p *pass) sharesAt(v ssa.Value, depth int, counts func(use ssa.Instruction) bool) bool {
	refs := v.Referrers()
	if refs == nil {
		return true
	}
	for _, instr := range *refs {
		switch i := instr.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.TypeAssert, *ssa.Extract:
			if p.sharesAt(i.(ssa.Value), depth, counts) {
				return true
			}
		case *ssa.UnOp, *ssa.BinOp, *ssa.Return, *ssa.DebugRef, *ssa.If:
		case *ssa.Store:
			if i.Val == v && counts(i) {
				return true
			}
		case *ssa.Call:
			if counts(i) && p.keeps(i, v, depth) {
				return true
			}
		case *ssa.Defer:
			if counts(i) && p.keeps(i, v, depth) {
				return true
			}
		default:
			if counts(i) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether a function that site calls may keep its argument v.
func (p *pass) keeps(site ssa.CallInstruction, v ssa.Value, depth int) bool {
	c := site.Common()
	fn := c.StaticCallee()
	if fn == nil || depth == 0 {
		_, isBuiltin := c.Value.(*ssa.Builtin)
		return !isBuiltin
	}
	if !p.user(fn) {
		pkg := p.Prog.PackageOf(fn)
		return pkg == nil || pkg.Path != "sync" && pkg.Path != "sync/atomic" // methods of these packages do not keep the object
	}
	for k, arg := range c.Args {
		if arg == v && (k >= len(fn.Params) || p.shares(fn.Params[k], depth-1)) {
			return true
		}
	}
	return false
}

// apart reports whether two addresses of one field cannot be equal: they are in structs of different
// types, or point to different objects.
func (p *pass) apart(a, b ssa.Value) bool {
	for x, y := outerFields(a), outerFields(b); len(x) > 0 && len(y) > 0; x, y = x[1:], y[1:] {
		//mutant: findings: a struct inside of another one is anywhere [test ./static/findings TestWant]: "x[0] != y[0]" -> "x[0] != x[0]"
		if x[0] != y[0] {
			return true
		}
	}
	//mutant: findings: an object that only a field has is anywhere [test ./static/findings TestWithoutUsers]: "f != g" -> "false"
	if f, g := holder(a), holder(b); f != g && (p.only(f) || p.only(g)) {
		return true
	}
	s, t := p.Graph.Result().PointsToAnywhere(a), p.Graph.Result().PointsToAnywhere(b)
	return s.Len() > 0 && t.Len() > 0 && !s.Universal() && !t.Universal() && !s.Intersects(t)
}

// holder returns the name of the field from which the pointer to the struct of v is loaded; "" if there is
// none.
func holder(v ssa.Value) string {
	if fa, ok := v.(*ssa.FieldAddr); ok {
		if load, ok := fa.X.(*ssa.UnOp); ok {
			if in, ok := load.X.(*ssa.FieldAddr); ok {
				return fieldName(in)
			}
		}
	}
	return ""
}

// only reports whether the objects to which the named field points are reachable through this field only:
// they are allocated for it, and the program uses only their fields.
//
//	func newMeter() *Meter         { return &Meter{now: &counts{}} }
//	func (m *Meter) Add(n int64)   { atomic.AddInt64(&m.now.n, n) }
func (p *pass) only(field string) bool {
	if field == "" || token.IsExported(field[strings.LastIndexByte(field, '.')+1:]) {
		return false
	}
	if is, known := p.onlyOf[field]; known {
		return is
	}
	is, name := true, field[strings.LastIndexByte(field, '.')+1:]
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if fa, ok := instr.(*ssa.FieldAddr); ok && fieldName(fa) == field {
					is = is && p.keepsIn(fa)
				}
				if x, ok := instr.(*ssa.Field); ok {
					is = is && x.X.Type().Underlying().(*types.Struct).Field(x.Field).Name() != name // x reads a field of a copy
				}
			}
		}
	}
	p.onlyOf[field] = is
	return is
}

// keepsIn reports whether all accesses to a field either store new objects there, or use only the fields of
// the objects that they load.
func (p *pass) keepsIn(fa *ssa.FieldAddr) bool {
	for _, r := range *fa.Referrers() {
		switch i := r.(type) {
		case *ssa.UnOp:
			for _, u := range *i.Referrers() {
				switch u.(type) {
				case *ssa.FieldAddr, *ssa.BinOp, *ssa.DebugRef:
				default:
					return false
				}
			}
		case *ssa.Store:
			if i.Addr != fa || !p.makes(i.Val, freshDepth) {
				return false
			}
			for _, u := range *i.Val.Referrers() {
				switch u.(type) {
				case *ssa.FieldAddr, *ssa.DebugRef:
				default:
					if u != i {
						return false
					}
				}
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// outerFields returns the fields that contain an address, the innermost first.
func outerFields(v ssa.Value) (list []string) {
	for {
		fa, ok := v.(*ssa.FieldAddr)
		if !ok {
			return list
		}
		list = append(list, fieldName(fa))
		v = fa.X
	}
}

// resets reports whether st is one of several stores of its function to fields of one object. Then the object
// counts as new, because programs reset an object when no other goroutine has it.
func resets(st ssa.Instruction) bool {
	s, ok := st.(*ssa.Store)
	if !ok {
		return false
	}
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if _, isConst := s.Val.(*ssa.Const); !ok || !isConst {
		return false
	}
	n := 0
	for _, b := range st.Parent().Blocks {
		for _, instr := range b.Instrs {
			if o, ok := instr.(*ssa.Store); ok {
				//mutant: findings: a reset is one block [test ./static/findings TestWant]: "f.X == fa.X" -> "f.X == fa.X && b == st.Block()"
				if f, ok := o.Addr.(*ssa.FieldAddr); ok && f.X == fa.X {
					n++
				}
			}
		}
	}
	return n >= 3
}

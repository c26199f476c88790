package analyze

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/pointer"
)

// Debug makes the SSA form of the packages named keep the value of each expression, which points-to
// queries need. It must be called first.
func (p *Program) Debug() {
	for pkg := range p.named {
		pkg.SSA.SetDebugMode(true)
	}
}

// evaluator evaluates expressions to points-to sets, in a function and context.
type evaluator struct {
	p    *Program
	r    *pointer.Result
	pkg  *load.Package
	info *types.Info // types of the expression in question
	fn   *ssa.Function
	ctx  pointer.Context
	pos  token.Pos
	col  bool // pos is the place of the expression itself, not only its line
}

// value returns the objects to which the value of e, a reference, may refer.
func (ev *evaluator) value(e ast.Expr) (pointer.Set, error) {
	if s, ok := ev.inSource(e); ok {
		return s, nil
	}
	none := ev.r.Union()
	switch e := e.(type) {
	case *ast.ParenExpr:
		return ev.value(e.X)
	case *ast.Ident:
		return ev.object(ev.info.Uses[e])
	case *ast.SelectorExpr:
		sel := ev.info.Selections[e]
		if sel == nil {
			return ev.object(ev.info.Uses[e.Sel]) // of another package
		}
		if sel.Kind() != types.FieldVal {
			return none, fmt.Errorf("%s is a method: ask about an expression in the source, or its receiver", types.ExprString(e))
		}
		addr, err := ev.address(e)
		return ev.r.Load(addr), err
	case *ast.IndexExpr:
		addr, err := ev.address(e)
		return ev.r.Load(addr), err
	case *ast.StarExpr:
		addr, err := ev.value(e.X)
		return ev.r.Load(addr), err
	case *ast.SliceExpr:
		return ev.elements(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			return ev.address(e.X)
		case token.ARROW:
			ch, err := ev.value(e.X)
			return ev.r.Load(ev.r.Elem(ch, ev.info.TypeOf(e.X))), err
		}
	case *ast.TypeAssertExpr:
		x, err := ev.value(e.X)
		if t := ev.info.TypeOf(e); !types.IsInterface(t) {
			x = ev.r.Load(ev.r.Boxes(x, t))
		}
		return x, err
	}
	return none, fmt.Errorf("%s can be asked about only at its place in the source, and this line has no such expression", types.ExprString(e))
}

// address returns the addresses e may have.
func (ev *evaluator) address(e ast.Expr) (pointer.Set, error) {
	none := ev.r.Union()
	switch e := e.(type) {
	case *ast.ParenExpr:
		return ev.address(e.X)
	case *ast.Ident:
		if v, ok := ev.info.Uses[e].(*types.Var); ok {
			return ev.variable(v, e.Name)
		}
	case *ast.StarExpr:
		return ev.value(e.X)
	case *ast.IndexExpr:
		if t := ev.info.TypeOf(e.X); isMap(t) {
			m, err := ev.value(e.X)
			return ev.r.Elem(m, t), err
		}
		return ev.elements(e.X)
	case *ast.SelectorExpr:
		sel := ev.info.Selections[e]
		if sel == nil {
			if v, ok := ev.info.Uses[e.Sel].(*types.Var); ok {
				return ev.variable(v, e.Sel.Name)
			}
			break
		}
		t := ev.info.TypeOf(e.X)
		var addr pointer.Set
		var err error
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			addr, err = ev.value(e.X)
			t = ptr.Elem()
		} else {
			addr, err = ev.address(e.X)
		}
		if err != nil {
			return none, err
		}
		for i, k := range sel.Index() {
			if ptr, ok := t.Underlying().(*types.Pointer); ok && i > 0 {
				addr = ev.r.Load(addr)
				t = ptr.Elem()
			}
			f := t.Underlying().(*types.Struct).Field(k)
			addr = ev.r.Field(addr, t, k)
			t = f.Type()
		}
		return addr, nil
	}
	return none, fmt.Errorf("the address of %s is unknown", types.ExprString(e))
}

// elements returns the addresses of the elements of e, an array, a pointer to one, or a slice.
func (ev *evaluator) elements(e ast.Expr) (pointer.Set, error) {
	if _, ok := ev.info.TypeOf(e).Underlying().(*types.Array); ok {
		return ev.address(e)
	}
	return ev.value(e)
}

func isMap(t types.Type) bool { _, ok := t.Underlying().(*types.Map); return ok }

// object returns the objects to which the value of obj may refer.
func (ev *evaluator) object(obj types.Object) (pointer.Set, error) {
	switch obj := obj.(type) {
	case *types.Func:
		pos := ev.p.position(obj.Pos())
		return ev.r.Union(), fmt.Errorf("%s is a function, declared at %s:%d", obj.Name(), filepath.Base(pos.Filename), pos.Line)
	case *types.Nil:
		return ev.r.Union(), nil
	case *types.Var:
		if g := ev.global(obj); g != nil {
			return ev.r.Load(ev.r.PointsTo(g, 0)), nil
		}
		return ev.local(obj)
	}
	return ev.r.Union(), fmt.Errorf("nothing is known of %s", obj)
}

func (ev *evaluator) global(v *types.Var) *ssa.Global {
	if v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return nil
	}
	if pkg := ev.p.Prog.SSA.Package(v.Pkg()); pkg != nil {
		return pkg.Var(v.Name())
	}
	return nil
}

// variable returns the address of v.
func (ev *evaluator) variable(v *types.Var, name string) (pointer.Set, error) {
	if g := ev.global(v); g != nil {
		return ev.r.PointsTo(g, 0), nil
	}
	var s pointer.Set
	found := false
	ev.refs(v, func(d *ssa.DebugRef, pts func(ssa.Value) pointer.Set) {
		if d.IsAddr {
			s, found = pts(d.X), true
		}
	})
	if !found {
		return ev.r.Union(), fmt.Errorf("%s is in a register there: nothing points to it", name)
	}
	return s, nil
}

// local returns the objects to which local variable v may refer, anywhere in its function.
func (ev *evaluator) local(v *types.Var) (pointer.Set, error) {
	var sets []pointer.Set
	found := false
	ev.refs(v, func(d *ssa.DebugRef, pts func(ssa.Value) pointer.Set) {
		found = true
		if s := pts(d.X); d.IsAddr {
			sets = append(sets, ev.r.Load(s))
		} else {
			sets = append(sets, s)
		}
	})
	for fn := ev.fn; fn != nil && !found; fn = fn.Parent() {
		for _, par := range fn.Params {
			if par.Object() == v {
				sets = append(sets, ev.points(fn)(par))
				found = true
			}
		}
	}
	if !found {
		return ev.r.Union(), fmt.Errorf("no use of %s is reached", v.Name())
	}
	return ev.r.Union(sets...), nil
}

// points returns the points-to function for values of fn: in the evaluator's context,
// or, for the functions around its function, in all.
func (ev *evaluator) points(fn *ssa.Function) func(ssa.Value) pointer.Set {
	return func(v ssa.Value) pointer.Set {
		if fn == ev.fn {
			return ev.r.PointsTo(v, ev.ctx)
		}
		return ev.r.PointsToAnywhere(v)
	}
}

// refs calls f for the mentions of v in the function, or, without a mention there, in the innermost function
// around it that mentions v.
func (ev *evaluator) refs(v *types.Var, f func(d *ssa.DebugRef, points func(ssa.Value) pointer.Set)) {
	for fn := ev.fn; fn != nil; fn = fn.Parent() {
		found := false
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				d, ok := instr.(*ssa.DebugRef)
				if !ok {
					continue
				}
				if id, ok := d.Expr.(*ast.Ident); ok && ev.pkg.Info.ObjectOf(id) == v {
					found = true
					f(d, ev.points(fn))
				}
			}
		}
		if found {
			return
		}
	}
}

// inSource searches the line for e itself, which determines the value.
func (ev *evaluator) inSource(e ast.Expr) (pointer.Set, bool) {
	if ev.fn == nil {
		return pointer.Set{}, false
	}
	text := types.ExprString(e)
	at := ev.p.position(ev.pos)
	var sets []pointer.Set
	for _, b := range ev.fn.Blocks {
		for _, instr := range b.Instrs {
			d, ok := instr.(*ssa.DebugRef)
			if !ok || types.ExprString(d.Expr) != text {
				continue
			}
			pos := ev.p.position(d.Expr.Pos())
			if pos.Line != at.Line || ev.col && pos.Column != at.Column {
				continue
			}
			if s := ev.r.PointsTo(d.X, ev.ctx); d.IsAddr {
				sets = append(sets, ev.r.Load(s))
			} else {
				sets = append(sets, s)
			}
		}
	}
	return ev.r.Union(sets...), len(sets) > 0
}

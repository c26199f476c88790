package debug

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Paths are the expressions that a session evaluates: variables, their fields, elements and entries,
// targets of pointers, len and cap, comparisons and arithmetic of numbers. Nothing is called: that would
// change the program.

// parsePath parses a path.
func parsePath(text string) (ast.Expr, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not an expression", text)
	}
	return e, nil
}

// Eval returns the value of a path in a frame.
func (s *Session) Eval(f *Frame, text string) (Value, error) {
	e, err := parsePath(text)
	if err != nil {
		return Value{}, err
	}
	return s.eval(f, e)
}

func (s *Session) eval(f *Frame, e ast.Expr) (Value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.eval(f, e.X)
	case *ast.Ident:
		return s.lookup(f, e.Name)
	case *ast.BasicLit:
		x := constant.MakeFromLiteral(e.Value, e.Kind, 0)
		if x.Kind() == constant.Unknown {
			return Value{}, fmt.Errorf("%s is not a constant", e.Value)
		}
		t := map[token.Token]types.BasicKind{token.INT: types.UntypedInt, token.FLOAT: types.UntypedFloat, token.CHAR: types.UntypedRune,
			token.STRING: types.UntypedString, token.IMAG: types.UntypedComplex}[e.Kind]
		return Value{Type: types.Typ[t], known: x}, nil
	case *ast.SelectorExpr:
		return s.selector(f, e)
	case *ast.StarExpr:
		x, err := s.known(f, e.X)
		if err != nil {
			return x, err
		}
		return s.deref(x)
	case *ast.IndexExpr:
		return s.index(f, e)
	case *ast.UnaryExpr:
		return s.unary(f, e)
	case *ast.BinaryExpr:
		return s.binary(f, e)
	case *ast.TypeAssertExpr:
		x, err := s.known(f, e.X)
		if err != nil {
			return x, err
		}
		if d, ok := s.dynamic(x); ok && types.IsInterface(x.Type) {
			return d, nil
		}
		return x, fmt.Errorf("%s holds nothing", types.ExprString(e.X))
	case *ast.CallExpr:
		if fn, ok := e.Fun.(*ast.Ident); ok && len(e.Args) == 1 && (fn.Name == "len" || fn.Name == "cap") {
			return s.length(f, fn.Name, e.Args[0])
		}
		return Value{}, fmt.Errorf("%s: only len and cap can be called, because other calls would change the program", types.ExprString(e))
	}
	return Value{}, fmt.Errorf("%s: this kind of expression cannot be evaluated", types.ExprString(e))
}

// known is eval for an expression that must have a value.
func (s *Session) known(f *Frame, e ast.Expr) (Value, error) {
	v, err := s.eval(f, e)
	if err == nil && v.Lost != "" {
		err = fmt.Errorf("%s is not known: %s", types.ExprString(e), v.Lost)
	}
	return v, err
}

// deref returns the target of a pointer.
func (s *Session) deref(x Value) (Value, error) {
	x = s.simple(x)
	p, ok := x.Type.Underlying().(*types.Pointer)
	switch {
	case !ok:
		return x, fmt.Errorf("a %s is not a pointer", s.typeName(x.Type))
	case x.word(0) == 0:
		return x, fmt.Errorf("the pointer is nil")
	}
	return s.At(p.Elem(), x.word(0)), nil
}

// selector returns a field, also one of an embedded struct, through pointers and interfaces.
func (s *Session) selector(f *Frame, e *ast.SelectorExpr) (Value, error) {
	if pkg, ok := e.X.(*ast.Ident); ok {
		if _, err := s.lookup(f, pkg.Name); err != nil {
			if v, ok := s.inPackage(f, pkg.Name, e.Sel.Name); ok {
				return v, nil
			}
		}
	}
	x, err := s.known(f, e.X)
	if err != nil {
		return x, err
	}
	if types.IsInterface(x.Type) {
		d, ok := s.dynamic(x)
		if !ok {
			return x, fmt.Errorf("%s is nil", types.ExprString(e.X))
		}
		x = d
	}
	var pkg *types.Package
	if n, ok := types.Unalias(derefType(x.Type)).(*types.Named); ok {
		pkg = n.Obj().Pkg()
	} else if fn := s.vm.Debugger().Code(f.At).SSA; fn != nil && fn.Pkg != nil {
		pkg = fn.Pkg.Pkg
	}
	obj, path, _ := types.LookupFieldOrMethod(x.Type, true, pkg, e.Sel.Name)
	if field, ok := obj.(*types.Var); !ok || !field.IsField() {
		return x, fmt.Errorf("a %s has no field %s", s.typeName(x.Type), e.Sel.Name)
	}
	for _, i := range path {
		if _, ok := x.Type.Underlying().(*types.Pointer); ok {
			if x, err = s.deref(x); err != nil {
				return x, fmt.Errorf("%s: %w", types.ExprString(e), err)
			}
		}
		t := x.Type.Underlying().(*types.Struct)
		fields := make([]*types.Var, t.NumFields())
		for k := range fields {
			fields[k] = t.Field(k)
		}
		x = s.part(x, fields[i].Type(), s.cfg.Prog.Sizes.Offsetsof(fields)[i])
	}
	return x, nil
}

func derefType(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// index returns an element or an entry.
func (s *Session) index(f *Frame, e *ast.IndexExpr) (Value, error) {
	x, err := s.known(f, e.X)
	if err != nil {
		return x, err
	}
	k, err := s.known(f, e.Index)
	if err != nil {
		return k, err
	}
	if _, ok := x.Type.Underlying().(*types.Pointer); ok {
		if x, err = s.deref(x); err != nil {
			return x, err
		}
	}
	if m, ok := x.Type.Underlying().(*types.Map); ok {
		entries, n, _ := s.vm.Debugger().MapEntries(x.word(0), m, int(^uint(0)>>1))
		for _, entry := range entries[:min(n, len(entries))] {
			if eq, err := s.equal(s.At(m.Key(), entry.Key), k); err != nil {
				return x, err
			} else if eq {
				return s.At(m.Elem(), entry.Elem), nil
			}
		}
		return x, fmt.Errorf("%s has no entry %s", types.ExprString(e.X), s.Text(k))
	}
	c, ok := s.scalar(k)
	if !ok {
		return k, fmt.Errorf("%s is not an index", types.ExprString(e.Index))
	}
	i, exact := constant.Int64Val(constant.ToInt(c))
	if text, isText := s.scalar(x); isText && text.Kind() == constant.String {
		str := constant.StringVal(text)
		if !exact || i < 0 || i >= int64(len(str)) {
			return x, fmt.Errorf("index %s is out of range: there are %d bytes", c, len(str))
		}
		return Value{Type: types.Typ[types.Byte], bytes: []byte{str[i]}}, nil
	}
	switch x.Type.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Chan:
	default:
		return x, fmt.Errorf("a %s has no elements", s.typeName(x.Type))
	}
	if n := s.Len(x); !exact || i < 0 || i >= int64(n) {
		return x, fmt.Errorf("index %s is out of range: there are %d elements", c, n)
	}
	return s.Children(x, int(i), 1)[0].Value, nil
}

// length is len or cap.
func (s *Session) length(f *Frame, name string, arg ast.Expr) (Value, error) {
	x, err := s.known(f, arg)
	if err != nil {
		return x, err
	}
	n := -1
	if c, ok := s.scalar(x); ok && c.Kind() == constant.String && name == "len" {
		n = len(constant.StringVal(c))
	}
	switch t := derefType(x.Type).Underlying().(type) {
	case *types.Array:
		n = int(t.Len())
	case *types.Slice:
		if n = int(x.word(1)); name == "cap" {
			n = int(x.word(2))
		}
	case *types.Map:
		if name == "len" {
			_, n, _ = s.vm.Debugger().MapEntries(x.word(0), t, 0)
		}
	case *types.Chan:
		c, _ := s.vm.Debugger().ChanAt(x.word(0))
		if n = c.Len; name == "cap" {
			n = c.Cap
		}
	}
	if n < 0 {
		return x, fmt.Errorf("a %s has no %s", s.typeName(x.Type), name)
	}
	return Value{Type: types.Typ[types.Int], known: constant.MakeInt64(int64(n))}, nil
}

func (s *Session) unary(f *Frame, e *ast.UnaryExpr) (Value, error) {
	x, err := s.known(f, e.X)
	if err != nil {
		return x, err
	}
	if e.Op == token.AND {
		if x.Addr == 0 {
			return x, fmt.Errorf("%s is not in memory", types.ExprString(e.X))
		}
		return word(types.NewPointer(x.Type), x.Addr), nil
	}
	c, ok := s.scalar(s.simple(x))
	if fits := ok && (e.Op == token.NOT && c.Kind() == constant.Bool || (e.Op == token.SUB || e.Op == token.ADD) && numeric(c)); !fits {
		return x, fmt.Errorf("%s: not of a %s", types.ExprString(e), s.typeName(x.Type))
	}
	return Value{Type: x.Type, known: constant.UnaryOp(e.Op, c, 0)}, nil
}

func numeric(c constant.Value) bool { return c.Kind() == constant.Int || c.Kind() == constant.Float }

var comparisons = []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}

func (s *Session) binary(f *Frame, e *ast.BinaryExpr) (Value, error) {
	x, err := s.known(f, e.X)
	if err != nil {
		return x, err
	}
	boolean := func(b bool) (Value, error) {
		return Value{Type: types.Typ[types.Bool], known: constant.MakeBool(b)}, nil
	}
	a, scalar := s.scalar(s.simple(x))
	if e.Op == token.LAND || e.Op == token.LOR {
		if !scalar || a.Kind() != constant.Bool {
			return x, fmt.Errorf("%s is not a bool", types.ExprString(e.X))
		}
		if constant.BoolVal(a) == (e.Op == token.LOR) {
			return boolean(e.Op == token.LOR)
		}
		return s.known(f, e.Y)
	}
	y, err := s.known(f, e.Y)
	if err != nil {
		return y, err
	}
	if e.Op == token.EQL || e.Op == token.NEQ {
		eq, err := s.equal(x, y)
		if err != nil {
			return x, fmt.Errorf("%s: %w", types.ExprString(e), err)
		}
		return boolean(eq == (e.Op == token.EQL))
	}
	b, ok := s.scalar(s.simple(y))
	texts := scalar && ok && a.Kind() == constant.String && b.Kind() == constant.String
	numbers := scalar && ok && numeric(a) && numeric(b)
	switch {
	case (texts || numbers) && slices.Contains(comparisons, e.Op):
		return boolean(constant.Compare(a, e.Op, b))
	case numbers && slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL}, e.Op):
		return Value{Type: x.Type, known: constant.BinaryOp(a, e.Op, b)}, nil
	case numbers && (e.Op == token.QUO || e.Op == token.REM) && a.Kind() == constant.Int && b.Kind() == constant.Int:
		if constant.Sign(b) == 0 {
			return x, fmt.Errorf("%s divides by zero", types.ExprString(e))
		}
		op := e.Op
		if op == token.QUO {
			op = token.QUO_ASSIGN // division of integers
		}
		return Value{Type: x.Type, known: constant.BinaryOp(a, op, b)}, nil
	}
	return x, fmt.Errorf("%s: not of a %s and a %s", types.ExprString(e), s.typeName(x.Type), s.typeName(y.Type))
}

// equal compares values: numbers, strings, bools, references, and nil.
func (s *Session) equal(x, y Value) (bool, error) {
	x, y = s.simple(x), s.simple(y)
	a, ok := s.scalar(x)
	b, ok2 := s.scalar(y)
	switch {
	case ok && ok2 && (a.Kind() == b.Kind() || numeric(a) && numeric(b)):
		return constant.Compare(a, token.EQL, b), nil
	case types.IsInterface(x.Type) && !isNil(y) && !types.IsInterface(y.Type):
		d, ok := s.dynamic(x)
		if !ok {
			return false, nil
		}
		return s.equal(d, y)
	case types.IsInterface(y.Type) && !isNil(x) && !types.IsInterface(x.Type):
		return s.equal(y, x)
	case ok || ok2:
		return false, fmt.Errorf("a %s and a %s cannot be compared", s.typeName(x.Type), s.typeName(y.Type))
	case refers(x.Type) && refers(y.Type):
		return x.word(0) == y.word(0), nil
	case types.IsInterface(x.Type) && types.IsInterface(y.Type):
		d, ok := s.dynamic(x)
		e, ok2 := s.dynamic(y)
		if !ok || !ok2 || !types.Identical(d.Type, e.Type) {
			return ok == ok2 && !ok, nil
		}
		return s.equal(d, e)
	case isNil(x) || isNil(y):
		return x.word(0) == y.word(0), nil
	}
	return false, fmt.Errorf("a %s and a %s cannot be compared", s.typeName(x.Type), s.typeName(y.Type))
}

func isNil(v Value) bool { return v.Type == types.Typ[types.UntypedNil] }

// refers reports whether values of type t are one word that refers to something, or nil.
func refers(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return true
	case *types.Basic:
		return t.Kind() == types.UntypedNil
	}
	return false
}

// PartPath returns the path of a part of v, where path is the path of v and name the name that
// Children has given to the part. It returns "" if there is no path, for example for an entry of a
// map whose key is no number, string or bool.
func PartPath(path string, v *Value, name string) string {
	switch {
	case path == "" || name == "":
		return ""
	case name == "*":
		return "(*" + path + ")"
	case types.IsInterface(v.Type):
		return path + ".(" + name + ")"
	case name[0] != '[':
		return path + "." + name
	}
	if m, ok := v.Type.Underlying().(*types.Map); ok {
		if b, ok := m.Key().Underlying().(*types.Basic); !ok || b.Info()&(types.IsInteger|types.IsString|types.IsBoolean) == 0 || strings.Contains(name, "... (") {
			return ""
		}
	}
	return path + name
}

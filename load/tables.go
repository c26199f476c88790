package load

import (
	"encoding/binary"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// The standard library has tables of tens of thousands of numbers in composite literals, and so has
// golang.org/x/text. To check, build and compile them element by element took half of what loading
// net/http takes. So in packages that are not under development their elements are kept as bytes:
// the literal keeps only its last element, and the memory allocated for it has these bytes from the
// beginning.
//
//	var t = []uint16{1, 2, 3}     becomes  var t = []uint16{2: 3}  and a Table 01 00 02 00 03 00
//
// Nothing else changes. The literal keeps its type, its length, its place, and the time of its
// evaluation. It still makes one allocation, which has only constant elements, and so no
// references.

// A Table is the contents of the array that a composite literal allocates.
type Table struct {
	Bytes   []byte // zero where there are strings
	Strings []TableString
}

// A TableString is a string in a Table.
type TableString struct {
	Offset int
	Text   string
}

// tableMin is how many constants a table has at least.
const tableMin = 16

// Table returns the contents of the array that v allocates, or nil if it is made by v's function.
func (prog *Program) Table(v *ssa.Alloc) *Table {
	if p := prog.PackageOf(v.Parent()); p != nil && v.Pos().IsValid() {
		return p.tables[v.Pos()]
	}
	return nil
}

// tableLit is a literal that has been cut, with the elements that it had.
type tableLit struct {
	lit  *ast.CompositeLit
	elts []ast.Expr
}

// cut leaves lit with its last element, whose index is last.
func (t tableLit) cut(last int64, at int) {
	kept := t.elts[at]
	kv, ok := kept.(*ast.KeyValueExpr)
	if !ok {
		pos := kept.Pos()
		kv = &ast.KeyValueExpr{Key: &ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: strconv.FormatInt(last, 10)}, Colon: pos, Value: kept}
	}
	t.lit.Elts = []ast.Expr{kv}
}

// lastIndex returns the largest index of elts, elements of an array, and where it is among them; ok
// is false if indices are anything but numbers.
func lastIndex(elts []ast.Expr) (last int64, at int, ok bool) {
	last, i := int64(-1), int64(-1)
	for k, e := range elts {
		i++
		if kv, keyed := e.(*ast.KeyValueExpr); keyed {
			v := numbers(kv.Key)
			if v == nil {
				return 0, 0, false
			}
			n, exact := constant.Int64Val(constant.ToInt(v))
			if !exact {
				return 0, 0, false
			}
			i = n
		}
		if i > last {
			last, at = i, k
		}
	}
	return last, at, true
}

// numbers returns the value of an expression of numbers without names, nil if e is not such an expression.
func numbers(e ast.Expr) constant.Value {
	if !isExpression(e, func(*ast.Ident) bool { return false }) {
		return nil
	}
	if v := valueOf(e, nil); v.Kind() == constant.Int {
		return v
	}
	return nil
}

// cutTables removes the elements of the tables among the initial values of variables of p, which
// has not been checked yet. The syntax of p alone determines the tables.
func (p *Package) cutTables() {
	c := tableCutter{p: p, types: make(map[string]ast.Expr), consts: make(map[string]bool), fixed: make(map[string]bool)}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range gen.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					c.types[s.Name.Name] = s.Type
					if s.TypeParams != nil {
						c.types[s.Name.Name] = nil
					}
				case *ast.ValueSpec:
					if gen.Tok == token.CONST {
						for _, id := range s.Names {
							c.consts[id.Name] = true
						}
					}
				}
			}
		}
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				for _, s := range gen.Specs {
					for _, v := range s.(*ast.ValueSpec).Values {
						c.visit(v)
					}
				}
			}
		}
	}
}

// tableCutter has the declarations of a package by name.
type tableCutter struct {
	p      *Package
	types  map[string]ast.Expr // nil if generic
	consts map[string]bool
	fixed  map[string]bool // see isFixed
}

// visit cuts the tables in e, which is an initial value of a variable.
func (c *tableCutter) visit(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			return !c.cut(n, n.Type)
		}
		return true
	})
}

// cut cuts lit, a literal of type typ, if it is a table, or the tables that are its elements.
func (c *tableCutter) cut(lit *ast.CompositeLit, typ ast.Expr) bool {
	t, ok := typ.(*ast.ArrayType)
	if !ok {
		return false
	}
	n := 0
	if c.isFixed(t.Elt) && c.constants(lit.Elts, &n) && n >= tableMin {
		if last, at, ok := lastIndex(lit.Elts); ok {
			table := tableLit{lit, lit.Elts}
			table.cut(last, at)
			c.p.cuts = append(c.p.cuts, table)
			return true
		}
	}
	// The elements' types may be left out.
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if l, ok := e.(*ast.CompositeLit); ok && l.Type == nil {
			c.cut(l, t.Elt)
		}
	}
	return false
}

// isWhole reports whether e consists of integer literals.
func isWhole(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT || e.Kind == token.CHAR
	case *ast.ParenExpr:
		return isWhole(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && isWhole(e.X) && isWhole(e.Y)
	}
	return false
}

// isFixed reports whether values of type t have no pointers but to the bytes of strings.
func (c *tableCutter) isFixed(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.Ident:
		decl, ok := c.types[t.Name]
		if !ok {
			b, ok := types.Universe.Lookup(t.Name).(*types.TypeName)
			if !ok {
				return false
			}
			basic, ok := b.Type().(*types.Basic)
			return ok && basic.Info()&types.IsConstType != 0
		}
		fixed, known := c.fixed[t.Name]
		if !known {
			c.fixed[t.Name] = false // the value for a recursive type
			fixed = decl != nil && c.isFixed(decl)
			c.fixed[t.Name] = fixed
		}
		return fixed
	case *ast.ParenExpr:
		return c.isFixed(t.X)
	case *ast.ArrayType:
		return t.Len != nil && c.isFixed(t.Elt)
	case *ast.StructType:
		for _, f := range t.Fields.List {
			if !c.isFixed(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// constants reports whether elts are constants, or literals of them, and counts them. A key is a
// constant or the name of a field.
func (c *tableCutter) constants(elts []ast.Expr, n *int) bool {
	for _, e := range elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if _, name := kv.Key.(*ast.Ident); !name && !c.isConstant(kv.Key) {
				return false
			}
			e = kv.Value
		}
		if lit, ok := e.(*ast.CompositeLit); ok {
			if lit.Type != nil && !c.isFixed(lit.Type) || !c.constants(lit.Elts, n) {
				return false
			}
			continue
		}
		if *n++; !c.isConstant(e) {
			return false
		}
	}
	return true
}

func (c *tableCutter) isConstant(e ast.Expr) bool {
	return isExpression(e, func(id *ast.Ident) bool { return c.consts[id.Name] || id.Name == "true" || id.Name == "false" })
}

// isExpression reports whether e consists of literals and names for which named returns true, with
// operations whose results do not depend on types.
func isExpression(e ast.Expr, named func(*ast.Ident) bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return named(e)
	case *ast.ParenExpr:
		return isExpression(e.X, named)
	case *ast.UnaryExpr:
		_, ok := e.X.(*ast.BasicLit)
		return ok && e.Op == token.SUB
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB: // strings and fractions have this operation, too
			return isWhole(e.X) && isWhole(e.Y)
		case token.OR, token.AND, token.XOR:
			return isExpression(e.X, named) && isExpression(e.Y, named)
		case token.SHL:
			by, ok := e.Y.(*ast.BasicLit)
			return ok && by.Kind == token.INT && len(by.Value) <= 2 && isExpression(e.X, named)
		}
	}
	return false
}

// layTables makes the tables of p, which has been checked, from the elements that cutTables has removed.
func (p *Package) layTables() {
	p.tables = make(map[token.Pos]*Table, len(p.cuts))
	for _, c := range p.cuts {
		t, ok := p.Info.Types[c.lit]
		if !ok {
			continue // prune has removed the table's variable
		}
		elem, last := elemOf(t.Type), int64(0)
		if a, ok := t.Type.Underlying().(*types.Array); ok {
			last = a.Len() - 1
		} else {
			last, _, _ = lastIndex(c.elts)
		}
		w := tableWriter{p: p, table: &Table{Bytes: make([]byte, (last+1)*sizes.Sizeof(elem))}}
		w.elements(0, elem, c.elts)
		p.tables[c.lit.Lbrace] = w.table
	}
	p.cuts = nil
}

// elemOf returns the type of the elements of an array or a slice.
func elemOf(t types.Type) types.Type {
	return t.Underlying().(interface{ Elem() types.Type }).Elem()
}

// tableWriter writes a Table.
type tableWriter struct {
	p     *Package
	table *Table
}

// elements writes the elements of an array at off.
func (w *tableWriter) elements(off int64, elem types.Type, elts []ast.Expr) {
	size, i := sizes.Sizeof(elem), int64(-1)
	for _, e := range elts {
		i++
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i, _ = constant.Int64Val(constant.ToInt(w.value(kv.Key)))
			e = kv.Value
		}
		w.write(off+i*size, elem, e)
	}
}

// write writes e, a value of type t, at off.
func (w *tableWriter) write(off int64, t types.Type, e ast.Expr) {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		w.scalar(off, t.Underlying().(*types.Basic), w.value(e))
		return
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		w.elements(off, elemOf(t), lit.Elts)
		return
	}
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	offsets := sizes.Offsetsof(fields)
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i = slices.IndexFunc(fields, func(f *types.Var) bool { return f.Name() == kv.Key.(*ast.Ident).Name })
			e = kv.Value
		}
		if fields[i].Name() != "_" { // as compiled code does
			w.write(off+offsets[i], fields[i].Type(), e)
		}
	}
}

// value returns the value of a constant for which isConstant holds.
func (w *tableWriter) value(e ast.Expr) constant.Value { return valueOf(e, w.p.Types.Scope()) }

// valueOf returns the value of e, for which isExpression holds with the constants of scope.
func valueOf(e ast.Expr, scope *types.Scope) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		obj := scope.Lookup(e.Name)
		if obj == nil {
			obj = types.Universe.Lookup(e.Name)
		}
		return obj.(*types.Const).Val()
	case *ast.ParenExpr:
		return valueOf(e.X, scope)
	case *ast.UnaryExpr:
		return constant.UnaryOp(e.Op, valueOf(e.X, scope), 0)
	case *ast.BinaryExpr:
		x, y := constant.ToInt(valueOf(e.X, scope)), constant.ToInt(valueOf(e.Y, scope))
		switch {
		case x.Kind() != constant.Int || y.Kind() != constant.Int:
			return constant.MakeUnknown() // the program would not compile
		case e.Op == token.SHL:
			by, _ := constant.Uint64Val(y)
			return constant.Shift(x, token.SHL, uint(by))
		}
		return constant.BinaryOp(x, e.Op, y)
	}
	panic("BUG: not a constant in a table")
}

// scalar writes a value of a basic type at off.
func (w *tableWriter) scalar(off int64, t *types.Basic, v constant.Value) {
	b := w.table.Bytes[off:]
	var word uint64
	switch {
	case t.Info()&types.IsString != 0:
		w.table.Strings = append(w.table.Strings, TableString{int(off), constant.StringVal(v)})
		return
	case t.Info()&types.IsBoolean != 0:
		if constant.BoolVal(v) {
			word = 1
		}
	case t.Info()&types.IsUnsigned != 0:
		word, _ = constant.Uint64Val(constant.ToInt(v))
	case t.Info()&types.IsInteger != 0:
		i, _ := constant.Int64Val(constant.ToInt(v))
		word = uint64(i)
	case t.Info()&types.IsFloat != 0:
		word = floatBits(v, sizes.Sizeof(t))
	default: // a complex number, whose parts are of half its size
		half := sizes.Sizeof(t) / 2
		c := constant.ToComplex(v)
		putWord(b[half:], floatBits(constant.Imag(c), half), half)
		putWord(b, floatBits(constant.Real(c), half), half)
		return
	}
	putWord(b, word, sizes.Sizeof(t))
}

func floatBits(v constant.Value, size int64) uint64 {
	if size == 4 {
		f, _ := constant.Float32Val(v)
		return uint64(math.Float32bits(f))
	}
	f, _ := constant.Float64Val(v)
	return math.Float64bits(f)
}

// putWord writes the low size bytes of w to b.
func putWord(b []byte, w uint64, size int64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], w)
	copy(b, word[:size])
}

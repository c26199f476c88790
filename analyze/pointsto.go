package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/pointer"
)

// A PointsTo is the answer to a points-to query in one function and context.
type PointsTo struct {
	Pos     token.Position // position of the query
	Func    *ssa.Function
	Expr    string
	Type    types.Type
	Context string // if asked for each context
	Labels  []Label
	Unknown bool // also whatever opaque code keeps
}

// A Label is something that is pointed to.
type Label struct {
	Pos     token.Position // where it is allocated or declared
	Kind    string
	Object  string // short
	Path    string // the part of the object
	Type    string
	Context string
}

// PointsTo answers "expr@file.go:line[:col]": the objects to which the value of the expression may refer if
// it is evaluated there; without a column, at the end of the line's last statement. Debug information must
// be on (see Debug).
func (p *Program) PointsTo(query string, contexts bool) ([]PointsTo, error) {
	text, at, ok := strings.Cut(query, "@")
	fail := func(format string, args ...any) error {
		return fmt.Errorf("--points-to %s: %s", query, fmt.Sprintf(format, args...))
	}
	if !ok || strings.TrimSpace(text) == "" {
		return nil, fail("want expr@file.go:line or expr@file.go:line:col")
	}
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fail("%v", err)
	}
	file, line, col, err := splitPosition(at)
	if err != nil {
		return nil, fail("%v", err)
	}
	name, err := p.file(file)
	if err != nil {
		return nil, fail("%v", err)
	}
	var answers []PointsTo
	var failure error
	for _, pkg := range p.Prog.Packages {
		for _, tree := range pkg.Files {
			tf := p.Prog.Fset.File(tree.Pos())
			if tf.Name() != name {
				continue
			}
			if line > tf.LineCount() {
				return nil, fail("the file has %d lines", tf.LineCount())
			}
			list, err := p.query(pkg, tree, expr, text, scopePos(tf, line, col), col > 0, contexts)
			if err != nil {
				failure = cmp.Or(failure, fail("%v", err))
			}
			answers = append(answers, list...)
		}
	}
	if len(answers) == 0 && failure == nil {
		failure = fail("only files of the packages named can be asked about")
	}
	if len(answers) == 0 {
		return nil, failure
	}
	return answers, nil
}

// scopePos returns the position at which names are resolved: the column, or the
// end of the line.
func scopePos(f *token.File, line, col int) token.Pos {
	pos := f.LineStart(line)
	if col > 0 {
		return pos + token.Pos(col-1)
	}
	if line < f.LineCount() {
		return f.LineStart(line+1) - 1
	}
	return token.Pos(f.Base() + f.Size())
}

// query answers for one variant of a package.
func (p *Program) query(pkg *load.Package, tree *ast.File, expr ast.Expr, text string, pos token.Pos, col, contexts bool) ([]PointsTo, error) {
	info := &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	if err := types.CheckExpr(p.Prog.Fset, pkg.Types, pos, expr, info); err != nil {
		if e, ok := err.(types.Error); ok {
			return nil, errors.New(e.Msg)
		}
		return nil, errors.New("nothing is in scope there")
	}
	tv := info.Types[expr]
	switch {
	case !tv.IsValue():
		return nil, fmt.Errorf("%s is not a value", text)
	case tv.Value != nil || !refers(tv.Type):
		return nil, fmt.Errorf("%s, of type %s, refers to nothing", text, types.TypeString(tv.Type, types.RelativeTo(pkg.Types)))
	}
	fns := p.enclosing(tree, pos)
	if len(fns) == 0 {
		fns = []*ssa.Function{nil} // at package level: only variables of the package
	}
	var answers []PointsTo
	for _, fn := range fns {
		ctxs := []pointer.Context{0}
		if fn != nil {
			ctxs = p.Pointer().Contexts(fn)
		}
		if len(ctxs) == 0 {
			return nil, fmt.Errorf("%s is not called from any entry, so nothing is known of its values", p.Name(fn))
		}
		ev := &evaluator{p: p, r: p.Pointer(), pkg: pkg, info: info, fn: fn, pos: pos, col: col}
		var sets []pointer.Set
		for _, ctx := range ctxs {
			ev.ctx = ctx
			s, err := ev.value(expr)
			if err != nil {
				return nil, err
			}
			if contexts {
				answers = append(answers, p.answer(pos, col, fn, text, tv.Type, p.Pointer().Policy().String(ctx), s))
			}
			sets = append(sets, s)
		}
		if !contexts {
			answers = append(answers, p.answer(pos, col, fn, text, tv.Type, "", sets...))
		}
	}
	return answers, nil
}

// refers reports whether values of type t are references.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// enclosing returns the functions whose source is around pos: one, or the instances of a
// generic function.
func (p *Program) enclosing(tree *ast.File, pos token.Pos) []*ssa.Function {
	path, _ := astutil.PathEnclosingInterval(tree, pos, pos)
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			var list []*ssa.Function
			for _, fn := range p.Functions() {
				if fn.Syntax() == n {
					list = append(list, fn)
				}
			}
			return list
		}
	}
	return nil
}

func (p *Program) answer(pos token.Pos, col bool, fn *ssa.Function, text string, t types.Type, context string, sets ...pointer.Set) PointsTo {
	a := PointsTo{Pos: p.position(pos), Func: fn, Expr: text, Type: t, Context: context}
	if !col {
		a.Pos.Column = 0
	}
	for _, s := range sets {
		a.Unknown = a.Unknown || s.Universal()
		for l := range s.Labels() {
			a.Labels = append(a.Labels, p.label(l))
		}
	}
	slices.SortFunc(a.Labels, func(x, y Label) int {
		return cmp.Or(
			comparePositions(x.Pos, y.Pos), strings.Compare(x.Object, y.Object),
			strings.Compare(x.Path, y.Path), strings.Compare(x.Context, y.Context),
		)
	})
	a.Labels = slices.Compact(a.Labels)
	return a
}

// label describes l.
func (p *Program) label(l pointer.Label) Label {
	o := l.Object
	x := Label{Pos: p.position(o.Pos()), Kind: o.Kind.String(), Path: l.Path(), Object: p.Pointer().Describe(o)}
	if o.Context != 0 {
		x.Context = p.Pointer().Policy().String(o.Context)
		x.Object = strings.TrimSuffix(x.Object, "["+x.Context+"]")
	}
	if o.Type != nil {
		x.Type = types.TypeString(o.Type, p.qualifier)
	}
	switch s := o.Site.(type) {
	case *ssa.Alloc:
		switch {
		case s.Comment == "complit":
			x.Object = "&" + x.Type + "{}"
		case s.Comment == "new":
			x.Object = "new(" + x.Type + ")"
		case s.Comment != "":
			x.Object = "variable " + s.Comment
		}
	case *ssa.MakeSlice:
		x.Object = "make([]" + x.Type + ")"
	case *ssa.MakeMap, *ssa.MakeChan:
		x.Object = "make(" + x.Type + ")"
	case *ssa.MakeClosure:
		x.Object = "func literal " + p.Name(s.Fn.(*ssa.Function))
	case *ssa.MakeInterface:
		x.Object = x.Type + " in an interface"
	case *ssa.Global:
		x.Object = "variable " + s.RelString(p.only())
	case *ssa.Function:
		x.Object = "func " + p.Name(s)
	case ssa.CallInstruction:
		if o.Kind == pointer.Array {
			x.Object = "append, of " + x.Type
		}
	}
	if o.Kind == pointer.Opaque {
		x.Object = "a " + x.Type + " made outside of the program"
	}
	if o.Kind == pointer.Boxed && x.Object == p.Pointer().Describe(o) {
		x.Object = x.Type + " in an interface"
	}
	return x
}

// only returns the one package named, or nil if there are several.
func (p *Program) only() *types.Package {
	if len(p.paths()) == 1 {
		return p.Prog.Packages[0].Types
	}
	return nil
}

func (p *Program) qualifier(pkg *types.Package) string {
	if only := p.only(); only != nil && only.Path() == pkg.Path() {
		return ""
	}
	return pkg.Path()
}

// WritePointsTo writes answers as text.
func WritePointsTo(w io.Writer, at Positions, p *Program, answers []PointsTo) error {
	var b strings.Builder
	library := slices.ContainsFunc(p.Entries, func(e *load.Entry) bool { return e.Kind == load.Library })
	for _, a := range answers {
		fmt.Fprintf(&b, "%s: points-to: %s, of type %s", at.Pos(a.Pos), a.Expr, types.TypeString(a.Type, p.qualifier))
		if a.Context != "" {
			fmt.Fprintf(&b, ", when called at %s", a.Context)
		}
		switch {
		case len(a.Labels) == 0 && library:
			b.WriteString(", refers to nothing that is known: it is nil, or comes from the code that uses the package")
		case len(a.Labels) == 0:
			b.WriteString(", refers to nothing: it is nil")
		case a.Unknown:
			b.WriteString(", may refer to anything that unanalysed code has received, and to")
		default:
			b.WriteString(", may refer to")
		}
		b.WriteByte('\n')
		for _, l := range a.Labels {
			fmt.Fprintf(&b, "\t%s: %s%s", at.Pos(l.Pos), l.Object, l.Path)
			if l.Context != "" {
				fmt.Fprintf(&b, ", allocated for %s", l.Context)
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

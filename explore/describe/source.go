package describe

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ast/astutil"

	"hbcheck.dev/hbcheck/internal/ordered"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// source finds the expressions in the source to which operations belong. Reports describe operations in the
// words of the program: not "lock of object 17" but "lock b.mu".
type source struct {
	fset  *token.FileSet
	files map[string]sourceFile // by name
	user  map[string]bool       // import paths outside the standard library
	found sync.Map              // results of what: operation → found; workers share it

	mu       sync.Mutex
	subtests ordered.Set[string] // subtests executed so far; guarded by mu
	ended    ordered.Set[string] // subtests that have ended and were not skipped; guarded by mu
}

// executes records the execution of a subtest.
func (s *source) executes(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subtests.Add(name)
	return true
}

// ran records the end of a subtest that was not skipped.
func (s *source) ran(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended.Add(name)
}

// add records the execution of several subtests, some of which were skipped.
func (s *source) add(all, skipped []string) {
	for _, name := range all {
		s.executes(name)
		if !slices.Contains(skipped, name) {
			s.ran(name)
		}
	}
}

// executed returns the names of the executed subtests, sorted, and of those that have always been skipped.
func (s *source) executed() (all, skipped []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = slices.Sorted(slices.Values(s.subtests.List))
	for _, name := range all {
		if !s.ended.Has(name) {
			skipped = append(skipped, name)
		}
	}
	return all, skipped
}

// operation is an operation of the program.
type operation struct {
	kind trace.Kind
	pos  token.Position
}

// found is the expression of an operation's object.
type found struct {
	text string
	typ  types.Type
}

type sourceFile struct {
	*ast.File
	info *types.Info
}

func newSource(prog *load.Program) *source {
	s := &source{fset: prog.Fset, files: make(map[string]sourceFile), user: make(map[string]bool)}
	for _, p := range prog.All {
		if p.Std && !p.UnderTest {
			continue
		}
		s.user[p.Path] = true
		for _, f := range p.Files {
			name := prog.Fset.Position(f.Pos()).Filename
			if _, ok := s.files[name]; !ok { // test variants share files
				s.files[name] = sourceFile{f, p.Info}
			}
		}
	}
	return s
}

// what returns the text and the type of the expression for the object of an operation of kind k at pos. The
// type may be nil. The text is empty if the position determines no expression: a deferred call runs where
// the function returns.
func (s *source) what(k trace.Kind, pos token.Position) (string, types.Type) {
	at := operation{k, pos}
	if x, ok := s.found.Load(at); ok {
		return x.(found).text, x.(found).typ
	}
	text, typ := s.find(k, pos)
	s.found.Store(at, found{text, typ})
	return text, typ
}

// find computes the results of what from the syntax.
func (s *source) find(k trace.Kind, pos token.Position) (string, types.Type) {
	f, path := s.enclosing(pos)
	//mutant: a clock read has the name of an argument [test ./explore/describe TestClockNames]: "k == trace.Clock" -> "false"
	if k == trace.Clock {
		return calledAt(path), nil
	}
	for i, n := range path {
		e := subject(n, path[i+1:])
		if e == nil {
			switch n := n.(type) {
			case *ast.SelectStmt:
				return short(strings.Join(channels(n), ", ")), nil
			case *ast.ReturnStmt, *ast.BlockStmt:
				return deferred(path[i:], k), nil
			case ast.Stmt, ast.Decl:
				return "", nil
			}
			continue
		}
		//mutant: what a conversion reads has no name [test ./explore/describe TestConversionNames]: "f.converts(call) && k.Plain()" -> "false"
		if call, ok := e.(*ast.CallExpr); ok && f.converts(call) && k.Plain() { // string(b) reads b
			e = call.Args[0]
		}
		if call, ok := e.(*ast.CallExpr); ok && f.builtin(call) == "copy" && k.Plain() {
			return copied(call, k), moved
		}
		if call, ok := e.(*ast.CallExpr); ok && !(k.Channels() && f.isChannel(call)) { // <-time.After(d)
			if e = s.callee(f, call, k); e == nil && f.panics(call) {
				return deferred(path[i:], k), nil
			} else if e == nil {
				return "", nil
			}
		}
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		if _, ok := e.(*ast.FuncLit); ok {
			return "func", nil
		}
		text := short(types.ExprString(e))
		var t types.Type
		if f.info != nil {
			t = f.info.TypeOf(e)
		}
		return text, t
	}
	return "", nil
}

// calledAt returns the function of the innermost call of path, such as time.After: it reads the clock, and
// its arguments do not matter. The text is empty if there is no call: a deferred call runs where the
// function returns.
func calledAt(path []ast.Node) string {
	for _, n := range path {
		if _, ok := n.(ast.Stmt); ok {
			break
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if _, literal := ast.Unparen(call.Fun).(*ast.FuncLit); !literal {
			return short(types.ExprString(call.Fun))
		}
	}
	return ""
}

// panics reports whether a call is one of the builtin panic. The operations at its position are
// those of deferred calls, not operations on its argument.
func (f sourceFile) panics(call *ast.CallExpr) bool { return f.builtin(call) == "panic" }

// converts reports whether a call is a conversion.
func (f sourceFile) converts(call *ast.CallExpr) bool {
	return f.info != nil && f.info.Types[call.Fun].IsType() && len(call.Args) == 1
}

// builtin returns the name of the builtin function that is called; "": the function is no builtin.
func (f sourceFile) builtin(call *ast.CallExpr) string {
	fun, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || f.info == nil {
		return ""
	}
	if b, ok := f.info.Uses[fun].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// moved is the type for the elements that a copy reads and writes. Reports do not show their values.
var moved types.Type = types.Typ[types.Invalid]

// copied names the elements that a call of copy reads or writes, not the variable that has the slice.
func copied(call *ast.CallExpr, k trace.Kind) string {
	if len(call.Args) != 2 {
		return ""
	}
	elements := func(e ast.Expr) string {
		text := types.ExprString(e)
		if _, ok := ast.Unparen(e).(*ast.SliceExpr); !ok {
			text += "[:]"
		}
		return short(text)
	}
	to, from := elements(call.Args[0]), elements(call.Args[1])
	switch k {
	case trace.Read:
		//mutant: a copy reads what it writes [test ./cmd/hbcheck TestScripts/names]: "from" -> "to"
		return from
	case trace.Write:
		return to
	}
	return short(to + " from " + from)
}

// isChannel reports whether e is a channel.
func (f sourceFile) isChannel(e ast.Expr) bool {
	if f.info == nil {
		return false
	}
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// enclosing returns the syntax nodes at pos, innermost first; nil if there are none.
func (s *source) enclosing(pos token.Position) (sourceFile, []ast.Node) {
	f, ok := s.files[pos.Filename]
	if !ok {
		return f, nil
	}
	tf := s.fset.File(f.Pos())
	if pos.Line < 1 || pos.Line > tf.LineCount() {
		return f, nil
	}
	p := tf.LineStart(pos.Line) + token.Pos(max(1, pos.Column)-1)
	path, _ := astutil.PathEnclosingInterval(f.File, p, p)
	return f, path
}

// selectCase returns case n, not counting the default, of the select statement at pos; "" if there
// is no such statement.
func (s *source) selectCase(pos token.Position, n int) string {
	_, path := s.enclosing(pos)
	for _, node := range path {
		if sel, ok := node.(*ast.SelectStmt); ok {
			if list := channels(sel); n < len(list) {
				return short(list[n])
			}
			break
		}
		if _, ok := node.(ast.Stmt); ok {
			break // not a select statement: a call of reflect.Select, say
		}
	}
	return ""
}

// short shortens long expressions.
func short(text string) string {
	if len(text) > 40 {
		return text[:37] + "..."
	}
	return text
}

// channels lists the channels of a select statement.
func channels(sel *ast.SelectStmt) (list []string) {
	for _, clause := range sel.Body.List {
		comm := clause.(*ast.CommClause).Comm
		if comm == nil {
			continue // default
		}
		ast.Inspect(comm, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SendStmt:
				list = append(list, types.ExprString(n.Chan)+"<-")
				return false
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					list = append(list, "<-"+types.ExprString(n.X))
					return false
				}
			}
			return true
		})
	}
	return list
}

// deferredCalls are the methods that programs usually defer, by kind of operation.
var deferredCalls = map[trace.Kind]string{trace.WgAdd: "Done", trace.Unlock: "Unlock", trace.RUnlock: "RUnlock"}

// deferred returns the receiver of the only deferred call of kind k in the function that returns at
// path.
func deferred(path []ast.Node, k trace.Kind) string {
	var body *ast.BlockStmt
	for i := 0; body == nil && i < len(path); i++ {
		switch n := path[i].(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
	}
	method := deferredCalls[k]
	if body == nil || method == "" {
		return ""
	}
	var found []string
	ast.Inspect(body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			if sel, ok := d.Call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == method {
				found = append(found, types.ExprString(sel.X))
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// subject returns the operand of the operation that the node n stands for; nil: n stands for no operation.
func subject(n ast.Node, above []ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.Ident:
		if len(above) > 0 {
			if sel, ok := above[0].(*ast.SelectorExpr); ok && sel.Sel == n {
				return subjectCall(sel, above[1:])
			}
		}
		return n
	case *ast.SelectorExpr:
		return subjectCall(n, above)
	case *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr, *ast.SliceExpr, *ast.CompositeLit:
		return n.(ast.Expr)
	case *ast.UnaryExpr:
		return n.X
	case *ast.IncDecStmt:
		return n.X
	case *ast.SendStmt:
		return n.Chan
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.DeferStmt:
		return n.Call
	case *ast.RangeStmt:
		return n.X
	case *ast.AssignStmt:
		return n.Lhs[0]
	}
	return nil
}

// subjectCall returns the call of the function sel, or sel itself if nothing calls it.
func subjectCall(sel *ast.SelectorExpr, above []ast.Node) ast.Expr {
	if len(above) > 0 {
		if call, ok := above[0].(*ast.CallExpr); ok && call.Fun == sel {
			return call
		}
	}
	return sel
}

// direct are the packages whose functions operate on their arguments. For a call of a function of
// another package, reports name the function.
var direct = map[string]bool{"sync": true, "sync/atomic": true, "time": true}

// callee returns the operand of a call of a library function: for a synchronisation, the receiver of the
// method or the first argument of the function; otherwise the function's name. It returns nil for functions
// of the program, because the operation is inside of such a function.
func (s *source) callee(f sourceFile, call *ast.CallExpr, k trace.Kind) ast.Expr {
	if f.info == nil {
		return nil
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident: // close, len, copy, append
		if _, variable := f.info.Uses[fun].(*types.Var); variable {
			return fun
		}
		if _, builtin := f.info.Uses[fun].(*types.Builtin); builtin && len(call.Args) > 0 && !f.panics(call) {
			return call.Args[0]
		}
	case *ast.SelectorExpr:
		obj := f.info.Uses[fun.Sel]
		if obj == nil || obj.Pkg() == nil {
			break
		}
		if _, field := obj.(*types.Var); field {
			return fun // reads a value of a function type
		}
		if s.user[obj.Pkg().Path()] {
			break
		}
		if k.Plain() || !direct[obj.Pkg().Path()] {
			return fun
		}
		_, method := f.info.Selections[fun]
		//mutant: what a started method operates on is the first argument [test ./explore/describe TestStartedNames]: remove
		if e := f.methodValue(call); e != nil && (!method || lockKinds.Has(k)) { // time.AfterFunc(d, mu.Unlock)
			return e
		}
		if method {
			return fun.X
		}
		if len(call.Args) > 0 {
			return call.Args[0]
		}
	}
	return nil
}

// lockKinds are the operations on a lock.
const lockKinds = trace.Kinds(1<<trace.Lock | 1<<trace.Unlock | 1<<trace.RLock | 1<<trace.RUnlock)

// methodValue returns the receiver of the first argument of call that is a method value of package sync.
func (f sourceFile) methodValue(call *ast.CallExpr) ast.Expr {
	for _, a := range call.Args {
		if fun, ok := ast.Unparen(a).(*ast.SelectorExpr); ok && f.info.Selections[fun] != nil {
			if m, ok := f.info.Uses[fun.Sel].(*types.Func); ok && m.Pkg() != nil && m.Pkg().Path() == "sync" {
				return fun.X
			}
		}
	}
	return nil
}

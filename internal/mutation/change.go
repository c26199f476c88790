package mutation

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// An edit replaces the text between two offsets of a file.
type edit struct {
	from, to int
	by       string
}

// in returns src with the edit.
func (e edit) in(src string) string { return src[:e.from] + e.by + src[e.to:] }

var spaces = regexp.MustCompile(` +`)

var replacement = regexp.MustCompile(`^("(?:[^"\\]|\\.)*") -> ("(?:[^"\\]|\\.)*")$`)

// edit returns the change of the mutant's file, whose text is src and whose syntax is f. The result is
// a file of Go.
func (x *Mutant) edit(fset *token.FileSet, f *ast.File, src string) (edit, error) {
	e, err := x.change(fset, f, src)
	if err != nil {
		return edit{}, fmt.Errorf("%s: %w", x, err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), x.File, e.in(src), parser.SkipObjectResolution); err != nil {
		return edit{}, fmt.Errorf("%s: the mutant is no Go: %w", x, err)
	}
	return e, nil
}

func (x *Mutant) change(fset *token.FileSet, f *ast.File, src string) (edit, error) {
	line := x.marked(src)
	start := fset.File(f.FileStart).LineStart(line)
	from := int(start - f.FileStart)
	if m := replacement.FindStringSubmatch(x.Change); m != nil {
		old, err := strconv.Unquote(m[1])
		by, err2 := strconv.Unquote(m[2])
		if err := errors.Join(err, err2); err != nil {
			return edit{}, err
		}
		// gofmt aligns fields and comments: the number of spaces makes no difference.
		at := regexp.MustCompile(spaces.ReplaceAllString(regexp.QuoteMeta(old), " +")).FindStringIndex(src[from:])
		if end := strings.IndexByte(src[from:], '\n'); at == nil || at[0] > end {
			return edit{}, fmt.Errorf("line %d does not have %s", line, m[1])
		}
		return edit{from + at[0], from + at[1], by}, nil
	}
	c := &change{fset: fset, src: src, line: line}
	word, number, _ := strings.Cut(x.Change, " ")
	n, err := 1, error(nil)
	if number != "" {
		if n, err = strconv.Atoi(number); err != nil || n < 1 {
			return edit{}, fmt.Errorf("%q is no number", number)
		}
	}
	switch word {
	case "", "remove":
		return c.remove(f, n)
	case "true", "false", "not", "drop":
		return c.condition(f, word, n)
	}
	return edit{}, fmt.Errorf("%q is no change: remove, true, false, not, drop, or one text -> another", x.Change)
}

// marked returns the number of the marked line: the next line that is not a mark.
func (x *Mutant) marked(src string) int {
	lines := strings.Split(src, "\n")
	n := x.Line
	for n < len(lines) && isMark(lines[n]) {
		n++
	}
	return n + 1
}

// A change changes the code that begins on a line.
type change struct {
	fset *token.FileSet
	src  string
	line int
}

// begins reports whether n begins on the line.
func (c *change) begins(n ast.Node) bool { return c.fset.Position(n.Pos()).Line == c.line }

// text returns the source between two places.
func (c *change) text(from, to token.Pos) string {
	return c.src[c.fset.Position(from).Offset:c.fset.Position(to).Offset]
}

// replace returns the edit that puts other text between two places.
func (c *change) replace(from, to token.Pos, by string) edit {
	return edit{c.fset.Position(from).Offset, c.fset.Position(to).Offset, by}
}

// remove leaves n statements out: they stay in the program, so that their names are used, but are never
// executed. A return stays one for the compiler.
func (c *change) remove(f *ast.File, n int) (edit, error) {
	var found []ast.Stmt
	list := func(l []ast.Stmt) {
		for i, s := range l {
			if found == nil && c.begins(s) && i+n <= len(l) {
				found = l[i : i+n]
			}
		}
	}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.BlockStmt:
			list(x.List)
		case *ast.CaseClause:
			list(x.Body)
		case *ast.CommClause:
			list(x.Body)
		}
		return true
	})
	if found == nil {
		return edit{}, fmt.Errorf("no %d statements begin on line %d", n, c.line)
	}
	from, to := found[0].Pos(), found[n-1].End()
	switch found[0].(type) {
	case *ast.CaseClause, *ast.CommClause:
		return c.replace(from, to, ""), nil
	}
	return c.replace(from, to, "if len(\"\") > 0 { "+c.text(from, to)+" }"), nil
}

// condition changes the condition of the statement or clause that begins on the line, or the value
// that it returns or assigns.
func (c *change) condition(f *ast.File, word string, n int) (edit, error) {
	var cond ast.Expr
	one := func(l []ast.Expr) {
		if len(l) == 1 {
			cond = l[0]
		}
	}
	ast.Inspect(f, func(x ast.Node) bool {
		if x == nil || cond != nil {
			return false
		}
		if _, ok := x.(*ast.File); !ok && !c.begins(x) {
			return c.fset.Position(x.Pos()).Line < c.line && c.fset.Position(x.End()).Line >= c.line
		}
		switch x := x.(type) {
		case *ast.IfStmt:
			cond = x.Cond
		case *ast.ForStmt:
			cond = x.Cond
		case *ast.CaseClause:
			one(x.List)
		case *ast.ReturnStmt:
			one(x.Results)
		case *ast.AssignStmt:
			one(x.Rhs)
		}
		return true
	})
	if cond == nil {
		return edit{}, fmt.Errorf("no condition begins on line %d", c.line)
	}
	switch word {
	case "not":
		return c.replace(cond.Pos(), cond.End(), "!("+c.text(cond.Pos(), cond.End())+")"), nil
	case "drop":
		return c.drop(cond, n)
	}
	// The names in the condition stay used.
	op := map[string]string{"true": "|| true", "false": "&& false"}[word]
	return c.replace(cond.Pos(), cond.End(), "(("+c.text(cond.Pos(), cond.End())+") "+op+")"), nil
}

// drop leaves out the n-th operand that && and || join in cond.
func (c *change) drop(cond ast.Expr, n int) (edit, error) {
	var operand ast.Expr
	neutral := ""
	var walk func(x ast.Expr, op token.Token)
	walk = func(x ast.Expr, op token.Token) {
		inner := x
		if p, ok := inner.(*ast.ParenExpr); ok {
			inner = p.X
		}
		if b, ok := inner.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			walk(b.X, b.Op)
			walk(b.Y, b.Op)
			return
		}
		if n--; n == 0 {
			operand = x
			neutral = map[token.Token]string{token.LAND: "|| true", token.LOR: "&& false"}[op]
		}
	}
	walk(cond, token.ILLEGAL)
	if operand == nil || neutral == "" {
		return edit{}, fmt.Errorf("the condition on line %d has fewer operands", c.line)
	}
	// It is still evaluated, because it may guard the next one.
	return c.replace(operand.Pos(), operand.End(), "(("+c.text(operand.Pos(), operand.End())+") "+neutral+")"), nil
}

package load

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// With Config.Cover the code of the user's module counts which of its blocks are executed.
//
//	parse     count puts a call of a function of its own, without a body, at the beginning of each
//	          block into the syntax tree
//	create    the functions become SSA, and strip takes these calls away again, and remembers where
//	          they were (Begins)
//	compile   an instruction that notes the block is where the call was
//
// So static facts and explorers see the same program as without Cover, except for empty blocks of SSA. The
// instruction touches nothing that is part of a state.
//
// Claim: the statements are those that go test -coverprofile counts, block by block.
//
//  1. The blocks are those of go tool cover: count, addCounters and the functions that it calls
//     follow Visit, addCounters and so on of cmd/cover.
//  2. That tool puts its counters into the text at the places where the tree has the calls.
//  3. Types and SSA follow the tree. No call is removed, as a function without a body may do anything.

// A Block is a piece of code that is executed from its beginning or not at all.
type Block struct {
	File        string // absolute, as in positions
	Package     string // import path
	Func        string // name of the function in the form of go tool cover: "(*T).M" is "*T.M"
	Line        int    // line where the block begins, as in positions
	First, Last int    // lines of its statements
	Stmts       int    // number of statements that begin in the block
	Fn          int    // number of the first block of the function
	Kind        BlockKind
	Test        bool // the block belongs to a test file
	// Start and End are its bounds in a cover profile: from Go 1.27 on their lines are those of the text,
	// whatever line comments say.
	Start, End token.Position
	// Of is, for a Comm, the number of the block that begins the first case of the same select
	// statement.
	Of int
	// Then is, for an Else, the number of the block that is executed if the condition holds.
	Then int
}

// Name returns the name of the block's file in a cover profile.
func (b *Block) Name() string {
	if b.Package == "command-line-arguments" {
		return b.File
	}
	return path.Join(b.Package, filepath.Base(b.File))
}

// BlockKind says which code a block is.
type BlockKind uint8

// The kinds of blocks.
const (
	Plain BlockKind = iota
	Comm            // the block begins a case of a select statement
	Else            // stands for the else branch that an if statement lacks: the block is empty
)

// coverage has a Program's data about the blocks of the user's module.
type coverage struct {
	blocks   []Block
	packages []*Package // the packages with blocks

	mu     sync.Mutex
	begins map[instrPlace][]int   // guarded by mu; the numbers of blocks
	edges  map[edge][]int         // guarded by mu; the same between the blocks of SSA
	done   map[*ssa.Function]bool // guarded by mu
	hollow map[int]bool           // blocks that make up a basic block alone; of several in one, the first
}

// edge is one from a basic block to another.
type edge struct{ from, to *ssa.BasicBlock }

// instrPlace is the place before an instruction of a basic block.
type instrPlace struct {
	b *ssa.BasicBlock
	i int
}

// Blocks returns the blocks of the user's module, by number, with Config.Cover.
func (prog *Program) Blocks() []Block {
	if prog.cover == nil {
		return nil
	}
	return prog.cover.blocks
}

// Begins returns the numbers of the blocks that begin before the i-th instruction of b, which belongs
// to a function that has been built.
func (prog *Program) Begins(b *ssa.BasicBlock, i int) []int {
	if prog.cover == nil {
		return nil
	}
	prog.cover.mu.Lock()
	defer prog.cover.mu.Unlock()
	return prog.cover.begins[instrPlace{b, i}]
}

// Between returns the numbers of the blocks that begin on the way from one block to the next.
func (prog *Program) Between(from, to *ssa.BasicBlock) []int {
	if prog.cover == nil {
		return nil
	}
	prog.cover.mu.Lock()
	defer prog.cover.mu.Unlock()
	return prog.cover.edges[edge{from, to}]
}

// counter is the beginning of the names of the functions that are called where blocks begin. No
// identifier of Go has a #.
const counter = "#cover"

// count puts counters into the packages of the user's module. A file that belongs to a package and
// to its test variant has the same blocks in both.
func (l *loader) count() error {
	if !l.cfg.Cover {
		return nil
	}
	l.cover = &coverage{begins: make(map[instrPlace][]int), edges: make(map[edge][]int), hollow: make(map[int]bool), done: make(map[*ssa.Function]bool)}
	first := make(map[string]int) // by file: the number of its first block
	for _, p := range l.all {
		if p.Std || p.list.Module != nil && !p.list.Module.Main || len(p.files) != len(p.Files) {
			continue
		}
		l.cover.packages = append(l.cover.packages, p)
		for i, tree := range p.Files {
			name := p.files[i].name
			start, again := first[name]
			if !again {
				start = len(l.cover.blocks)
				first[name] = start
			}
			c := &blockCounter{fset: l.fset, minor: minor(l.goEnv.GOVERSION), next: start, of: -1, fn: -1, src: p.files[i].src,
				proto: Block{Package: p.Path, Test: strings.HasSuffix(name, "_test.go"), Then: -1}}
			ast.Walk(c, tree)
			if !again {
				l.cover.blocks = append(l.cover.blocks, c.blocks...)
			}
			for n := start; n < c.next; n++ {
				tree.Decls = append(tree.Decls, &ast.FuncDecl{
					Name: &ast.Ident{NamePos: tree.FileEnd, Name: counter + strconv.Itoa(n)},
					Type: &ast.FuncType{Func: tree.FileEnd, Params: &ast.FieldList{Opening: tree.FileEnd, Closing: tree.FileEnd}},
				})
			}
		}
	}
	return nil
}

// blockCounter finds the blocks of a file and puts counters into them.
type blockCounter struct {
	fset   *token.FileSet
	minor  int // minor number of the release whose tool the counter follows
	next   int // number of the next block
	blocks []Block
	proto  Block // what all have in common
	of     int   // see Block.Of
	fn     int   // see Block.Fn; -1 outside of functions
	src    []byte
}

// statement returns a call of the counter of the next block.
// pos is where it begins, first and last are where its statements begin and end.
func (c *blockCounter) statement(pos token.Pos, r codeRange, first, last token.Pos, stmts int, kind BlockKind) ast.Stmt {
	b := c.proto
	lineComments := c.minor < 27
	b.Start, b.End = c.fset.PositionFor(r.start, lineComments), c.fset.PositionFor(r.end, lineComments)
	at := c.fset.Position(pos)
	b.File, b.Line, b.Stmts, b.Kind, b.Of, b.Fn = at.Filename, at.Line, stmts, kind, c.of, c.fn
	b.First, b.Last = c.fset.Position(first).Line, c.fset.Position(last).Line
	c.blocks = append(c.blocks, b)
	call := &ast.CallExpr{Fun: &ast.Ident{NamePos: pos, Name: counter + strconv.Itoa(c.next)}, Lparen: pos, Rparen: pos}
	c.next++
	return &ast.ExprStmt{X: call}
}

// Visit implements ast.Visitor, as the method of the same name of cmd/cover's File.
func (c *blockCounter) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.BlockStmt:
		if len(n.List) > 0 { // the body of a switch or select is a list of clauses
			switch n.List[0].(type) {
			case *ast.CaseClause:
				for _, n := range n.List {
					clause := n.(*ast.CaseClause)
					clause.Body = c.addCounters(clause.Colon+1, clause.End(), clause.Body, false, Plain)
				}
				return c
			case *ast.CommClause:
				c.of = c.next
				for _, n := range n.List {
					clause := n.(*ast.CommClause)
					clause.Body = c.addCounters(clause.Colon+1, clause.End(), clause.Body, false, Comm)
				}
				c.of = -1
				return c
			}
		}
		n.List = c.addCounters(n.Lbrace, n.Rbrace+1, n.List, true, Plain)
	case *ast.IfStmt:
		if n.Init != nil {
			ast.Walk(c, n.Init)
		}
		ast.Walk(c, n.Cond)
		then := c.next
		ast.Walk(c, n.Body)
		switch stmt := n.Else.(type) {
		case nil:
			pos := n.Body.End()
			s := c.statement(n.If, codeRange{start: n.If, end: n.Body.Lbrace}, n.If, n.If, 0, Else)
			c.blocks[len(c.blocks)-1].Then = then
			n.Else = &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{s}, Rbrace: pos}
			return nil
		case *ast.IfStmt: // so that there is a place for the counter of the condition
			block := &ast.BlockStmt{Lbrace: stmt.Pos(), List: []ast.Stmt{stmt}, Rbrace: stmt.End()}
			block.Lbrace = c.afterElse(n.Body.End())
			n.Else = block
		case *ast.BlockStmt:
			stmt.Lbrace = c.afterElse(n.Body.End())
		}
		ast.Walk(c, n.Else)
		return nil
	case *ast.SelectStmt:
		if n.Body == nil || len(n.Body.List) == 0 {
			return nil
		}
	case *ast.SwitchStmt:
		if n.Body == nil || len(n.Body.List) == 0 {
			if n.Init != nil {
				ast.Walk(c, n.Init)
			}
			if n.Tag != nil {
				ast.Walk(c, n.Tag)
			}
			return nil
		}
	case *ast.TypeSwitchStmt:
		if n.Body == nil || len(n.Body.List) == 0 {
			if n.Init != nil {
				ast.Walk(c, n.Init)
			}
			ast.Walk(c, n.Assign)
			return nil
		}
	case *ast.FuncDecl:
		if n.Name.Name == "_" || n.Body == nil {
			return nil
		}
		c.proto.Func, c.fn = coverName(n), c.next
		ast.Walk(c, n.Body)
		c.fn = -1
		return nil
	case *ast.FuncLit:
		if c.fn < 0 {
			c.proto.Func, c.fn = "func literal", c.next
			ast.Walk(c, n.Body)
			c.fn = -1
			return nil
		}
	}
	return c
}

// coverName returns the name of a function as go tool cover has it.
func coverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, ""
	if ptr, ok := t.(*ast.StarExpr); ok {
		t, star = ptr.X, "*"
	}
	if id, ok := t.(*ast.Ident); ok {
		return star + id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// afterElse returns the position after the first "else" from pos on that is in no comment.
func (c *blockCounter) afterElse(pos token.Pos) token.Pos {
	file := c.fset.File(pos)
	at := file.Offset(pos)
	for !bytes.HasPrefix(c.src[at:], []byte("else")) {
		skip := 1
		for _, comment := range [][2]string{{"//", "\n"}, {"/*", "*/"}} {
			if rest := c.src[at:]; bytes.HasPrefix(rest, []byte(comment[0])) {
				skip = 2 + bytes.Index(rest[2:], []byte(comment[1])) + len(comment[1])
			}
		}
		at += skip
	}
	return file.Pos(at + len("else"))
}

// addCounters returns list with a counter at the beginning of each block in it: before the first
// statement, and after each statement that control may leave elsewhere than at its end.
func (c *blockCounter) addCounters(pos, blockEnd token.Pos, list []ast.Stmt, toBrace bool, kind BlockKind) (out []ast.Stmt) {
	if len(list) == 0 {
		if toBrace {
			pos++ // after the brace
		}
		return []ast.Stmt{c.statement(pos, c.ranges(pos, blockEnd, nil)[0], pos, pos, 0, kind)}
	}
	list = slices.Clone(list)
	for {
		last, end := 0, blockEnd
		for ; last < len(list); last++ {
			stmt := list[last]
			end = boundary(stmt)
			if !endsBlock(stmt) {
				continue
			}
			// A goto may lead to a label: the counter is between it and its statement. But a loop, switch or
			// select cannot be separated from its label.
			if label, ok := stmt.(*ast.LabeledStmt); ok && !isControl(label.Stmt) {
				bare := *label
				bare.Stmt = &ast.EmptyStmt{Semicolon: label.Stmt.Pos(), Implicit: true}
				end = label.Pos()
				list[last] = &bare
				list = slices.Insert(list, last+1, label.Stmt)
			}
			last++
			toBrace = false
			break
		}
		if toBrace {
			end = blockEnd
		}
		if pos != end {
			for i, r := range c.ranges(pos, end, list[:last]) {
				if i > 0 {
					pos, kind = r.start, Plain
				}
				first, until := r.start, r.start // a range without a statement is a semicolon
				if r.from < r.to {
					first, until = list[r.from].Pos(), lastOf(list[r.to-1], end)
				}
				out = append(out, c.statement(pos, r, first, until, last, kind))
				out = append(out, list[r.from:r.to]...)
			}
			kind = Plain
		} else {
			out = append(out, list[:last]...)
		}
		if list = list[last:]; len(list) == 0 {
			return out
		}
		pos = list[0].Pos()
	}
}

// lastOf returns where s ends as the last statement of a block that ends at end.
func lastOf(s ast.Stmt, end token.Pos) token.Pos {
	if endsBlock(s) {
		return max(s.Pos(), end)
	}
	return s.End()
}

// boundary returns the position in s at which the block that contains s ends.
func boundary(s ast.Stmt) token.Pos {
	literal := func(nodes ...ast.Node) token.Pos {
		for _, n := range nodes {
			if pos := firstLiteral(n); pos.IsValid() {
				return pos
			}
		}
		return token.NoPos
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.IfStmt:
		return cmp.Or(literal(s.Init, s.Cond), s.Body.Lbrace)
	case *ast.ForStmt:
		return cmp.Or(literal(s.Init, s.Cond, s.Post), s.Body.Lbrace)
	case *ast.LabeledStmt:
		return boundary(s.Stmt)
	case *ast.RangeStmt:
		return cmp.Or(literal(s.X), s.Body.Lbrace)
	case *ast.SwitchStmt:
		return cmp.Or(literal(s.Init, s.Tag), s.Body.Lbrace)
	case *ast.SelectStmt:
		return s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return cmp.Or(literal(s.Init), s.Body.Lbrace)
	}
	return cmp.Or(literal(s), s.End())
}

// endsBlock reports whether s is the last statement of a block: it changes the flow of control, or
// has a function literal in it.
func endsBlock(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.RangeStmt, *ast.SwitchStmt,
		*ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && len(call.Args) == 1 {
				return true
			}
		}
	}
	return firstLiteral(s).IsValid()
}

func isControl(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// firstLiteral returns where the body of the first function literal in n begins.
func firstLiteral(n ast.Node) (pos token.Pos) {
	if n == nil || reflect.ValueOf(n).IsNil() {
		return token.NoPos
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && !pos.IsValid() {
			pos = lit.Body.Lbrace
		}
		return !pos.IsValid()
	})
	return pos
}

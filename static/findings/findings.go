package findings

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
)

// Confidence says how certain it is that a finding is a bug of the program.
type Confidence uint8

const (
	Low    Confidence = iota // the finding may be a bug
	Medium                   // the finding is a bug unless facts that the analysis does not see prevent it
	High                     // the finding is a bug if its path can be executed
)

var confidences = [...]string{"low", "medium", "high"}

func (c Confidence) String() string { return confidences[c] }

// A Place is a program point that belongs to a finding.
type Place struct {
	Pos   token.Pos
	Instr ssa.Instruction // nil if it is a declaration
	Text  string
}

// A Finding is a mistake that a check found at a program point.
type Finding struct {
	Code       string
	Confidence Confidence
	Place              // where; Text is the message
	Related    []Place // places in the best order for a reader
	// Other is set if the bug is about a pair of accesses or acquisitions: Place is the first of them, Other
	// the second. Other is also one of Related.
	Other *Place
	// Entry is the function whose execution showed the mistake; nil if none did.
	Entry *ssa.Function
}

// A Config says which checks to run on which program.
type Config struct {
	Prog  *load.Program
	Graph Graph
	Base  *static.Base
	// Functions are the functions to check.
	Functions []*ssa.Function
	// Roots are the functions with which execution may begin.
	Roots []Root
	// Checks are the codes of the checks to run; nil: all.
	Checks []string
	// WithoutUsers is set if the points-to analysis ignored the code that uses the packages.
	WithoutUsers bool
	// Note, if not nil, is called with the codes of checks that are left out because they would
	// take too long.
	Note func(checks string)
	// Generated is set if findings in generated files are wanted.
	Generated bool
}

// A Graph is the call graph and the result of the points-to analysis.
type Graph interface {
	static.Program
	Functions() []*ssa.Function
	Result() *pointer.Result
}

// A Root is a function with which execution may begin.
type Root struct {
	Fn *ssa.Function
	// Library is set if users of a library call the function, perhaps in several goroutines at a time.
	Library bool
}

// Find returns the findings of the checks: the most certain first, then in the order of the source.
func Find(c *Config) []Finding {
	p := newPass(c)
	for _, w := range walks {
		if slices.ContainsFunc(strings.Fields(w.codes), c.wants) {
			w.run(p)
		}
	}
	list := slices.DeleteFunc(p.found, func(f Finding) bool { return !c.wants(f.Code) || !p.shown(f.Pos) || accepted(&f) })
	pos := func(f *Finding) token.Position { return c.Prog.Fset.Position(f.Pos) }
	slices.SortStableFunc(list, func(f, g Finding) int {
		x, y := pos(&f), pos(&g)
		return cmp.Or(
			cmp.Compare(g.Confidence, f.Confidence), strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Line, y.Line),
			cmp.Compare(x.Column, y.Column), strings.Compare(f.Code, g.Code), strings.Compare(f.Text, g.Text),
		)
	})
	// Variants of a package, and instances of a generic function, have the same findings.
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(f Finding) bool {
		k := f.Code + " " + pos(&f).String()
		again := seen[k]
		seen[k] = true
		return again
	})
}

// accepted reports whether f is a race, and one of its places is in a function with the directive go:norace:
// the author knows the race.
func accepted(f *Finding) bool {
	switch f.Code {
	case "HBA107", "HBA108", "HBA401", "HBA402":
		//mutant: findings: races with a function that has go:norace are news [test ./static/findings TestWant]: "f.Other != nil && norace(f.Other.Instr)" -> "false"
		return norace(f.Instr) || f.Other != nil && norace(f.Other.Instr)
	}
	return false
}

func norace(instr ssa.Instruction) bool {
	if instr == nil {
		return false
	}
	decl, ok := outermost(instr.Parent()).Syntax().(*ast.FuncDecl)
	return ok && decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:norace" })
}

func (c *Config) wants(code string) bool { return c.Checks == nil || slices.Contains(c.Checks, code) }

// pass is one run of the checks.
type pass struct {
	*Config
	found     []Finding
	wanted    map[*ssa.Function]bool
	flows     map[*ssa.Function]*lockFlow
	generated map[string]bool         // files
	starts    map[token.Pos]token.Pos // by opening parenthesis of a call: its beginning
	names     map[token.Pos]string    // by position of a call: the variable to which its result is assigned
	files     map[string]bool         // files of the packages to check
	list      []*ssa.Function         // reachable functions whose code is the user's
	thr       *threads                // see parallel.go
	edges     []orderEdge             // see order.go
	edgeOf    map[orderKey]int        // indexes of edges
	startsIn  map[*ssa.Function][]start
	callers   map[*ssa.Function][]ssa.CallInstruction

	accessesOf map[*ssa.Function][]access // see goroutines.go
	waitsIn    map[*ssa.Function]bool
	// atomicCalls has the atomic accesses of functions: see atomicsIn.
	atomicCalls map[*ssa.Function][]ssa.CallInstruction
	raced       map[raceKey]bool
	raceOf      map[raceName]bool
	onlyOf      map[string]bool          // see only
	raceAt      map[ssa.Instruction]bool // accesses whose race has been reported
}

func newPass(c *Config) *pass {
	p := &pass{
		Config: c, wanted: map[*ssa.Function]bool{}, flows: map[*ssa.Function]*lockFlow{},
		generated: map[string]bool{}, starts: map[token.Pos]token.Pos{}, files: map[string]bool{}, names: map[token.Pos]string{},
		edgeOf: map[orderKey]int{}, startsIn: map[*ssa.Function][]start{},
		accessesOf: map[*ssa.Function][]access{}, onlyOf: map[string]bool{}, waitsIn: map[*ssa.Function]bool{}, atomicCalls: map[*ssa.Function][]ssa.CallInstruction{}, raced: map[raceKey]bool{}, raceAt: map[ssa.Instruction]bool{}, raceOf: map[raceName]bool{},
	}
	for _, fn := range c.Functions {
		p.wanted[fn] = true
	}
	for _, pkg := range c.Prog.All {
		if pkg.Std && !pkg.UnderTest {
			continue
		}
		for _, f := range pkg.Files {
			name := c.Prog.Fset.Position(f.Pos()).Filename
			if isGenerated(f) {
				p.generated[name] = true
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					p.starts[n.Lparen] = n.Pos()
				case *ast.AssignStmt:
					p.nameAll(n.Lhs, n.Rhs)
				case *ast.ValueSpec:
					var lhs []ast.Expr
					for _, id := range n.Names {
						lhs = append(lhs, id)
					}
					p.nameAll(lhs, n.Values)
				case *ast.SendStmt:
					p.starts[n.Arrow] = n.Pos()
				}
				return true
			})
		}
	}
	for _, fn := range c.Functions {
		p.files[c.Prog.Fset.Position(fn.Pos()).Filename] = true
	}
	p.list = p.userFunctions()
	return p
}

// nameAll records the variables to which new values are assigned.
func (p *pass) nameAll(lhs, rhs []ast.Expr) {
	if len(lhs) != len(rhs) {
		return
	}
	for i, x := range rhs {
		switch x := x.(type) {
		case *ast.CallExpr:
			p.names[x.Lparen], p.names[x.Pos()] = types.ExprString(lhs[i]), types.ExprString(lhs[i])
		case *ast.CompositeLit:
			p.names[x.Lbrace] = types.ExprString(lhs[i])
		}
	}
}

// name writes a path as in the source.
func (p *pass) name(path static.Path) string {
	s := p.Base.Paths.String(path)
	if v, ok := p.Base.Paths.Root(path).(ssa.Instruction); ok {
		if name := p.names[v.Pos()]; name != "" {
			if rest, ok := strings.CutPrefix(s, v.(ssa.Value).Name()); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return name + rest
			}
		}
	}
	return s
}

// shown reports whether findings at pos are wanted.
func (p *pass) shown(pos token.Pos) bool {
	name := p.Prog.Fset.Position(pos).Filename
	return pos.IsValid() && p.files[name] && (p.Generated || !p.generated[name])
}

// userFunctions returns the functions that may be called, and are not of the standard library.
func (p *pass) userFunctions() (list []*ssa.Function) {
	for _, fn := range p.Graph.Functions() {
		if p.user(fn) {
			list = append(list, fn)
		}
	}
	return list
}

// user reports whether fn has a body that is not of the standard library.
func (p *pass) user(fn *ssa.Function) bool {
	if pkg := p.Prog.PackageOf(fn); pkg == nil && fn.Synthetic == "" || pkg != nil && pkg.Std && !pkg.UnderTest {
		return false
	}
	return p.Graph.Body(fn) == fn && len(fn.Blocks) > 0
}

// note reports that checks are left out.
func (p *pass) note(checks string) {
	if p.Note != nil {
		p.Note(checks)
	}
}

// report adds a finding.
func (p *pass) report(code string, c Confidence, at ssa.Instruction, text string, related ...Place) *Finding {
	p.found = append(p.found, Finding{Code: code, Confidence: c, Place: p.place(at, text), Related: related})
	return &p.found[len(p.found)-1]
}

// place returns the place of instr.
func (p *pass) place(instr ssa.Instruction, text string) Place {
	return Place{Pos: p.pos(instr), Instr: instr, Text: text}
}

// pos returns the beginning of instr in the source. (In ssa the position of a call is its parenthesis.)
func (p *pass) pos(instr ssa.Instruction) token.Pos {
	pos := instr.Pos()
	if start, ok := p.starts[pos]; ok {
		return start
	}
	if !pos.IsValid() {
		last := instr.Block().Instrs[len(instr.Block().Instrs)-1]
		//mutant: findings: the result that a return reads is read where the function begins [test ./static/findings TestWant]: "last != instr" -> "last == instr"
		if r, ok := last.(*ssa.Return); ok && last != instr && r.Pos().IsValid() {
			return r.Pos() // it reads a named result
		}
		if r, ok := instr.(*ssa.Return); ok {
			return p.lastLine(r)
		}
		return instr.Parent().Pos()
	}
	return pos
}

// lastLine returns the closing brace of the function that r leaves.
func (p *pass) lastLine(r *ssa.Return) token.Pos {
	switch n := r.Parent().Syntax().(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			return n.Body.Rbrace
		}
	case *ast.FuncLit:
		return n.Body.Rbrace
	}
	return r.Parent().Pos()
}

// line names the line of instr: "bank.go:12".
func (p *pass) line(instr ssa.Instruction) string {
	pos := p.Prog.Fset.Position(p.pos(instr))
	name := pos.Filename[strings.LastIndexAny(pos.Filename, `/\`)+1:]
	return name + ":" + itoa(pos.Line)
}

package explore

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Place is a line, or all lines of a file, of which Explain tells.
type Place struct {
	File string // the end of its path
	Line int    // 0: all
}

// ParsePlace reads file.go:line or file.go.
func ParsePlace(s string) (Place, error) {
	p := Place{File: filepath.ToSlash(s)}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n <= 0 {
			return p, fmt.Errorf("%s: want file.go:line", s)
		}
		p.File, p.Line = filepath.ToSlash(s[:i]), n
	}
	if !strings.HasSuffix(p.File, ".go") {
		return p, fmt.Errorf("%s: want file.go:line", s)
	}
	return p, nil
}

func (p *Place) has(pos token.Position) bool {
	name := filepath.ToSlash(pos.Filename)
	return (p.Line == 0 || p.Line == pos.Line) && (name == p.File || strings.HasSuffix(name, "/"+p.File))
}

// An Explanation tells what was decided before one operation of the program,
// each time a goroutine stood before it and others could have moved.
type Explanation struct {
	Pos     token.Position
	Kind    trace.Kind
	Skipped map[string]uint64 // times that no choice was needed, by reason
	Choices uint64            // times that one was made
	Because []Because         // for what: most frequent first
}

// Because is something another goroutine may do first, which conflicts with the
// operation.
type Because struct {
	Pos   token.Position // not valid if it is not known
	What  string         // "write field f of main.S", "call of (*sync.Mutex).Lock"
	Count uint64
}

// explainer counts the answers of an oracle by operation.
type explainer struct {
	por.Oracle
	m      *vm.Machine
	hybrid Hybrid
	place  Place
	list   map[opSite]*Explanation
	why    map[opSite]map[ssa.Instruction]uint64
}

// opSite is an operation of the program.
type opSite struct {
	pos  token.Position
	kind trace.Kind
}

func newExplainer(o por.Oracle, m *vm.Machine, h Hybrid, p Place) *explainer {
	return &explainer{o, m, h, p, map[opSite]*Explanation{}, map[opSite]map[ssa.Instruction]uint64{}}
}

// Skip implements por.Oracle.
func (x *explainer) Skip(g trace.GID, op *trace.Op) string {
	reason := x.Oracle.Skip(g, op)
	k := opSite{x.m.Pos(*op), op.Kind}
	if at, ok := userFrame(x.m.Stack(g)); ok {
		k.pos = at.Pos
	}
	if !x.place.has(k.pos) {
		return reason
	}
	e := x.list[k]
	if e == nil {
		e = &Explanation{Pos: k.pos, Kind: op.Kind, Skipped: map[string]uint64{}}
		x.list[k] = e
	}
	switch {
	case reason != "":
		e.Skipped[reason]++
	default:
		e.Choices++
		if x.why[k] == nil {
			x.why[k] = map[ssa.Instruction]uint64{}
		}
		x.why[k][culprit(x.Oracle)]++
	}
	return reason
}

// Stepping implements por.Watcher.
func (x *explainer) Stepping(g trace.GID, op *trace.Op) {
	if w, ok := x.Oracle.(por.Watcher); ok {
		w.Stepping(g, op)
	}
}

// Rewound implements por.Watcher.
func (x *explainer) Rewound() {
	if w, ok := x.Oracle.(por.Watcher); ok {
		w.Rewound()
	}
}

// culprit returns what o's last answer, that a choice is needed, is due to; nil
// if that is not known.
func culprit(o por.Oracle) ssa.Instruction {
	if c, ok := o.(checkedOracle); ok {
		o = c.Oracle
	}
	if l, ok := o.(*por.LookAhead); ok {
		o = l.Last()
	}
	if f, ok := o.(*oracle); ok {
		if walks, ok := f.mhb.(*mhb.Oracle); ok {
			return walks.Culprit
		}
	}
	return nil
}

// explanations returns what was counted, in the order of the source.
func (x *explainer) explanations() []Explanation {
	var list []Explanation
	for k, e := range x.list {
		for i, n := range x.why[k] {
			b := Because{Count: n, What: "something that conflicts with it"}
			switch {
			case i != nil:
				b.Pos, b.What = x.m.Fset().Position(i.Pos()), describe(i)
			case !e.Kind.Plain() && (x.hybrid == FieldAccess || x.hybrid == Patterns):
				b.What = fmt.Sprintf("something: --hybrid=%s knows of accesses to memory only", x.hybrid)
			}
			e.Because = append(e.Because, b)
		}
		slices.SortFunc(e.Because, func(a, b Because) int {
			return cmp.Or(-cmp.Compare(a.Count, b.Count), comparePos(a.Pos, b.Pos), cmp.Compare(a.What, b.What))
		})
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b Explanation) int {
		return cmp.Or(comparePos(a.Pos, b.Pos), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Choices, b.Choices))
	})
	return list
}

func comparePos(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// describe names what an instruction does.
func describe(i ssa.Instruction) string {
	switch i := i.(type) {
	case *ssa.Store:
		return "write " + i.Addr.Type().String()[1:]
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return "receive"
		}
		return "read " + i.Type().String()
	case *ssa.Send:
		return "send"
	case *ssa.MapUpdate:
		return "write " + i.Map.Type().String()
	case ssa.CallInstruction:
		if fn := i.Common().StaticCallee(); fn != nil {
			return "call of " + fn.String()
		}
		return i.Common().Description()
	}
	return i.String()
}

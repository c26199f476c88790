package oracle

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Place is a line of the program, or all lines of a file.
type Place struct {
	File string // the path of the file, or its end, with slashes
	Line int    // 0: all
}

// Has reports whether pos is there.
func (p *Place) Has(pos token.Position) bool {
	name := filepath.ToSlash(pos.Filename)
	return (p.Line == 0 || p.Line == pos.Line) && (name == p.File || strings.HasSuffix(name, "/"+p.File))
}

// In reports whether prog, with all it imports, has such a place.
func (p *Place) In(prog *load.Program) bool {
	for _, pkg := range prog.All {
		for _, f := range pkg.Files {
			tf := prog.Fset.File(f.FileStart)
			for line := range tf.LineCount() {
				if p.Has(tf.Position(tf.LineStart(line + 1))) { // Position heeds //line comments
					return true
				}
			}
		}
	}
	return false
}

// An Explanation counts the decisions about one operation of the program. There is a decision whenever it is
// the pending operation of a goroutine and other goroutines are enabled.
type Explanation struct {
	Pos     token.Position
	Kind    trace.Kind
	Skipped map[string]uint64 // by reason: number of times that no choice was needed
	Choices uint64            // number of times that a choice was made
	Causes  []Cause           // why: most frequent first
}

// A Cause is something another goroutine may do first, which conflicts with the
// operation.
type Cause struct {
	Pos   token.Position // not valid if it is not known
	Act   Act
	What  string // the type written, the function called: as Act says
	Count uint64
}

// An Act is an action of another goroutine.
type Act uint8

// The acts.
const (
	ActUnknown Act = iota // the oracle does not say
	ActAny                // any other operation: this kind of oracle supports only accesses to memory
	ActCall               // of function What
	ActRead               // a value of type What
	ActReceive
	ActSend
	ActWrite // a value of type What
	ActOther // the instruction What
)

// An Explainer counts the answers of an oracle by operation.
type Explainer struct {
	por.Oracle
	kind  Kind
	pos   func(g trace.GID, op *trace.Op) token.Position
	place Place
	list  map[opSite]*Explanation
	why   map[opSite]map[ssa.Instruction]uint64
}

// opSite is an operation of the program.
type opSite struct {
	pos  token.Position
	kind trace.Kind
}

// NewExplainer returns an oracle that gives the answers of o, an oracle of kind k, and counts those about
// operations at p. pos returns the position of a pending operation in the user's code.
func NewExplainer(o por.Oracle, k Kind, p Place, pos func(g trace.GID, op *trace.Op) token.Position) *Explainer {
	return &Explainer{o, k, pos, p, map[opSite]*Explanation{}, map[opSite]map[ssa.Instruction]uint64{}}
}

// Unwrap implements Wrapper.
func (x *Explainer) Unwrap() por.Oracle { return x.Oracle }

// Skip implements por.Oracle.
func (x *Explainer) Skip(g trace.GID, op *trace.Op) string {
	reason := x.Oracle.Skip(g, op)
	k := opSite{x.pos(g, op), op.Kind}
	if !x.place.Has(k.pos) {
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

// culprit returns the instruction for which o's last answer was that a choice is
// needed; nil if that is not known.
func culprit(o por.Oracle) ssa.Instruction {
	if x, ok := unwrap(o).(*oracle); ok {
		if walks, ok := x.mhb.(*mhb.Oracle); ok {
			return walks.Witness
		}
	}
	return nil
}

// Explanations returns the counts, in the order of the source.
func (x *Explainer) Explanations() []Explanation {
	var list []Explanation
	s := StateOf(x.Oracle)
	for k, e := range x.list {
		for i, n := range x.why[k] {
			c := Cause{Count: n}
			switch {
			case i != nil:
				c.Pos = s.Machine.StaticView().Fset().Position(i.Pos())
				c.Act, c.What = act(i)
			case !e.Kind.Plain() && (x.kind == FieldAccess || x.kind == Patterns):
				c.Act = ActAny
			}
			e.Causes = append(e.Causes, c)
		}
		slices.SortFunc(e.Causes, func(a, b Cause) int {
			return cmp.Or(-cmp.Compare(a.Count, b.Count), comparePos(a.Pos, b.Pos), cmp.Compare(a.Act, b.Act), cmp.Compare(a.What, b.What))
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

// act returns the action of an instruction, and its object.
func act(i ssa.Instruction) (Act, string) {
	switch i := i.(type) {
	case *ssa.Store:
		return ActWrite, i.Addr.Type().String()[1:]
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return ActReceive, ""
		}
		return ActRead, i.Type().String()
	case *ssa.Send:
		return ActSend, ""
	case *ssa.MapUpdate:
		return ActWrite, i.Map.Type().String()
	case ssa.CallInstruction:
		if fn := i.Common().StaticCallee(); fn != nil {
			return ActCall, fn.String()
		}
		return ActOther, i.Common().Description()
	}
	return ActOther, i.String()
}

package analyze

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Fact is one statement of an analysis.
type Fact struct {
	Analysis string
	Pos      token.Position
	Func     *ssa.Function // nil: the fact is about no function in particular
	Whole    bool          // about a whole call of Func, not only about the code at Pos
	Detail   bool          // a text shows it only on request for this function or place, or with details
	No       bool          // the fact says that something does not hold
	Text     string
	Items    []string // the subjects of the fact, if there are several; a message is Text followed by these
	Notes    []Note
}

// A Note says why a fact holds or does not hold, or where its subject is.
type Note struct {
	Pos  token.Position // may be invalid
	Text string
	Func *ssa.Function // the function to which the note links, or nil
}

// An Analysis answers questions about a program's functions and program points.
type Analysis interface {
	// Name is the name of the analysis on the command line.
	Name() string
	// Doc explains its facts in a line.
	Doc() string
	// Overall returns facts about no function in particular.
	Overall() []Fact
	// Whole returns facts about calls of fn as a whole.
	Whole(fn *ssa.Function) []Fact
	// Own returns facts about instr itself.
	Own(instr ssa.Instruction) []Fact
	// At returns facts about the point before instr: what a goroutine at that point must or may do.
	At(instr ssa.Instruction) []Fact
	// Release releases all memory. The analysis must not be asked again.
	Release()
}

// Analyses returns all analyses of p, in the order they are listed in.
func Analyses(p *Program) []Analysis {
	if p.analyses == nil {
		p.analyses = append([]Analysis{&calls{p: p}}, futures(p)...)
	}
	return p.analyses
}

// sortFacts puts facts in the order of the output and removes repetitions: two variants of a package (one is
// compiled for its test), and all instances of a generic function, have the same facts.
func sortFacts(list []Fact) []Fact {
	slices.SortStableFunc(list, func(a, b Fact) int {
		return cmp.Or(
			comparePositions(a.Pos, b.Pos), compareBool(b.Whole, a.Whole),
			strings.Compare(a.Analysis, b.Analysis), strings.Compare(a.Text, b.Text), slices.Compare(a.Items, b.Items),
		)
	})
	return slices.CompactFunc(list, func(a, b Fact) bool {
		sameNotes := slices.EqualFunc(a.Notes, b.Notes, func(x, y Note) bool { return x.Pos == y.Pos && x.Text == y.Text })
		sameText := a.Analysis == b.Analysis && a.Text == b.Text && slices.Equal(a.Items, b.Items)
		return a.Pos == b.Pos && a.Whole == b.Whole && sameText && sameNotes
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

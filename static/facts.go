package static

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Fact is one thing an analysis knows of a program point.
type Fact struct {
	// Text says it: "write field f of S", "lock s.mu".
	Text string
	// Pos is where in the source the fact comes from, token.NoPos if that is no
	// one place.
	Pos token.Pos
	// Why is set if Text does not hold, and tells why not: "written at x.go:31
	// without s.mu".
	Why string
}

// An Analysis knows something of every point of a program.
type Analysis interface {
	// Name is one lower-case word by which users select the analysis.
	Name() string
	// Doc is one line saying what the facts mean.
	Doc() string
	// At returns what is known of the point before instr, sorted and without
	// repeats. The function of instr need not be one that has been looked at.
	At(instr ssa.Instruction) []Fact
}

// Analyses returns all analyses of the program p, in the order in which they are
// documented. They share what they have in common and work when asked.
func Analyses(p Program) []Analysis {
	return []Analysis{fieldAccess{NewFuture(p)}}
}

// fieldAccess shows Future as an Analysis.
type fieldAccess struct{ fut *Future }

func (fieldAccess) Name() string { return "fieldaccess" }

func (fieldAccess) Doc() string {
	return "what may be read and written from here until the function returns"
}

// At implements Analysis.
func (a fieldAccess) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, n := range a.fut.Sets.Elems(a.fut.Before(instr)) {
		facts = append(facts, Fact{Text: a.fut.Acc.String(n)})
	}
	return sortFacts(facts)
}

// sortFacts sorts by text, position and reason, and removes repeats.
func sortFacts(facts []Fact) []Fact {
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(facts)
}

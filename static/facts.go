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
	b := NewBase(p)
	accesses, unheld := NewFieldAccess(b), NewUnheld(b)
	return []Analysis{accesses, NewMayWait(b), NewMustWait(b, accesses), NewMustLock(b), NewMustJoin(b), NewMayNotify(b),
		NewFutureAlloc(b), NewGuardedBy(b, unheld), NewMinPrefix(b), unheld}
}

// sortFacts sorts by text, position and reason, and removes repeats.
func sortFacts(facts []Fact) []Fact {
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(facts)
}

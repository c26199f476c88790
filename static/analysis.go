package static

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Fact is a result of an analysis about a program point.
type Fact struct {
	// Text is the fact in words: "write field f of S", "lock s.mu".
	Text string
	// Pos is the place in the source that the fact comes from, or token.NoPos if there are several.
	Pos token.Pos
	// Of is the end of Text, if Text ends with the class of the fact's locations.
	Of string
	// Why is the reason if Text does not hold: "written at x.go:31 without s.mu".
	Why string
}

// An Analysis has facts about every point of a program.
type Analysis interface {
	// Name is one lower-case word by which users select the analysis.
	Name() string
	// Doc is one line about the meaning of the facts.
	Doc() string
	// At returns the facts about the point before instr, sorted and without repeats. The function of instr
	// need not have been analysed before.
	At(instr ssa.Instruction) []Fact
}

// Analyses returns all analyses of b's program, in the order in which they are documented. They share b,
// and compute facts on demand.
func Analyses(b *Base) []Analysis {
	accesses, unheld := NewFieldAccess(b), NewForeignUnlock(b)
	return []Analysis{accesses, NewMayWait(b), NewMustWait(b, accesses), NewMustLock(b), NewMustJoin(b), NewMayNotify(b),
		NewFutureAlloc(b), NewGuardedBy(b, unheld), NewMinPrefix(b), unheld}
}

// Only restricts facts to accesses that also occur in fns themselves. Otherwise each call of a print
// function would have facts about everything that package fmt reads.
func (b *Base) Only(fns []*ssa.Function) {
	var list []int
	note := func(events []Event) {
		for i := range events {
			e := &events[i]
			if e.Kind != AccessEvent || b.Acc.At(e.N).Key == 0 || b.Acc.isSync(e.N) {
				continue
			}
			if !temporary(e.Instr) && !strings.HasSuffix(b.Acc.String(e.N), " in varargs") {
				list = append(list, e.N)
			}
		}
	}
	for _, fn := range fns {
		if fn = b.Prog.Body(fn); fn == nil {
			continue
		}
		for _, nodes := range b.skeletonOf(fn).blocks {
			for i := range nodes {
				note(nodes[i].events)
			}
		}
	}
	b.only, b.limited = b.Sets.Of(list...), true
	b.onlyKeys = map[int]bool{}
	for _, n := range list {
		b.onlyKeys[b.Acc.At(n).Key] = true
	}
}

// temporary reports whether instr accesses a variable that no other function can reach, or the array of the
// arguments of a variadic call.
func temporary(instr ssa.Instruction) bool {
	var addr ssa.Value
	switch i := instr.(type) {
	case *ssa.Store:
		addr = i.Addr
	case *ssa.UnOp:
		addr = i.X
	}
	a, ok := origin(addr).(*ssa.Alloc)
	return ok && (!a.Heap || a.Comment == "varargs")
}

// reports reports whether facts may be about access n.
func (b *Base) reports(n int) bool { return !b.limited || b.Sets.Has(b.only, n) }

// reportsClass is reports for all accesses to the locations of n together.
func (b *Base) reportsClass(n int) bool { return !b.limited || b.onlyKeys[b.Acc.At(n).Key] }

// Accesses returns the accesses of instr itself.
func (b *Base) Accesses(instr ssa.Instruction) []Fact {
	var facts []Fact
	nodes := b.skeletonOf(instr.Parent()).blocks[instr.Block().Index]
	for i := range nodes {
		if nodes[i].instr != instr {
			continue
		}
		for _, e := range nodes[i].events {
			if e.Kind == AccessEvent && b.reports(e.N) && !temporary(instr) {
				facts = append(facts, Fact{Text: b.Acc.String(e.N), Pos: instr.Pos()})
			}
		}
	}
	return sortFacts(facts)
}

// sortFacts sorts by text, position and reason, and removes repeats.
func sortFacts(facts []Fact) []Fact {
	slices.SortFunc(facts, func(a, b Fact) int {
		return cmp.Or(
			cmp.Compare(a.Text, b.Text), cmp.Compare(a.Pos, b.Pos),
			cmp.Compare(a.Why, b.Why), cmp.Compare(a.Of, b.Of),
		)
	})
	return slices.Compact(facts)
}

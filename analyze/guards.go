package analyze

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
)

// Overall implements Analysis. For each field that is sometimes accessed with a lock held, it
// determines whether this is always so, for all entries together. The fact has the position of the
// field's declaration.
func (f *future) Overall() []Fact {
	a, ok := f.a.(*static.GuardedBy)
	if !ok {
		return nil
	}
	var roots []*ssa.Function
	for _, e := range f.p.Entries {
		if e.Kind == load.Library {
			for _, m := range e.Exports {
				if fn, ok := m.(*ssa.Function); ok {
					roots = append(roots, fn)
				}
			}
		} else {
			roots = append(roots, e.Func)
		}
	}
	var list []Fact
	for _, x := range a.Together(roots) {
		pos := x.Decl
		if pos == token.NoPos {
			pos = x.Pos
		}
		if pos == token.NoPos || !f.p.shown(f.p.packageAt(pos)) {
			continue
		}
		fact := Fact{Analysis: f.Name(), Pos: f.p.position(pos), Text: x.Text}
		if x.Why != "" {
			fact.No = true
			fact.Text = negate(x.Text) + ": " + x.Why
			fact.Notes = []Note{{Pos: f.p.position(x.Pos), Text: x.Why}}
		}
		list = append(list, fact)
	}
	return list
}

package bug

import (
	"go/token"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A race is found in one of two ways. Either two conflicting accesses are both pending, so that each can
// come first; or a machine that tracks the happens-before relation notices, after an access, that an
// earlier one is not ordered with it. Then the schedule ends with the second access.

// Noticed returns the races whose second access was the last step, except those in known. It adds them to
// known, unless known is nil.
func Noticed(m describe.Machine, known map[describe.RaceID]bool) []*Bug {
	f, ok := m.(describe.RaceFinder)
	if !ok || !f.Raced() {
		return nil
	}
	var bugs []*Bug
	for i, id := range f.RaceIDs() {
		if known[id] {
			continue
		}
		if known != nil {
			known[id] = true
		}
		b := newRace(f.RaceSides(i))
		b.StepsApart = true
		bugs = append(bugs, b)
	}
	return bugs
}

// Pending describes a race between two pending operations; a is executed first.
func Pending(m describe.Machine, a, b trace.Op) *Bug {
	return newRace(describe.AccessOf(m, a, &b), describe.AccessOf(m, b, &a))
}

// newRace describes a race; x is executed before y.
func newRace(x, y describe.Access) *Bug {
	b := &Bug{Kind: Race, Loop: -1, Accesses: &[2]describe.Access{x, y}}
	// The name of a race does not depend on which access is executed first.
	first, second := x, y
	if less(second.Pos, first.Pos) || first.Pos == second.Pos && second.Writes && !first.Writes {
		first, second = second, first
	}
	d := Conflict{What: first.What, First: first.Verb(), Second: second.Verb()}
	if p := second.Pos; p.Line != first.Pos.Line || p.Filename != first.Pos.Filename {
		d.At = token.Position{Filename: p.Filename, Line: p.Line}
	}
	b.Detail, b.Pos, b.Site, b.G = d, first.Own, first.Pos, first.Name
	b.Related = []describe.Related{{Pos: second.Own, Role: describe.RoleConflicts, Goroutine: second.Name, Access: second.Verb(), Func: second.Func}}
	return b
}

// FindRace returns a wanted race that shows in the present state, between two pending operations or
// after the last step; nil if there is none.
func FindRace(m describe.Machine, wanted func(*Bug) bool) *Bug {
	for _, b := range Noticed(m, nil) {
		if wanted(b) {
			return b
		}
	}
	if m.Status() != por.Running {
		return nil
	}
	var ops []trace.Op
	for _, g := range m.Enabled(nil) {
		op := m.Next(g)
		for _, o := range ops {
			if o.Races(&op) {
				if b := Pending(m, o, op); wanted(b) {
					return b
				}
			}
		}
		ops = append(ops, op)
	}
	return nil
}

func less(a, b token.Position) bool {
	if a.Filename != b.Filename {
		return a.Filename < b.Filename
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Column < b.Column
}

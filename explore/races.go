package explore

import (
	"fmt"
	"path/filepath"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Races show in two ways: two goroutines stand before accesses that conflict,
// so that either can come first; or a machine that follows the happens-before
// relation notices, behind an access, that nothing orders it and an earlier
// one. The second kind of schedule ends with the second access.

// A raceFinder is a Machine that notices races itself.
type raceFinder interface {
	por.Racer
	// RaceIDs names the races that the step executed last was the second access
	// of: the same race, met again, has the same name.
	RaceIDs() []RaceID
	// RaceSides describes the i-th of them, the earlier access first.
	RaceSides(i int) (first, second Access)
}

// A RaceID names a race by what the machine knows of its sides.
type RaceID struct {
	sites  [2]uint32
	kinds  [2]trace.Kind
	writes [2]bool
}

// finished returns the races that the step executed last was the second access
// of, except those that known, if not nil, already has; it adds them.
func finished(m Machine, known map[RaceID]bool) []*Bug {
	f, ok := m.(raceFinder)
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
		b.Apart = true
		bugs = append(bugs, b)
	}
	return bugs
}

// raceBug describes the two operations that are next in their goroutines. a
// is the one that will be told first.
func raceBug(m Machine, a, b trace.Op) *Bug {
	return newRace(access(m, a, &b), access(m, b, &a))
}

// newRace describes a race; x will be told, or was, before y.
func newRace(x, y Access) *Bug {
	bug := &Bug{Kind: Race, Loop: -1, Accesses: &[2]Access{x, y}}
	// The name of a race does not depend on who is first.
	first, second := x, y
	if less(second.Pos, first.Pos) || first.Pos == second.Pos && second.Writes && !first.Writes {
		first, second = second, first
	}
	what := ""
	if first.What != "" {
		what = " on " + first.What
	}
	bug.Message = fmt.Sprintf("data race%s: %s and %s", what, first.Verb(), second.Verb())
	if p := second.Pos; p.Line != first.Pos.Line || p.Filename != first.Pos.Filename {
		bug.Message += fmt.Sprintf(" at %s:%d", filepath.Base(p.Filename), p.Line)
	}
	bug.Pos, bug.G = first.Pos, first.Name
	bug.Related = []Related{{second.Pos, "concurrent " + second.Verb() + " in " + ShortFunc(second.Func)}}
	return bug
}

// findAccesses finds the events of a race's accesses: the last ones at their
// places. A meeting is an event of one of the goroutines only.
func (b *Bug) findAccesses() {
	if b.Kind != Race {
		return
	}
	end := len(b.Events)
	for i := 1; i >= 0; i-- {
		b.AccessEvents[i] = -1
		for j := end - 1; j >= 0; j-- {
			if e := &b.Events[j]; !e.Blocked && e.G == b.Accesses[i].G && e.Pos == b.Accesses[i].Pos {
				b.AccessEvents[i], end = j, j
				break
			}
		}
	}
}

// access describes op, which conflicts with other.
func access(m Machine, op trace.Op, other *trace.Op) Access {
	a := Access{Event: m.Describe(op.G), Parent: trace.NoGID}
	for i := range op.N {
		for j := range other.N {
			x, y := op.Access[i], other.Access[j]
			if (x.Write || y.Write) && x.Overlaps(y) {
				a.Writes = a.Writes || x.Write
				a.Addr = address(x.Obj, max(x.Off, y.Off))
			}
		}
	}
	for _, g := range m.Goroutines() {
		if g.ID == op.G {
			a.Stack, a.Parent, a.Created = g.Stack, g.Parent, g.Created
		}
	}
	return a
}

// address makes up an address that looks like one of the Go heap.
func address(obj, off uint32) uint64 { return 0xc000000000 + uint64(obj)<<12 + uint64(off) }

// Verb tells what a does, in a word that fits behind "concurrent".
func (a *Access) Verb() string {
	switch {
	case a.Kind == trace.Close:
		return "close"
	case a.Kind == trace.Send:
		return "send"
	case a.Kind == trace.WgAdd:
		return "WaitGroup.Add"
	case a.Kind == trace.WgWait:
		return "WaitGroup.Wait"
	case a.Writes && !a.Kind.Plain():
		return "atomic write"
	case !a.Kind.Plain():
		return "atomic read"
	case a.Writes:
		return "write"
	}
	return "read"
}

// findRace looks for the race called k in the present state: between two
// operations that are next, or behind the step executed last.
func findRace(m Machine, k key) *Bug {
	for _, b := range finished(m, nil) {
		if b.key() == k {
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
				if b := raceBug(m, o, op); b.key() == k {
					return b
				}
			}
		}
		ops = append(ops, op)
	}
	return nil
}

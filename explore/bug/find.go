package bug

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Find returns a wanted bug of kind k that shows in the present state of m, or nil.
func Find(m describe.Machine, k Kind, wanted func(*Bug) bool) *Bug {
	if k == Race {
		return FindRace(m, wanted)
	}
	var bugs []*Bug
	switch st := m.Status(); {
	case st == por.Ended || st == por.Stuck:
		bugs, _ = AtLeaf(m, st, m.Ending(), nil)
	case k == Leak || k == Deadlock:
		bugs = Forgotten(m, nil)
	case k == Failure: // goroutines loop forever beside it
		end := m.Ending()
		bugs = Faults(m, &end)
	}
	if i := slices.IndexFunc(bugs, wanted); i >= 0 {
		return bugs[i]
	}
	return nil
}

// Shown returns b as it shows in the present state of m; nil if it does not.
func Shown(m describe.Machine, b *Bug) *Bug {
	k := b.Key()
	return Find(m, b.Kind, func(x *Bug) bool { return x.Key() == k })
}

// Reproduced reports whether b shows in the present state of m, at the end of a simpler execution. If the
// execution of b lacked nothing, the simpler one must not lack anything: that could be why it fails.
func Reproduced(m describe.Machine, b *Bug) bool {
	x := Shown(m, b)
	//mutant: a simpler schedule may lack something [test ./cmd/hbcheck TestScripts/arguments]: "x.Lacks == vm.LackNothing" -> "true"
	return x != nil && (b.Lacks != vm.LackNothing || x.Lacks == vm.LackNothing)
}

package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
)

// find returns a wanted bug of kind k that shows in the present state of m, or nil.
func find(m describe.Machine, k Kind, wanted func(*Bug) bool) *Bug {
	if k == Race {
		return findRace(m, wanted)
	}
	var bugs []*Bug
	switch st := m.Status(); {
	case st == por.Ended || st == por.Stuck:
		bugs, _ = leafBugs(m, st, m.Ending(), nil)
	case k == Leak || k == Deadlock:
		bugs = forgottenBugs(m, nil)
	case k == Failure: // goroutines loop forever beside it
		end := m.Ending()
		bugs = faultBugs(m, &end)
	}
	if i := slices.IndexFunc(bugs, wanted); i >= 0 {
		return bugs[i]
	}
	return nil
}

// shown returns b as it shows in the present state of m; nil if it does not.
func shown(m describe.Machine, b *Bug) *Bug {
	k := b.key()
	return find(m, b.Kind, func(x *Bug) bool { return x.key() == k })
}

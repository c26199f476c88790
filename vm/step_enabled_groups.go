package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Goroutines that wait at one word for the same: a thousand that want one lock are all enabled when it is
// unlocked, and all disabled when one of them has taken it. A group has them as a set of ranks, as an
// enabledSet has its members, so that one look at one of them decides for all.

// alike are the kinds of operations that, at one word, are all enabled or all disabled, if all of their
// goroutines have parked, or none.
const alike = trace.Kinds(1<<trace.Send | 1<<trace.Recv | 1<<trace.Lock | 1<<trace.RLock)

// join adds g, which waits for operation k, to the group at w of those that are alike.
func (w *waiting) join(g *goroutine, k trace.Kind) {
	i := slices.IndexFunc(w.groups, func(y *group) bool { return y.kind == k && y.parked == g.parked })
	if i < 0 {
		i = len(w.groups)
		w.groups = append(w.groups, &group{kind: k, parked: g.parked})
	}
	y := w.groups[i]
	y.n++
	y.add(g)
	g.member.groups = append(g.member.groups, y)
}

func (y *group) add(g *goroutine) {
	r := g.member.rank
	for r/64 >= len(y.ranks) {
		y.ranks = append(y.ranks, 0)
	}
	y.ranks[r/64] |= 1 << (r % 64)
}

// leave removes g from its groups.
func (x *membership) leave() {
	for _, y := range x.groups {
		y.n--
		y.ranks[x.rank/64] &^= 1 << (x.rank % 64)
	}
	x.groups = x.groups[:0]
}

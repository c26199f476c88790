package mhb

import (
	"hbcheck.dev/hbcheck/trace"
)

// A step changes one goroutine, or two that communicate, and some words. So the result for most goroutines
// is the same as in the state before, and often the same for different questions in one state. Therefore
// the last results of each goroutine are kept with their dependences. Registers and deferred calls stay the
// same as long as the goroutine does not move (State.Stamp), so the result depends only on a few words and
// channels besides.
//
//	path in the tree    register? ─ word? ─ register? ─ deferred? ─ word? ─▶ leaf
//	asked again                     word?                           word?
type recent struct {
	stamp uint64 // stamp of the goroutine; all results in kept have this stamp
	kept  []kept // the last one first
}

// kept is a result.
type kept struct {
	leaf    *summary
	canMove bool
	moment  uint64 // identifies the state in which deps were found to hold
	deps    []dep  // on the state
	others  []dep  // on the goroutine in question, and on the round
}

// mostKept bounds the results that are kept for a goroutine that does not move. Results differ because in
// different questions other goroutines enable different operations.
const mostKept = 4

// A dep is a question that is not about the goroutine itself, without names of private objects, and its
// answer.
type dep struct {
	q question
	a answer
}

// recentOf returns the last results of g, in the first round or in later ones.
func (o *Oracle) recentOf(t *target, g trace.GID, later bool) *recent {
	i := int(g) * 2
	if later {
		i++
	}
	if i >= len(t.recent) {
		t.recent = append(t.recent, make([]*recent, i+2-len(t.recent))...)
	}
	if t.recent[i] == nil {
		t.recent[i] = new(recent)
		o.nodes++
	}
	return t.recent[i]
}

// again returns one of the last results of g if it is that of the present state, or nil.
//
// Claim: it is the result that following the tree would give, because each answer on the path is the same.
// Answers about registers, deferred calls, and the channel that a goroutine is about to close are the same
// because the stamp is equal; all other questions are asked again. Names of private objects are the same,
// too: only a step of g can let another goroutine reach such an object, and only undoing that step can make
// the object private again.
func (o *Oracle) again(s State, tc, g trace.GID, found []*summary, r *recent, canMove bool) *summary {
	//mutant: recent: goroutines stay [micro foreignUnlock]: false
	if r.stamp != s.Stamp(g) {
		return nil
	}
	now := s.Moment()
	for i := range r.kept {
		k := &r.kept[i]
		//mutant: recent: words stay [micro recovers]: "k.moment != now && !o.holds(s, tc, g, found, k.deps)" -> "false"
		if k.canMove != canMove || k.moment != now && !o.holds(s, tc, g, found, k.deps) {
			continue
		}
		k.moment = now
		//mutant: recent: others stay [micro pointerChangesLater]: true
		if o.holds(s, tc, g, found, k.others) {
			leaf := k.leaf
			if i > 0 {
				r.kept[0], r.kept[i] = r.kept[i], r.kept[0]
			}
			return leaf
		}
	}
	return nil
}

// holds reports whether all questions have the same answers again.
func (o *Oracle) holds(s State, tc, g trace.GID, found []*summary, deps []dep) bool {
	for i := range deps {
		if d := &deps[i]; o.answer(s, tc, g, found, d.q, nil) != d.a {
			return false
		}
	}
	return true
}

// note records that leaf is the result of g, with its dependences.
func (r *recent) note(s State, g trace.GID, leaf *summary, canMove bool, deps []dep) {
	if now := s.Stamp(g); r.stamp != now {
		r.stamp, r.kept = now, r.kept[:0]
	}
	n := len(r.kept)
	if n < cap(r.kept) && n < mostKept {
		r.kept = r.kept[:n+1]
	} else if n < mostKept {
		r.kept = append(r.kept, kept{})
	} else {
		n--
	}
	r.kept[0], r.kept[n] = r.kept[n], r.kept[0]
	k := &r.kept[0]
	k.leaf, k.canMove, k.moment = leaf, canMove, s.Moment()
	k.deps, k.others = k.deps[:0], k.others[:0]
	for _, d := range deps {
		switch d.q.kind {
		case askStable, askParked, askEnabled, askEmptyNoSender, askFullNoReceiver:
			k.others = append(k.others, d)
		default:
			k.deps = append(k.deps, d)
		}
	}
}

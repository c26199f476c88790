package static

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// FirstAccess is an analysis of the operations that are passed before the first access of each class (SPIN
// 2014, sections 4.2 and 4.3, items I1 and I4).
type FirstAccess struct {
	*Engine[Before]
	d         *beforeDomain
	name, doc string
}

// NewMustLock returns the must-lock analysis (section 4.3): the locks that are
// acquired on every path before the first access of a class.
//
// Transfer: Lock(m) adds m, with its mode; an access of c makes the set of c empty; Unlock does not remove,
// because a lock that was acquired and released has blocked, too. TryLock adds nothing: it does not block.
// An access of a new goroutine comes after the locks acquired before the go statement and those that the
// goroutine itself acquires. Cond.Wait acquires its Locker again.
//
// Guarantee: a goroutine that is about to make such an access has executed Lock on each of the mutexes
// since this point. Locks without a name are left out.
func NewMustLock(b *Base) *FirstAccess {
	return newFirstAccess(b, "mustlock", "locks acquired on every path from here before the first access of a class", true, LockEvent)
}

// NewMustJoin returns the must-join analysis (section 4.3 with join): the
// WaitGroups waited for, channels received from or sent to, and Onces passed, on
// every path before the first access of a class. The code after a case of a select statement has passed
// that case; the path of another case has not.
func NewMustJoin(b *Base) *FirstAccess {
	return newFirstAccess(b, "mustjoin", "WaitGroups, channels and Onces waited for on every path from here before the first access of a class", true,
		JoinEvent, RecvEvent, SendEvent, OnceEvent)
}

// NewMayWait returns the may-wait analysis (section 4.2): the condition variables
// and channels that may be waited for before the first access of a class.
// Objects without a name are part of it.
func NewMayWait(b *Base) *FirstAccess {
	return newFirstAccess(b, "maywait", "condition variables and channels that may be waited for from here before the first access of a class", false,
		WaitEvent, RecvEvent, SendEvent)
}

func newFirstAccess(b *Base, name, doc string, must bool, kinds ...EventKind) *FirstAccess {
	d := newBefore(b, must, func(_ *Objects, e *Event) (Object, bool) {
		for _, k := range kinds {
			if e.Kind == k {
				return Object{Kind: k, Mode: e.Mode, Path: e.Path}, true
			}
		}
		return Object{}, false
	})
	return &FirstAccess{NewEngine[Before](b, d), d, name, doc}
}

// Of returns the operations that are passed before the accesses for which touches holds: on all paths to
// them, or for a may analysis on any. It reports false if no such access can be reached.
func (a *FirstAccess) Of(v Before, touches func(access int) bool) (Set, bool) {
	s, any := Empty, false
	for _, g := range a.d.firsts[v.First] {
		for _, n := range a.base.Sets.Elems(g.Accesses) {
			if !touches(n) {
				continue
			}
			if !any {
				s, any = g.Passed, true
			} else {
				s = a.d.meet(s, g.Passed)
			}
			break // the others of the group have the same set
		}
	}
	return s, any
}

// Groups returns the accesses that can be reached, grouped by the objects passed before.
func (a *FirstAccess) Groups(v Before) []Group { return a.d.firsts[v.First] }

// Objects returns the object of each number in the sets.
func (a *FirstAccess) Objects() *Objects { return a.d.objs }

// Name implements Analysis.
func (a *FirstAccess) Name() string { return a.name }

// Doc implements Analysis.
func (a *FirstAccess) Doc() string { return a.doc }

// At implements Analysis.
func (a *FirstAccess) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, g := range a.d.firsts[a.total(a.Before(instr)).First] {
		if g.Passed == Empty {
			continue
		}
		var objs []string
		for _, n := range a.base.Sets.Elems(g.Passed) {
			objs = append(objs, a.d.objs.String(n))
		}
		slices.Sort(objs)
		for _, n := range a.base.Sets.Elems(g.Accesses) {
			if !a.base.Acc.isSync(n) && a.base.reports(n) {
				what := a.base.Acc.String(n)
				facts = append(facts, Fact{Text: fmt.Sprintf("%s before %s", strings.Join(objs, ", "), what), Of: what})
			}
		}
	}
	return sortFacts(facts)
}

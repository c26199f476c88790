// Package patterns decides with the four happens-before patterns of the paper
// whether a scheduling choice is needed before an access (SPIN 2014, section 3),
// from the merged results of the static analyses and the live state, without
// walking any code.
//
// T_c and T_h are the goroutines that package mhb calls so. The pending operation of T_c
// is a plain access to location x: can another goroutine make a conflicting access while
// T_c does not move? For each T_h and each class of conflicting accesses in its future,
// one of the patterns has to show that it blocks first, or accesses something else:
//
//	1  wait and notify  before the first such access T_h waits for a condition
//	                    variable or channel on every path, and only T_c can
//	                    make any of those that it may wait for ready
//	2  locks            on every path it acquires a lock that is held now, and only
//	                    T_c can release it
//	3  lock on this     it makes all such accesses while it holds the lock that lies
//	                    at a fixed distance from what is accessed, and T_c holds the
//	                    lock at that distance from x
//	4  join             on every path it waits for a WaitGroup whose counter cannot
//	                    become zero, a channel or a Once, and only T_c can
//	                    enable it
//
// # Conditions
//
// The object of an operation must be certain: the paths of static facts are
// evaluated in the frames of the live stack, and only through memory that none of
// the others can write while T_c waits. A path that cannot be evaluated is omitted from must facts, and
// stands for any object in may facts.
//
// "Only T_c can" means: no other goroutine that exists now, and none that these start, can do it in its whole
// future. (The closure of package mhb is more precise: it considers their futures only up to the places where
// they block.) Goroutines that T_c has yet to start do not exist while it waits.
//
// Deviations from the paper, without which the patterns would be wrong for Go: Two writes conflict.
// Any goroutine can unlock a mutex, so a goroutine that unlocks a mutex that it has not locked
// itself makes patterns 2 and 3 void for that mutex. Only a writer's lock counts as held, because
// readers let readers pass. A channel operation blocks only if the channel is not ready now. A
// WaitGroup is waited for by number, so all other goroutines together must not be able to bring its
// counter to zero.
//
// Soundness: a skipped choice needs that {T_c} is a persistent set (Godefroid,
// 1996). Take the first conflicting access in an execution without T_c. By 1, 2 or 4, T_h has passed an
// operation that is disabled now; one of the others has enabled it, but no future has such an operation. By
// 3, T_h holds a lock that T_c holds now; so one of the others must have released it.
package patterns

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// The reasons for which choices are skipped, apart from fieldaccess.Reason. If
// there are several the first in this order is reported.
const (
	Wait    = "wait"    // pattern 1
	Guard   = "guard"   // pattern 3
	Lock    = "lock"    // pattern 2
	Receive = "receive" // pattern 4 with channels
	Send    = "send"
	Once    = "once"
	Join    = "join"  // pattern 4
	Fresh   = "fresh" // all such accesses are to objects that do not exist yet
)

var reasons = []string{Wait, Guard, Lock, Receive, Send, Once, Join, Fresh}

// reasonFor names what blocks.
var reasonFor = map[static.EventKind]string{
	static.WaitEvent: Wait, static.LockEvent: Lock, static.RecvEvent: Receive, static.SendEvent: Send,
	static.OnceEvent: Once, static.JoinEvent: Join,
}

// Oracle answers questions about one program.
type Oracle struct {
	fa   *fieldaccess.Oracle
	prog mhb.Program
	base *static.Base

	locks, joins, waits *static.FirstAccess
	must                *static.MustWait
	notify              *static.MayNotify
	prefix              *static.MinPrefix
	unheld              *static.ForeignUnlock
	guarded             *static.GuardedBy

	onLocks, onJoins, onWaits *hybrid.Merger[static.Before]
	onMust, onNotify, onGuard *hybrid.Merger[static.May]
	onPrefix                  *hybrid.Merger[static.Prefix]
	onUnheld                  *hybrid.Merger[static.Unlocks]

	// foreign: a goroutine may unlock what another one has locked. Then a goroutine may no longer hold a
	// mutex that it has locked earlier.
	foreign bool

	classes map[fieldaccess.Location]class
}

// class is the set of accesses that conflict with a location. It was computed when the table of accesses had
// size entries.
type class struct {
	set  static.Set
	size int
}

// New returns an oracle on top of the field access analysis. base belongs to the same program, which begins
// with entry.
func New(fa *fieldaccess.Oracle, base *static.Base, prog mhb.Program, entry *ssa.Function) *Oracle {
	o := &Oracle{fa: fa, prog: prog, base: base, classes: map[fieldaccess.Location]class{}}
	o.locks, o.joins, o.waits = static.NewMustLock(base), static.NewMustJoin(base), static.NewMayWait(base)
	o.must = static.NewMustWait(base, nil)
	o.notify, o.prefix, o.unheld = static.NewMayNotify(base), static.NewMinPrefix(base), static.NewForeignUnlock(base)
	o.guarded = static.NewGuardedBy(base, o.unheld)
	o.onLocks = hybrid.NewMerger(base, o.locks.Engine)
	o.onJoins = hybrid.NewMerger(base, o.joins.Engine)
	o.onWaits = hybrid.NewMerger(base, o.waits.Engine)
	o.onMust = hybrid.NewMerger(base, o.must.Engine)
	o.onNotify = hybrid.NewMerger(base, o.notify.Engine)
	o.onGuard = hybrid.NewMerger(base, o.guarded.Engine)
	o.onPrefix = hybrid.NewMerger(base, o.prefix.Engine)
	o.onUnheld = hybrid.NewMerger(base, o.unheld.Engine)
	all := o.unheld.Whole(entry)
	for _, x := range []static.Unlocks{all.Normal, all.Panic} {
		o.foreign = o.foreign || x.Unlocked != static.Empty || x.Foreign != static.Empty
	}
	return o
}

// conflicting returns the accesses that conflict with l.
func (o *Oracle) conflicting(l *fieldaccess.Location) static.Set {
	c, ok := o.classes[*l]
	if !ok || c.size != o.base.Acc.Len() {
		var list []int
		for n := range o.base.Acc.Len() {
			if o.fa.ConflictOne(n, l) {
				list = append(list, n)
			}
		}
		c = class{o.base.Sets.Of(list...), o.base.Acc.Len()}
		o.classes[*l] = c
	}
	return c.set
}

// Skip reports whether g may execute op, its pending operation, without a scheduling
// choice, and if so why; it returns "" if a choice is needed.
func (o *Oracle) Skip(s mhb.State, g trace.GID, op *trace.Op) string {
	if !op.Kind.Plain() {
		return ""
	}
	locs, ok := s.Locations(g, nil)
	if !ok {
		return ""
	}
	v := newView(o, s, g)
	used := map[string]bool{}
	for i := range locs {
		if !o.fa.Conflict(v.future, &locs[i]) {
			continue
		}
		if o.fa.Primitive(&locs[i]) { // a copy of a mutex
			return ""
		}
		addr := uint64(op.Access[i].Obj)<<32 | uint64(op.Access[i].Off)
		for _, th := range v.others {
			if !v.blocked(th, &locs[i], addr, used) {
				return ""
			}
		}
	}
	for _, r := range reasons {
		if used[r] {
			return r
		}
	}
	return fieldaccess.Reason
}

// blocked reports whether th makes no access that conflicts with location l at
// addr while T_c does not move.
func (v *view) blocked(th *goroutine, l *fieldaccess.Location, addr uint64, used map[string]bool) bool {
	o := v.o
	locks := v.o.onLocks.FutureOf(th)
	for _, g := range o.locks.Groups(locks) {
		// The table of accesses grows while functions are analysed.
		conflicts := o.base.Sets.Inter(g.Accesses, o.conflicting(l))
		if conflicts == static.Empty {
			continue
		}
		if r := v.any(th, o.locks.Objects(), g.Passed); r != "" {
			used[r] = true
			continue
		}
		for _, n := range o.base.Sets.Elems(conflicts) {
			r := v.joins(th, n)
			if r == "" {
				r = v.guards(th, n, l, addr)
			}
			if r == "" {
				r = v.waits(th, n)
			}
			if r == "" {
				return false
			}
			used[r] = true
		}
	}
	return true
}

// any returns a reason if one of the objects in set is certain to block th.
func (v *view) any(th *goroutine, objs *static.Objects, set static.Set) string {
	for _, n := range v.o.base.Sets.Elems(set) {
		if x := objs.At(n); v.disabled(th, x) {
			return reasonFor[x.Kind]
		}
	}
	return ""
}

// joins is pattern 4: th passes something that blocks it before access n.
func (v *view) joins(th *goroutine, n int) string {
	set, _ := v.passed(v.o.joins, v.o.onJoins.FutureOf(th), n)
	return v.any(th, v.o.joins.Objects(), set)
}

// passed returns the operations that are passed before access n.
func (v *view) passed(a *static.FirstAccess, x static.Before, n int) (static.Set, bool) {
	for _, g := range a.Groups(x) {
		if v.o.base.Sets.Has(g.Accesses, n) {
			return g.Passed, true
		}
	}
	return static.Empty, false
}

// waits is pattern 1: th waits before access n on every path, and all it may wait
// for blocks it.
func (v *view) waits(th *goroutine, n int) string {
	if v.o.base.Sets.Has(v.o.onMust.FutureOf(th).Set, n) {
		return ""
	}
	set, ok := v.passed(v.o.waits, v.o.onWaits.FutureOf(th), n)
	if !ok || set == static.Empty {
		return ""
	}
	for _, k := range v.o.base.Sets.Elems(set) {
		if !v.disabled(th, v.o.waits.Objects().At(k)) {
			return ""
		}
	}
	return Wait
}

// guards is pattern 3. Wherever th makes access n, it holds a lock at some distance from the
// accessed location; T_c holds a lock at the same distance from addr.
func (v *view) guards(th *goroutine, n int, l *fieldaccess.Location, addr uint64) string {
	//mutant: what guards an object guards against stacks [stacks]: false
	if v.o.base.Acc.At(n).Key == v.o.base.Acc.InspectKey() {
		return "" // the access is to no object, so no object is fresh
	}
	reason := Fresh
	v.o.guarded.Each(v.o.onGuard.FutureOf(th), func(x static.Guarded, guards []static.Guard) {
		if x.Access != n || reason == "" {
			return
		}
		reason = ""
		// Two locations that overlap, and have the same size and the same type, are equal.
		if l.Map != nil || v.o.base.Acc.Bytes(n) != l.Size {
			return
		}
		for _, g := range guards {
			if g.Global == static.Unknown && v.holds(addr+uint64(g.Distance)) {
				reason = Guard
			}
		}
	})
	return reason
}

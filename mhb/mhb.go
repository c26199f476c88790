// Package mhb decides with may-happen-before reasoning whether a scheduling choice is needed before
// an operation (SPIN 2014, sections 3 and 4). No choice is needed if each other goroutine with a
// conflicting operation in its future certainly blocks before it, until the goroutine in question
// has executed its operation.
//
// The terms are in docs/dev/glossary.md. The paper's names are used throughout. T_c, or tc, is
// the goroutine in question: its pending operation is the one before which a choice may be
// unnecessary. T_h is any other goroutine that has not ended; all of them together are the
// others.
//
// # The parked closure
//
// The paper has four patterns: wait and notify, locks, a lock on the accessed object itself, and join. Here
// one algorithm covers them. Suppose that T_c does not execute anything: which operations can the others
// execute? The remaining code of each T_h is interpreted abstractly from its live stack on (frames.go,
// calls.go, walk.go): every branch is taken, and the walk stops at operations that are disabled now and that
// no operation of the others enables. The same walks find the operations that enable others, so this is a
// least fixed point. It is computed from below, in rounds. In the first round all operations that are
// disabled now stay disabled. If a walk finds an operation that enables one at which another walk has
// stopped, all goroutines are walked again with the latter enabled.
//
//	T_c: x++, in question     mu is locked, c is empty
//	T_1: mu.Lock(); x = 0     T_2: <-c; mu.Unlock()     T_3: y = 1; c <- y
//
//	round 1   T_1 | mu.Lock()              stops at mu
//	          T_2 | <-c                    stops at c
//	          T_3   y = 1; c <- y          enables a receive from c
//	                 |
//	                 v
//	round 2   T_1 | mu.Lock()              stops at mu
//	          T_2   <-c; mu.Unlock()       enables a Lock of mu
//	          T_3    |    ...
//	                 v
//	round 3   T_1   mu.Lock(); x = 0       conflicts with x++: a choice is needed
//
// Without T_3 the first round would be the last one: no operation enables those at which T_1 and T_2 have
// stopped, so no choice is needed before x++.
//
// Soundness. Let E be an execution from the present state in which T_c executes nothing.
//
//  1. Suppose that some step of E was not reached by the walks of the last round, and
//     let s be the first such step, of goroutine T_h.
//  2. As a walk takes every branch, s is an operation at which the walk of T_h has
//     stopped, or comes after one.
//  3. That operation was disabled in the present state, and it is on a certain object.
//     So an earlier step of E has enabled it.
//  4. All earlier steps were reached, by 1, and what they can enable was noted. So there
//     would have been another round. This contradicts 1: all steps of E were reached.
//  5. No reached operation conflicts with T_c's operation. So no step of E does, and {T_c} is a persistent
//     set (Godefroid, 1996).
//
// Certain objects: an operand is evaluated in the goroutine's frame (eval.go). Registers that are live there
// are known, and so are addresses of fields and elements, and memory that none of the others can write while
// T_c waits.
//
// The paper asks before accesses to fields. Queries may also be for operations that synchronise: they need
// no choice either if no other goroutine can execute an operation that depends on them (conflict.go).
//
// Full adds two methods that no published system has. One is the heap reachability filter: accesses to memory
// that the others cannot reach while T_c waits need no choice; every path to such memory leads through fields
// that they cannot read (see State.Reaches). The other one: the possible values of an operand depend only on
// the writes of the others while T_c waits, not on all their later writes.
//
// # Answers are remembered
//
// A walk is a deterministic program that asks the state for registers and words of memory. Its questions
// and its result are kept in a decision tree (memo.go), so that in most states a query takes a few
// questions and interprets no code. Even fewer questions are needed about a goroutine that has not moved
// (recent.go).
package mhb

import (
	"slices"

	"go/types"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"

	"golang.org/x/tools/go/ssa"
)

// Program has the methods that the closure calls.
type Program interface {
	static.Program
	// ByValue reports whether free variable i of fn is captured by value.
	ByValue(fn *ssa.Function, i int) bool
	// Receivers returns the objects in which the receiver of a dynamic call may lie.
	Receivers(site ssa.CallInstruction) static.Set
	// Lockers returns the objects that may contain the mutex of a Cond. site is a call of the Cond's Wait.
	Lockers(site ssa.CallInstruction) static.Set
	// LockerField returns the mutex's place, off bytes from where base points to, if the mutex is always
	// beside the Cond.
	LockerField(site ssa.CallInstruction) (base ssa.Value, off int64, ok bool)
}

// A Level is a set of methods to try.
type Level uint8

const (
	Plain Level = iota // which goroutine blocks first
	Full               // and all the rest
)

// Unreachable is the reason for choices that the reachability filter makes unnecessary.
const Unreachable = "unreachable"

// Oracle answers questions about one program.
type Oracle struct {
	// Witness is set when Skip has found no reason. It is the instruction that another goroutine,
	// WitnessOf, may execute first, so that a choice is needed, or nil if it is not known.
	Witness   ssa.Instruction
	WitnessOf trace.GID
	// Looked is the number of goroutines that had to be examined, summed over all questions.
	Looked uint64
	// Copied are the objects from which the program copies values of package sync, or structs with
	// fields of such types. Operations on these objects conflict with plain accesses. With
	// AnyCopied they may be all objects.
	Copied    static.Set
	AnyCopied bool
	// Off lists the stages that are not used. It is set before the first question.
	Off Stages
	// Over, if set, is asked now and then during a question. If Over returns true, the answer is that a
	// choice is needed.
	Over func() bool

	level     Level
	fa        *fieldaccess.Oracle
	fut       *hybrid.Futures
	prog      Program
	flows     map[*ssa.Function]*flow
	ops       map[*ssa.Function]nativeOp
	numbers   map[*ssa.Function]uint64
	mayGoexit map[*ssa.Function]bool

	targets  map[targetKey]*target
	meeting  meeting     // reused buffers
	suspects []trace.GID // by goroutine: the other goroutine in its last conflict
	collect  *target
	nodes    int // number of nodes of the decision trees
	futures  map[[2]uint64]static.Set
	own      []ownFuture // by goroutine: its ownFuture
	stables  map[stableKey]bool
	recent   [256]stableAnswer // the answers of stables that were queried last
	direct   map[ssa.Instruction][]static.Access
	natives  map[nativeKey][]static.Access
	sizes    map[types.Type]int64
	offsets  map[*ssa.FieldAddr]uint64
	locks    map[*ssa.Function][]*ssa.Call
	renaming renaming // buffers
	deps     []dep
	now      stateCache
}

// over reports whether the answer is no longer needed.
func (o *Oracle) over() bool { return o.Over != nil && o.Over() }

// stateCache has results about the present state, for one call of Skip.
type stateCache struct {
	live      []trace.GID
	future    static.Set // accesses that the others may ever make
	hasFuture bool
	parked    static.Set // accesses that they can make while T_c waits
	list      []*summary // other findings about the goroutines
	reason    string
	isParked  bool // parked is known
	hasParked bool
	lists     [][]*summary // buffers, two for each closure that is being computed
	depth     int
}

// New returns an oracle on top of the field access analysis.
func New(level Level, fa *fieldaccess.Oracle, fut *hybrid.Futures, prog Program) *Oracle {
	o := &Oracle{
		level: level, fa: fa, fut: fut, prog: prog,
		flows:     map[*ssa.Function]*flow{},
		ops:       map[*ssa.Function]nativeOp{},
		numbers:   map[*ssa.Function]uint64{},
		mayGoexit: map[*ssa.Function]bool{},
		futures:   map[[2]uint64]static.Set{},
		stables:   map[stableKey]bool{},
		direct:    map[ssa.Instruction][]static.Access{},
		natives:   map[nativeKey][]static.Access{},
		sizes:     map[types.Type]int64{},
		offsets:   map[*ssa.FieldAddr]uint64{},
		locks:     map[*ssa.Function][]*ssa.Call{},
	}
	o.forget()
	return o
}

// forget drops the decision trees.
func (o *Oracle) forget() {
	o.nodes = 0
	o.targets = map[targetKey]*target{}
	o.collect = newTarget()
	o.collect.collects = true
}

// maxRounds bounds the fixed point iteration, maxWork the instructions that are interpreted for one
// goroutine; if a bound is reached a choice is made.
const (
	maxRounds = 5
	maxWork   = 20_000
)

// Skip returns the reason why g may execute op, its pending operation, without a scheduling choice, or "".
// The reason is fieldaccess.Reason if no other goroutine will ever do anything that conflicts with op. If the
// others block first, it names the operation at which they block: "wait" if it is Cond.Wait for one of them,
// else "lock", "receive", "send", "select" or "once", else "join". The reason can also be Unreachable.
func (o *Oracle) Skip(s State, g trace.GID, op *trace.Op) string {
	if !op.Kind.Plain() && (!skippable(op.Kind) && !communicates(op.Kind) || !o.has(SyncOps)) || op.N == 0 {
		return ""
	}
	if op.Kind == trace.Park {
		// If the lock is not locked this operation ends the program, and every other operation depends on
		// that.
		a := op.Access[op.N-1]
		if n, ok := s.Word(uint64(a.Obj)<<32 | uint64(a.Off)); !ok || n&1 == 0 {
			return ""
		}
	}
	if o.nodes > maxNodes {
		o.forget()
	}
	o.Witness, o.WitnessOf = nil, trace.NoGID
	o.now = stateCache{live: s.Live(o.now.live[:0]), list: o.now.list[:0], lists: o.now.lists}
	o.meeting.members = o.meeting.members[:0]
	if communicates(op.Kind) {
		return o.communication(s, g, op)
	}
	t := o.targetOf(s, g, op)
	//mutant: locks that are taken are not copied [micro lockCopied]: "slices.ContainsFunc(t.objs[:op.N], o.mayBeCopied)" -> "false"
	if !t.known || !op.Kind.Memory() && slices.ContainsFunc(t.objs[:op.N], o.mayBeCopied) {
		return ""
	}
	if op.Kind.Memory() && !o.conflicts(o.future(s, g), t) {
		return fieldaccess.Reason
	}
	if t.copies {
		return ""
	}
	if !op.Kind.Memory() && o.level < Full {
		// The walks for this operation would find the same.
		list, ok := o.closure(s, g, o.collect, func(x *summary) bool { return o.dependsOn(x, t) })
		if ok && !o.refuted(s, list, t) {
			return reason(list)
		}
		return ""
	}
	// The result for all operations may be enough for this one.
	reached, why, ok := o.parked(s, g)
	switch {
	case !ok:
		return ""
	//mutant: what is collected is independent [micro lockedForGood]: "(op.Kind.Memory() || !o.dependsOnOne(s, t))" -> "true"
	case !o.conflicts(reached, t) && (op.Kind.Memory() || !o.dependsOnOne(s, t)):
		return why
	}
	if list, ok := o.closure(s, g, t, nil); ok {
		return reason(list)
	}
	if o.level < Full || !op.Kind.Memory() || !o.has(HeapReachability) || o.fa.Inspects(reached) {
		return ""
	}
	var buf [2]uint32
	targets := buf[:0]
	for _, a := range op.Access[:op.N] {
		targets = append(targets, a.Obj)
	}
	if !s.Reaches(g, targets, reached) {
		return Unreachable
	}
	return ""
}

// copies reports whether locks in any objects may be copied or overwritten.
func (o *Oracle) copies() bool { return o.AnyCopied || o.Copied != static.Empty }

// mayBeCopied reports whether locks in the objects objs may be copied or overwritten.
func (o *Oracle) mayBeCopied(objs static.Set) bool {
	return o.AnyCopied || o.copies() && o.within(objs, o.Copied)
}

// parked returns the accesses that the others can make while tc waits, and the operation that blocks them.
// It returns false if they may execute unknown code.
func (o *Oracle) parked(s State, tc trace.GID) (static.Set, string, bool) {
	n := &o.now
	if !n.hasParked {
		list, ok := o.closure(s, tc, o.collect, nil)
		n.hasParked, n.isParked = true, ok
		if ok {
			n.reason = reason(list)
			n.list = append(n.list[:0], list...)
			last := static.Empty
			for _, x := range list {
				if x.reached != last {
					last, n.parked = x.reached, o.fut.F.Sets.Union(n.parked, x.reached)
				}
			}
		}
	}
	return n.parked, n.reason, n.isParked
}

// dependsOnOne reports whether t, a synchronising operation, fails to commute with an operation that the
// others can execute while its goroutine waits.
func (o *Oracle) dependsOnOne(s State, t *target) bool {
	for _, x := range o.now.list {
		if o.dependsOn(x, t) {
			return true
		}
	}
	return o.refuted(s, o.now.list, t)
}

// dependsOn reports whether t, a synchronising operation, fails to commute with an operation that a
// goroutine can execute.
func (o *Oracle) dependsOn(x *summary, t *target) bool {
	for i := range x.syncs {
		if o.dependent(t, &x.syncs[i]) {
			o.Witness = x.syncs[i].at
			return true
		}
	}
	return o.conflicts(x.reached, t)
}

// reason returns the operation that blocks the goroutines.
func reason(list []*summary) string {
	r := ""
	for _, x := range list {
		r = rarer(r, x.reason)
	}
	if r == "" {
		return fieldaccess.Reason
	}
	return r
}

// future returns the accesses that goroutines other than tc may ever make.
func (o *Oracle) future(s State, tc trace.GID) static.Set {
	n := &o.now
	if n.hasFuture {
		return n.future
	}
	last := static.Empty // the set added last to n.future: goroutines that wait for the same event share it
	for _, g := range n.live {
		if g == tc {
			continue
		}
		if f := o.futureOf(s, g); f != last {
			last, n.future = f, o.fut.F.Sets.Union(n.future, f)
		}
	}
	n.hasFuture = true
	return n.future
}

// ownFuture is the future of one goroutine, as long as it does not move.
type ownFuture struct {
	stamp uint64
	set   static.Set
}

// futureOf returns the accesses that g may ever make.
func (o *Oracle) futureOf(s State, g trace.GID) static.Set {
	for int(g) >= len(o.own) {
		o.own = append(o.own, ownFuture{})
	}
	own, now := &o.own[g], s.Stamp(g)
	if own.stamp != now {
		k := s.StackFingerprint(g)
		f, ok := o.futures[k]
		if !ok {
			f = o.fut.FutureOf(s.Stack(g))
			o.futures[k] = f
		}
		*own = ownFuture{now, f}
	}
	return own.set
}

// stableKey is a word of memory, and the accesses that others may make.
type stableKey struct {
	Identity
	off uint32
	set static.Set
}

// stableAnswer is the result of stable for a key.
type stableAnswer struct {
	stableKey
	known, yes bool
}

// stable reports whether none of the others can write the word at p: ever, or
// while tc waits.
func (o *Oracle) stable(s State, tc trace.GID, p uint64, parked bool) bool {
	set := static.Empty
	if parked {
		ok := false
		if set, _, ok = o.parked(s, tc); !ok {
			return false
		}
	} else {
		set = o.future(s, tc)
	}
	k := stableKey{s.Identity(uint32(p >> 32)), uint32(p), set}
	last := &o.recent[(p>>32*31+p>>3)%uint64(len(o.recent))]
	if last.known && last.stableKey == k {
		return last.yes
	}
	r, ok := o.stables[k]
	if !ok {
		l, known := s.LocationAt(p, 8)
		l.Stored = true
		r = known && !o.fa.Conflict(set, &l)
		o.stables[k] = r
	}
	*last = stableAnswer{k, true, r}
	return r
}

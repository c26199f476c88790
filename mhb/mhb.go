// Package mhb decides with may-happen-before reasoning whether a scheduling
// choice is needed before an operation (SPIN 2014, sections 3 and 4): though
// another goroutine has a conflicting operation in its future, it may be certain
// to block first, until the goroutine in question has moved on.
//
// The paper has four patterns for this: wait and notify, locks, a lock on the
// accessed object itself, and join. Here one algorithm covers them, the parked
// closure: suppose goroutine Tc stays where it is. What can the others do?
// Walk the code ahead of each of them, from its live stack, and stop at
// operations that are disabled now and that nothing the others can do enables.
// What they can enable is found on the same walk, so this is a least fixed
// point, computed from below: first nothing is enabled; if the walk finds an
// operation that enables one of those it stopped at, it is walked again with
// that known.
//
// Soundness: consider any execution in which Tc does not move, and in it the
// first step that the walk did not reach. It follows an operation at which the
// walk stopped. That was disabled in the present state and on a certain object;
// an earlier step enabled it, and all earlier steps were reached by the walk,
// which noted what they can enable. Contradiction. So no conflicting operation
// happens while Tc waits, and {Tc} is a persistent set (Godefroid, 1996).
//
// Certain objects: an operand is evaluated in the goroutine's frame, through
// registers that are live there, addresses of fields and elements, and loads
// from memory that none of the others can write while Tc waits.
//
// With Full there are three things more that no published system has.
// Operations that synchronise need no choice either if nobody can meet them
// (conflict.go). Memory the others cannot get hold of while Tc waits needs none,
// because every path to it leads through fields they cannot read (the gateway
// lemma; see State.Reaches). And what an operand can be is narrowed by what the
// others can write while Tc waits, not by what they will ever write.
package mhb

import (
	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"

	"golang.org/x/tools/go/ssa"
)

// Program is what the closure asks of the program.
type Program interface {
	static.Program
	ByValue(fn *ssa.Function, i int) bool
}

// Level is how much is tried.
type Level uint8

const (
	Plain Level = iota // accesses to memory
	Full               // and all the rest
)

// Unreachable is the reason for choices that the gateway lemma makes unnecessary.
const Unreachable = "unreachable"

// Oracle answers questions about one program.
type Oracle struct {
	level   Level
	fa      *fieldaccess.Oracle
	fut     *hybrid.Futures
	prog    Program
	code    map[*ssa.Function]*flow
	ops     map[*ssa.Function]nativeOp
	numbers map[*ssa.Function]uint64

	roots   map[rootKey]*node
	nodes   int
	futures map[[2]uint64]static.Set
	leaves  []*leaf // what parked has returned

	shapeOf trace.GID // whose shape is known, during one call of Skip
	shapeIs [2]uint64
}

// New returns an oracle on top of the field access analysis.
func New(level Level, fa *fieldaccess.Oracle, fut *hybrid.Futures, prog Program) *Oracle {
	return &Oracle{
		level: level, fa: fa, fut: fut, prog: prog,
		code: map[*ssa.Function]*flow{}, ops: map[*ssa.Function]nativeOp{}, numbers: map[*ssa.Function]uint64{},
		roots: map[rootKey]*node{}, futures: map[[2]uint64]static.Set{},
	}
}

// maxRounds bounds the fixed point iteration, maxWork the instructions looked
// at for one question; beyond them a choice is made.
const (
	maxRounds = 5
	maxWork   = 20_000
)

// leaf is the result of a walk.
type leaf struct {
	reason  string     // why no choice is needed; empty if one is
	reached static.Set // the accesses the others can make while Tc waits, if all is false
	all     bool       // they may do anything
	num     int        // of what parked returns
}

// Skip reports whether g may execute op, the operation it stands before,
// without a scheduling choice, and if so why: fieldaccess.Reason if nobody will
// ever do anything that conflicts with it, or what the others are blocked at:
// "wait" if that is Cond.Wait for one of them, else "lock", "receive", "send",
// "select" or "once", else "join"; or Unreachable.
func (o *Oracle) Skip(s State, g trace.GID, op *trace.Op) string {
	o.shapeOf = trace.NoGID
	if !op.Kind.Plain() && (o.level < Full || !quietable(op.Kind)) {
		return ""
	}
	n := o.rootOf(s, g, op)
	l := o.recall(s, n)
	if l == nil {
		l = o.decide(s, g, op, n)
	}
	if l.reason != "" || o.level < Full || op.N == 0 || !memory(op.Kind) {
		return l.reason
	}
	if p := o.parked(s, g); !p.all {
		var targets []uint32
		for _, a := range op.Access[:op.N] {
			targets = append(targets, a.Obj)
		}
		if !s.Reaches(g, targets, p.reached) {
			return Unreachable
		}
	}
	return ""
}

// memory reports whether operations of kind k access memory that programs
// reach by its address.
func memory(k trace.Kind) bool {
	return k.Plain() || k == trace.AtomicLoad || k == trace.AtomicStore || k == trace.AtomicRMW
}

// decide finds the answer for op by walking, and writes it into the tree at n.
func (o *Oracle) decide(s State, g trace.GID, op *trace.Op, n *node) *leaf {
	v := &view{o: o, s: s, known: map[question]answer{}, at: n}
	l := &leaf{reason: o.try(v, g, op)}
	v.at.leaf = l
	return l
}

func (o *Oracle) try(v *view, g trace.GID, op *trace.Op) string {
	t := target{op: *op}
	if op.Kind == trace.Park && !condPark(v.s.Stack(g)) {
		return ""
	}
	if memory(op.Kind) {
		locs, ok := v.s.Locations(g, nil)
		if !ok {
			return ""
		}
		t.locs = locs
		for _, a := range op.Access[:op.N] {
			t.ranges = append(t.ranges, Range{uint64(a.Obj)<<32 | uint64(a.Off), uint64(a.Size)})
		}
		if !o.conflicts(o.future(v.s, g), &t) {
			return fieldaccess.Reason
		}
		if o.level == Full {
			// What is known for all operations may do for this one.
			if p := o.leaves[v.ask(question{kind: askParked, g: g}).x]; !p.all && !o.conflicts(p.reached, &t) {
				return p.reason
			}
		}
	}
	w := newWalk(o, v, g, &t)
	if !w.close() || w.conflict {
		return ""
	}
	if w.reason == "" {
		return fieldaccess.Reason
	}
	return w.reason
}

// condPark reports whether a goroutine stands before hbPark, where Cond.Wait
// begins, and not before parking in a channel.
func condPark(stack []hybrid.Frame) bool {
	if len(stack) == 0 || stack[0].Instr == nil {
		return false
	}
	c, ok := callOf(stack[0].Instr)
	return ok && c.StaticCallee() != nil && c.StaticCallee().String() == "sync.hbPark"
}

// parked returns what the others can do while g does not move. Its reason is
// what they are blocked at.
func (o *Oracle) parked(s State, g trace.GID) *leaf {
	n := o.rootOf(s, g, &trace.Op{})
	if l := o.recall(s, n); l != nil {
		return l
	}
	v := &view{o: o, s: s, known: map[question]answer{}, at: n}
	w := newWalk(o, v, g, nil)
	l := &leaf{all: !w.close() || w.conflict, reached: w.reached, reason: w.reason}
	if l.reason == "" {
		l.reason = fieldaccess.Reason
	}
	v.at.leaf = o.intern(l)
	return v.at.leaf
}

// intern returns the one leaf equal to l.
func (o *Oracle) intern(l *leaf) *leaf {
	for _, x := range o.leaves {
		if x.reason == l.reason && x.reached == l.reached && x.all == l.all {
			return x
		}
	}
	l.num = len(o.leaves)
	o.leaves = append(o.leaves, l)
	return l
}

// shape returns where the goroutines other than g stand.
func (o *Oracle) shape(s State, g trace.GID) [2]uint64 {
	if o.shapeOf != g {
		o.shapeOf, o.shapeIs = g, s.Shape(g)
	}
	return o.shapeIs
}

// future returns the accesses that goroutines other than g may ever make.
func (o *Oracle) future(s State, g trace.GID) static.Set {
	k := o.shape(s, g)
	f, ok := o.futures[k]
	if !ok {
		s.Others(g, func(stack []hybrid.Frame) bool {
			f = o.fut.F.Sets.Union(f, o.fut.Of(stack))
			return true
		})
		o.futures[k] = f
	}
	return f
}

// conflicts reports whether an access in set may conflict with t.
func (o *Oracle) conflicts(set static.Set, t *target) bool {
	for i := range t.locs {
		if o.fa.Conflict(set, &t.locs[i]) {
			return true
		}
	}
	return false
}

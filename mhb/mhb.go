// Package mhb decides with may-happen-before reasoning whether a scheduling
// choice is needed before an access (SPIN 2014, sections 3 and 4): though
// another goroutine has a conflicting access in its future, it may be certain
// to block first, until the goroutine in question has moved on.
//
// The paper has four patterns for this: wait and notify, locks, a lock on the
// accessed object itself, and join. Here one algorithm covers them, the parked
// closure: suppose goroutine Tc stays where it is. Which accesses can the
// others reach? Walk the code ahead of each of them, from its live stack,
// and stop at operations that are disabled now and that nothing the others can
// reach enables. What the others can enable is found on the same walk, so this
// is a least fixed point, computed from below: first nothing is enabled; if the
// walk finds an operation that enables one of those it stopped at, it is
// walked again with that known.
//
// Soundness: consider any execution in which Tc does not move, and in it the
// first step that the walk did not reach. It follows an operation at which the
// walk stopped. That was disabled in the present state and on a certain object;
// an earlier step enabled it, and all earlier steps were reached by the walk,
// which noted what they can enable. Contradiction. So no conflicting access
// happens while Tc waits, and {Tc} is a persistent set.
//
// Certain objects: an operand is evaluated in the goroutine's frame, through
// registers that are live there, addresses of fields, and loads from memory that
// none of the others can write while Tc waits.
package mhb

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// State is the present state as the closure needs it.
type State interface {
	fieldaccess.State
	// Live calls f for every goroutine that has not ended.
	Live(f func(g trace.GID))
	// Stack returns g's frames, innermost first; valid until the next call.
	Stack(g trace.GID) []hybrid.Frame
	// Register returns the first word of v in frame i of Stack(g).
	Register(g trace.GID, i int, v ssa.Value) (uint64, bool)
	// Deferred calls f for the deferred calls pending in frame i of Stack(g).
	Deferred(g trace.GID, i int, f func(fn *ssa.Function, args, captured []uint64))
	// Word returns the word of memory at p.
	Word(p uint64) (uint64, bool)
	// Silent reports whether the channel at p is open and empty and nobody stands
	// before sending to it.
	Silent(p uint64) bool
	// Address returns a package variable's.
	Address(g *ssa.Global) uint64
	// LocationAt returns the location of size bytes at address p.
	LocationAt(p uint64, size int64) (fieldaccess.Location, bool)
	// Addresses returns the address ranges of the operation g stands before.
	Addresses(g trace.GID) []Range
}

// A Range is size bytes of memory at an address.
type Range struct{ Addr, Size uint64 }

// Program is what the closure asks of the program.
type Program interface {
	static.Program
	ByValue(fn *ssa.Function, i int) bool
}

// Oracle answers questions about one program.
type Oracle struct {
	fa   *fieldaccess.Oracle
	fut  *hybrid.Futures
	prog Program
	code map[*ssa.Function]*flow
	ops  map[*ssa.Function]nativeOp
}

// New returns an oracle on top of the field access analysis.
func New(fa *fieldaccess.Oracle, fut *hybrid.Futures, prog Program) *Oracle {
	return &Oracle{fa: fa, fut: fut, prog: prog, code: map[*ssa.Function]*flow{}, ops: map[*ssa.Function]nativeOp{}}
}

// maxRounds bounds the fixed point iteration, maxWork the instructions looked
// at for one question; beyond them a choice is made.
const (
	maxRounds = 4
	maxWork   = 20_000
)

// Skip reports whether g may execute the plain operation it stands before
// without a scheduling choice, and if so why: fieldaccess.Reason, or the kinds
// of operations the others are blocked at: "wait" if one of them is Cond.Wait,
// else "lock" or "receive" if one is, else "join".
func (o *Oracle) Skip(s State, g trace.GID) string {
	if o.fa.Skip(s, g) {
		return fieldaccess.Reason
	}
	locs, ok := s.Locations(g, nil)
	if !ok {
		return ""
	}
	w := &walk{o: o, s: s, tc: g, locs: locs, ranges: s.Addresses(g)}
	for range maxRounds {
		w.begin()
		s.Live(func(id trace.GID) {
			if id != g && !w.conflict {
				w.goroutine(id)
			}
		})
		switch {
		case w.conflict || w.work > maxWork:
			return ""
		case !w.enables():
			return w.reason
		}
	}
	return ""
}

// flow is the control flow of a function as the walk needs it.
type flow struct {
	reach []map[int]bool // block → blocks reachable from its successors
}

func (o *Oracle) flow(fn *ssa.Function) *flow {
	f := o.code[fn]
	if f == nil {
		f = &flow{reach: make([]map[int]bool, len(fn.Blocks))}
		o.code[fn] = f
	}
	return f
}

// after returns the blocks reachable from the successors of b.
func (f *flow) after(b *ssa.BasicBlock) map[int]bool {
	if f.reach[b.Index] == nil {
		seen := map[int]bool{}
		work := append([]*ssa.BasicBlock(nil), b.Succs...)
		for len(work) > 0 {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen[x.Index] {
				seen[x.Index] = true
				work = append(work, x.Succs...)
			}
		}
		f.reach[b.Index] = seen
	}
	return f.reach[b.Index]
}

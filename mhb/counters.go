package mhb

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// This file bounds how far the others can decrement the counter of a WaitGroup while T_c waits: by the
// number of Dones that they can call, minus the Adds that certainly come before these.
//
//	for _, x := range list {
//		wg.Add(1)                              credit 1
//		go func() { defer wg.Done(); f(x) }()  1 Done, paid for by the credit: 0, however often
//	}
//
// Without credit, each goroutine that has not been started yet would count as one that can decrement the
// counter to zero. A task that starts tasks would always need a choice.
//
// Claim. In an execution in which T_c does nothing, no counter ever falls below its present value
// by more than the sum of the counts in dones of the others.
//
//  1. A walk comes to all Dones that are executed, and counts each as often as its call can be
//     executed (function, add). It is right to leave out any Adds, because they only increase
//     counters.
//  2. Let instruction i start a goroutine or defer a call. Of the Dones of this goroutine or call,
//     as many are left out as there is credit. Credit is the sum that Adds before i have added to
//     the same counter, in i's block or in the first blocks of functions called there. If i has
//     been executed, the same goroutine has executed these Adds, and no Done of the new goroutine
//     or deferred call can come before i. So the sum of these Adds and Dones is never below the
//     counted number.
//  3. An Add is credit only once: pay subtracts the part that is used, and leave hands the rest at the end of
//     a function's first block to its caller.
//  4. A function that may return without having come to the end of its first block has recovered a
//     panic, so it has deferred calls; it hands nothing on.
//  5. A recursive call is assumed to decrement no counter further than the part of its function walked so
//     far (assume). After the walk of the function the assumption is checked (recurs): if it holds for all
//     shorter executions, it holds for the next longer one. If it was wrong, the goroutine may do anything.

// count adds the effect of call c on counters to into. dones has the numbers by which its function
// may decrement counters, and raises those by which it certainly increments them. Every call
// counts, although the function is walked only once.
func (w *walk) count(c *invocation, into *visit, dones, raises *events) {
	n := 1
	if c.loop {
		//mutant: Dones in loops count once [micro doneInLoop]: "n = many" -> "n = 1"
		n = many
	}
	_, returns := c.site.(*ssa.Call)
	switch {
	//mutant: the Adds of all functions pay [micro addOfAnother]
	case !c.only:
	case returns:
		w.o.unite(&into.credit, raises, 1)
	default: // go, defer
		dones = into.credit.pay(dones)
	}
	w.o.unite(&into.dones, dones, n)
}

// pay returns the part of dones that credit e does not cover, and removes the credit used from e.
func (e *events) pay(dones *events) *events {
	rest := dones.clone()
	for i := range rest.list {
		d := &rest.list[i]
		for j := range e.list {
			if p := &e.list[j]; p.at == d.at && d.n < many {
				n := min(p.n, d.n)
				//mutant: an Add pays for all [micro addPaysOnce]: "p.n, d.n = p.n-n, d.n-" -> "d.n -= "
				p.n, d.n = p.n-n, d.n-n
			}
		}
	}
	return &rest
}

// clone returns a copy of e that shares no memory with it.
func (e *events) clone() events {
	c := *e
	c.list = slices.Clone(e.list)
	return c
}

// within reports whether e decrements no counter by more than f does.
func (e *events) within(f *events) bool {
	for _, x := range e.list {
		if x.n > 0 && !slices.ContainsFunc(f.list, func(y event) bool { return y.at == x.at && x.n <= y.n }) {
			return false
		}
	}
	return !e.any && e.objs == static.Empty
}

// leave sets v.raises, the credit that fn passes to its caller. The first block of fn has been walked.
func (v *visit) leave(fn *ssa.Function) {
	v.raises = v.credit.clone()
	//mutant: functions that recover have come to their Adds [micro addNotReached]: false
	if fn.Recover != nil {
		v.raises = events{}
	}
}

// assume returns the assumed effect of a recursive call of v's function.
func (v *visit) assume() *events {
	if v.assumed == nil {
		c := v.dones.clone()
		v.assumed = &c
	}
	return v.assumed
}

// recurs notes whether the assumption about v's function, which has been walked, was wrong.
func (w *walk) recurs(v *visit) {
	//mutant: recursive calls count once [micro doneInRecursion]: "v.assumed != nil && !v.dones.within(v.assumed)" -> "false"
	w.uncounted = w.uncounted || v.assumed != nil && !v.dones.within(v.assumed)
}

package explore

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A goroutine that waits forever is a bug (Leak): nothing that can move refers to what it waits for. There
// is one kind that many tests have and no one calls a bug: the test starts a server, never stops it, and
// returns. While it ran it could have stopped it; in every schedule the goroutine is left, and the process
// ends. With LeaksWarn such a Leak is a warning, and the search goes on past it:
//
//  1. The search stops at a Leak as at any bug.
//  2. If the entry had returned before the goroutine was forgotten, if it does not wait for a lock, and if
//     the entry's function has made what it waits for, or its frame referred to it at some moment before,
//     the Leak may stay (mayStay), as long as that is so of all goroutines that wait at the same place. Then
//     the exploration begins again, and counts the executions that have it. For what package variables refer
//     to the process is the entry: any function could end it. A subtest, and a function that gets a
//     *testing.T, is an entry as well; if one of its frames referred to it, it has to have ended. One that
//     waits for a lock is judged by what the goroutine waits for that holds it (leftWith); and if others that
//     are left refer to what it waits for, also by what they wait for (wakers).
//  3. As soon as there is one without it, or with fewer that wait there for different things, it is a bug
//     of some schedules, as an unlucky select, and stops the search; but not if it waits, wherever it is,
//     for the same as one that all executions have: what ends that one ends it, too. If there is none
//     without it it is a warning (Bug.Always).
//
// A goroutine that a function has left which the entry called is a bug in 2: nothing outside of that function
// could have ended it. The executions that are counted have other schedules than the one of 2, so that in the
// end 2 is asked again, of the first of them (teller).
//
// The clock (vm.Environment.DoubtsClock) is doubted when the goroutine turns out to be an error: what stays
// is a warning, and a search that reads the clock in all ways takes much longer.
//
// If time is up before 2 is decided, the Leak stays: it is a warning, and the verdict is incomplete.
//
// A goroutine that loops without an effect after the entry's end (a Livelock) is the same as one that waits:
// for what it reads in the loop. A loop has one bug for each goroutine in it then (Bug.parts).

// The rules.
const (
	LeaksAreErrors LeakRule = iota // all
	LeaksWarn                      // those that the entry leaves in every schedule are warnings
	LeaksOff                       // and are not reported
)

// leftBehind is a Leak that may stay.
type leftBehind struct {
	bug    *Bug // with the first schedule
	leaves uint64
	with   []key // of others that wait for the same, in each execution that has it

	// The number of things for which goroutines wait there, in the execution with the fewest and in
	// that with the most.
	fewest, most int
}

// stay takes those bugs of an execution that has ended from the list that may stay, and counts them. It
// returns the others, with those of earlier executions that this one does not have.
func (c *collector) stay(bugs []*Bug, path trace.Schedule, status por.Status, end *describe.Ending) (rest []*Bug) {
	if len(c.opts.tolerated) == 0 || status == por.Stuck && !c.m.EntryEnded() || end.Fault != nil || end.Exit != nil {
		return bugs
	}
	c.returned++
	here := make(map[key]bool)
	for _, b := range bugs {
		k := b.key()
		if !c.opts.tolerated[k] {
			rest = append(rest, b)
			continue
		}
		if here[k] {
			continue
		}
		here[k] = true
		n := c.awaited(k, bugs)
		x, with := c.left[k], c.waitingWith(b, bugs)
		if x == nil {
			b.Schedule = slices.Clone(path)
			b.movers, b.symbolic = movers(c.m, path), c.m.Symbolic()
			x = &leftBehind{bug: b, with: with, fewest: n}
			if c.left == nil {
				c.left = make(map[key]*leftBehind)
			}
			c.left[k], c.leftKeys = x, append(c.leftKeys, k)
		}
		x.leaves++
		x.fewest, x.most = min(x.fewest, n), max(x.most, n)
		x.with = slices.DeleteFunc(x.with, func(k key) bool { return !slices.Contains(with, k) })
	}
	return append(rest, c.unlucky()...)
}

// awaited returns for how many different things those of bugs wait that have the key k.
func (c *collector) awaited(k key, bugs []*Bug) (n int) {
	var things [][]uint32
	for _, b := range bugs {
		if b.key() != k {
			continue
		}
		if n++; b.Loop >= 0 {
			continue // what it reads is another object in each of its steps: each counts
		}
		objs := c.m.AwaitedBy(b.waiter)
		if !slices.ContainsFunc(things, func(list []uint32) bool {
			return slices.ContainsFunc(list, func(o uint32) bool { return slices.Contains(objs, o) })
		}) {
			things = append(things, objs)
		} else {
			n--
		}
	}
	return n
}

// countsLeft reports whether the search counts the executions that leave a goroutine, and needs one worker
// for that: the first execution that does not leave it is a bug, at which one worker may stop. (In rounds
// the pieces do not depend on the number of workers.)
func (o *Options) countsLeft() bool { return len(o.tolerated) > 0 && !o.POR.Stateful }

// tolerates reports whether the loop b may stay.
func (c *collector) tolerates(b *Bug) bool {
	return b.stays && !slices.ContainsFunc(b.parts, func(p *Bug) bool { return !c.opts.tolerated[p.key()] })
}

// loopLeft counts an execution that ends in the loop b, which may stay, at path, and reports whether the
// search continues.
func (c *collector) loopLeft(b *Bug, path trace.Schedule) bool {
	end := c.m.Ending()
	bugs := append(faultBugs(c.m, &end), forgottenIn(c.m, c.opts.AllowLeak)...)
	for _, x := range bugs {
		x.Early = true // the execution continues
	}
	bugs = c.stay(append(bugs, b.parts...), path, por.Stuck, &end)
	return c.addLeft(bugs, path)
}

// waitingWith returns the keys of those of bugs whose goroutines wait for something for which b's waits.
func (c *collector) waitingWith(b *Bug, bugs []*Bug) (with []key) {
	objs := c.m.AwaitedBy(b.waiter)
	for _, x := range bugs {
		k := x.key()
		if k == b.key() || !c.opts.tolerated[k] || slices.Contains(with, k) {
			continue
		}
		if slices.ContainsFunc(c.m.AwaitedBy(x.waiter), func(o uint32) bool { return slices.Contains(objs, o) }) {
			with = append(with, k)
		}
	}
	return with
}

// stays reports whether x, of which an execution may not have one, is a warning.
func (c *collector) stays(x *leftBehind) bool {
	//mutant: a leak of some schedules is one of all [test ./explore TestLeftBehind]: true
	//mutant: one that is left in some schedules hides beside another [test ./explore TestLeftParts]: "x.fewest == x.most" -> "true"
	return x.leaves == c.returned && x.fewest == x.most || slices.ContainsFunc(x.with, func(k key) bool {
		y := c.left[k]
		return y != nil && y.leaves == c.returned && y.fewest == y.most
	})
}

// unlucky returns the Leaks that may stay and that not all executions have.
func (c *collector) unlucky() (list []*Bug) {
	for _, k := range c.leftKeys {
		if x := c.left[k]; !c.stays(x) {
			list = append(list, x.bug)
		}
	}
	return list
}

// addLeft adds bugs, those of unlucky with their schedules, and returns whether the search continues. All
// that may stay are added, not only the first, because the exploration begins again past them.
func (c *collector) addLeft(bugs []*Bug, path trace.Schedule) (proceed bool) {
	proceed = true
	for _, b := range bugs {
		at := path
		if x := c.left[b.key()]; x != nil && x.bug == b {
			at = b.Schedule
		}
		if !c.add(b, at) {
			proceed = false
			//mutant: goroutines that are left end the search one by one [test ./explore TestLeftTogether]: "!b.stays" -> "true"
			if !b.stays || c.opts.Leaks == LeaksAreErrors {
				break
			}
		}
	}
	return proceed
}

// one leaves one error in r, unless all are wanted: the first that does not stay, or the first.
func (r *Result) one(all bool) {
	isError := func(b *Bug) bool { return !b.Warning }
	i := slices.IndexFunc(r.Bugs, func(b *Bug) bool { return isError(b) && !b.stays })
	if i < 0 {
		i = slices.IndexFunc(r.Bugs, isError)
	}
	if all || i < 0 {
		return
	}
	keep := r.Bugs[i]
	r.Bugs = slices.DeleteFunc(r.Bugs, func(b *Bug) bool { return isError(b) && b != keep })
}

// mergeLeft adds what a subtree has counted.
func (c *collector) mergeLeft(p *collector) (proceed bool) {
	c.returned += p.returned
	for _, k := range p.leftKeys {
		x := p.left[k]
		if y := c.left[k]; y != nil {
			y.leaves += x.leaves
			y.fewest, y.most = min(y.fewest, x.fewest), max(y.most, x.most)
			y.with = slices.DeleteFunc(y.with, func(k key) bool { return !slices.Contains(x.with, k) })
			continue
		}
		if c.left == nil {
			c.left = make(map[key]*leftBehind)
		}
		c.left[k], c.leftKeys = &leftBehind{x.bug, x.leaves, x.with, x.fewest, x.most}, append(c.leftKeys, k)
	}
	return c.addLeft(c.unlucky(), nil)
}

// always returns the Leaks of all executions as warnings.
func (c *collector) always() (list []*Bug) {
	for _, k := range c.leftKeys {
		if x := c.left[k]; c.stays(x) && !c.known[k] {
			x.bug.Warning, x.bug.Always = true, true
			list = append(list, x.bug)
		}
	}
	return list
}

// mayStay returns the errors of r that may stay, if there are no others but some that do already.
func mayStay(opts *Options, r *Result) (list []*Bug) {
	if opts.Leaks == LeaksAreErrors || r.Verdict != Fail {
		return nil
	}
	for _, b := range r.Bugs {
		other := !b.stays || opts.tolerated[b.key()]
		switch {
		case b.Warning, other && opts.All:
		case other:
			return nil
		default:
			list = append(list, b)
		}
	}
	return list
}

// heldByEntry reports whether package variables refer to what the goroutine of b waits for; or the entry's
// function has made it and has ended; or frames of tests that have ended have referred to it at a moment of
// b's schedule; and so for all goroutines that are left at the same place. m, which has numbered the
// goroutines of the schedule, is in its initial state; over says when there is no more time: then it is not
// known.
func heldByEntry(m describe.Machine, b *Bug, over func() bool) (held, known bool) {
	mark := m.Mark()
	defer func() {
		m.Rewind(mark)
		m.Release(mark)
	}()
	objs := awaitedAfter(m, b, over)
	if len(objs) == 0 {
		return false, objs != nil
	}
	maps.DeleteFunc(objs, func(g trace.GID, list []uint32) bool {
		//mutant: a test that waits forever on purpose is wrong [test ./cmd/hbcheck TestScripts/left]: "m.HangsInTest(g)" -> "false"
		if m.HangsInTest(g) || b.Loop < 0 && slices.ContainsFunc(wakers(m, g), m.HangsInTest) {
			return true
		}
		//mutant: package variables hold nothing [test ./explore TestLeftBehind|TestLeftLoops]: "|| m.HeldByVariables(list)" -> ""
		return m.EntryEnded() && m.EntryMade(list) || m.HeldByVariables(list)
	})
	running := m.RunningTests()
	// Most are held for long: few of the states of a long schedule are inspected first.
	for _, every := range [...]int{64, 1} {
		m.Rewind(mark)
		for i, a := range b.Schedule {
			if len(objs) == 0 || over() || m.EntryEnded() {
				break
			}
			maps.DeleteFunc(objs, func(g trace.GID, list []uint32) bool {
				if i%every != 0 {
					return false
				}
				//mutant: what a function leaves may stay, too [test ./explore TestLeftBehind]: "m.TestsHolding(list, g)" -> "[]trace.GID{g}"
				//mutant: a test that has not ended leaves goroutines [test ./cmd/hbcheck TestScripts/left]: "!slices.Contains(running, t)" -> "len(running) >= 0"
				return slices.ContainsFunc(m.TestsHolding(list, g), func(t trace.GID) bool { return !slices.Contains(running, t) })
			})
			m.Step(a.G, a.Choice)
		}
	}
	known = len(objs) == 0 || !over() && heldInCalls(m, b, objs, running, over)
	return len(objs) == 0, known
}

// awaitedAfter executes b's schedule and returns what each goroutine that is left like b's waits for then;
// for a loop what those in it read. It returns nil if time is up.
func awaitedAfter(m describe.Machine, b *Bug, over func() bool) map[trace.GID][]uint32 {
	objs := make(map[trace.GID][]uint32)
	reads := b.Loop >= 0
	for i, a := range b.Schedule {
		if i%64 == 0 && over() || m.Status() != por.Running {
			return nil
		}
		if reads && i >= b.Loop {
			objs[a.G] = append(objs[a.G], m.AwaitedBy(a.G)...)
		}
		m.Step(a.G, a.Choice)
	}
	if !reads {
		var left []*Bug
		if b.Early {
			left = forgottenBugs(m, nil)
		} else {
			left, _ = leafBugs(m, m.Status(), m.Ending(), nil)
		}
		for _, x := range left {
			//mutant: one that the entry could stop speaks for others [test ./explore TestLeftParts]: "x.key() == b.key()" -> "x.G == b.G"
			if x.key() == b.key() {
				objs[x.waiter] = m.AwaitedBy(x.waiter)
				for _, g := range wakers(m, x.waiter) {
					objs[x.waiter] = append(objs[x.waiter], m.AwaitedBy(g)...)
				}
			}
		}
	}
	return objs
}

// wakers returns the goroutines that could end the wait of g, and those that could end theirs, and so on:
// they refer to what it waits for. That they wait themselves may be because of the entry.
func wakers(m describe.Machine, g trace.GID) (list []trace.GID) {
	all := []trace.GID{g}
	for i := 0; i < len(all); i++ {
		//mutant: who waits for one that the entry has left is left by a function [test ./explore TestLeftBehind]: "m.Referring(m.AwaitedBy(all[i]), all[i])" -> "all[:0]"
		for _, h := range m.Referring(m.AwaitedBy(all[i]), all[i]) {
			if !slices.Contains(all, h) {
				all = append(all, h)
			}
		}
	}
	return all[1:]
}

// heldInCalls removes from objs, which has what each goroutine waits for after b's schedule, that to which
// tests have referred between two steps, or before the first one: what their calls have been given, and have
// returned. It reports false if time is up.
func heldInCalls(m describe.Machine, b *Bug, objs map[trace.GID][]uint32, running []trace.GID, over func() bool) bool {
	// The calls are those of two more executions: the objects of another one have other numbers.
	held, awaited := make(map[trace.GID]bool), make(map[trace.GID][]uint32)
	watch := m.WatchCalls(func(by, test trace.GID, holds func(objs []uint32) bool) {
		//mutant: a test that has not ended has left what it held between two steps [test ./cmd/hbcheck TestScripts/left]: "slices.Contains(running, test)" -> "false"
		if slices.Contains(running, test) {
			return
		}
		for g, list := range awaited {
			//mutant: what a test holds between two steps does not count [test ./explore TestLeftBehind]: "by != g" -> "false"
			held[g] = held[g] || objs[g] != nil && by != g && holds(list)
		}
	})
	for range 2 {
		w, err := m.With(watch, over)
		if err != nil {
			return false
		}
		if awaited = awaitedAfter(w, b, over); awaited == nil {
			return false
		}
	}
	maps.DeleteFunc(objs, func(g trace.GID, _ []uint32) bool { return held[g] })
	return true
}

// tolerate returns opts for an exploration in which list may stay.
func (o Options) tolerate(list []*Bug) Options {
	o.tolerated = maps.Clone(o.tolerated)
	if o.tolerated == nil {
		o.tolerated = make(map[key]bool)
	}
	for _, b := range list {
		o.tolerated[b.key()] = true
		for _, p := range b.parts {
			o.tolerated[p.key()] = true
		}
	}
	return o
}

// keepLeft adds those of list to r that it does not have, because time was up before an execution had ended;
// and removes all that stay if they are not to be reported.
func (r *Result) keepLeft(list []*Bug, rule LeakRule) {
	for _, b := range list {
		if len(b.parts) == 0 {
			r.keepOne(b)
		}
		for _, p := range b.parts {
			p.Schedule, p.Events, p.LoopEvent = b.Schedule, b.Events, b.LoopEvent
			r.keepOne(p)
		}
	}
	if rule == LeaksOff {
		r.Bugs = slices.DeleteFunc(r.Bugs, func(b *Bug) bool { return b.Always })
	}
}

// keepOne adds b to r unless r has it.
func (r *Result) keepOne(b *Bug) {
	if !slices.ContainsFunc(r.Bugs, func(x *Bug) bool { return x.key() == b.key() }) {
		b.Warning, b.Always = true, true
		r.Bugs = append(r.Bugs, b)
	}
}

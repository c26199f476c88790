package explore

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A goroutine that waits forever is a bug (Leak): nothing that can move refers to the object that it waits
// for. But many tests leave a goroutine that is hardly a bug: the test starts a server, never stops it,
// and returns. It could have stopped the server while it ran; in every schedule the goroutine is left, and
// the process ends. With LeaksWarn such a Leak is a warning, and the search continues past it:
//
//  1. The search stops at a Leak as at any bug.
//  2. The Leak may stay (mayStay) if the entry had returned before the goroutine was forgotten; if the
//     goroutine does not wait for a lock; if the entry's function made the object that the goroutine waits
//     for, or its frame referred to the object at some earlier moment; and if all this holds for every
//     goroutine that waits at the same place. Then the exploration begins again, and counts the executions
//     with this Leak. If package variables refer to the object, the process counts as the entry, because any
//     function could end the wait. A subtest, or a function that gets a *testing.T, counts as an entry, too;
//     if one of its frames referred to the object, it must have ended. A goroutine that waits for a lock is
//     judged by the object that the holder of the lock waits for (leftWith). If other goroutines that are
//     left refer to the object, it is also judged by their objects (wakers).
//  3. The search stops at an execution without the Leak, or with fewer objects for which goroutines wait
//     there. Such an execution shows that the Leak is a bug of some schedules, such as an unlucky select.
//     There is one exception: the goroutine waits, at any place, for the same object as another goroutine,
//     which all executions leave. A function that ended the other goroutine would end both. If every
//     execution has the Leak, it is a warning (Bug.Always).
//
// If a function that the entry called has left the goroutine, the Leak is a bug by 2, because nothing outside
// of that function could have ended the goroutine. The counted executions have other schedules than the one
// in 2. So at the end 2 is checked again, for the first of them (judgeLeft).
//
// The clock (vm.Environment.DoubtsClock) is doubted only when the goroutine turns out to be an error. A Leak
// that stays is a warning, and a search that reads the clock in all ways takes much longer.
//
// If time is up before 2 is decided, the Leak stays: it is a warning, and the verdict is incomplete.
//
// A goroutine that loops without an effect after the entry's end (a Livelock) is treated like one that waits
// for the objects that the loop reads. Then a loop has one bug for each of its goroutines (bug.Noted).

// The rules.
const (
	LeaksAreErrors LeakRule = iota // all leaks are errors
	LeaksWarn                      // leaks that the entry leaves in every schedule are warnings
	LeaksOff                       // leaks count as with LeaksWarn, but the warnings are not reported
)

// A leftBehind is a Leak that may stay.
type leftBehind struct {
	bug    *bug.Bug // the leak, with the first schedule that shows this leak
	leaves uint64
	with   []bug.Key // keys of Leaks that wait for the same object, in each execution with the Leak

	// The least and the greatest number of objects that goroutines wait for at the place, in
	// one execution.
	fewest, most int
}

// stay counts the bugs of an ended execution that may stay. It returns the other bugs, and also the bugs that
// may stay but that some execution so far lacks (unlucky).
func (c *collector) stay(bugs []*bug.Bug, path trace.Schedule, status por.Status, end *describe.Ending) (rest []*bug.Bug) {
	if len(c.opts.tolerated) == 0 || status == por.Stuck && !c.m.EntryEnded() || end.Fault != nil || end.Exit != nil {
		return bugs
	}
	c.returned++
	here := make(map[bug.Key]bool)
	for _, b := range bugs {
		k := b.Key()
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
			b.Noted.Movers, b.Noted.Symbolic = bug.Movers(c.m, path), c.m.Symbolic()
			x = &leftBehind{bug: b, with: with, fewest: n}
			if c.left == nil {
				c.left = make(map[bug.Key]*leftBehind)
			}
			c.left[k], c.leftKeys = x, append(c.leftKeys, k)
		}
		x.leaves++
		x.fewest, x.most = min(x.fewest, n), max(x.most, n)
		x.with = slices.DeleteFunc(x.with, func(k bug.Key) bool { return !slices.Contains(with, k) })
	}
	return append(rest, c.unlucky()...)
}

// awaited returns the number of different objects that the goroutines of the bugs with key k wait for.
func (c *collector) awaited(k bug.Key, bugs []*bug.Bug) (n int) {
	var things [][]uint32
	for _, b := range bugs {
		if b.Key() != k {
			continue
		}
		if n++; b.Loop >= 0 {
			continue // the goroutine may read another object in each step, so each object counts
		}
		objs := c.m.AwaitedBy(b.Noted.Waiter)
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

// tolerates reports whether the loop b may stay.
func (c *collector) tolerates(b *bug.Bug) bool {
	return b.Noted.Stays && !slices.ContainsFunc(b.Noted.Parts, func(p *bug.Bug) bool { return !c.opts.tolerated[p.Key()] })
}

// loopLeft counts an execution that ends in the loop b, which may stay, after path. It reports whether the
// search continues.
func (c *collector) loopLeft(b *bug.Bug, path trace.Schedule) bool {
	end := c.m.Ending()
	bugs := append(bug.Faults(c.m, &end), bug.ForgottenIn(c.m, c.opts.AllowLeak)...)
	for _, x := range bugs {
		x.Early = true // the execution continues
	}
	bugs = c.stay(append(bugs, b.Noted.Parts...), path, por.Stuck, &end)
	return c.addLeft(bugs, path)
}

// waitingWith returns the keys of the bugs whose goroutines wait for an object that b's goroutine waits
// for.
func (c *collector) waitingWith(b *bug.Bug, bugs []*bug.Bug) (with []bug.Key) {
	objs := c.m.AwaitedBy(b.Noted.Waiter)
	for _, x := range bugs {
		k := x.Key()
		if k == b.Key() || !c.opts.tolerated[k] || slices.Contains(with, k) {
			continue
		}
		if slices.ContainsFunc(c.m.AwaitedBy(x.Noted.Waiter), func(o uint32) bool { return slices.Contains(objs, o) }) {
			with = append(with, k)
		}
	}
	return with
}

// stays reports whether x is a warning; there may be executions without x.
func (c *collector) stays(x *leftBehind) bool {
	//mutant: a leak of some schedules is one of all [test ./explore TestLeftBehind]: true
	//mutant: one that is left in some schedules hides beside another [test ./explore TestLeftParts]: "x.fewest == x.most" -> "true"
	return x.leaves == c.returned && x.fewest == x.most || slices.ContainsFunc(x.with, func(k bug.Key) bool {
		y := c.left[k]
		return y != nil && y.leaves == c.returned && y.fewest == y.most
	})
}

// unlucky returns the Leaks that may stay, but that some executions do not have.
func (c *collector) unlucky() (list []*bug.Bug) {
	for _, k := range c.leftKeys {
		if x := c.left[k]; !c.stays(x) {
			list = append(list, x.bug)
		}
	}
	return list
}

// addLeft adds bugs, those of unlucky with their schedules, and returns whether the search continues. All
// bugs that may stay are added, not only the first one, because the exploration begins again past them.
func (c *collector) addLeft(bugs []*bug.Bug, path trace.Schedule) (proceed bool) {
	proceed = true
	for _, b := range bugs {
		at := path
		if x := c.left[b.Key()]; x != nil && x.bug == b {
			at = b.Schedule
		}
		if !c.add(b, at) {
			proceed = false
			//mutant: goroutines that are left end the search one by one [test ./explore TestLeftTogether]: "!b.Noted.Stays" -> "true"
			if !b.Noted.Stays || c.opts.Leaks == LeaksAreErrors {
				break
			}
		}
	}
	return proceed
}

// one keeps one error in r, unless all are wanted: the first that does not stay, otherwise the first.
func (r *Result) one(all bool) {
	isError := func(b *bug.Bug) bool { return !b.Warning }
	i := slices.IndexFunc(r.Bugs, func(b *bug.Bug) bool { return isError(b) && !b.Noted.Stays })
	if i < 0 {
		i = slices.IndexFunc(r.Bugs, isError)
	}
	if all || i < 0 {
		return
	}
	keep := r.Bugs[i]
	r.Bugs = slices.DeleteFunc(r.Bugs, func(b *bug.Bug) bool { return isError(b) && b != keep })
}

// mergeLeft adds the counts of a subtree.
func (c *collector) mergeLeft(p *collector) (proceed bool) {
	c.returned += p.returned
	for _, k := range p.leftKeys {
		x := p.left[k]
		if y := c.left[k]; y != nil {
			y.leaves += x.leaves
			y.fewest, y.most = min(y.fewest, x.fewest), max(y.most, x.most)
			y.with = slices.DeleteFunc(y.with, func(k bug.Key) bool { return !slices.Contains(x.with, k) })
			continue
		}
		if c.left == nil {
			c.left = make(map[bug.Key]*leftBehind)
		}
		c.left[k], c.leftKeys = &leftBehind{x.bug, x.leaves, x.with, x.fewest, x.most}, append(c.leftKeys, k)
	}
	return c.addLeft(c.unlucky(), nil)
}

// always returns the Leaks of all executions as warnings.
func (c *collector) always() (list []*bug.Bug) {
	for _, k := range c.leftKeys {
		if x := c.left[k]; c.stays(x) && !c.known[k] {
			x.bug.Warning, x.bug.Always = true, true
			list = append(list, x.bug)
		}
	}
	return list
}

// mayStay returns the errors of r that may stay. It returns nil if r has other errors, except those that
// are tolerated already.
func mayStay(opts *Options, r *Result) (list []*bug.Bug) {
	if opts.Leaks == LeaksAreErrors || r.Verdict != Fail {
		return nil
	}
	for _, b := range r.Bugs {
		other := !b.Noted.Stays || opts.tolerated[b.Key()]
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

// tolerate returns opts for an exploration in which list may stay.
func (o Options) tolerate(list []*bug.Bug) Options {
	o.tolerated = maps.Clone(o.tolerated)
	if o.tolerated == nil {
		o.tolerated = make(map[bug.Key]bool)
	}
	for _, b := range list {
		o.tolerated[b.Key()] = true
		for _, p := range b.Noted.Parts {
			o.tolerated[p.Key()] = true
		}
	}
	return o
}

// keepLeft adds those bugs of list that r lacks because time was up before an execution ended. If
// the rule says not to report bugs that stay, it removes them.
func (r *Result) keepLeft(list []*bug.Bug, rule LeakRule) {
	for _, b := range list {
		if len(b.Noted.Parts) == 0 {
			r.keepOne(b)
		}
		for _, p := range b.Noted.Parts {
			p.Schedule, p.Events, p.LoopEvent = b.Schedule, b.Events, b.LoopEvent
			r.keepOne(p)
		}
	}
	if rule == LeaksOff {
		r.Bugs = slices.DeleteFunc(r.Bugs, func(b *bug.Bug) bool { return b.Always })
	}
}

// keepOne adds b to r unless r has it.
func (r *Result) keepOne(b *bug.Bug) {
	if !slices.ContainsFunc(r.Bugs, func(x *bug.Bug) bool { return x.Key() == b.Key() }) {
		b.Warning, b.Always = true, true
		r.Bugs = append(r.Bugs, b)
	}
}

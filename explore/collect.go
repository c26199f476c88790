package explore

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/internal/ordered"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// collector is the visitor of the main search. It keeps each bug once, with the first schedule that
// shows it, and counts outcomes. After the search that schedule is executed again, for the full description
// of the bug.
type collector struct {
	limit *limit           `saved:"-"`
	m     describe.Machine `saved:"-"`
	opts  Options          `saved:"-"`

	bugs  []*bug.Bug
	known map[bug.Key]bool
	races map[describe.RaceID]bool // races already described

	left     map[bug.Key]*leftBehind // Leaks that may stay
	leftKeys []bug.Key               // the keys of left, in the order of discovery
	returned uint64                  // number of executions whose entry has returned

	baseline []bug.Key // bugs that Options.Known has accepted

	passed bool             // an execution has ended without a bug
	ran    bool             // an execution has run the test
	notRun *describe.NotRun // reason why the first execution that has not run the test did not run it

	outcomes []*Outcome
	index    map[outcomeKey]*Outcome
	finals   map[por.Hash]bool

	incomplete ordered.Set[Reason]
	loops      ordered.Set[LongLoop]

	longest    int             // steps of the longest execution that has ended
	needsAwait bool            // see exploration.refinement
	supposed   bool            // an assumption of the program has cut an execution
	inSubtree  bool            // the collector belongs to a subtree of the search
	used       []int           // the Options.Ignores that have accepted a bug in the subtree
	divided    bool            // the search may have subsearches
	merged     *mergedCounters // nil: all work of the machine counts
	start      tally           // counts of the machine when the search began
	reported   bool            // an execution was reported
	begunAgain bool            // Restart was called after an execution was reported
	aside      struct {        // findings of the searches before the last Restart
		bugs     []*bug.Bug
		baseline []bug.Key
	}
}

// maxLongLoops is the maximum number of long loops in a report.
const maxLongLoops = 3

// busyWindow is the number of last steps of an execution that determine the busiest goroutine.
const busyWindow = 1000

type outcomeKey struct{ output, ending string }

func newCollector(l *limit, m describe.Machine, opts Options) *collector {
	return &collector{
		limit: l, m: m, opts: opts,
		known: make(map[bug.Key]bool), races: make(map[describe.RaceID]bool),
		index: make(map[outcomeKey]*Outcome), finals: make(map[por.Hash]bool),
	}
}

// add adds a bug unless it is known, and reports whether the search continues.
func (c *collector) add(b *bug.Bug, path trace.Schedule) bool {
	if x := b.Accesses; x != nil && b.Noted.Movers == nil {
		b.Tests = slices.Compact(bug.Innermost(c.m.TestName(x[0].G), c.m.TestName(x[1].G)))
	}
	lacks := b.Lacks
	if b.Noted.Movers == nil && lacks == vm.LackNothing { // this machine has found it
		if l := c.m.Lacks(); (l == vm.LackChange || l == vm.LackAllocations) && waitsForever[b.Kind] {
			lacks = l // with the change or the allocations that the machine lacks, the event may still happen
		}
	}
	doubted := -1 // index of the same bug as a warning, found in an execution that lacked something
	if c.known[b.Key()] {
		c.alsoIn(b)
		doubted = slices.IndexFunc(c.bugs, func(x *bug.Bug) bool {
			return x.Warning && x.Lacks != vm.LackNothing && x.Key() == b.Key()
		})
		//mutant: a bug stays a warning if a later execution that lacks nothing shows it [test ./cmd/hbcheck TestScripts/arguments]: "doubted < 0" -> "true"
		if doubted < 0 || lacks != vm.LackNothing {
			return true
		}
	}
	//mutant: what may stay is not doubted as an error either [test ./explore TestLeftDoubted]: "|| c.opts.doubtsLeft" -> ""
	if (!c.mayStay(b) || c.opts.doubtsLeft) && c.m.DoubtsClock() {
		return false
	}
	c.known[b.Key()] = true
	if doubted >= 0 {
		b.Tests = c.bugs[doubted].Tests
		c.bugs = slices.Delete(c.bugs, doubted, doubted+1)
	}
	if !b.Warning && c.opts.Known != nil && c.opts.Known(b) {
		c.baseline = append(c.baseline, b.Key())
		return true
	}
	if i := slices.IndexFunc(c.opts.Ignores, func(ig *ignore.Comment) bool { return ig.Accepts(b) }); i >= 0 {
		if c.inSubtree {
			c.used = append(c.used, i)
		} else {
			c.opts.Ignores[i].Used = true
		}
		return true
	}
	if lacks != b.Lacks {
		b.Warning, b.Lacks = true, lacks
	}
	b.Warning = b.Warning && !(b.Lacks != vm.LackNothing && c.passed)
	b.Schedule = append(trace.Schedule(nil), path...)
	if b.Noted.Movers == nil { // this machine has found the bug
		b.Noted.Movers = bug.Movers(c.m, path)
		b.Noted.Symbolic = c.m.Symbolic()
		b.NotePassing(c.m)
	}
	c.bugs = append(c.bugs, b)
	return c.opts.All || b.Warning
}

// mayStay reports whether b, a goroutine that is left, may turn out not to be an error: see left.go.
func (c *collector) mayStay(b *bug.Bug) bool {
	return b.Noted.Stays && c.opts.Leaks != LeaksAreErrors && !c.opts.tolerated[b.Key()]
}

// alsoIn adds the subtests of b to the known bug that equals b.
func (c *collector) alsoIn(b *bug.Bug) {
	for _, x := range c.bugs {
		for _, name := range b.Tests {
			//mutant: a bug of several subtests is one of the first [test ./cmd/hbcheck TestScripts/verdicts]: "x.Key() == b.Key()" -> "false"
			if x.Key() == b.Key() && !slices.Contains(x.Tests, name) {
				x.Tests = append(slices.Clip(x.Tests), name)
			}
		}
	}
}

// numErrors returns the number of bugs that are not warnings.
func (c *collector) numErrors() (n int) {
	for _, b := range c.found() {
		//mutant: progress counts warnings [test ./explore TestProgressBugs]: true
		if !b.Warning {
			n++
		}
	}
	return n
}

// waitsForever has the kinds of bugs in which an event never happens.
var waitsForever = map[bug.Kind]bool{bug.Deadlock: true, bug.Leak: true, bug.Livelock: true}

// addAll adds bugs until the search stops.
func (c *collector) addAll(bugs []*bug.Bug, path trace.Schedule) bool {
	for _, b := range bugs {
		if !c.add(b, path) {
			return false
		}
	}
	return true
}

// Leaf implements por.Visitor.
func (c *collector) Leaf(path trace.Schedule, status por.Status) bool {
	c.reported = true
	if c.m.NeedsRefining() {
		return false
	}
	if status == por.Running {
		//mutant: locked loops: they wait for nothing [test ./cmd/hbcheck TestScripts/locked]
		if c.m.NoteCut(); c.m.NeedsRefining() {
			return false
		}
		c.truncated(path)
		return c.Inspect(path) && !c.opts.StopTruncated
	}
	if status != por.Cut {
		c.longest = max(c.longest, len(path))
	}
	end := c.m.Ending()
	if c.ran = c.ran || end.NotRun == nil; c.notRun == nil {
		c.notRun = end.NotRun
	}
	if status == por.Cut {
		c.ran = true
		return c.cut(&end)
	}
	if status == por.Stuck {
		if loop := c.m.SpinSchedule(); len(loop) > 0 {
			return c.Livelock(slices.Concat(path, loop), len(path))
		}
	}
	if c.opts.Finals {
		c.finals[c.m.Hash()] = true
	}
	bugs, ending := bug.AtLeaf(c.m, status, end, c.opts.AllowLeak)
	bugs = c.stay(bugs, path, status, &end)
	if c.opts.Outcomes {
		c.count(Outcome{Output: string(end.Output), Ending: ending, Count: 1, Schedule: path})
	}
	if len(bugs) == 0 && status == por.Ended && end.NotRun == nil {
		return c.pass()
	}
	return c.addLeft(bugs, path)
}

// pass records that an execution has ended without a bug. Then failures of other executions depend on the
// schedule, not on something that the machine lacks. It reports whether the search continues.
func (c *collector) pass() bool {
	proceed := true
	if !c.passed {
		c.passed = true
		for _, b := range c.bugs {
			if b.Lacks != vm.LackNothing {
				b.Warning, proceed = false, c.opts.All
			}
		}
	}
	return proceed
}

// Inspect implements por.Inspector.
func (c *collector) Inspect(path trace.Schedule) bool {
	if c.m.NeedsRefining() {
		return false
	}
	bugs := bug.Forgotten(c.m, c.opts.AllowLeak)
	return c.addLeft(slices.DeleteFunc(bugs, func(b *bug.Bug) bool { return b.Noted.Stays && c.opts.tolerated[b.Key()] }), path)
}

// cut records why the machine has cut an execution, and reports whether the search continues.
func (c *collector) cut(end *describe.Ending) bool {
	switch {
	case end.Interrupted || c.limit.passed(): // the machine was in a long stretch without a step
		c.incomplete.Add(Reason{Cause: CauseStopped, Text: c.limit.cause()})
		return false
	case end.Unsupported != "":
		cause := CauseUnsupported
		if end.OverMemory {
			cause = CauseMemory
		}
		c.incomplete.Add(Reason{Cause: cause, Text: end.Unsupported, Refused: end.Refused})
	default:
		c.supposed = true
	}
	return true
}

// truncated is called when the bound on steps has cut the execution. It records the place of the busiest
// goroutine: its loop, if it is in one. The explorer reports the bound.
func (c *collector) truncated(path trace.Schedule) {
	if len(path) == 0 || len(c.loops.List) == maxLongLoops {
		return
	}
	moves := make(map[trace.GID]int)
	for _, a := range path[max(0, len(path)-busyWindow):] {
		moves[a.G]++
	}
	busy := trace.NoGID
	for _, g := range slices.Sorted(maps.Keys(moves)) {
		if (busy == trace.NoGID || moves[g] > moves[busy]) && c.hasPlace(g) {
			busy = g
		}
	}
	if busy == trace.NoGID {
		return
	}
	e := c.m.Describe(busy)
	at := LongLoop{Goroutine: e.Name, Func: e.Func, Pos: e.Pos}
	if pos, ok := c.m.Loop(busy); ok {
		at = LongLoop{Goroutine: e.Name, Pos: pos, Loop: true}
	}
	at.Pos = describe.Plain(at.Pos)
	at.Pos.Column = 0
	c.loops.Add(at)
}

// hasPlace reports whether g executes code of the source. Timers do not.
func (c *collector) hasPlace(g trace.GID) bool {
	if !c.m.Alive(g) {
		return false
	}
	at := c.m.Describe(g).Pos
	//mutant: a timer is in a loop [test ./cmd/hbcheck TestScripts/eternal]: "at.IsValid()" -> "true || at.IsValid()"
	return at.IsValid()
}

// count adds x to the outcomes.
func (c *collector) count(x Outcome) {
	k := outcomeKey{x.Output, x.Ending}
	o := c.index[k]
	if o == nil {
		o = &Outcome{Output: x.Output, Ending: x.Ending, Schedule: append(trace.Schedule(nil), x.Schedule...)}
		c.index[k] = o
		c.outcomes = append(c.outcomes, o)
	}
	o.Count += x.Count
}

// Race implements por.Visitor.
func (c *collector) Race(path trace.Schedule, a, b trace.Op) bool {
	return c.add(bug.Pending(c.m, a, b), path)
}

// Raced implements por.RaceVisitor.
func (c *collector) Raced(path trace.Schedule) bool {
	return c.addAll(bug.Noticed(c.m, c.races), path)
}

// Livelock implements por.Visitor.
func (c *collector) Livelock(path trace.Schedule, loop int) bool {
	if !c.Inspect(path) {
		return false
	}
	b := bug.InLoop(c.m, path, loop, c.opts.AllowLeak)
	if b == nil {
		return true
	}
	timers, collects := c.m.TimersPending(), c.m.CanCollect()
	passes := c.m.TimeStep() > loop && c.m.ClockStep() <= loop
	//mutant: no test loops forever while time passes [test ./cmd/hbcheck TestScripts/eternal]: "passes && c.m.Testing()" -> "false"
	//mutant: a main function may not tick forever [test ./cmd/hbcheck TestScripts/eternal]: "passes && c.m.Testing()" -> "passes"
	if passes && c.m.Testing() {
		timers = false // time passes in the loop, and does not end it. (A main function may be meant to tick forever.)
	}
	if (timers || collects) && c.opts.await() == vm.AwaitNever {
		c.needsAwait = true // the iterating goroutine has to count as waiting
		return false
	}
	if collects {
		return true // a garbage collection may happen in the loop, and end it
	}
	if timers || c.m.ClockStep() > loop {
		// In a native execution time passes, and the loop ends.
		pos := b.Pos
		pos.Column = 0
		c.incomplete.Add(Reason{Cause: CauseTime, Pos: pos, Passes: passes})
		return true
	}
	b.Loop = loop
	if c.tolerates(b) {
		return c.loopLeft(b, path)
	}
	return c.add(b, path)
}

// Restart implements por.Visitor: another search, with fewer assumptions, replaces the current one.
//
// The result describes the new search alone, so that it does not depend on when several workers notice
// the wrong assumption. Bugs of the search that was given up are set aside: see found.
func (c *collector) Restart() {
	c.aside.bugs, c.aside.baseline = c.found(), append(c.aside.baseline, c.baseline...)
	//mutant: bugs of a search that was given up come first [test ./explore TestSetAside]
	c.bugs, c.known, c.races, c.baseline = nil, make(map[bug.Key]bool), make(map[describe.RaceID]bool), nil
	c.outcomes, c.index, c.begunAgain = nil, make(map[outcomeKey]*Outcome), c.begunAgain || c.reported
	c.left, c.leftKeys, c.returned = nil, nil, 0
	c.incomplete, c.loops, c.longest, c.supposed = ordered.Set[Reason]{}, ordered.Set[LongLoop]{}, 0, false
	if c.merged == nil {
		c.merged = &mergedCounters{}
	}
	c.merged.restart(c)
}

// found returns the bugs of the search, followed by those that only searches before a Restart have found.
// The latter exist only if the last search was stopped.
func (c *collector) found() []*bug.Bug {
	list := slices.Clip(c.bugs)
	for _, b := range c.aside.bugs {
		//mutant: a search that begins again loses bugs [test ./explore TestSetAside]: "!c.known[b.Key()]" -> "false"
		if !c.known[b.Key()] {
			b.Warning = b.Warning && !(b.Lacks != vm.LackNothing && c.passed)
			list = append(list, b)
		}
	}
	return list
}

// accepted returns the number of bugs that Options.Known has accepted.
func (c *collector) accepted() int {
	n := len(c.baseline)
	for _, k := range c.aside.baseline {
		//mutant: a search that begins again counts accepted bugs again [test ./explore TestSetAside]: "!c.known[k]" -> "!c.known[k] || true"
		if !c.known[k] {
			n++
		}
	}
	return n
}

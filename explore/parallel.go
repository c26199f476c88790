package explore

import (
	"errors"
	"maps"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/ordered"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// This file has the collector's view of a search by several workers. por/optimal divides the search into
// subtrees. Each subtree has a collector of its own, on the machine of its worker, and their results are
// merged in the order of a search by one worker:
//
//	worker 1, machine A     Split ─ Begin ─ subtree 1 ─ End ──▶ Merge 1 ─────────────▶ Merge 3
//	worker 2, machine B     Split ─ Begin ─ subtree 2 ─ End ───────────▶ Merge 2 ──────▲
//	worker 1, machine A                         Split ─ Begin ─ subtree 3 ─ End ───────┘
//
// Invariant: one worker at a time calls Merge. All other methods of a subsearch are called only by the
// worker of its subtree.

// useWorkers lets the search use several workers, each with a replica of the machine.
//
// Replicas share the numbering of goroutines (ShareGIDs): a goroutine that is started in the same
// way has the same number on all machines, and in schedules and bugs. Each replica has an oracle of
// its own, made at the first question, because an oracle remembers the history of one machine.
func (s *exploration) useWorkers() {
	s.m.ShareGIDs()
	s.collector.divide()
	s.cfg.Jobs = s.opts.Jobs
	kind, await := s.factsKind(), s.opts.await()
	s.cfg.Another = func() (por.Replica, error) {
		m, err := s.m.Replica()
		if err != nil {
			return por.Replica{}, err
		}
		if s.opts.Match && !m.SharesNumbers() {
			return por.Replica{}, errors.New("the replica assigns numbers differently")
		}
		// A replica does not inherit the search's treatment of loops that wait.
		m.Await(await)
		r := por.Replica{System: m}
		if kind != oracle.None {
			lazy := oracle.NewLazy(s.limit.passed, func() por.Oracle { return m.Oracle(kind, s.limit.passed) })
			lazy.Thrifty = s.opts.LazyAnalysis
			r.Oracle = lazy
		}
		if kind == oracle.Parts {
			if r.Parts = m.Parts(); s.opts.LazyAnalysis {
				r.Parts = oracle.ThriftyParts(r.Parts, 0)
			}
		}
		return r, nil
	}
}

// subsearch is a collector for one subtree of a search, on a machine of its own.
//
// A worker explores many subtrees on one machine without resetting its counters. So the cost of a
// subtree is a difference, between Begin and End.
type subsearch struct {
	*collector
	before uint64 // instructions
	cost   tally  // cost of the subtree
}

// Split implements por.Mergeable.
//
// Because of inSubtree, the subsearch records matches of the user's ignore rules but does not mark the rules:
// the subtree may be dropped (por/optimal: restartSequentially).
func (c *collector) Split(sys por.System) por.Subsearch {
	m := sys.(describe.Machine)
	if m == c.m {
		c.merged.unsplit = false // all steps of the machine belong to subtrees
	}
	p := &subsearch{collector: newCollector(c.limit, m, c.opts)}
	p.inSubtree = true
	return p
}

// Begin implements por.Subsearch.
//
// The path to the subtree has been executed before, so its steps are not counted twice.
func (p *subsearch) Begin() {
	p.before = p.m.Counters().Instructions
	p.m.ForgetExisted()
	p.m.ForgetCovered()
}

// End implements por.Subsearch.
func (p *subsearch) End() {
	p.cost = tallyOf(p.m)
	p.cost.instructions -= p.before
}

// Merge implements por.Mergeable.
//
// The first subtree with a finding determines the first report, so subtrees are merged in the order of a
// search by one worker. Merge adds all bugs of a subtree even if one of them ends the search: the subtree was
// explored before that.
func (c *collector) Merge(q por.Subsearch) bool {
	p := q.(*subsearch)
	c.merged.add(p.cost)
	c.reported = c.reported || p.reported
	if c.ran = c.ran || p.ran; c.notRun == nil {
		c.notRun = p.notRun
	}
	c.longest, c.supposed = max(c.longest, p.longest), c.supposed || p.supposed
	for _, i := range p.used {
		c.opts.Ignores[i].Used = true
	}
	for _, x := range p.incomplete.List {
		c.incomplete.Add(x)
	}
	for _, x := range p.loops.List {
		if len(c.loops.List) < maxLongLoops {
			c.loops.Add(x)
		}
	}
	for _, o := range p.outcomes {
		c.count(*o)
	}
	proceed := true
	if p.passed {
		proceed = c.pass()
	}
	proceed = c.mergeLeft(p.collector) && proceed
	for _, k := range p.baseline {
		if !c.known[k] {
			c.known[k], c.baseline = true, append(c.baseline, k)
		}
	}
	for _, b := range p.bugs {
		proceed = c.add(b, b.Schedule) && proceed
	}
	return proceed
}

// A tally has the counts that belong to machines and not to a search: executed instructions, goroutines that
// have existed, assumptions about the environment, and coverage.
type tally struct {
	instructions uint64
	existed      map[trace.GID]bool
	assumed      ordered.Set[vm.Assumption]
	covered      noted
}

// tallyOf returns the present counts of m.
func tallyOf(m describe.Machine) (x tally) {
	x.instructions, x.covered, x.existed = m.Counters().Instructions, covered(m), make(map[trace.GID]bool)
	for _, g := range m.Existed() {
		x.existed[g] = true
	}
	for _, a := range m.Assumed() {
		x.assumed.Add(a)
	}
	return x
}

// add adds y. Each goroutine counts once, even if it has existed in several subtrees.
func (x *tally) add(y tally) {
	if x.existed == nil {
		x.existed = make(map[trace.GID]bool)
	}
	x.instructions += y.instructions
	maps.Copy(x.existed, y.existed)
	for _, a := range y.assumed.List {
		x.assumed.Add(a)
	}
	x.covered.add(y.covered)
}

// divide makes the collector ready for subsearches.
func (c *collector) divide() {
	c.divided, c.merged = true, &mergedCounters{}
	c.merged.restart(c)
}

// mergedCounters are the machines' own counters, summed over all merged subtrees. They begin with those of
// the first machine before the search, because initialising packages has executed instructions and started
// goroutines already.
//
// With one machine and one search, its counters are read at the end. With several machines they are added
// with each subtree, so that dropped subtrees, and searches that were given up, do not count.
type mergedCounters struct {
	tally
	unsplit bool   // the collector's machine searches outside of subtrees
	since   uint64 // instructions that this machine had executed before
}

// restart begins the counts of a search, which replaces the searches so far.
//
// Some searches, and those of explorers with one worker, do work on the first machine outside of
// subtrees. That work is added at the end, unless a Split shows that all work there belongs to
// subtrees.
func (x *mergedCounters) restart(c *collector) {
	//mutant: work of a search that was given up counts [test ./explore TestJobsRestart]
	x.tally = tally{}
	x.add(c.start)
	c.m.ForgetExisted()
	c.m.ForgetCovered()
	x.unsplit, x.since = true, c.m.Counters().Instructions
}

// Divide implements por.Sender: work of the machine from here on belongs to subtrees.
func (c *collector) Divide() {
	c.merged.end(c.m)
	c.merged.unsplit = false
}

// end adds the work of m outside of subtrees.
func (x *mergedCounters) end(m describe.Machine) {
	if x.unsplit {
		work := tallyOf(m)
		work.instructions -= x.since
		x.add(work)
	}
}

package explore

import (
	"errors"
	"maps"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A search by several workers, as the collector sees it. por/optimal cuts the search into
// subtrees; each has a collector of its own, on the machine of the worker that explores it, and
// their results are merged in the order of a search by one worker:
//
//	worker 1, machine A     Split ─ Begin ─ subtree 1 ─ End ──▶ Merge 1 ─────────────▶ Merge 3
//	worker 2, machine B     Split ─ Begin ─ subtree 2 ─ End ───────────▶ Merge 2 ──────▲
//	worker 1, machine A                         Split ─ Begin ─ subtree 3 ─ End ───────┘
//
// Invariant: Merge is called by one worker at a time; everything else of a subsearch is used by
// the worker that explores the subtree.

// useWorkers lets the search use several workers, each with a replica of the machine.
//
// Replicas number goroutines together (ShareGIDs): a goroutine that is started in the same way
// has the same number on all machines, as schedules and bugs name it. Each has an oracle of its
// own, made when it is first asked, since an oracle remembers what it has seen of one machine.
func (s *exploration) useWorkers() {
	s.m.ShareGIDs()
	s.collector.merged = newMergedCounters(s.m)
	s.cfg.Jobs = s.opts.Jobs
	kind, await := s.opts.kind(), s.opts.await()
	s.cfg.Another = func() (por.Replica, error) {
		m, err := s.m.Replica()
		if err != nil {
			return por.Replica{}, err
		}
		if s.opts.Match && !m.SharesNumbers() {
			return por.Replica{}, errors.New("it numbers what it meets in another way")
		}
		// The replica of a machine does not know how the search wants loops that wait to be
		// treated.
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
// A worker explores many subtrees on one machine, whose counters go on; so what a subtree has
// cost is a difference, taken between Begin and End.
type subsearch struct {
	*collector
	before uint64 // instructions

	// What the machine has counted for it.
	instructions uint64
	existed      []trace.GID
	assumed      []vm.Assumption
	covered      noted
}

// Split implements por.Mergeable.
//
// inSubtree: what a user's ignore rules have matched is noted and not marked, as a subtree may be
// dropped (por/optimal: restartSequentially). What was known when the search began again does not stop it.
func (c *collector) Split(sys por.System) por.Subsearch {
	m := sys.(Machine)
	if m == c.m {
		c.merged.unsplit = false // what is executed on it are subtrees
	}
	p := &subsearch{collector: newCollector(c.limit, m, c.opts)}
	p.inSubtree = true
	if c.begunAgain {
		p.known, p.races = maps.Clone(c.earlier.bugs), maps.Clone(c.earlier.races)
	}
	return p
}

// Begin implements por.Subsearch.
//
// The path to the subtree has been executed by then, so its steps are not counted twice.
func (p *subsearch) Begin() {
	p.before = p.m.Counters().Instructions
	p.m.ForgetExisted()
	p.m.ForgetCovered()
}

// End implements por.Subsearch.
func (p *subsearch) End() {
	p.instructions = p.m.Counters().Instructions - p.before
	p.existed, p.assumed = p.m.Existed(), p.m.Assumed()
	p.covered = covered(p.m)
}

// Merge implements por.Mergeable.
//
// The first subtree that has something decides what is reported first, which is why the order of
// merging is that of a search by one worker. All bugs are added even if one of them ends the
// search: they have been found before that.
func (c *collector) Merge(q por.Subsearch) bool {
	p := q.(*subsearch)
	c.merged.add(p.instructions, p.existed, p.assumed, p.covered)
	if c.ran = c.ran || p.ran; c.notRun == nil {
		c.notRun = p.notRun
	}
	c.longest, c.supposed = max(c.longest, p.longest), c.supposed || p.supposed
	for _, i := range p.used {
		c.opts.Ignores[i].Used = true
	}
	for _, x := range p.incomplete.list {
		c.incomplete.add(x)
	}
	for _, x := range p.loops.list {
		if len(c.loops.list) < maxLongLoops {
			c.loops.add(x)
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

// mergedCounters are what machines count themselves, for all subtrees that have been merged.
//
// Three things happen on machines and not in a search: instructions are executed, goroutines have
// existed, something has been assumed about the environment. With one machine they are read there
// at the end. With several they are added up with each subtree, so that what has been dropped
// does not count.
type mergedCounters struct {
	m Machine // of the search

	instructions uint64
	existed      map[trace.GID]bool
	assumed      orderedSet[vm.Assumption]
	covered      noted
	unsplit      bool   // m searches by itself,
	since        uint64 // since it had executed so many instructions
}

// newMergedCounters counts what m has done before the search.
//
// Initialising packages has executed instructions and started goroutines already.
func newMergedCounters(m Machine) *mergedCounters {
	c := &mergedCounters{m: m, existed: make(map[trace.GID]bool)}
	c.add(m.Counters().Instructions, c.m.Existed(), c.m.Assumed(), covered(m))
	c.restart()
	return c
}

// add counts each goroutine once, in however many subtrees it has existed.
func (c *mergedCounters) add(instructions uint64, existed []trace.GID, assumed []vm.Assumption, covered noted) {
	c.covered.add(covered)
	c.instructions += instructions
	for _, g := range existed {
		c.existed[g] = true
	}
	for _, x := range assumed {
		c.assumed.add(x)
	}
}

// restart: a search begins.
//
// Some searches, and those of explorers that have one worker, do something on the first machine that is in
// no subtree. It is added at the end, unless a Split shows that all they execute there are subtrees.
func (c *mergedCounters) restart() {
	c.end() // if it is not the first time
	c.m.ForgetExisted()
	c.m.ForgetCovered()
	c.unsplit, c.since = true, c.m.Counters().Instructions
}

// end adds what m has done by itself.
func (c *mergedCounters) end() {
	if c.unsplit {
		c.add(c.m.Counters().Instructions-c.since, c.m.Existed(), c.m.Assumed(), covered(c.m))
	}
}

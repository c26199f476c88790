package explore

import (
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// useWorkers lets the search use several workers, each with a replica of the machine.
func (s *exploration) useWorkers() {
	replicas := s.features.Replicas
	replicas.ShareGIDs()
	s.collector.merged = newMergedCounters(s.m)
	s.cfg.Jobs = s.opts.Jobs
	kind, await := s.opts.kind(), s.opts.await()
	s.cfg.Another = func() (por.System, por.Oracle, error) {
		m, err := replicas.Replica()
		if err != nil {
			return nil, nil, err
		}
		m.Features().await(await)
		if kind == oracle.None {
			return m, nil, nil
		}
		return m, oracle.NewLazy(s.limit.passed, func() por.Oracle { return m.Features().Facts.Oracle(kind, s.limit.passed) }), nil
	}
}

// subsearch is a collector for one subtree of a search, on a machine of its own.
type subsearch struct {
	*collector
	replicas Replicator
	before   uint64 // instructions

	// What the machine has counted for it.
	instructions uint64
	existed      []trace.GID
	assumed      []vm.Assumption
}

// Split implements por.Mergeable.
func (c *collector) Split(sys por.System) por.Subsearch {
	m := sys.(Machine)
	p := &subsearch{collector: newCollector(c.limit, m, c.opts), replicas: m.Features().Replicas}
	p.inSubtree = true
	return p
}

// Begin implements por.Subsearch.
func (p *subsearch) Begin() {
	p.before = p.m.Counters().Instructions
	p.replicas.ForgetExisted()
}

// End implements por.Subsearch.
func (p *subsearch) End() {
	p.instructions = p.m.Counters().Instructions - p.before
	p.existed, p.assumed = p.replicas.Existed(), p.replicas.Assumed()
}

// Merge implements por.Mergeable.
func (c *collector) Merge(q por.Subsearch) bool {
	p := q.(*subsearch)
	c.merged.add(p.instructions, p.existed, p.assumed)
	c.merged.unsplit = false
	if c.ran = c.ran || p.ran; c.notRun == nil {
		c.notRun = p.notRun
	}
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
	for _, b := range p.bugs {
		proceed = c.add(b, b.Schedule) && proceed
	}
	return proceed
}

// mergedCounters are what machines count themselves, for all subtrees that have been merged.
type mergedCounters struct {
	m        Machine // of the search
	replicas Replicator

	instructions uint64
	existed      map[trace.GID]bool
	assumed      orderedSet[vm.Assumption]
	unsplit      bool   // m searches by itself,
	since        uint64 // since it had executed so many instructions
}

// newMergedCounters counts what m has done before the search.
func newMergedCounters(m Machine) *mergedCounters {
	c := &mergedCounters{m: m, replicas: m.Features().Replicas, existed: make(map[trace.GID]bool)}
	c.add(m.Counters().Instructions, c.replicas.Existed(), c.replicas.Assumed())
	return c
}

func (c *mergedCounters) add(instructions uint64, existed []trace.GID, assumed []vm.Assumption) {
	c.instructions += instructions
	for _, g := range existed {
		c.existed[g] = true
	}
	for _, x := range assumed {
		c.assumed.add(x)
	}
}

// restart: the search that begins may not be split.
func (c *mergedCounters) restart() {
	c.end() // if it is not the first time
	c.replicas.ForgetExisted()
	c.unsplit, c.since = true, c.m.Counters().Instructions
}

// end adds what m has done by itself.
func (c *mergedCounters) end() {
	if c.unsplit {
		c.add(c.m.Counters().Instructions-c.since, c.replicas.Existed(), c.replicas.Assumed())
	}
}

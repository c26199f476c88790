package explore

import (
	"cmp"
	"errors"
	"fmt"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A twin is a Machine of which there can be several at a time.
type twin interface {
	Machine
	// ShareGIDs is called once, before twins are made.
	ShareGIDs()
	// another returns a machine like this one in its initial state. Both may be used at the same time.
	another() (Machine, error)
	// ForgetExisted, Existed and Sampled are those of vm.Machine.
	ForgetExisted()
	Existed() []trace.GID
	Sampled() []string
}

// another implements twin.
func (m *machine) another() (Machine, error) {
	t, err := m.Replica()
	if err != nil {
		return nil, err
	}
	return &machine{Machine: t, src: m.src, prog: m.prog, entry: m.entry}, nil
}

// jobs lets a search for c use several workers.
func (o *Options) jobs(m Machine, c *collector, cfg *por.Config) error {
	if o.Jobs <= 1 {
		return nil
	}
	t, ok := m.(twin)
	switch {
	case !o.POR.Parallel:
		return fmt.Errorf("-j %d: --por %s explores with one worker only", o.Jobs, o.POR.Name)
	case o.Hybrid == oracle.Full || o.Patient:
		// What looking ahead costs and finds decides where it is done next.
		return fmt.Errorf("-j %d: --hybrid %s learns while it explores, so that the result would depend on who is quicker; use none, fa or mhb", o.Jobs, o.Hybrid)
	case o.CheckStatic, o.CheckDuplicates, o.Explain != nil, o.Finals:
		return fmt.Errorf("-j %d: --check-static, --check-duplicates and --explain work with one worker only", o.Jobs)
	case !ok:
		return errors.New("-j: there can be only one such machine")
	}
	t.ShareGIDs()
	c.sums = beginSums(t)
	cfg.Jobs = o.Jobs
	cfg.Another = func() (por.System, por.Oracle, error) {
		x, err := t.another()
		if err != nil {
			return nil, nil, err
		}
		if a, ok := x.(awaiter); ok {
			a.Await(o.await())
		}
		if cmp.Or(o.Hybrid, oracle.None) == oracle.None {
			return x, nil, nil
		}
		return x, oracle.NewLazy(func() por.Oracle { return x.(hybridMachine).oracle(o.Hybrid) }), nil
	}
	return nil
}

// part is a collector for one piece of a search, on a machine of its own.
type part struct {
	*collector
	machine twin
	before  uint64 // instructions

	instructions uint64
	goroutines   []trace.GID
	sampled      []string
}

// Split implements por.Joint.
func (c *collector) Split(sys por.System) por.Subsearch {
	m := sys.(twin)
	p := &part{collector: newCollector(c.ctx, m, c.opts), machine: m}
	p.apart = true
	return p
}

// Begin implements por.Part.
func (p *part) Begin() {
	p.before = p.machine.Counters().Instructions
	p.machine.ForgetExisted()
}

// End implements por.Part.
func (p *part) End() {
	p.instructions = p.machine.Counters().Instructions - p.before
	p.goroutines, p.sampled = p.machine.Existed(), p.machine.Sampled()
}

// Merge implements por.Joint.
func (c *collector) Merge(q por.Subsearch) bool {
	p := q.(*part)
	c.sums.add(p.instructions, p.goroutines, p.sampled)
	c.sums.alone = false
	for _, i := range p.used {
		c.opts.Ignores[i].Used = true
	}
	for _, s := range p.incomplete.list {
		c.incomplete.add(s)
	}
	for _, s := range p.loops.list {
		if len(c.loops.list) < mostLoops {
			c.loops.add(s)
		}
	}
	for _, o := range p.outcomes {
		c.count(*o)
	}
	goOn := true
	for _, b := range p.bugs {
		goOn = c.add(b, b.Schedule) && goOn
	}
	return goOn
}

// sums are what a machine counts itself, for the pieces of a search that have been joined.
type sums struct {
	instructions uint64
	met          map[trace.GID]bool
	sampled      orderedSet
	alone        bool // the machine of the search has gone on alone, since
	since        uint64
}

func (s *sums) add(instructions uint64, met []trace.GID, sampled []string) {
	s.instructions += instructions
	for _, g := range met {
		s.met[g] = true
	}
	for _, x := range sampled {
		s.sampled.add(x)
	}
}

// beginSums counts what t has done before the search.
func beginSums(t twin) *sums {
	s := &sums{met: make(map[trace.GID]bool)}
	s.add(t.Counters().Instructions, t.Existed(), t.Sampled())
	return s
}

// restart: what comes may not be in pieces.
func (s *sums) restart(t twin) {
	s.end(t) // if it is not the first time
	t.ForgetExisted()
	s.alone, s.since = true, t.Counters().Instructions
}

// end adds what t has done alone.
func (s *sums) end(t twin) {
	if s.alone {
		s.add(t.Counters().Instructions-s.since, t.Existed(), t.Sampled())
	}
}

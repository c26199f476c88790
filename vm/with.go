package vm

import (
	"hbcheck.dev/hbcheck/load"
	"slices"
)

// With returns a machine in the initial state of the same program, with the configuration of m after change.
// The new machine does not have m's records about the environment, and numbers goroutines independently of m.
func (m *Machine) With(change func(*Config), interrupt func() bool) (*Machine, error) {
	cfg := m.cfg
	cfg.Interrupt, cfg.sharedGIDs = interrupt, nil
	cfg.waited, cfg.short, cfg.late, cfg.endless, cfg.locks, cfg.drawn, cfg.absolute, cfg.exits = nil, nil, nil, nil, nil, nil, nil, nil
	change(&cfg)
	return New(m.prog, m.entry, cfg)
}

// AnyTime changes a configuration: every timer may fire at every moment.
func AnyTime(c *Config) {
	c.InTurn = false
	c.OrderedTime, c.Slack, c.VisibleArming, c.VisibleLooks, c.jumps = false, 0, false, false, nil
}

// NoDelays changes a configuration: time passes only while all goroutines wait.
func NoDelays(c *Config) { c.Slack, c.VisibleArming, c.VisibleLooks, c.jumps = 0, false, false, nil }

// InTurn changes a configuration: no goroutine that waits on a channel is overtaken.
func InTurn(c *Config) { c.InTurn = true }

// AllOrders changes a configuration: all orders of maps are tried.
func AllOrders(c *Config) {
	//mutant: all orders are no more than some [test ./cmd/hbcheck TestScripts/orders]
	c.Maps = MapsAll
}

// A Refinement is the part of a configuration that makes searches exact: see NeedsRefining.
type Refinement struct {
	VisibleArming, VisibleLooks, VisibleEnd, AbsoluteTime, CountRests, Numbered, Elapsed bool

	Jumps []int64
	Drawn []Assumption // places of random values that matter
	Timed []string     // loops that wait for a time

	Locked Locked
	Names  NameMode
}

// Refinement returns the refinement of this machine.
func (m *Machine) Refinement() Refinement {
	c := &m.cfg
	return Refinement{c.VisibleArming, c.VisibleLooks, c.VisibleEnd, c.AbsoluteTime, c.CountRests, c.Numbered, c.Elapsed, c.jumps, c.looked, c.timed, c.locked, c.Names}
}

// Refined returns the refinement that m needs, according to its executions.
func (m *Machine) Refined() Refinement {
	r := m.Refinement()
	if m.cfg.late.noted() {
		r.VisibleLooks, r.Jumps = true, slices.Clone(m.cfg.late.jumps)
	}
	if m.Environment().NeedsAbsolute() {
		r.AbsoluteTime = m.cfg.absolute.observed.Load()
		r.CountRests = !r.AbsoluteTime
	}
	r.Numbered = r.Numbered || m.needsNumbers()
	r.Elapsed = r.Elapsed || m.needsElapsed()
	if m.needsNames() {
		//mutant: names are never labelled [test ./vm TestNames]
		r.Names = NamesLikely
	}
	r.VisibleArming = r.VisibleArming || m.Environment().NeedsArming() || r.VisibleLooks
	r.VisibleEnd = r.VisibleEnd || m.needsEnd()
	r.Drawn = m.drawnAt()
	r.Timed = m.timedPlaces()
	r.Locked = m.lockedNeeded()
	return r
}

// Refine changes a configuration to have refinement r.
func (r Refinement) Refine(c *Config) {
	c.VisibleArming, c.VisibleLooks, c.AbsoluteTime = r.VisibleArming, r.VisibleLooks, r.AbsoluteTime
	c.CountRests, c.Numbered, c.Elapsed, c.jumps = r.CountRests, r.Numbered, r.Elapsed, r.Jumps
	c.looked, c.timed, c.VisibleEnd, c.locked, c.Names = r.Drawn, r.Timed, r.VisibleEnd, r.Locked, r.Names
}

// Concrete returns the change of a configuration that sets the inputs to these values, so that no value is
// symbolic. Schedules of m are schedules of such a machine.
func (m *Machine) Concrete(given map[InputKey]uint64) func(*Config) {
	m.ShareGIDs()
	return func(c *Config) { c.Observer, c.sharedGIDs, c.Given = nil, m.sharedGIDs, given }
}

// NeedsRefining reports whether the search is inconclusive: an operation must become visible, time must
// pass at more places, or fingerprints of states must contain more.
func (v Environment) NeedsRefining() bool {
	m := v.m
	if m.Environment().NeedsArming() || m.Environment().NeedsAbsolute() || m.needsNumbers() || m.needsElapsed() || m.needsDrawn() || m.needsNames() || m.needsTimed() ||
		m.needsEnd() || m.lockedNeeded() != m.cfg.locked {
		return true
	}
	if !m.cfg.late.noted() {
		return false
	}
	return !m.cfg.VisibleLooks || len(m.cfg.late.jumps) > len(m.cfg.jumps)
}

// DrawnFirst returns the draws before the first step at which there was a look on any path.
func (v Environment) DrawnFirst() (list []Assumption) {
	for _, a := range v.m.drawnAt() {
		//mutant: a draw after the first step is one before it [test ./cmd/hbcheck TestScripts/drawn]: "[:v.m.drewFirst]" -> ""
		if slices.Contains(v.m.drew[:v.m.drewFirst], a) {
			list = append(list, a)
		}
	}
	return list
}

// New returns a machine in the initial state of entry e: packages are initialised, and the
// entry's first visible operation is pending.
//
// The beginning of an entry may be long: an RSA key takes a million iterations. If it looks at a random
// value, New begins again without labels of that value, as the search would do after the beginning (claim 5
// of labels.go in package shadow).
func New(prog *load.Program, e *load.Entry, cfg Config) (*Machine, error) {
	cfg.complete()
	m, err := initialised(prog, e, &cfg)
	if err != nil {
		return nil, err
	}
	m.adopt(cfg)
	if !cfg.Run {
		m.lockLog = make(lockLog)
	}
	m.entering = cfg.Stdin == nil && cfg.Stdout == nil && cfg.Stderr == nil && cfg.Observer == nil && cfg.Watch == nil
	//mutant: the beginning of an entry looks like initialising packages [test ./vm TestServedLabels]: "e.Enter()" -> "func() {}"
	leave := e.Enter()
	err = m.enter(e)
	leave()
	if err != nil {
		return nil, err
	}
	if m.entersAgain {
		cfg.looked = m.drawnAt()
		return New(prog, e, cfg)
	}
	m.entering = false
	m.lockedFirst, m.lockLog = m.lockLog, nil
	m.drewFirst = len(m.drew)
	m.growth.size = m.numbers()
	return m, nil
}

// Replica returns another machine in the initial state of the same program, with the same configuration. Two
// goroutines of the host may use the two machines at the same time. The two agree on the numbers of
// goroutines, and on all other numbers if SharesNumbers returns true. ShareGIDs must have been called before;
// Replica itself may be called at any time.
func (m *Machine) Replica() (*Machine, error) {
	cfg := m.cfg
	cfg.sharedGIDs = m.sharedGIDs
	cfg.Observer = nil
	return New(m.prog, m.entry, cfg)
}

package vm

import (
	"errors"
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// A search can be saved and continued in another process, whose machine then has to become equal to
// this one. A state needs no saving: the program is deterministic, so its schedule determines it.
// But some data of a machine depend on its earlier paths.
//
//  1. Functions, layouts, types, literals and goroutines get their numbers in the order of
//     discovery (link.Linker, image, internG). Numbers are part of operations and of fingerprints.
//     (Call stacks in reports of races are data, and saved unchanged.)
//  2. Records made on any path and never undone: Saved has them, unchanged.
//
// Regrow makes the numbers again in the same order: growthLog records the schedules after which
// there were more numbers than before. There are few, because a program has few functions.
//
// Claim: if a machine in the initial state executes these schedules (Regrow), one after the other, it
// gets the same numbers. By induction over the schedules: each step of a schedule except the last one
// had been executed earlier, with the numbers that existed then, or it gave no numbers. So these
// steps assign no numbers, and lead to the same state; the last step discovers the same objects in
// the same order. If a question about a state made numbers (an operation that is not pending is
// linked for inspection), it is asked again. Regrow compares the count of numbers after each
// schedule, and Restore compares the pending operations at the end.

// mostGrowth is the most steps that are recorded. A search that needs more cannot be saved.
const mostGrowth = 1 << 24

// numbers returns the count of all numbers given.
func (m *Machine) numbers() uint64 {
	return m.link.Count() + uint64(len(m.spawn))
}

// willStep records that the step (g, choice) is about to be executed.
func (l *growthLog) willStep(m *Machine, g trace.GID, choice int) {
	if m.numbers() != l.size {
		l.note(m) // given by questions since the last step
	}
	l.path = append(l.path[:m.steps], trace.Step{G: g, Choice: choice})
	l.common, l.inStep = min(l.common, m.steps), true
}

// stepped is called after a step.
func (l *growthLog) stepped(m *Machine) {
	if l.inStep = false; m.numbers() != l.size {
		l.note(m)
	}
}

// ask calls f, which answers a question about the present state, and records in x how to ask it again.
func (l *growthLog) ask(m *Machine, x Growth, f func()) {
	if !l.inStep && m.numbers() != l.size {
		l.note(m)
	}
	if f(); !l.inStep && m.numbers() != l.size {
		l.add(m, x)
	}
}

// note records the present path.
func (l *growthLog) note(m *Machine) { l.add(m, Growth{}) }

// add records the present path and the question x.
func (l *growthLog) add(m *Machine, x Growth) {
	l.size = m.numbers()
	if l.tooMany {
		return
	}
	path := l.path[:m.steps]
	l.common = min(l.common, len(path))
	x.Keep, x.Steps, x.Size = l.common, slices.Clone(path[l.common:]), l.size
	l.common = len(path)
	if l.steps += len(x.Steps); l.steps > mostGrowth {
		l.tooMany, l.list = true, nil
		return
	}
	l.list = append(l.list, x)
}

// Saved has the data that make another machine equal to this one, in the present state, after it
// has executed the schedule that leads there.
type Saved struct {
	Growth []Growth

	Counters   Counters
	ClockReads uint64
	Assumed    []Assumption
	Existed    []bool
	Cutoffs    bool
	Shrinks    bool
	Dates      map[int64]bool
	Aged       bool
	Spans      map[int64]int32
	Ticks      map[int64]bool
	SinceTicks map[int64]bool
	Seeds      map[uint64]bool
	Looked     []Assumption // see Config.drawn
	Endless    []string     // see Config.endless
	Late       bool
	Jumps      []int64
	Flags      []bool      // see flags
	Stacks     race.Stacks // numbers of call stacks
	Covered    []bool
	Contended  map[race.Stack]bool
	Orders     map[Order]uint64
	SinceGC    uint64
	GCAt       uint64

	Numbers uint64 // count of all numbers given
	Steps   int
	Objects int
	Pending []trace.Op // pending operations of goroutines that have not ended
}

// flags are the events seen on any path, by this machine or a replica.
func (m *Machine) flags() []interface {
	Load() bool
	Store(bool)
} {
	c := &m.cfg
	a := c.absolute
	return []interface {
		Load() bool
		Store(bool)
	}{c.waited, c.short, c.exits, c.muted, c.bounded, &a.hashed, &a.observed, &a.rests, &a.exchanged, &a.named, &a.elapsed, &a.passed}
}

// ErrUnsaved is the error if a machine has assigned numbers on too many paths for the search to be saved.
var ErrUnsaved = errors.New("the paths that first reach the program's functions and goroutines have too many steps")

// ErrReused is the error if the path has objects with the numbers of others, which a machine that executes
// the path again may number differently.
var ErrReused = errors.New("the path allocates too much memory")

// Save returns what Restore needs.
func (m *Machine) Save() (*Saved, error) {
	l := &m.growth
	pending := m.pendingOps()
	if m.numbers() != l.size {
		l.note(m)
	}
	if l.tooMany {
		return nil, ErrUnsaved
	}
	if m.heap.Reused || slices.ContainsFunc(m.marks, func(k mark) bool { return k.heap.Reused }) {
		return nil, ErrReused
	}
	k, late := m.times, m.cfg.late
	k.lock()
	defer k.unlock()
	s := &Saved{Growth: l.list, Counters: m.cnt, ClockReads: m.clockReads, Assumed: m.assumed, Existed: m.existed,
		Cutoffs: k.cutoffs, Shrinks: k.shrinks, Dates: k.dates, Aged: k.aged, Spans: k.spans,
		Ticks: k.ticks, SinceTicks: k.sinceTicks, Seeds: k.seeds, Looked: m.cfg.drawn.all(), Endless: slices.Sorted(slices.Values(m.cfg.endless.all())),
		SinceGC: m.heap.SinceGC, GCAt: m.heap.GCAt, Steps: m.steps, Objects: len(m.heap.Objs), Pending: pending}
	s.Numbers = m.numbers()
	if s.Covered, s.Contended, s.Orders = m.covered, m.contended, m.orders.met; m.race != nil {
		s.Stacks = m.race.Stacks
	}
	late.mu.Lock()
	s.Late, s.Jumps = late.any, slices.Clone(late.jumps)
	late.mu.Unlock()
	for _, f := range m.flags() {
		s.Flags = append(s.Flags, f.Load())
	}
	return s, nil
}

// pendingOps returns the operations of goroutines that have not ended.
func (m *Machine) pendingOps() (list []trace.Op) {
	m.Live(func(g trace.GID) { list = append(list, m.Next(g)) })
	return list
}

// errRegrown is the error if the saved data do not fit this program.
var errRegrown = errors.New("the program behaves differently from when the search was saved")

// ErrStopped is the error if Regrow had to stop.
var ErrStopped = errors.New("stopped while the machine was made equal to the saved one")

// Regrow gives the numbers that had been given when s was saved. The machine is in its initial state, and may
// have given the first of these numbers. If over becomes true it stops, with ErrStopped.
func (m *Machine) Regrow(s *Saved, over func() bool) error {
	m.growth.again = true
	if m.race != nil {
		m.race.Stacks = s.Stacks
	}
	root := m.Mark()
	defer m.Release(root)
	defer m.Rewind(root)
	var path trace.Schedule
	for _, x := range s.Growth {
		if x.Keep > len(path) {
			return errRegrown
		}
		path = append(path[:x.Keep], x.Steps...)
		if m.numbers() >= x.Size {
			continue
		}
		at := m.steps
		if at > len(path) || !slices.Equal(m.growth.path[:at], path[:at]) {
			m.Rewind(root)
			at = m.steps
		}
		for _, a := range path[at:] {
			//mutant: a machine regrows and never stops [test ./explore TestWatchedResume]: "over()" -> "false"
			if over() || m.cut.Cause != 0 {
				return ErrStopped // a step is cut when the exploration has to end
			}
			m.Step(a.G, a.Choice)
		}
		switch {
		case x.Global != "":
			g := m.link.GlobalNamed(x.Global)
			if g == nil {
				return errRegrown
			}
			m.StaticView().Address(g)
		case x.Compiled != 0:
			if int(x.Compiled) > len(m.link.Code) {
				return errRegrown
			}
			m.code(x.Compiled - 1)
		default:
			m.askAll(x.Size)
		}
		if m.numbers() != x.Size {
			return fmt.Errorf("%w: %d numbers after %d steps, not %d", errRegrown, m.numbers(), len(path), x.Size)
		}
	}
	return nil
}

// askAll asks the questions that a search may have asked in the present state, until there are
// enough numbers.
func (m *Machine) askAll(enough uint64) {
	for _, ask := range []func(){
		func() { m.Enabled(nil) },
		func() { m.pendingOps() },
		func() {
			var list []trace.GID
			m.Live(func(g trace.GID) { list = append(list, g) })
			for _, g := range list {
				m.Alternatives(g)
				m.Touches(g, nil)
			}
		},
		func() { m.Status() },
	} {
		if m.numbers() >= enough {
			return
		}
		ask()
	}
}

// Restore makes the machine equal to the saved one. Regrow has been called, the machine is in the
// saved state again, and no question since then has given numbers.
func (m *Machine) Restore(s *Saved) error {
	ops := m.pendingOps()
	if m.numbers() != s.Numbers {
		return fmt.Errorf("%w: %d numbers, not %d", errRegrown, m.numbers(), s.Numbers)
	}
	if m.steps != s.Steps || len(m.heap.Objs) != s.Objects || !slices.Equal(ops, s.Pending) {
		return fmt.Errorf("%w: %d steps and %d objects, not %d and %d, or other operations are pending", errRegrown, m.steps,
			len(m.heap.Objs), s.Steps, s.Objects)
	}
	if m.numbers() != m.growth.size {
		m.growth.note(m)
	}
	m.covered, m.contended, m.orders.met = s.Covered, s.Contended, s.Orders
	m.cnt, m.clockReads, m.assumed, m.existed = s.Counters, s.ClockReads, s.Assumed, s.Existed
	m.heap.SinceGC, m.heap.GCAt = s.SinceGC, s.GCAt
	return m.remember(s)
}

// remember adds to m all numbers and facts that the saved machine had from any path.
func (m *Machine) remember(s *Saved) error {
	k, late := m.times, m.cfg.late
	k.lock()
	k.cutoffs, k.shrinks, k.ticks, k.sinceTicks = s.Cutoffs, s.Shrinks, s.Ticks, s.SinceTicks
	k.dates, k.aged, k.spans, k.seeds = s.Dates, s.Aged, s.Spans, s.Seeds
	k.unlock()
	m.cfg.drawn.set(s.Looked)
	m.cfg.endless.set(s.Endless)
	late.mu.Lock()
	late.any, late.jumps = s.Late, s.Jumps
	late.mu.Unlock()
	flags := m.flags()
	if len(flags) != len(s.Flags) {
		return errRegrown
	}
	for i, f := range flags {
		f.Store(s.Flags[i])
	}
	return nil
}

// growthLog records when numbers were given.
type growthLog struct {
	again   bool           // the machine executes paths of a saved one
	path    trace.Schedule // schedule to the present state, and the undone part after it
	common  int            // number of first steps that the present path and the last schedule of list have in common
	list    []Growth
	size    uint64 // count of numbers at the last check
	steps   int    // number of steps in list
	inStep  bool   // a step is being executed
	tooMany bool   // list would have too many steps
}

// A Growth is a schedule whose last step assigned numbers: the first Keep steps of the previous one, then
// Steps. Size is the count of numbers after it. If static analyses have queried the address of a variable
// there, Global names it; if they have queried the code of a function, Compiled is its number plus one.
type Growth struct {
	Keep     int
	Steps    trace.Schedule
	Size     uint64
	Global   string
	Compiled uint32
}

// Package race finds data races with vector clocks over the synchronises-before edges of the Go
// memory model (go.dev/ref/mem).
//
// A Detector follows the actions of the goroutines of one execution, in its order: accesses to memory and the
// two halves of every synchronisation, releasing (a goroutine that acquires this location later knows the
// earlier actions of the releasing one) and acquiring. Take two accesses to a common byte by different
// goroutines. At least one of them is a write, and at least one is not atomic. They are a race if the later
// goroutine does not know of the earlier access. Neither the distance between the two nor their order in this
// execution matters.
//
// The algorithm is FastTrack (Flanagan and Freund, PLDI 2009): an access is remembered as one
// number, the time of its goroutine, and is known to a goroutine if its clock has reached that
// time. The differences:
//
//   - FastTrack keeps the last write, and either one read or a clock of reads. A cell here is the list of the
//     accesses that no later one subsumes (see cell). For plain accesses the two are equivalent;
//     a cell also has atomic accesses, and accesses to parts of words. So a race on a location is
//     found if and only if two accesses to it in this execution, up to now, race; of several races
//     on one location at least one is found.
//   - Accesses remember the call stack, so that both sides can be reported.
//   - Everything is undone by Rewind. Clocks never change (clock); cells, synchronisation variables
//     and goroutines are saved when they first change after a mark, as the machine's objects are.
package race

import "slices"

// Detector follows one execution. Goroutines are numbered densely in the order
// in which they start.
type Detector struct {
	Stacks Stacks

	threads []thread
	cells   []cell // numbered by cellAt
	cellAt  index
	vars    []syncVar // numbered by varAt
	varAt   index

	races  []Race
	clocks arena[clock]
	times  arena[uint32] // of clocks
	parts  arena[*chunk]
	chunks arena[chunk]
	lists  arena[entry]
	room   []entry // scratch

	epoch, lastEpoch uint64 // number of the present stretch between marks
	threadUndo       []saved[thread]
	cellUndo         []saved[cell]
	varUndo          []saved[syncVar]
}

// thread is a goroutine. The goroutine's own component of clock does not count; time has its value.
type thread struct {
	clock *clock
	time  uint32
	since uint32 // the time at which it got the clock
	saved uint64 // epoch in which it was last saved or created
	born  Stack  // the go statement
}

// A Race is two accesses that nothing orders.
type Race struct {
	At            Loc // the first byte both touch
	First, Second Side
}

// A Side is one access of a race.
type Side struct {
	G     uint32
	Stack Stack
	Access
}

// An Access is an access to memory.
type Access struct {
	Write  bool
	Atomic bool
	Tag    uint8 // the caller's word for the operation
}

// New returns a detector for an execution in which goroutine 0 has started.
func New() *Detector {
	d := &Detector{epoch: 1, lastEpoch: 1}
	d.threads = append(d.threads, thread{time: 1, saved: 1})
	return d
}

// Clone returns a detector that follows another execution, which has been the same so far. No mark may be
// open. Immutable parts, clocks and lists, are shared.
func (d *Detector) Clone() *Detector {
	c := &Detector{Stacks: Stacks{slices.Clone(d.Stacks.nodes), slices.Clone(d.Stacks.slots)}, races: slices.Clone(d.races),
		epoch: d.epoch, lastEpoch: d.lastEpoch}
	c.threads = slices.Clone(d.threads)
	c.cells, c.cellAt = slices.Clone(d.cells), d.cellAt.clone()
	for i := range d.cells {
		// Two detectors would append to the same room.
		//mutant: clones append to shared lists [test ./vm/race TestClone]: "slices.Clip(d.cells[i].more)" -> "d.cells[i].more"
		d.cells[i].more = slices.Clip(d.cells[i].more)
		c.cells[i].more = d.cells[i].more
	}
	c.vars, c.varAt = slices.Clone(d.vars), d.varAt.clone()
	return c
}

func (x *index) clone() index {
	return index{slices.Clone(x.locs), slices.Clone(x.slots), x.shift}
}

// Races returns the races between the accesses since Clear and earlier ones.
func (d *Detector) Races() []Race { return d.races }

// Clear forgets the races found so far. The recorded accesses stay.
func (d *Detector) Clear() { d.races = d.races[:0] }

// Born returns the stack of the go statement that started goroutine g.
func (d *Detector) Born(g uint32) Stack { return d.threads[g].born }

// Time returns g's time, which advances with everything that g releases.
func (d *Detector) Time(g uint32) uint32 { return d.threads[g].time }

// Known returns the time of goroutine h up to which g knows all actions of h.
func (d *Detector) Known(g, h uint32) uint32 { return d.threads[g].clock.at(h) }

// Go starts a goroutine with the knowledge of g, and returns its number.
func (d *Detector) Go(g uint32, at Stack) uint32 {
	s := d.stamp(g)
	d.threads = append(d.threads, thread{clock: d.joinStamp(nil, &s), time: 1, since: 1, saved: d.epoch, born: at})
	return uint32(len(d.threads) - 1)
}

// Forget makes g a goroutine without knowledge of others.
func (d *Detector) Forget(g uint32) { d.thread(g).clock = nil }

// thread returns goroutine g, which is going to change.
func (d *Detector) thread(g uint32) *thread {
	t := &d.threads[g]
	if t.saved != d.epoch {
		d.threadUndo = append(d.threadUndo, saved[thread]{g, *t})
		t.saved = d.epoch
	}
	return t
}

// stamp returns the knowledge of g, and advances its time.
func (d *Detector) stamp(g uint32) stamp {
	t := d.thread(g)
	s := stamp{t.clock, g, t.time, t.since}
	t.time++
	return s
}

// learn adds s to the knowledge of g.
//
// If s has come after a stamp that g gave out with its present clock, then s contains that clock, except for
// the component of g itself, which does not count. So goroutines that take turns with one lock hand one clock
// on, with one component changed each time.
func (d *Detector) learn(g uint32, s *stamp) {
	if s.g == g || s.known(d.threads[g].clock) {
		return
	}
	t := d.thread(g)
	old := t.clock
	//mutant: stamps are taken to contain clocks that are newer [test ./vm/race TestOracle]: ">= t.since" -> "+ 1 >= t.since"
	if s.rest.at(g) >= t.since {
		old = nil
	}
	t.clock, t.since = d.joinStamp(old, s), t.time
}

// Rendezvous follows a rendezvous: afterwards a and b know each other's earlier steps.
func (d *Detector) Rendezvous(a, b uint32) {
	x, y := d.stamp(a), d.stamp(b)
	d.learn(a, &y)
	d.learn(b, &x)
}

// Handoff lets goroutine to know all earlier steps of goroutine from.
func (d *Detector) Handoff(from, to uint32) {
	s := d.stamp(from)
	d.learn(to, &s)
}

package vm

import (
	"maps"
	"sync"
)

// clockFacts are facts about the clock that hold for all explored paths: events on any of them, and
// values that come from the clock or from dates. Replicas share them, because they determine which
// other events are recorded, and which values have labels.
type clockFacts struct {
	mu         *sync.Mutex     // nil: only one machine has them
	read       bool            // one of several machines has read the clock
	cutoffs    bool            // times exist that lie before a clock read
	shrinks    bool            // durations exist that end at a future time
	dates      map[int64]bool  // instants that the program has made from numbers
	aged       bool            // durations exist between those and the clock
	spans      map[int64]int32 // durations of the clock's in memory: see step_spans.go
	ticks      map[int64]bool  // instants that timers have sent
	sinceTicks map[int64]bool  // durations that end with a tick
	seeds      map[uint64]bool // clock reads that became the seed of a source
}

func (f *clockFacts) lock() {
	if f.mu != nil {
		f.mu.Lock()
	}
}

func (f *clockFacts) unlock() {
	if f.mu != nil {
		f.mu.Unlock()
	}
}

// copy returns the same facts for another machine, which does not share them.
func (f *clockFacts) copy() *clockFacts {
	c := *f
	c.mu = nil
	c.dates, c.spans = maps.Clone(f.dates), maps.Clone(f.spans)
	c.ticks, c.sinceTicks, c.seeds = maps.Clone(f.ticks), maps.Clone(f.sinceTicks), maps.Clone(f.seeds)
	return &c
}

// note records a fact.
func (f *clockFacts) note(fact *bool) {
	f.lock()
	*fact = true
	f.unlock()
}

// holds reports whether a fact has been recorded.
func (f *clockFacts) holds(fact *bool) bool {
	f.lock()
	defer f.unlock()
	return *fact
}

// clockRead reports whether the clock has been read, on any path.
func (m *Machine) clockRead() bool {
	f := m.times
	return m.clockReads > 0 || f.mu != nil && f.holds(&f.read)
}

// manySpans reports whether even an unrecorded duration may come from the clock.
func (f *clockFacts) manySpans() bool {
	f.lock()
	defer f.unlock()
	return len(f.spans) >= maxDates || len(f.sinceTicks) > 0 || f.aged
}

// seeded reports whether seed is a value of a clock read.
func (f *clockFacts) seeded(seed uint64) bool {
	f.lock()
	defer f.unlock()
	return f.seeds[seed]
}

// noteSeed records that a clock read is the seed of a source of random numbers. Only the source
// knows the number, so the assumption names the values drawn from it. A source that happens to have the
// same seed counts as such a source.
func (f *clockFacts) noteSeed(seed uint64) {
	f.lock()
	defer f.unlock()
	if f.seeds == nil {
		f.seeds = map[uint64]bool{}
	}
	f.seeds[seed] = true
}

// startTime is the time in nanoseconds since 1970 at which the clock starts: a moment after
// 2026-02-03 04:05:06. No second, hour, day or year begins then, which could make a program act. bubbleTime
// is the time at which a bubble's clock starts, as package synctest promises: 2000-01-01.
const (
	startTime  int64 = 1770091506_123456789
	bubbleTime int64 = 946684800_000000000
)

// maxDates bounds the dates that are kept. With more dates all Times without a monotonic reading count as
// dates.
const maxDates = 1 << 14

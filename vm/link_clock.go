package vm

import (
	"maps"
	"sync"
)

// clockFacts are facts about the clock that hold for all paths explored: what has been noticed on any of
// them, and values that come from the clock or from dates. Replicas share them, as they decide what else is
// noticed, and what has a label.
type clockFacts struct {
	mu         *sync.Mutex     // nil: one machine has them
	read       bool            // one of several machines has read the clock
	cutoffs    bool            // there are times that lie before one that the clock has shown
	shrinks    bool            // there are durations until a time to come
	dates      map[int64]bool  // instants that the program has made of numbers
	aged       bool            // there are durations between those and the clock
	spans      map[int64]int32 // durations of the clock's that are in memory: see step_spans.go
	ticks      map[int64]bool  // instants that timers have sent, and durations
	sinceTicks map[int64]bool  // that end with one
	seeds      map[uint64]bool // what the clock has shown that became the seed of a source
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

// copy returns the same facts for another machine, which shares them with none.
func (f *clockFacts) copy() *clockFacts {
	c := *f
	c.mu = nil
	c.dates, c.spans = maps.Clone(f.dates), maps.Clone(f.spans)
	c.ticks, c.sinceTicks, c.seeds = maps.Clone(f.ticks), maps.Clone(f.sinceTicks), maps.Clone(f.seeds)
	return &c
}

// note notes a fact.
func (f *clockFacts) note(fact *bool) {
	f.lock()
	*fact = true
	f.unlock()
}

// holds reports whether a fact has been noted.
func (f *clockFacts) holds(fact *bool) bool {
	f.lock()
	defer f.unlock()
	return *fact
}

// clockRead reports whether the clock has been read, on any path.
func (m *Machine) clockRead() bool {
	k := m.link
	return m.clockReads > 0 || k.mu != nil && k.holds(&k.read)
}

// manySpans reports whether a duration may be one of the clock's for another reason than that it is
// known as one.
func (f *clockFacts) manySpans() bool {
	f.lock()
	defer f.unlock()
	return len(f.spans) >= maxDates || len(f.sinceTicks) > 0 || f.aged
}

// seeded reports whether seed is one that the clock has shown.
func (f *clockFacts) seeded(seed uint64) bool {
	f.lock()
	defer f.unlock()
	return f.seeds[seed]
}

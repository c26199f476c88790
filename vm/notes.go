package vm

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Notes are events on any path of any replica. They determine whether a search has to begin again, with a
// finer machine (Refinement), or what it assumes. Replicas share them.

// Bounds of a lateness.
const (
	maxJumps = 4
	allLeft  = math.MaxInt64 // all the remaining time passes
	sameLook = 64            // smaller amounts count as the time that a look takes
)

// A lateness has the amounts of time after which comparisons have, or would have, another outcome.
type lateness struct {
	mu    sync.Mutex
	any   bool
	still bool    // see Environment.StoodStill
	jumps []int64 // the amounts that had to pass: these, and those of Config.jumps
}

// noted reports whether a comparison was recorded. Like all methods it locks l, which the machines
// of several workers share.
func (l *lateness) noted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.any
}

// stand records that the program has compared times that differ by less than a clock read takes.
func (l *lateness) stand() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.still = true
}

// StoodStill reports whether the program has compared times that are equal only because the clock stands
// still between clock reads (Config.Slack is 0). Natively the later one is larger: a test that requires a
// positive duration fails only here.
func (v Environment) StoodStill() bool {
	l := v.m.cfg.late
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.still
}

// note records that a comparison would have another outcome if d had passed, and reports whether
// there is room for the amount.
//
//	if time.Since(start) > 50*time.Millisecond {     d is 50 ms less the time since start
func (l *lateness) note(d int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.any = true
	const tick, looks = 100, sameLook
	if d < looks {
		return true // all looks differ by this much already
	}
	if d < allLeft-tick-looks {
		d = (d + looks + tick - 1) / tick * tick
	}
	i, ok := slices.BinarySearch(l.jumps, d)
	if !ok && len(l.jumps) < maxJumps {
		l.jumps = slices.Insert(slices.Clone(l.jumps), i, d)
		ok = true
	}
	return ok
}

// join adds the records of o, and reports whether there is room for all amounts.
func (l *lateness) join(o *lateness) (ok bool) {
	o.mu.Lock()
	noted, jumps := o.any, o.jumps // a slice of amounts is not changed
	o.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.any = l.any || noted
	for _, d := range jumps {
		i, found := slices.BinarySearch(l.jumps, d)
		switch {
		case found:
		case len(l.jumps) == maxJumps:
			return false
		default:
			l.jumps = slices.Insert(slices.Clone(l.jumps), i, d)
		}
	}
	return true
}

// absolutes records events, on any path of any replica, that make the search begin again.
type absolutes struct {
	hashed   atomic.Bool // there are fingerprints with relative times
	observed atomic.Bool // claim 5 in state_time.go
	rests    atomic.Bool // claim 6 there
	// The same for identical goroutines: see state_symmetry.go.
	exchanged atomic.Bool
	named     atomic.Bool
	numbered  atomic.Uint64 // see state_names.go
	// elapsed and passed are about durations that may come from the clock: see step_elapsed.go.
	elapsed, passed atomic.Bool
}

// A noted is a set of events on any path of any replica.
type noted[T comparable] struct {
	mu   sync.Mutex
	list []T
}

// add adds x.
func (n *noted[T]) add(x T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.list, x) {
		n.list = append(n.list, x)
	}
}

// all returns the events.
func (n *noted[T]) all() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// set replaces the events.
func (n *noted[T]) set(list []T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = list
}

// lockedLoops records events, on any path of any replica, that change Config.locked.
type lockedLoops struct{ cut, never atomic.Bool }

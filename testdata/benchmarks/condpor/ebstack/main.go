// EBStack: the stack of Treiber with an array in which goroutines meet that have failed to change the
// top. The place that a goroutine tries is unknown. n goroutines push and m pop, each with one attempt.
//
//	ebstack n m
package main

import (
	cells "hbcheck.dev/benchmarks/condpor/cells/native"
	"hbcheck.dev/benchmarks/condpor/harness"
	values "hbcheck.dev/benchmarks/condpor/values/symbolic"
)

type node struct {
	value int
	next  *node
}

// An offer is what a goroutine has left at a place; there is none at an empty one.
type offer struct {
	value *int // nil: of a goroutine that pops
	busy  bool // another goroutine has answered
}

// The offers of all goroutines that pop are the same.
var waiting, busy = &offer{}, &offer{busy: true}

func newOffer(value *int, isBusy bool) *offer {
	switch {
	case value != nil:
		return &offer{value, isBusy}
	case isBusy:
		return busy
	}
	return waiting
}

type stack struct {
	top    cells.Ptr[node]
	places []cells.Ptr[offer]
}

func (s *stack) push(x, place int) {
	old := s.top.Load()
	if !s.top.CompareAndSwap(old, &node{x, old}) {
		exchange(s.place(place), &x)
	}
}

func (s *stack) pop(place int) {
	old := s.top.Load()
	if old == nil || !s.top.CompareAndSwap(old, old.next) {
		exchange(s.place(place), nil)
	}
}

func (s *stack) place(k int) *cells.Ptr[offer] {
	last := len(s.places) - 1
	for i := range last {
		if k == i {
			return &s.places[i]
		}
	}
	return &s.places[last]
}

// exchange gives mine for what another goroutine has, if there is one.
func exchange(place *cells.Ptr[offer], mine *int) *int {
	other := place.Load()
	switch {
	case other == nil:
		own := newOffer(mine, false)
		if !place.CompareAndSwap(nil, own) {
			return nil
		}
		if other = place.Load(); other.busy {
			place.Store(nil)
			return other.value
		}
		if !place.CompareAndSwap(own, nil) {
			other = place.Load()
			place.Store(nil)
			return other.value
		}
	case !other.busy:
		if place.CompareAndSwap(other, newOffer(mine, true)) {
			return other.value
		}
	}
	return nil
}

func main() {
	n, m := harness.Args()
	places := make([]int, n+m)
	for i := range places {
		places[i] = values.Below(n)
	}
	s := &stack{places: make([]cells.Ptr[offer], n)}
	harness.Run(n, func(i int) { s.push(i, places[i]) }, m, func(i int) { s.pop(places[n+i]) })
}

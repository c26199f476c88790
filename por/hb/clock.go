package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Vector clocks (Mattern 1988). The clock of an event says how many events of each goroutine happen
// before it, itself included. A clock also stands for a down-closed set of events: the first c[g]
// events of each goroutine g.
//
//	           g0 g1 g2
//	e0 of g0   1  0  0
//	e1 of g1   0  1  0
//	e2 of g0   2  1  0        e2 depends on e1: {e0, e1, e2} happen before or are e2
//	e3 of g2   0  0  1        e3 is concurrent with all of them
//
// Whether e happens before f is one comparison: f's clock at e's goroutine is at least e's
// number.

// Clock returns the clock of event i. It is valid until the next event is executed.
func (x *Execution) Clock(i int) []uint32 { return x.clocks[i*x.Width : (i+1)*x.Width] }

// Before reports whether event i belongs to c: whether it happens before an event with that clock,
// or is that event.
func (x *Execution) Before(i int, c []uint32) bool {
	e := &x.keys[i]
	return c[e.G] >= e.N
}

// Join adds event j, and the events before it, to c.
func (x *Execution) Join(c []uint32, j int) {
	d := x.Clock(j)
	c = c[:len(d)]
	for g, n := range d {
		c[g] = max(c[g], n)
	}
}

// An EventID names an event: the N-th one of goroutine G, from 1. The zero value stands for
// the initial contents of memory.
type EventID struct {
	G trace.GID
	N uint32
}

// ID returns the name of event i.
func (x *Execution) ID(i int) EventID { return EventID{x.keys[i].G, x.keys[i].N} }

// A Digest stands for an event in a hash and an order of a set of events that do not depend on the order in
// which they were executed.
type Digest struct {
	Hash uint64 // of the event's goroutine, number, label and clock
	Age  uint64 // the sum of its clock, which is larger than those of events that happen before it
}

// DigestOf returns the digest of event i, which is computed once.
func (x *Execution) DigestOf(i int) Digest {
	for len(x.digests) <= i {
		x.digests = append(x.digests, Digest{})
	}
	d := &x.digests[i]
	if d.Age == 0 {
		*d = x.DigestWith(i, x.Clock(i))
	}
	return *d
}

// DigestWith returns the digest of event i with another clock.
func (x *Execution) DigestWith(i int, clock []uint32) (d Digest) {
	e := &x.keys[i]
	d.Hash = por.Mix(uint64(e.G)<<32|uint64(e.N)) ^ x.Events[i].Label
	for g, n := range clock {
		if n > 0 {
			d.Hash = por.Mix(d.Hash ^ uint64(g)<<32 ^ uint64(n))
			d.Age += uint64(n)
		}
	}
	return d
}

// Entry returns the number of events of g in c, which may be shorter than the clocks of an
// Execution.
func Entry(c []uint32, g trace.GID) uint32 {
	if int(g) < len(c) {
		return c[g]
	}
	return 0
}

// Union returns the union of two sets.
func Union(a, b []uint32) []uint32 {
	c := make([]uint32, max(len(a), len(b)))
	copy(c, a)
	for g, n := range b {
		c[g] = max(c[g], n)
	}
	return c
}

// WithoutEvent returns c without event x, which is the last one of its goroutine in c or not in c.
//
// The caller makes sure that nothing in c happens after x, so that the result is down-closed, too.
func WithoutEvent(c []uint32, x EventID) []uint32 {
	c = slices.Clone(c)
	if int(x.G) < len(c) {
		c[x.G] = min(c[x.G], x.N-1)
	}
	return c
}

// WithEvent adds event x, with those of its goroutine before it, to c.
//
// The result is down-closed only if c already has the events that happen before x.
func WithEvent(c []uint32, x EventID) []uint32 {
	for int(x.G) >= len(c) {
		c = append(c, 0)
	}
	c[x.G] = max(c[x.G], x.N)
	return c
}

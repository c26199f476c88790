package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Duplicates are the classes executed so far, with por.Config.CheckDuplicates: by the fingerprint
// of each the number of its first execution.
//
// A class is a set of events with the happens-before relation of these. So its fingerprint is a sum
// over the events, which does not depend on their order: of a hash of the event's name and its
// clock (and, with Relation.ReadsFrom, of what it reads from, which does not follow from its clock). It is
// computed neither from the order of execution nor from states. The chance that two of 2^40 classes
// have the same is below 2^-47.
//
// An execution that ends the program while other goroutines could continue (a crash, main
// returning) is left out: what they have done by then makes no difference to the end, so the same
// end is found in several executions. After a crash, or an assumption that does not hold, nothing
// is checked any more: explorers continue as if the goroutine had not crashed, and do not claim to
// execute what follows once.
type Duplicates struct {
	seen    map[por.Hash]uint64 // nil: nothing is checked
	crashed bool
	First   *por.Duplicate // the first execution of a class that was known, or nil
}

// NewDuplicates returns no classes.
func NewDuplicates(cfg por.Config) Duplicates {
	if cfg.CheckDuplicates {
		return Duplicates{seen: make(map[por.Hash]uint64)}
	}
	return Duplicates{}
}

// Leaf adds the execution x, the n-th one, which ends with st and whose schedule is path, and
// reports whether its class is new. One that is redundant counts as none.
func (d *Duplicates) Leaf(x *Execution, st por.Status, n uint64, path trace.Schedule) bool {
	if d.seen == nil || d.First != nil || d.crashed || st == por.Redundant {
		return true
	}
	if n := len(x.Events); n > 0 && x.Events[n-1].EndsExecution {
		d.crashed = x.Events[n-1].Op.Kind != trace.Exit
		return true
	}
	class := x.fingerprint()
	if old, known := d.seen[class]; known {
		d.First = &por.Duplicate{First: old, Second: n, Schedule: append(trace.Schedule(nil), path...)}
		return false
	}
	d.seen[class] = n
	return true
}

// Bytes is about the memory in use: a map is between half and entirely full.
func (d *Duplicates) Bytes() int64 { return int64(len(d.seen)) * 48 }

// fingerprint is that of the execution's class: see Duplicates.
//
// The two halves are summed apart. Entries of a clock are mixed in by goroutine, so clocks that
// differ by goroutines without events have equal fingerprints: the width of rows makes no
// difference.
func (x *Execution) fingerprint() por.Hash {
	var h por.Hash
	for i := range x.Events {
		e := &x.Events[i]
		a := por.Mix(uint64(e.G)<<32 | uint64(x.keys[i].N))
		a = por.Mix(a ^ e.Label)
		if e.PartnerOp.Kind != trace.None {
			a = por.Mix(a ^ uint64(e.Partner+1))
		}
		if x.rel.ReadsFrom {
			a = por.Mix(a ^ uint64(x.Sources[i].G)<<32 ^ uint64(x.Sources[i].N))
		}
		b := por.Mix(^a)
		for g, c := range x.Clock(i) {
			if c > 0 {
				v := por.Mix(uint64(g)<<32 | uint64(c))
				a, b = por.Mix(a^v), por.Mix(b+v)
			}
		}
		h[0] += a
		h[1] += b
	}
	return h
}

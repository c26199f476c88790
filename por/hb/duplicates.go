package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Duplicates checks that no class is executed twice, with por.Config.CheckDuplicates. It maps the
// fingerprint of each class to the number of its first execution.
//
// A class is a set of events with their happens-before relation. So its fingerprint is a sum over the events,
// in any order: each adds a hash of its name and its clock. With Relation.ReadsFrom the hash includes the
// event's source, which does not follow from the clock. The fingerprint is computed neither from the order of
// execution nor from states. The chance of a collision among 2^40 classes is below 2^-47.
//
// An execution that ends the program while other goroutines could continue (a crash, main
// returning) is left out: their progress makes no difference to the end, so several executions have
// the same end. After a crash, or an assumption that does not hold, later events are not checked: explorers
// continue as if the goroutine had not crashed, and do not guarantee to execute the rest only once.
type Duplicates struct {
	seen    map[por.Hash]uint64 // nil: nothing is checked
	crashed bool
	First   *por.Duplicate // the first execution of a known class, or nil
}

// NewDuplicates returns an empty set of classes.
func NewDuplicates(cfg por.Config) Duplicates {
	if cfg.CheckDuplicates {
		return Duplicates{seen: make(map[por.Hash]uint64)}
	}
	return Duplicates{}
}

// Leaf adds the execution x, the n-th one, which ends with st and whose schedule is path, and
// reports whether its class is new. Redundant executions do not count.
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

// Bytes returns about the memory in use: a map is at least half full.
func (d *Duplicates) Bytes() int64 { return int64(len(d.seen)) * 48 }

// fingerprint returns the fingerprint of the execution's class: see Duplicates.
//
// The two halves are summed separately. Entries of a clock are hashed with their goroutine. So goroutines
// without events make no difference, and neither does the width of rows.
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

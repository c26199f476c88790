package hb

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Duplicates are the classes executed so far, with Config.CheckDuplicates: the number of its execution
// by the fingerprint of each.
//
// A class is its events and what happens before each, so the fingerprint is a sum over the events of an
// execution, which does not depend on their order: of a hash of the event's name and of its
// clock (and what it reads from, in ReadsFrom: that does not follow from its clock). It is not computed from the order of execution, nor from states. (The chance that two of
// 2^40 classes have one fingerprint is below 2^-47.)
//
// An execution that ends the program while others could have gone on (a crash, main returning) is not looked at:
// what the others have done by then makes no difference to it, so the same end is met in several executions. Behind
// a crash or an assumption that does not hold nothing is looked at any more: explorers go on as if the goroutine had not crashed,
// and then do not claim to execute what comes next only once.
type Duplicates struct {
	seen    map[por.Hash]uint64
	crashed bool
	First   *por.Duplicate
}

func NewDuplicates(cfg por.Config) Duplicates {
	if cfg.CheckDuplicates {
		return Duplicates{seen: make(map[por.Hash]uint64)}
	}
	return Duplicates{}
}

// Leaf takes the execution x, the n-th one, whose schedule is path, and reports whether its class is new.
func (d *Duplicates) Leaf(x *Execution, n uint64, path trace.Schedule) bool {
	if d.seen == nil || d.First != nil || d.crashed {
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

// Bytes is the memory in use, about: a table is between half and entirely full.
func (d *Duplicates) Bytes() int64 { return int64(len(d.seen)) * 48 }

// fingerprint fingerprints the class of the execution: see duplicates.
func (x *Execution) fingerprint() por.Hash {
	var h por.Hash
	for i := range x.Events {
		e := &x.Events[i]
		a := por.Mix(uint64(e.G)<<32 | uint64(x.Keys[i].N))
		a = por.Mix(a ^ e.Label)
		if e.PartnerOp.Kind != trace.None {
			a = por.Mix(a ^ uint64(e.Partner+1))
		}
		if x.ReadsFrom {
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

package por

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// A Duplicate is two executions of one class that an explorer has executed which claims to
// execute each class once.
type Duplicate struct {
	First, Second uint64         // their numbers, in the order they were executed in, from 1
	Schedule      trace.Schedule // of the second
}

// String tells which they are.
func (d *Duplicate) String() string {
	return fmt.Sprintf("executions %d and %d are equivalent; the latter is %v", d.First, d.Second, d.Schedule)
}

// duplicates are the classes executed so far, with Config.CheckDuplicates: the number of its execution
// by the fingerprint of each.
//
// A class is its events and what happens before each, so the fingerprint is a sum over the events of an
// execution, which does not depend on their order: of a hash of the event's name and of its
// clock (and what it reads from, in readsFrom: that does not follow from its clock). It is not computed from the order of execution, nor from states. (The chance that two of
// 2^40 classes have one fingerprint is below 2^-47.)
//
// An execution that ends the program while others could have gone on (a crash, main returning) is not looked at:
// what the others have done by then makes no difference to it, so the same end is met in several executions. Behind
// a crash or an assumption that does not hold nothing is looked at any more: explorers go on as if the goroutine had not crashed,
// and then do not claim to execute what comes next only once.
type duplicates struct {
	seen    map[Hash]uint64
	crashed bool
	first   *Duplicate
}

func newDuplicates(cfg Config) duplicates {
	if cfg.CheckDuplicates {
		return duplicates{seen: make(map[Hash]uint64)}
	}
	return duplicates{}
}

// leaf takes the execution x, the n-th one, whose schedule is path, and reports whether its class is new.
func (d *duplicates) leaf(x *execution, n uint64, path trace.Schedule) bool {
	if d.seen == nil || d.first != nil || d.crashed {
		return true
	}
	if n := len(x.events); n > 0 && x.events[n-1].over {
		d.crashed = x.events[n-1].op.Kind != trace.Exit
		return true
	}
	class := x.class()
	if old, known := d.seen[class]; known {
		d.first = &Duplicate{First: old, Second: n, Schedule: append(trace.Schedule(nil), path...)}
		return false
	}
	d.seen[class] = n
	return true
}

// bytes is the memory in use, about: a table is between half and entirely full.
func (d *duplicates) bytes() int64 { return int64(len(d.seen)) * 48 }

// class fingerprints the class of the execution: see duplicates.
func (x *execution) class() Hash {
	var h Hash
	for i := range x.events {
		e := &x.events[i]
		a := mix(uint64(e.g)<<32 | uint64(x.briefs[i].n))
		a = mix(a ^ e.label)
		if e.with.Kind != trace.None {
			a = mix(a ^ uint64(e.mate+1))
		}
		if x.rf {
			a = mix(a ^ uint64(x.src[i].g)<<32 ^ uint64(x.src[i].n))
		}
		b := mix(^a)
		for g, c := range x.clock(i) {
			if c > 0 {
				v := mix(uint64(g)<<32 | uint64(c))
				a, b = mix(a^v), mix(b+v)
			}
		}
		h[0] += a
		h[1] += b
	}
	return h
}

package oracle

import (
	"time"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/trace"
)

// Lazy is an oracle that is made when it is first needed: a program whose
// goroutines never have a choice is not analysed.
type Lazy struct {
	// Threshold is the number of questions without an answer before the oracle is made.
	Threshold int
	// Thrifty leaves questions out where they bring nothing.
	Thrifty bool
	// Took is the time that it took to make the oracle.
	Took time.Duration

	over    func() bool       `saved:"-"` // if it returns true, the Lazy has no answers any more
	make    func() por.Oracle `saved:"-"`
	made    por.Oracle        `saved:"-"`
	isMade  bool
	thrifts thrifts
}

// NewLazy returns an oracle with the answers of the oracle that make returns. make may return nil
// if over returns true. From then on the Lazy has no answers, because the analysis may be
// incomplete.
func NewLazy(over func() bool, make func() por.Oracle) *Lazy { return &Lazy{over: over, make: make} }

// Skip implements por.Oracle.
func (o *Lazy) Skip(g trace.GID, op *trace.Op) string {
	if o.Threshold > 0 {
		o.Threshold--
		return ""
	}
	if o.over() {
		return ""
	}
	if !o.isMade {
		if o.Remake(); !o.isMade {
			return ""
		}
	}
	reason := ""
	if o.Thrifty {
		reason = o.thrifts.ask(o.made, g, op)
	} else {
		reason = o.made.Skip(g, op)
	}
	if o.over() {
		return ""
	}
	return reason
}

// Habits implements por.Habits.
func (o *Lazy) Habits() []byte { return habits(&o.Threshold, &o.thrifts) }

// Adopt implements por.Habits.
func (o *Lazy) Adopt(habits []byte) {
	o.Threshold, o.thrifts = 0, thrifts{}
	adopt(habits, &o.Threshold, &o.thrifts)
}

// Looked implements por.Oracle.
func (o *Lazy) Looked() uint64 {
	if o.isMade {
		return o.made.Looked()
	}
	return 0
}

// Remake makes the oracle for a resumed search that already had one.
func (o *Lazy) Remake() {
	begin := time.Now()
	o.made = o.make()
	o.Took += time.Since(begin)
	o.isMade = o.made != nil
}

// Learned returns the data of the oracle, if there is one by now and it learns: they are saved with a
// search.
func (o *Lazy) Learned() any {
	if l, ok := o.made.(*lookahead.Oracle); ok {
		return l.Learned()
	}
	return nil
}

// Made reports whether the oracle has been made.
func (o *Lazy) Made() bool { return o.isMade }

// Watches implements por.Oracle. The oracle that is made may watch.
func (o *Lazy) Watches() bool { return true }

// Stepping implements por.Oracle.
func (o *Lazy) Stepping(g trace.GID, op *trace.Op) {
	if o.isMade {
		o.made.Stepping(g, op)
	}
}

// Rewound implements por.Oracle.
func (o *Lazy) Rewound() {
	if o.isMade {
		o.made.Rewound()
	}
}

// Cost returns how many choices cost about as much as analysing prog. The
// analysis of a test with package testing (2200 declared functions) takes 40 ms, that
// of a program with net/http (7700) half a minute; a choice, some microseconds. Most
// tests have less than a hundred.
func Cost(prog *load.Program) int {
	n := prog.Size()
	large := max(0, n-2500)
	return n/4 + large*large/10
}

package oracle

import (
	"fmt"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A query inspects all other goroutines, and if goroutines interact all the time, its answer is nearly
// always no. So the oracle counts the cost and the benefit of queries, at each point of the program and in
// total. It skips queries for a while if the last vainQuestions queries had no benefit anywhere, or if those
// at a point cost vainLooks more than their benefit. To skip a query means to make the choice, which is
// always sound.
//
//	1000 useless │ 1000 skipped │ 100 useless │ 2000 skipped │ 100 useless │ 4000 skipped ...
//	             │                │  one helps: 1000 more are made
//
// A skipped choice saves a step of each other goroutine, and the steps after it: by measurement, as much as
// helpLooks, or helpTimes the query. In the suites of `hbcheck bench` each useful answer takes 3 to 15 looks
// if facts are worthwhile, and 35 to 800 if the search takes longer with them.
//
// Queries and looks are counted, and time is not measured, so that the search is the same on every
// machine.
const (
	vainQuestions = 1000
	trial         = 100
	mostUnasked   = 1 << 20
	vainLooks     = 1000
	helpLooks     = 32
	helpTimes     = 4
)

// thrift decides whether to ask one kind of question.
type thrift struct {
	vain  int // queries since the last useful one, or looks without a benefit
	pause int // how many were left out the last time
	left  int // how many are still to be left out
}

// spares reports whether the next question is not to be asked.
func (t *thrift) spares() bool {
	if t.left == 0 {
		return false
	}
	t.left--
	return true
}

// note records whether a question has helped.
func (t *thrift) note(helped bool) {
	if helped {
		*t = thrift{}
		return
	}
	if t.vain++; t.vain >= vainQuestions {
		t.leaveOut(vainQuestions)
	}
}

// weigh records the cost of a question, and whether it has helped.
func (t *thrift) weigh(looks int, helped bool) {
	if t.vain += looks; helped {
		t.vain -= max(helpLooks, helpTimes*looks)
	}
	switch {
	case t.vain <= 0:
		*t = thrift{}
	case t.vain >= vainLooks:
		t.leaveOut(vainLooks)
	}
}

// leaveOut leaves out twice as many questions as the last time; a trial follows.
func (t *thrift) leaveOut(most int) {
	t.vain = most - trial
	t.pause = min(max(2*t.pause, vainQuestions), mostUnasked)
	t.left = t.pause
}

// thrifts decide at each point of the program, and as a whole.
type thrifts struct {
	whole  thrift
	points map[point]*thrift
	recent [64]recentPoint `saved:"-"` // the points that were queried last
}

// recentPoint is a point with its thrift.
type recentPoint struct {
	at point
	*thrift
}

// point is a place in the program.
type point struct{ fn, pc uint32 }

// ask returns the answer of o, or none if it is not asked.
func (t *thrifts) ask(o por.Oracle, g trace.GID, op *trace.Op) string {
	here := t.of(point{op.Func, op.PC})
	if spared, all := here.spares(), t.whole.spares(); spared || all {
		return ""
	}
	looked := int(o.Looked())
	reason := o.Skip(g, op)
	here.weigh(max(1, int(o.Looked())-looked), reason != "")
	t.whole.note(reason != "")
	return reason
}

// of returns the record of the questions at a point.
func (t *thrifts) of(at point) *thrift {
	last := &t.recent[(at.fn*31+at.pc)%uint32(len(t.recent))]
	if last.thrift != nil && last.at == at {
		return last.thrift
	}
	here := t.points[at]
	if here == nil {
		here = new(thrift)
		if t.points == nil {
			t.points = make(map[point]*thrift)
		}
		t.points[at] = here
	}
	*last = recentPoint{at, here}
	return here
}

// ThriftyParts is p without useless queries and without the first ones, so that a search with few states
// shows all of them.
func ThriftyParts(p por.Parts, first int) por.Parts {
	return &thriftyParts{Parts: p, questions: thrift{left: first}}
}

// Habits implements por.Habits.
func (o *thriftyParts) Habits() []byte { return habits(&o.questions) }

// Adopt implements por.Habits.
func (o *thriftyParts) Adopt(habits []byte) {
	o.questions = thrift{}
	adopt(habits, &o.questions)
}

// habits returns variables in bytes, and adopt fills them with these.
func habits(of ...any) []byte {
	data, err := saved.Marshal(of...)
	if err != nil {
		panic(err)
	}
	return data
}

func adopt(habits []byte, of ...any) {
	if habits == nil {
		return
	}
	if err := saved.Unmarshal(habits, of...); err != nil {
		panic(fmt.Sprintf("BUG: habits of an oracle: %v", err))
	}
}

type thriftyParts struct {
	por.Parts `saved:"-"`
	questions thrift
}

// Part implements por.Parts.
func (o *thriftyParts) Part(enabled []trace.GID) []trace.GID {
	if o.questions.spares() {
		return nil
	}
	part := o.Parts.Part(enabled)
	o.questions.note(part != nil)
	return part
}

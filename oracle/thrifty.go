package oracle

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A question takes a look at all other goroutines, and where goroutines meet at every turn the answer
// is always no. So it is noted what questions bring, at each point of the program and as a whole, and
// where the last vainQuestions have brought nothing none is asked for a while. Not to ask is to make
// the choice, which is always right.
//
//	1000 in vain │ 1000 not asked │ 100 in vain │ 2000 not asked │ 100 in vain │ 4000 not asked ...
//	             │                │  one helps: 1000 more are asked
//
// Questions are counted and no time is taken, so that what is explored is the same on every machine.
const (
	vainQuestions = 1000
	trial         = 100
	mostUnasked   = 1 << 20
)

// thrift decides whether to ask one kind of question.
type thrift struct {
	vain  int // questions since one has helped
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

// note notes whether a question has helped.
func (t *thrift) note(helped bool) {
	if helped {
		*t = thrift{}
		return
	}
	if t.vain++; t.vain >= vainQuestions {
		t.vain = vainQuestions - trial
		t.pause = min(max(2*t.pause, vainQuestions), mostUnasked)
		t.left = t.pause
	}
}

// thrifts decide at each point of the program, and as a whole.
type thrifts struct {
	whole  thrift
	points map[point]*thrift
}

// point is a place in the program.
type point struct{ fn, pc uint32 }

// ask returns the answer of o, or none if it is not asked.
func (t *thrifts) ask(o por.Oracle, g trace.GID, op *trace.Op) string {
	at := point{op.Func, op.PC}
	here := t.points[at]
	if here == nil {
		here = new(thrift)
		if t.points == nil {
			t.points = make(map[point]*thrift)
		}
		t.points[at] = here
	}
	if spared, all := here.spares(), t.whole.spares(); spared || all {
		return ""
	}
	reason := o.Skip(g, op)
	here.note(reason != "")
	t.whole.note(reason != "")
	return reason
}

// ThriftyParts is p without the questions that bring nothing, and without the first ones: a search
// that has few states shows them as they are.
func ThriftyParts(p por.Parts, first int) por.Parts {
	return &thriftyParts{Parts: p, questions: thrift{left: first}}
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

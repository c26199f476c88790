package static

import "golang.org/x/tools/go/ssa"

// MustWait is the must-wait analysis (SPIN 2014, section 4.4, item I2): the
// classes that can be accessed only after a Cond.Wait or a channel operation,
// on every path.
//
// The paper starts from the full set of fields and removes those that are accessed. Here the complement is
// computed, Unwaited: the classes that can be accessed without waiting first. Transfer: an access adds its
// class; Wait, send and receive end the path, so that later events do not count. Select statements wait on
// the edge of the case that happened, not on that of their default.
//
// Wait always blocks; a channel operation need not: whether it does depends on the live state. Timers send,
// so waiting for one proves nothing. The may-notify analysis covers that.
type MustWait struct {
	*Engine[May]
	accesses *FieldAccess
}

// NewMustWait returns the analysis. accesses has the classes that are accessed at all.
func NewMustWait(b *Base, accesses *FieldAccess) *MustWait {
	return &MustWait{NewEngine[May](b, &mayDomain{sets: b.Sets, event: func(e *Event) May {
		switch e.Kind {
		case AccessEvent:
			//mutant: all goroutines wait [micro guarded]: "b.Sets.Of(e.N)" -> "Empty"
			return May{b.Sets.Of(e.N), true}
		case WaitEvent, RecvEvent, SendEvent:
			return May{Exits: false}
		}
		return May{Exits: true}
	}}), accesses}
}

func (*MustWait) Name() string { return "mustwait" }

func (*MustWait) Doc() string {
	return "memory that every path from here accesses only after waiting for a condition variable or channel"
}

// At implements Analysis.
func (a *MustWait) At(instr ssa.Instruction) []Fact {
	later := a.accesses.ever(instr)
	unwaited := a.total(a.Before(instr)).Set
	var facts []Fact
	for _, n := range a.base.Sets.Elems(a.base.Sets.Minus(later, unwaited)) {
		if !a.base.Acc.isSync(n) && a.base.reports(n) {
			facts = append(facts, Fact{Text: a.base.Acc.String(n), Of: a.base.Acc.String(n)})
		}
	}
	return sortFacts(facts)
}

package explore

import (
	"context"
	"errors"
	"testing"

	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestRules: for every rule there are options that break only that rule.
func TestRules(t *testing.T) {
	lookup := explorers.Lookup
	broken := [NumRules]Options{
		MatchUnsupported:   {POR: lookup("source"), Match: true},
		MatchRequired:      {POR: explorers.With("full")},
		PreemptUnsupported: {POR: lookup("optimal"), LimitPreempt: true},
		WholeUnsupported:   {POR: lookup("optimal"), WholeCalls: true},
		DuplicatesExpected: {POR: lookup("jpf"), CheckDuplicates: true},
		ExplainNeedsFacts:  {POR: lookup("jpf"), Explain: new(oracle.Place)},
	}
	broken[MatchRequired].POR.Stateless = false // there is no such explorer
	for rule, o := range broken {
		var illegal *Illegal
		if err := o.Check(); !errors.As(err, &illegal) || illegal.Rule != Rule(rule) {
			t.Errorf("rule %d: Check says %v", rule, err)
		}
		if _, err := Run(context.Background(), entryOf(faketest.New("go 1", "lock a"), "F"), o); !errors.As(err, &illegal) || illegal.Rule != Rule(rule) {
			t.Errorf("rule %d: Run says %v", rule, err)
		}
	}
	var illegal *Illegal
	o := Options{POR: lookup("jpf"), Match: true, WholeCalls: true, LimitPreempt: true}
	if err := o.Check(); !errors.As(err, &illegal) || illegal.Rule != WholeUnsupported {
		t.Errorf("calls are not interrupted, and preemptions are bounded: %v", err)
	}
	for _, e := range explorers.All() {
		if err := (&Options{POR: e, Match: !e.Stateless}).Check(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

package oracle

import (
	"go/token"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// scripted is an oracle that skips every choice and counts its queries.
type scripted struct {
	por.Passive
	asked, stepped, rewound int
}

func (s *scripted) Skip(trace.GID, *trace.Op) string { s.asked++; return "scripted" }
func (s *scripted) Stepping(trace.GID, *trace.Op)    { s.stepped++ }
func (s *scripted) Rewound()                         { s.rewound++ }

// TestLazy: the first query after the threshold makes the oracle, which then answers queries and watches.
func TestLazy(t *testing.T) {
	var s scripted
	made, over := 0, false
	o := NewLazy(func() bool { return over }, func() por.Oracle { made++; return &s })
	o.Threshold = 2
	for i, want := range []string{"", "", "scripted", "scripted"} {
		o.Stepping(0, nil)
		o.Rewound()
		if got := o.Skip(0, nil); got != want {
			t.Errorf("question %d: %q, want %q", i, got, want)
		}
	}
	over = true
	if got := o.Skip(0, nil); got != "" {
		t.Errorf("an answer when it is over: %q", got)
	}
	if made != 1 || s != (scripted{asked: 2, stepped: 1, rewound: 1}) {
		t.Errorf("made %d times, %+v", made, s)
	}
	// If the analysis is given up, there is no oracle to query.
	over = false
	o = NewLazy(func() bool { return over }, func() por.Oracle { over = true; return nil })
	for range 2 {
		if got := o.Skip(0, nil); got != "" {
			t.Errorf("an answer of no oracle: %q", got)
		}
	}
	if StateOf(o) != nil {
		t.Error("an oracle of another package has a state")
	}
}

// TestPlace: a place is a line or a file, by the end of its name.
func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		place Place
		file  string
		line  int
		want  bool
	}{
		{Place{"bank.go", 3}, "/a/bank.go", 3, true},
		{Place{"bank.go", 3}, "/a/bank.go", 4, false},
		{Place{"bank.go", 0}, "/a/bank.go", 4, true},
		{Place{"a/bank.go", 0}, "/x/a/bank.go", 4, true},
		{Place{"bank.go", 0}, "/a/mybank.go", 4, false},
	} {
		if got := tt.place.Has(position(tt.file, tt.line)); got != tt.want {
			t.Errorf("%v in %s:%d: %t", tt.place, tt.file, tt.line, got)
		}
	}
}

func position(file string, line int) token.Position {
	return token.Position{Filename: file, Line: line, Column: 1}
}

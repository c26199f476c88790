package explore

import (
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/internal/saved"
)

// TestResultIsSaved: a result can be sent to another process, whatever is in it.
func TestResultIsSaved(t *testing.T) {
	zero := 0
	r := &Result{Package: "p", Within: &zero, cutShort: true, Bugs: []*bug.Bug{{Kind: bug.Race, Detail: bug.Conflict{}, Noted: bug.Noted{Stays: true}}}}
	data, err := saved.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var s Result
	if err := saved.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.Package != "p" || s.Within == nil || !s.TimedOut() || len(s.Bugs) != 1 || s.Bugs[0].Kind != bug.Race || !s.Bugs[0].Noted.Stays {
		t.Errorf("%+v", s)
	}
}

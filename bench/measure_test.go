package bench

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestInterruptedBySearch: a machine that serves several searches is interrupted by the search that uses
// it; when its time is up, that search has to repeat its findings.
func TestInterruptedBySearch(t *testing.T) {
	prog := vmtest.Load(t, `package main
func main() {
	c := make(chan int)
	go func() { c <- 1; c <- 2 }()
	<-c
	n := 0
	for i := range 1_000_000 { n += i }
	if <-c; n > 0 { panic("found") }
}`)
	over := false
	e, err := onOneMachine(prog, prog.Entries[0], "main", "", vm.Config{}, func() bool { return over })
	if err != nil {
		t.Fatal(err)
	}
	over = true // the time of all searches is up, but the search below is not notified
	for range 2 {
		r, err := explore.Run(t.Context(), e, explore.Options{POR: explorers.With("full"), NoMinimise: true})
		if err != nil || r.Verdict != explore.Fail || len(r.Bugs) != 1 || r.Bugs[0].Untold || len(r.Mistakes) > 0 {
			t.Errorf("%v %+v", err, r)
		}
	}
}

package explore_test

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestRests: the timer of a context, which fires when all goroutines wait, depends on all earlier operations.
// optimal executes no prefix to let it fire before one of them.
func TestRests(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("context"; "sync"; "time")
func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	var mu sync.Mutex
	x := 0
	c := make(chan int, 3)
	for range 3 {
		go func() {
			mu.Lock()
			x++
			mu.Unlock()
			c <- 1
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}()
	}
	<-ctx.Done()
}`)
	r, err := explore.Run(t.Context(), explore.Entry{Package: "main", Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
	}}, explore.Options{POR: explorers.Lookup("optimal")})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Stats; r.Verdict != explore.OK || s.Executions != 108 || s.Transitions != 2661 {
		t.Errorf("%s, %d executions, %d steps; want ok, 108 and 2661", r.Verdict, s.Executions, s.Transitions)
	}
}

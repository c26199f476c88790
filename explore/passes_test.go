package explore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// timed has no bug unless the timer fires while goroutines can run.
const timed = `package main
import ("sync/atomic"; "time")
func main() {
	var n atomic.Int32
	done := make(chan bool, 3)
	for range 3 { go func() { for range 12 { n.Add(1) }; done <- true }() }
	for range 3 {
		select {
		case <-done:
		case <-time.After(time.Second):
			if n.Load() > 1000 { panic("impossible") }
		}
	}
	if n.Load() == BUG { panic("found") }
}`

// endsAfter is a context that is done when Err has been called *left times.
type endsAfter struct {
	context.Context
	left *int
}

// Err implements context.Context.
func (c endsAfter) Err() error {
	if *c.left--; *c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestTimedOutAnywhere: the program has a warning. Whenever time is up, a result without the
// warning says that more time could change it.
func TestTimedOutAnywhere(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "time"
func main() {
	done := make(chan bool, 1)
	go func() { done <- true }()
	select {
	case <-done:
	case <-time.After(time.Millisecond):
		panic("late")
	}
}`)
	run := func(asked int) (r *Result, left int) {
		left = asked
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
		}}
		r, err := Run(endsAfter{t.Context(), &left}, e, Options{POR: explorers.Lookup("jpf"), Match: true})
		if err != nil {
			t.Fatal(err)
		}
		return r, left
	}
	const most = 1 << 20
	r, left := run(most)
	if r.Verdict != OK || len(r.Bugs) != 1 || r.TimedOut() {
		t.Fatalf("%v, %v", r.Verdict, r.Bugs)
	}
	late := 0
	for n := range most - left {
		r, _ := run(n)
		if r.TimedOut() {
			late++
		} else if len(r.Bugs) == 0 {
			t.Errorf("after %d questions: %v without a warning", n, r.Verdict)
		}
	}
	t.Logf("late in %d of %d cases", late, most-left)
}

// TestTimedOutAll: with --all, more time could show more bugs of a program that fails.
func TestTimedOutAll(t *testing.T) {
	prog := vmtest.Load(t, strings.ReplaceAll(timed, "BUG", "36"))
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
	}}
	for _, all := range []bool{false, true} {
		for _, stopped := range []bool{false, true} {
			explorer := *explorers.With("jpf")
			search := explorer.Run
			explorer.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
				r := search(sys, v, cfg)
				if stopped && all { // after its bugs, but before its end
					r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundPoll, Text: "time is up"})
				}
				return r
			}
			r, err := Run(t.Context(), e, Options{POR: &explorer, Match: true, All: all})
			if err != nil {
				t.Fatal(err)
			}
			if want := all && stopped; r.Verdict != Fail || r.TimedOut() != want {
				t.Errorf("all %v, stopped %v: %s, timed out %v", all, stopped, r.Verdict, r.TimedOut())
			}
		}
	}
}

// TestTimedOut: more time could change a result if the exploration or a pass after it was stopped,
// or if there was no time for the schedule of a bug. Otherwise it could not.
func TestTimedOut(t *testing.T) {
	for _, x := range []struct {
		name     string
		bug      bool
		bound    int  // on the steps of an execution; 0: none
		stop     bool // the search is stopped,
		stopPass bool // or the pass after it,
		hurry    bool // or all that comes after the search
		want     Verdict
		timedOut bool
	}{
		{"nothing is stopped", false, 0, false, false, false, OK, false},
		{"another bound", false, 20, false, false, false, Incomplete, false},
		{"the search is stopped", false, 0, true, false, false, Incomplete, true},
		{"the pass is stopped", false, 0, false, true, false, OK, true},
		{"a bug", true, 0, false, false, false, Fail, false},
		{"a bug that is not described", true, 0, false, false, true, Fail, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			bug := "1000"
			if x.bug {
				bug = "36"
			}
			prog := vmtest.Load(t, strings.ReplaceAll(timed, "BUG", bug))
			hurry := make(chan struct{})
			ctx, cancel := context.WithCancelCause(WithHurry(t.Context(), hurry))
			defer cancel(nil)
			explorer := *explorers.With("jpf")
			search, passes := explorer.Run, 0
			explorer.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
				inPass := !slices.Contains(sys.(describe.Machine).Modes(), vm.ModeSlack)
				if inPass {
					passes++
				}
				if x.stop && !inPass || x.stopPass && inPass {
					poll := cfg.Poll
					cfg.Poll = func(q por.Progress) string { cancel(errors.New("time is up")); return poll(q) }
				}
				r := search(sys, v, cfg)
				if x.hurry {
					close(hurry)
					cancel(errors.New("time is up"))
				}
				return r
			}
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: 500e3, Interrupt: interrupted})
			}}
			r, err := Run(ctx, e, Options{POR: &explorer, Match: true, MaxSteps: x.bound})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != x.want || r.TimedOut() != x.timedOut || x.stopPass && passes == 0 {
				t.Errorf("%s, timed out %v, want %s, %v; %d passes", r.Verdict, r.TimedOut(), x.want, x.timedOut, passes)
			}
		})
	}
}

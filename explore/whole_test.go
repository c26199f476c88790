package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// cancels is a program of goroutines that derive contexts from one parent, after some turns of two
// goroutines.
const cancels = `package main
import (
	"context"
	"sync"
)
func main() {
	turn := make(chan bool)
	go func() { for range %d { turn <- true } }()
	for range %[1]d { <-turn }
	parent, stop := context.WithCancel(context.Background())
	defer stop()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			_, cancel := context.WithCancel(parent)
			cancel()
		})
	}
	wg.Wait()
}`

// TestWholePatience: the first search continues for a while when the one with uninterrupted calls has
// covered all schedules of its kind, and has the answer if it ends, although executions are long.
func TestWholePatience(t *testing.T) {
	prog := vmtest.Load(t, strings.Replace(fmt.Sprintf(cancels, 1500), "range 6", "range 3", 1))
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Interrupt: interrupted})
	}}
	p := portfolioOf(true)
	p.Whole = &Options{POR: explorers.Lookup("jpf"), Match: true, WholeCalls: true, MaxSteps: 1_000_000}
	p.Graded, p.Searches = p.Whole, p.Searches[:1] // jpf ends before
	p.Searches[0].MaxSteps, p.Searches[0].RaiseSteps = 10_000, true
	r, err := Run(context.Background(), e, Options{Portfolio: p})
	if err != nil || r.Verdict != OK || r.Stats.Executions < 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWhole: the search in which no call of a library is interrupted gives the answer of a portfolio,
// for short executions and for long ones.
func TestWhole(t *testing.T) {
	for _, turns := range []int{1, 3000} {
		prog := vmtest.Load(t, fmt.Sprintf(cancels, turns))
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Interrupt: interrupted})
		}}
		p := portfolioOf(true)
		whole := Options{POR: explorers.Lookup("jpf"), Match: true, Symmetry: true, WholeCalls: true, MaxSteps: 1_000_000}
		p.Whole, p.Graded = &whole, &Options{POR: whole.POR, Match: true, LimitPreempt: true, MaxSteps: 1_000_000}
		r, err := Run(context.Background(), e, Options{Portfolio: p})
		if err != nil {
			t.Fatal(err)
		}
		assumed := slices.ContainsFunc(r.Assumed, func(a vm.Assumption) bool { return a.What == vm.CallsWhole })
		other := slices.ContainsFunc(r.Incomplete, func(why Reason) bool { return why.Cause != CauseAssumed })
		if len(r.Bugs) > 0 || !assumed || other {
			t.Errorf("%d turns: %s, %d bugs, assumed %v, incomplete %v", turns, r.Verdict, len(r.Bugs), r.Assumed, r.Incomplete)
		}
		if alone, err := Run(context.Background(), e, whole); err != nil || alone.Stats.States != r.Stats.States || alone.Stats.Executions != r.Stats.Executions {
			t.Errorf("%d turns: alone %+v, in the portfolio %+v: %v", turns, alone.Stats.Stats, r.Stats.Stats, err)
		}
	}
}

// TestPrompt: if nothing else ends, the search in which goroutines of libraries are prompt gives the answer,
// for short executions and for long ones.
func TestPrompt(t *testing.T) {
	for _, turns := range []int{1, 3000} {
		prog := vmtest.Load(t, fmt.Sprintf(`package main
import (
	"bytes"
	"log"
)
func main() {
	turn := make(chan bool)
	go func() { for range %d { turn <- true } }()
	for range %[1]d { <-turn }
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	for i := range 10 {
		go l.Print(i)
	}
}`, turns))
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Interrupt: interrupted})
		}}
		p := portfolioOf(true)
		whole := Options{POR: explorers.Lookup("jpf"), Match: true, Symmetry: true, WholeCalls: true, MaxSteps: 1_000_000}
		p.Whole, p.Graded = &whole, &Options{POR: whole.POR, Match: true, LimitPreempt: true, MaxSteps: 1_000_000}
		r, err := Run(context.Background(), e, Options{Portfolio: p})
		if err != nil {
			t.Fatal(err)
		}
		var assumed []vm.Assumed
		for _, a := range r.Assumed {
			assumed = append(assumed, a.What)
		}
		if len(r.Bugs) > 0 || !slices.Equal(assumed, []vm.Assumed{vm.CallsWhole, vm.LibrariesPrompt}) || r.Stats.Executions > 20 {
			t.Errorf("%d turns: %s, %d bugs, assumed %v, %d executions", turns, r.Verdict, len(r.Bugs), assumed, r.Stats.Executions)
		}
	}
}

// stopwatch is a program that measures many durations, after some turns of two goroutines.
const stopwatch = `package main
import "time"
func main() {
	turn := make(chan bool)
	go func() { for range %d { turn <- true } }()
	for range %[1]d { <-turn }
	slow := 0
	for i := range 300 {
		begin := time.Now()
		turn = make(chan bool, 1)
		turn <- true
		if time.Since(begin) > 90*time.Microsecond {
			slow += i
		}
	}
	println(slow > 1000)
}`

// TestNoTime: a search without delays does not report that a duration is not positive.
func TestNoTime(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(stopwatch, 1), "slow += i\n", "slow += i\n} else if time.Since(begin) <= 0 {\npanic(\"no time\")\n", 1)
	prog := vmtest.Load(t, text)
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Slack: 500_000, Interrupt: interrupted})
	}}
	p := portfolioOf(true)
	whole := Options{POR: explorers.Lookup("jpf"), Match: true, Symmetry: true, WholeCalls: true, MaxSteps: 1_000_000}
	p.Whole, p.Graded = &whole, &Options{POR: whole.POR, Match: true, LimitPreempt: true, MaxSteps: 1_000_000}
	r, err := Run(context.Background(), e, Options{Portfolio: p, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Bugs) > 0 {
		t.Errorf("%s: %s", r.Verdict, r.Bugs[0].Kind)
	}
}

// TestUndelayed: if each clock read is a choice, the answer comes from a search without delays. This holds
// for short executions and for long ones. The first search, in which calls of libraries are interrupted, has
// precedence. (It has a small bound on steps here.)
func TestUndelayed(t *testing.T) {
	for _, turns := range []int{1, 3000} {
		prog := vmtest.Load(t, fmt.Sprintf(stopwatch, turns))
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, OrderedTime: true, Slack: 500_000, Interrupt: interrupted})
		}}
		p := portfolioOf(true)
		whole := Options{POR: explorers.Lookup("jpf"), Match: true, Symmetry: true, WholeCalls: true, MaxSteps: 1_000_000}
		p.Whole, p.Graded = &whole, &Options{POR: whole.POR, Match: true, LimitPreempt: true, MaxSteps: 1_000_000}
		r, err := Run(context.Background(), e, Options{Portfolio: p})
		if err != nil {
			t.Fatal(err)
		}
		assumed := slices.ContainsFunc(r.Assumed, func(a vm.Assumption) bool { return a.What == vm.Undelayed })
		if short := turns == 1; short != (r.POR == "optimal") {
			t.Errorf("%d turns: the answer comes from %s", turns, r.POR)
		}
		other := slices.ContainsFunc(r.Incomplete, func(why Reason) bool { return why.Cause != CauseAssumed })
		if len(r.Bugs) > 0 || !assumed || other || r.Slack != 0 || r.Stats.Executions != 1 {
			t.Errorf("%d turns: %s, %d bugs, assumed %v, incomplete %v, slack %v, %d executions", turns, r.Verdict, len(r.Bugs), r.Assumed,
				r.Incomplete, r.Slack, r.Stats.Executions)
		}
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/vm"
)

// gcOrders describes the orders of maps that gc can have.
const gcOrders = "gc ranges over at most 8 entries in slot order, from a random slot"

// firstReady describes the case that a select takes after its goroutine has parked.
const firstReady = "the one that was ready first; gc never does"

// needs returns the text about the condition that makes a bug a warning.
func (t *Text) needs(bug *bug.Bug) string {
	switch {
	//mutant: any warning needs the order that its schedule has [test ./report TestNeeds]: "bug.OnlyPermitted" -> "bug.Warning && (bug.Passes != nil || bug.Order != nil)"
	case bug.OnlyPermitted:
		var list []string
		if x := bug.Passes; x != nil && x.Runner == x.Waiter {
			list = append(list, fmt.Sprintf("the select of %s, which waited, to take another case than %s", x.Runner, firstReady))
		} else if x != nil {
			list = append(list, fmt.Sprintf("%s to overtake %s, %s; gc serves it first", x.Runner, x.Waiter, earlier(x)))
		}
		if x := bug.Order; x != nil {
			list = append(list, fmt.Sprintf("maps in an order that gc never has: here %s; %s", t.visits(x), gcOrders))
		}
		return " (needs " + strings.Join(list, ", or ") + ")"
	case bug.Always:
		return " (in every schedule explored the entry returns and leaves it behind; --leaks=error makes this an error)"
	case bug.Lacks == vm.LackNetwork:
		return " (after a connection failed, as hbcheck has no network)"
	case bug.Lacks == vm.LackChange:
		return " (after a second read of a kernel file, whose contents never change in hbcheck)"
	case bug.Lacks == vm.LackAllocations:
		return " (after a second read of memory statistics, which count no allocations in hbcheck)"
	case bug.Lacks == vm.LackArguments:
		return " (without arguments; give some after --)"
	case bug.Lacks == vm.LackFile:
		return " (after it opened a file that does not exist)"
	case bug.Lacks == vm.LackServer:
		return " (after a connection was refused: only the program's own servers run in hbcheck)"
	case bug.Lacks == vm.LackInput:
		return " (with an empty standard input; --stdin names a file)"
	case bug.Lacks == vm.LackVariable:
		return " (after it read an environment variable that is not set; --env sets one)"
	case bug.Overtakes == nil:
		return ""
	}
	if bug.Overtakes.Wait <= 0 { // the deadline had already passed, so only the clock that the program reads differs
		return fmt.Sprintf(" (needs time to pass while %s could run; --time=any shows how)", bug.Overtakes.Runner)
	}
	return fmt.Sprintf(" (needs a timer of %v to fire while %s could run; --time=any shows how)", bug.Overtakes.Wait, bug.Overtakes.Runner)
}

// earlier says why the overtaken goroutine is first in the queue. In a bubble no time need have passed.
func earlier(x *bug.Passing) string {
	if x.Wait == 0 {
		return "which waited on the channel when synctest.Wait returned"
	}
	return fmt.Sprintf("which came to the channel %v earlier", x.Wait)
}

// open is a short form of undecided.
func (t *Text) open(bug *bug.Bug) string {
	if t.undecided(bug) == "" {
		return ""
	}
	//mutant: that gc may not have a bug is said below only [test ./report TestUntold]: "whether gc does it is open" -> "see below"
	return " (the language permits it; whether gc does it is open)"
}

// undecided returns the text for an error of which it is open whether it is only a warning; otherwise "".
func (t *Text) undecided(bug *bug.Bug) string {
	var list []string
	if x := bug.Passes; x != nil && x.Runner == x.Waiter {
		list = append(list, fmt.Sprintf("the select of %s, which waited, takes another case than %s.", x.Runner, firstReady))
	} else if x != nil {
		list = append(list, fmt.Sprintf("%s overtakes %s, %s; gc serves it first.", x.Runner, x.Waiter, earlier(x)))
	}
	if x := bug.Order; x != nil {
		list = append(list, fmt.Sprintf("%s; %s.", t.visits(x), gcOrders))
	}
	if len(list) == 0 || !bug.Undecided {
		return ""
	}
	return "     In this schedule " + strings.Join(list, " And ") +
		" Whether the bug needs this, and is a mere warning then, is open:" +
		" the search for a schedule without it found none, but did not cover everything."
}

// visits returns the text about the order of a map.
func (t *Text) visits(x *bug.Ranging) string {
	s := "a map"
	if x.Pos.IsValid() {
		s = "the map at " + t.Paths.Pos(x.Pos)
	}
	if len(x.Keys) == 0 || slices.Contains(x.Keys, "not nil") { // the keys cannot be described
		return s + " has one of several orders"
	}
	return s + " begins with " + strings.Join(x.Keys, ", ")
}

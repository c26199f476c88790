package report

import (
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/vm"
)

// assumptions say what is not tried of the environment, in two halves with the place between them,
// and which word of --assume accepts it. docs/model.md has each.
var assumptions = [vm.NumAssumed]struct{ word, what, how string }{
	vm.RandSampled:  {"rand", "math/rand", "one value of many"},
	vm.BitsSampled:  {"rand", "random bits", "the same in every execution"},
	vm.MapOrder:     {"maps", "map order", "one order"},
	vm.MapStarts:    {"maps", "map order", "one order from each starting point"},
	vm.MapInserted:  {"maps", "map entries inserted in the loop", "at most 2 are visited"},
	vm.FinalizerOff: {"gc", "runtime.SetFinalizer", "the finalizer runs in calls of runtime.GC, and when all wait"},
	vm.CleanupOff:   {"gc", "runtime.AddCleanup", "the cleanup runs in calls of runtime.GC, and when all wait"},
	vm.WeakKept:     {"gc", "weak.Make", "the pointer is cleared in calls of runtime.GC, and when all wait"},
	vm.PoolKept:     {"gc", "sync.Pool", "Get returns what was put last"},
	vm.MemoryShown:  {"gc", "statistics of memory", "those of a small program at rest"},
	vm.AddressShown: {"addresses", "a printed address", "the same in every execution"},
	vm.AddressUsed:  {"addresses", "an address as a number", "the same in every execution"},
	vm.SignalOff:    {"signals", "os/signal", "no signal arrives to what is notified in an initialiser"},
	vm.SignalSome:   {"signals", "os/signal", "only the first three signals arrive"},
	vm.SignalOnce:   {"signals", "os/signal", "each signal arrives at most once"},
	vm.StacksShown:  {"stacks", "runtime.Stack", "it shows others between two operations only"},
	vm.CountedOnce:  {"stacks", "runtime.NumGoroutine", "no other goroutine starts or ends meanwhile"},
	vm.Concretised:  {"inputs", "a value that depends on inputs", "one value of many"},
	vm.ClockCounted: {"clock", "the clock as a number", "one value of many"},
	vm.TimedLoop:    {"clock", "the clock", "a loop until a moment runs at most three rounds before that has come"},
	vm.ClockSome:    {"clock", "the clock", "it shows some of what it may show"},
	vm.ClockStart:   {"clock", "the time of day", "it is compared with a date to come"},
	vm.WriteTimes:   {"clock", "when a file was written", "one time for all that the program writes"},
	vm.NetworkOff:   {"network", "the network", "no other machine can be reached"},
	vm.PeersOff:     {"network", "the network", "no other process connects"},
	vm.FileKept:     {"files", "a file of the kernel", "it is as it was when it was read before"},
}

// Assumption says what has been assumed where.
func Assumption(a vm.Assumption) string {
	x := assumptions[a.What]
	if !a.Pos.IsValid() {
		return fmt.Sprintf("%s (%s)", x.what, x.how)
	}
	return fmt.Sprintf("%s at %s (%s)", x.what, line(a.Pos), x.how)
}

// AssumedWords returns the words that name assumptions, each once.
func AssumedWords() []string {
	var list []string
	for _, a := range assumptions[1:] {
		if len(list) == 0 || list[len(list)-1] != a.word {
			list = append(list, a.word)
		}
	}
	return list
}

// Assume returns the set of the assumptions that the words name, or the word that names none.
func Assume(words []string) (set [vm.NumAssumed]bool, unknown string) {
	for _, w := range words {
		found := false
		for what, a := range assumptions {
			if what > 0 && (a.word == w || w == "all") {
				set[what], found = true, true
			}
		}
		if !found {
			return set, w
		}
	}
	return set, ""
}

// modes are the flags that restrict the environment.
var modes = [vm.NumModes]string{
	vm.ModeVirtualTime:   "--time=virtual",
	vm.ModeSlack:         "--slack=", // and how long
	vm.ModeRandFixed:     "--rand=seed",
	vm.ModeMapsInsertion: "--maps=insertion",
	vm.ModeSignalsOff:    "--signals=sent",
	vm.ModeNetFaulty:     "--net=faulty",
	vm.ModeInputLen:      "--input-len=", // and how long
	vm.ModeInTurn:        "gc's queues and maps",
}

// exhaustive is how a verdict begins that covers everything but what r assumes: "exhaustive with
// --time=virtual, but for: math/rand at x.go:12 (one value of many)".
func exhaustive(r *explore.Result) string {
	s := "exhaustive" + with(r)
	if len(r.Assumed) == 0 {
		return s
	}
	var list []string
	for _, a := range r.Assumed {
		list = append(list, Assumption(a))
	}
	return s + ", but for: " + strings.Join(list, "; ")
}

// with names the modes of r: " with --time=virtual".
func with(r *explore.Result) string {
	if len(r.Modes) == 0 {
		return ""
	}
	flags := modeFlags(r)
	if n := len(flags) - 1; n > 0 && r.Modes[n] == vm.ModeInTurn {
		flags[n] = "and " + flags[n]
	}
	return " with " + strings.Join(flags, " ")
}

func modeFlags(r *explore.Result) []string {
	list := []string{}
	for _, m := range r.Modes {
		flag := modes[m]
		switch m {
		case vm.ModeSlack:
			flag += r.Slack.String()
		case vm.ModeInputLen:
			flag += strconv.Itoa(r.InputLen)
		}
		list = append(list, flag)
	}
	return list
}

// onlyAssumed reports whether r is incomplete for nothing but what it assumes.
func onlyAssumed(r *explore.Result) bool {
	for _, x := range r.Incomplete {
		if x.Cause != explore.CauseAssumed {
			return false
		}
	}
	return true
}

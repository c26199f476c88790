package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/vm"
)

// assumptions describes each behaviour of the environment that a search omits: the word of --assume that
// accepts it, a short name, and the two halves of a text (what and how), which has the position between them.
// docs/dev/model.md lists them.
var assumptions = [vm.NumAssumed]struct{ word, short, what, how string }{
	vm.RandSampled:     {"rand", "math/rand values", "math/rand", "one value tried"},
	vm.BitsSampled:     {"rand", "random bits", "random bits", "the same in every execution"},
	vm.MapOrder:        {"maps", "map order", "map order", "one order"},
	vm.MapStarts:       {"maps", "map order", "map order", "one order from each starting point"},
	vm.MapInserted:     {"maps", "map order", "map entries inserted in the loop", "at most 2 visited"},
	vm.FinalizerOff:    {"gc", "garbage collection", "runtime.SetFinalizer", "the finalizer runs only in runtime.GC and when every goroutine waits"},
	vm.CleanupOff:      {"gc", "garbage collection", "runtime.AddCleanup", "the cleanup runs only in runtime.GC and when every goroutine waits"},
	vm.WeakKept:        {"gc", "garbage collection", "weak.Make", "the pointer is cleared only in runtime.GC and when every goroutine waits"},
	vm.PoolKept:        {"gc", "pooled objects", "sync.Pool", "Get returns the value put last"},
	vm.MemoryShown:     {"gc", "memory statistics", "memory statistics", "those of a small idle program"},
	vm.AddressShown:    {"addresses", "addresses", "a printed address", "the same in every execution"},
	vm.AddressUsed:     {"addresses", "addresses", "an address used as a number", "the same in every execution"},
	vm.SignalSome:      {"signals", "signals", "os/signal", "only the first three signals arrive"},
	vm.SignalNone:      {"signals", "no signals", "os/signal", "only signals that the test sends itself arrive"},
	vm.SignalOnce:      {"signals", "signals", "os/signal", "each signal arrives at most once"},
	vm.StacksShown:     {"stacks", "stacks", "runtime.Stack", "it shows other goroutines only between two operations"},
	vm.LeaksShown:      {"stacks", "stacks", "the profile of leaked goroutines", "it is made only between two operations"},
	vm.InitEnded:       {"stacks", "goroutine counts", "goroutines of initialisers", "those with nothing left to do have ended before the entry"},
	vm.CountedOnce:     {"stacks", "goroutine counts", "runtime.NumGoroutine", "no other goroutine starts or ends during the call"},
	vm.Concretised:     {"inputs", "inputs", "a value that depends on inputs", "one value tried"},
	vm.ClockCounted:    {"clock", "clock values", "the clock used as a number", "one value tried"},
	vm.TimedLoop:       {"clock", "short timed loops", "the clock", "a loop that waits for a time runs at most three iterations before it"},
	vm.ClockSome:       {"clock", "clock values", "the clock", "some of its possible readings tried"},
	vm.ClockStart:      {"clock", "the date", "the time of day", "it is compared with a future date"},
	vm.WriteTimes:      {"clock", "file times", "a file's modification time", "the same time for all files that the program writes"},
	vm.NetworkOff:      {"network", "no network", "the network", "no other machine can be reached"},
	vm.PeersOff:        {"network", "no network", "the network", "no other process connects"},
	vm.CallsWhole:      {"calls", "uninterrupted library calls", "library calls", "no other goroutine runs before they return or wait, and their loops over maps and pools have one order"},
	vm.LibrariesPrompt: {"calls", "prompt library goroutines", "goroutines of libraries", "each runs until it waits before the reader's code continues"},
	vm.Undelayed:       {"calls", "no delays", "time", "it passes only while all goroutines wait"},
	vm.SubtestsApart:   {"subtests", "independent subtests", "subtests", "each that ran was explored without the others"},
	vm.FilesStill:      {"files", "unchanged files", "watched files", "no other process changes them"},
	vm.FileKept:        {"files", "kernel files", "a kernel file", "every read returns the same contents"},
}

// Assumption returns a description of a, with its position.
func Assumption(a vm.Assumption) string {
	x := assumptions[a.What]
	if !a.Pos.IsValid() {
		return fmt.Sprintf("%s (%s)", x.what, x.how)
	}
	return fmt.Sprintf("%s at %s (%s)", x.what, line(a.Pos), x.how)
}

// Assumes returns the words of r's assumptions, each once.
func Assumes(r *explore.Result) []string {
	var list []string
	for _, a := range r.Assumed {
		if s := assumptions[a.What].short; !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// AssumedWords returns the words of --assume, each once.
func AssumedWords() []string {
	var list []string
	for _, a := range assumptions[1:] {
		if !slices.Contains(list, a.word) {
			list = append(list, a.word)
		}
	}
	return list
}

// Assume returns the set of assumptions that words name, or the first word that names none.
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
	vm.ModeSlack:         "--slack=", // followed by the time
	vm.ModeRandFixed:     "--rand=seed",
	vm.ModeMapsInsertion: "--maps=insertion",
	vm.ModeSignalsOff:    "--signals=sent",
	vm.ModeNetFaulty:     "--net=faulty",
	vm.ModeInputLen:      "--input-len=", // followed by the length
	vm.ModeInTurn:        "gc's queue and map order",
}

// exhaustive returns the beginning of a verdict that covers everything except r's assumptions: "exhaustive
// with --time=virtual, assuming math/rand values", or in full "..., assuming math/rand at x.go:12 (one
// value tried)".
func exhaustive(r *explore.Result, full bool) string {
	s := "exhaustive" + with(r)
	if len(r.Assumed) == 0 {
		return s
	}
	if !full {
		return s + ", assuming " + strings.Join(Assumes(r), ", ")
	}
	var list []string
	for _, a := range r.Assumed {
		list = append(list, Assumption(a))
	}
	return s + ", assuming " + strings.Join(list, "; ")
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

// onlyAssumed reports whether assumptions are the only reason why r is incomplete.
func onlyAssumed(r *explore.Result) bool {
	for _, x := range r.Incomplete {
		if x.Cause != explore.CauseAssumed {
			return false
		}
	}
	return true
}

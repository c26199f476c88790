package hbtest

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// Explore explores the calling test: f is executed under every schedule, with every value of every choice.
// A bug fails the test with the schedule that shows it.
//
//	func TestDeposit(t *testing.T) {
//		hbtest.Explore(t, func(t *testing.T) {
//			...
//		})
//	}
//
// Under go test, Explore starts hbcheck on the test that calls it, in the directory of its package. It uses
// the program that the environment variable HBCHECK names, otherwise the tool of the module (go get -tool
// hbcheck.dev/hbcheck/cmd/hbcheck), otherwise hbcheck in PATH. If there is none, the test fails. With
// HBCHECK=skip nothing is explored: f is called once. Under hbcheck, Explore calls f once in each
// execution. The code before the call is executed, too, so it should be fast and always the same. If the
// test has subtests, only the subtest that calls Explore is executed.
//
// A schedule that shows a bug is written to testdata/hbcheck, like the inputs of fuzz tests to
// testdata/fuzz. The schedules there for this test are replayed first: if one still shows the bug, the test
// fails without a search. Add these files to the repository, or remove them.
//
// If hbcheck could not cover everything, the test fails, unless an option sets that bound (Timeout,
// Preempt), or AllowIncomplete is set: then the reason is logged. If the time of the test binary (go test
// -timeout) is over before everything is covered, the test fails, too.
func Explore(t *testing.T, f func(t *testing.T), opts ...Option) {
	t.Helper()
	if Running() {
		f(t)
		return
	}
	explore(t, f, opts)
}

// An Option is an option of Explore.
type Option struct{ apply func(*settings) }

// settings are the effects of options.
type settings struct {
	flags   []string
	bounds  []string // flags among them that bound the search
	allow   bool
	timeout time.Duration
}

func flag(name, value string) Option {
	return Option{func(s *settings) { s.flags = append(s.flags, "--"+name+"="+value) }}
}

// bound is like flag, for a flag that makes a search incomplete.
func bound(name, value string) Option {
	return Option{func(s *settings) {
		flag(name, value).apply(s)
		s.bounds = append(s.bounds, name)
	}}
}

// Timeout ends the exploration after d. If it is incomplete, the reason is logged.
func Timeout(d time.Duration) Option { return Option{func(s *settings) { s.timeout = d }} }

// Preempt explores only schedules with at most n preemptions, and logs that. Most bugs need few.
func Preempt(n int) Option { return bound("preempt", strconv.Itoa(n)) }

// Time says when timers fire: "bounded", which is the default, "any" or "virtual" (hbcheck's --time).
func Time(mode string) Option { return flag("time", mode) }

// Slack is the longest time that goroutines compute between two moments when all of them wait, for
// "bounded" timers.
func Slack(d time.Duration) Option { return flag("slack", d.String()) }

// Accept accepts assumptions about the environment: that not all values were tried. The words are those of
// hbcheck's --assume: "rand", "maps", "clock" ...
func Accept(words ...string) Option { return flag("assume", strings.Join(words, ",")) }

// AllowLeak accepts goroutines that are left in functions whose names match the regular expression.
func AllowLeak(regexp string) Option { return flag("allow-leak", regexp) }

// Explorer chooses the algorithm: hbcheck's --por.
func Explorer(name string) Option { return flag("por", name) }

// AllowIncomplete logs the behaviour that hbcheck could not cover. By default the test fails.
func AllowIncomplete() Option { return Option{func(s *settings) { s.allow = true }} }

// Flags are any other flags of hbcheck explore.
func Flags(flags ...string) Option {
	return Option{func(s *settings) { s.flags = append(s.flags, flags...) }}
}

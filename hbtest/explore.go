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
// Under go test, Explore starts hbcheck on the test that calls it, in the directory of its package. It
// takes the program that the environment variable HBCHECK names, the tool of the module (go get -tool
// hbcheck.dev/hbcheck/cmd/hbcheck) or hbcheck in PATH; if there is none, the test fails. With
// HBCHECK=skip nothing is explored: f is called once. Under hbcheck Explore calls f, once in each
// execution. What precedes the call is executed, too, so it should be fast and always the same; of a
// test with subtests only the one that calls Explore is.
//
// A schedule that shows a bug is written to testdata/hbcheck, as those of fuzz tests are to
// testdata/fuzz. What is there for this test is replayed first: if it still shows the bug, the test
// fails without more ado. Add these files to the repository, or remove them.
//
// What hbcheck could not cover fails the test, unless an option asks for that bound (Timeout,
// Preempt) or for AllowIncomplete: then it is logged. If the binary's own time (go test -timeout) is
// over before everything is covered, the test fails, too.
func Explore(t *testing.T, f func(t *testing.T), opts ...Option) {
	t.Helper()
	if Running() {
		f(t)
		return
	}
	explore(t, f, opts)
}

// An Option says how Explore explores.
type Option struct{ apply func(*settings) }

// settings are what options set.
type settings struct {
	flags   []string
	bounds  []string // flags among them that bound the search
	allow   bool
	timeout time.Duration
}

func flag(name, value string) Option {
	return Option{func(s *settings) { s.flags = append(s.flags, "--"+name+"="+value) }}
}

// bound is flag for one that makes a search incomplete.
func bound(name, value string) Option {
	return Option{func(s *settings) {
		flag(name, value).apply(s)
		s.bounds = append(s.bounds, name)
	}}
}

// Timeout ends the exploration after d. What it has not covered until then is logged.
func Timeout(d time.Duration) Option { return Option{func(s *settings) { s.timeout = d }} }

// Preempt explores only schedules with at most n preemptions, and logs that. Most bugs need few.
func Preempt(n int) Option { return bound("preempt", strconv.Itoa(n)) }

// Time says when timers fire: "bounded", which is the default, "any" or "virtual" (hbcheck's --time).
func Time(mode string) Option { return flag("time", mode) }

// Slack is how long all that goroutines compute between two moments at which all wait takes at most, for
// timers that are "bounded".
func Slack(d time.Duration) Option { return flag("slack", d.String()) }

// Accept accepts that something of the environment has not been tried in all ways. The words are
// those of hbcheck's --assume: "rand", "maps", "clock" ...
func Accept(words ...string) Option { return flag("assume", strings.Join(words, ",")) }

// AllowLeak accepts goroutines that are left in functions whose names match the regular expression.
func AllowLeak(regexp string) Option { return flag("allow-leak", regexp) }

// Explorer chooses the algorithm: hbcheck's --por.
func Explorer(name string) Option { return flag("por", name) }

// AllowIncomplete logs what hbcheck could not cover. By default the test fails.
func AllowIncomplete() Option { return Option{func(s *settings) { s.allow = true }} }

// Flags are any other flags of hbcheck explore.
func Flags(flags ...string) Option {
	return Option{func(s *settings) { s.flags = append(s.flags, flags...) }}
}

package report

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

func TestMessage(t *testing.T) {
	lock := describe.Waiting{For: "sync.Mutex.Lock", On: "b.mu"}
	for _, tt := range []struct {
		detail bug.Detail
		want   string
	}{
		{bug.Crashed{Text: "panic: boom"}, "panic: boom"},
		{bug.TestFailed{}, "test failed"},
		{bug.TestFailed{Message: "got 1"}, "test failed: got 1"},
		{bug.Exited{Status: 3}, "exit status 3"},
		{bug.Exited{InTest: true}, "os.Exit(0) during the test"},
		{bug.WaitCycle{Goroutines: "g1"}, "deadlock: g1 waits for a lock that it holds itself"},
		{bug.WaitCycle{Goroutines: "main g1 g2.1"}, "deadlock: main, g1 and g2.1 wait for each other"},
		{bug.MainBlocked{Goroutine: "main", Waiting: lock}, "deadlock: main waits forever in sync.Mutex.Lock on b.mu"},
		{bug.MainBlocked{Goroutine: "main", Others: 1}, "deadlock: main waits forever, and so does another goroutine"},
		{bug.MainBlocked{Goroutine: "main", Others: 2}, "deadlock: main waits forever, and so do 2 other goroutines"},
		{bug.LeftBehind{Func: "logger", Waiting: describe.Waiting{For: "select"}}, "goroutine left behind: logger waits forever in select"},
		{bug.LeftLooping{Func: "spin"}, "goroutine left behind: spin loops forever"},
		{bug.Spins{Goroutine: "g1", Func: "spin", MainEnded: true}, "g1 loops forever in spin, and no other goroutine could end it, after main has returned"},
		{bug.Loops{Goroutines: "main g1"}, "main, g1 can loop forever without progress"},
		{bug.Conflict{First: describe.Writes, Second: describe.AtomicallyReads}, "data race: write and atomic read"},
		{bug.Conflict{What: "n", First: describe.AddsToGroup, Second: describe.WaitsForGroup, At: token.Position{Filename: "/a/b.go", Line: 7}}, "data race on n: WaitGroup.Add and WaitGroup.Wait at b.go:7"},
	} {
		if got := Message(&bug.Bug{Detail: tt.detail}); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.detail, got, tt.want)
		}
	}
}

func TestIncomplete(t *testing.T) {
	steps := por.Reason{Bound: por.BoundSteps, Limit: 10, Count: 1}
	at := token.Position{Filename: "/a/b.go", Line: 7}
	r := &explore.Result{
		Incomplete: []explore.Reason{{Bound: steps, Ended: true}, {Cause: explore.CauseTime, Pos: at}, {Cause: explore.CauseAssumed, Assumption: vm.Assumption{What: vm.WeakKept, Pos: at}}},
		LongLoops:  []explore.LongLoop{{Goroutine: "g1", Pos: at, Loop: true}, {Goroutine: "g2", Func: "example.com/p.f", Pos: at}},
	}
	got := strings.Join(Incomplete(r), "\n")
	want := `1 execution cut after 10 steps (--max-steps), which ended the search: g1 was then in the loop at b.go:7, g2 was then in f at b.go:7
the loop at b.go:7 ends only when time passes, and time passes here only while goroutines sleep
weak.Make at b.go:7 (the pointer is cleared only in runtime.GC and when every goroutine waits)`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBound(t *testing.T) {
	for _, tt := range []struct {
		reason por.Reason
		want   string
	}{
		{por.Reason{Bound: por.BoundExecutions, Limit: 1}, "stopped after 1 execution (--max-executions)"},
		{por.Reason{Bound: por.BoundStates, Limit: 50000}, "stopped at 50000 states (--max-states)"},
		{por.Reason{Bound: por.BoundMemory, Limit: 256 << 10}, "stopped at the memory budget of 256 KiB (--max-memory)"},
		{por.Reason{Bound: por.BoundMemory, Limit: 3 << 20}, "stopped at the memory budget of 3 MiB (--max-memory)"},
		{por.Reason{Bound: por.BoundPreempt}, "only schedules with at most 0 preemptions (--preempt)"},
		{por.Reason{Bound: por.BoundSampled, Limit: 7, Count: 100}, "only a sample of 100 executions, from seed 7 (--max-executions, --seed)"},
		{por.Reason{Bound: por.BoundContext, Count: 2, Text: "css"}, "executions that were put to sleep may have been needed (--context=css)"},
		{por.Reason{Bound: por.BoundPoll, Text: "interrupted"}, "interrupted"},
	} {
		if got := bound(tt.reason); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// TestRefusals: every rule has one text, with or without an option of the explorer's own.
func TestRefusals(t *testing.T) {
	o := &explore.Options{POR: &por.Explorer{Name: "optimal", Equivalence: "rf"}, Jobs: 2}
	seen := make(map[string]bool)
	for rule := range explore.NumRules {
		if refusals[rule] == nil {
			t.Errorf("rule %d has no text", rule)
			continue
		}
		text := Error(fmt.Errorf("main.main: %w", &explore.Illegal{Rule: rule, Options: o}))
		if seen[text] || !strings.HasPrefix(text, "-") || strings.Contains(text, "%!") {
			t.Errorf("rule %d: %s", rule, text)
		}
		seen[text] = true
	}
	if got := Error(errors.New("other")); got != "other" {
		t.Errorf("got %q", got)
	}
}

// TestOneWorkerText: every reason that options decide has one text.
func TestOneWorkerText(t *testing.T) {
	lookup := explorers.Lookup
	for want, o := range map[string]*explore.Options{
		"":              {POR: lookup("optimal"), Jobs: 2},
		"--por=context": {POR: explorers.With("context", "context", "css"), Jobs: 2, Match: true},
		"--por=jpf":     {POR: lookup("jpf"), Jobs: 2},
		"--hybrid=full": {POR: lookup("optimal"), Jobs: 2, Hybrid: oracle.Full},
		"--explain":     {POR: lookup("optimal"), Jobs: 2, Hybrid: oracle.MHB, Explain: new(oracle.Place)},
	} {
		if got := OneWorker(o); !strings.Contains(got, want) || (got == "") != (want == "") || strings.Contains(got, "%!") {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}

// TestNotRun: a test that was not run says why.
func TestNotRun(t *testing.T) {
	at := token.Position{Filename: "/a/x_test.go", Line: 7}
	for want, n := range map[string]describe.NotRun{
		"TestMain did not run it":                     {},
		"skipped at x_test.go:7":                      {Skip: &vm.Skip{Pos: at}},
		`skipped at x_test.go:7: needs a \x1bnetwork`: {Skip: &vm.Skip{Pos: at, Text: "needs a \x1bnetwork\nor two\n"}},
	} {
		if got := NotRun(&n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestExplainRefusals: every code of a refusal is explained.
func TestExplainRefusals(t *testing.T) {
	for _, c := range vm.RefusalCodes() {
		if text := Explain("refused-" + string(c)); !strings.Contains(text, "What helps:\n\n") || !strings.Contains(Codes(), "refused-"+string(c)) {
			t.Errorf("%s: %q", c, text)
		}
	}
	if Explain("refused-nothing") != "" || Explain("cgo") != "" {
		t.Error("a text that is not a code is explained")
	}
}

// TestIndented: a message of several lines is read as one.
func TestIndented(t *testing.T) {
	for _, x := range [][3]string{
		{"got 1", "", "got 1"},
		{"got 1", " (needs a timer)", "got 1 (needs a timer)"},
		{"got 1\nwant 2\n", " (needs a timer)", "got 1 (needs a timer)\n    want 2"},
	} {
		if got := indented(x[0], x[1]); got != x[2] {
			t.Errorf("%q, want %q", got, x[2])
		}
	}
}

// TestAsserted: the essential sentence of testify's table comes first.
func TestAsserted(t *testing.T) {
	const trace = "\n\tError Trace:\t/home/gopher/x_test.go:146\n"
	for _, test := range [][2]string{
		{"balance 1, want 2", "balance 1, want 2"},
		{trace + "\tError:      \tExpected nil, but got: 1\n\tTest:       \tTestX\n", "Expected nil, but got: 1"},
		{trace + "\tError:      \tNot equal: \n\t            \texpected: 1\n\t            \tactual  : 2\n\tTest:       \tTestX\n\tMessages:   \tafter the close\n",
			"Not equal: expected: 1, actual: 2 (after the close)"},
		{trace + "\tError:      \tNot equal: \n\t            \texpected: \"a\"\n\t            \tactual  : \"b\"\n\t            \t\n\t            \tDiff:\n\t            \t-a\n\t            \t+b\n\tTest:       \tTestX\n",
			"Not equal: expected: \"a\", actual: \"b\"\nDiff:\n-a\n+b"},
		{trace + "\tError:      \tReceived unexpected error:\n\t            \tclosed\n\t            \tx.Close\n\t            \t\t/x.go:5\n\tTest:       \tTestX\n",
			"Received unexpected error: closed\nx.Close\n\t/x.go:5"},
		{"panic: Log in goroutine after TestX has completed: " + strings.ReplaceAll(trace+"\tError:      \tShould be true\n\tTest:       \tTestX", "\n\t", "\n\t    \t"),
			"panic: Log in goroutine after TestX has completed: Should be true"},
	} {
		if got := asserted(test[0]); got != test[1] {
			t.Errorf("asserted(%q)\n = %q\nwant %q", test[0], got, test[1])
		}
	}
}

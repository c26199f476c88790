package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// Test2JSON writes the output of go test -json: an event per line (go doc test2json), with an entry as a
// test. An incomplete entry is skipped: it did not pass, but has no bug.
type Test2JSON struct {
	W    io.Writer
	Text Text // how the report of an entry is written

	pkg     string
	failed  bool
	elapsed time.Duration
}

type testEvent struct {
	Action  string
	Package string
	Test    string   `json:",omitempty"`
	Elapsed *float64 `json:",omitempty"`
	Output  string   `json:",omitempty"`
}

func (x *Test2JSON) event(action, test string, elapsed *time.Duration) error {
	e := testEvent{Action: action, Package: x.pkg, Test: test}
	if elapsed != nil {
		s := float64(elapsed.Milliseconds()) / 1000
		e.Elapsed = &s
	}
	return WriteJSON(x.W, e)
}

func (x *Test2JSON) output(test, text string) error {
	for l := range strings.Lines(text) {
		if !strings.HasSuffix(l, "\n") {
			l += "\n"
		}
		if err := WriteJSON(x.W, testEvent{Action: "output", Package: x.pkg, Test: test, Output: l}); err != nil {
			return err
		}
	}
	return nil
}

// Result implements Writer.
func (x *Test2JSON) Result(r *explore.Result, files []Files) error {
	status, why := statusOf(r)
	text := x.Text.one(r, files)
	if why != "" {
		text += "    " + Printable(why) + "\n"
	}
	if status != failed { // a failure begins with such a line
		text += fmt.Sprintf("--- %s: %s (%s)\n", strings.ToUpper(string(status)), r.Entry, seconds(timeOf(r)))
	}
	return x.test(r.Package, r.Entry, status, text, timeOf(r), r.SubtestVerdicts()...)
}

// test writes the events of an entry and its subtests.
func (x *Test2JSON) test(pkg, test string, status entryStatus, text string, took time.Duration, subs ...explore.Subtest) error {
	if err := x.begin(pkg); err != nil {
		return err
	}
	x.failed = x.failed || status == failed
	x.elapsed += took
	if err := x.event("run", test, nil); err != nil {
		return err
	}
	if err := x.output(test, "=== RUN   "+test+"\n"); err != nil {
		return err
	}
	for _, s := range subs {
		if err := x.subtest(s); err != nil {
			return err
		}
	}
	if err := x.output(test, text); err != nil {
		return err
	}
	return x.event(string(status), test, &took)
}

// subtest writes the events of a subtest. Its bug is in the output of its test.
func (x *Test2JSON) subtest(s explore.Subtest) error {
	if err := x.event("run", s.Name, nil); err != nil {
		return err
	}
	status, why := subtestStatus(s)
	text := fmt.Sprintf("=== RUN   %s\n%*s--- %s: %s (0.00s)\n", s.Name, 4*strings.Count(s.Name, "/"), "", strings.ToUpper(string(status)), s.Name)
	if s.Verdict == explore.Incomplete {
		text = "=== RUN   " + s.Name + "\n    " + why + "\n" + text[len("=== RUN   \n")+len(s.Name):]
	}
	if err := x.output(s.Name, text); err != nil {
		return err
	}
	return x.event(string(status), s.Name, new(time.Duration))
}

// begin begins a package, and ends the one before.
func (x *Test2JSON) begin(pkg string) error {
	if x.pkg == pkg {
		return nil
	}
	if err := x.end(); err != nil {
		return err
	}
	x.pkg, x.failed, x.elapsed = pkg, false, 0
	return x.event("start", "", nil)
}

func (x *Test2JSON) end() error {
	if x.pkg == "" {
		return nil
	}
	text, action := "PASS\nok  \t", "pass"
	if x.failed {
		text, action = "FAIL\nFAIL\t", "fail"
	}
	if err := x.output("", text+x.pkg+"\t"+seconds(x.elapsed)+"\n"); err != nil {
		return err
	}
	return x.event(action, "", &x.elapsed)
}

// Failed implements Writer.
func (x *Test2JSON) Failed(pkg, entry, why string) error {
	if entry == "" {
		if err := x.begin(pkg); err != nil {
			return err
		}
		x.failed = true
		return x.output("", fmt.Sprintf("FAIL\t%s [%s]\n", pkg, Printable(firstLine(why))))
	}
	text := fmt.Sprintf("not explored: %s\n--- FAIL: %s (0.00s)\n", Printable(why), entry)
	return x.test(pkg, entry, failed, text, 0)
}

// Close implements Writer.
func (x *Test2JSON) Close() error { return x.end() }

package report

import (
	"bytes"
	"go/token"
	"io"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// TestSmall: every format says that a bug is one of a small version, with its numbers, and has the result
// of a small version without a bug.
func TestSmall(t *testing.T) {
	at := func(line int) token.Position {
		return token.Position{Filename: dir + "bank_test.go", Line: line, Column: 3}
	}
	smaller := &bug.Smaller{Constants: []bug.Scaled{{Pos: at(9), From: 100, To: 3}, {Pos: at(12), From: 50, To: 2}, {Pos: at(20), From: 5000, To: 6, Follows: true}},
		Edits: []load.Edit{{Pos: at(9), From: "100", To: "3"}}}
	x := deposit()
	found := &explore.Result{Package: "p", Entry: "TestFound", Verdict: explore.Incomplete, POR: "optimal"}
	found.AddSmall(&explore.Small{Smaller: smaller, Result: &explore.Result{Verdict: explore.Fail, Bugs: []*bug.Bug{x}, FirstOnly: true, POR: "jpf"}})
	if found.Verdict != explore.Fail {
		t.Errorf("a bug of the small version leaves the verdict %s", found.Verdict)
	}
	proved := &explore.Result{Package: "p", Entry: "TestProved", Verdict: explore.Incomplete, POR: "optimal",
		Incomplete: []explore.Reason{{Cause: explore.CauseBound, Bound: por.Reason{Bound: por.BoundPoll, Text: "stopped"}}}}
	proved.Stats.Executions, proved.Stats.Goroutines, proved.Stats.MaxDepth = 41, 101, 20000
	ok := &explore.Result{Verdict: explore.OK, POR: "jpf", Match: true}
	ok.Stats.States = 4321
	proved.AddSmall(&explore.Small{Smaller: smaller, Result: ok})
	if !proved.TooBig() || proved.Verdict != explore.Incomplete {
		t.Errorf("a small version without a bug makes the verdict %s", proved.Verdict)
	}
	const numbers = "bank_test.go:9: 100 → 3, :12: 50 → 2"
	paths := Paths{Base: dir}
	text := Text{Paths: paths}
	type wanted struct {
		name          string
		new           func(w io.Writer, text Text) Writer
		found, proved string
	}
	list := []wanted{
		{"text", func(w io.Writer, text Text) Writer { text.W = w; return &text }, "found in its small version (" + numbers + ")",
			"too big: 101 goroutines, 20 000 steps an execution; its small version (" + numbers + ") is exhaustive: 0 executions, 4321 states, 0 goroutines, no bug; 41 executions at full size, no bug"},
		{"json", machineFormats[0].new, `"small":true`,
			`"small":{"constants":[{"pos":"bank_test.go:9:3","from":100,"to":3},{"pos":"bank_test.go:12:3","from":50,"to":2},{"pos":"bank_test.go:20:3","from":5000,"to":6}],"verdict":"ok","stats":{"executions":0`},
	}
	for _, f := range machineFormats[1:] {
		list = append(list, wanted{f.name, f.new, "found in its small version (" + numbers, numbers + ") is exhaustive"})
	}
	for _, f := range list {
		var b bytes.Buffer
		w := f.new(&b, text)
		for _, r := range []*explore.Result{found, proved} {
			if err := w.Result(r, make([]Files, len(r.Bugs))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{f.found, f.proved} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", f.name, want, &b)
			}
		}
	}

	// The replay file has the numbers, and only numbers are read from it.
	var rep Replay
	rep.SetBug(x, paths)
	edits, err := rep.Edits(dir)
	if err != nil || len(edits) != 1 || edits[0] != smaller.Edits[0] {
		t.Errorf("edits %#v, %v, want %#v", edits, err, smaller.Edits)
	}
	rep.Small[0].To = "3; os.Exit(0)"
	if _, err := rep.Edits(dir); err == nil {
		t.Error("an edit that is no number is taken")
	}
}

// TestSmallAssumes: an incomplete small version names its assumptions in words, and once.
func TestSmallAssumes(t *testing.T) {
	clock := func(line int) explore.Reason {
		return explore.Reason{Cause: explore.CauseAssumed, Assumption: vm.Assumption{What: vm.ClockCounted, Pos: token.Position{Filename: "x.go", Line: line}}}
	}
	stopped := explore.Reason{Cause: explore.CauseBound, Bound: por.Reason{Bound: por.BoundPoll, Text: "stopped after 1s"}}
	s := &explore.Small{Smaller: &bug.Smaller{}, Result: &explore.Result{Verdict: explore.Incomplete, Incomplete: []explore.Reason{stopped, clock(1), clock(2)}}}
	if got, want := smallVerdict(s), "is incomplete (stopped after 1s; assuming clock values):"; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

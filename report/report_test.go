package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file in testdata. Update a file only if you know the reason for the
// change.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Errorf("%s:%d differs:\n got %s\nwant %s", file, i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
			return
		}
	}
	t.Errorf("%s: lines are missing from %d on", file, len(g))
}

const dir = "/home/gopher/bank/"

func at(file string, line, col int) token.Position {
	return token.Position{Filename: dir + file, Line: line, Column: col}
}

func ev(g trace.GID, name string, kind trace.Kind, what, effect, fn string, pos token.Position, loc uint64, write bool) describe.Event {
	e := describe.Event{G: g, Name: name, Kind: kind, What: what, Effect: effect, Func: "example.com/bank." + fn, Pos: pos, Loc: loc, Write: write}
	switch {
	case loc != 0:
		e.Touches = []uint64{loc}
	case kind == trace.WgAdd || kind == trace.WgWait:
		e.Touches = []uint64{1}
	}
	return e
}

// deposit is the lost update of the README.
func deposit() *bug.Bug {
	b := &bug.Bug{Kind: bug.Failure, Detail: bug.TestFailed{Message: "balance 1, want 2"}, Pos: at("bank_test.go", 18, 3), G: "main", Loop: -1, Preemptions: 1, Minimal: true,
		Output: []byte("balance 1\n")}
	b.Events = []describe.Event{
		ev(0, "main", trace.Go, "func1", "→ g1", "TestDeposit", at("bank_test.go", 14, 3), 0, false),
		ev(0, "main", trace.Go, "func1", "→ g2", "TestDeposit", at("bank_test.go", 14, 3), 0, false),
		ev(0, "main", trace.WgWait, "wg", "", "TestDeposit", at("bank_test.go", 16, 9), 0, false),
		ev(1, "g1", trace.Read, "b.bal", "= 0", "(*Bank).Deposit", at("bank.go", 9, 10), 7, false),
		ev(2, "g2", trace.Read, "b.bal", "= 0", "(*Bank).Deposit", at("bank.go", 9, 10), 7, false),
		ev(2, "g2", trace.Write, "b.bal", "= 1", "(*Bank).Deposit", at("bank.go", 9, 8), 7, true),
		ev(2, "g2", trace.WgAdd, "wg", "= 1", "(*Bank).Deposit", at("bank_test.go", 15, 9), 0, false),
		ev(1, "g1", trace.Write, "b.bal", "= 1", "(*Bank).Deposit", at("bank.go", 9, 8), 7, true),
		ev(1, "g1", trace.WgAdd, "wg", "= 0", "(*Bank).Deposit", at("bank_test.go", 15, 9), 0, false),
		ev(0, "main", trace.WgWait, "wg", "", "TestDeposit", at("bank_test.go", 16, 9), 0, false),
		ev(0, "main", trace.Exit, "", "", "TestDeposit", at("bank_test.go", 18, 3), 0, false),
	}
	b.Events[2].Blocked = true
	b.Events[4].Preempts = "g1"
	b.Events[8].Choice = 1
	b.Stack = []describe.Frame{{Func: "example.com/bank.TestDeposit", Pos: at("bank_test.go", 18, 3), PC: 0x2a}}
	return b
}

func race() *bug.Bug {
	b := &bug.Bug{Kind: bug.Race, Detail: bug.Conflict{What: "b.bal", First: describe.Reads, Second: describe.Writes}, Pos: at("bank.go", 9, 10), G: "g1", Loop: -1,
		Related: []describe.Related{{Pos: at("bank.go", 9, 8), Role: describe.RoleConflicts, Access: describe.Writes, Func: "example.com/bank.(*Bank).Deposit"}}}
	r := ev(1, "g1", trace.Read, "b.bal", "", "(*Bank).Deposit", at("bank.go", 9, 10), 7, false)
	w := ev(0, "main", trace.Write, "b.bal", "", "(*Bank).Deposit", at("bank.go", 9, 8), 7, true)
	b.Events = []describe.Event{ev(0, "main", trace.Go, "func1", "→ g1", "TestDeposit", at("bank_test.go", 14, 3), 0, false), w, r}
	stack := []describe.Frame{{Func: "example.com/bank.(*Bank).Deposit", Pos: at("bank.go", 9, 8), PC: 0x8f},
		{Func: "example.com/bank.TestDeposit.func1", Pos: at("bank_test.go", 14, 20), PC: 0x12}}
	created := []describe.Frame{{Func: "example.com/bank.TestDeposit", Pos: at("bank_test.go", 14, 3), PC: 0x84}}
	b.Accesses = &[2]describe.Access{
		{Event: w, Writes: true, Addr: 0xc000096188, Stack: stack, Parent: trace.NoGID},
		{Event: r, Addr: 0xc000096188, Stack: stack, Parent: 0, Created: created},
	}
	b.AccessEvents = [2]int{1, 2}
	return b
}

func deadlock() *bug.Bug {
	b := &bug.Bug{Kind: bug.Deadlock, Detail: bug.WaitCycle{Goroutines: "main g1"}, Pos: at("lock.go", 12, 9), G: "main", Loop: -1, Preemptions: 1}
	b.Events = []describe.Event{
		ev(0, "main", trace.Go, "func1", "→ g1", "TestLock", at("lock.go", 9, 2), 0, false),
		ev(0, "main", trace.Lock, "a", "", "TestLock", at("lock.go", 11, 8), 3, true),
		ev(1, "g1", trace.Lock, "b", "", "TestLock.func1", at("lock.go", 20, 8), 4, true),
		ev(1, "g1", trace.Lock, "a", "", "TestLock.func1", at("lock.go", 21, 8), 3, true),
	}
	b.Events = append(b.Events, ev(0, "main", trace.Lock, "b", "", "TestLock", at("lock.go", 12, 9), 4, true))
	b.Events[2].Preempts = "main"
	b.Events[3].Blocked, b.Events[4].Blocked = true, true
	created := []describe.Frame{{Func: "example.com/bank.TestLock", Pos: at("lock.go", 9, 2), PC: 4}}
	b.Goroutines = []describe.Goroutine{
		{ID: 0, Name: "main", Parent: trace.NoGID, Waiting: describe.Waiting{For: "sync.Mutex.Lock", On: "b"}, Holders: []trace.GID{1},
			Stack: []describe.Frame{{Func: "sync.(*Mutex).Lock", Pos: token.Position{Filename: "/go/src/sync/mutex.go", Line: 46, Column: 1}}, {Func: "example.com/bank.TestLock", Pos: at("lock.go", 12, 9)}}},
		{ID: 1, Name: "g1", Parent: 0, Waiting: describe.Waiting{For: "sync.Mutex.Lock", On: "a"}, Holders: []trace.GID{0}, Created: created,
			Stack: []describe.Frame{{Func: "example.com/bank.TestLock.func1", Pos: at("lock.go", 21, 8), PC: 1}}},
	}
	b.Cycle = []bug.Edge{{From: 0, To: 1, On: "b", Pos: at("lock.go", 12, 9)}, {From: 1, To: 0, On: "a", Pos: at("lock.go", 21, 8)}}
	return b
}

// livelock has a long stretch before its loop.
func livelock() *bug.Bug {
	b := &bug.Bug{Kind: bug.Livelock, Detail: bug.Loops{Goroutines: "g1"}, Pos: at("spin.go", 5, 3), G: "g1", Loop: 31, LoopEvent: 31}
	b.Events = append(b.Events, ev(0, "main", trace.Go, "spin", "→ g1", "main", at("spin.go", 3, 2), 0, false))
	for range 30 {
		b.Events = append(b.Events, ev(0, "main", trace.AtomicRMW, "n", "", "main", at("spin.go", 4, 2), 9, true))
	}
	b.Events = append(b.Events, ev(1, "g1", trace.AtomicLoad, "flag", "= 0", "spin", at("spin.go", 5, 3), 8, false))
	b.Goroutines = []describe.Goroutine{{ID: 1, Name: "g1", Stack: []describe.Frame{{Func: "example.com/bank.spin", Pos: at("spin.go", 5, 3)}}}}
	return b
}

var receive = describe.Waiting{For: "chan receive", On: "ch"}

func leak() *bug.Bug {
	b := &bug.Bug{Kind: bug.Leak, Detail: bug.LeftBehind{Func: "func1", Waiting: receive}, Pos: at("leak.go", 7, 5), G: "g1", Loop: -1,
		Related: []describe.Related{{Pos: at("leak.go", 6, 2), Role: describe.RoleStarted, Goroutine: "g1"}}}
	b.Events = []describe.Event{ev(0, "main", trace.Go, "func1", "→ g1", "TestLeak", at("leak.go", 6, 2), 0, false),
		ev(1, "g1", trace.Recv, "ch", "", "TestLeak.func1", at("leak.go", 7, 5), 0, false)}
	b.Events[1].Blocked = true
	b.Goroutines = []describe.Goroutine{{ID: 1, Name: "g1", Waiting: receive, Stack: []describe.Frame{{Func: "example.com/bank.TestLeak.func1", Pos: at("leak.go", 7, 5)}}}}
	return b
}

func results() []*explore.Result {
	stats := explore.Stats{Stats: por.Stats{Executions: 24, Blocked: 1, Truncated: 2, Choices: 12, States: 12345, Matched: 3, Transitions: 99, MaxDepth: 31, PeakBytes: 4096},
		Counters: describe.Counters{Instructions: 1000, Goroutines: 3}, Load: 500 * time.Millisecond, Explore: 30 * time.Millisecond}
	one := stats
	one.Executions, one.Goroutines, one.States = 1, 1, 1
	return []*explore.Result{
		{Package: "example.com/quiet", Entry: "TestQuiet", Verdict: explore.OK, POR: "jpf", Match: true, Stats: stats},
		{Package: "example.com/quiet", Entry: "TestAlone", Verdict: explore.OK, POR: "full", Stats: one},
		{Package: "example.com/bank", Entry: "TestDeposit", Verdict: explore.Fail, POR: "jpf", Match: true, Stats: stats, FirstOnly: true, Bugs: []*bug.Bug{deposit()}},
		{Package: "example.com/bank", Entry: "TestAll", Verdict: explore.Fail, POR: "jpf", Match: true, Stats: stats, Incomplete: []explore.Reason{{Bound: por.Reason{Bound: por.BoundExecutions, Limit: 24}}},
			Bugs: []*bug.Bug{race(), deadlock(), livelock(), leak()}},
		{Package: "example.com/server", Entry: "TestServer", Verdict: explore.Incomplete, POR: "jpf", Stats: stats,
			Incomplete: []explore.Reason{{Cause: explore.CauseStopped, Text: "timeout after 10m0s (--timeout)"}, {Cause: explore.CauseUnsupported, Text: "net.Dial is not supported (dial.go:12:7)"}}},
		{Package: "example.com/litmus", Entry: "main", Verdict: explore.OK, POR: "full", Match: true, Stats: stats,
			Outcomes: []explore.Outcome{{Output: "0 1\n", Ending: "exit 0", Count: 3, Events: deposit().Events}, {Output: "", Ending: "panic: boom", Count: 12, Events: race().Events}}},
	}
}

func TestText(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var b bytes.Buffer
		w := &Text{W: &b, Paths: Paths{Base: dir}, Verbose: verbose}
		writeAll(t, w)
		name := "text.golden"
		if verbose {
			name = "text-v.golden"
		}
		golden(t, name, b.Bytes())
	}
}

func writeAll(t *testing.T, w Writer) {
	t.Helper()
	for _, r := range results() {
		var files []Files
		for i := range r.Bugs {
			name := ".hbcheck/" + r.Entry + "." + string(rune('1'+i))
			files = append(files, Files{name + ".hbr", name + ".html"})
		}
		if err := w.Result(r, files); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestContract checks the names of the fields against the design's list.
func TestContract(t *testing.T) {
	var b bytes.Buffer
	writeAll(t, &JSON{W: &b, Paths: Paths{Base: dir}, Outcomes: true})
	for line := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		has := func(m map[string]any, names string) {
			t.Helper()
			for _, n := range strings.Fields(names) {
				if v, ok := m[n]; !ok || v == nil {
					t.Errorf("no %q in %v", n, m)
				}
			}
		}
		if m["action"] == "summary" {
			has(m, "ok fail open skipped errors findings assumptions")
			for _, x := range m["findings"].([]any) {
				has(x.(map[string]any), "code severity pos message entries")
			}
			continue
		}
		has(m, "action package entry verdict por hybrid bugs stats outcomes incomplete")
		has(m["stats"].(map[string]any), "executions blocked choices states transitions instructions maxdepth goroutines eliminated static_s explore_s peak_bytes")
		for _, x := range m["bugs"].([]any) {
			has(x.(map[string]any), "code kind message pos goroutine related schedule")
		}
		for _, x := range m["outcomes"].([]any) {
			has(x.(map[string]any), "output ending count schedule")
		}
	}
	b.Reset()
	writeAll(t, &JSON{W: &b})
	if strings.Contains(b.String(), `"outcomes"`) {
		t.Error("outcomes although nobody asked")
	}
}

func TestReplayFile(t *testing.T) {
	for _, b := range []*bug.Bug{deposit(), race(), livelock()} {
		r := &Replay{Tool: "hbcheck v0.1.0", Go: "go1.26.8", Package: "example.com/bank", Entry: "TestDeposit", Dir: "..", Patterns: []string{"."}, Tests: true}
		r.SetBug(b, Paths{Base: dir})
		name := filepath.Join(t.TempDir(), "new", "a.hbr")
		if err := WriteReplay(name, r); err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(name)
		if b.Kind == bug.Failure {
			golden(t, "deposit.hbr.golden", data)
		}
		again, err := ReadReplay(name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r, again) {
			t.Errorf("read back %+v, wrote %+v", again, r)
		}
		rec, err := again.Recording(dir)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind != b.Kind || rec.Pos != b.Pos || !rec.Same(b) || len(rec.Events) != len(steps(b.Events)) {
			t.Errorf("recording %+v", rec)
		}
		for i, e := range steps(b.Events) {
			if got := rec.Events[i]; got.Name != e.Name || got.Kind != e.Kind || got.Pos != e.Pos || got.Choice != e.Choice {
				t.Errorf("event %d: %+v, want %+v", i+1, got, e)
			}
		}
	}
}

// TestLongText: a text of the program of any size is cut where a schedule is drawn.
func TestLongText(t *testing.T) {
	bug := *deposit()
	bug.Events = slices.Clone(bug.Events)
	bug.Events[0].What, bug.Events[0].Effect = strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20)
	lines, _ := Lines(&bug)
	if n := len(lines[0].What) + len(lines[0].Effect); n > 4*mostWhat {
		t.Errorf("%d bytes for a line of a page", n)
	}
	if n := len(BugText(Paths{Base: dir}, &bug)); n > 1<<16 {
		t.Errorf("%d bytes of text", n)
	}
}

// TestParsePos: positions in replay files are read as they are written, those without a column, too.
func TestParsePos(t *testing.T) {
	for _, pos := range []token.Position{
		{Filename: "/src/a.go", Line: 3, Column: 4},
		{Filename: "/src/y.y", Line: 12},
		{Filename: "/src/a:b.go", Line: 12},
		{Filename: "/elsewhere/a.go", Line: 12, Column: 1},
		{},
	} {
		s := Paths{Base: "/src"}.recorded(pos)
		if got, err := parsePos(s, "/src"); err != nil || got != pos {
			t.Errorf("%s: %+v, %v, want %+v", s, got, err, pos)
		}
	}
	for _, bad := range []string{"a.go", "a.go:x", "a.go:x:1x", ":"} {
		if got, err := parsePos(bad, ""); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

// TestReplayFileBrief: a replay file has the number of steps that are not described, which reading
// restores.
func TestReplayFileBrief(t *testing.T) {
	bug := *deposit()
	bug.Events = slices.Clone(bug.Events)
	told := steps(bug.Events)[0].Name
	for i := range bug.Events {
		if e := &bug.Events[i]; i > 0 {
			*e = describe.Event{G: e.G, Name: e.Name, Choice: e.Choice, Blocked: e.Blocked, Brief: true}
		}
	}
	r := &Replay{Tool: "hbcheck v0.1.0"}
	r.SetBug(&bug, Paths{Base: dir})
	name := filepath.Join(t.TempDir(), "a.hbr")
	if err := WriteReplay(name, r); err != nil {
		t.Fatal(err)
	}
	again, err := ReadReplay(name)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := again.Recording(dir)
	if err != nil || len(again.Events) >= len(bug.Events) || len(rec.Events) != len(steps(bug.Events)) || rec.Events[0].Name != told {
		t.Fatalf("%v: %d events, %+v", err, len(again.Events), rec.Events)
	}
	for i, e := range steps(bug.Events) {
		if got := rec.Events[i]; got.Name != e.Name || got.Brief != e.Brief || got.Choice != e.Choice {
			t.Errorf("step %d: %+v, want %+v", i+1, got, e)
		}
	}
	again.Events[1].Steps = 1 << 60
	if _, err := again.Recording(dir); err == nil {
		t.Error("a file that stands for more steps than there can be")
	}
}

// TestUntold: a report says that there was no time to describe a bug.
func TestUntold(t *testing.T) {
	x := *deposit()
	x.Untold, x.Undecided, x.Passes = true, true, &bug.Passing{Waiter: "g1", Runner: "g2", Wait: 5e9}
	x.Events = slices.Clone(x.Events)
	for i := range x.Events {
		e := &x.Events[i]
		*e = describe.Event{G: e.G, Name: e.Name, Choice: e.Choice, Blocked: e.Blocked, Brief: true}
	}
	var b bytes.Buffer
	(&Text{W: &b}).bug(&b, &x)
	for _, want := range []string{"more steps, not shown", "because time was up", "g2 overtakes g1, which came to the channel 5s earlier", "is a mere warning then, is open", " (the language permits it; whether gc does it is open)\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "why:") || strings.Contains(b.String(), "-v shows") {
		t.Errorf("it says what is not known:\n%s", &b)
	}
}

func TestReplayFileErrors(t *testing.T) {
	good := &Replay{Tool: "hbcheck v9"}
	good.SetBug(deposit(), Paths{Base: dir})
	for _, tt := range []struct {
		name string
		edit func(*Replay)
		want string
	}{
		{"later version", func(r *Replay) { r.Version = 2 }, "replay file version 2, written by hbcheck v9; this hbcheck reads up to version 1"},
		{"no version", func(r *Replay) { r.Version = 0 }, "no version"},
		{"unknown operation", func(r *Replay) { r.Events = []ReplayEvent{{Kind: "jump"}} }, `event 1: unknown operation "jump"`},
		{"bad position", func(r *Replay) { r.Pos = "bank.go:1:x" }, `bad position "bank.go:1:x"`},
		{"schedule", func(r *Replay) { r.Schedule = r.Schedule[1:] }, "do not agree"},
		{"code", func(r *Replay) { r.Code = "HB099" }, `unknown code "HB099"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := *good
			tt.edit(&r)
			name := filepath.Join(t.TempDir(), "a.hbr")
			if err := WriteReplay(name, &r); err != nil {
				t.Fatal(err)
			}
			again, err := ReadReplay(name)
			if err == nil {
				_, err = again.Recording(dir)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	name := filepath.Join(t.TempDir(), "a.hbr")
	os.WriteFile(name, []byte("hello"), 0o666)
	if _, err := ReadReplay(name); err == nil || !strings.Contains(err.Error(), "not a replay file") {
		t.Errorf("error %v", err)
	}
}

// TestGroups: numbers are grouped from five digits on.
func TestGroups(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1204: "1204", 12345: "12 345", 1234567: "1 234 567"} {
		if got := Digits(n); got != want {
			t.Errorf("Digits(%d) = %q, want %q", n, got, want)
		}
	}
}

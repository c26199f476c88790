package confirm

import (
	"go/token"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/trace"
)

// TestShownBy: the bugs that confirm a finding at lines 10 and 20 of a file.
func TestShownBy(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 1000)
	for i := range 100 {
		file.AddLine(i * 10)
	}
	at := func(n int) token.Position { return token.Position{Filename: "a.go", Line: n, Column: 3} }
	race := func(x, y int) *bug.Bug {
		return &bug.Bug{Kind: bug.Race, Accesses: &[2]describe.Access{{Event: describe.Event{Pos: at(x)}}, {Event: describe.Event{Pos: at(y)}}}}
	}
	waits := func(lines ...int) *bug.Bug {
		b := &bug.Bug{Kind: bug.Deadlock, Pos: at(lines[0])}
		for _, n := range lines {
			b.Cycle = append(b.Cycle, bug.Edge{Pos: at(n)})
		}
		return b
	}
	panics := func(n int) *bug.Bug {
		return &bug.Bug{Kind: bug.Panic, Pos: at(99), Stack: []describe.Frame{{Pos: at(99)}, {Pos: at(n)}}}
	}
	after := func(n int) *bug.Bug {
		return &bug.Bug{Kind: bug.Deadlock, Pos: at(50), Goroutines: []describe.Goroutine{{Awaits: []describe.Holding{{Pos: at(n)}}}}}
	}
	// g2 waits at line waits for a lock that goroutine by took at line n; frames are the lines of
	// by's stack.
	needs := func(waits, n int, by trace.GID, frames ...int) *bug.Bug {
		b := &bug.Bug{Kind: bug.Deadlock, Pos: at(waits), Events: []describe.Event{{Func: "f"}}}
		b.Goroutines = []describe.Goroutine{{ID: 2, Awaits: []describe.Holding{{ID: by, Pos: at(n)}}}, {ID: by}}
		for _, n := range frames {
			b.Goroutines[1].Stack = append(b.Goroutines[1].Stack, describe.Frame{Func: "f", Pos: at(n)})
		}
		return b
	}
	// Two goroutines wait for each other at line 50, for locks that were taken at the lines x and y.
	cross := func(x, y int) *bug.Bug {
		return &bug.Bug{Kind: bug.Deadlock, Pos: at(50), Cycle: []bug.Edge{{From: 1, To: 2, Pos: at(50)}, {From: 2, To: 1, Pos: at(50)}},
			Goroutines: []describe.Goroutine{{ID: 1, Awaits: []describe.Holding{{ID: 2, Pos: at(x)}}}, {ID: 2, Awaits: []describe.Holding{{ID: 1, Pos: at(y)}}}}}
	}
	crashes := func(text string) *bug.Bug {
		b := panics(10)
		b.Detail = bug.Crashed{Text: text}
		return b
	}
	fails := func(by trace.GID) *bug.Bug {
		return &bug.Bug{Kind: bug.Failure, Events: []describe.Event{
			{G: 1, Pos: at(20), Loc: 7}, {G: by, Pos: at(10), Loc: 7, Write: true}, {G: 1, Pos: at(10), Loc: 7, Write: true}}}
	}
	// g waits at line, and another goroutine writes what it has read, after the signal or before.
	overtaken := func(g string, line int, after bool) *bug.Bug {
		list := []describe.Event{
			{G: 1, Name: "g1", Kind: trace.Read, Pos: at(8), Loc: 7}, {G: 1, Name: "g1", Kind: trace.Park, Pos: at(line), Loc: 8, Write: true},
			{G: 2, Name: "g2", Kind: trace.Signal, Pos: at(30), Loc: 8, Write: true}, {G: 2, Name: "g2", Kind: trace.Write, Pos: at(31), Loc: 7, Write: true},
			{G: 1, Name: "g1", Kind: trace.WakeLock, Pos: at(line), Loc: 8, Write: true}}
		if !after {
			list[2], list[3] = list[3], list[2]
		}
		return &bug.Bug{Kind: bug.Panic, G: g, Events: list}
	}
	for _, x := range []struct {
		code string
		bug  *bug.Bug
		want bool
	}{
		{"HBA401", race(10, 20), true}, {"HBA401", race(20, 10), true}, {"HBA401", race(10, 30), false}, {"HBA401", race(20, 20), false},
		{"HBA401", waits(10, 20), false},
		{"HBA402", race(10, 30), true}, {"HBA402", race(20, 30), false},
		{"HBA107", race(30, 10), true}, {"HBA107", race(20, 30), false},
		{"HBA110", waits(10, 20), true}, {"HBA110", waits(10, 30), false}, {"HBA110", waits(10), false}, {"HBA110", race(10, 20), false},
		{"HBA112", needs(20, 10, 1), true}, {"HBA112", needs(20, 30, 1), false}, {"HBA112", needs(30, 10, 1), false},
		{"HBA101", needs(20, 10, 1, 20), true}, {"HBA101", needs(20, 10, 1, 30), false}, {"HBA101", needs(20, 30, 1, 20), false},
		{"HBA110", cross(10, 20), true}, {"HBA110", cross(10, 30), false},
		{"HBA304", waits(20), true},
		{"HBA208", crashes("panic: send on closed channel"), true}, {"HBA208", crashes("panic: nil pointer"), false},
		{"HBA103", needs(30, 20, 1), true}, {"HBA103", needs(30, 20, 1, 30), false},
		{"HBA201", waits(10), true}, {"HBA201", waits(20), false}, {"HBA201", &bug.Bug{Kind: bug.Leak, Pos: at(10)}, true},
		{"HBA208", panics(10), true}, {"HBA208", panics(20), true}, {"HBA208", panics(30), false}, {"HBA208", race(10, 20), true},
		{"HBA104", panics(10), true}, {"HBA104", race(10, 20), false},
		{"HBA103", after(20), true}, {"HBA103", after(30), false},
		{"HBA403", fails(2), true}, {"HBA403", fails(1), false}, {"HBA403", &bug.Bug{Kind: bug.Failure}, false},
		{"HBA305", waits(10), true}, {"HBA305", waits(30), false},
		{"HBA305", overtaken("g1", 10, true), true}, {"HBA305", overtaken("g1", 10, false), false},
		{"HBA305", overtaken("g2", 10, true), false}, {"HBA305", overtaken("g1", 40, true), false},
	} {
		f := &findings.Finding{Code: x.code, Place: findings.Place{Pos: file.Pos(93)}, Related: []findings.Place{{Pos: file.Pos(193)}}}
		c := newClaim(fset, f)
		if got := c.shownBy(x.bug); got != x.want {
			t.Errorf("%s: %v shows it: %v, want %v", x.code, x.bug.Kind, got, x.want)
		}
		if x.want && !c.mayShow(x.bug) {
			t.Errorf("%s: %v is accepted before it is known that it shows it", x.code, x.bug.Kind)
		}
	}
	if c := newClaim(fset, &findings.Finding{Code: "HBA401", Place: findings.Place{Pos: file.Pos(93)}, Related: []findings.Place{{Pos: file.Pos(193)}}}); c.at.n != 10 || c.lines[1].n != 20 {
		t.Fatalf("the lines of the finding are %v", c.lines)
	}
	// Every check has a shape, or cannot be confirmed.
	for _, c := range findings.Checks {
		if _, ok := shapes[c.Code]; !ok && c.Code != "HBA206" {
			t.Errorf("%s has no shape", c.Code)
		}
	}
}

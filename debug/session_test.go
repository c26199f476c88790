package debug_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/internal/debugtest"
)

// line returns the line of debugtest.Bank that ends with a comment.
func line(t *testing.T, comment string) int {
	t.Helper()
	before, _, ok := strings.Cut(debugtest.Bank, "// "+comment+"\n")
	if !ok {
		t.Fatalf("no line with %s", comment)
	}
	return 1 + strings.Count(before, "\n")
}

// inner returns the innermost function of the present goroutine.
func inner(t *testing.T, s *debug.Session) debug.Frame {
	t.Helper()
	g, ok := s.Current()
	if !ok {
		t.Fatal("no goroutine")
	}
	frames := s.Frames(g)
	return frames[max(debug.UserFrame(frames), 0)]
}

// eval returns the text of a path in the innermost function.
func eval(t *testing.T, s *debug.Session, path string) string {
	t.Helper()
	f := inner(t, s)
	v, err := s.Eval(&f, path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return ""
	}
	return s.Text(v)
}

// TestContinue: a session begins before the first line, stops at its breakpoints on the way to the end
// and at the same places on the way back, with the same values of all variables.
func TestContinue(t *testing.T) {
	s, _ := debugtest.Open(t, debugtest.Bank)
	if f := inner(t, s); f.Func != "main.main" || s.Place().Step >= 0 {
		t.Errorf("begins in %s at %v", f.Func, s.Place())
	}
	if _, err := s.AddBreak(debug.Breakpoint{File: "main.go", Line: line(t, "deposit")}); err != nil {
		t.Fatal(err)
	}
	see := func() string {
		return fmt.Sprint(s.Place(), " ", eval(t, s, "a.balance"), " + ", eval(t, s, "n"), " ", eval(t, s, "name"), " ", s.Output())
	}
	var forwards, backwards []string
	for s.Continue().Reason == debug.Break {
		forwards = append(forwards, see())
	}
	if len(forwards) != 2 || !strings.Contains(forwards[0], " 0 + ") || !strings.Contains(forwards[1], `"eve"`) {
		t.Fatalf("stops at %q", forwards)
	}
	if !s.AtEnd() || s.Output() != "3\n" {
		t.Errorf("ends at %v of %d steps, has printed %q", s.Place(), s.Steps(), s.Output())
	}
	for s.ReverseContinue().Reason == debug.Break {
		backwards = append([]string{see()}, backwards...)
	}
	if fmt.Sprint(forwards) != fmt.Sprint(backwards) {
		t.Errorf("forwards\n%q\nand backwards\n%q", forwards, backwards)
	}
	if _, err := s.AddBreak(debug.Breakpoint{File: "nosuch.go", Line: 1}); err == nil {
		t.Error("a breakpoint in a file that is not the program's")
	}
	if n := s.RemoveBreaks(func(*debug.Breakpoint) bool { return true }); n != 1 || s.Continue().Reason != debug.End {
		t.Errorf("%d breakpoints removed, stops at %v", n, s.Place())
	}
}

// TestConditions: a breakpoint with a condition stops where the condition is true, and a breakpoint
// of a goroutine stops only in that goroutine.
func TestConditions(t *testing.T) {
	for _, b := range []debug.Breakpoint{{Func: "deposit", Cond: "n == 2"}, {Func: "deposit", Goroutine: "g2"}} {
		s, _ := debugtest.Open(t, debugtest.Bank)
		if _, err := s.AddBreak(b); err != nil {
			t.Fatal(err)
		}
		if stop := s.Continue(); stop.Reason != debug.Break || stop.Break.ID != 1 || eval(t, s, "n") != "2" {
			t.Errorf("%+v: stops at %v for %v", b, s.Place(), stop)
		}
		if stop := s.Continue(); stop.Reason != debug.End {
			t.Errorf("%+v: stops again at %v", b, s.Place())
		}
	}
}

// TestBack: each line forwards can be taken back.
func TestBack(t *testing.T) {
	s, _ := debugtest.Open(t, debugtest.Bank)
	for _, into := range []debug.Into{debug.Over, debug.In} {
		s.Begin()
		var way []string
		for range 30 {
			way = append(way, fmt.Sprint(s.Place(), inner(t, s).Pos))
			if s.Line(into).Reason != debug.Stepped {
				break
			}
		}
		for i := len(way) - 1; i >= 0; i-- {
			s.Back(into)
			if got := fmt.Sprint(s.Place(), inner(t, s).Pos); got != way[i] {
				t.Errorf("line %d: back comes to %s, want %s", i, got, way[i])
			}
		}
		if len(way) < 8 {
			t.Errorf("only %d lines", len(way))
		}
	}
}

// TestPlaces: a place looks the same on every way to it.
func TestPlaces(t *testing.T) {
	s, _ := debugtest.Open(t, debugtest.Bank)
	rnd := rand.New(rand.NewSource(1))
	seen := make(map[debug.Place]string)
	twice := 0
	for range 60 {
		switch rnd.Intn(6) {
		case 0:
			s.Go(debug.Place{Step: rnd.Intn(s.Steps() + 1)})
		case 1:
			s.Move(1 + rnd.Intn(3))
		case 2:
			s.Move(-1 - rnd.Intn(3))
		case 3:
			s.Line(debug.In)
		case 4:
			s.Back(debug.Over)
		case 5:
			s.Line(debug.Out)
		}
		var b strings.Builder
		for _, g := range s.Goroutines() {
			fmt.Fprintln(&b, g.Name, s.Held(g.Name), s.Clocks(g.Name))
			for _, f := range s.Frames(g.ID) {
				fmt.Fprintln(&b, f.Func, f.Pos)
				for _, scope := range s.Scopes(&f) {
					for _, v := range scope.List {
						fmt.Fprintln(&b, scope.Name, v.Name, s.TypeText(v.Value), s.Text(v.Value))
					}
				}
			}
		}
		b.WriteString(s.Output())
		if before, ok := seen[s.Place()]; ok {
			if twice++; before != b.String() {
				t.Fatalf("at %v there is\n%s\nand was\n%s", s.Place(), &b, before)
			}
		}
		seen[s.Place()] = b.String()
	}
	if len(seen) < 10 || twice < 5 {
		t.Errorf("%d places, %d of them twice", len(seen), twice)
	}
}

// TestTake: where several goroutines can move, another one is chosen, and the rest of the schedule follows.
func TestTake(t *testing.T) {
	s, _ := debugtest.Open(t, debugtest.Bank)
	for step := range s.Steps() {
		s.Go(debug.Place{Step: step})
		choices, err := s.Choices()
		if err != nil {
			t.Fatal(err)
		}
		taken := 0
		other := ""
		for _, c := range choices {
			if c.Taken {
				taken++
			} else {
				other = c.Name
			}
		}
		if taken != 1 {
			t.Fatalf("step %d: %d of %v are taken", step, taken, choices)
		}
		if other == "" {
			continue
		}
		if err := s.Take("g99"); err == nil {
			t.Error("a goroutine moves that there is not")
		}
		if err := s.Take(other); err != nil {
			t.Fatal(err)
		}
		if got := s.Step(step).Name; got != other || s.Continue().Reason != debug.End || s.Output() != "3\n" {
			t.Errorf("%s moves, want %s; prints %q", got, other, s.Output())
		}
		return
	}
	t.Error("no step has a choice")
}

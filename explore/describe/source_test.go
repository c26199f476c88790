package describe

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestClockNames: a clock read is named by the call that reads the clock, not by an argument, by a call in an
// argument, or by the function around it.
func TestClockNames(t *testing.T) {
	const src = `package main

import "time"

func wait(d time.Duration) time.Duration { return d }

func main() {
	ticks := time.NewTicker(time.Second * 2)
	<-time.After(wait(time.Second))
	end := time.Now().Add(time.Second)
	if time.Until(time.Unix(1, 0)) > 0 || end.IsZero() {
		ticks.Reset(time.Second)
	}
}
`
	prog := vmtest.Load(t, src)
	s := newSource(prog)
	pos := prog.Fset.Position(prog.Entries[0].Pos)
	lines := strings.Split(src, "\n")
	for _, name := range []string{"time.NewTicker", "time.After", "time.Now", "time.Until", "ticks.Reset"} {
		line := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, name+"(") })
		pos.Line, pos.Column = line+1, strings.Index(lines[line], name)+len(name)+1
		if got, _ := s.what(trace.Clock, pos); got != name {
			t.Errorf("%q, want %q", got, name)
		}
	}
	pos.Line, pos.Column = 7, 1
	if got, _ := s.what(trace.Clock, pos); got != "" {
		t.Errorf("%q where nothing is called", got)
	}
}

// TestStartedNames: a method that a timer or a WaitGroup starts operates on its receiver.
func TestStartedNames(t *testing.T) {
	const src = `package main

import ("sync"; "time")

func main() {
	var mu sync.Mutex
	var wg, done sync.WaitGroup
	time.AfterFunc(time.Millisecond, mu.Unlock)
	time.AfterFunc(time.Millisecond, done.Done)
	wg.Go(mu.Lock)
}
`
	prog := vmtest.Load(t, src)
	s := newSource(prog)
	pos := prog.Fset.Position(prog.Entries[0].Pos)
	lines := strings.Split(src, "\n")
	for _, tt := range []struct {
		kind       trace.Kind
		call, want string
	}{
		{trace.Unlock, "time.AfterFunc(time.Millisecond, mu", "mu"},
		{trace.WgAdd, "time.AfterFunc(time.Millisecond, done", "done"},
		{trace.Lock, "wg.Go(mu", "mu"},
		{trace.WgAdd, "wg.Go(mu", "wg"},
	} {
		line := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, tt.call) })
		pos.Line, pos.Column = line+1, strings.Index(lines[line], "(")+1
		if got, _ := s.what(tt.kind, pos); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.call, got, tt.want)
		}
	}
}

// TestConversionNames: a conversion reads its operand.
func TestConversionNames(t *testing.T) {
	const src = `package main

type event struct{ id []byte }

func text(e *event) string { return string(e.id) }

func main() { println(text(&event{[]byte("a")})) }
`
	prog := vmtest.Load(t, src)
	pos := prog.Fset.Position(prog.Entries[0].Pos)
	pos.Line, pos.Column = 5, strings.Index(strings.Split(src, "\n")[4], "string(e.id)")+len("string(")
	if got, typ := newSource(prog).what(trace.Read, pos); got != "e.id" || typ.String() != "[]byte" {
		t.Errorf("%q of type %v, want e.id", got, typ)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/words.txt")

// TestWords executes testdata/words.go under one schedule and compares the descriptions of its
// operations with testdata/words.txt.
func TestWords(t *testing.T) {
	src, err := os.ReadFile("testdata/words.go")
	if err != nil {
		t.Fatal(err)
	}
	prog := vmtest.Load(t, string(src))
	m, err := NewMachine(prog, prog.Entries[0], vm.Config{VisibleOutput: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	var got strings.Builder
	for m.Status() == por.Running {
		g := m.Enabled(nil)[0]
		e := m.Describe(g)
		m.Step(g, 0)
		e.Effect = m.Effect()
		fmt.Fprintf(&got, "%-4s %-40s %v\n", e.Name, strings.TrimSpace(fmt.Sprintf("%v %s %s", e.Kind, e.What, e.Effect)), strings.TrimSpace(lines[max(0, e.Pos.Line-1)]))
	}
	if end := m.Ending(); end.Exit != nil || end.Failure != nil || end.Fault != nil || end.Unsupported != "" {
		t.Errorf("%+v", end)
	}
	if *update {
		if err := os.WriteFile("testdata/words.txt", []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("testdata/words.txt:%d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}

package console_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/debug/console"
	"hbcheck.dev/hbcheck/internal/debugtest"
)

// TestCommands: the output of a sequence of commands; an empty line repeats the last repeatable one.
func TestCommands(t *testing.T) {
	s, paths := debugtest.Open(t, debugtest.Bank)
	var out bytes.Buffer
	c := console.New(s, paths, &out)
	c.Begin()
	if got := out.String(); !strings.Contains(got, "no bug in this schedule: it ends with exit 0") || !strings.Contains(got, "=>") {
		t.Errorf("begins with %q", got)
	}
	for _, x := range []struct{ line, want string }{
		{"break main.go:22", "breakpoint 1 at main.go:22\n"},
		{"break nosuch.go:1", "no file of the program is nosuch.go\n"},
		{"continue", "breakpoint 1\n"},
		{"p a.balance", "0\n"},
		{"p n == 3", "false\n"},
		{"p nosuch", "no variable nosuch"},
		{"locals", `name = "eve"`},
		{"bt", "(*bank).deposit  main.go:22"},
		{"held", "b.mu"},
		{"up", "g1 in main.func1, main.go:29"},
		{"goroutines", "g2     waits [sync.Mutex.Lock]: lock b.mu  main.go:19, held by g1"},
		{"c", "breakpoint 1\n"},
		{"", "the end, after step 19"},
		{"undo", "step 19 of 19 is next"},
		{"", "step 18 of 19 is next"},
		{"rc", "breakpoint 1\n"},
		{"clear 1", ""},
		{"breakpoints", "no breakpoints\n"},
		{"goto end", "the end, after step 19"},
		{"choices", "there is no choice"},
		{"goto start", "main.go:2"},
		{"frobnicate", "no command frobnicate: help lists them\n"},
		{"help", "reverse-continue"},
	} {
		out.Reset()
		if c.Do(x.line) {
			t.Errorf("%q ends the session", x.line)
		}
		if got := out.String(); !strings.Contains(got, x.want) {
			t.Errorf("%q says %q, want %q", x.line, got, x.want)
		}
	}
	if !c.Do("quit") {
		t.Error("quit does not end the session")
	}
}

// TestComplete: the names of commands are completed, and all are known.
func TestComplete(t *testing.T) {
	if got := console.Complete("who-"); !slices.Equal(got, []string{"who-holds", "who-waits"}) {
		t.Errorf("who- is completed by %q", got)
	}
	for _, name := range console.Complete("") {
		if !console.Knows(name + " x") {
			t.Errorf("%s is not known", name)
		}
	}
	if console.Knows("b.mu") {
		t.Error("a path is taken for a command")
	}
}

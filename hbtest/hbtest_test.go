package hbtest

import (
	"strings"
	"testing"
	"time"
)

// TestFirst: without the tool every choice takes its first value.
func TestFirst(t *testing.T) {
	if Choose(3) != 0 || Bool() || Pick("a", "b") != "a" {
		t.Error("not the first value")
	}
	Assume(true)
	if Running() {
		t.Error("hbcheck is not running this")
	}
}

// TestSkip: with HBCHECK=skip the function is called once, whatever the options are.
func TestSkip(t *testing.T) {
	t.Setenv("HBCHECK", "skip")
	calls := 0
	Explore(t, func(t *testing.T) { calls++ }, Timeout(time.Minute), Preempt(2), Time("any"), Slack(time.Second), Accept("rand", "maps"),
		AllowLeak("x"), Explorer("jpf"), AllowIncomplete(), Flags("--strict"))
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// TestOptions: the flags that options stand for.
func TestOptions(t *testing.T) {
	s := &settings{}
	for _, o := range []Option{Timeout(time.Minute), Preempt(2), Time("any"), Slack(time.Second), Accept("rand", "maps"), AllowLeak("x"),
		Explorer("jpf"), AllowIncomplete(), Flags("--strict", "-v")} {
		o.apply(s)
	}
	want := "--preempt=2 --time=any --slack=1s --assume=rand,maps --allow-leak=x --por=jpf --strict -v"
	if got := strings.Join(s.flags, " "); got != want || s.timeout != time.Minute || !s.allow {
		t.Errorf("%q, want %q; %+v", got, want, s)
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"nothing to choose from": func() { Choose(0) },
		"run this test with":     func() { Assume(false) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, name) {
					t.Errorf("panic %q, want one with %q", s, name)
				}
			}()
			f()
		}()
	}
}

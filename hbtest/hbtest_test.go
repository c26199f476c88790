package hbtest

import (
	"strings"
	"testing"
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

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/explore"
)

// TestBenchMistake: an internal error in one row is reported at the end, and does not affect later rows.
func TestBenchMistake(t *testing.T) {
	r := &benchRun{benchFlags: &benchFlags{}, ctx: t.Context()}
	for _, x := range []struct {
		name    string
		measure func(context.Context) (int, error)
		ok      bool
	}{
		{"panics", func(context.Context) (int, error) { panic("BUG: of a row") }, false},
		{"mistaken", func(context.Context) (int, error) { return 0, &explore.Mistake{Static: errors.New("of facts")} }, false},
		{"right", func(context.Context) (int, error) { return 3, nil }, true},
	} {
		if _, ok, err := row(r, x.name, x.measure); ok != x.ok || err != nil {
			t.Errorf("%s: %v, %v", x.name, ok, err)
		}
	}
	all := errors.Join(r.mistakes...).Error()
	if !strings.Contains(all, "panics: ") || !strings.Contains(all, "BUG: of a row") || !strings.Contains(all, "of facts") {
		t.Error(all)
	}
	if _, ok, err := row(r, "described", func(context.Context) (*bench.CountedRow, error) {
		return &bench.CountedRow{Result: &explore.Result{Mistakes: []string{"BUG: untold"}}}, nil
	}); !ok || err != nil || !strings.Contains(errors.Join(r.mistakes...).Error(), "described: hbcheck (devel): internal error: BUG: untold") {
		t.Errorf("%v, %v: %v", ok, err, r.mistakes)
	}
	if err := r.safely("suite", func() error { panic("BUG: of a suite") }); err != nil || !strings.Contains(errors.Join(r.mistakes...).Error(), "suite: hbcheck") {
		t.Errorf("%v: %v", err, r.mistakes)
	}
	failed := errors.New("no such program")
	if _, ok, err := row(r, "missing", func(context.Context) (int, error) { return 0, failed }); ok || err != failed {
		t.Errorf("%v, %v", ok, err)
	}
}

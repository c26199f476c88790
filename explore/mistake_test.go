package explore

import (
	"context"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestInterruptedByOthers: if something other than the search interrupts a machine, and narrating
// has more time, the bug stays untold.
func TestInterruptedByOthers(t *testing.T) {
	prog := vmtest.Load(t, `package main
func main() {
	done := make(chan bool)
	go func() { done <- true; done <- true }()
	<-done
	n := 0
	for i := range 1_000_000 { n += i }
	<-done
	if n > 0 { panic("found") }
}`)
	ctx, cancel := context.WithCancel(t.Context())
	e := Entry{Name: "main", New: func(func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Interrupt: func() bool { return ctx.Err() != nil }})
	}}
	s, err := prepare(ctx, e, Options{POR: explorers.With("full"), NoMinimise: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.finish(s.search()); err != nil {
		t.Fatal(err)
	}
	cancel()
	s.narrate()
	r := s.result
	if len(r.Bugs) != 1 || !r.Bugs[0].Untold || len(r.Bugs[0].Events) == 0 || len(r.Mistakes) != 0 {
		t.Errorf("%+v %v, mistakes %q", r.Bugs[0].Schedule, r.Bugs[0].Untold, r.Mistakes)
	}
}

// broken is a machine that panics when it describes a panic with the given text.
type broken struct {
	*faketest.Machine
	text string
}

func (m broken) Effect() string {
	if m.State.Crash == m.text {
		panic("BUG: it is broken")
	}
	return m.Machine.Effect()
}

// TestMistakeOfOneBug: a mistake in narrating a bug leaves that bug untold, and does not affect
// other bugs.
func TestMistakeOfOneBug(t *testing.T) {
	m := broken{faketest.New("go 1; go 2; join 1; panic one", "load x", "join 1; panic two"), "one"}
	e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) { return m, nil }}
	opts := options("full")
	opts.All, opts.Match, opts.NoMinimise = true, false, true
	r, err := Run(t.Context(), e, opts)
	if err != nil || len(r.Bugs) != 2 || len(r.Mistakes) != 1 || !strings.Contains(r.Mistakes[0], "it is broken") {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, b := range r.Bugs {
		if want := b.Detail == bug.Detail(bug.Crashed{Text: "panic: one"}); b.Untold != want {
			t.Errorf("%+v: untold %v", b.Detail, b.Untold)
		}
	}
}

// TestMistakeAfterwards: a mistake after a search does not affect its findings.
func TestMistakeAfterwards(t *testing.T) {
	m := faketest.New("panic one")
	e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) { return withTurns{m}, nil }}
	opts := options("full")
	opts.All = false
	r, err := Run(t.Context(), e, opts)
	if err != nil || r.Verdict != Fail || len(r.Bugs) != 1 || r.Bugs[0].Warning || len(r.Mistakes) != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
}

// withTurns is a machine with overtaking that cannot make a machine without it.
type withTurns struct{ *faketest.Machine }

func (m withTurns) With(func(*vm.Config), func() bool) (describe.Machine, error) {
	panic("BUG: there is none")
}

func (m withTurns) Passed() *vm.Passing { return &vm.Passing{} }

// TestMistakeOfOneSearch: a mistake in one search of a portfolio is reported, and does not affect
// the answer of another search. Without an answer, Run panics with the mistake.
func TestMistakeOfOneSearch(t *testing.T) {
	prog := vmtest.Load(t, strings.NewReplacer("range 5", "range 3", "range 6", "range 4").Replace(crowded))
	for _, broken := range [][]int{{0}, {1}, {0, 1}} {
		p := *portfolioOf(true)
		p.Searches = append([]Options(nil), p.Searches...)
		p.Graded, p.Samples, p.First = nil, nil, nil
		for _, i := range broken {
			x := *p.Searches[i].POR
			run := x.Run
			x.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
				poll := cfg.Poll
				cfg.Poll = func(q por.Progress) string {
					if q.Transitions > 500 {
						panic("BUG: it is broken")
					}
					return poll(q)
				}
				return run(sys, v, cfg)
			}
			p.Searches[i].POR = &x
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
		}}
		func() {
			defer func() {
				if x := recover(); (x != nil) != (len(broken) == 2) {
					t.Errorf("broken %v: Run panics with %v", broken, x)
				}
			}()
			r, err := Run(t.Context(), e, Options{Portfolio: &p})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Mistakes) != 1 || !strings.Contains(r.Mistakes[0], "it is broken") {
				t.Errorf("broken %v: mistakes %q", broken, r.Mistakes)
			}
		}()
	}
}

// TestMistakeAfterBug: a panic in a search, or in collecting its results, does not affect bugs that have
// been found before; if there are none, Run panics.
func TestMistakeAfterBug(t *testing.T) {
	src := `package main
func main() {
	done := make(chan int)
	for i := range 3 { go func() { done <- i } () }
	if <-done == BAD { panic("found") }
	<-done
	<-done
}`
	for _, bug := range []bool{true, false} {
		bad := "-1"
		if bug {
			bad = "0"
		}
		prog := vmtest.Load(t, strings.ReplaceAll(src, "BAD", bad))
		for _, auto := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				left := 4 // leaves of the searches, until one panics
				if late {
					left = -1
				}
				opts := options("full")
				opts.All, opts.Match, opts.Outcomes, opts.Finals = true, false, false, false
				run := opts.POR.Run
				broken := *opts.POR
				broken.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
					return run(sys, failing{v, &left}, cfg)
				}
				opts.POR = &broken
				if auto {
					opts = Options{All: true, Portfolio: &Portfolio{Searches: []Options{opts}}}
				}
				e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
					m, err := describe.NewMachine(prog, prog.Entries[0], vm.Config{Interrupt: interrupted})
					if late {
						return forgetful{m}, err
					}
					return m, err
				}}
				func() {
					defer func() {
						if x := recover(); (x != nil) == bug {
							t.Errorf("bug %v, auto %v, late %v: Run panics with %v", bug, auto, late, x)
						}
					}()
					r, err := Run(t.Context(), e, opts)
					if err != nil || r.Verdict != Fail || len(r.Bugs) != 1 || len(r.Mistakes) != 1 || r.Bugs[0].Untold == late {
						t.Errorf("auto %v, late %v: %v %+v", auto, late, err, r)
					}
				}()
			}
		}
	}
}

// failing is a visitor that panics after a number of executions.
type failing struct {
	por.Visitor
	left *int
}

func (f failing) Leaf(path trace.Schedule, status por.Status) bool {
	if *f.left--; *f.left == 0 {
		panic("BUG: it fails")
	}
	return f.Visitor.Leaf(path, status)
}

// forgetful is a machine that panics when the search reads the failures of its solver.
type forgetful struct{ describe.Machine }

func (forgetful) SolverTrouble() string { panic("BUG: it has forgotten") }

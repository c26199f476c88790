package confirm

import (
	"context"
	"go/token"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
)

// TestScout: of ten entries, the one that has executed the place of a finding is explored first. The answer
// names the entries for which there was no time; they do not refute the finding.
func TestScout(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 1000)
	for i := range 100 {
		file.AddLine(i * 10)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var order []string
	c := &Config{Prog: &load.Program{Fset: fset}, List: []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: file.Pos(93)}}}}
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"} {
		c.Entries = append(c.Entries, explore.Entry{Name: name, Source: &load.Entry{Func: new(ssa.Function)}})
	}
	c.Explore = func(_ context.Context, e *explore.Entry, sampled bool, change func(*explore.Options)) (*explore.Result, error) {
		o := &explore.Options{Timeout: 1 << 40}
		change(o)
		r := &explore.Result{Entry: e.Name, Verdict: explore.OK}
		if e.Name == "H" {
			r.Coverage = &explore.Coverage{Blocks: []load.Block{{File: "a.go", First: 9, Last: 11}}, Reached: []bool{true}, Init: []bool{false}}
		}
		if sampled && o.MaxExecs == 1 {
			return r, nil // a scout
		}
		order = append(order, e.Name)
		cancel()
		return r, nil
	}
	answers, err := c.Search(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []string{"H"}) {
		t.Errorf("explored %v, want H", order)
	}
	if a := answers[0]; a.Status != Open || a.Why != "time was up before A, and 8 more (--budget)" {
		t.Errorf("%v: %q", a.Status, a.Why)
	}
}

// TestScoutLast: the time is up when the eighth of ten entries is executed. The first seven have
// reached no place, so they come last.
func TestScoutLast(t *testing.T) {
	c := &Config{Prog: &load.Program{Fset: token.NewFileSet()}}
	var list []entry
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"} {
		list = append(list, entry{Entry: &explore.Entry{Name: name}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.Explore = func(_ context.Context, e *explore.Entry, _ bool, change func(*explore.Options)) (*explore.Result, error) {
		change(&explore.Options{})
		if e.Name == "H" {
			cancel()
		}
		return &explore.Result{Entry: e.Name}, nil
	}
	if err := c.scout(ctx, list, nil); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range list {
		order = append(order, e.Name)
	}
	if want := []string{"H", "I", "J", "A", "B", "C", "D", "E", "F", "G"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestWork: the bound on the work ends the search after the same exploration on every machine, and the answer
// says so. No exploration does more work than is left.
func TestWork(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 100)
	c := &Config{Prog: &load.Program{Fset: fset}, List: []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: file.Pos(3)}}}}
	for _, name := range []string{"A", "B", "C", "D"} {
		c.Entries = append(c.Entries, explore.Entry{Name: name, Source: &load.Entry{Func: new(ssa.Function)}})
	}
	var most []uint64
	c.Explore = func(_ context.Context, e *explore.Entry, _ bool, change func(*explore.Options)) (*explore.Result, error) {
		o := &explore.Options{}
		change(o)
		most = append(most, o.MaxWork)
		r := &explore.Result{Entry: e.Name, Verdict: explore.OK}
		r.Stats.Transitions = 90_000
		return r, nil
	}
	c.Work, c.Each = 230_000, 150_000
	answers, err := c.Search(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// An exploration counts as 90,000 and leastWork.
	if want := []uint64{150_000, 130_000, 30_000}; !slices.Equal(most, want) {
		t.Errorf("bounds %v, want %v", most, want)
	}
	if a := answers[0]; a.Status != Open || a.Why != "A reaches none of the places, and 2 more; the work was used up before D (--work)" {
		t.Errorf("%v: %q", a.Status, a.Why)
	}
	if answers, err := c.Try(t.Context(), &c.Entries[0], []int{0}); err != nil || answers[0].Why != "the work was used up (--work)" {
		t.Errorf("%v %+v", err, answers)
	}
}

// TestStaticOrder: without a call graph every entry may reach every place. The entry that calls the function
// of the place comes first.
func TestStaticOrder(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/far", Tests: true, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &Config{Prog: prog}
	for _, e := range prog.Entries {
		c.Entries = append(c.Entries, explore.Entry{Name: e.Name, Source: e})
	}
	fn := prog.Packages[len(prog.Packages)-1].SSA.Func("Deep")
	prog.EnsureBuilt(fn)
	c.List = []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: fn.Pos(), Instr: fn.Blocks[0].Instrs[0]}}}
	var order []string
	for _, e := range c.candidates([]*state{{claim: newClaim(prog.Fset, &c.List[0])}}) {
		order = append(order, e.Name)
	}
	if want := []string{"TestNear", "TestFar", "TestNone"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestTryInNoTime: a driver for which there is no time says so.
func TestTryInNoTime(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 100)
	c := &Config{Prog: &load.Program{Fset: fset}, List: []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: file.Pos(3)}}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answers, err := c.Try(ctx, &explore.Entry{Name: "D"}, []int{0})
	if err != nil || answers[0].Status != Open || answers[0].Why != "time was up (--budget)" {
		t.Errorf("%v %+v", err, answers)
	}
}

// TestWarning: a bug that is only a warning does not confirm a finding.
func TestWarning(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 100)
	for i := range 9 {
		file.AddLine(i * 10)
	}
	c := &Config{Prog: &load.Program{Fset: fset}, List: []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: file.Pos(33)}}}}
	for _, warning := range []bool{true, false} {
		c.Explore = func(_ context.Context, e *explore.Entry, _ bool, _ func(*explore.Options)) (*explore.Result, error) {
			b := &bug.Bug{Kind: bug.Leak, Pos: fset.Position(file.Pos(33)), Warning: warning}
			return &explore.Result{Entry: e.Name, Verdict: explore.Fail, Bugs: []*bug.Bug{b}}, nil
		}
		answers, err := c.Try(t.Context(), &explore.Entry{Name: "D"}, []int{0})
		if err != nil || (answers[0].Status == Confirmed) == warning {
			t.Errorf("warning %t: %v %+v", warning, err, answers)
		}
	}
}

// TestIncompleteSearch: an exploration that reaches the place refutes the finding only if it is complete.
func TestIncompleteSearch(t *testing.T) {
	fset := token.NewFileSet()
	file := fset.AddFile("a.go", -1, 100)
	for i := range 9 {
		file.AddLine(i * 10)
	}
	c := &Config{Prog: &load.Program{Fset: fset}, List: []findings.Finding{{Code: "HBA201", Place: findings.Place{Pos: file.Pos(33)}}}}
	for verdict, want := range map[explore.Verdict]Status{explore.OK: Refuted, explore.Incomplete: Open} {
		c.Explore = func(_ context.Context, e *explore.Entry, _ bool, _ func(*explore.Options)) (*explore.Result, error) {
			cover := &explore.Coverage{Blocks: []load.Block{{File: "a.go", First: 1, Last: 9}}, Reached: []bool{true}, Init: []bool{false}}
			r := &explore.Result{Entry: e.Name, Verdict: verdict, Coverage: cover}
			if verdict == explore.Incomplete {
				r.Incomplete = []explore.Reason{{Text: "time is up"}}
			}
			return r, nil
		}
		answers, err := c.Try(t.Context(), &explore.Entry{Name: "D"}, []int{0})
		if err != nil || answers[0].Status != want {
			t.Errorf("%s: %v %+v, want %v", verdict, err, answers, want)
		}
	}
}

package optimal

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// elsewhere returns a search of a toy whose pieces others explore, too.
func elsewhere(original *toys.System, cfg por.Config, stop uint32) (por.Config, *por.Explorer, *toys.Elsewhere) {
	e := Explorer()
	e.Set("eager", "true")
	away := &toys.Elsewhere{Toy: original, Stop: stop, Explorer: e, Config: cfg}
	cfg.Elsewhere = away
	return cfg, e, away
}

// TestElsewhere: a search that has pieces explored elsewhere has the reports of one worker, in the same
// order, wherever pieces end, and whichever pieces are refused.
func TestElsewhere(t *testing.T) {
	pieces, searches := uint64(0), uint64(0)
	for _, seed := range deep.Seeds(t, 60, 1500) {
		r := rand.New(rand.NewPCG(79, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
		if seed%5 == 0 {
			toy = toys.Branching(r)
		}
		original := *toy
		cfg := por.Config{MaxSteps: 30, MaxExecutions: 2000}
		stop := uint32(0)
		switch r.IntN(4) {
		case 0:
			cfg.MaxExecutions = 1 + r.Uint64N(40)
		case 1:
			stop = 2 + r.Uint32N(30)
		case 2:
			cfg.MaxSteps = 1 + r.IntN(10)
		}
		want := toys.NewRecorder(toy, stop)
		one := Explore(toy, want, cfg)
		one.PeakBytes = 0
		initial := toy.State
		cfg, e, away := elsewhere(&original, cfg, stop)
		from := r.IntN(8)
		away.Due = func(n int) bool { return n > from }
		if seed%3 == 0 {
			away.Refuses = func(n uint64) bool { return n%3 == 0 }
		}
		got := toys.NewRecorder(toy, stop)
		several := e.Explore(toy, got, cfg)
		several.PeakBytes = 0
		if toy.State != initial || len(toy.Marks) != 0 {
			t.Fatalf("the system is not left as it was found\n%s", toy.Program())
		}
		if !reflect.DeepEqual(one, several) {
			t.Fatalf("seed %d, %d executions, stop %d: result\n got %+v\nwant %+v\n%s", seed, cfg.MaxExecutions, stop, several, one, toy.Program())
		}
		if !reflect.DeepEqual(want.List, got.List) {
			t.Fatalf("seed %d: %d reports, want %d\n got %v\nwant %v\n%s", seed, len(got.List), len(want.List), got.List, want.List, toy.Program())
		}
		pieces += away.Pieces.Load()
		searches++
	}
	t.Logf("%d searches, %d pieces", searches, pieces)
	if pieces < searches {
		t.Errorf("%d searches had only %d pieces elsewhere", searches, pieces)
	}
}

// TestElsewhereLost: lost pieces are explored after a while, and late results are dropped.
func TestElsewhereLost(t *testing.T) {
	defer func(d time.Duration) { lateAfter = d }(lateAfter)
	lateAfter = time.Millisecond
	for _, seed := range deep.Seeds(t, 15, 200) {
		r := rand.New(rand.NewPCG(80, uint64(seed)))
		toy := toys.Random(r, 3, 2+r.IntN(4), false)
		original := *toy
		cfg := por.Config{MaxSteps: 30, MaxExecutions: 2000}
		want := toys.NewRecorder(toy, 0)
		one := Explore(toy, want, cfg)
		cfg, e, away := elsewhere(&original, cfg, 0)
		away.Due = func(n int) bool { return n > 3 }
		away.Loses = func(n uint64) bool { return n%2 == 0 }
		got := toys.NewRecorder(toy, 0)
		several := e.Explore(toy, got, cfg)
		one.PeakBytes, several.PeakBytes = 0, 0
		if !reflect.DeepEqual(one, several) || !reflect.DeepEqual(want.List, got.List) {
			t.Fatalf("seed %d: result\n got %+v\nwant %+v\n got %v\nwant %v\n%s", seed, several, one, got.List, want.List, toy.Program())
		}
	}
}

// TestElsewherePolls: the work of one worker that a search reports never decreases, and is reported while
// the search waits.
func TestElsewherePolls(t *testing.T) {
	defer func(d time.Duration) { lateAfter = d }(lateAfter)
	lateAfter = 0
	waiting := 0
	for _, seed := range deep.Seeds(t, 15, 200) {
		r := rand.New(rand.NewPCG(81, uint64(seed)))
		toy := toys.Random(r, 3, 3+r.IntN(4), false)
		original := *toy
		cfg := por.Config{MaxSteps: 30, MaxExecutions: 2000}
		want := toys.NewRecorder(toy, 0)
		one := Explore(toy, want, cfg)
		if one.FallbackTo != "" || slices.Contains(want.List, "restart") {
			continue // then the work of one worker begins again
		}
		cfg, e, away := elsewhere(&original, cfg, 0)
		away.Due = func(n int) bool {
			time.Sleep(500 * time.Microsecond)
			return n > 1
		}
		last := uint64(0)
		cfg.Over = func() bool { return true } // it polls after each step
		cfg.Poll = func(p por.Progress) string {
			if w := p.Work(); w < last {
				t.Errorf("seed %d: the work of one worker was %d, and is %d", seed, last, w)
			} else {
				last = w
			}
			if p.Depth == 0 {
				waiting++
			} else if seed%2 == 0 {
				time.Sleep(100 * time.Microsecond)
			}
			return ""
		}
		several := e.Explore(toy, toys.NewRecorder(toy, 0), cfg)
		if several.Work() != one.Work() || last > one.Work() {
			t.Errorf("seed %d: work %d, at the last report %d, want %d", seed, several.Work(), last, one.Work())
		}
	}
	if waiting == 0 {
		t.Error("nothing was reported while the search waited")
	}
}

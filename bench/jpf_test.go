package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/por/explorers"
)

func workspace(t testing.TB) *Workspace {
	t.Helper()
	w, err := NewWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// jpfProgram parses "program args...", with "first" at the end to stop at the first bug.
func jpfProgram(name string) JPFProgram {
	prog, args, _ := strings.Cut(name, " ")
	args, first := strings.CutSuffix(args, " first")
	return JPFProgram{Program: prog, Args: args, First: first}
}

func exploreJPF(t testing.TB, w *Workspace, name, explorer string, o JPFOptions) *JPFRow {
	t.Helper()
	if o.POR = explorers.Lookup(explorer); o.POR == nil {
		t.Fatalf("no explorer %q", explorer)
	}
	r, err := w.ExploreJPF(context.Background(), jpfProgram(name), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// counts are the counts of an exhaustive search. They depend on the program, the machine's operations and
// the explorer, so optimisations must not change them.
type counts struct{ states, matched, transitions, choices, executions uint64 }

func TestCounts(t *testing.T) {
	w := workspace(t)
	for _, c := range []struct {
		program   string
		jpf, full counts
	}{
		{"fieldrace 1", counts{16, 15, 74, 15, 11}, counts{26, 15, 40, 15, 2}},
		{"fieldrace 3", counts{203, 202, 838, 202, 81}, counts{254, 202, 455, 202, 5}},
		{"prodcons 1 1 2 1", counts{39, 38, 569, 38, 18}, counts{157, 40, 196, 40, 1}},
		{"prodcons 2 2 1 1", counts{1372, 2045, 10748, 1371, 98}, counts{2036, 2152, 4187, 1445, 1}},
		{"prodcons 2 2 2 2", counts{9845, 13364, 92757, 9844, 288}, counts{18726, 14086, 32811, 10411, 1}},
		{"phil 3 cyclic 1", counts{180, 241, 1007, 178, 28}, counts{399, 439, 837, 317, 4}},
		{"phil 4 ordered 1", counts{1335, 2447, 5782, 1334, 35}, counts{2741, 4851, 7591, 2592, 1}},
		{"rw 2 1 1", counts{751, 1023, 3749, 750, 51}, counts{1138, 1147, 2284, 848, 1}},
		{"bank 3 ordered", counts{564, 841, 2635, 563, 39}, counts{816, 1051, 1866, 707, 1}},
		{"bank 2 crossed", counts{28, 25, 259, 26, 19}, counts{73, 33, 105, 34, 3}},
		{"fig1 bare", counts{98, 127, 375, 96, 23}, counts{168, 183, 350, 139, 4}},
		{"fig1 guarded", counts{111, 150, 436, 110, 15}, counts{180, 211, 390, 156, 1}},
		{"alarm 2 3", counts{357, 457, 2560, 356, 33}, counts{1141, 533, 1673, 425, 1}},
		{"workers 2 2", counts{588, 587, 3690, 587, 39}, counts{1590, 808, 2397, 808, 1}},
	} {
		for explorer, want := range map[string]counts{"jpf": c.jpf, "full": c.full} {
			s := exploreJPF(t, w, c.program, explorer, JPFOptions{}).Result.Stats
			if got := (counts{s.States, s.Matched, s.Transitions, s.Choices, s.Executions}); got != want {
				t.Errorf("%s, --por=%s: %+v, want %+v", c.program, explorer, got, want)
			}
		}
	}
}

// TestNoMoreThanJPF: our version of JPF's reduction stores no more states than
// JPF itself, and both of our explorers have the same result for the program.
func TestNoMoreThanJPF(t *testing.T) {
	w := workspace(t)
	for _, s := range JPFPrograms() {
		r := exploreJPF(t, w, s.Name(), "jpf", JPFOptions{}).Result
		if r.Stats.States > s.Published.States {
			t.Errorf("%s: %d states, JPF has %d", s.Name(), r.Stats.States, s.Published.States)
		}
		if len(r.Incomplete) > 0 {
			t.Errorf("%s: incomplete: %v", s.Name(), r.Incomplete)
		}
		if s.First {
			continue // which bug comes first depends on the explorer
		}
		full := exploreJPF(t, w, s.Name(), "full", JPFOptions{}).Result
		if got, want := sides(r), sides(full); !slices.Equal(got, want) {
			t.Errorf("%s: jpf finds %q, full finds %q", s.Name(), got, want)
		}
	}
}

// sides lists the distinct bugs of a result. Of a race it lists only one side, because the
// explorers need not find all pairs.
func sides(r *explore.Result) []string {
	list := []string{string(r.Verdict)}
	for _, b := range r.Bugs {
		if b.Kind == bug.Race {
			list = append(list, fmt.Sprintf("race %v", b.Pos)) // either side can come first
			continue
		}
		list = append(list, fmt.Sprintf("%v %v %s", b.Kind, b.Pos, b.Detail))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestOutcomesOfRacyBuffer: the final values of the bounded buffer whose counter
// is incremented outside the lock are exactly those found by JPF and by an
// independent model of the program (peers of the project, measured).
func TestOutcomesOfRacyBuffer(t *testing.T) {
	w := workspace(t)
	for n, want := range map[string]string{
		"2": "(1,0) (2,0)",
		"3": "(2,0) (2,1) (3,0) (3,1) (3,2)",
		"4": "(2,0) (2,2) (3,0) (3,1) (3,2) (3,3) (4,0) (4,1) (4,2) (4,3) (4,4)",
	} {
		for _, e := range explorers.All() {
			if !e.Stateful {
				continue
			}
			r := exploreJPF(t, w, "putrace "+n, e.Name, JPFOptions{Outcomes: true}).Result
			var got []string
			for _, o := range r.Outcomes {
				var total, used int
				if _, err := fmt.Sscanf(o.Output, "total=%d used=%d\n", &total, &used); err != nil || o.Ending != "exit 0" {
					t.Errorf("%s, N = %s: output %q, ending %q", e.Name, n, o.Output, o.Ending)
				}
				got = append(got, fmt.Sprintf("(%d,%d)", total, used))
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%s, N = %s: final (total, used) %s, want %s", e.Name, n, s, want)
			}
			if len(r.Incomplete) > 0 {
				t.Errorf("%s, N = %s: incomplete: %v", e.Name, n, r.Incomplete)
			}
		}
	}
}

// BenchmarkExplore explores the larger programs of the suite once per iteration.
func BenchmarkExplore(b *testing.B) {
	w := workspace(b)
	for _, name := range []string{"prodcons 2 2 2 1", "phil 5 ordered 1", "bank 4 ordered", "rw 2 2 1", "workers 3 2"} {
		for _, e := range explorers.All() {
			if !e.Stateful {
				continue
			}
			b.Run(strings.ReplaceAll(name, " ", "-")+"/"+e.Name, func(b *testing.B) {
				r := exploreJPF(b, w, name, e.Name, JPFOptions{Count: b.N})
				b.ReportMetric(r.Transitions(), "transitions/cpu-s")
				b.ReportMetric(r.Arrivals(), "states/cpu-s")
				b.ReportMetric(float64(r.Result.Stats.States), "states")
			})
		}
	}
}

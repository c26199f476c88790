package inputs

import (
	"context"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestResume: a search of a program with inputs that is stopped anywhere, and resumed by another machine,
// has the findings and counts of an uninterrupted one. (For programs without inputs, see package progen.)
func TestResume(t *testing.T) {
	n := deep.N(1, 4)
	var src strings.Builder
	src.WriteString(concurrentHead)
	for i := range n {
		fmt.Fprintf(&src, "func S%d() { x, y := hbtest.Nondet[int32](), hbtest.Nondet[int32](); hbtest.Assume(x >= -1 && x <= 2 && y >= 0 && y < 3)\n%s}\n",
			i, concurrent(rand.New(rand.NewSource(int64(28+i)))))
	}
	src.WriteString("func main() {}\n")
	prog := loadPrograms(t, src.String())
	rng := rand.New(rand.NewSource(1))
	for i := range n {
		for _, name := range []string{"jpf", "optimal", "source", "clockvector"} {
			e := explorer(t, name)
			opts := explore.Options{POR: e, Match: e.Stateful, Symmetry: e.Stateful, Outcomes: true, All: true, NoMinimise: true,
				Hybrid: []oracle.Kind{oracle.None, oracle.MHB}[i%2]}
			places := 0
			whole := resumed(context.Background(), t, prog, i, opts, &explore.Keep{Points: func() bool { places++; return false }})
			keep := &explore.Keep{Dir: t.TempDir()}
			left := 0
			var r *explore.Result
			for stop := true; stop; keep.Resume = true {
				ctx, cancel := context.WithCancel(context.Background())
				next := 1 + rng.Intn(places/3+2)
				stop = false
				keep.Points = func() bool { next--; return next == 0 }
				keep.Written = func() { stop = true; left++; cancel() }
				r = resumed(ctx, t, prog, i, opts, keep)
				cancel()
			}
			if !reflect.DeepEqual(r, whole) {
				t.Errorf("program %d, %s, left %d times at %d places: the result is another one\n%+v\n%+v", i, name, left, places, r, whole)
			}
			if left == 0 && places > 3 {
				t.Errorf("program %d, %s: never left", i, name)
			}
		}
	}
}

// resumed explores S<i> until ctx is done.
func resumed(ctx context.Context, t *testing.T, prog *load.Program, i int, opts explore.Options, keep *explore.Keep) *explore.Result {
	e, err := prog.Lookup(fmt.Sprintf("S%d", i))
	if err != nil {
		t.Fatal(err)
	}
	opts.Keep = keep
	r, err := explore.Run(ctx, explore.Entry{Package: e.Path, Name: e.Name, New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
	}}, opts)
	if err != nil {
		t.Fatalf("%s, %s: %v", e.Name, opts.POR.Name, err)
	}
	r = r.Exported()
	r.Stats.Load, r.Stats.Static, r.Stats.Explore, r.Stats.PeakBytes, r.Resumed = 0, 0, 0, 0, nil
	return r
}

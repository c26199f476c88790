package explorers

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestJobs: two and three workers have the reports of one, in its order, for every end of the search and
// each explorer that can have several. Executions are few, so that pieces of all sizes occur.
func TestJobs(t *testing.T) {
	seeds := deep.Seeds(t, 8, 250)
	n := len(seeds)
	for _, e := range All() {
		if e.Serial != "" || e.Stateful {
			continue
		}
		parts := 0
		for _, seed := range seeds {
			r := rand.New(rand.NewPCG(76, uint64(seed)))
			original := toys.Random(r, 2+r.IntN(3), 2+r.IntN(5), false)
			cfg := por.Config{MaxSteps: 40, MaxExecutions: 1500, Seed: uint64(seed)}
			stop := uint32(0)
			switch r.IntN(5) {
			case 0:
				cfg.MaxExecutions = 1 + r.Uint64N(40)
			case 1:
				stop = 2 + r.Uint32N(300)
			case 2:
				cfg.MaxSteps = 1 + r.IntN(10)
			case 3:
				cfg.LimitPreempt, cfg.Preempt = !e.NoPreemptionBound, 1
			}
			one := *original
			want := toys.NewRecorder(&one, stop)
			want.Every = e.Samples
			whole := e.Explore(&one, want, cfg)
			whole.PeakBytes = 0
			for jobs := 2; jobs <= 3; jobs++ {
				cfg.Jobs = jobs
				cfg.Another = func() (por.Replica, error) {
					another := *original
					return por.Replica{System: &another}, nil
				}
				toy := *original
				got := toys.NewRecorder(&toy, stop)
				got.Every = e.Samples
				several := e.Explore(&toy, got, cfg)
				several.PeakBytes = 0
				if parts += got.Parts; toy.State != original.State || len(toy.Marks) != 0 {
					t.Fatalf("%s, seed %d: the system is not left as it was found\n%s", e.Name, seed, toy.Program())
				}
				if fmt.Sprint(several) != fmt.Sprint(whole) || !reflect.DeepEqual(got.List, want.List) {
					t.Fatalf("%s, seed %d, %d workers, stop %d, %+v: %d reports\n got %+v\nwant %+v, %d reports\n%s",
						e.Name, seed, jobs, stop, cfg, len(got.List), several, whole, len(want.List), toy.Program())
				}
			}
		}
		if t.Logf("%s: %d pieces", e.Name, parts); parts < n {
			t.Errorf("%s: %d searches had only %d pieces", e.Name, 2*n, parts)
		}
	}
}

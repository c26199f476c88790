package optimal

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestWorkers: several workers have the reports of one, in the same order, for every end of the search.
func TestWorkers(t *testing.T) {
	tasks, parts := 0, uint64(0)
	list := deep.Seeds(t, 60, 1500)
	n := len(list)
	for _, seed := range list {
		r := rand.New(rand.NewPCG(71, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
		cfg := por.Config{MaxSteps: 30, MaxExecutions: 2000}
		if seed%4 == 0 {
			toy = toys.Parted(r, 3+r.IntN(4), false)
			cfg.Parts = toys.NewParts(toy)
		}
		original := *toy
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
		parts += one.Parts
		for jobs := 2; jobs <= 4; jobs++ {
			cfg.Jobs = jobs
			cfg.Another = func() (por.Replica, error) {
				another := original
				return por.Replica{System: &another}, nil
			}
			got := toys.NewRecorder(toy, stop)
			initial := toy.State
			several := explore(toy, got, cfg, options{shareAll: r.IntN(4) > 0})
			if toy.State != initial || len(toy.Marks) != 0 {
				t.Fatalf("the system is not left as it was found\n%s", toy.Program())
			}
			tasks += got.Parts
			several.PeakBytes = 0
			if !reflect.DeepEqual(one, several) {
				t.Fatalf("seed %d, %d workers, %d executions, stop %d: result\n got %+v\nwant %+v\n%s",
					seed, jobs, cfg.MaxExecutions, stop, several, one, toy.Program())
			}
			if !reflect.DeepEqual(want.List, got.List) {
				for i := range want.List {
					if i >= len(got.List) || want.List[i] != got.List[i] {
						t.Fatalf("seed %d, %d workers: %d reports, want %d; from number %d on:\n got %v\nwant %v\n%s",
							seed, jobs, len(got.List), len(want.List), i,
							got.List[i:min(i+3, len(got.List))], want.List[i:min(i+3, len(want.List))], toy.Program())
					}
				}
			}
		}
	}
	t.Logf("%d tasks, %d parts", tasks, parts)
	if tasks < 4*n || parts < uint64(n/4) {
		t.Errorf("%d searches were cut into only %d tasks, and had %d parts", 3*n, tasks, parts)
	}
}

// TestWorkersBranch: a worker that continues after a branch executed by another worker also uses
// fingerprints, because candidates may be found twice (rule B). Whether that matters depends on how
// tasks are distributed among workers; in the first seeds it has.
func TestWorkersBranch(t *testing.T) {
	seeds := []uint64{2137, 4492, 5833, 6515, 9879, 10113, 11488}
	for range deep.Pick(2, 4) {
		seeds = append(seeds, seeds...)
	}
	for seed := range deep.Pick(uint64(30), 100) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		toy := toys.Branching(rand.New(rand.NewPCG(72, seed)))
		original := *toy
		one := Explore(toy, &toys.Paths{Visitor: toys.NewFindings(toy)}, por.Config{MaxExecutions: 2000})
		for jobs := 2; jobs <= 4; jobs++ {
			cfg := por.Config{MaxExecutions: 2000, Jobs: jobs, Another: func() (por.Replica, error) {
				another := original
				return por.Replica{System: &another}, nil
			}}
			got := explore(toy, toys.NewRecorder(toy, 0), cfg, options{shareAll: true})
			if got.Stats.Executions != one.Stats.Executions {
				t.Fatalf("seed %d, %d workers: %d executions, want %d\n%s", seed, jobs, got.Stats.Executions, one.Stats.Executions, toy.Program())
			}
		}
	}
}

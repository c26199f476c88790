package toys

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
)

// CheckAhead checks that several workers of a search of which some explore ahead (search.Ahead) report
// what one does, in its order, and count the same, whatever ends the search; with pieces as soon as there
// can be any. It explores the systems that generate makes of seeds; generate may change the configuration.
func CheckAhead(t testing.TB, e *por.Explorer, seeds []uint64, generate func(r *rand.Rand, seed uint64, cfg *por.Config) *System) {
	defer func(a, b uint64) { search.AheadFrom, search.AskEvery = a, b }(search.AheadFrom, search.AskEvery)
	search.AheadFrom, search.AskEvery = 0, 1
	pieces := 0
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(78, seed))
		cfg := por.Config{MaxSteps: 40, MaxExecutions: 1500}
		original := generate(r, seed, &cfg)
		stop := uint32(0)
		switch r.IntN(5) {
		case 0:
			cfg.MaxExecutions = 1 + r.Uint64N(60)
		case 1:
			stop = 2 + r.Uint32N(30)
		case 2:
			cfg.MaxSteps = 1 + r.IntN(20)
		case 3:
			cfg.MaxStates = 1 + r.Uint64N(300)
		}
		explore := func(jobs int) (string, []string) {
			toy := *original
			cfg := cfg
			cfg.Jobs = jobs
			cfg.Another = func() (por.Replica, error) {
				another := *original
				return por.Replica{System: &another}, nil
			}
			v := NewRecorder(&toy, stop)
			v.Every = true
			if jobs > 1 {
				v.Pause = func() { time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond) }
			}
			found := e.Explore(&toy, v, cfg)
			if toy.State != original.State || len(toy.Marks) != 0 {
				t.Fatalf("%s, seed %d: the system is not left as it was found\n%s", e.Name, seed, toy.Program())
			}
			found.PeakBytes = 0
			pieces += v.Parts
			return fmt.Sprint(found), v.List
		}
		whole, want := explore(1)
		for jobs := 2; jobs <= 3; jobs++ {
			several, got := explore(jobs)
			for i := range want {
				if i == len(got) || got[i] != want[i] {
					t.Fatalf("%s, seed %d, %d workers, stop %d: report %d\n got %v\nwant %v\n%s", e.Name, seed, jobs, stop, i,
						got[i:min(i+2, len(got))], want[i:min(i+2, len(want))], original.Program())
				}
			}
			if several != whole || len(got) != len(want) {
				t.Fatalf("%s, seed %d, %d workers, stop %d: %d reports, want %d\n got %s\nwant %s\n%s", e.Name, seed, jobs, stop,
					len(got), len(want), several, whole, original.Program())
			}
		}
	}
	if t.Logf("%s: %d pieces", e.Name, pieces); pieces < len(seeds)/2 {
		t.Errorf("%s: %d searches took only %d pieces", e.Name, 2*len(seeds), pieces)
	}
}

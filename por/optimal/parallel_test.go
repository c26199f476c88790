package optimal

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// recorder records everything that a search reports, in order. It is a Mergeable visitor, and its own
// Subsearch.
type recorder struct {
	toy   *toys.System
	list  []string
	races map[search.PointPair]bool
	pairs []search.PointPair // by index in list: the race reported there, or the zero value
	stop  uint32             // it stops the search at a leaf whose hash this divides; 0: never
	steps int                // calls of Begin and End
	parts int                // joined
}

func (r *recorder) Leaf(path trace.Schedule, st por.Status) bool {
	r.add(search.PointPair{}, fmt.Sprint(path, st, r.toy.Ending()))
	h := fnv.New32a()
	h.Write([]byte(r.toy.Ending()))
	return r.stop == 0 || h.Sum32()%r.stop != 0
}

func (r *recorder) Race(path trace.Schedule, a, b trace.Op) bool {
	known := search.RaceSet{}
	known.Add(&a, &b)
	for pair := range known {
		r.add(pair, fmt.Sprint(path, toys.RaceName(a, b)))
	}
	return true
}

func (r *recorder) add(pair search.PointPair, what string) {
	if pair != (search.PointPair{}) {
		if r.races[pair] {
			return
		}
		r.races[pair] = true
	}
	r.list, r.pairs = append(r.list, what), append(r.pairs, pair)
}

func (r *recorder) Livelock(trace.Schedule, int) bool { return true }
func (r *recorder) Restart()                          { r.add(search.PointPair{}, "restart") }
func (r *recorder) Begin()                            { r.steps++ }
func (r *recorder) End()                              { r.steps++ }

func (r *recorder) Split(sys por.System) por.Subsearch {
	return &recorder{toy: sys.(*toys.System), races: map[search.PointPair]bool{}, stop: r.stop}
}

func (r *recorder) Merge(p por.Subsearch) bool {
	q := p.(*recorder)
	if q.steps != 2 {
		panic("a part was not begun and ended once")
	}
	r.parts++
	for i, what := range q.list {
		r.add(q.pairs[i], what)
	}
	return true
}

// TestWorkers: several workers report the same in the same order as one, whatever ends the search.
func TestWorkers(t *testing.T) {
	n, tasks := 1500, 0
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(71, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
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
		want := &recorder{toy: toy, races: map[search.PointPair]bool{}, stop: stop}
		one := Explore(toy, want, cfg)
		one.PeakBytes = 0
		for jobs := 2; jobs <= 4; jobs++ {
			cfg.Jobs = jobs
			cfg.Another = func() (por.System, por.Oracle, error) {
				another := original
				return &another, nil, nil
			}
			got := &recorder{toy: toy, races: map[search.PointPair]bool{}, stop: stop}
			initial := toy.State
			several := explore(toy, got, cfg, options{shareAll: r.IntN(4) > 0})
			if toy.State != initial || len(toy.Marks) != 0 {
				t.Fatalf("the system is not left as it was found\n%s", toy.Program())
			}
			tasks += got.parts
			several.PeakBytes = 0
			if !reflect.DeepEqual(one, several) {
				t.Fatalf("seed %d, %d workers, %d executions, stop %d: result\n got %+v\nwant %+v\n%s",
					seed, jobs, cfg.MaxExecutions, stop, several, one, toy.Program())
			}
			if !reflect.DeepEqual(want.list, got.list) {
				for i := range want.list {
					if i >= len(got.list) || want.list[i] != got.list[i] {
						t.Fatalf("seed %d, %d workers: %d reports, want %d; from number %d on:\n got %v\nwant %v\n%s",
							seed, jobs, len(got.list), len(want.list), i,
							got.list[i:min(i+3, len(got.list))], want.list[i:min(i+3, len(want.list))], toy.Program())
					}
				}
			}
		}
	}
	t.Logf("%d tasks", tasks)
	if tasks < 4*n {
		t.Errorf("%d searches were cut into only %d tasks", 3*n, tasks)
	}
}

// TestWorkersBranch: a worker that goes on after a branch that another one has executed knows that
// candidates may be found twice (rule B). In the first seeds that has been seen to matter, which depends
// on which worker takes what.
func TestWorkersBranch(t *testing.T) {
	seeds := []uint64{2137, 4492, 5833, 6515, 9879, 10113, 11488}
	for range 4 {
		seeds = append(seeds, seeds...)
	}
	for seed := range uint64(100) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		toy := toys.Branching(rand.New(rand.NewPCG(72, seed)))
		original := *toy
		one := Explore(toy, &toys.Paths{Visitor: toys.NewFindings(toy)}, por.Config{MaxExecutions: 2000})
		for jobs := 2; jobs <= 4; jobs++ {
			cfg := por.Config{MaxExecutions: 2000, Jobs: jobs, Another: func() (por.System, por.Oracle, error) {
				another := original
				return &another, nil, nil
			}}
			got := explore(toy, &recorder{toy: toy, races: map[search.PointPair]bool{}}, cfg, options{shareAll: true})
			if got.Stats.Executions != one.Stats.Executions {
				t.Fatalf("seed %d, %d workers: %d executions, want %d\n%s", seed, jobs, got.Stats.Executions, one.Stats.Executions, toy.Program())
			}
		}
	}
}

package sample

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestPieces: several workers have the reports of one, in its order, with pieces so small that others are
// being drawn while one finds a bug.
func TestPieces(t *testing.T) {
	defer func(a, b uint64) { begunAfter, pieceOf = a, b }(begunAfter, pieceOf)
	begunAfter, pieceOf = 0, 20
	again := 0
	for _, seed := range deep.Seeds(t, 200, 200) {
		r := rand.New(rand.NewPCG(77, uint64(seed)))
		original := toys.Random(r, 2+r.IntN(3), 2+r.IntN(6), true)
		cfg := por.Config{MaxSteps: 60, MaxExecutions: 10 + r.Uint64N(150), Seed: uint64(seed)}
		stop := uint32(0)
		if r.IntN(3) == 0 {
			stop = 2 + r.Uint32N(30)
		}
		for _, e := range []*por.Explorer{RandomExplorer(), PCTExplorer(), POSExplorer(), SURWExplorer(), RFFExplorer()} {
			explore := func(jobs int) (string, []string) {
				toy := *original
				cfg := cfg
				cfg.Jobs = jobs
				cfg.Another = func() (por.Replica, error) {
					another := *original
					return por.Replica{System: &another}, nil
				}
				v := toys.NewRecorder(&toy, stop)
				v.Every = true
				found := e.Explore(&toy, v, cfg)
				found.PeakBytes = 0
				if v.Parts > 0 {
					again++
				}
				return fmt.Sprint(found), v.List
			}
			whole, want := explore(1)
			for jobs := 2; jobs <= 3; jobs++ {
				if several, got := explore(jobs); several != whole || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s, seed %d, %d workers, stop %d: %d reports, want %d\n got %s\nwant %s\n%s",
						e.Name, seed, jobs, stop, len(got), len(want), several, whole, original.Program())
				}
			}
		}
	}
	if again < 1000 {
		t.Errorf("only %d searches had pieces", again)
	}
}

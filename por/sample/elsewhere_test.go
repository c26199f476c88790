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

// TestElsewhere: a search has the executions of one worker, whether another process draws its
// pieces or refuses them.
func TestElsewhere(t *testing.T) {
	defer func(a, b uint64) { begunAfter, pieceOf = a, b }(begunAfter, pieceOf)
	begunAfter, pieceOf, sendAll = 0, 1, true
	defer func() { sendAll = false }()
	pieces := uint64(0)
	for _, seed := range deep.Seeds(t, 10, 200) {
		r := rand.New(rand.NewPCG(78, uint64(seed)))
		original := toys.Random(r, 2+r.IntN(3), 2+r.IntN(6), true)
		cfg := por.Config{MaxSteps: 60, MaxExecutions: 10 + r.Uint64N(150), Seed: uint64(seed)}
		stop := uint32(0)
		if r.IntN(3) == 0 {
			stop = 2 + r.Uint32N(30)
		}
		for _, e := range []*por.Explorer{RandomExplorer(), PCTExplorer(), POSExplorer(), SURWExplorer()} {
			explore := func(away *toys.Elsewhere) (string, []string) {
				toy, cfg := *original, cfg
				if away != nil {
					cfg.Elsewhere = away
				}
				v := toys.NewRecorder(&toy, stop)
				v.Every = true
				found := e.Explore(&toy, v, cfg)
				found.PeakBytes = 0
				return fmt.Sprint(found), v.List
			}
			whole, want := explore(nil)
			away := &toys.Elsewhere{Toy: original, Stop: stop, Explorer: e, Config: cfg}
			if seed%2 == 0 {
				away.Refuses = func(n uint64) bool { return n%2 == 0 }
			}
			if several, got := explore(away); several != whole || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d, stop %d: %d reports, want %d\n got %s\nwant %s\n%s",
					e.Name, seed, stop, len(got), len(want), several, whole, original.Program())
			}
			pieces += away.Pieces.Load()
		}
	}
	t.Logf("%d pieces", pieces)
	if pieces < 100 {
		t.Errorf("only %d pieces were drawn elsewhere", pieces)
	}
}

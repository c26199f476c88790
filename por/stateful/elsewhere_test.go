package stateful

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// compareAway explores a toy with walkers that others explore for a round, and compares that with a
// search whose walkers have a system each.
func compareAway(t *testing.T, seed uint64, set func(*toys.Elsewhere)) (pieces uint64) {
	r := rand.New(rand.NewPCG(44, seed))
	original := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), seed%2 == 0)
	if toys.NewStateGraph(original, 1500) == nil {
		return 0
	}
	defer soonInRounds(r)()
	stop := uint32(0)
	if r.IntN(3) == 0 {
		stop = 2 + r.Uint32N(30)
	}
	for _, policy := range []bool{false, true} {
		for _, bounded := range []bool{false, true} {
			cfg := por.Config{Match: true, LimitPreempt: bounded, Preempt: 1, Dive: []int{1, 3, 7, 0}[r.IntN(4)]}
			run := divingAt(policy, cfg.Dive)
			name := fmt.Sprintf("seed %d, policy %v, bounded %v, dive %d, stop %d", seed, policy, bounded, cfg.Dive, stop)
			several := cfg
			several.Jobs = 2
			several.Another = func() (por.Replica, error) {
				another := *original
				return por.Replica{System: &another}, nil
			}
			toy := *original
			want := toys.NewRecorder(&toy, stop)
			res := run(&toy, want, several)
			away := &toys.Elsewhere{Toy: original, Stop: stop, Explorer: &por.Explorer{Piece: explorePiece}, Config: cfg}
			set(away)
			cfg.Elsewhere = away
			again := *original
			got := toys.NewRecorder(&again, stop)
			found := run(&again, got, cfg)
			if again.State != original.State || len(again.Marks) != 0 {
				t.Fatalf("%s: the system is not left as it was found\n%s", name, toy.Program())
			}
			res.PeakBytes, found.PeakBytes = 0, 0
			if !reflect.DeepEqual(found, res) || !reflect.DeepEqual(got.List, want.List) {
				t.Fatalf("%s:\n got %+v\n%v\nwant %+v\n%v\n%s", name, found, got.List, res, want.List, toy.Program())
			}
			pieces += away.Pieces.Load()
		}
	}
	return pieces
}

// TestElsewhere: a search whose walkers are explored elsewhere has the result of a search whose walkers
// have systems of their own, whichever walkers are refused.
func TestElsewhere(t *testing.T) {
	pieces, searches := uint64(0), uint64(0)
	for _, seed := range deep.Seeds(t, 150, 1500) {
		pieces += compareAway(t, seed, func(e *toys.Elsewhere) {
			if seed%3 == 0 {
				e.Refuses = func(n uint64) bool { return n%3 == 0 }
			}
		})
		searches++
	}
	if t.Logf("%d programs, %d pieces", searches, pieces); pieces < 4*searches {
		t.Errorf("%d programs had only %d pieces elsewhere", searches, pieces)
	}
}

// TestElsewhereLost: lost parcels are explored after a while.
func TestElsewhereLost(t *testing.T) {
	defer func(d time.Duration) { lateAfter = d }(lateAfter)
	lateAfter = time.Millisecond
	for _, seed := range deep.Seeds(t, 8, 100) {
		compareAway(t, seed, func(e *toys.Elsewhere) { e.Loses = func(n uint64) bool { return n%2 == 0 } })
	}
}

// TestElsewhereNoRoom: a helper without room for the table refuses, and does not fetch it again.
func TestElsewhereNoRoom(t *testing.T) {
	fetched := 0
	table, orders := newVisited(0), []uint32{1}
	for i := range uint64(1000) {
		table.insert(por.Hash{i, i}, closed)
	}
	data := marshal(&shownStates{States: table.all(), Orders: orders})
	b := &por.Board{Fetch: func(int) ([]byte, error) { fetched++; return data, nil }}
	toy := toys.New([]toys.Instr{{Op: toys.Load}})
	for range 3 {
		_, err := explorePiece(toy, toys.NewRecorder(toy, 0), por.Config{Match: true, MaxMemory: 5000, Board: b}, marshal(&parcel{From: 7, To: 8}), nil)
		if err != errNoRoom || fetched != 1 {
			t.Fatalf("%v, fetched %d times", err, fetched)
		}
	}
}

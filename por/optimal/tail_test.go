package optimal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
)

// joined makes a toy whose goroutines call Done, most of them at the end. One or two of them
// wait for that.
func joined(r *rand.Rand) *toys.System {
	ops := []toys.OpCode{toys.Load, toys.Store, toys.Store, toys.Read, toys.Write, toys.OutReg}
	some := func(n int) (code []toys.Instr) {
		for range r.IntN(n + 1) {
			code = append(code, toys.RandomInstr(r, ops))
		}
		return code
	}
	add := func(n int) toys.Instr { return toys.Instr{Op: toys.WgAdd, A: int8(n)} }
	n := 2 + r.IntN(2)
	prog := make([][]toys.Instr, n+1)
	once := r.IntN(2) == 0
	if once {
		prog[0] = append(prog[0], add(n-r.IntN(5)/4))
	}
	for g := 1; g <= n; g++ {
		if !once && r.IntN(8) > 0 {
			prog[0] = append(prog[0], add(1))
		}
		prog[0] = append(prog[0], toys.Instr{Op: toys.Go, A: int8(g)})
		if !once && r.IntN(8) == 0 {
			prog[0] = append(prog[0], add(1))
		}
		prog[g] = some(2)
		switch r.IntN(12) {
		case 0:
			prog[g] = append(prog[g], toys.Instr{Op: toys.WgWait})
		case 1:
			prog[g] = append(prog[g], add(1), add(-1))
		}
		if r.IntN(10) > 0 {
			prog[g] = append(prog[g], add(-1))
		}
		switch r.IntN(8) {
		case 0:
			prog[g] = append(prog[g], some(1)...)
		case 1: // perhaps forever
			prog[g] = append(prog[g], toys.RandomInstr(r, []toys.OpCode{toys.Lock, toys.Wait}))
		}
	}
	if r.IntN(4) == 0 {
		prog[0] = append(prog[0], toys.Instr{Op: toys.Lock})
	}
	prog[0] = append(append(append(prog[0], some(1)...), toys.Instr{Op: toys.WgWait}), some(2)...)
	if r.IntN(4) == 0 {
		prog[0] = append(prog[0], toys.RandomInstr(r, []toys.OpCode{toys.WgAdd, toys.Choose, toys.Lock, toys.WgWait}))
	}
	toy := toys.New(prog...)
	if once && r.IntN(2) == 0 { // the units exist from the start
		toy.Step(0, 0)
	}
	return toy
}

// TestTails: the exploration is the same, in the same order, with tails and without.
func TestTails(t *testing.T) {
	tails, failed, refuted := 0, 0, 0
	for _, seed := range deep.Seeds(t, 1200, 20_000) {
		toy := joined(rand.New(rand.NewPCG(seed, 0x7a11)))
		cfg := por.Config{MaxExecutions: 3000}
		explore := func(tails bool) (*searcher, *toys.Recorder) {
			v := toys.NewRecorder(toy, 0)
			s := newSearcher(toy, v, cfg, options{}, hb.Relation{})
			s.tails = tails
			s.run()
			return s, v
		}
		s, with := explore(true)
		f, without := explore(false)
		tails += s.numTails
		if s.noTail != [256]bool{} {
			failed++
		}
		if f.Unsupported {
			refuted++
		}
		a, b := with.Leaves(), without.Leaves()
		if s.Unsupported != f.Unsupported || !s.Unsupported && (!slices.Equal(a, b) || !sameCounts(s.Stats, f.Stats)) {
			t.Fatalf("seed %d: unsupported %v, %v\n%v\n%+v\n%+v\n%v\n%v",
				seed, s.Unsupported, f.Unsupported, toy, s.Stats, f.Stats, a, b)
		}
	}
	t.Logf("%d tails, %d programs in which one failed, %d unsupported", tails, failed, refuted)
	if tails == 0 || failed == 0 || refuted == 0 {
		t.Error("there have to be some of each")
	}
}

// sameCounts reports whether a and b are equal except for Looked.
func sameCounts(a, b por.Stats) bool {
	return a.Executions == b.Executions && a.Blocked == b.Blocked && a.Transitions == b.Transitions &&
		a.MaxDepth == b.MaxDepth && a.Choices == b.Choices
}

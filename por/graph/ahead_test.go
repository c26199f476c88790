package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestAhead: several workers report what one does, in its order, and count the same, whatever ends the
// search; with pieces as soon as there can be any.
func TestAhead(t *testing.T) {
	defer func(a, b uint64) { search.AheadFrom, search.AskEvery = a, b }(search.AheadFrom, search.AskEvery)
	search.AheadFrom, search.AskEvery = 0, 1
	n := 600
	if testing.Short() {
		n = 120
	}
	for _, c := range graphClients() {
		pieces, replays, timed := 0, uint64(0), 0
		for seed := range 2*n + n/10 {
			r := rand.New(rand.NewPCG(78, uint64(seed)))
			original := toys.Random(r, 2+r.IntN(3), 3+r.IntN(5), seed%5 == 0)
			original.Timed = seed%3 == 0
			cfg := por.Config{MaxSteps: 40, MaxExecutions: 1500, IgnoreOutput: seed%2 == 0 || seed >= n}
			switch {
			case seed >= 2*n:
				original = arriving(r)
			case seed >= n:
				original = timely(r)
			}
			stop := uint32(0)
			switch r.IntN(4) {
			case 0:
				cfg.MaxExecutions = 1 + r.Uint64N(60)
			case 1:
				stop = 2 + r.Uint32N(30)
			case 2:
				cfg.MaxSteps = 1 + r.IntN(20)
			}
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
				if jobs > 1 {
					v.Pause = func() {
						if r.IntN(4) == 0 {
							time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
						}
					}
				}
				found := Explore(&toy, v, cfg, Config{Client: c.client()})
				if toy.State != original.State || len(toy.Marks) != 0 {
					t.Fatalf("%s, seed %d: the system is not left as it was found\n%s", c.name, seed, toy.Program())
				}
				found.PeakBytes = 0
				pieces += v.Parts
				replays += found.Replays
				if original.Timed && v.Parts > 0 {
					timed++
				}
				return fmt.Sprint(found), v.List
			}
			whole, want := explore(1)
			for jobs := 2; jobs <= 3; jobs++ {
				several, got := explore(jobs)
				for i := range want {
					if i == len(got) || got[i] != want[i] {
						t.Fatalf("%s, seed %d, %d workers, stop %d: report %d\n got %v\nwant %v\n%s", c.name, seed, jobs, stop, i,
							got[i:min(i+2, len(got))], want[i:min(i+2, len(want))], original.Program())
					}
				}
				if several != whole || len(got) != len(want) {
					t.Fatalf("%s, seed %d, %d workers, stop %d: %d reports, want %d\n got %s\nwant %s\n%s", c.name, seed, jobs, stop,
						len(got), len(want), several, whole, original.Program())
				}
			}
		}
		if t.Logf("%s: %d pieces, %d replays, %d with time", c.name, pieces, replays, timed); pieces < n/2 || replays == 0 || timed == 0 {
			t.Errorf("%s: %d searches took only %d pieces, with %d replays and %d with time", c.name, 2*n, pieces, replays, timed)
		}
	}
}

// arriving makes a program whose goroutines arrive at a Wait by steps that are no nodes.
func arriving(r *rand.Rand) *toys.System {
	v := func() toys.Instr {
		return toys.Instr{Op: []toys.OpCode{toys.Write, toys.Write, toys.Read}[r.IntN(3)], A: 0}
	}
	waits := func() (code []toys.Instr) {
		return append(code, toys.Instr{Op: toys.Yield}, toys.Instr{Op: toys.WgWait}, v())
	}
	prog := [][]toys.Instr{{v()}, waits(), waits(), {{Op: toys.WgAdd, A: 1}, {Op: toys.WgAdd, A: -1}}}
	if r.IntN(2) == 0 {
		prog[3] = prog[3][:1]
	}
	if r.IntN(3) == 0 {
		prog[0] = append(prog[0], v())
	}
	r.Shuffle(4, func(i, j int) { prog[i], prog[j] = prog[j], prog[i] })
	return toys.Started(prog...)
}

// timely makes a program in which time passes in some orders only, and that a step ends which is no node.
func timely(r *rand.Rand) *toys.System {
	v := func() toys.Instr {
		return toys.Instr{Op: []toys.OpCode{toys.Write, toys.Write, toys.Read}[r.IntN(3)], A: int8(r.IntN(2))}
	}
	var prog [][]toys.Instr
	var a []toys.Instr
	if r.IntN(2) == 0 {
		a = append(a, v())
	}
	a = append(a, toys.Instr{Op: toys.Load, A: 0})
	a = append(a, toys.Instr{Op: toys.Jump, A: int8(len(a) + 2), B: int8(r.IntN(2))}, toys.Instr{Op: toys.Yield})
	prog = append(prog, a, []toys.Instr{{Op: toys.Store, A: 0, B: 1}})
	for range 1 + r.IntN(2) {
		var c []toys.Instr
		for range r.IntN(3) {
			c = append(c, v())
		}
		prog = append(prog, append(c, toys.Instr{Op: toys.Exit}))
	}
	r.Shuffle(len(prog), func(i, j int) { prog[i], prog[j] = prog[j], prog[i] })
	toy := toys.Started(prog...)
	toy.Timed = true
	return toy
}

// TestMarkings: without Restart nothing that is reported depends on whether an operation is Maybe or Yes,
// so that what a client knows of sharing need not be known to other workers (Config.divisible).
func TestMarkings(t *testing.T) {
	dependence := NewDataRaceBehavior()
	maybe := uint64(0)
	for seed := range 300 {
		r := rand.New(rand.NewPCG(79, uint64(seed)))
		original := toys.Random(r, 2+r.IntN(3), 3+r.IntN(4), false)
		original.Timed = seed%3 == 0
		explore := func(m Marker) (string, []string) {
			toy := *original
			v := toys.NewRecorder(&toy, 0)
			cfg := por.Config{MaxSteps: 40, MaxExecutions: 500, IgnoreOutput: seed%2 == 0}
			found := Explore(&toy, v, cfg, Config{Client: Client{Marker: m, Dependence: dependence}})
			found.PeakBytes = 0
			return fmt.Sprint(found), v.List
		}
		want, list := explore(NewDataRaceBehavior())
		for _, m := range []Marker{EveryAccess{}, &undecided{random: r, said: &maybe}} {
			if got, other := explore(m); got != want || fmt.Sprint(other) != fmt.Sprint(list) {
				t.Fatalf("seed %d, %T: got %s\nwant %s\n%s", seed, m, got, want, original.Program())
			}
		}
	}
	if maybe == 0 {
		t.Error("no operation was Maybe")
	}
}

// undecided answers Maybe or Yes by chance where EveryAccess answers Yes.
type undecided struct {
	EveryAccess
	random *rand.Rand
	said   *uint64
}

func (c *undecided) Mark(op *Op) Marking {
	m := c.EveryAccess.Mark(op)
	if m == Yes && c.random.IntN(2) == 0 {
		*c.said++
		return Maybe
	}
	return m
}

// TestDivisible: what is known to be safe for several workers, and nothing else.
func TestDivisible(t *testing.T) {
	shared, every := NewDataRaceBehavior(), EveryAccess{}
	locks := &lockOrder{}
	for i, tt := range []struct {
		gc   Config
		want bool
	}{
		{Config{Client: Client{Marker: shared, Dependence: shared}}, true},
		{Config{Client: Client{Marker: every, Dependence: every}}, true},
		{Config{Client: Client{Marker: every, Dependence: shared}}, true},
		{Config{Client: Client{Marker: regions{shared}, Dependence: shared}}, false},
		{Config{Client: Client{Marker: shared, Dependence: locks}}, false},
		{Config{Client: Client{Marker: stubborn{}, Dependence: every}}, false},
		{Config{Client: Client{Marker: every, Dependence: every, Reset: locks}}, false},
		{Config{Client: Client{Marker: every, Dependence: every}, Restart: true}, false},
		{Config{Client: Client{Marker: every, Dependence: every}, Emit: func(*DPORGraph) error { return nil }}, false},
	} {
		if tt.gc.divisible() != tt.want {
			t.Errorf("case %d: divisible is %v", i, !tt.want)
		}
	}
	for _, option := range [][2]string{{"replay", "restart"}, {"dot", "graphs"}} {
		e := Explorer()
		for _, set := range [][2]string{{"client", "everyaccess"}, option, {"client", "datarace"}} {
			if err := e.Set(set[0], set[1]); err != nil || (e.Serial == "") != (set[0] == "client" && set[1] == "everyaccess") {
				t.Errorf("--%s %s after %v: several workers: %v, %v", set[0], set[1], option, e.Serial, err)
			}
		}
	}
}

package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestAhead: several workers find what one does, with each client.
func TestAhead(t *testing.T) {
	seeds := deep.Seeds(t, 126, 630)
	for _, c := range graphClients() {
		replays := uint64(0)
		e := &por.Explorer{Name: c.name, Needs: []por.Capability{por.NeedEffects}, Stateless: true}
		e.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
			found := Explore(sys, v, cfg, Config{Client: c.client()})
			replays += found.Replays
			return found
		}
		toys.CheckAhead(t, e, seeds, func(r *rand.Rand, seed uint64, cfg *por.Config) *toys.System {
			cfg.IgnoreOutput = seed%2 == 0 || seed%21 >= 10
			switch {
			case seed%21 == 20:
				return arriving(r)
			case seed%21 >= 10:
				return timely(r)
			}
			toy := toys.Random(r, 2+r.IntN(3), 3+r.IntN(5), seed%5 == 0)
			toy.Timed = seed%3 == 0
			return toy
		})
		if t.Logf("%s: %d replays", c.name, replays); replays == 0 {
			t.Errorf("%s: nothing was executed again", c.name)
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
	for _, seed := range deep.Seeds(t, 80, 300) {
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

package stateful

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// inTurns explores with paths that are soon too long. It sets begun if prefixes have taken turns, and does
// not seek livelocks.
func inTurns(policy bool, begun *bool) por.Search {
	return func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
		p := &SyncPolicy{UnlockNeedsNoChoice: !cfg.LimitPreempt}
		for {
			s := newDepthFirst(sys, v, cfg, nil)
			if policy {
				s = newDepthFirst(sys, v, cfg, p)
			}
			r := s.run()
			*begun = s.turns.begun
			if len(s.turns.queue) > 0 && !s.Halted || s.turns.bytes != 0 && !s.Halted {
				panic("something is put aside in the end")
			}
			if !p.Violated {
				return r
			}
			p.Violated, p.UnlockNeedsNoChoice = false, false
			v.Restart()
		}
	}
}

// TestTurns: a search in which prefixes take turns finds every ending, every race, and meets every
// state, once. With a bound on preemptions it has the findings of a search without turns.
func TestTurns(t *testing.T) {
	turned, ignored := 0, 0
	for _, seed := range deep.Seeds(t, 600, 600) {
		r := rand.New(rand.NewPCG(17, seed))
		toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := toys.NewStateGraph(toy, 1500)
		if g == nil {
			continue
		}
		for _, policy := range []bool{false, true} {
			for _, dive := range []int{1, 3, 7} {
				name := fmt.Sprintf("seed %d, policy %v, dive %d", seed, policy, dive)
				var begun bool
				f, res := toys.Explore(t, toy, inTurns(policy, &begun), por.Config{Match: true, Dive: dive})
				if begun {
					turned++
				}
				if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
					t.Fatalf("%s: %v, want %v, %s\n%s", name, got, want, toys.Reasons(res), toy.Program())
				}
				if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
					t.Fatalf("%s: races %v, want %v\n%s", name, got, want, toy.Program())
				}
				plain, all := toys.Explore(t, toy, divingAt(policy, 1_000_000), por.Config{Match: true})
				if !policy && res.States != all.States {
					t.Errorf("%s: %d states, want %d", name, res.States, all.States)
				}
				again, whole := toys.Explore(t, toy, divingAt(policy, dive), por.Config{Match: true})
				if fmt.Sprint(again.Leaves, again.Races, len(again.Lassos), whole) != fmt.Sprint(plain.Leaves, plain.Races, len(plain.Lassos), all) {
					t.Errorf("%s: %v %+v, want %v %+v\n%s", name, again.Leaves, whole, plain.Leaves, all, toy.Program())
				}
				cfg := por.Config{Match: true, LimitPreempt: true, Preempt: 1, Dive: 1_000_000}
				f, _ = toys.Explore(t, toy, inTurns(policy, &begun), cfg)
				cfg.Dive = dive
				h, _ := toys.Explore(t, toy, inTurns(policy, &begun), cfg)
				if !maps.Equal(keys(f.Leaves), keys(h.Leaves)) {
					t.Errorf("%s: with one preemption %v, want %v\n%s", name, h.Leaves, f.Leaves, toy.Program())
				}
				if policy && !maps.Equal(keys(h.Leaves), g.Leaves) {
					ignored++
				}
				if seed%2 == 0 || g.Executions(toy) > 500 {
					continue // there are loops, or too many
				}
				cfg = por.Config{Dive: 1_000_000}
				f, all = toys.Explore(t, toy, inTurns(policy, &begun), cfg)
				cfg.Dive = dive
				if h, res = toys.Explore(t, toy, inTurns(policy, &begun), cfg); !maps.Equal(f.Leaves, h.Leaves) || res.Transitions != all.Transitions {
					t.Errorf("%s: without states %v, want %v\n%s", name, h.Leaves, f.Leaves, toy.Program())
				}
			}
		}
	}
	if turned < 500 || ignored < 20 {
		t.Errorf("only in %d searches there were turns, and %d found less with a preemption", turned, ignored)
	}
}

// divingAt is Full or JPF with paths that are too long from some step on.
func divingAt(policy bool, dive int) por.Search {
	return func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
		cfg.Dive = dive
		if policy {
			return JPF(sys, v, cfg)
		}
		return Full(sys, v, cfg)
	}
}

func keys(m map[string]int) map[string]bool {
	set := map[string]bool{}
	for k := range m {
		set[k] = true
	}
	return set
}

// A counting system has two goroutines. One goroutine counts forever, so that no state recurs; the other
// one makes some steps, the last of which ends the program.
type counting struct {
	n, rest int
	marks   []counting
}

func (c *counting) Enabled(buf []trace.GID) []trace.GID {
	if c.rest > 0 {
		buf = append(buf, 0, 1)
	}
	return buf
}
func (c *counting) Next(g trace.GID) trace.Op {
	return trace.Op{G: g, Kind: trace.AtomicRMW, N: 1, Access: [2]trace.Access{{Obj: 1, Size: 8, Write: true}}}
}
func (c *counting) Alternatives(trace.GID) int { return 1 }
func (c *counting) Step(g trace.GID, _ int) {
	if g == 0 {
		c.n++
	} else {
		c.rest--
	}
}
func (c *counting) Mark() por.Mark {
	c.marks = append(c.marks, counting{n: c.n, rest: c.rest})
	return por.Mark(len(c.marks) - 1)
}
func (c *counting) Rewind(m por.Mark)  { c.n, c.rest = c.marks[m].n, c.marks[m].rest }
func (c *counting) Release(m por.Mark) { c.marks = c.marks[:m] }
func (c *counting) Hash() por.Hash     { return por.Hash{por.Mix(uint64(c.n)), uint64(c.rest)} }
func (c *counting) Status() por.Status {
	if c.rest == 0 {
		return por.Ended
	}
	return por.Running
}

// ended collects how long executions are.
type ended struct{ lengths map[int]bool }

func (e *ended) Leaf(path trace.Schedule, _ por.Status) bool {
	e.lengths[len(path)] = true
	return true
}
func (e *ended) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (e *ended) Livelock(trace.Schedule, int) bool            { return true }
func (e *ended) Restart()                                     {}

// TestNoDive: beside a goroutine that counts forever, executions reach their ends, short ones first, and
// the memory of the search stays small.
func TestNoDive(t *testing.T) {
	for _, run := range []por.Search{Full, JPF} {
		for _, match := range []bool{false, true} {
			e := &ended{map[int]bool{}}
			cfg := por.Config{Match: match, Dive: 100, MaxMemory: 1 << 24, MaxSteps: 5000}
			steps := uint64(0)
			cfg.Poll = func(p por.Progress) string {
				if steps = p.Transitions; steps > 40_000 {
					return "enough"
				}
				return ""
			}
			sys := &counting{rest: 3}
			r := run(sys, e, cfg)
			for n := 3; n < 20; n++ {
				if !e.lengths[n] {
					t.Errorf("match %v: no execution of %d steps among %d", match, n, len(e.lengths))
				}
			}
			if len(r.Incomplete) == 0 || r.PeakBytes > 1<<24 || len(sys.marks) > 0 || sys.n != 0 {
				t.Errorf("match %v: %v, %d bytes", match, r.Incomplete, r.PeakBytes)
			}
		}
	}
}

// TestLongEnds: executions that are longer than Config.Dive reach their ends, too.
func TestLongEnds(t *testing.T) {
	e := &ended{map[int]bool{}}
	cfg := por.Config{Match: true, Dive: 100}
	cfg.Poll = func(p por.Progress) string {
		if p.Transitions > 100_000 {
			return "enough"
		}
		return ""
	}
	if Full(&counting{rest: 1000}, e, cfg); len(e.lengths) == 0 {
		t.Error("no execution has come to its end")
	}
}

// A racing system has two goroutines that make as many steps each, in every order: most paths meet.
type racing struct {
	done  [2]int
	marks [][2]int
}

const raceLength = 300

func (c *racing) Enabled(buf []trace.GID) []trace.GID {
	for g, n := range c.done {
		if n < raceLength {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}
func (c *racing) Next(g trace.GID) trace.Op {
	return trace.Op{G: g, Kind: trace.AtomicRMW, N: 1, Access: [2]trace.Access{{Obj: 1, Size: 8, Write: true}}}
}
func (c *racing) Alternatives(trace.GID) int { return 1 }
func (c *racing) Step(g trace.GID, _ int)    { c.done[g]++ }
func (c *racing) Mark() por.Mark {
	c.marks = append(c.marks, c.done)
	return por.Mark(len(c.marks) - 1)
}
func (c *racing) Rewind(m por.Mark)  { c.done = c.marks[m] }
func (c *racing) Release(m por.Mark) { c.marks = c.marks[:m] }
func (c *racing) Hash() por.Hash {
	return por.Hash{por.Mix(uint64(c.done[0])), uint64(c.done[1])}
}
func (c *racing) Status() por.Status {
	if c.done[0]+c.done[1] == 2*raceLength {
		return por.Ended
	}
	return por.Running
}

// TestMeetingPaths: an execution comes to its end before most states are known, though paths near the
// root soon end at known states.
func TestMeetingPaths(t *testing.T) {
	e := &ended{map[int]bool{}}
	states := uint64(0)
	cfg := por.Config{Match: true, Dive: 100}
	cfg.Poll = func(p por.Progress) string {
		if states = p.States; len(e.lengths) > 0 {
			return "enough"
		}
		return ""
	}
	if Full(&racing{}, e, cfg); states > raceLength*raceLength/10 || len(e.lengths) == 0 {
		t.Errorf("%d executions have come to their ends after %d states of %d", len(e.lengths), states, raceLength*raceLength)
	}
}

// A choosing system has a goroutine that makes choices without an effect forever, and another one that can
// end the program after the first choice.
type choosing struct {
	at    int // 0: the beginning, 1 and 2 follow each other
	over  bool
	marks []choosing
}

func (c *choosing) Enabled(buf []trace.GID) []trace.GID {
	if !c.over {
		if buf = append(buf, 0); c.at > 0 {
			buf = append(buf, 1)
		}
	}
	return buf
}
func (c *choosing) Next(g trace.GID) trace.Op {
	if g == 0 {
		return trace.Op{Kind: trace.Choose}
	}
	return trace.Op{G: 1, Kind: trace.AtomicRMW, N: 1, Access: [2]trace.Access{{Obj: 1, Size: 8, Write: true}}}
}
func (c *choosing) Alternatives(g trace.GID) int { return 2 - int(g) }
func (c *choosing) Step(g trace.GID, _ int) {
	c.over = g == 1
	c.at = c.at%2 + 1
}
func (c *choosing) Mark() por.Mark {
	c.marks = append(c.marks, choosing{at: c.at, over: c.over})
	return por.Mark(len(c.marks) - 1)
}
func (c *choosing) Rewind(m por.Mark)  { c.at, c.over = c.marks[m].at, c.marks[m].over }
func (c *choosing) Release(m por.Mark) { c.marks = c.marks[:m] }
func (c *choosing) Hash() por.Hash     { return por.Hash{por.Mix(uint64(c.at))} }
func (c *choosing) Status() por.Status {
	if c.over {
		return por.Ended
	}
	return por.Running
}

// TestIgnoredInTurns: if a goroutine loops over operations that need no choice, and its nodes have been put
// aside, the other goroutines are explored all the same.
func TestIgnoredInTurns(t *testing.T) {
	for dive := 1; dive < 5; dive++ {
		e := &ended{map[int]bool{}}
		var begun bool
		inTurns(true, &begun)(&choosing{}, e, por.Config{Match: true, Dive: dive})
		if len(e.lengths) == 0 {
			t.Errorf("dive %d: the other goroutine's end is not found, turns: %v", dive, begun)
		}
	}
}

// timed is a system whose time is up after a number of steps.
type timed struct {
	*toys.System
	t     *testing.T
	steps int
	most  int
}

func (x *timed) Step(g trace.GID, choice int) {
	if x.steps++; x.steps > x.most {
		x.t.Fatalf("step %d, when time is up after %d", x.steps, x.most)
	}
	x.System.Step(g, choice)
}

// TestTurnsStop: when time is up no further step is executed, not even to go to the prefix whose turn
// begins.
func TestTurnsStop(t *testing.T) {
	repeated := 0
	for most := 1; ; most++ {
		x := &timed{System: toys.Random(rand.New(rand.NewPCG(17, 4)), 3, 5, false), t: t, most: most}
		cfg := por.Config{Match: true, Dive: 3, Over: func() bool { return x.steps >= most }}
		cfg.Poll = func(por.Progress) string {
			if x.steps >= most {
				return "time"
			}
			return ""
		}
		s := newDepthFirst(x, toys.NewFindings(x.System), cfg, nil)
		r := s.run()
		if len(r.Incomplete) == 0 {
			break // it takes no more
		}
		if len(s.Path) > 0 && s.turns.begun && s.Stats.Repeated > 0 {
			repeated++
		}
	}
	if repeated == 0 {
		t.Error("no turn was begun")
	}
}

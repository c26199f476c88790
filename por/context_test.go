package por

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestContextToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that either implements T, or reaches the same state as one
// that implements T" (theorem 1); and every race is seen.
func TestContextToys(t *testing.T) {
	testContexts(t, 500, func(seed uint64) *toy {
		r := rand.New(rand.NewPCG(2, seed))
		return randomToy(r, 2+r.IntN(3), 2+r.IntN(4), false)
	})
}

// TestContextCommuting: the same of programs in which much commutes although it is dependent.
func TestContextCommuting(t *testing.T) {
	testContexts(t, 150, func(seed uint64) *toy { return commutingToy(rand.New(rand.NewPCG(4, seed))) })
}

func testContexts(t *testing.T, n uint64, generate func(seed uint64) *toy) {
	bad := 0
	var executions, source uint64
	for seed := range n {
		toy := generate(seed)
		forget(toy)
		g := buildGraph(toy, 3000)
		if g == nil || g.executions(toy) < 0 || slices.ContainsFunc(keys(g.leaves), func(l string) bool {
			return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
		}) {
			continue // or it crashes in the middle of a step
		}
		f := newFindings(toy)
		executions += Context(toy, f, Config{}).Executions
		source += Source(toy, newFindings(toy), Config{}).Executions
		if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if got, want := keys(f.races), keys(g.races); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d executions, where Source has %d", executions, source)
}

// forget makes what a goroutine has read last no part of the state once it has nothing left to do.
func forget(toy *toy) {
	toy.renumber = func(s *toyState) {
		for g, code := range toy.prog {
			if int(s.pc[g]) >= len(code) {
				s.reg[g] = 0
			}
		}
	}
}

// commutingToy makes programs in which much commutes although it is dependent.
func commutingToy(r *rand.Rand) *toy {
	prog := make([][]instr, 2+r.IntN(3))
	ops := []toyOp{tAdd, tAdd, tAdd, tStore, tWrite, tLoad, tOutReg, tRead, tWriteReg, tJump, tStore}
	for g := range prog {
		for n := 1 + r.IntN(4); len(prog[g]) < n; {
			i := instr{op: ops[r.IntN(len(ops))], a: int8(r.IntN(2)), b: int8(1 + r.IntN(2))}
			switch i.op {
			case tAdd:
				i.b = 1
			case tJump:
				i.a, i.b = int8(len(prog[g])+2), int8(r.IntN(3))
			}
			if r.IntN(5) == 0 {
				prog[g] = append(prog[g], instr{op: tLock}, i, instr{op: tUnlock})
				continue
			}
			prog[g] = append(prog[g], i)
		}
	}
	for g := len(prog) - 1; g > 0; g-- {
		prog[0] = slices.Insert(prog[0], 0, instr{op: tGo, a: int8(g)})
	}
	for i := range prog[0] {
		if prog[0][i].op == tJump {
			prog[0][i].a = int8(i + 2)
		}
	}
	return newToy(prog...)
}

// TestContextPaper: of this program Algorithm 1 loses the ending with 1 in the variable, if selections are made
// as optimization 2 says. See RATIONALE.md.
func TestContextPaper(t *testing.T) {
	toy := newToy([]instr{{op: tGo, a: 1}, {op: tGo, a: 2}, {op: tWrite, b: 1}},
		[]instr{{op: tStore, b: 1}, {op: tRead}, {op: tWrite, b: 2}},
		[]instr{{op: tRead}})
	forget(toy)
	g := buildGraph(toy, 3000)
	for _, c := range []struct {
		cfg     ContextConfig
		endings int
	}{{ContextConfig{}, 2}, {ContextConfig{Paper: true}, 1}} {
		f := newFindings(toy)
		r := Context(toy, f, Config{Context: &c.cfg})
		if len(f.leaves) != c.endings || len(g.leaves) != 2 || (len(r.Incomplete) > 0) != c.cfg.Paper {
			t.Errorf("%+v: %d endings, want %d of %d; incomplete: %v", c.cfg, len(f.leaves), c.endings, len(g.leaves), r.Incomplete)
		}
	}
}

// TestContextExample is example 1: "The execution has explored 3 complete sequences rather than the minimal
// 2, whereas the original Source-DPOR would have explored 6." Here the end of a
// process is a step of its own, and it is 2. If only twins change places, it is as many as there are with the least happens-before
// relation of section 3, 4.
func TestContextExample(t *testing.T) {
	p := []instr{{op: tStore, a: 0, b: 2}}
	pqr := newToy([]instr{{op: tGo, a: 1}, {op: tGo, a: 2}, {op: tGo, a: 3}}, p, p, []instr{{op: tLoad, a: 0}})
	for _, c := range []struct {
		run  func(System, Visitor, Config) Result
		cfg  ContextConfig
		want uint64
	}{
		{Source, ContextConfig{}, 6},
		{Context, ContextConfig{}, 4},
		{Context, ContextConfig{Paper: true, Unguided: true}, 2},
		{Context, ContextConfig{Paper: true}, 2},
		{Context, ContextConfig{CSS: true}, 2},
	} {
		f := newFindings(pqr)
		if r := c.run(pqr, f, Config{Context: &c.cfg}); r.Executions != c.want || len(f.leaves) != 2 {
			t.Errorf("%+v: %d executions with %d endings, want %d with 2", c.cfg, r.Executions, len(f.leaves), c.want)
		}
	}
}

// cutter is an oracle that says that nothing depends on a Store to variable 1 once all of
// them are ahead or have been executed, which is so.
type cutter struct{ toy *toy }

func (c cutter) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind == trace.AtomicStore && op.Access[0].Off == 1 && c.toy.pc[1] > 0 {
		return "the other one has been executed"
	}
	return ""
}

// TestContextCuts: "if no step in O is dependent on l, we block the execution at this point" (section
// 5.3) loses an execution. Here l is the first goroutine's Store to variable 1 behind the second one's, and the step
// that is never executed before the first Store to variable 0, and so never seen to race with it, is the second one.
func TestContextCuts(t *testing.T) {
	toy := newToy([]instr{{op: tGo, a: 1}, {op: tStore, a: 0, b: 1}, {op: tStore, a: 1, b: 1}},
		[]instr{{op: tStore, a: 1, b: 1}, {op: tStore, a: 0, b: 2}})
	for _, cuts := range []bool{false, true} {
		f := newFindings(toy)
		r := Context(toy, f, Config{Context: &ContextConfig{Cuts: cuts}, Oracle: cutter{toy}})
		if want := map[bool]int{false: 2, true: 1}[cuts]; len(f.leaves) != want || (len(r.Incomplete) > 0) != cuts {
			t.Errorf("cuts %v: %d endings, want %d; incomplete: %v", cuts, len(f.leaves), want, r.Incomplete)
		}
	}
}

// TestContextCSS: keeping asleep what has turned out to commute loses an execution of this program.
func TestContextCSS(t *testing.T) {
	toy := commutingToy(rand.New(rand.NewPCG(4, 986)))
	g := buildGraph(toy, 3000)
	for _, css := range []bool{false, true} {
		f := newFindings(toy)
		r := Context(toy, f, Config{Context: &ContextConfig{CSS: css}})
		if lost := len(g.leaves) - len(f.leaves); (lost > 0) != css || (len(r.Incomplete) > 0) != css {
			t.Errorf("css %v: %d endings lost; incomplete: %v", css, lost, r.Incomplete)
		}
	}
}

package explorers

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

var toysFlag = flag.Int("toys", deep.Pick(60, 300), "generated systems of TestReadsFromClasses, and a tenth of those of TestReadsFromOnce")

// rfClassOf names the reads-from class of the execution path of t. It is computed from the
// definition.
func rfClassOf(t *toys.System, path trace.Schedule) string {
	type done struct {
		trace.Op
		name string
	}
	m := t.Mark()
	var events []done
	count := map[trace.GID]int{}
	var lines []string
	for _, a := range path {
		op := t.Next(a.G)
		e := done{Op: op, name: fmt.Sprintf("g%d.%d:%d", a.G, count[a.G], t.Label(a.G, a.Choice))}
		count[a.G]++
		var deps []string
		reads := op.Kind == trace.Read || op.Kind == trace.AtomicLoad || op.Kind == trace.AtomicRMW
		for _, f := range slices.Backward(events) {
			switch {
			case op.Kind.Memory() && f.Kind.Memory():
				if reads && f.Access[0].Write && f.Access[0].Overlaps(op.Access[0]) {
					deps = append(deps, f.name)
					reads = false
				}
			case f.G != op.G && hb.Dependent(&f.Op, &op):
				deps = append(deps, f.name)
			}
		}
		t.Step(a.G, a.Choice)
		events = append(events, e)
		slices.Sort(deps)
		lines = append(lines, fmt.Sprint(e.name, deps))
	}
	t.Rewind(m)
	t.Release(m)
	slices.Sort(lines)
	return strings.Join(lines, ";")
}

// shown returns the parts of endings that do not depend on unread last writes.
func shown(leaves map[string]toys.State) []string {
	set := map[string]bool{}
	for l, s := range leaves {
		if strings.HasPrefix(l, "exit") {
			set[l] = true
			continue
		}
		s.Vars, s.Atomics = [toys.NumVars]int8{}, [toys.NumVars]int8{}
		set[fmt.Sprint(s)] = true
	}
	return toys.Keys(set)
}

// states collects the states in which executions end, too.
type states struct {
	*toys.Findings
	ends map[string]toys.State
	list []trace.Schedule
}

func newStates(t *toys.System) *states {
	s := &states{Findings: toys.NewFindings(t), ends: map[string]toys.State{}}
	return s
}

func (s *states) Leaf(path trace.Schedule, st por.Status) bool {
	if st == por.Ended || st == por.Stuck {
		s.ends[s.Toy.Ending()] = s.Toy.State
		s.list = append(s.list, slices.Clone(path))
	}
	return s.Findings.Leaf(path, st)
}

// Restart: classes of another relation may come.
func (s *states) Restart() {
	s.list = nil
	s.Findings.Restart()
}

// memoryToy makes a system that mostly accesses a few variables.
func memoryToy(r *rand.Rand) *toys.System {
	ops := []toys.OpCode{toys.Read, toys.Write, toys.WriteReg, toys.Load, toys.Load, toys.Store, toys.Store, toys.Store, toys.Add, toys.Add}
	prog := make([][]toys.Instr, 3+r.IntN(2))
	vars := int8(1 + r.IntN(2))
	for g := range prog {
		code := &prog[g]
		if g == 0 {
			for q := 1; q < len(prog); q++ {
				*code = append(*code, toys.Instr{Op: toys.Go, A: int8(q)})
			}
		}
		lock := r.IntN(6) == 0
		if lock {
			*code = append(*code, toys.Instr{Op: toys.Lock})
		}
		for range 1 + r.IntN(3) {
			if r.IntN(5) == 0 {
				*code = append(*code, toys.Instr{Op: toys.Jump, A: int8(len(*code) + 2), B: int8(r.IntN(2))})
			}
			*code = append(*code, toys.Instr{Op: ops[r.IntN(len(ops))], A: int8(r.IntN(int(vars))), B: int8(1 + r.IntN(2))})
		}
		if lock {
			*code = append(*code, toys.Instr{Op: toys.Unlock})
		}
	}
	return toys.New(prog...)
}

// TestReadsFromClasses: each reads-from class is explored once, with all endings and races.
func TestReadsFromClasses(t *testing.T) {
	bad, checked, left, most, fewer, ordered := 0, 0, 0, 0, 0, 0
	for seed := range *toysFlag {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
		if seed%2 == 1 {
			toy = memoryToy(r)
		}
		g := toys.NewStateGraph(toy, 2000)
		if g == nil {
			continue
		}
		if x := g.Executions(toy); x < 0 || x > 3000 {
			continue
		}
		if slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool {
			return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
		}) {
			continue // a toy crashes in the middle of a step
		}
		exits := slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool { return strings.HasPrefix(l, "exit") })
		fellBack := false
		all, found := newStates(toy), newStates(toy)
		initial := toy.State
		stateful.Full(toy, all, por.Config{})
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Logf("seed %d\n%s", seed, toy.Program())
					panic(r)
				}
			}()
			res := With("optimal", "equivalence", "rf").Explore(toy, found, por.Config{CheckDuplicates: true})
			fellBack = res.FallbackTo != ""
			if toy.State != initial || len(toy.Marks) != 0 {
				t.Fatalf("the system is not left as it was found\n%s", toy.Program())
			}
			if len(res.Incomplete) > 0 || res.Duplicate != nil {
				bad++
				t.Errorf("seed %d: %v %v\n%s", seed, res.Incomplete, res.Duplicate, toy.Program())
			}
		}()
		if found.Restarts == 0 {
			ordered++
		}
		if fellBack {
			left++
			continue
		}
		checked++
		if got, want := shown(found.ends), shown(all.ends); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if got, want := toys.Keys(found.Races), toys.Keys(all.Races); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if !exits {
			want, got, mazurkiewicz := map[string]bool{}, map[string]bool{}, map[string]bool{}
			for _, p := range all.list {
				want[rfClassOf(toy, p)] = true
				mazurkiewicz[toys.ClassOf(toy, p)] = true
			}
			for _, p := range found.list {
				got[rfClassOf(toy, p)] = true
			}
			most = max(most, len(want))
			if len(want) < len(mazurkiewicz) {
				fewer++
			}
			if len(got) != len(want) || len(found.list) != len(want) {
				bad++
				t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.list), len(got), len(want), toy.Program())
			}
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d systems, of %d all accesses are ordered, %d left to Optimal, %d with fewer classes than Mazurkiewicz's, at most %d classes",
		checked, ordered, left, fewer, most)
}

// TestReadsFromLeft: a system with an unsupported operation is left to Optimal though none of its
// accesses is in a race.
func TestReadsFromLeft(t *testing.T) {
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Signal}}, []toys.Instr{{Op: toys.Load}})
	if res := With("optimal", "equivalence", "rf").Explore(toy, newStates(toy), por.Config{}); res.FallbackTo != "optimal" || res.Executions != 1 {
		t.Errorf("%d executions, left to %q", res.Executions, res.FallbackTo)
	}
}

// TestReadsFromOnce: no class is explored twice in systems that are too large to enumerate.
func TestReadsFromOnce(t *testing.T) {
	ops := []toys.OpCode{toys.Load, toys.Load, toys.Store, toys.Store, toys.Store, toys.Add}
	for seed := range 10 * *toysFlag {
		r := rand.New(rand.NewPCG(9, uint64(seed)))
		prog := make([][]toys.Instr, 3+r.IntN(2))
		for g := range prog {
			code := &prog[g]
			for q := 1; g == 0 && q < len(prog); q++ {
				*code = append(*code, toys.Instr{Op: toys.Go, A: int8(q)})
			}
			for range r.IntN(5) {
				*code = append(*code, toys.Instr{Op: ops[r.IntN(len(ops))], A: int8(r.IntN(2)), B: int8(1 + r.IntN(2))})
			}
		}
		toy := toys.New(prog...)
		res := With("optimal", "equivalence", "rf").Explore(toy, toys.NewFindings(toy), por.Config{CheckDuplicates: true, MaxExecutions: 500})
		if res.Duplicate != nil {
			t.Fatalf("seed %d: %v\n%s", seed, res.Duplicate, toy.Program())
		}
	}
}

// readersToy makes a system of critical sections, most of them of readers, whose accesses synchronisation
// mostly orders.
func readersToy(r *rand.Rand) *toys.System {
	prog := make([][]toys.Instr, 3+r.IntN(2))
	most := 2 - len(prog)/4
	for g := range prog {
		code := &prog[g]
		for q := 1; g == 0 && q < len(prog); q++ {
			*code = append(*code, toys.Instr{Op: toys.Go, A: int8(q)})
		}
		for range 1 + r.IntN(most) {
			m := int8(r.IntN(5) / 4)
			lock, access, unlock := toys.RLock, toys.Read, toys.RUnlock
			if r.IntN(3) == 0 {
				lock, access, unlock = toys.Lock, toys.Write, toys.Unlock
			}
			if r.IntN(30) == 0 {
				access = toys.Write
			}
			*code = append(*code, toys.Instr{Op: lock, A: m}, toys.Instr{Op: access, A: m, B: int8(1 + r.IntN(2))}, toys.Instr{Op: unlock, A: m})
		}
	}
	return toys.New(prog...)
}

// TestReadsFromReaders: readers of a lock commute, as for Mazurkiewicz's classes, and all ends are found.
func TestReadsFromReaders(t *testing.T) {
	ordered, most := 0, uint64(0)
	for _, seed := range deep.Seeds(t, 40, 400) {
		toy := readersToy(rand.New(rand.NewPCG(11, seed)))
		mazurkiewicz, found, all := toys.NewFindings(toy), newStates(toy), newStates(toy)
		one := With("optimal").Explore(toy, mazurkiewicz, por.Config{})
		rf := With("optimal", "equivalence", "rf").Explore(toy, found, por.Config{CheckDuplicates: true})
		stateful.Full(toy, all, por.Config{Match: true})
		if got, want := shown(found.ends), shown(all.ends); !slices.Equal(got, want) {
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if got, want := toys.Keys(found.Races), toys.Keys(all.Races); !slices.Equal(got, want) {
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if rf.Duplicate != nil {
			t.Errorf("seed %d: %v\n%s", seed, rf.Duplicate, toy.Program())
		}
		if found.Restarts > 0 {
			continue
		}
		if ordered++; rf.Executions != one.Executions || rf.Blocked != one.Blocked {
			t.Errorf("seed %d: %d executions and %d blocked, optimal has %d and %d\n%s", seed, rf.Executions, rf.Blocked, one.Executions, one.Blocked, toy.Program())
		}
		most = max(most, one.Executions)
	}
	if t.Logf("%d systems, at most %d executions", ordered, most); ordered < 10 || most < 20 {
		t.Error("too few or too small systems have ordered accesses")
	}
}

package por

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

var toysFlag = flag.Int("toys", 300, "generated systems of TestReadsFromClasses, and a tenth of those of TestReadsFromOnce")

// rfClassOf names the reads-from class of the execution path of t. It is computed from the
// definition.
func rfClassOf(t *toy, path trace.Schedule) string {
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
			case memory(op.Kind) && memory(f.Kind):
				if reads && f.Access[0].Write && f.Access[0].Overlaps(op.Access[0]) {
					deps = append(deps, f.name)
					reads = false
				}
			case f.G != op.G && Dependent(&f.Op, &op):
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

// shown is what an ending tells of an execution if nobody has seen what the last writes are.
func shown(leaves map[string]toyState) []string {
	set := map[string]bool{}
	for l, s := range leaves {
		if strings.HasPrefix(l, "exit") {
			set[l] = true
			continue
		}
		s.vars, s.atomics = [toyVars]int8{}, [toyVars]int8{}
		set[fmt.Sprint(s)] = true
	}
	return keys(set)
}

// states collects the states in which executions end, too.
type states struct {
	*findings
	ends map[string]toyState
	list []trace.Schedule
}

func newStates(t *toy) *states {
	s := &states{findings: newFindings(t), ends: map[string]toyState{}}
	return s
}

func (s *states) Leaf(path trace.Schedule, st Status) bool {
	if st == Ended || st == Stuck {
		s.ends[s.toy.ending()] = s.toy.toyState
		s.list = append(s.list, slices.Clone(path))
	}
	return s.findings.Leaf(path, st)
}

// memoryToy makes a system that accesses few variables, and mostly that.
func memoryToy(r *rand.Rand) *toy {
	ops := []toyOp{tRead, tWrite, tWriteReg, tLoad, tLoad, tStore, tStore, tStore, tAdd, tAdd}
	prog := make([][]instr, 3+r.IntN(2))
	vars := int8(1 + r.IntN(2))
	for g := range prog {
		code := &prog[g]
		if g == 0 {
			for q := 1; q < len(prog); q++ {
				*code = append(*code, instr{op: tGo, a: int8(q)})
			}
		}
		lock := r.IntN(6) == 0
		if lock {
			*code = append(*code, instr{op: tLock})
		}
		for range 1 + r.IntN(3) {
			if r.IntN(5) == 0 {
				*code = append(*code, instr{op: tJump, a: int8(len(*code) + 2), b: int8(r.IntN(2))})
			}
			*code = append(*code, instr{op: ops[r.IntN(len(ops))], a: int8(r.IntN(int(vars))), b: int8(1 + r.IntN(2))})
		}
		if lock {
			*code = append(*code, instr{op: tUnlock})
		}
	}
	return newToy(prog...)
}

// TestReadsFromClasses: each reads-from class is explored once, with all endings and races.
func TestReadsFromClasses(t *testing.T) {
	bad, checked, left, most, fewer := 0, 0, 0, 0, 0
	for seed := range *toysFlag {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(3), 2+r.IntN(4), false)
		if seed%2 == 1 {
			toy = memoryToy(r)
		}
		g := buildGraph(toy, 2000)
		if g == nil {
			continue
		}
		if x := g.executions(toy); x < 0 || x > 3000 {
			continue
		}
		if slices.ContainsFunc(keys(g.leaves), func(l string) bool {
			return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
		}) {
			continue // a toy crashes in the middle of a step
		}
		exits := slices.ContainsFunc(keys(g.leaves), func(l string) bool { return strings.HasPrefix(l, "exit") })
		all, found := newStates(toy), newStates(toy)
		initial := toy.toyState
		Full(toy, all, Config{})
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Logf("seed %d\n%s", seed, toy.program())
					panic(r)
				}
			}()
			res := Optimal(toy, found, Config{ReadsFrom: true, CheckDuplicates: true})
			if toy.toyState != initial || len(toy.marks) != 0 {
				t.Fatalf("the system is not left as it was found\n%s", toy.program())
			}
			if len(res.Incomplete) > 0 || res.Duplicate != nil {
				bad++
				t.Errorf("seed %d: %v %v\n%s", seed, res.Incomplete, res.Duplicate, toy.program())
			}
		}()
		if found.restarts > 0 {
			left++
			continue
		}
		checked++
		if got, want := shown(found.ends), shown(all.ends); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if got, want := keys(found.races), keys(all.races); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if !exits {
			want, got, mazurkiewicz := map[string]bool{}, map[string]bool{}, map[string]bool{}
			for _, p := range all.list {
				want[rfClassOf(toy, p)] = true
				mazurkiewicz[classOf(toy, p)] = true
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
				t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.list), len(got), len(want), toy.program())
			}
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d systems, %d left to Optimal, %d with fewer classes than Mazurkiewicz's, at most %d classes", checked, left, fewer, most)
}

// TestReadsFromOnce: no class is explored twice in systems that are too large to enumerate.
func TestReadsFromOnce(t *testing.T) {
	ops := []toyOp{tLoad, tLoad, tStore, tStore, tStore, tAdd}
	for seed := range 10 * *toysFlag {
		r := rand.New(rand.NewPCG(9, uint64(seed)))
		prog := make([][]instr, 3+r.IntN(2))
		for g := range prog {
			code := &prog[g]
			for q := 1; g == 0 && q < len(prog); q++ {
				*code = append(*code, instr{op: tGo, a: int8(q)})
			}
			for range r.IntN(5) {
				*code = append(*code, instr{op: ops[r.IntN(len(ops))], a: int8(r.IntN(2)), b: int8(1 + r.IntN(2))})
			}
		}
		toy := newToy(prog...)
		res := Optimal(toy, newFindings(toy), Config{ReadsFrom: true, CheckDuplicates: true, MaxExecutions: 500})
		if res.Duplicate != nil {
			t.Fatalf("seed %d: %v\n%s", seed, res.Duplicate, toy.program())
		}
	}
}

// TestLinearizer: orders of a few events of three goroutines exist or do not.
func TestLinearizer(t *testing.T) {
	op := func(k trace.Kind, obj uint32) *trace.Op {
		return &trace.Op{Kind: k, N: 1, Access: [2]trace.Access{{Obj: obj, Size: 8, Write: k != trace.AtomicLoad}}}
	}
	const x, y = 1, 2
	w, r, a := trace.AtomicStore, trace.AtomicLoad, trace.AtomicRMW
	type event struct {
		at   name
		kind trace.Kind
		obj  uint32
		src  name
	}
	for _, c := range []struct {
		name   string
		events []event
		want   bool
	}{
		{"store buffering, both read the other's", []event{{name{0, 1}, w, x, name{}}, {name{0, 2}, r, y, name{1, 1}}, {name{1, 1}, w, y, name{}}, {name{1, 2}, r, x, name{0, 1}}}, true},
		{"store buffering, none does", []event{{name{0, 1}, w, x, name{}}, {name{0, 2}, r, y, name{}}, {name{1, 1}, w, y, name{}}, {name{1, 2}, r, x, name{}}}, false},
		{"two additions to the same value", []event{{name{0, 1}, a, x, name{}}, {name{1, 1}, a, x, name{}}}, false},
		{"two additions", []event{{name{0, 1}, a, x, name{1, 1}}, {name{1, 1}, a, x, name{}}}, true},
		{"coherence of two writes", []event{{name{0, 1}, w, x, name{}}, {name{1, 1}, w, x, name{}}, {name{2, 1}, r, x, name{0, 1}}, {name{2, 2}, r, x, name{1, 1}}, {name{2, 3}, r, x, name{0, 1}}}, false},
		{"one that is read late", []event{{name{0, 1}, w, x, name{}}, {name{1, 1}, w, x, name{}}, {name{2, 1}, r, x, name{0, 1}}}, true},
	} {
		var l linearizer
		clocks := map[name][]uint32{}
		var clock func(n name) []uint32
		clock = func(n name) []uint32 {
			var v []uint32
			for _, e := range c.events {
				if e.at == n {
					if v = larger(clocks[name{n.g, n.n - 1}], nil); e.src.n > 0 {
						v = larger(v, clock(e.src))
					}
				}
			}
			clocks[n] = set(v, n)
			return clocks[n]
		}
		for _, e := range c.events {
			l.add(e.at, clock(e.at), op(e.kind, e.obj), e.src)
		}
		if got := l.run(); got != c.want || got && len(l.order) != len(c.events) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

package progen_test

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestHybrid: choices that static facts make unnecessary are unnecessary. With every oracle and explorer,
// and with any stages of an oracle switched off, the outcomes and races are exactly those of the reference.
func TestHybrid(t *testing.T) {
	c := newComparison(t)
	c.batches(1000, c.programs)
	for _, reason := range []string{"nofuture", "lock", "join", "receive"} {
		if c.eliminated[reason] == 0 && !deep.Counted() && !deep.Quick() {
			t.Errorf("no choice was eliminated for the reason %q: the programs do not test it", reason)
		}
	}
}

// programs compares searches of programs of Generate with the reference.
func (c *comparison) programs(seeds []uint64) {
	var progs []*progen.Prog
	for _, seed := range seeds {
		progs = append(progs, progen.Generate(seed, features))
	}
	g := loadGroup(c, units(progs))
	for i, p := range progs {
		want := progen.Explore(p, maxStates)
		if !want.Complete {
			c.left++
			continue
		}
		c.checked++
		g.in(i, func() { c.hybrids(g, p.Seed, p.Source, want.Outcomes, want.Races) })
	}
}

var skipsFlag = flag.Bool("skips", false, "check every skipped choice, not only some")

// comparison compares searches of many programs.
type comparison struct {
	*testing.T
	config             vm.Config // of the machines
	checked, left, bad int
	eliminated         map[string]uint64
	parts              uint64 // states in which a part was enough
	states             uint64 // that the full search of the present program has stored
	exchanged, fewer   int    // searches that exchanged goroutines; searches of full with fewer states
	loops, missed      int    // searches of programs with livelocks; those that have found none

	// For optimal: executions of parts, searches of parts that have found an end, and searches that
	// have found none.
	partExecutions       uint64
	finished, unfinished int
}

func newComparison(t *testing.T) *comparison {
	return &comparison{T: t, config: vm.Config{VisibleOutput: true}, eliminated: map[string]uint64{}}
}

// batches calls f with the seeds of all programs to compare, some at a time: total
// of them, or as many as the flags say, and those that are known.
func (c *comparison) batches(total int, f func(seeds []uint64)) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for list := range slices.Chunk(deep.Seeds(c, total/50, total), 100) {
		f(list)
	}
	c.Logf("%d programs checked, %d left out; eliminated %v; %d parts; livelocks not found by %d of %d searches", c.checked, c.left, c.eliminated, c.parts, c.missed, c.loops)
}

// hybrids compares searches of the present program of g, with every oracle and with some of their stages
// switched off, with the program's outcomes.
func (c *comparison) hybrids(g *group, seed uint64, source func() string, outcomes, races map[string]bool) {
	c.Helper()
	c.searches(g, seed, modes(seed), source, outcomes, races)
}

// searches compares searches of the present program of g with its outcomes.
func (c *comparison) searches(g *group, seed uint64, list []mode, source func() string, outcomes, races map[string]bool) {
	c.Helper()
	ok := true
	for _, x := range list {
		var check *skipCheck
		if x.check || *skipsFlag {
			check = new(skipCheck)
		}
		got, r := g.search(c, x, check)
		if x.name == "optimal" {
			c.partExecutions += r.PartExecutions
			if len(r.Incomplete) > 0 {
				c.unfinished++
				continue // it does not match states, so it may have no end
			}
			c.finished++
		}
		if check != nil && check.wrong != nil {
			c.Errorf("seed %d, %s: %d wrong skips, the first: %s", seed, x, len(check.wrong), check.wrong[0])
			ok = false
		}
		if d := difference(got.outcomes, outcomes); d != "" {
			c.Errorf("seed %d, %s: outcomes (extra or missing in the machine):\n%s", seed, x, d)
			ok = false
		}
		if d := difference(got.races, races); d != "" {
			c.Errorf("seed %d, %s: races:\n%s", seed, x, d)
			ok = false
		}
		for reason, n := range r.Eliminated {
			c.eliminated[reason] += n
		}
		c.parts += r.Parts
		if r.Exchanged+r.Equal > 0 {
			c.exchanged++
		}
		if x.symmetry && x.name == "full" {
			if r.States < c.states {
				c.fewer++
			}
			if g.loops != (got.loops > 0) || r.States > c.states {
				c.Errorf("seed %d, %s: %d livelocks in %d states; in %d states there are some: %v", seed, x, got.loops, r.States, c.states, g.loops)
				ok = false
			}
		}
		if g.loops && x.name != "optimal" {
			c.loops++
			if got.loops == 0 {
				c.missed++
			}
		}
	}
	if ok {
		return
	}
	c.Logf("seed %d:\n%s", seed, numbered(source()))
	if c.bad++; c.bad > 3 {
		c.Fatal("too many differences")
	}
}

// modes returns the searches of a program: with each oracle under one explorer, and with stages of the
// strongest ones switched off, depending on the seed.
func modes(seed uint64) []mode {
	rng := rand.New(rand.NewPCG(seed, 0x57a6e5))
	var list []mode
	jpf, full := mode{name: "jpf", run: stateful.JPF}, mode{name: "full", run: stateful.Full}
	for _, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.Patterns, oracle.MHB, oracle.Parts, oracle.Full} {
		x := jpf
		if rng.IntN(8) == 0 {
			x = full
		}
		x.h = h
		x.check = rng.IntN(4) == 0
		list = append(list, x)
	}
	// One stage off, or all but one, of each kind of oracle.
	for _, h := range []oracle.Kind{oracle.MHB, oracle.Full} {
		x := jpf
		x.h = h
		x.off = 1 << rng.IntN(mhb.NumStages)
		if rng.IntN(2) == 0 {
			x.off ^= mhb.AllStages
		}
		x.noLook, x.noAny = rng.IntN(3) > 0, rng.IntN(4) == 0
		x.check = rng.IntN(4) == 0
		list = append(list, x)
	}
	return list
}

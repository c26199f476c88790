package progen_test

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/por"
)

// TestHybrid: choices that static facts make unnecessary are unnecessary. With
// every oracle and explorer the outcomes and races are exactly those of the
// reference, and so they are with any stages of an oracle turned off.
func TestHybrid(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	const perBatch = 100
	total := 3000
	if *countFlag > 0 {
		total = *countFlag
	} else if testing.Short() {
		total = perBatch
	}
	c := &comparison{T: t, eliminated: map[string]uint64{}}
	for first := *seedFlag; c.checked+c.left < total; first += perBatch {
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total-c.checked-c.left)) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		g := loadGroup(t, units(progs))
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
	t.Logf("%d programs checked, %d left out; eliminated %v", c.checked, c.left, c.eliminated)
	for _, reason := range []string{"nofuture", "lock", "join", "receive"} {
		if c.eliminated[reason] == 0 && *countFlag == 0 && !testing.Short() {
			t.Errorf("no choice was eliminated for the reason %q: the programs do not test it", reason)
		}
	}
}

var skipsFlag = flag.Bool("skips", false, "check every skipped choice, not only some")

// comparison compares searches of many programs.
type comparison struct {
	*testing.T
	checked, left, bad int
	eliminated         map[string]uint64
}

// hybrids compares searches of the program g is at, with every oracle and with some
// of their stages turned off, with what the program can do.
func (c *comparison) hybrids(g *group, seed uint64, source func() string, outcomes, races map[string]bool) {
	c.Helper()
	ok := true
	for _, x := range modes(seed) {
		var check *skipCheck
		if x.check || *skipsFlag {
			check = new(skipCheck)
		}
		got, r := g.search(c, x, check)
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
	}
	if ok {
		return
	}
	c.Logf("seed %d:\n%s", seed, numbered(source()))
	if c.bad++; c.bad > 3 {
		c.Fatal("too many differences")
	}
}

// modes returns how a program is searched: with each oracle under one explorer,
// and with stages of the strongest ones turned off, which depends on the seed.
func modes(seed uint64) []mode {
	rng := rand.New(rand.NewPCG(seed, 0x57a6e5))
	var list []mode
	jpf, full := mode{name: "jpf", run: por.JPF}, mode{name: "full", run: por.Full}
	for _, h := range []explore.Hybrid{explore.NoHybrid, explore.FieldAccess, explore.Patterns, explore.MHB, explore.FullHybrid} {
		x := jpf
		if rng.IntN(8) == 0 {
			x = full
		}
		x.h = h
		x.check = rng.IntN(4) == 0
		list = append(list, x)
	}
	// One stage off, or all but one, of each kind of oracle.
	for _, h := range []explore.Hybrid{explore.MHB, explore.FullHybrid} {
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

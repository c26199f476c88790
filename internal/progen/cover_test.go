package progen_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

var coverFlag = flag.String("covered", "", "the only explorer that TestCover compares")

// covers are the explorers that TestCover compares.
func covers() (list []*por.Explorer) {
	all := append(explorers.Exhaustive(), named("optimal-rf", explorers.With("optimal", "equivalence", "rf")))
	for _, e := range all {
		if *coverFlag == "" || *coverFlag == e.Name {
			list = append(list, e)
		}
	}
	return list
}

// TestCover: the covered code of a program is that of all executions for every exhaustive explorer and
// every kind of static facts; and coverage changes no count.
func TestCover(t *testing.T) {
	total := deep.N(2, 40)
	const perBatch = 60
	checked, compared, blocks, reached := 0, 0, 0, 0
	for first := deep.Seed(); checked < total; first += perBatch {
		var us []unit
		for i := range uint64(min(perBatch, total-checked)) {
			checked++
			switch seed := first + i; seed % 4 {
			case 0: // programs with loops that wait
				p := spinsOf(seed, seed%8 == 0)
				us = append(us, unit{p.Name, p.Source})
			case 1, 2:
				us = append(us, branching(seed))
			default:
				p := progen.Generate(seed, features)
				us = append(us, unit{p.Name, p.Source()})
			}
		}
		plain := loadGroupWith(t, us, vm.Config{VisibleOutput: true, Races: true})
		g := loadGroupCounting(t, us, vm.Config{VisibleOutput: true, Races: true}, true)
		for i, u := range us {
			n, all := compareCover(t, plain, g, i, u)
			compared += n
			for _, x := range all {
				if blocks++; x {
					reached++
				}
			}
		}
	}
	if compared == 0 || reached == 0 || reached == blocks {
		t.Errorf("%d searches compared, %d of %d blocks reached: this compares nothing", compared, reached, blocks)
	}
	t.Logf("%d searches compared, %d of %d blocks reached", compared, reached, blocks)
}

// compareCover compares the searches of program i, and returns their number and the code that all
// executions execute.
func compareCover(t *testing.T, plain, g *group, i int, u unit) (n int, all []bool) {
	const most = 4000
	full := explorers.Lookup("full")
	var contended map[string]bool
	g.in(i, func() {
		g.m.Report().ForgetCovered()
		if _, r := g.explore(t, full, vm.AwaitNever, por.Config{MaxExecutions: most, MaxSteps: 200}); len(r.Incomplete) == 0 {
			all, contended = slices.Clone(g.m.Report().Covered()), locks(g.m)
		}
	})
	for _, e := range covers() {
		for _, h := range []oracle.Kind{oracle.None, oracle.MHB, oracle.Full} {
			cfg := por.Config{MaxExecutions: most, MaxSteps: 200, MaxStates: most, Match: e.Stateful, Symmetry: e.Stateful}
			await := vm.AwaitOnce
			if e.Stateful {
				await = vm.AwaitNever
			}
			var stats [2]por.Stats
			var got []bool
			var lockings map[string]bool
			exhaustive := false
			for k, x := range []*group{plain, g} {
				x.in(i, func() {
					cfg := cfg
					if h != oracle.None {
						cfg.Oracle, cfg.AnyGoroutine = x.oracle(h, 0), true
					}
					x.m.Report().ForgetCovered()
					_, r := x.explore(t, e, await, cfg)
					stats[k], got, exhaustive = r.Stats, slices.Clone(x.m.Report().Covered()), len(r.Incomplete) == 0
					lockings = locks(x.m)
				})
			}
			// The cost of fingerprints depends on the kept regions of the heap, and coverage adds objects.
			stats[0].Hashed, stats[1].Hashed = 0, 0
			if stats[0].PeakBytes, stats[1].PeakBytes = 0, 0; !reflect.DeepEqual(stats[0], stats[1]) {
				t.Errorf("%s, %s, %s: counts are\n%+v, with coverage\n%+v\n%s", u.Name, e.Name, h, stats[0], stats[1], numbered(u.Source))
			}
			if all == nil { // too many executions: the first search that is exhaustive stands for them
				if exhaustive {
					all = got
				}
				continue
			}
			if !exhaustive {
				continue
			}
			if byClass := !e.Stateful && e.Name != "context" && e.Equivalence == ""; byClass && contended != nil && !maps.Equal(lockings, contended) {
				t.Errorf("%s, %s, %s: locks, and whether they are contended: %v, in all executions %v\n%s", u.Name, e.Name, h, lockings, contended, numbered(u.Source))
			}
			n++
			if d := differingBlocks(g, all, got); d != "" {
				t.Errorf("%s, %s, %s: executed by one of all executions and this search only:\n%s\n%s", u.Name, e.Name, h, d, numbered(u.Source))
			}
		}
	}
	return n, all
}

// branching returns a program of a few goroutines that store values and branch on what they load, with
// branches without an effect: the covered code does not show in states.
func branching(seed uint64) unit {
	r := rand.New(rand.NewPCG(seed, 0xc07e5))
	name := fmt.Sprintf("P%d", seed)
	var b strings.Builder
	line := func(depth int, format string, args ...any) {
		b.WriteString(strings.Repeat("\t", depth) + fmt.Sprintf(format, args...) + "\n")
	}
	var look func(depth int)
	look = func(depth int) {
		line(depth, "switch v[%d].Load() {", r.IntN(2))
		for k := range 3 {
			line(depth, "case %d:", k)
			if depth < 3 && r.IntN(3) == 0 {
				look(depth + 1)
			}
			if r.IntN(4) == 0 {
				line(depth+1, "v[%d].Store(%d)", r.IntN(2), r.IntN(3))
			}
		}
		line(depth, "}")
	}
	line(0, "package main\n\nimport \"sync/atomic\"\n\nfunc %s() {\n\tv := new([2]atomic.Int32)", name)
	for range 2 + r.IntN(2) {
		line(1, "go func() {")
		for range 1 + r.IntN(2) {
			switch r.IntN(3) {
			case 0:
				look(2)
			case 1:
				line(2, "v[%d].Store(%d)", r.IntN(2), r.IntN(3))
			default:
				n := r.IntN(2)
				line(2, "v[%d].Store(%d)", n, 1+r.IntN(2))
				line(2, "v[%d].Store(0)", n)
			}
		}
		line(1, "}()")
	}
	look(1)
	line(0, "}")
	return unit{name, b.String()}
}

// locks returns where locks were taken, and whether they were contended there.
func locks(m *vm.Machine) map[string]bool {
	all := make(map[string]bool)
	m.Report().EachLocked(func(stack []vm.SourceFrame, contended bool) {
		at := fmt.Sprint(stack[0].Pos.Line, stack[len(stack)-1].Pos.Line)
		all[at] = all[at] || contended
	})
	return all
}

// differingBlocks lists the blocks that are executed in one of two searches.
func differingBlocks(g *group, all, got []bool) (s string) {
	for i, b := range g.blocks {
		if all[i] != got[i] {
			s += fmt.Sprintf("  line %d, in all executions %t, here %t\n", b.First, all[i], got[i])
		}
	}
	return s
}

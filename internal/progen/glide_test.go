package progen_test

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestGlides: if every step glides over the plain accesses that follow it, all schedules together
// have the outcomes of the program, unless one of them shows a race. If two accesses can be enabled
// in one state, one of the schedules shows a race.
func TestGlides(t *testing.T) {
	const perBatch = 100
	total := deep.N(20, 600)
	clean, racy, left := 0, 0, 0
	for first := deep.Seed() + 7000; clean+racy < total; first += perBatch {
		var progs []*progen.Prog
		for i := range uint64(perBatch) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		b := loadBatch(t, progs)
		for _, p := range progs {
			want := progen.Explore(p, maxStates)
			if !want.Complete {
				left++
				continue
			}
			d := &glider{observer: newObserver(t, b.machine(t, p, vm.Config{Races: true})), left: 20_000}
			if d.descend(); d.left <= 0 {
				left++
				continue
			}
			switch {
			case d.raced:
				racy++
			case len(want.Races) > 0:
				t.Errorf("seed %d: no race is found, want %v\n%s", p.Seed, want.Races, numbered(p.Source()))
			default:
				clean++
				if diff := difference(d.outcomes, want.Outcomes); diff != "" {
					t.Errorf("seed %d: %s\n%s", p.Seed, diff, numbered(p.Source()))
				}
			}
			if clean+racy >= total {
				break
			}
		}
	}
	t.Logf("%d programs without a race, %d with one, %d left out", clean, racy, left)
	if clean < total/10 || racy < total/10 {
		t.Errorf("%d programs have no race and %d have one: too few", clean, racy)
	}
}

// A glider executes all schedules with gliding steps.
type glider struct {
	*observer
	raced bool
	left  int // steps that it may still execute
}

func (d *glider) descend() {
	enabled := d.m.Enabled(nil)
	if len(enabled) == 0 {
		d.Leaf(nil, d.m.Status())
		return
	}
	for _, g := range enabled {
		for c := range d.m.Alternatives(g) {
			if d.left--; d.left <= 0 {
				return
			}
			k := d.m.Mark()
			d.m.Glide(1000)
			d.m.Step(g, c)
			d.raced = d.raced || d.m.Raced()
			d.descend()
			d.m.Rewind(k)
			d.m.Release(k)
		}
	}
}

// TestGlidedPaths: the path of a sampled execution, in which steps glide, leads to the same state without
// gliding, where the same steps complete races.
func TestGlidedPaths(t *testing.T) {
	var progs []*progen.Prog
	seeds := deep.Seeds(t, 25, 150)
	for _, seed := range seeds {
		progs = append(progs, progen.Generate(uint64(seed), features))
	}
	b := loadBatch(t, progs)
	v := &replayed{t: t}
	for i, p := range progs {
		for _, e := range []*por.Explorer{sample.RandomExplorer(), sample.PCTExplorer(), sample.POSExplorer()} {
			v.sampled, v.again = b.machine(t, p, vm.Config{Races: true}), b.machine(t, p, vm.Config{Races: true})
			v.root = v.again.Mark()
			cfg := por.Config{MaxSteps: 40 + i%3*100, MaxExecutions: 20, Seed: uint64(i)}
			if r := e.Explore(v.sampled, v, cfg); r.MaxDepth > cfg.MaxSteps {
				t.Errorf("seed %d: %d steps, at most %d are allowed", p.Seed, r.MaxDepth, cfg.MaxSteps)
			}
			if t.Failed() {
				t.Fatalf("%s, seed %d\n%s", e.Name, p.Seed, numbered(p.Source()))
			}
		}
	}
	t.Logf("%d executions, %d races", v.leaves, v.races)
	if v.leaves == 0 || v.races == 0 {
		t.Error("nothing was compared")
	}
}

// replayed compares the paths that it receives with their steps without gliding.
type replayed struct {
	t              *testing.T
	sampled, again *vm.Machine
	root           por.Mark
	leaves, races  int
	raced          []int // steps of the execution that complete a race
}

func (v *replayed) Leaf(path trace.Schedule, st por.Status) bool {
	v.leaves++
	m := v.again
	var raced []int
	for i, a := range path {
		if !slices.Contains(m.Enabled(nil), a.G) || a.Choice >= m.Alternatives(a.G) {
			v.t.Errorf("step %d of %d: goroutine %d cannot move", i+1, len(path), a.G)
			return false
		}
		if m.Step(a.G, a.Choice); m.Raced() {
			raced = append(raced, i+1)
		}
	}
	got, want := m.Status(), st
	if got != want || m.IdentityHash(0) != v.sampled.IdentityHash(0) || !slices.Equal(raced, v.raced) {
		v.t.Errorf("after %d steps the execution is %v, in the sample %v; races after steps %v, in the sample %v", len(path), got, want, raced, v.raced)
	}
	m.Rewind(v.root)
	v.raced = v.raced[:0]
	return !v.t.Failed()
}

func (v *replayed) Raced(path trace.Schedule) bool {
	v.races++
	v.raced = append(v.raced, len(path))
	return true
}

func (*replayed) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (*replayed) Livelock(trace.Schedule, int) bool            { return true }
func (*replayed) Restart()                                     {}

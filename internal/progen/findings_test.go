package progen_test

import (
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/vm"
)

// TestFindings: most generated programs in which the full exploration finds a race have a finding
// about memory. Most of those in which it finds a deadlock or a leak have another finding. At most
// half of those without a bug have any finding. (Few programs without a bug look as odd as
// generated ones.)
func TestFindings(t *testing.T) {
	const perBatch = 40
	type count struct{ all, found int }
	var races, stuck, right count
	for list := range slices.Chunk(deep.Seeds(t, 12, 400), perBatch) {
		var progs []*progen.Prog
		for _, seed := range list {
			progs = append(progs, progen.Generate(seed, progen.Locks|progen.Groups|progen.Chans|progen.Selects))
		}
		b := loadBatch(t, progs)
		var entries []*load.Entry
		for _, p := range progs {
			e, err := b.prog.Lookup(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		a := analyze.New(b.prog, vm.NewModels(b.prog), entries)
		if !a.Solve() {
			t.Fatal("not solved")
		}
		found := map[string][]string{} // codes by file
		for _, f := range findings.Find(a.FindingConfig()) {
			if f.Confidence >= findings.Medium {
				name := b.prog.Fset.Position(f.Pos).Filename
				found[name] = append(found[name], f.Code)
			}
		}
		for i, p := range progs {
			r := progen.Explore(p, maxStates)
			waits := false
			for o := range r.Outcomes {
				waits = waits || strings.Contains(o, "|deadlock") || strings.Contains(o, "|leak")
			}
			codes := found[b.prog.Fset.Position(entries[i].Func.Pos()).Filename]
			note := func(c *count, hit bool) {
				if c.all++; hit {
					c.found++
				}
			}
			memory := func(code string) bool {
				return strings.HasPrefix(code, "HBA4") && code != "HBA405" || code == "HBA107" || code == "HBA108"
			}
			waiting := func(code string) bool { return !memory(code) }
			if len(r.Races) > 0 {
				note(&races, slices.ContainsFunc(codes, memory))
			}
			if waits {
				note(&stuck, slices.ContainsFunc(codes, waiting))
			}
			if len(r.Races) == 0 && r.Complete && !r.Endless && onlyExits(r.Outcomes) {
				if note(&right, len(codes) > 0); len(codes) > 0 {
					t.Logf("false alarm: seed %d, %v", p.Seed, codes)
				}
			}
		}
	}
	t.Logf("of %d programs with races %d are found, of %d with deadlocks or leaks %d; of %d right ones %d have a finding",
		races.all, races.found, stuck.all, stuck.found, right.all, right.found)
	if races.all < 3 || stuck.all < 3 || 10*races.found < 9*races.all || 10*stuck.found < 9*stuck.all {
		t.Error("too few are found")
	}
	if right.all > 5 && 2*right.found > right.all {
		t.Error("too many false alarms")
	}
}

// onlyExits reports whether all executions end by themselves.
func onlyExits(outcomes map[string]bool) bool {
	for o := range outcomes {
		if !strings.HasSuffix(o, "|exit") {
			return false
		}
	}
	return true
}

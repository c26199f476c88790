package vm_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// raceLog collects the races of an exploration by line, separately for the two
// ways to find them.
type raceLog struct {
	m         *vm.Machine
	coenabled map[string]bool
	clocks    map[string]bool
}

func (l *raceLog) Leaf(trace.Schedule, por.Status) bool { return true }
func (l *raceLog) Livelock(trace.Schedule, int) bool    { return true }
func (l *raceLog) Restart()                             {}

func (l *raceLog) Race(_ trace.Schedule, a, b trace.Op) bool {
	l.coenabled[pair(userLine(l.m.Stack(a.G)), userLine(l.m.Stack(b.G)))] = true
	return true
}

func (l *raceLog) Raced(trace.Schedule) bool {
	for _, r := range l.m.Races() {
		l.clocks[pair(userLine(l.m.SiteStack(r.First.Site)), userLine(l.m.SiteStack(r.Second.Site)))] = true
	}
	return true
}

// userLine is the line of the innermost frame outside the standard library.
func userLine(stack []vm.Frame) int {
	for _, f := range stack {
		if !f.Std {
			return f.Pos.Line
		}
	}
	return 0
}

func pair(a, b int) string { return fmt.Sprintf("%d-%d", min(a, b), max(a, b)) }

func keys(m map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }

// exploreRaces explores entry under every schedule.
func exploreRaces(t *testing.T, prog *load.Program, name string, cfg por.Config) *raceLog {
	t.Helper()
	e, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, e, vm.Config{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	l := &raceLog{m, map[string]bool{}, map[string]bool{}}
	r := por.Full(m, l, cfg)
	if m.CutReason() != "" {
		t.Errorf("cut: %s", m.CutReason())
	}
	t.Logf("%d executions; co-enabled: %s; clocks: %s", r.Executions+r.Truncated, keys(l.coenabled), keys(l.clocks))
	return l
}

// TestRaceEdges: one function for each edge of the memory model and for each
// order that is none.
func TestRaceEdges(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: filepath.Join("testdata", "races"), Patterns: []string{"."}, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	pkg := prog.Packages[0].SSA
	n := 0
	for _, name := range slices.Sorted(maps.Keys(pkg.Members)) {
		ok, race, apart := strings.HasPrefix(name, "ok"), strings.HasPrefix(name, "race"), strings.HasPrefix(name, "apart")
		if !ok && !race && !apart || pkg.Func(name) == nil {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			l := exploreRaces(t, prog, name, por.Config{MaxSteps: 25})
			if got := len(l.coenabled) > 0; got != race {
				t.Errorf("co-enabled races: %v", keys(l.coenabled))
			}
			if got := len(l.clocks) > 0; got != (race || apart) {
				t.Errorf("races by clocks: %v", keys(l.clocks))
			}
			for r := range l.coenabled {
				if !l.clocks[r] {
					t.Errorf("co-enabled race %s is not found by clocks on any path", r)
				}
			}
		})
	}
	if n < 50 {
		t.Errorf("only %d functions", n)
	}
}

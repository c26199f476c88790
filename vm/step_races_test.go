package vm_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// raceLog collects the races of an exploration by line, separately for the two methods.
type raceLog struct {
	m         *vm.Machine
	coenabled map[string]bool
	clocks    map[string]bool
	complete  bool
}

func (l *raceLog) Leaf(trace.Schedule, por.Status) bool { return true }
func (l *raceLog) Livelock(trace.Schedule, int) bool    { return true }
func (l *raceLog) Restart()                             {}

func (l *raceLog) Race(_ trace.Schedule, a, b trace.Op) bool {
	l.coenabled[pair(userLine(l.m.Report().Stack(a.G)), userLine(l.m.Report().Stack(b.G)))] = true
	return true
}

func (l *raceLog) Raced(trace.Schedule) bool {
	for _, r := range l.m.Report().Races() {
		l.clocks[pair(userLine(l.m.Report().SiteStack(r.First.Site)), userLine(l.m.Report().SiteStack(r.Second.Site)))] = true
	}
	return true
}

// userLine is the line of the innermost frame outside the standard library.
func userLine(stack []vm.SourceFrame) int {
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
	l := &raceLog{m: m, coenabled: map[string]bool{}, clocks: map[string]bool{}}
	r := stateful.Full(m, l, cfg)
	l.complete = len(r.Incomplete) == 0
	if m.Report().CutReason() != "" {
		t.Errorf("cut: %s", m.Report().CutReason())
	}
	t.Logf("%d executions; co-enabled: %s; clocks: %s", r.Executions+r.Truncated, keys(l.coenabled), keys(l.clocks))
	return l
}

// TestRaceEdges: one function for each edge of the memory model and for each order that is not an edge.
func TestRaceEdges(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: filepath.Join("testdata", "races"), Patterns: []string{"."}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
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

// raceProgram writes a random function: three goroutines that run straight
// through a few accesses and synchronisations.
func raceProgram(b *strings.Builder, name string, r *rand.Rand) {
	fmt.Fprintf(b, "func %s() {\n\tvar x, y int\n\tvar z [8]byte\n\tvar mu sync.Mutex\n\tvar rw sync.RWMutex\n\tvar a atomic.Int32\n\tvar wg sync.WaitGroup\n"+
		"\tc, d := make(chan int, 1), make(chan int)\n\twg.Add(2)\n", name)
	use := []string{"x = 1", "_ = x", "y = 1", "_ = y", "y++", "z[1] = 1", "z[2] = 2", "_ = z"}
	access := func() string { return use[r.IntN(len(use))] }
	stmt := func() (s string, ops int) {
		switch r.IntN(14) {
		case 0:
			return "mu.Lock()\n" + access() + "\nmu.Unlock()", 3
		case 1:
			return "rw.RLock()\n" + access() + "\nrw.RUnlock()", 3
		case 2:
			return "rw.Lock()\n" + access() + "\nrw.Unlock()", 3
		case 3:
			return "c <- 0", 1
		case 4:
			return "<-c", 1
		case 5:
			return "d <- 0", 1
		case 6:
			return "<-d", 1
		case 7:
			return "a.Store(1)", 1
		case 8:
			return "a.Load()", 1
		case 9:
			return "a.Add(1)", 1
		case 10:
			return "wg.Done()", 1
		}
		return access(), 1
	}
	body := func() (text string) {
		text = access()
		for ops := 1; ops < 4; {
			s, n := stmt()
			text += "\n" + s
			ops += n
		}
		return text
	}
	fmt.Fprintf(b, "go func() {\n%s\n}()\ngo func() {\n%s\n}()\n%s\n", body(), body(), body())
	if r.IntN(2) == 0 {
		b.WriteString("wg.Wait()\n" + access() + "\n")
	}
	b.WriteString("_, _, _, _, _, _, _, _ = &x, &y, &z, &mu, &rw, &a, c, d\n}\n\n")
}

// loadRacePrograms loads n random functions.
func loadRacePrograms(t *testing.T, n int, seed uint64) (prog *load.Program, src string) {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"sync\"\n\"sync/atomic\"\n)\n\nfunc main() {}\n\n")
	for i := range n {
		raceProgram(&b, fmt.Sprintf("p%d", i), r)
	}
	return vmtest.Load(t, b.String()), b.String()
}

// TestRaceDetectorsAgree: in straight-line programs every order that the
// machine keeps to is an edge of the memory model, or does not matter. So
// accesses race in some execution iff they are co-enabled in some state.
func TestRaceDetectorsAgree(t *testing.T) {
	n := deep.N(8, 120)
	prog, src := loadRacePrograms(t, n, 1)
	racy, complete := 0, 0
	for i := range n {
		l := exploreRaces(t, prog, fmt.Sprintf("p%d", i), por.Config{MaxExecutions: 20000})
		if !l.complete {
			continue
		}
		complete++
		if a, b := keys(l.coenabled), keys(l.clocks); a != b {
			_, text, _ := strings.Cut(src, fmt.Sprintf("func p%d()", i))
			text, _, _ = strings.Cut(text, "\nfunc ")
			t.Errorf("program at line %d: co-enabled %s, clocks %s:%s", strings.Count(src[:strings.Index(src, text)], "\n")+1, a, b, text)
		}
		if len(l.clocks) > 0 {
			racy++
		}
	}
	if complete < n/2 || racy < complete/4 || racy > complete*19/20 {
		t.Errorf("%d of %d programs are small enough, of which %d race", complete, n, racy)
	}
}

// TestRaceRewind: the findings of clocks do not depend on the marks and rewinds before a state is reached.
func TestRaceRewind(t *testing.T) {
	const n = 25
	prog, _ := loadRacePrograms(t, n, 2)
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		e, err := prog.Lookup(fmt.Sprintf("p%d", i))
		if err != nil {
			t.Fatal(err)
		}
		machine := func() *vm.Machine {
			m, err := vm.New(prog, e, vm.Config{Races: true})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m := machine()
		step := func(m *vm.Machine, a trace.Step) string {
			m.Step(a.G, a.Choice)
			s := ""
			for _, r := range m.Report().Races() {
				s += fmt.Sprintf("%d %d %v %d-%d\n", r.Off, r.First.G, r.First.Kind, userLine(m.Report().SiteStack(r.First.Site)), userLine(m.Report().SiteStack(r.Second.Site)))
			}
			return s
		}
		var path trace.Schedule
		var found []string
		type point struct {
			mark por.Mark
			n    int
		}
		var marks []point
		for range 200 {
			gs := m.Enabled(nil)
			switch op := r.IntN(6); {
			case op == 0:
				marks = append(marks, point{m.Mark(), len(path)})
			case len(marks) > 0 && (op == 1 || len(gs) == 0):
				k := r.IntN(len(marks))
				m.Rewind(marks[k].mark)
				path, found = path[:marks[k].n], found[:marks[k].n]
				marks = marks[:k+1]
			case op == 2 && len(marks) > 0:
				k := len(marks) - 1
				m.Release(marks[k].mark)
				marks = marks[:k]
			case len(gs) > 0:
				g := gs[r.IntN(len(gs))]
				a := trace.Step{G: g, Choice: r.IntN(m.Alternatives(g))}
				path = append(path, a)
				found = append(found, step(m, a))
			}
		}
		fresh := machine()
		for k, a := range path {
			if got := step(fresh, a); got != found[k] {
				t.Fatalf("p%d step %d of %v: with rewinding %q, without %q", i, k, path, found[k], got)
			}
		}
	}
}

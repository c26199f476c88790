package selection_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

const pairsTest = `package p

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

type entry struct{ name string; err error; f func() int }

var (
	n     int
	a     atomic.Int32
	mu    sync.Mutex
	count int
	cache = map[string]int{}
	ptr   = new(int)
	names = []string{"x", "y"}
	errX  = errors.New("x")
	table = []entry{{"x", errX, nil}}
	hook  = func() { n++ }
)

func inc() { n++ }
func setup(t *testing.T) { t.Helper(); t.Parallel() }
func out(s string) { os.Stdout.WriteString(s) }
func get(m map[string]int) int { return m["x"] }

func TestRace1(t *testing.T) { t.Parallel(); inc() }
func TestRace2(t *testing.T) { setup(t); hook() }
func TestAlone(t *testing.T) { inc() }
func TestSub(t *testing.T) { t.Run("s", func(t *testing.T) { t.Parallel(); inc() }) }

func TestStores(t *testing.T) { t.Parallel(); a.Store(1) }
func TestLoads(t *testing.T) { t.Parallel(); if a.Load() == 1 { out("1") } }

func TestLocks1(t *testing.T) { t.Parallel(); mu.Lock(); count++; out("a"); mu.Unlock() }
func TestLocks2(t *testing.T) {
	t.Parallel()
	t.Run("s", func(t *testing.T) { mu.Lock(); count++; out("b"); mu.Unlock() })
}

func TestMapWrites(t *testing.T) { t.Parallel(); cache["x"] = 1 }
func TestMapReads(t *testing.T) { t.Parallel(); _ = cache["y"] }
func TestMapEscapes(t *testing.T) { t.Parallel(); get(cache) }

func TestPointer1(t *testing.T) { t.Parallel(); *ptr = 1 }
func TestPointer2(t *testing.T) { t.Parallel(); _ = *ptr }

func TestReads1(t *testing.T) {
	t.Parallel()
	for _, e := range table {
		if e.err != errX || len(names) != 2 || names[0] != "x" {
			t.Error(e.name)
		}
	}
}
func TestReads2(t *testing.T) { t.Parallel(); for _, e := range table { _ = errors.Is(e.err, errX) }; _ = names[1] }
`

// TestPairs: two parallel tests that share memory which one of them may change are explored
// together.
func TestPairs(t *testing.T) {
	for _, testMain := range []string{"", "func TestMain(m *testing.M) { os.Exit(m.Run()) }\n"} {
		prog := loadFiles(t, map[string]string{"go.mod": "module p\n\ngo 1.26\n", "x_test.go": pairsTest + testMain})
		var got []string
		pairs := make(map[string]*load.Entry)
		for _, e := range prog.Together() {
			got = append(got, e.Name)
			pairs[e.Name] = e
			if found, err := prog.Lookup(e.String()); found != e || err != nil {
				t.Errorf("Lookup(%s): %v, %v", e, found, err)
			}
		}
		want := []string{"TestRace1+TestRace2", "TestStores+TestLoads", "TestLocks1+TestLocks2",
			"TestMapWrites+TestMapReads", "TestMapWrites+TestMapEscapes", "TestMapReads+TestMapEscapes", "TestPointer1+TestPointer2"}
		if !slices.Equal(got, want) {
			t.Fatalf("pairs %v, want %v", got, want)
		}
		for name, want := range map[string]struct {
			bug      bug.Kind
			outcomes []string
		}{
			"TestRace1+TestRace2":         {bug.Race, []string{""}},
			"TestStores+TestLoads":        {0, []string{"", "1"}},
			"TestLocks1+TestLocks2":       {0, []string{"ab", "ba"}},
			"TestMapWrites+TestMapReads":  {bug.Race, nil},
			"TestMapReads+TestMapEscapes": {0, []string{""}},
			"TestPointer1+TestPointer2":   {bug.Race, []string{""}},
		} {
			e := explore.Entry{Package: "p", Name: name, New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, pairs[name], vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
			}}
			for i, por := range []string{"full", "jpf", "optimal", "source"} {
				if !deep.Every(8, i+len(name)) {
					continue
				}
				for _, h := range []oracle.Kind{oracle.None, oracle.MHB} {
					p := explorers.Lookup(por)
					opts := explore.Options{POR: p, Match: p.Stateful, Hybrid: h, All: true, Outcomes: true, NoMinimise: true}
					r, err := explore.Run(t.Context(), e, opts)
					if err != nil {
						t.Fatal(err)
					}
					var kinds []bug.Kind
					for _, b := range r.Bugs {
						kinds = append(kinds, b.Kind)
					}
					if (want.bug != 0) != slices.Contains(kinds, want.bug) || want.bug == 0 && len(kinds) > 0 {
						t.Errorf("%s, %s, hybrid %s: bugs %v, want %v", name, por, h, kinds, want.bug)
					}
					set := make(map[string]bool)
					for _, o := range r.Outcomes {
						set[o.Output] = true
					}
					for _, o := range want.outcomes {
						if !set[o] || len(set) != len(want.outcomes) {
							t.Errorf("%s, %s, hybrid %s: outcomes %v, want %v", name, por, h, set, want.outcomes)
						}
					}
				}
			}
		}
	}
}

// TestPairsAreFew: of a package with many pairs only a few are explored, and these can be selected.
func TestPairsAreFew(t *testing.T) {
	src := "package p\n\nimport \"testing\"\n\nvar n int\n"
	for i := range 6 {
		src += strings.ReplaceAll("\nfunc Test#(t *testing.T) { t.Parallel(); n++ }\n", "#", string(rune('A'+i)))
	}
	prog := loadFiles(t, map[string]string{"go.mod": "module p\n\ngo 1.26\n", "x_test.go": src})
	for pattern, want := range map[string][2]int{"": {8, 7}, `^TestE\+TestF$`: {1, 0}, `TestA\+`: {5, 0},
		"TestA": {0, 0}, "F$": {0, 0}, "Test[AB]$": {1, 0}} {
		sel := selection.Options{}
		if pattern != "" {
			f, err := selection.ParseFilter(pattern)
			if err != nil {
				t.Fatal(err)
			}
			sel.Run = f
		}
		pairs, left := selection.Pairs(prog, sel)
		for _, e := range pairs {
			if name := e.Beside.Name + "/sub"; !selection.SelectedIn(e, sel.Run, sel.Skip, name) {
				t.Errorf("%q: %s is selected without %s", pattern, e.Name, name)
			}
		}
		if got := [2]int{len(pairs), left["p"]}; got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
		entries, err := selection.Select(prog, sel, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, e := range entries {
			if len(e.Together) == 2 {
				n++
			} else if n > 0 {
				t.Errorf("%q: %s, entry %d, comes after a pair", pattern, e.Name, i)
			}
		}
		if n != want[0] {
			t.Errorf("%q: %d pairs are selected, want %d", pattern, n, want[0])
		}
	}
}

// loadFiles loads the package that consists of files.
func loadFiles(t *testing.T, files map[string]string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

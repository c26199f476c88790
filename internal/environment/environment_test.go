// Package environment tests the behaviour that the environment of a program decides. Every explorer
// explores it in the same way, the output of a compiled program is among the outcomes, and the
// verdict names the behaviour that is not explored.
package environment

import (
	"context"
	"fmt"
	"go/build"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// cache has the data that programs share.
var cache load.Cache

// loadDir loads the package in dir.
func loadDir(t *testing.T, dir string) *load.Program {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// A how is a way to explore an entry.
type how struct {
	por    string
	hybrid oracle.Kind
	match  bool
	jobs   int
}

func (h how) String() string {
	return fmt.Sprintf("--por=%s --hybrid=%s match %v, %d workers", h.por, h.hybrid, h.match, h.jobs)
}

// Several workers have something to do in small searches, too.
func init() {
	stateful.Rounds = stateful.RoundSizes{From: 30, Work: 16, More: 1 << 12, Each: 8, Check: 64}
}

var reference = how{"full", oracle.None, true, 1}

// others returns the ways whose results are compared with the reference.
func others(short bool) []how {
	list := []how{
		{"jpf", oracle.MHB, true, 1}, {"optimal", oracle.None, false, 1}, {"source", oracle.None, false, 1},
		{"full", oracle.None, false, 1}, {"jpf", oracle.None, true, 2}, {"jpf", oracle.FieldAccess, true, 2}, {"jpf", oracle.Full, true, 1},
		{"optimal", oracle.MHB, false, 2}, {"context", oracle.None, false, 1}, {"clockvector", oracle.None, false, 1}, {"graph", oracle.None, false, 1},
	}
	if short {
		return list[:3]
	}
	return list
}

// explored is the result of exploring an entry.
type explored struct {
	outcomes map[string]bool // the output, and the ending
	result   *explore.Result
}

func exploreEntry(t *testing.T, prog *load.Program, e *load.Entry, cfg vm.Config, h how) explored {
	t.Helper()
	return exploreWithin(t, prog, e, cfg, h, 0)
}

// exploreWithin is exploreEntry with at most most executions and states; 0: any number.
func exploreWithin(t *testing.T, prog *load.Program, e *load.Entry, cfg vm.Config, h how, most uint64) explored {
	t.Helper()
	cfg.VisibleOutput, cfg.Races = true, true
	r, err := explore.Run(context.Background(), explore.Entry{Package: e.Path, Name: e.Name, New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, cfg)
	}}, explore.Options{POR: explorers.Lookup(h.por), Hybrid: h.hybrid, Match: h.match, Symmetry: h.por == "jpf", All: true, Outcomes: true, NoMinimise: true, MaxSteps: 5000, MaxExecs: most, MaxStates: most, Jobs: h.jobs})
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	x := explored{outcomes: map[string]bool{}, result: r}
	for _, o := range r.Outcomes {
		x.outcomes[strings.TrimSpace(o.Output+" "+o.Ending)] = true
	}
	return x
}

// complete reports whether no bound has ended the search.
func (x explored) complete() bool {
	return !slices.ContainsFunc(x.result.Incomplete, func(r explore.Reason) bool { return r.Cause != explore.CauseAssumed })
}

// assumed lists the assumptions that the verdict names, without places.
func (x explored) assumed() string {
	var list []string
	for _, a := range x.result.Assumed {
		a.Pos.Filename, a.Pos.Line = "", 0
		if s := strings.ReplaceAll(report.Assumption(a), " at  ", " "); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, "; ")
}

func lines(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), "\n") }

// native builds the package in dir and returns its outputs in n runs. A run that does not end is
// the last one.
func native(t *testing.T, dir string, n int) map[string]bool {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "exe")
	c := exec.Command("go", "build", "-o", exe, ".")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	set := map[string]bool{}
	for i := range n {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		c := exec.CommandContext(ctx, exe)
		c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", 1+i%4))
		out, err := c.Output()
		waits := ctx.Err() != nil
		cancel()
		if waits { // for a signal
			return set
		}
		end := "exit 0"
		if x, ok := err.(*exec.ExitError); ok {
			text, _, _ := strings.Cut(string(x.Stderr), "\n")
			if end = fmt.Sprintf("exit %d", x.ExitCode()); strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
				end, _, _ = strings.Cut(text, " [recovered")
			}
		} else if err != nil {
			t.Fatal(err)
		}
		set[strings.TrimSpace(string(out)+" "+end)] = true
	}
	return set
}

// TestPrograms: each program of testdata/programs has the same outcomes with every explorer, and the
// verdict names what its first line says. Only those that panic have a bug. Unless the verdict assumes one
// of several possibilities, the outputs of the compiled program are among the outcomes.
func TestPrograms(t *testing.T) {
	dirs, err := filepath.Glob("testdata/programs/*/main.go")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d programs: %v", len(dirs), err)
	}
	for i, file := range dirs {
		if !deep.Every(8, i) {
			continue
		}
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := strings.Cut(string(text), "\n")
			want, ok := strings.CutPrefix(want, "// assumed: ")
			if !ok {
				t.Fatal("the first line does not say what is assumed")
			}
			if strings.Contains(string(text), "//go:debug asynctimerchan") && slices.Contains(build.Default.ReleaseTags, "go1.27") {
				t.Skip("Go 1.27 has this setting no more")
			}
			prog := loadDir(t, dir)
			e := prog.Entries[0]
			ref := exploreEntry(t, prog, e, vm.Config{}, reference)
			if got := ref.assumed(); got != strings.TrimSuffix(want, "nothing") {
				t.Errorf("assumed %q, want %q", got, want)
			}
			for _, r := range ref.result.Incomplete {
				if r.Cause != explore.CauseAssumed {
					t.Errorf("incomplete: %+v", r)
				}
			}
			for _, h := range others(!*every && !deep.On()) {
				if x := exploreEntry(t, prog, e, vm.Config{}, h); lines(x.outcomes) != lines(ref.outcomes) || x.assumed() != ref.assumed() {
					t.Errorf("%v has\n%s\nassumed %s\nwant\n%s\nassumed %s", h, lines(x.outcomes), x.assumed(), lines(ref.outcomes), ref.assumed())
				}
			}
			if panics := strings.Contains(string(text), "panic("); panics != (len(ref.result.Bugs) > 0) {
				t.Errorf("%d bugs", len(ref.result.Bugs))
			}
			if deep.Quick() && i%16 > 0 {
				return
			}
			runs := deep.Pick(5, 20)
			if *every || deep.On() {
				runs = 200
			}
			for out := range native(t, dir, runs) {
				if !ref.outcomes[out] && !strings.Contains(want, "one") {
					t.Errorf("the compiled program has %q, here there are only\n%s", out, lines(ref.outcomes))
				}
			}
		})
	}
}

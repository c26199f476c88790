// Package racetest runs the programs with which the Go distribution tests its
// race detector: every test function says in its name whether it has a race.
package racetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// files are those of runtime/race/testdata whose functions must all be judged
// correctly: issue 2 demands the first line. The others there need net/http or
// packages that are internal to the distribution.
var files = []string{
	"mop_test.go", "chan_test.go", "mutex_test.go", "select_test.go", "waitgroup_test.go", "atomic_test.go",
	"comp_test.go", "finalizer_test.go", "issue12225_test.go", "issue12664_test.go", "issue13264_test.go", "map_test.go", "pool_test.go",
	"rangefunc_test.go", "reflect_test.go", "regression_test.go", "rwmutex_test.go", "slice_test.go", "sync_test.go", "time_test.go",
}

// maxTransitions bounds the exploration of one function.
const maxTransitions = 200_000

// wrong lists the functions judged wrongly, with the reason.
var wrong = map[string]string{
	"TestRaceBetweenCleanups":   "cleanups do not run",
	"TestRaceRangeFuncIterator": "skips itself",
}

// loadTests loads the test files with those names from the Go distribution.
func loadTests(t *testing.T, names []string) *load.Program {
	goroot := vmtest.GOROOT(t)
	src := filepath.Join(goroot, "src", "runtime", "race", "testdata")
	if _, err := os.Stat(src); err != nil {
		t.Skipf("the Go distribution at %s has no tests of its race detector", goroot)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			t.Fatal(err)
		}
		// The race detector's switch has nothing to switch here.
		text = bytes.ReplaceAll(text, []byte("runtime.RaceDisable()"), []byte("runtime.Gosched()"))
		// An initialiser starts a goroutine that reads a variable in a statement that gc removes (_ = l):
		// each function would have that race.
		text = bytes.ReplaceAll(text, []byte("var _ LogImpl = NewLog()\n"), nil)
		write(name, text)
	}
	write("go.mod", []byte("module race\n\ngo 1.26\n"))
	t.Chdir(dir) // as go test does: some read their own source
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: vmtest.Implicit, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// verdict is the result of exploring a function.
type verdict struct {
	por.Result
	m       *vm.Machine
	races   []string
	trouble []string // panics, unsupported operations
}

func (v *verdict) Leaf(path trace.Schedule, st por.Status) bool {
	if f := v.m.Report().Fault(); f != nil {
		v.note("%s at %s", f.Text(), f.Pos)
	}
	if f := v.m.Report().Failure(); f != nil {
		v.note("failed: %s at %s", f.Message, f.Pos)
	}
	if st == por.Cut {
		v.note("%s", v.m.Report().CutReason())
	}
	if st == por.Stuck {
		v.note("stuck")
	}
	return true
}

func (v *verdict) note(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, t := range v.trouble {
		if s == t {
			return
		}
	}
	v.trouble = append(v.trouble, s)
}

func (v *verdict) Race(path trace.Schedule, a, b trace.Op) bool {
	v.races = append(v.races, fmt.Sprintf("%s %s - %s %s", a.Kind, v.m.Report().Pos(a), b.Kind, v.m.Report().Pos(b)))
	return false
}

// Raced implements por.RaceVisitor: the machine's clocks have found a race.
func (v *verdict) Raced(path trace.Schedule) bool {
	for _, r := range v.m.Report().Races() {
		v.races = append(v.races, fmt.Sprintf("%+v", r))
	}
	return false
}

func (v *verdict) Livelock(path trace.Schedule, loop int) bool { return true }

func (v *verdict) Restart() {}

func judge(t *testing.T, prog *load.Program, e *load.Entry) *verdict {
	// Two files rely on timing.
	file := filepath.Base(prog.Fset.Position(e.Pos).Filename)
	m, err := vm.New(prog, e, vm.Config{Races: true, OrderedTime: file == "time_test.go" || file == "pool_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	v := &verdict{m: m}
	cfg := por.Config{Match: true, MaxMemory: 1 << 30, Poll: func(p por.Progress) string {
		if p.Transitions > maxTransitions {
			return "too many transitions"
		}
		return ""
	}}
	v.Result = stateful.JPF(m, v, cfg)
	return v
}

func TestRaceDetector(t *testing.T) {
	prog := loadTests(t, files)
	right := 0
	for i, e := range prog.Entries {
		if !deep.Every(4, i) {
			continue
		}
		racy := strings.HasPrefix(e.Name, "TestRace")
		if !racy && !strings.HasPrefix(e.Name, "TestNoRace") {
			continue // a benchmark, or known to be misjudged by the race detector itself
		}
		t.Run(e.Name, func(t *testing.T) {
			v := judge(t, prog, e)
			ok := racy == (len(v.races) > 0)
			if ok {
				right++
			}
			reason, known := wrong[e.Name]
			if ok == known || testing.Verbose() {
				t.Logf("%d transitions, incomplete %v, %v\n%s", v.Transitions, v.Incomplete, v.trouble, strings.Join(v.races, "\n"))
			}
			switch {
			case ok && known:
				t.Errorf("is judged correctly now: %s", reason)
			case !ok && !known && racy:
				t.Error("race not found")
			case !ok && !known:
				t.Error("race reported though there is none")
			}
		})
	}
	t.Logf("%d functions judged correctly", right)
}

// Package microtest explores small programs, each about one condition under
// which a scheduling choice is or is not needed, with and without the oracles
// that skip choices.
//
// The output of a program depends on the order of its steps, so a choice that is
// skipped wrongly loses an outcome.
package microtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Program is the body of a function without parameters.
type Program = struct {
	Name string
	// Want lists reasons that must have eliminated choices. A reason with a minus sign must not
	// have eliminated any. Reasons after "name:" are for the oracle of that name only.
	Want string
	Body string
}

// harness is package hbtest, for programs that use it. The machine replaces its functions.
const harness = "package hbtest\n\nfunc Choose(n int) int { return 0 }\n"

// head has the declarations for all programs.
const head = `package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var ticks atomic.Int32

var _ time.Duration

// noise starts a goroutine that can always continue and touches nothing of interest.
// No rule skips the choices before its operations.
func noise(wg *sync.WaitGroup) { wg.Go(func() { runtime.Gosched(); runtime.Gosched() }) }

// say prints small numbers without package os.
func say(vals ...int) {
	var b []byte
	for _, v := range vals {
		b = append(b, ' ', byte('0'+v/10%10), byte('0'+v%10))
	}
	syscall.Write(1, b)
}

func main() {}
`

// Walks is oracle.Full without look-ahead, so that walks have to answer.
const Walks oracle.Kind = "walks"

// A Suite is a number of programs.
type Suite struct {
	prog     *load.Program
	programs []Program
}

// Load loads the programs as one package, with the declarations decls, and
// perhaps imports, which come first.
func Load(t testing.TB, imports, decls string, programs []Program) *Suite {
	t.Helper()
	dir := t.TempDir()
	src := strings.Replace(head, "import (\n", "import (\n"+imports, 1) + decls
	for _, p := range programs {
		src += fmt.Sprintf("\nfunc %s() {%s\n}\n", p.Name, p.Body)
	}
	// The module has hbcheck's own path, for package hbtest.
	if err := os.Mkdir(filepath.Join(dir, "hbtest"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":           "module hbcheck.dev/hbcheck\n\ngo 1.26\n",
		"main.go":          src,
		"hbtest/choose.go": harness,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	return &Suite{prog, programs}
}

// Each runs f as a subtest for each program.
func (s *Suite) Each(t *testing.T, f func(t *testing.T, p Program, e *load.Entry)) {
	for i, p := range s.programs {
		if !deep.Every(4, i) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			e, err := s.prog.Lookup(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			f(t, p, e)
		})
	}
}

// Explore returns the outcomes of e, its output and ends, and checks all static facts of the oracle h.
func (s *Suite) Explore(t *testing.T, e *load.Entry, h oracle.Kind, run func(por.System, por.Visitor, por.Config) por.Result) (map[string]bool, por.Result) {
	t.Helper()
	return Explore(t, s.prog, e, h, run)
}

// Explore is Suite.Explore for any program.
func Explore(t *testing.T, prog *load.Program, e *load.Entry, h oracle.Kind, run func(por.System, por.Visitor, por.Config) por.Result) (map[string]bool, por.Result) {
	t.Helper()
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, MaxStack: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	cfg := por.Config{Match: true}
	var sys por.System = m
	var checked *check.Machine
	if h != oracle.None {
		var o por.Oracle
		if h == Walks {
			o = oracle.New(m, prog, e, oracle.Full).(*lookahead.Oracle).Fallback()
		} else {
			o = oracle.New(m, prog, e, h)
		}
		cfg.AnyGoroutine = true
		checked = check.NewMachine(m, prog, e, o)
		cfg.Oracle, sys = checked.Oracle(o), checked
	}
	v := &ends{m: m, set: map[string]bool{}}
	r := run(sys, v, cfg)
	if checked != nil {
		if err := checked.Err(); err != nil {
			t.Errorf("hybrid %s: %v", h, err)
		}
		t.Logf("hybrid %s: %+v", h, checked.Counts)
	}
	if len(r.Incomplete) > 0 {
		t.Errorf("hybrid %s: incomplete: %v", h, r.Incomplete)
	}
	return v.set, r
}

// Same compares outcomes with those of a full search.
func Same(t *testing.T, h oracle.Kind, got, all map[string]bool) {
	t.Helper()
	if !maps.Equal(got, all) {
		t.Errorf("hybrid %s: outcomes %v, want %v", h, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(all)))
	}
}

// Reasons compares the reasons for which choices were eliminated with the wanted ones of a
// program for the oracle h. A reason in alike cannot be distinguished from a wanted one, and counts as
// wanted, too.
func Reasons(t *testing.T, h oracle.Kind, r por.Result, wants string, alike ...string) {
	t.Helper()
	for _, want := range strings.Fields(wants) {
		if only, reason, ok := strings.Cut(want, ":"); ok {
			if oracle.Kind(only) != h {
				continue
			}
			want = reason
		}
		reason, not := strings.CutPrefix(want, "-")
		n := r.Eliminated[reason]
		if !not {
			for _, x := range alike {
				n += r.Eliminated[x]
			}
		}
		if (n == 0) != not {
			t.Errorf("hybrid %s: %d choices eliminated for the reason %q, want %s: %v", h, n, reason, map[bool]string{true: "none", false: "some"}[not], r.Eliminated)
		}
	}
}

// ends collects the ends of executions.
type ends struct {
	m   *vm.Machine
	set map[string]bool
}

// Leaf implements por.Visitor.
func (v *ends) Leaf(_ trace.Schedule, st por.Status) bool {
	s := fmt.Sprintf("%d %q", st, v.m.Report().Output(1))
	if f := v.m.Report().Fault(); f != nil {
		s += " " + f.Message
	}
	v.set[s] = true
	return true
}

// Race implements por.Visitor.
func (v *ends) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }

// Livelock implements por.Visitor.
func (v *ends) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor. The findings remain.
func (v *ends) Restart() {}

// Package leaktest explores the programs with which the Go distribution tests
// its profile of leaked goroutines: 14 small ones, common patterns, and the
// concurrency bugs of real programs collected by GoBench (GoKer).
package leaktest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// maxTransitions bounds each search for the leaks of one program.
const maxTransitions = 100_000

// maxPreempt is the largest number of preemptions tried before any number is allowed.
const maxPreempt = 3

// missed lists the programs some of whose leaks are not found, with the reason.
var missed = map[string]string{
	"Moby27782": "has no leak: Close needs the lock that readLogs holds until it ends, so nobody waits when it closes the log " +
		"watcher; this search is exhaustive, and the real profile has not shown one in five runs of 10000 rounds each",
}

// bugNeedsTwo maps the files in which a loop must run twice to the text of the loop with two rounds.
var bugNeedsTwo = map[string][2]string{
	"grpc3017.go": {"for i := 0; i < 10000; i++ {", "for i := 0; i < 2; i++ {"},
	"hugo3251.go": {"for i := 0; i < 100; i++ {", "for i := 0; i < 2; i++ {"},
}

// A program is one function of the test programs with the sites of its leaks:
// patterns for the function of a goroutine's go statement and for the event for which it waits.
type program struct {
	name  string
	leaks []*regexp.Regexp
}

// expectations reads the programs and their leaks from the Go distribution's test.
func expectations(t *testing.T) (small, goker []program) {
	t.Helper()
	goroot := vmtest.GOROOT(t)
	file := filepath.Join(goroot, "src", "runtime", "goroutineleakprofile_test.go")
	if _, err := os.Stat(file); err != nil {
		t.Skipf("the Go distribution at %s has no tests of leaked goroutines", goroot)
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := &small
	ast.Inspect(tree, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && len(as.Lhs) == 1 {
			if id, ok := as.Lhs[0].(*ast.Ident); ok && id.Name == "gokerTestCases" {
				list = &goker
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "makeTest" && fn.Name != "makeFlakyTest" {
			return true
		}
		var p program
		for i, a := range call.Args {
			s, err := strconv.Unquote(a.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				p.name = s
			} else {
				p.leaks = append(p.leaks, regexp.MustCompile(s))
			}
		}
		*list = append(*list, p)
		return false
	})
	return small, goker
}

// repeated matches the loops that make a rare schedule likely: exploring needs
// one round.
var repeated = regexp.MustCompile(`for (.) := 0; . <(=?) \d{2,}; .\+\+ {`)

// loadPrograms loads the programs in dir below the Go distribution's.
func loadPrograms(t *testing.T, dir string) *load.Program {
	t.Helper()
	src := filepath.Join(vmtest.GOROOT(t), "src", "runtime", "testdata", "testgoroutineleakprofile", dir)
	names, err := filepath.Glob(filepath.Join(src, "*.go"))
	if err != nil || len(names) == 0 {
		t.Skipf("there are no programs in %s", src)
	}
	tmp := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tmp, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tmp, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if two, ok := bugNeedsTwo[filepath.Base(name)]; ok {
			text = strings.Replace(text, two[0], two[1], 1)
		}
		text = repeated.ReplaceAllString(text, "for $1 := range 1 { _ = $1")
		// There is nothing to wait for and nothing to profile.
		text = strings.ReplaceAll(text, "const yieldCount = 10", "const yieldCount = 0")
		// The profile shows who waits before the exit.
		text = strings.ReplaceAll(text, "os.Exit(0)", "")
		text = strings.ReplaceAll(text, `"runtime/pprof"`, `"leaks/pprof"`)
		write(filepath.Base(name), text)
	}
	write("go.mod", "module leaks\n\ngo 1.26\n")
	write("pprof/pprof.go", `package pprof

import "io"

type Profile struct{}

func Lookup(string) *Profile { return nil }

func (*Profile) WriteTo(io.Writer, int) error { return nil }
`)
	prog, err := load.Load(load.Config{Dir: tmp, Patterns: []string{"."}, Implicit: vmtest.Implicit, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// search collects the sites of leaked goroutines.
type search struct {
	m       *vm.Machine
	want    []*regexp.Regexp
	found   []bool
	sites   map[string]bool
	trouble map[string]bool
}

func (s *search) Leaf(path trace.Schedule, st por.Status) bool {
	if f := s.m.Report().Fault(); f != nil {
		s.trouble[f.Text()] = true
	}
	if st == por.Cut {
		s.trouble[s.m.Report().CutReason()] = true
	}
	if st != por.Stuck {
		return true
	}
	for _, g := range s.m.Report().Goroutines() {
		if g.System || len(g.Stack) == 0 {
			continue
		}
		site := strings.TrimPrefix(g.Stack[len(g.Stack)-1].Func, "main.") + "(...) [" + g.Wait + "]"
		if s.sites[site] {
			continue
		}
		s.sites[site] = true
		for i, re := range s.want {
			s.found[i] = s.found[i] || re.MatchString(site)
		}
	}
	return slices.Contains(s.found, false)
}

func (s *search) Race(path trace.Schedule, a, b trace.Op) bool { return true }

func (s *search) Livelock(path trace.Schedule, loop int) bool { return true }

func (s *search) Restart() {}

// explore searches for the leaks of p, with few preemptions first.
func explore(t *testing.T, prog *load.Program, p program) *search {
	m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"leaks", p.name}})
	if err != nil {
		t.Fatal(err)
	}
	s := &search{m: m, want: p.leaks, found: make([]bool, len(p.leaks)), sites: map[string]bool{}, trouble: map[string]bool{}}
	total := uint64(0)
	for preempt := 0; preempt <= maxPreempt+1 && slices.Contains(s.found, false); preempt++ {
		r := stateful.JPF(m, s, por.Config{Match: true, MaxMemory: 1 << 30, LimitPreempt: preempt <= maxPreempt, Preempt: preempt, MaxSteps: 5000,
			Poll: func(p por.Progress) string {
				if p.Transitions > maxTransitions {
					return "too many transitions"
				}
				return ""
			}})
		total += r.Transitions
		if preempt > maxPreempt {
			t.Logf("incomplete: %v", r.Incomplete)
		}
	}
	t.Logf("%d transitions", total)
	return s
}

func TestLeaks(t *testing.T) {
	small, goker := expectations(t)
	complete, all := 0, 0
	for _, set := range []struct {
		dir      string
		programs []program
	}{{".", small}, {"goker", goker}} {
		prog := loadPrograms(t, set.dir)
		for _, p := range set.programs {
			all++
			t.Run(p.name, func(t *testing.T) {
				s := explore(t, prog, p)
				var missing []string
				for i, ok := range s.found {
					if !ok {
						missing = append(missing, p.leaks[i].String())
					}
				}
				reason, known := missed[p.name]
				if len(missing) == 0 {
					complete++
				}
				if (len(missing) > 0) != known || testing.Verbose() {
					t.Logf("found %s\n%s", keys(s.sites), keys(s.trouble))
				}
				switch {
				case len(missing) == 0 && known:
					t.Errorf("all leaks are found now: %s", reason)
				case len(missing) > 0 && !known:
					t.Errorf("not found: %s", strings.Join(missing, ", "))
				}
			})
		}
	}
	t.Logf("all leaks found in %d of %d programs", complete, all)
}

func keys(m map[string]bool) string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return fmt.Sprintf("%q", list)
}

package progen_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/internal/yielding"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var everyFlag = flag.Bool("every", false, "TestLibrary explores with every explorer and every kind of static facts, instead of a part of these")

// knownLibrary are programs that have failed, in short form. Of the first one, graph lost the
// executions in which the second Add comes first: it commutes with the other Add, but not with the
// arrival at Wait.
var knownLibrary = []progen.LibraryProgram{
	{Name: "PknownGroup", Families: []string{"group"}, Source: `package main

import (
	"sync"
	"sync/atomic"
)

func PknownGroup() {
	var x atomic.Int32
	var wg sync.WaitGroup
	var m record
	go func() {
		wg.Add(1)
		x.Add(1)
		wg.Done()
	}()
	m.note(x.Load())
	wg.Add(1)
	go func() { wg.Done() }()
	wg.Wait()
	say(&m)
}
`},
}

// TestLibrary: programs that call library functions on shared objects have the same outcomes and races with
// every explorer and all static facts, and these include the native outcomes.
func TestLibrary(t *testing.T) {
	const perBatch = 60
	seeds := deep.Seeds(t, 3, 60)
	c := &libraryComparison{T: t, every: *everyFlag}
	if !deep.Counted() {
		var list []libraryProgram
		for _, p := range knownLibrary {
			list = append(list, libraryProgram{0, p})
		}
		known := &libraryComparison{T: t, every: true}
		known.batch(list, false)
	}
	for list := range slices.Chunk(seeds, perBatch) {
		// Tests have another entry.
		var tests, others []libraryProgram
		for _, seed := range list {
			p := libraryProgram{seed, progen.Library(fmt.Sprintf("P%d", seed), seed)}
			if p.Test {
				tests = append(tests, p)
			} else {
				others = append(others, p)
			}
		}
		c.batch(others, false)
		c.batch(tests, true)
	}
	t.Logf("%d programs checked, %d left out, %d with races, %d searches not exhaustive; %d outcomes, of which native runs had %d",
		c.checked, c.left, c.racy, c.large, c.outcomes, c.seen)
}

type libraryProgram struct {
	seed uint64
	progen.LibraryProgram
}

// A libraryComparison compares the outcomes of programs.
type libraryComparison struct {
	*testing.T
	every                           bool // explorers with all static facts
	checked, left, racy, large, bad int
	outcomes, seen                  int // of programs without races
}

// batch compares programs; either all of them are tests, or none is.
func (c *libraryComparison) batch(list []libraryProgram, tests bool) {
	if len(list) == 0 {
		return
	}
	g := loadLibrary(c, list, tests)
	var native *nativeLibrary
	if !deep.Quick() {
		native = buildLibrary(c.T, list, tests)
	}
	for i, p := range list {
		var want *libraryEnds
		g.in(i, func() { want = c.explore(g, p) })
		if want == nil {
			continue
		}
		if len(want.races) > 0 {
			c.racy++ // then it can do more than any interleaving
			continue
		}
		c.outcomes += len(want.outcomes)
		if native == nil {
			continue
		}
		for _, o := range native.outcomes(p) {
			if want.outcomes[o] || want.explains(o) {
				c.seen++
				continue
			}
			c.wrong(p, fmt.Sprintf("natively: %s\nis none of:\n  %s", o, strings.Join(slices.Sorted(maps.Keys(want.outcomes)), "\n  ")))
		}
	}
}

func (c *libraryComparison) wrong(p libraryProgram, text string) {
	c.Helper()
	c.Errorf("seed %d %v: %s\n%s", p.seed, p.Families, text, numbered(p.Source))
	if c.bad++; c.bad > 3 {
		c.Fatal("too many differences")
	}
}

// explore compares all searches of the present program of g with the full search, and returns the findings
// of that; nil if it is too large.
func (c *libraryComparison) explore(g *group, p libraryProgram) *libraryEnds {
	want := newLibraryEnds(g.m)
	if r := stateful.Full(g.m, want, por.Config{Match: true, MaxStates: maxLibraryStates}); len(r.Incomplete) > 0 {
		c.left++
		return nil
	}
	c.checked++
	for o := range want.outcomes {
		if strings.Contains(o, "|cut: ") {
			c.wrong(p, o) // no program uses functions without a model
			return nil
		}
	}
	for k, e := range explorers.Exhaustive() {
		if e.Run == nil {
			continue
		}
		for j, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Full} {
			if e.Name == "full" && h == oracle.None || !c.every && (k+int(p.seed))%4 != j {
				continue
			}
			cfg := por.Config{Match: e.Stateful, MaxExecutions: 3000}
			if h != oracle.None {
				cfg.Oracle, cfg.AnyGoroutine = g.oracle(h, 0), true
			}
			got := newLibraryEnds(g.m)
			r := e.Explore(g.m, got, cfg)
			wanted, raced := want.outcomes, want.races
			if len(r.Incomplete) > 0 { // its findings must be right
				c.large++
				wanted, raced = common(wanted, got.outcomes), common(raced, got.races)
			}
			if d := difference(got.outcomes, wanted); d != "" {
				c.wrong(p, fmt.Sprintf("%s, hybrid %s: outcomes (extra or missing):\n%s", e.Name, h, d))
			}
			if d := difference(got.races, raced); d != "" {
				c.wrong(p, fmt.Sprintf("%s, hybrid %s: races (extra or missing):\n%s", e.Name, h, d))
			}
		}
	}
	return want
}

// maxLibraryStates bounds the full search; programs with more states are left out.
const maxLibraryStates = 15_000

func common(a, b map[string]bool) map[string]bool {
	both := map[string]bool{}
	for k := range a {
		if b[k] {
			both[k] = true
		}
	}
	return both
}

// loadLibrary loads programs as one, with an entry that chooses one of them.
func loadLibrary(t testing.TB, list []libraryProgram, tests bool) *group {
	t.Helper()
	if len(list) == 1 {
		list = append(list, list[0])
	}
	dir := t.TempDir()
	suffix, param, arg := ".go", "", ""
	if tests {
		suffix, param, arg = "_test.go", "t *testing.T", "t"
	}
	var all strings.Builder
	all.WriteString("package main\n\nimport \"hbcheck.dev/hbcheck/hbtest\"\n")
	if tests {
		all.WriteString("import \"testing\"\n")
	}
	fmt.Fprintf(&all, "func TestAll(%s) {\n\tswitch hbtest.Choose(%d) {\n", param, len(list))
	files := map[string]string{"go.mod": "module hbcheck.dev/hbcheck\n\ngo 1.26\n", "hbtest/choose.go": choosing,
		"main.go": "package main\n\nfunc main() {}\n", "helpers.go": progen.LibraryHelpers}
	for i, p := range list {
		files[strings.ToLower(p.Name)+suffix] = p.Source
		fmt.Fprintf(&all, "\tcase %d:\n\t\t%s(%s)\n", i, p.Name, arg)
	}
	all.WriteString("\t}\n}\n")
	files["all"+suffix] = all.String()
	writeAll(t, dir, files)
	prog, err := load.Load(load.Config{Dir: dir, Tests: tests, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	e, err := prog.Lookup("TestAll")
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, MaxStack: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for { // what package testing does before
		first := m.Enabled(nil)
		if len(first) != 1 {
			t.Fatalf("%d goroutines before the choice", len(first))
		}
		if m.Next(first[0]).Kind == trace.Choose {
			return &group{m: m, main: first[0], analysis: oracle.Analyze(m, prog, e), oracles: make(map[oracleKey]por.Oracle)}
		}
		m.Step(first[0], 0)
	}
}

func writeAll(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// libraryEnds collects how executions end, and races.
type libraryEnds struct {
	m               *vm.Machine
	outcomes, races map[string]bool
}

func newLibraryEnds(m *vm.Machine) *libraryEnds {
	return &libraryEnds{m: m, outcomes: map[string]bool{}, races: map[string]bool{}}
}

// Leaf implements por.Visitor.
func (v *libraryEnds) Leaf(_ trace.Schedule, st por.Status) bool {
	if st == por.Running { // cut by a bound
		return true
	}
	end := "exit 0"
	switch f := v.m.Report().Fault(); {
	case st == por.Cut:
		end = "cut: " + v.m.Report().CutReason()
	case f != nil && !f.Fatal:
		end = "panic: " + lastPanic(v.m.Report().Output(2))
	case f != nil:
		end = "fatal: " + f.Message
	case st == por.Stuck && v.m.Report().MainEnded():
		end = "leak"
	case st == por.Stuck:
		end = "deadlock"
	case v.m.Report().Failure() != nil:
		end = "exit 1"
	}
	v.outcomes[libraryOutcome(v.m.Report().Output(1), end)] = true
	return true
}

// explains reports whether v has a native outcome except for its ending. Natively the process ends
// with main; in the machine other goroutines continue, and may panic.
func (v *libraryEnds) explains(native string) bool {
	out, ok := strings.CutSuffix(native, "|exit 0")
	if !ok || out == "" {
		return false
	}
	for o := range v.outcomes {
		if rest, ok := strings.CutPrefix(o, out+"|"); ok && rest != "deadlock" {
			return true
		}
	}
	return false
}

// Race implements por.Visitor.
func (v *libraryEnds) Race(_ trace.Schedule, a, b trace.Op) bool {
	at := func(op trace.Op) string {
		pos := v.m.Report().Pos(op)
		return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
	}
	first, second := at(a), at(b)
	v.races[min(first, second)+" "+max(first, second)] = true
	return true
}

// Livelock implements por.Visitor.
func (v *libraryEnds) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor.
func (v *libraryEnds) Restart() { clear(v.outcomes); clear(v.races) }

// libraryOutcome is a program's own output, and its ending.
func libraryOutcome(out, end string) string {
	var b strings.Builder
	for l := range strings.Lines(out) {
		if text, ok := strings.CutPrefix(l, ">"); ok {
			b.WriteString(strings.TrimSpace(text) + " ")
		}
	}
	return b.String() + "|" + end
}

// A nativeLibrary is programs in compiled form, in two variants: as they are, and with calls of
// Gosched and short sleeps before statements.
type nativeLibrary struct {
	t     *testing.T
	dir   string
	tests bool
}

var libraryVariants = []string{"plain", "yields"}

func buildLibrary(t *testing.T, list []libraryProgram, tests bool) *nativeLibrary {
	t.Helper()
	n := &nativeLibrary{t, t.TempDir(), tests}
	for _, variant := range libraryVariants {
		var all strings.Builder
		args := []string{"build", "-o", "programs", "."}
		files := map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "helpers.go": progen.LibraryHelpers, "yield/yield.go": yielding.Source}
		if tests {
			args = []string{"test", "-c", "-vet=off", "-o", "programs", "."}
			all.WriteString("package main\n\nimport \"testing\"\n\n")
		} else {
			all.WriteString("package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n")
		}
		for _, p := range list {
			file, text := strings.ToLower(p.Name)+".go", []byte(p.Source)
			if tests {
				file = strings.ToLower(p.Name) + "_test.go"
				fmt.Fprintf(&all, "func Test%s(t *testing.T) { %s(t) }\n", p.Name, p.Name)
			} else {
				fmt.Fprintf(&all, "\tcase %q:\n\t\t%s()\n", p.Name, p.Name)
			}
			if variant != "plain" {
				var err error
				if text, err = yielding.Instrument(file, text, "generated/yield"); err != nil {
					t.Fatal(err)
				}
			}
			files[file] = string(text)
		}
		if tests {
			files["all_test.go"], files["main.go"] = all.String(), "package main\n\nfunc main() {}\n"
		} else {
			files["main.go"] = all.String() + "\t}\n}\n"
		}
		dir := filepath.Join(n.dir, variant)
		writeAll(t, dir, files)
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	return n
}

// nativeRuns is how often a program is run.
const nativeRuns = 24

// outcomes returns the outcomes of p in some runs.
func (n *nativeLibrary) outcomes(p libraryProgram) []string {
	var mu sync.Mutex
	set := map[string]bool{}
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := w; i < nativeRuns; i += 2 {
				variant, yield := libraryVariants[min(i%3, 1)], []string{"", "yield", "sleep"}[i%3]
				if p.Bubble && yield == "sleep" { // that takes time, which waits for locks
					yield = "yield"
				}
				o := n.run(p, variant, fmt.Sprint("GOMAXPROCS=", 1<<(i/3%3)), "NATIVE_YIELD="+yield)
				mu.Lock()
				set[o] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return slices.Sorted(maps.Keys(set))
}

// run runs p once.
func (n *nativeLibrary) run(p libraryProgram, variant string, env ...string) string {
	ctx, cancel := context.WithTimeout(n.t.Context(), 20*time.Second)
	defer cancel()
	args := []string{p.Name}
	if n.tests {
		args = []string{"-test.run=^Test" + p.Name + "$", "-test.timeout=0"}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(n.dir, variant, "programs"), args...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	code := 0
	switch {
	case ctx.Err() != nil:
		return libraryOutcome(stdout.String(), "hang")
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		n.t.Fatal(err)
	}
	text := stderr.String()
	if n.tests && text == "" {
		text = stdout.String()
	}
	end := fmt.Sprint("exit ", code)
	if code == 2 {
		for l := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(l, "fatal error: "); ok {
				end = "fatal: " + strings.TrimSpace(rest)
				if strings.HasPrefix(rest, "all goroutines are asleep") {
					end = "deadlock"
				}
				break
			} else if strings.HasPrefix(l, "panic: ") {
				end = "panic: " + lastPanic(text)
				break
			}
		}
	}
	return libraryOutcome(stdout.String(), end)
}

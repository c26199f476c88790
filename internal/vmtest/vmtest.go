// Package vmtest loads small programs into the machine and explores them, for
// tests of the machine's models.
package vmtest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Implicit are the packages that the machine always needs.
var Implicit = []string{"runtime"}

// GOROOT returns the root of the Go distribution of the go command.
func GOROOT(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Cache has the standard library, which the tests of a package need not load for each program.
var Cache load.Cache

// Load loads the program whose only file is src. If src has tests, its entries
// are those.
func Load(t testing.TB, src string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	name, tests := "main.go", strings.Contains(src, "*testing.T)")
	if tests {
		name = "x_test.go"
	}
	write(t, filepath.Join(dir, name), src)
	write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	cfg := load.Config{Dir: dir, Patterns: []string{"."}, Tests: tests, Implicit: Implicit, Cache: &Cache}
	prog, err := load.Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Run executes one schedule of the program's first entry.
func Run(t testing.TB, src string) *vm.Machine {
	t.Helper()
	prog := Load(t, src)
	m, err := vm.New(prog, prog.Entries[0], vm.Config{Run: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tempDir matches the directory of a program.
var tempDir = regexp.MustCompile(`/\S*/Test\w+/\d+/`)

// An Exploration has the findings of the exploration of a program.
type Exploration struct {
	por.Result
	m *vm.Machine
	// Ends counts the executions by their output and end:
	// "12 ok", "deadlock", "panic: boom".
	Ends map[string]int
	// Stuck has the places where goroutines wait forever.
	Stuck map[string]bool
	// Races has the pairs of racing operations by line.
	Races map[string]bool
	Loops int
}

// Leaf implements por.Visitor.
func (x *Exploration) Leaf(path trace.Schedule, st por.Status) bool {
	out := x.m.Report().Output(1) + x.m.Report().Output(2) + x.m.Report().Output(3)
	if x.m.Report().Fault() != nil { // the text and stacks of the fault follow
		out, _, _ = strings.Cut(out, "panic: ")
		out, _, _ = strings.Cut(out, "fatal error: ")
	}
	x.Ends[strings.TrimSpace(strings.Join(append(strings.Fields(out), x.ending(st)), " "))]++
	return true
}

func (x *Exploration) ending(st por.Status) string {
	f := x.m.Report().Fault()
	switch code, ended := x.m.Report().Exited(); {
	case st == por.Cut:
		return "cut: " + tempDir.ReplaceAllString(x.m.Report().CutReason(), "")
	case f != nil:
		return f.Text()
	case ended && code != 0:
		return fmt.Sprintf("exit %d", code)
	case st == por.Stuck:
		return "stuck"
	case st == por.Running:
		return "bound"
	case x.m.Report().Failure() != nil:
		return "failed at line " + strconv.Itoa(x.m.Report().Failure().Pos.Line)
	}
	return "ok"
}

// Race implements por.Visitor.
func (x *Exploration) Race(path trace.Schedule, a, b trace.Op) bool {
	p, q := x.m.Report().Pos(a).Line, x.m.Report().Pos(b).Line
	x.Races[fmt.Sprintf("%d-%d", min(p, q), max(p, q))] = true
	return true
}

// Livelock implements por.Visitor.
func (x *Exploration) Livelock(path trace.Schedule, loop int) bool {
	x.Loops++
	return true
}

// Restart implements por.Visitor.
func (x *Exploration) Restart() { clear(x.Ends) }

// String lists the ends, "N of: end" per line.
func (x *Exploration) String() string {
	var b strings.Builder
	for _, e := range slices.Sorted(maps.Keys(x.Ends)) {
		fmt.Fprintf(&b, "%d× %s\n", x.Ends[e], e)
	}
	if len(x.Races) > 0 {
		fmt.Fprintf(&b, "races %v\n", slices.Sorted(maps.Keys(x.Races)))
	}
	return b.String()
}

// Explore explores every interleaving of the program's first entry.
func Explore(t testing.TB, src string, vcfg vm.Config, cfg por.Config, run func(por.System, por.Visitor, por.Config) por.Result) *Exploration {
	t.Helper()
	prog := Load(t, src)
	m, err := vm.New(prog, prog.Entries[0], vcfg)
	if err != nil {
		t.Fatal(err)
	}
	x := &Exploration{m: m, Ends: map[string]int{}, Stuck: map[string]bool{}, Races: map[string]bool{}}
	x.Result = run(m, x, cfg)
	return x
}

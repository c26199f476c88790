package check

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

const checkedSource = `package main

import "sync"

var x, y int
var mu, other sync.Mutex

func locked() { mu.Lock(); x++; mu.Unlock() }

func step() { other.Lock(); other.Unlock() } // there is no choice at the first step

func Guarded() { // everybody locks
	go locked()
	locked()
}

func Foreign() { // a goroutine unlocks a mutex that it does not hold
	go locked()
	go func() {
		mu.Unlock()
		mu.Lock()
		x = 7
		mu.Unlock()
	}()
	locked()
}

func Racy() {
	go func() { x = 1 }()
	step()
	x = 2
}

func Reader() {
	go func() { y = x }()
	step()
	x = 2
}

func Third() { // the second goroutine checks, not the first
	go step()
	go func() { y = x }()
	step()
	x = 2
}

func Called() { // by way of a func value
	f := []func(){func() { x = 1 }}
	done := make(chan bool)
	go func() { x = 2; done <- true }()
	<-done
	f[0]()
}

func Unseen() { // by way of a func value, before and behind waiting
	f := []func(){func() { x = 1 }, func() { made = make(chan int, 1) }}
	done := make(chan bool)
	go func() { y = x; done <- true }()
	f[0]()
	f[1]()
	<-done
}

var made chan int

func main() {}
`

// alwaysSkips makes no choices at accesses.
type alwaysSkips struct {
	por.Passive
	*oracle.State
}

func (o alwaysSkips) Skip(_ trace.GID, op *trace.Op) string {
	if op.Kind.Plain() {
		return "always"
	}
	return ""
}

// accessesOnly has only the accesses of its State.
type accessesOnly struct {
	por.Passive
	*oracle.State
}

func (o accessesOnly) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind.Plain() && o.Accesses.Skip(o, g) {
		return fieldaccess.Reason
	}
	return ""
}

// readsOnly takes its goroutine's writes for reads.
type readsOnly struct {
	por.Passive
	*oracle.State
}

func (o readsOnly) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind.Plain() && o.Accesses.Skip(o, g) {
		return "reads only"
	}
	return ""
}

func (o readsOnly) Locations(g trace.GID, buf []fieldaccess.Location) ([]fieldaccess.Location, bool) {
	buf, ok := o.State.Locations(g, buf)
	for i := range buf {
		buf[i].Write = false
	}
	return buf, ok
}

// oneOther checks one other goroutine.
type oneOther struct {
	por.Passive
	*oracle.State
}

func (o oneOther) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind.Plain() && o.Accesses.Skip(o, g) {
		return "one other"
	}
	return ""
}

func (o oneOther) Others(g trace.GID, f func(stack []hybrid.Frame) bool) {
	seen := false
	o.State.Others(g, func(stack []hybrid.Frame) bool {
		if seen {
			return false
		}
		seen = true
		return f(stack)
	})
}

// inLock believes that no goroutine gets in while a lock is held. That is the paper's second
// pattern, which is right for Java only.
type inLock struct {
	por.Passive
	*oracle.State
}

func (o inLock) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind.Plain() && o.Machine.StaticView().Innermost(g).Fn.Name() == "locked" {
		return "lock"
	}
	return ""
}

// deaf is a program whose calls of func values lead nowhere.
type deaf struct{ static.Program }

func (d deaf) Callees(site ssa.CallInstruction) []*ssa.Function {
	if c := site.Common(); c.StaticCallee() == nil && !c.IsInvoke() {
		return nil
	}
	return d.Program.Callees(site)
}

// TestCheckStatic: every mistake of an oracle is noticed where it matters, and
// nothing is reported elsewhere.
func TestCheckStatic(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": checkedSource, "go.mod": "module checked\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		broken func(o por.Oracle, s *oracle.State, e *load.Entry) por.Oracle
		wrong  map[string]string // by entry, the expected message
	}{
		{"right", func(o por.Oracle, _ *oracle.State, _ *load.Entry) por.Oracle { return o }, nil},
		{"always", func(_ por.Oracle, s *oracle.State, _ *load.Entry) por.Oracle { return alwaysSkips{State: s} }, map[string]string{
			"Foreign": "no choice was made before read at main.go:8:", "Racy": "no choice was made before write at main.go:31:2", "Reader": "executes read at main.go:35:18", "Third": "executes read at main.go:42:18"}},
		{"reads only", func(_ por.Oracle, s *oracle.State, _ *load.Entry) por.Oracle { return readsOnly{State: s} }, map[string]string{
			"Reader": "executes read at main.go:35:18", "Third": "executes read at main.go:42:18"}},
		{"one other", func(_ por.Oracle, s *oracle.State, _ *load.Entry) por.Oracle { return oneOther{State: s} }, map[string]string{"Third": "executes read at main.go:42:18", "Foreign": "no choice was made"}},
		{"in lock", func(_ por.Oracle, s *oracle.State, _ *load.Entry) por.Oracle { return inLock{State: s} }, map[string]string{"Foreign": "no choice was made before read at main.go:8"}},
		{"deaf", func(_ por.Oracle, s *oracle.State, e *load.Entry) por.Oracle {
			g := static.NewCallGraph(prog, e, oracle.Natives{Machine: s.Machine})
			acc := fieldaccess.New(hybrid.New(static.NewFieldAccess(static.NewBase(deaf{g}))), prog.Sizes)
			return accessesOnly{State: oracle.NewState(s.Machine, prog, g, acc)}
		}, map[string]string{"Called": "write at main.go:48:25 by g0 to offset 0 of a int was not predicted"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, entry := range []string{"Guarded", "Foreign", "Racy", "Reader", "Third", "Called"} {
				e, err := prog.Lookup("checked." + entry)
				if err != nil {
					t.Fatal(err)
				}
				m, err := vm.New(prog, e, vm.Config{})
				if err != nil {
					t.Fatal(err)
				}
				o := oracle.New(m, prog, e, oracle.MHB)
				o = tt.broken(o, oracle.StateOf(o), e)
				c := NewMachine(m, prog, e, o)
				before := c.Hash()
				stateful.JPF(c, silent{}, por.Config{Match: true, Oracle: c.Oracle(o)})
				if c.Hash() != before || len(c.marks) > 0 {
					t.Error("the machine is not left as it was found")
				}
				got := ""
				if err := c.Err(); err != nil {
					got = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
				}
				if want := tt.wrong[entry]; !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("%s: got %q, want %q", entry, got, want)
				}
				if c.Counts.Steps == 0 || c.Counts.Bounded > 0 {
					t.Errorf("%s: %+v", entry, c.Counts)
				}
			}
		})
	}
}

// TestCheckMust: analyses that ignore calls of func values promise too much, and the check notices.
func TestCheckMust(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": checkedSource, "go.mod": "module checked\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	e, err := prog.Lookup("checked.Unseen")
	if err != nil {
		t.Fatal(err)
	}
	for _, hears := range []bool{true, false} {
		m, err := vm.New(prog, e, vm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		o := oracle.New(m, prog, e, oracle.MHB)
		c := NewMachine(m, prog, e, o)
		if !hears {
			c.must = newMustFacts(c, static.NewBase(deaf{oracle.StateOf(o).Graph}))
		}
		stateful.JPF(c, silent{}, por.Config{Match: true, Oracle: c.Oracle(o)})
		got := fmt.Sprint(c.Err())
		for _, want := range []string{"main.go:56:43 by g0 was to come only after waiting", "allocates what was not predicted"} {
			if strings.Contains(got, want) == hears {
				t.Errorf("all is seen: %t; got %s, want %q: %t", hears, got, want, !hears)
			}
		}
		if c.Counts.Musts == 0 || c.Counts.Allocs == 0 {
			t.Errorf("nothing was compared: %+v", c.Counts)
		}
	}
}

// walksOnly is Full without exploring ahead.
const walksOnly oracle.Kind = "walks"

// TestStaticPrograms checks accesses that are easily overlooked.
func TestStaticPrograms(t *testing.T) {
	for _, file := range []string{"plain.go", "library.go", "std.go", "memory.go", "control.go", "reflected.go"} {
		prog, err := load.Load(load.Config{Dir: "testdata", Patterns: []string{file}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
		if err != nil {
			t.Fatal(err)
		}
		skips, ran := uint64(0), 0
		for i, name := range prog.Entries[0].Package.Types.Scope().Names() {
			fn := prog.Entries[0].Package.SSA.Func(name)
			if fn == nil || !token.IsExported(name) || deep.Quick() && i%4 > 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				e, err := prog.Lookup(prog.Entries[0].Package.Path + "." + name)
				if err != nil {
					t.Fatal(err)
				}
				ran++
				kinds := []oracle.Kind{walksOnly}
				if file == "plain.go" {
					kinds = append(kinds, oracle.Full, oracle.Patterns)
				}
				for _, h := range kinds {
					m, err := vm.New(prog, e, vm.Config{})
					if err != nil {
						t.Fatal(err)
					}
					var o por.Oracle
					if h == walksOnly {
						o = oracle.New(m, prog, e, oracle.Full).(*lookahead.Oracle).Fallback()
					} else {
						o = oracle.New(m, prog, e, h)
					}
					c := NewMachine(m, prog, e, o)
					stateful.JPF(c, silent{}, por.Config{Match: true, MaxStates: 300, Oracle: c.Oracle(o)})
					if err := c.Err(); err != nil {
						t.Errorf("%s: %v", h, err)
					}
					skips += c.Counts.Skips
				}
			})
		}
		if ran >= 15 && skips < 10 {
			t.Errorf("%s: only %d choices were skipped", file, skips)
		}
	}
}

// silent is a visitor that lets the search continue.
type silent struct{}

func (silent) Leaf(trace.Schedule, por.Status) bool         { return true }
func (silent) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (silent) Livelock(trace.Schedule, int) bool            { return true }
func (silent) Restart()                                     {}

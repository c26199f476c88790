package explore

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestUntoldInputs: narrating a bug of a program with inputs ends on request. The schedule known by then
// shows the bug when replayed: a schedule with branches, or one with inputs.
func TestUntoldInputs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module hbcheck.dev/hbcheck\n\ngo 1.26\n", // the module of package hbtest
		"hbtest/hbtest.go": `package hbtest
func Nondet[T any]() T { return nondet[T]() }
func nondet[T any]() T { var x T; return x }
`,
		"main.go": `package main

import "hbcheck.dev/hbcheck/hbtest"

func main() {
	c := make(chan int32)
	go func() { c <- hbtest.Nondet[int32]() }()
	if x := <-c; x > 5 {
		go func() { c <- x }()
		if <-c < 9 {
			panic("found")
		}
	}
}
`} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	machine := func(inputs []describe.Input) describe.Machine {
		m, err := describe.NewMachine(prog, prog.Entries[0], vm.Config{Given: describe.Given(inputs)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	e := Entry{Name: "main", New: func(func() bool) (describe.Machine, error) { return machine(nil), nil }}
	for _, name := range []string{"full", "optimal"} {
		s, err := prepare(t.Context(), e, Options{POR: explorers.With(name)})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.finish(s.search()); err != nil || len(s.result.Bugs) != 1 {
			t.Fatalf("%s: %v %v", name, err, s.result.Bugs)
		}
		found := *s.result.Bugs[0]
		with, without, told := 0, 0, false
		for limit := 0; !told; limit++ {
			b, asked := found, 0
			x := schedule.NewTeller(s.m, func() bool { asked++; return asked > limit })
			switch err := s.describe(&b, x); {
			case err == nil:
				told = true
			case err != schedule.ErrNoTime:
				t.Fatal(err)
			case len(b.Inputs) > 0:
				with++
			default:
				without++
			}
			if told {
				continue
			}
			b.DescribeBriefly()
			rec := schedule.Recording{Kind: b.Kind, Pos: b.Pos, Same: func(x *bug.Bug) bool { return x.Detail == b.Detail }, Events: b.Events, Inputs: b.Inputs}
			_, again, err := schedule.Replay(machine(b.Inputs), rec)
			if err != nil || again == nil || len(again.Inputs) != 1 || again.Inputs[0].Value != "6" {
				t.Errorf("%s, after %d questions: %v %+v", name, limit, err, again)
			}
		}
		if with == 0 || without == 0 {
			t.Errorf("%s: %d times with inputs and %d times without", name, with, without)
		}
		// The limit has the same effect.
		s.limit.timeout, s.limit.late = 1, time.Now().Add(-1)
		s.limit.start()
		<-s.limit.ctx.Done()
		b := found
		if s.narrateBug(&b, bugBudget); !b.Untold || !slices.Equal(b.Schedule, found.Schedule) {
			t.Errorf("%s: untold %v, schedule %v", name, b.Untold, b.Schedule)
		}
	}
}

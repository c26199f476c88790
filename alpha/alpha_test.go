package alpha_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/alpha"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestNotices: a checker that has the analysis of something else notices.
func TestNotices(t *testing.T) {
	prog := loadSource(t, `package main

import "sync"

type S struct{ p *int }

func set(s *S, f func() *int) { s.p = f() }

func run(f func() *int) {
	var wg sync.WaitGroup
	s := &S{}
	wg.Go(func() { set(s, f) })
	wg.Wait()
	*s.p = 1
}

func Other() { run(func() *int { return new(int) }) }

func main() {
	x := 0
	run(func() *int { return &x })
}
`)
	other, err := prog.Lookup("test.Other")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*load.Entry{prog.Entries[0], other} {
		c := alpha.NewChecker(pointer.Analyze(prog, e))
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Observer: c, Check: vm.CheckStops})
		if err != nil {
			t.Fatal(err)
		}
		for enabled := m.Enabled(nil); len(enabled) > 0; enabled = m.Enabled(nil) {
			c.Goroutines()
			m.Step(enabled[0], 0)
		}
		c.Heap()
		found := strings.Join(c.Errors, "\n")
		switch {
		case e != other:
			if found != "" {
				t.Error(found)
			}
		case !strings.Contains(found, "which the call graph does not have"), !strings.Contains(found, "points to"):
			t.Errorf("found only: %s", found)
		}
	}
}

// TestObject: two lists made by one function are told apart when each goroutine
// stands before its access, whether or not their allocation was observed with
// its context.
func TestObject(t *testing.T) {
	prog := loadSource(t, `package main

type list struct{ n int }

func newList() *list { return &list{} }

func main() {
	a, b := newList(), newList()
	go func() { a.n++ }()
	go func() { b.n++ }()
}
`)
	e := prog.Entries[0]
	r := pointer.Analyze(prog, e)
	for _, early := range []bool{true, false} {
		abs := alpha.New(r)
		cfg := vm.Config{}
		if early {
			cfg.Observer = abs
		}
		m, err := vm.New(prog, e, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !early {
			abs.Observe(m)
		}
		start := m.Mark()
		for range 2 { // the abstraction follows rewinding
			m.Rewind(start)
			var seen []*pointer.Object
			for g := trace.GID(0); m.Next(g).Kind == trace.Go; {
				m.Step(g, 0)
			}
			m.Live(func(g trace.GID) {
				op := m.Next(g)
				if !op.Kind.Plain() {
					return
				}
				objs := abs.Object(op.Access[0].Obj)
				frame := abs.Stack(g)[0]
				load, ok := frame.Instr.(*ssa.UnOp)
				if !ok {
					t.Fatalf("%v stands before %v", g, frame.Instr)
				}
				set, ok := abs.PointsTo(load.X, frame.Context)
				if !ok || !slices.ContainsFunc(objs, set.HasObject) {
					t.Errorf("%v: object is %v, operand points to %v", g, objs, set.Strings())
				}
				if early && (len(objs) != 1 || set.Len() != 1) {
					t.Errorf("%v: %d objects, operand points to %v", g, len(objs), set.Strings())
				}
				seen = append(seen, objs...)
			})
			if early && (len(seen) != 2 || slices.Equal(seen[:1], seen[1:])) {
				t.Errorf("abstract objects %v", seen)
			}
		}
	}
}

package abstraction_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle/abstraction"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestObject: two lists made by one function are distinguished when the access
// of each goroutine is pending, whether or not their allocation was observed with
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
		abs := abstraction.New(r)
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
					t.Fatalf("%v is at %v", g, frame.Instr)
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

// loadSource loads a program of one file.
func loadSource(t *testing.T, src string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": src, "go.mod": "module test\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

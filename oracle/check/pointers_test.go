package check_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/vm"
)

// TestMachine runs programs on random schedules and compares every pointer and
// every call with the analysis.
func TestMachine(t *testing.T) {
	for _, pattern := range []string{"../../vm/testdata/models/*.txtar", "../../static/pointer/testdata/*.txtar", "../../vm/testdata/proof/*.go", "../../vm/testdata/reflect/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for i, f := range files {
			if deep.Quick() && i%8 > 0 {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)), func(t *testing.T) {
				prog := loadFile(t, f)
				r := pointer.Analyze(prog, prog.Entries[0])
				walks(t, prog, r, vm.Config{}, 2, 3000)
				walks(t, prog, r, vm.Config{Check: vm.CheckStops}, 1, 2000) // stops at every access
			})
		}
	}
}

// TestNotices: a checker with the analysis of another program reports an error.
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
		c := check.NewPointers(pointer.Analyze(prog, e))
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

// walks executes up to the given number of steps of n schedules of prog's first
// entry, at random, and checks the states. It returns the output of the last one.
func walks(t *testing.T, prog *load.Program, r *pointer.Result, cfg vm.Config, n uint64, steps int) string {
	t.Helper()
	c := check.NewPointers(r)
	cfg.Observer = c
	m, err := vm.New(prog, prog.Entries[0], cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Heap()
	start := m.Mark()
	for seed := range n {
		if seed > 0 {
			m.Rewind(start)
		}
		rnd := rand.New(rand.NewPCG(seed, 0))
		for k := 0; k < steps && m.Status() == por.Running; k++ {
			c.Goroutines()
			if k%256 == 255 {
				c.Heap()
			}
			enabled := m.Enabled(nil)
			g := enabled[rnd.IntN(len(enabled))]
			m.Step(g, rnd.IntN(m.Alternatives(g)))
		}
		c.Goroutines()
		c.Heap()
	}
	for _, err := range c.Errors {
		t.Error(err)
	}
	t.Logf("%+v", c.Counts)
	return m.Report().Output(1) + m.Report().Output(2)
}

// cache keeps the library between tests.
var cache = new(load.Cache)

// loadFile loads a program of one file or an archive.
func loadFile(t *testing.T, name string) *load.Program {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := []txtar.File{{Name: "main.go", Data: data}}
	if strings.HasSuffix(name, ".txtar") {
		files = slices.DeleteFunc(txtar.Parse(data).Files, func(f txtar.File) bool { return !strings.HasSuffix(f.Name, ".go") })
	}
	return loadFiles(t, files)
}

// loadSource loads a program of one file.
func loadSource(t *testing.T, src string) *load.Program {
	t.Helper()
	return loadFiles(t, []txtar.File{{Name: "main.go", Data: []byte(src)}})
}

func loadFiles(t *testing.T, files []txtar.File) *load.Program {
	t.Helper()
	dir := t.TempDir()
	tests := false
	for _, f := range append(files, txtar.File{Name: "go.mod", Data: []byte("module test\ngo 1.26\n")}) {
		if strings.Contains(string(f.Data), "*testing.T)") {
			tests = true
			f.Name = "x_test.go"
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: tests, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

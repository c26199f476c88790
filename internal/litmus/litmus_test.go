package litmus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/litmus"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

func tests(t testing.TB) (list []litmus.Test) {
	t.Helper()
	for _, name := range []string{"genmc.tsv", "nidhugg.tsv"} {
		f, err := os.Open(filepath.Join("..", "..", "testdata", "benchmarks", "litmus", name))
		if err != nil {
			t.Fatal(err)
		}
		l, err := litmus.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, l...)
	}
	return list
}

func name(i int) string { return fmt.Sprintf("Test%03d", i) }

// TestClasses: the Go programs have as many classes of executions as the tables say, counted
// without any explorer.
func TestClasses(t *testing.T) {
	list := tests(t)
	if len(list) != 240 {
		t.Errorf("%d tests, want 240", len(list))
	}
	var programs []*litmus.Program
	for _, x := range list {
		programs = append(programs, x.Program)
	}
	text, err := litmus.Source(programs, name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module litmus\n\ngo 1.26\n", "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range list {
		entry, err := prog.Lookup(name(i))
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(prog, entry, vm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := classes.Merge(m, classes.Relation{Dependent: classes.Conflicts}, 200_000)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		got, want := [4]int{e.Ended, e.Stuck, e.RFEnded, e.RFStuck}, [4]int{x.Complete, x.Blocked, x.RFComplete, x.RFBlocked}
		if got != want {
			t.Errorf("%s: %v, want %v (complete, blocked, rf, rf blocked)", x.Name, got, want)
		}
	}
}

// TestSource: the text of a program.
func TestSource(t *testing.T) {
	p, err := litmus.Parse("T0: i:=2; a=R A[i]; WHILE a!=0 { i:=i-1; a=R A[i] } | T1: b=R x; FADD x 1; c=FADD x b; IF c { LOCK m; CAS x 0 1; UNLOCK m } ELSE { ASSUME c>0; d=R x }; REP 2 { W A[1] c }")
	if err != nil {
		t.Fatal(err)
	}
	got, err := litmus.Source([]*litmus.Program{p}, name)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ = strings.Cut(got, "func Test000() {\n")
	const want = `	var A [3]atomic.Int64
	var x atomic.Int64
	var m sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		var i, a int64
		i = 2
		a = A[i].Load()
		for a != 0 {
			i = i - 1
			a = A[i].Load()
		}
	}()
	go func() {
		defer wg.Done()
		var b, c int64
		b = x.Load()
		seen(x.Add(1))
		c = x.Add(b) - (b)
		if c != 0 {
			m.Lock()
			x.CompareAndSwap(0, 1)
			m.Unlock()
		} else {
			if !(c > 0) {
				select {}
			}
			x.Load()
		}
		for range 2 {
			A[1].Store(c)
		}
	}()
	wg.Wait()
}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	for _, text := range []string{"W x 1", "T: MOVE x 1", "T: IF a { W x 1", "T: W x 1 }", "T: R", "T: IF a W x 1"} {
		if p, err := litmus.Parse(text); err == nil {
			t.Errorf("%q is taken to be %+v", text, p)
		}
	}
}

package progen_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// loadInitialised loads each program as a separate package main: its entry function runs in an initialiser,
// and main is empty.
func loadInitialised(t *testing.T, progs []*progen.Prog) *load.Program {
	t.Helper()
	files := map[string]string{"go.mod": "module generated\n\ngo 1.26\n"}
	for _, p := range progs {
		d := strings.ToLower(p.Name) + "/"
		files[d+strings.ToLower(p.Name)+".go"] = p.Source()
		files[d+"helpers.go"] = progen.Helpers()
		files[d+"main.go"] = fmt.Sprintf("package main\n\nfunc init() { %s() }\n\nfunc main() {}\n", p.Name)
	}
	return loadFiles(t, files)
}

// loadFiles loads all packages of a module with these files, and their tests.
func loadFiles(t *testing.T, files map[string]string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"./..."}, Tests: true, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// TestInitialised: a program that an initialiser runs ends in the ways that the reference finds, with every
// explorer and every kind of static facts.
func TestInitialised(t *testing.T) {
	kinds := []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Parts, oracle.Full, oracle.Patterns}
	const perBatch = 50
	total := deep.N(4, 400)
	complete := 0
	for first := deep.Seed(); total > 0; first, total = first+perBatch, total-perBatch {
		var progs []*progen.Prog
		for i := range uint64(min(perBatch, total)) {
			progs = append(progs, progen.Generate(first+i, features))
		}
		prog := loadInitialised(t, progs)
		for i, p := range progs {
			want := progen.Explore(p, 600)
			if !want.Complete {
				continue
			}
			e, err := prog.Lookup("generated/" + strings.ToLower(p.Name) + ".main")
			if err != nil {
				t.Fatal(err)
			}
			for k, x := range explorers.Exhaustive() {
				if x.Run == nil || !deep.Compared(p.Seed, k) {
					continue
				}
				kind := kinds[(i+k)%len(kinds)]
				m, err := vm.New(prog, e, vm.Config{VisibleOutput: true})
				if err != nil {
					t.Fatal(err)
				}
				cfg := por.Config{Match: x.Stateful, MaxExecutions: 2000}
				if kind != oracle.None {
					cfg.Oracle, cfg.AnyGoroutine = oracle.New(m, prog, e, kind), true
				}
				if kind == oracle.Parts {
					cfg.Parts = oracle.NewPartition(m)
				}
				got, r := search(t, m, x.Explore, cfg)
				if len(r.Incomplete) > 0 {
					continue
				}
				if complete++; !maps.Equal(got.outcomes, want.Outcomes) {
					t.Errorf("seed %d, %s with facts %s:\n%s\n%s", p.Seed, x.Name, kind,
						difference(got.outcomes, want.Outcomes), numbered(p.Source()))
				}
			}
		}
	}
	t.Logf("%d searches complete", complete)
	if complete < 10 {
		t.Error("they do not test it")
	}
}

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hbcheck.dev/hbcheck/internal/litmus"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/testdata/benchmarks"
)

// litmusTables are the tables of litmus tests in the suite.
var litmusTables = []string{"litmus/genmc.tsv", "litmus/nidhugg.tsv"}

// litmusTests returns all litmus tests.
func litmusTests() ([]litmus.Test, error) {
	var tests []litmus.Test
	for _, name := range litmusTables {
		f, err := benchmarks.FS().Open(name)
		if err != nil {
			return nil, err
		}
		list, err := litmus.Read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		tests = append(tests, list...)
	}
	return tests, nil
}

// litmusPrograms returns the suite litmus.
func litmusPrograms() ([]CountedProgram, error) {
	tests, err := litmusTests()
	if err != nil {
		return nil, err
	}
	var list []CountedProgram
	for _, t := range tests {
		list = append(list, CountedProgram{
			Suite: "litmus", Program: t.Name,
			Classes: uint64(t.Complete + t.Blocked), RF: uint64(t.RFComplete + t.RFBlocked),
			Published: []Count{{"table", "mo", uint64(t.Complete)}, {"table", "mo blocked", uint64(t.Blocked)},
				{"table", "rf", uint64(t.RFComplete)}, {"table", "rf blocked", uint64(t.RFBlocked)}},
		})
	}
	return list, nil
}

// litmusEntry is the name of the function that is the i-th litmus test.
func litmusEntry(i int) string { return fmt.Sprintf("Litmus%03d", i) }

// litmus returns the litmus test called name. All litmus tests are one package, which is loaded once.
func (w *Workspace) litmus(name string) (*load.Program, *load.Entry, error) {
	tests, err := litmusTests()
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(tests, func(t litmus.Test) bool { return t.Name == name })
	if i < 0 {
		return nil, nil, fmt.Errorf("no litmus test %s", name)
	}
	if w.progs["litmus"] == nil {
		var programs []*litmus.Program
		for _, t := range tests {
			programs = append(programs, t.Program)
		}
		text, err := litmus.Source(programs, litmusEntry)
		if err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(w.dir, "litmus", "main.go"), []byte(text), 0o666); err != nil {
			return nil, nil, err
		}
	}
	prog, _, err := w.load("litmus")
	if err != nil {
		return nil, nil, err
	}
	entry, err := prog.Lookup(litmusEntry(i))
	return prog, entry, err
}

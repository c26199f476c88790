// Package benchmarks holds the programs of the benchmark suites, so that an
// installed hbcheck has them with it.
package benchmarks

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed vm jpf realistic spin14 litmus smc condpor-det condpor cdpor clockvector dporengine await hbtest answers inputs big sct jacontebe racebench kernels
var files embed.FS

// FS returns the programs: each is a main package in SUITE/PROGRAM, except for litmus tests, which
// are tables.
func FS() fs.FS { return files }

// renderings are programs made from others by replacing an imported package. They are made in this
// order.
var renderings = []struct {
	from, to string // suites
	suffix   string // of the new programs
	old, new string // import paths
}{
	// The elements of the data structures are unknown.
	{"condpor-det", "condpor", "", `"hbcheck.dev/benchmarks/condpor-det/values"`, `values "hbcheck.dev/benchmarks/condpor/values/symbolic"`},
	// Each atomic variable has a lock of its own.
	{"condpor-det", "condpor-det", "-locked", "condpor-det/cells/native", "condpor-det/cells/locked"},
	{"condpor", "condpor", "-locked", "condpor-det/cells/native", "condpor-det/cells/locked"},
	{"condpor", "condpor", "-locked", "condpor/cells/native", "condpor/cells/locked"},
	// An unknown number is one of a few values, each with an execution of its own.
	{"condpor", "condpor", "-enumerated", "condpor/values/symbolic", "condpor/values/enumerated"},
}

// Write puts the programs into dir, which must be empty, as a module. Package hbtest is in a module
// beside it.
func Write(dir string) error {
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	for _, r := range renderings {
		if err := render(filepath.Join(dir, r.from), filepath.Join(dir, r.to), r.suffix, r.old, r.new); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "hbcheck"), 0o777); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "hbtest"), filepath.Join(dir, "hbcheck", "hbtest")); err != nil {
		return err
	}
	if err := writeModule(filepath.Join(dir, "hbcheck"), "module hbcheck.dev/hbcheck\n"); err != nil {
		return err
	}
	return writeModule(dir, "module hbcheck.dev/benchmarks\n\nrequire hbcheck.dev/hbcheck v0.0.0\n\nreplace hbcheck.dev/hbcheck => ./hbcheck\n")
}

func writeModule(dir, text string) error {
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text+"\ngo 1.26\n"), 0o666)
}

// render replaces old by new in each program of directory from that has this text, and writes the
// results to directory to.
func render(from, to, suffix, old, new string) error {
	programs, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, p := range programs {
		text, err := os.ReadFile(filepath.Join(from, p.Name(), "main.go"))
		if err != nil {
			continue // not a program
		}
		rendered := strings.Replace(string(text), old, new, 1)
		if rendered == string(text) {
			continue
		}
		dir := filepath.Join(to, p.Name()+suffix)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(rendered), 0o666); err != nil {
			return err
		}
	}
	return nil
}

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

//go:embed vm jpf spin14 litmus smc condpor-det cdpor clockvector dporengine await
var files embed.FS

// FS returns the programs: one main package in SUITE/PROGRAM for each, but
// of litmus tests, which are tables.
func FS() fs.FS { return files }

// Write puts the programs into dir, which must be empty, as a module.
func Write(dir string) error {
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	if err := writeLocked(filepath.Join(dir, "condpor-det")); err != nil {
		return err
	}
	return os.WriteFile(dir+"/go.mod", []byte("module hbcheck.dev/benchmarks\n\ngo 1.26\n"), 0o666)
}

// writeLocked adds to each program of the suite in dir that has atomic variables a second
// rendering, PROGRAM-locked, in which they have a lock of their own.
func writeLocked(dir string) error {
	programs, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, p := range programs {
		text, err := os.ReadFile(filepath.Join(dir, p.Name(), "main.go"))
		if err != nil {
			continue // it is no program
		}
		locked := strings.Replace(string(text), "condpor-det/cells/native", "condpor-det/cells/locked", 1)
		if locked == string(text) {
			continue
		}
		if err := os.Mkdir(filepath.Join(dir, p.Name()+"-locked"), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name()+"-locked", "main.go"), []byte(locked), 0o666); err != nil {
			return err
		}
	}
	return nil
}

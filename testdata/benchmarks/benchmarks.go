// Package benchmarks holds the programs of the benchmark suites, so that an
// installed hbcheck has them with it.
package benchmarks

import (
	"embed"
	"io/fs"
	"os"
)

//go:embed vm jpf spin14 litmus smc
var files embed.FS

// FS returns the programs: one main package in SUITE/PROGRAM for each, but
// of litmus tests, which are tables.
func FS() fs.FS { return files }

// Write puts the programs into dir, which must be empty, as a module.
func Write(dir string) error {
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	return os.WriteFile(dir+"/go.mod", []byte("module hbcheck.dev/benchmarks\n\ngo 1.26\n"), 0o666)
}

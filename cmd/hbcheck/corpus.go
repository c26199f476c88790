package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// corpusEntries returns an error if none of the entries has a corpus.
func corpusEntries(entries []explore.Entry) error {
	for _, e := range entries {
		if e.Source.Fuzz {
			return nil
		}
	}
	if len(entries) == 1 {
		return fmt.Errorf("--write-corpus: %s is not a fuzz target: testdata/fuzz holds only arguments of fuzz targets", entries[0].Name)
	}
	return errors.New("--write-corpus: no entry is a fuzz target: testdata/fuzz holds only arguments of fuzz targets")
}

// writeCorpus writes the arguments with which a fuzz target fails into the directory where go test reads
// them, and reports that on stderr. It never overwrites a file.
func writeCorpus(stderr io.Writer, paths report.Paths, e *load.Entry, r *explore.Result) {
	for _, b := range r.Bugs {
		if b.Warning {
			continue
		}
		values := describe.Arguments(b.Inputs)
		if values == nil {
			fmt.Fprintf(stderr, "%s: a seed input already shows the bug: nothing to write\n", e.Name)
			continue
		}
		name, err := writeSeed(filepath.Join(e.Package.Dir, "testdata", "fuzz", e.Name), load.FormatSeed(values))
		shown := paths.File(name)
		switch {
		case errors.Is(err, fs.ErrExist):
			fmt.Fprintf(stderr, "%s: the failing input is already in %s\n", e.Name, shown)
		case err != nil:
			complain(stderr, fmt.Errorf("warning: cannot write the failing input: %w", err))
		default:
			fmt.Fprintf(stderr, "%s: failing input written to %s; go test -run=%s/%s runs it\n", e.Name, shown, e.Name, filepath.Base(name))
		}
	}
}

// writeSeed writes a file of the corpus in dir, with the name that go test -fuzz would use.
func writeSeed(dir string, data []byte) (name string, err error) {
	name = filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(data))[:16])
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return name, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return name, err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return name, err
	}
	return name, f.Close()
}

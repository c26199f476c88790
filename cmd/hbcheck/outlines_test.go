package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// TestOutlinesOnDisk: a run prints the same with outlines as without, and if they are damaged.
func TestOutlinesOnDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv(verdicts.Variable, dir)
	explore := func() string {
		cmd := exec.Command(self, "-count=1", "../../testdata/benchmarks/answers/pool/ok")
		// TestMain, which this process executes, says that there is no cache.
		cmd.Env = append(os.Environ(), asProcess+"="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return clean(string(out), "/nowhere")
	}
	first := explore()
	damaged := 0
	if second := explore(); second != first {
		t.Errorf("with outlines\n%s\nwithout\n%s", second, first)
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if damaged++; damaged%2 == 0 {
			data = data[:len(data)/2]
		} else {
			data = bytes.ReplaceAll(data, []byte("e"), []byte("a"))
		}
		return os.WriteFile(name, data, 0o666)
	})
	if err != nil || damaged < 30 {
		t.Fatalf("%d files: %v", damaged, err)
	}
	if third := explore(); third != first {
		t.Errorf("with damaged outlines\n%s\nwithout\n%s", third, first)
	}
}

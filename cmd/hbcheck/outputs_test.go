package main

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNativeOutput: programs have the same output in the machine as natively, with the library, the
// language and the settings of the go command and of the module's go line. Programs in files whose names
// begin with a release are for that and newer releases.
func TestNativeOutput(t *testing.T) {
	files, err := filepath.Glob("testdata/native/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			first, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_")
			if minor, ok := strings.CutPrefix(first, "go1"); ok && !slices.Contains(build.Default.ReleaseTags, "go1."+minor) {
				t.Skip("needs a newer release of Go")
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range archive.Files {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			want, err := exec.Command("go", "run", ".").CombinedOutput()
			if err != nil {
				t.Fatalf("natively: %v\n%s", err, want)
			}
			var out, errs strings.Builder
			if code := run([]string{"run", "."}, nil, &out, &errs); code != exitOK || out.String() != string(want) {
				t.Errorf("exit status %d\n%s%s\nwant\n%s", code, out.String(), errs.String(), want)
			}
		})
	}
}

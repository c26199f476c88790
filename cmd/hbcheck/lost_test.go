package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

const panics = `package lost

import "testing"

func TestA(t *testing.T) { panic("A") }

func TestB(t *testing.T) { panic("B") }
`

// TestUnwritable: what cannot be written for a bug is a warning, and the bug is reported.
func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lost_test.go", []byte(panics), 0o666); err != nil {
		t.Fatal(err)
	}
	for format, bug := range map[string]string{"text": "HB004: panic: ", "json": `"message":"panic: `} {
		var out, errs bytes.Buffer
		code := run([]string{"--format", format, "-o", "lost_test.go/dir", "lost_test.go"}, strings.NewReader(""), &out, &errs)
		if code != exitBug || !strings.Contains(out.String(), bug+"A") || !strings.Contains(out.String(), bug+"B") {
			t.Errorf("%s: exit %d: %s", format, code, &out)
		}
		if strings.Contains(out.String(), ".hbr") {
			t.Errorf("%s: a replay file that is not there is named: %s", format, &out)
		}
		if n := strings.Count(errs.String(), "warning: no replay file: mkdir lost_test.go"); n != 2 {
			t.Errorf("%s: %d warnings: %s", format, n, &errs)
		}
	}
}

// TestReplaceLink: a link where a replay file goes is replaced; what it leads to is not touched.
func TestReplaceLink(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"lost_test.go": panics, "victim": "mine"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(".hbcheck", 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(".hbcheck", "TestA.1.hbr")
	if err := os.Symlink("../victim", link); err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	if code := run([]string{"--run", "TestA", "lost_test.go"}, strings.NewReader(""), &out, &out); code != exitBug {
		t.Fatalf("exit %d: %s", code, &out)
	}
	if text, err := os.ReadFile("victim"); err != nil || string(text) != "mine" {
		t.Errorf("the file behind the link is %q: %v", text, err)
	}
	if _, err := report.ReadReplay(link); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(".hbcheck"); err != nil || len(list) != 2 { // and the page
		t.Errorf("%v: %v", list, err)
	}
}

// TestFailedEntry: an entry that hbcheck cannot explore, by a mistake of its own or not, does not
// keep the others from being explored; the exit status says so.
func TestFailedEntry(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lost_test.go", []byte(panics), 0o666); err != nil {
		t.Fatal(err)
	}
	f := exploreFlags{por: "jpf", hybrid: "none", match: "auto", format: "text", maxSteps: -1, jobs: 1, preempt: -1}
	f.time, f.rand, f.out = "any", "all", ".hbcheck"
	prog, err := loadProgram(f.config([]string{"lost_test.go"}, true))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, f.build)
	if err != nil {
		t.Fatal(err)
	}
	panicking, failing := entries[0], entries[0]
	panicking.Name, panicking.New = "TestX", func(func() bool) (explore.Machine, error) { panic("BUG: own mistake") }
	failing.Name, failing.New = "TestY", func(func() bool) (explore.Machine, error) { return nil, errors.New("cannot be built") }
	opts := explore.Options{POR: explorers.Lookup("jpf"), Match: true}
	var out, errs bytes.Buffer
	cmd := exploreCommand()
	cmd.SetErr(&errs)
	paths := report.Paths{Base: prog.Dir}
	w := f.writer(&out, paths, 4, "")
	code, err := f.exploreAll(cmd, []explore.Entry{entries[0], panicking, failing, entries[1]}, opts, &directives{prog: prog}, nil, nil, w,
		&replayFiles{dir: f.out, paths: paths, flags: &f})
	if err != nil || code != exitUsage {
		t.Errorf("exit %d, %v", code, err)
	}
	for _, want := range []string{"HB004: panic: A", "HB004: panic: B", "TestX\tnot explored: ", "TestY\tnot explored: cannot be built"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, &out)
		}
	}
	for _, want := range []string{"internal error: BUG: own mistake", "lost_test.go:", ".TestY: cannot be built"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in %s", want, &errs)
		}
	}
}

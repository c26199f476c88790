package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

const panics = `package lost

import "testing"

func TestA(t *testing.T) { panic("A") }

func TestB(t *testing.T) { panic("B") }
`

// TestUnwritable: a failed write of a bug's file is a warning, and the bug is reported.
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

// TestReplaceLink: a link in place of a replay file is replaced; its target is not touched.
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

// TestFailedEntry: if hbcheck cannot explore an entry, by an internal error or not, the others are still
// explored; the exit status shows the failure.
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
	panicking.Name, panicking.New = "TestX", func(func() bool) (describe.Machine, error) { panic("BUG: own mistake") }
	failing.Name, failing.New = "TestY", func(func() bool) (describe.Machine, error) { return nil, errors.New("cannot be built") }
	opts := explore.Options{POR: explorers.Lookup("jpf"), Match: true}
	var out, errs bytes.Buffer
	cmd := exploreCommand()
	cmd.SetErr(&errs)
	paths := report.Paths{Base: prog.Dir}
	w := f.writer(&out, &out, paths, 4, nextTime{})
	code, err := f.exploreAll(cmd, []explore.Entry{entries[0], panicking, failing, entries[1]}, opts, &directives{prog: prog}, nil, nil, w,
		&replayFiles{dir: f.out, paths: paths, flags: &f}, nil, nil)
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

// TestMistakes: an internal error beside an exploration, in the files of a bug, or in writing a result does
// not affect other entries, bugs and writers; the exit status shows it.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lost_test.go", []byte(panics), 0o666); err != nil {
		t.Fatal(err)
	}
	f := exploreFlags{por: "jpf", hybrid: "none", match: "auto", format: "text,json:all.json", maxSteps: -1, jobs: 1, preempt: -1}
	f.time, f.rand, f.out, f.html = "any", "all", ".hbcheck", htmlOff
	prog, err := loadProgram(f.config([]string{"lost_test.go"}, true))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, f.build)
	if err != nil {
		t.Fatal(err)
	}
	unsaved := entries[0]
	unsaved.Name = "TestX" // there is no listing, so that saving it fails
	opts := explore.Options{POR: explorers.Lookup("jpf"), Match: true}
	for _, tt := range []struct {
		name, want string
		break_     func(list *[]explore.Entry, sv **saves, x *replayFiles, w *report.Writer)
	}{
		{"beside the exploration", "TestX\tnot explored: hbcheck", func(list *[]explore.Entry, sv **saves, _ *replayFiles, _ *report.Writer) {
			*list = []explore.Entry{unsaved}
			*sv = &saves{}
		}},
		{"in the file of a bug", "HB004: panic: A", func(_ *[]explore.Entry, _ **saves, x *replayFiles, _ *report.Writer) {
			f.html = htmlAuto // the page shows source
			x.paths.Source = func(string) string { panic("BUG: of a file") }
		}},
		{"in writing", "TestA\tnot explored: internal error", func(_ *[]explore.Entry, _ **saves, _ *replayFiles, w *report.Writer) {
			all := (*w).(report.Writers)
			text := all[0].(closing)
			text.Writer = guarded{mistakenWriter{text.Writer.(guarded).Writer, "TestA"}, text.Writer.(guarded).mistake}
			all[0] = text
		}},
		{"at the end", "HB004: panic: A", func(_ *[]explore.Entry, _ **saves, _ *replayFiles, w *report.Writer) {
			all := (*w).(report.Writers)
			text := all[0].(closing)
			text.Writer = guarded{mistakenWriter{text.Writer.(guarded).Writer, "Close"}, text.Writer.(guarded).mistake}
			all[0] = text
		}},
	} {
		var out, errs bytes.Buffer
		cmd := exploreCommand()
		cmd.SetErr(&errs)
		f.mistaken, f.html = false, htmlOff
		w := f.writer(&out, &errs, report.Paths{Base: prog.Dir}, 4, nextTime{})
		list, sv, files := slices.Clone(entries), (*saves)(nil), &replayFiles{dir: f.out, paths: report.Paths{Base: prog.Dir}, flags: &f}
		tt.break_(&list, &sv, files, &w)
		code, err := f.exploreAll(cmd, list, opts, &directives{prog: prog}, nil, sv, w, files, nil, nil)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if f.mistaken || files.mistaken {
			code = exitUsage
		}
		if err != nil || code != exitUsage {
			t.Errorf("%s: exit %d, %v", tt.name, code, err)
		}
		if len(list) > 1 {
			all, err := os.ReadFile("all.json")
			if err != nil || !strings.Contains(string(all), "panic: A") || !strings.Contains(string(all), "panic: B") || !strings.Contains(out.String(), "HB004: panic: B") {
				t.Errorf("%s: %v\n%s\n%s", tt.name, err, all, &out)
			}
		}
		if !strings.Contains(out.String(), tt.want) || !strings.Contains(errs.String(), "internal error: ") {
			t.Errorf("%s: no %q in %s%s", tt.name, tt.want, &out, &errs)
		}
	}
}

// mistakenWriter panics for one entry, or at the end.
type mistakenWriter struct {
	report.Writer
	at string
}

func (w mistakenWriter) Result(r *explore.Result, files []report.Files) error {
	if r.Entry == w.at {
		panic("BUG: of a writer")
	}
	return w.Writer.Result(r, files)
}

func (w mistakenWriter) Close() error {
	if w.at == "Close" {
		panic("BUG: of a writer")
	}
	return w.Writer.Close()
}

// TestStems: entries whose names are equal in a file system have separate files.
func TestStems(t *testing.T) {
	var x replayFiles
	for _, tt := range [][3]string{{"p", "TestA", "TestA"}, {"q", "TestA", "q.TestA"}, {"p", "Testa", "p.Testa"}, {"P", "TestA", "P.TestA~2"},
		{"p", "t/x", "t_x"}, {"p", "t:x", "p.t_x"}, {"p", "t|x", "p.t_x~2"}} {
		if got := x.stem(&explore.Result{Package: tt[0], Entry: tt[1]}); got != tt[2] {
			t.Errorf("%s.%s: %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
}

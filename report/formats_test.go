package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

// hostileText is a text that a program can print, or with which it can panic.
const hostileText = "a <b> & \"c\" `d` | [e](f) %\r\n::error::x\x00\x1b[2J\xff ]]>"

// hostile is a result all of whose texts are hostile.
func hostile() *explore.Result {
	b := deposit()
	b.Detail = bug.TestFailed{Message: hostileText}
	b.Output = []byte(hostileText)
	for i := range b.Events {
		b.Events[i].What, b.Events[i].Effect = hostileText, hostileText
	}
	b.Pos.Filename = dir + "/a b,c:d%.go"
	return &explore.Result{Package: hostileText, Entry: hostileText, Verdict: explore.Fail, POR: "full", Bugs: []*bug.Bug{b}}
}

// machineFormats are the formats that other programs read. A new format gets a row.
var machineFormats = []struct {
	name string
	new  func(w io.Writer, text Text) Writer // text, with its Paths, is how reports are written
	// valid checks the output for the hostile result, and for one that is not explored.
	valid func(t *testing.T, out []byte)
}{
	{"json", func(w io.Writer, text Text) Writer { return &JSON{W: w, Paths: text.Paths, Outcomes: true} }, jsonLines},
	{"sarif", func(w io.Writer, text Text) Writer { return &SARIF{W: w, Paths: text.Paths, Version: "v1"} },
		func(t *testing.T, out []byte) {
			if !json.Valid(out) {
				t.Errorf("no JSON: %s", out)
			}
		}},
	{"github", func(w io.Writer, text Text) Writer { return &GitHub{W: w, Paths: text.Paths, Text: text} },
		func(t *testing.T, out []byte) {
			for l := range bytes.Lines(out) {
				if !bytes.HasPrefix(l, []byte("::error ")) {
					t.Errorf("a line that is no annotation of ours: %q", l)
				}
			}
			if n := bytes.Count(out, []byte("\n")); n != 2 {
				t.Errorf("%d annotations, want 2: %s", n, out)
			}
			if !bytes.Contains(out, []byte("file=a b%2Cc%3Ad%25.go,")) {
				t.Errorf("the file's name is not escaped: %s", out)
			}
		}},
	{"junit.xml", func(w io.Writer, text Text) Writer { return &JUnit{W: w, Text: text} },
		func(t *testing.T, out []byte) {
			var suites junitSuites
			if err := xml.Unmarshal(out, &suites); err != nil || suites.Failures != 1 || suites.Errors != 1 {
				t.Errorf("%+v, %v: %s", suites, err, out)
			}
		}},
	{"test2json", func(w io.Writer, text Text) Writer { return &Test2JSON{W: w, Text: text} }, jsonLines},
}

// jsonLines checks that each line is a value of JSON.
func jsonLines(t *testing.T, out []byte) {
	for l := range bytes.Lines(out) {
		if !json.Valid(l) {
			t.Errorf("no JSON: %q", l)
		}
	}
}

// TestFormats: golden files of the formats for other programs.
func TestFormats(t *testing.T) {
	for _, f := range machineFormats {
		t.Run(f.name, func(t *testing.T) {
			var b bytes.Buffer
			w := f.new(&b, Text{Paths: Paths{Base: dir}})
			for _, r := range results() {
				var files []Files
				for i := range r.Bugs {
					name := fmt.Sprintf(".hbcheck/%s.%d", r.Entry, i+1)
					files = append(files, Files{name + ".hbr", name + ".html"})
				}
				if err := w.Result(r, files); err != nil {
					t.Fatal(err)
				}
			}
			for _, entry := range []string{"TestBroken", ""} {
				if err := w.Failed("example.com/broken", entry, "build failed\nin two lines"); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			golden(t, "results."+f.name+".golden", b.Bytes())
		})
	}
}

// TestHostile: the formats stay valid for every text of a program.
func TestHostile(t *testing.T) {
	for _, f := range machineFormats {
		t.Run(f.name, func(t *testing.T) {
			var b bytes.Buffer
			writeHostile(t, f.new(&b, Text{Paths: Paths{Base: dir}}))
			noControls(t, b.String())
			f.valid(t, b.Bytes())
		})
	}
	t.Run("summary", func(t *testing.T) {
		summary := filepath.Join(t.TempDir(), "summary")
		writeHostile(t, &GitHub{W: io.Discard, Paths: Paths{Base: dir}, Summary: summary})
		md, err := os.ReadFile(summary)
		if err != nil {
			t.Fatal(err)
		}
		noControls(t, string(md))
		for l := range strings.Lines(string(md)) {
			if strings.HasPrefix(l, "| ") && strings.Count(strings.ReplaceAll(l, "\\|", ""), "|") != 5 {
				t.Errorf("not four cells: %q", l)
			}
		}
	})
}

// writeHostile writes the hostile result, and one that is not explored.
func writeHostile(t *testing.T, w Writer) {
	t.Helper()
	if err := w.Result(hostile(), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Failed(hostileText, hostileText, hostileText); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func noControls(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x00\x1b\r") || strings.Contains(text, "\xff") {
		t.Errorf("control characters: %q", text)
	}
}

// TestAnnotations: GitHub shows ten of a kind, so there are ten, and a line about the others.
func TestAnnotations(t *testing.T) {
	var b bytes.Buffer
	w := &GitHub{W: &b, Paths: Paths{Base: dir}}
	for range 12 {
		r := results()[2]
		r.Bugs = append(r.Bugs, deposit())
		if err := w.Result(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "::error "); n != mostAnnotations || !strings.Contains(b.String(), "::14 more errors") {
		t.Errorf("%d errors: %s", n, &b)
	}
}

// TestFingerprint: it does not change when lines move, and distinguishes bugs.
func TestFingerprint(t *testing.T) {
	x := &SARIF{Paths: Paths{Base: dir}}
	r := results()[2]
	moved := deposit()
	moved.Pos.Line += 10
	if a, b := x.fingerprint(r, deposit()), x.fingerprint(r, moved); a != b {
		t.Errorf("%s and, ten lines below, %s", a, b)
	}
	if a, b := x.fingerprint(r, deposit()), x.fingerprint(r, race()); a == b {
		t.Errorf("two bugs are %s", a)
	}
}

// TestExplain: every code has an explanation, in lines that fit.
func TestExplain(t *testing.T) {
	for _, k := range bug.Kinds() {
		text := Explain(strings.ToLower(k.Code()))
		if !strings.HasPrefix(text, k.Code()+": ") || !strings.Contains(text, "What helps:") {
			t.Errorf("%s: %q", k.Code(), text)
		}
		for l := range strings.Lines(text) {
			if len(l) > 120 {
				t.Errorf("%s: a line of %d columns: %s", k.Code(), len(l), l)
			}
		}
	}
	if Explain("HB999") != "" {
		t.Error("HB999 is explained")
	}
}

// TestRepetitions: a bug that several entries share is one result, and one command of GitHub's.
func TestRepetitions(t *testing.T) {
	var log, commands bytes.Buffer
	summary := filepath.Join(t.TempDir(), "summary.md")
	sarif := &SARIF{W: &log, Paths: Paths{Base: dir}}
	github := &GitHub{W: &commands, Paths: Paths{Base: dir}, Text: Text{Paths: Paths{Base: dir}}, Summary: summary}
	for _, w := range []Writer{sarif, github} {
		for _, entry := range []string{"TestA", "TestB", "TestC"} {
			r := &explore.Result{Package: "example.com/bank", Entry: entry, Verdict: explore.Fail, POR: "full", Bugs: []*bug.Bug{deposit()}}
			if err := w.Result(r, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, entry := range []string{"TestD", "TestE"} {
			r := &explore.Result{Package: "example.com/bank", Entry: entry, Verdict: explore.Incomplete, POR: "full",
				Incomplete: []explore.Reason{{Cause: explore.CauseStopped, Text: "stopped"}}}
			if err := w.Result(r, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const also = "also in 2 other entries: TestB, TestC"
	if got := log.String(); strings.Count(got, `"ruleId"`) != 1 || strings.Count(got, also) != 1 || !strings.Contains(got, `"occurrenceCount": 3`) {
		t.Errorf("results:\n%s", got)
	}
	if got := commands.String(); strings.Count(got, "::error ") != 1 || strings.Count(got, also) != 1 ||
		strings.Count(got, "::warning ") != 1 || !strings.Contains(got, "2 entries not explored completely::example.com/bank.TestD, example.com/bank.TestE") {
		t.Errorf("commands:\n%s", got)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Count(got, "the same as in TestA, see above") != 2 || strings.Count(got, "why: ") != 1 {
		t.Errorf("summary:\n%s", got)
	}
}

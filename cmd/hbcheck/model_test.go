package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/report"
)

// TestModel: docs/dev/model.md and the flags describe the same environment. Each flag that changes the
// environment has a row for each of its values, and no row names an unknown flag or value. docs/model.md
// and README name them, too.
func TestModel(t *testing.T) {
	page := document(t, "docs/dev/model.md")
	all := exploreCommand().Flags()
	var machine machineFlags
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	machine.register(fs)
	var rows []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, line)
		}
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Name == "outcomes" { // what is reported
			return
		}
		values, _ := pflag.UnquoteUsage(f)
		for _, v := range strings.Split(values, "|") {
			want := "`--" + f.Name
			if strings.Contains(values, "|") {
				want += "=" + v
			}
			if !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, want+"`") }) {
				t.Errorf("docs/dev/model.md has no row with %s`", want)
			}
		}
	})
	for _, m := range regexp.MustCompile("`--([a-z-]+)(?:=([a-z]+))?[`,]").FindAllStringSubmatch(page, -1) {
		f := all.Lookup(m[1])
		if f == nil {
			t.Errorf("docs/dev/model.md names --%s, which there is not", m[1])
			continue
		}
		if values, _ := pflag.UnquoteUsage(f); strings.Contains(values, "|") && m[2] != "" && !slices.Contains(strings.Split(values, "|"), m[2]) {
			t.Errorf("docs/dev/model.md names --%s=%s, which there is not", m[1], m[2])
		}
	}
	short := document(t, "docs/model.md")
	fs.VisitAll(func(f *pflag.Flag) {
		environment := slices.Contains([]string{"time", "slack", "rand", "seed", "maps", "signals", "net", "input-len", "unwind", "stdin", "env"}, f.Name)
		if environment && !strings.Contains(short, "`--"+f.Name+"`") {
			t.Errorf("docs/model.md does not have --%s", f.Name)
		}
	})
	for _, word := range report.AssumedWords() {
		if !strings.Contains(short, "`"+word+"`") {
			t.Errorf("docs/model.md does not have %s", word)
		}
	}
	for _, want := range []string{"(docs/model.md)", "`--assume="} {
		if !strings.Contains(document(t, "README.md"), want) {
			t.Errorf("README.md does not have %s", want)
		}
	}
}

// document reads a document of the repository.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(start, "..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

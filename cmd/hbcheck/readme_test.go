package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestREADME: the README shows the output of its first command, in the same order. Left out there is the
// stack, which has absolute paths.
func TestREADME(t *testing.T) {
	t.Chdir(filepath.Join(start, "..", ".."))
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "    go run ./cmd/hbcheck ./testdata/examples/...\n"
	readme := string(text)
	if !strings.Contains(readme, command) {
		t.Fatalf("no such command in the README: %s", command)
	}
	ci, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	if test := "go test ./..."; !strings.Contains(readme, "    "+test+"\n") || !strings.Contains(string(ci), test) {
		t.Errorf("the README and .ci/run do not both say %q", test)
	}
	readme = timeRE.ReplaceAllString(readme, "0.00s")
	var out bytes.Buffer
	code := run([]string{"-o", t.TempDir(), "./testdata/examples/..."}, strings.NewReader(""), &out, &out)
	if code != exitBug {
		t.Errorf("exit %d", code)
	}
	shown := 0
	for line := range strings.Lines(timeRE.ReplaceAllString(out.String(), "0.00s")) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "goroutine "), strings.HasPrefix(line, "hbcheck.dev/"), strings.HasPrefix(line, "\t"),
			strings.HasPrefix(line, "replay: "), strings.HasPrefix(line, "page: "), strings.HasPrefix(line, "FAIL\t"):
			continue
		}
		_, rest, ok := strings.Cut(readme, "    "+line+"\n")
		if !ok {
			t.Errorf("the README does not show %q, or not in this place", line)
			continue
		}
		readme = rest
		shown++
	}
	if shown < 24 {
		t.Errorf("only %d lines:\n%s", shown, &out)
	}
}

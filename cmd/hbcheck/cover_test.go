package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestCoverProfile: of tests of one goroutine the profile is that of go test, block by block.
func TestCoverProfile(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/cover/blocks.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	native := exec.Command("go", "test", "-coverprofile=native.out", "-covermode=set", "-coverpkg=./...", "./...")
	if out, err := native.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := profile(t, "native.out")
	if reached := slices.ContainsFunc(want, func(l string) bool { return strings.HasSuffix(l, " 1") }); len(want) < 50 || !reached {
		t.Fatalf("the profile of go test has %d lines", len(want))
	}
	for i, por := range []string{"auto", "full", "jpf", "optimal", "source", "context", "clockvector", "graph", "random"} {
		if !deep.Every(8, i) {
			continue
		}
		var out, errs strings.Builder
		args := []string{"--por=" + por, "--coverprofile=own.out", "--html=off", "./..."}
		if por == "random" {
			args = append(args, "--max-executions=20")
		}
		if code := run(args, nil, &out, &errs); code != exitOK && code != exitIncomplete {
			t.Fatalf("--por=%s: exit %d\n%s%s", por, code, out.String(), errs.String())
		}
		if got := profile(t, "own.out"); !slices.Equal(got, want) {
			t.Errorf("--por=%s: the profile is not that of go test:\n%s", por, difference(got, want))
		}
	}
	if out, err := exec.Command("go", "tool", "cover", "-func=own.out").CombinedOutput(); err != nil || !strings.Contains(string(out), "total:") {
		t.Errorf("go tool cover: %v\n%s", err, out)
	}
}

// profile returns the lines of a cover profile, sorted. With several packages under test, go test
// writes each block once for every package; a block has been executed if one of its lines says so.
func profile(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	reached := make(map[string]string)
	for i, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i == 0 {
			if l != "mode: set" {
				t.Fatalf("%s begins with %q", name, l)
			}
			continue
		}
		k := strings.LastIndexByte(l, ' ')
		reached[l[:k]] = max(reached[l[:k]], l[k:])
	}
	for block, count := range reached {
		lines = append(lines, block+count)
	}
	slices.Sort(lines)
	return lines
}

// difference lists the lines that are in one of two lists.
func difference(got, want []string) (s string) {
	for _, l := range got {
		if !slices.Contains(want, l) {
			s += "+ " + l + "\n"
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			s += "- " + l + "\n"
		}
	}
	return s
}

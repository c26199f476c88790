package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// A buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer // guarded by mu
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestWatch: a round explores the entries that depend on a change, asks the go command about the changed
// program, and prints only news.
func TestWatch(t *testing.T) {
	t.Setenv(verdicts.Variable, filepath.Join(t.TempDir(), "cache"))
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		// As in most editors, the file is never empty.
		if err := os.WriteFile(name+"~", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+"~", name); err != nil {
			t.Fatal(err)
		}
	}
	const test = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif A() != 1 {\n\t\tt.Error(A())\n\t}\n}\n"
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("a/a.go", "package a\n\nfunc A() int { return 1 }\n")
	write("a/a_test.go", test)
	write("b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n")

	args := []string{"watch", "./..."}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), lineKey{}, args))
	out, ended := new(buffer), make(chan int, 1)
	go func() { ended <- execute(ctx, args, strings.NewReader(""), out, out) }()
	printed := 0
	round := func() string {
		t.Helper()
		for {
			select {
			case code := <-ended:
				t.Fatalf("exit %d\n%s", code, out)
			case <-time.After(5 * time.Millisecond):
			}
			all := out.String()
			if at := strings.Index(all[printed:], "watching "); at >= 0 {
				said := all[printed : printed+at]
				printed += at + len("watching ")
				return said
			}
		}
	}
	has := func(what string, with, without []string) {
		t.Helper()
		said := round()
		for _, s := range with {
			if !strings.Contains(said, s) {
				t.Errorf("%s: no %q in\n%s", what, s, said)
			}
		}
		for _, s := range without {
			if strings.Contains(said, s) {
				t.Errorf("%s: %q in\n%s", what, s, said)
			}
		}
	}
	has("first", []string{"ok  \texample.com/m/a\tTestA", "TestB", "2 entries: 2 ok"}, nil)
	write("a/a.go", "package a\n\nfunc A() int { return 2 }\n")
	has("a bug", []string{"changed: a/a.go\n", "--- FAIL: TestA"}, []string{"\tTestB"})
	write("a/a.go", "package a\n\nfunc A() int { return 1 }\n")
	has("as before", []string{"changed: a/a.go\n", "2 entries explored before: no bug"}, []string{"\tTest"})
	write("c/c.go", "package c\n\nfunc C() int { return 3 }\n")
	write("a/a.go", "package a\n\nimport \"example.com/m/c\"\n\nfunc A() int { return c.C() }\n")
	for said := ""; !strings.Contains(said, "a_test.go:7:10: HB005: test failed: 3"); { // perhaps two rounds
		said = round()
		if strings.Contains(said, "package example.com/m/c is not") {
			t.Error(said)
		}
	}
	write("a/a_test.go", strings.ReplaceAll(test, "A() != 1", "A() != 3"))
	has("a test", []string{"changed: a/a_test.go\n", "ok  \texample.com/m/a\tTestA"}, []string{"FAIL", "\tTestB"})
	write("a/testdata/x", "x")
	has("a file that nothing reads", []string{"changed: a/testdata/x\n", "entries explored before"}, []string{"\tTest"})
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("exit %d", code)
	}
}

// TestWatchRefuses: flags for a single exploration.
func TestWatchRefuses(t *testing.T) {
	for _, flag := range notWatched {
		if flag == "cluster" || flag == "dot" {
			continue // set to a value
		}
		if flagNamed(watchCommand(), flag) == nil {
			t.Errorf("there is no flag %s", flag)
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"watch", "--since", "HEAD", "."}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "--since is about one exploration") {
		t.Errorf("exit %d: %s", code, &errs)
	}
}

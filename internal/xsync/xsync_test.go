// Package xsync explores a real library, golang.org/x/sync, as it comes from the module proxy, with
// small concurrent tests of ours (testdata/tests). The library itself has no bug; if one line of it
// is broken, the bug is found.
package xsync

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

const module = "golang.org/x/sync"

// library returns the directory of the library's source. The test is skipped where it is neither in
// the module cache nor available from a proxy.
func library(t *testing.T) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = filepath.Join("testdata", "tests")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Skipf("%s is not available: %v\n%s%s", module, err, &stderr, &stdout)
	}
	cmd = exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = filepath.Join("testdata", "tests")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// exploreTests explores the tests in dir whose names match run, each until its
// first bug.
func exploreTests(t *testing.T, dir, run string, cache *load.Cache) map[string]*explore.Result {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	filter, err := selection.ParseFilter(run)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{Run: filter}, func(p *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(p, e, vm.Config{Interrupt: interrupted})
	})
	if err != nil {
		t.Fatal(err)
	}
	jpf := explorers.Lookup("jpf")
	results := make(map[string]*explore.Result)
	for _, e := range entries {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 2*time.Minute, errors.New("two minutes are over"))
		r, err := explore.Run(ctx, e, explore.Options{POR: jpf, Match: true, MaxSteps: 100_000, NoMinimise: true})
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		results[e.Name] = r
	}
	return results
}

// TestUntouched: every interleaving of every test is covered, and none has a bug.
func TestUntouched(t *testing.T) {
	library(t)
	results := exploreTests(t, filepath.Join("testdata", "tests"), "", nil)
	if len(results) != 10 {
		t.Errorf("%d tests, want 10", len(results))
	}
	for name, r := range results {
		if r.Verdict != explore.OK {
			t.Errorf("%s: %s %v", name, r.Verdict, r.Incomplete)
			for _, b := range r.Bugs {
				t.Logf("%v: %v: %s", b.Pos, b.Kind, b.Detail)
			}
		}
		if r.Stats.Executions < 2 {
			t.Errorf("%s: %d executions: is it concurrent?", name, r.Stats.Executions)
		}
	}
}

// TestBroken: the tests named find the bug of a library with one broken line, as expected. kinds
// lists the kinds of bugs that may be found first.
func TestBroken(t *testing.T) {
	dir := library(t)
	var cache load.Cache
	for _, c := range []struct {
		what, file, old, new string
		kinds                string
		tests                string
	}{
		{"a goroutine is not counted as done", "errgroup/errgroup.go", "\tg.wg.Done()\n", "", "deadlock", "TestErrgroupContext TestErrgroupTwoErrors TestErrgroupLimit"},
		{"Wait does not wait", "errgroup/errgroup.go", "\tg.wg.Wait()\n", "", "race failure", "TestErrgroupTwoErrors TestErrgroupLimit"},
		{"no token is taken", "errgroup/errgroup.go", "\t\tg.sem <- token{}\n", "", "deadlock failure", "TestErrgroupLimit"},
		{"errors are stored without the Once", "errgroup/errgroup.go", "g.errOnce.Do(func() {\n\t\t\t\tg.err = err", "func(f func()) { f() }(func() {\n\t\t\t\tg.err = err", "race", "TestErrgroupTwoErrors"},
		{"a token is not given back", "errgroup/errgroup.go", "\t\t<-g.sem\n", "", "deadlock", "TestErrgroupLimit"},
		{"the context is not cancelled by an error", "errgroup/errgroup.go", "\t\t\t\t\tg.cancel(g.err)\n", "", "deadlock", "TestErrgroupContext"},

		{"callers are counted without the lock", "singleflight/singleflight.go", "\t\tc.dups++\n\t\tg.mu.Unlock()\n\t\tc.wg.Wait()\n", "\t\tg.mu.Unlock()\n\t\tc.dups++\n\t\tc.wg.Wait()\n", "race failure", "TestSingleflightDo"},
		{"waiters are not made to wait", "singleflight/singleflight.go", "\t\tc.wg.Wait()\n", "", "race failure", "TestSingleflightDo"},
		{"a call is entered after the lock is given back", "singleflight/singleflight.go", "\tg.m[key] = c\n\tg.mu.Unlock()\n\n\tg.doCall", "\tg.mu.Unlock()\n\tg.m[key] = c\n\n\tg.doCall", "race", "TestSingleflightDo TestSingleflightOneAtATime"},
		{"a call ends without the lock", "singleflight/singleflight.go", "\t\tg.mu.Lock()\n\t\tdefer g.mu.Unlock()\n", "", "race", "TestSingleflightDo"},
		{"results are sent to nobody", "singleflight/singleflight.go", "\t\t\t\tch <- Result{", "\t\t\t\t_, _ = ch, Result{", "deadlock", "TestSingleflightDoChan"},

		{"a waiter at the front that gives up wakes nobody", "semaphore/semaphore.go", "if isFront && s.size > s.cur {", "if !isFront && s.size > s.cur {", "deadlock", "TestSemaphoreCancel"},
		{"a cancelled waiter that got in keeps its weight", "semaphore/semaphore.go", "\t\t\ts.cur -= n\n\t\t\ts.notifyWaiters()\n", "\t\t\ts.notifyWaiters()\n", "failure", "TestSemaphoreCancelLate"},
		{"a waiter is let in without its weight", "semaphore/semaphore.go", "\t\ts.cur += w.n\n", "", "failure panic", "TestSemaphoreWeights"},
		{"nobody is woken", "semaphore/semaphore.go", "\tif s.cur < 0 {\n\t\ts.mu.Unlock()\n\t\tpanic(\"semaphore: released more than held\")\n\t}\n\ts.notifyWaiters()\n", "", "deadlock", "TestSemaphoreWeights"},
		{"the weight is taken after the lock is given back", "semaphore/semaphore.go", "\t\ts.cur += n\n\t\ts.mu.Unlock()\n\t\treturn nil\n", "\t\ts.mu.Unlock()\n\t\ts.cur += n\n\t\treturn nil\n", "race", "TestSemaphoreWeights"},
	} {
		t.Run(c.what, func(t *testing.T) {
			work := brokenCopy(t, dir, c.file, c.old, c.new)
			for name, r := range exploreTests(t, work, "^("+strings.ReplaceAll(c.tests, " ", "|")+")$", &cache) {
				switch {
				case r.Verdict != explore.Fail:
					t.Errorf("%s: %s in %d executions, want one of: %s", name, r.Verdict, r.Stats.Executions, c.kinds)
				case !strings.Contains(c.kinds, r.Bugs[0].Kind.String()):
					t.Errorf("%s: %v: %v: %s, want one of: %s", name, r.Bugs[0].Pos, r.Bugs[0].Kind, r.Bugs[0].Detail, c.kinds)
				}
				if r.Verdict != explore.OK && len(r.Bugs) > 0 {
					t.Logf("   %s %v %v %s", name, r.Bugs[0].Kind, r.Bugs[0].Pos, r.Bugs[0].Detail)
				}
			}
		})
	}
}

// brokenCopy returns a directory with the tests and a copy of the library at
// dir in which the only occurrence of old in file is replaced.
func brokenCopy(t *testing.T, dir, file, old, new string) string {
	t.Helper()
	work := t.TempDir()
	lib := filepath.Join(work, "sync")
	for _, pkg := range []string{"errgroup", "singleflight", "semaphore"} {
		copySource(t, filepath.Join(dir, pkg), filepath.Join(lib, pkg))
	}
	copyFile(t, filepath.Join(dir, "go.mod"), filepath.Join(lib, "go.mod"))
	name := filepath.Join(lib, filepath.FromSlash(file))
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// A line that occurs in several functions is broken where it comes first.
	if !bytes.Contains(src, []byte(old)) {
		t.Fatalf("%s has no %q", file, old)
	}
	write(t, name, bytes.Replace(src, []byte(old), []byte(new), 1))

	tests := filepath.Join(work, "tests")
	copySource(t, filepath.Join("testdata", "tests"), tests)
	mod, err := os.ReadFile(filepath.Join("testdata", "tests", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tests, "go.mod"), append(mod, "\nreplace "+module+" => ../sync\n"...))
	return tests
}

// copySource copies the Go files of a package. Tests of the library come along;
// they are not loaded.
func copySource(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", from, err)
	}
	for _, name := range names {
		copyFile(t, name, filepath.Join(to, filepath.Base(name)))
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, data)
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

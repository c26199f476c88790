package conformance

import (
	"bufio"
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

var report = flag.String("report", "", "write one line per program, with what is wrong with it, to this `file`")

// notRun begins the reason of a program that is not worth the time it takes to fail.
const notRun = "not run: "

// expected reads a list of expected failures: path and reason per line.
func expected(t *testing.T, file string) map[string]string {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := make(map[string]string)
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		path, reason, _ := strings.Cut(line, " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			t.Errorf("%s: %s has no reason", file, path)
		}
		list[path] = reason
	}
	return list
}

// check runs p and returns its failure, or nil.
func check(root string, p program) error {
	got, err := run(root, append([]string{p.path}, p.more...), p.args, p.env)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, tail(got))
	}
	want, err := os.ReadFile(filepath.Join(root, strings.TrimSuffix(p.path, ".go")+".out"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if got != string(want) {
		return fmt.Errorf("output differs\ngot:\n%s\nwant:\n%s", tail(got), tail(string(want)))
	}
	return nil
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

// TestDistribution runs the programs of the Go distribution's test folder that
// are to be run as they are. A program passes if it exits with status 0 and has the output of its .out
// file, or none if there is no such file.
func TestDistribution(t *testing.T) {
	distribution(t, "testdata/failures.txt", ".", "chan", "ken", "interface", "typeparam")
}

// TestFixedBugs does the same with the programs that once showed a bug of the
// real implementation.
func TestFixedBugs(t *testing.T) {
	distribution(t, "testdata/fixedbugs.txt", "fixedbugs")
}

func distribution(t *testing.T, list string, dirs ...string) {
	root := filepath.Join(build.Default.GOROOT, "test")
	if _, err := os.Stat(filepath.Join(root, "helloworld.go")); err != nil {
		t.Skipf("this Go distribution has no test folder: %v", err)
	}
	deep.Skip(t, "skipped with -short")
	failures := expected(t, list)
	var mu sync.Mutex
	passed, total := 0, 0
	t.Cleanup(func() { t.Logf("%d of %d programs pass", passed, total) })
	for _, dir := range dirs {
		programs, err := programs(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			reason, known := failures[p.path]
			delete(failures, p.path)
			t.Run(p.path, func(t *testing.T) {
				if why, ok := strings.CutPrefix(reason, notRun); ok {
					t.Skip(why)
				}
				t.Parallel()
				err := check(root, p)
				mu.Lock()
				defer mu.Unlock()
				total++
				if err == nil {
					passed++
				}
				note(t, p.path, err)
				switch {
				case err != nil && !known:
					t.Error(err)
				case err == nil && known:
					t.Errorf("passes, but %s says it cannot: %s", list, reason)
				}
			})
		}
	}
	for path := range failures {
		t.Errorf("%s: there is no program %s", list, path)
	}
}

// note appends a program's result to the report, if one is wanted. Callers hold a lock.
func note(t *testing.T, path string, result error) {
	if *report == "" {
		return
	}
	f, err := os.OpenFile(*report, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := "ok"
	if result != nil {
		text = strings.ReplaceAll(result.Error(), "\n", "\n\t")
	}
	fmt.Fprintf(f, "%s\t%s\n", path, text)
}

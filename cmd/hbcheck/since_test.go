package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestSince: exactly the entries that a change can concern are explored, for each kind of change.
func TestSince(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"q/q.go": `package q

type Queue struct{ n int }

func New() *Queue { return &Queue{} }

func (q *Queue) Len() int {
	return q.n
}

func (q *Queue) Push() {
	q.n++
	q.n--
	q.n++
}

func Other() int {
	return 1
}

var table = []int{1}

func init() {
	table[0] = 2
}

func Table() int { return table[0] }
`,
		"q/q_test.go": `package q

import "testing"

type lener interface{ Len() int }

func TestQueue(t *testing.T) {
	var l lener = New()
	_ = l.Len()
}

func TestOther(t *testing.T) { Other() }

func TestTable(t *testing.T) { Table() }
`,
		"p/p.go":      "package p\n\nimport \"example.com/m/q\"\n\nfunc Twice() int { return 2 * q.Other() }\n",
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice() != 2*1 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestNothing(t *testing.T) {}\n",
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runGit := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	runGit("init", "-q")
	runGit("add", ".")
	runGit("commit", "-q", "-m", "first")
	all := "TestNothing TestOther TestQueue TestTable TestTwice"
	tested := regexp.MustCompile(`\b(Test\w+)\t`)
	for i, x := range []struct {
		name, file, old, new, want string
	}{
		{"nothing", "", "", "", ""},
		{"a function", "q/q.go", "return 1\n", "return 1 * 1\n", "TestOther TestTwice"},
		{"a method by an interface", "q/q.go", "return q.n\n", "return q.n + 0\n", "TestQueue"},
		{"a method of the type", "q/q.go", "\tq.n--\n", "", "TestQueue"},
		{"an initialiser", "q/q.go", "= 2", "= 3", all},
		{"a variable", "q/q.go", "{1}", "{3}", all},
		{"a signature", "q/q.go", "func Other() int", "func Other() (n int)", all},
		{"a test", "q/q_test.go", "{ Table() }", "{ Table(); Table() }", "TestTable"},
		{"a test's package", "p/p_test.go", "func TestNothing(t *testing.T) {}\n", "func TestNothing(t *testing.T) {}\n\nvar x int\n", "TestNothing TestTwice"},
		{"a new file", "p/new.go", "", "package p\n", "TestNothing TestTwice"},
		{"data", "p/testdata/data", "", "x", "TestNothing TestTwice"},
		{"the module", "go.mod", "go 1.26\n", "go 1.26\n\n// changed\n", all},
	} {
		for _, committed := range deep.Pick([]bool{i%2 == 0}, []bool{false, true}) {
			if x.file != "" {
				write(x.file, strings.Replace(files[x.file], x.old, x.new, 1))
				if files[x.file] == "" {
					write(x.file, x.new)
				}
			}
			since := "HEAD"
			if committed && x.file != "" {
				since = "HEAD~1"
				runGit("add", ".")
				runGit("commit", "-q", "-m", x.name)
			}
			var out, errs bytes.Buffer
			if code := run([]string{"--since", since, "--html=off", "./..."}, strings.NewReader(""), &out, &errs); code != exitOK {
				t.Errorf("%s: exit %d\n%s%s", x.name, code, &out, &errs)
			}
			var got []string
			for _, m := range tested.FindAllStringSubmatch(out.String(), -1) {
				got = append(got, m[1])
			}
			slices.Sort(got)
			if strings.Join(got, " ") != x.want {
				t.Errorf("%s, committed %v: %v, want %s\n%s", x.name, committed, got, x.want, &errs)
			}
			if committed && x.file != "" {
				runGit("reset", "-q", "--hard", "HEAD~1")
			}
		}
		runGit("reset", "-q", "--hard")
		runGit("clean", "-q", "-f", "-d")
	}
	var out, errs bytes.Buffer
	if code := run([]string{"--since", "nonsense", "./..."}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "git knows no commit") {
		t.Errorf("exit %d: %s", code, &errs)
	}
}

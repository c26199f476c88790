package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
)

// A guide executes the examples of a document: indented blocks that begin with "$ " are commands, each with
// its output; blocks that begin with "-- name --" are files.
type guide struct {
	t    *testing.T
	file string // the document
	dir  string // where commands are executed
	env  []string

	commands int
}

// headRE is the first line of a file, or of a command with its output.
var headRE = regexp.MustCompile(`(?m)^(?:-- ([a-zA-Z0-9_./-]+) --|\$ (.*))\n`)

// execute walks through a document.
func (w *guide) execute(text string) {
	var block []string
	for i, line := range append(strings.Split(text, "\n"), "end") {
		if code, ok := strings.CutPrefix(line, "    "); ok || line == "" && len(block) > 0 {
			block = append(block, code)
			continue
		}
		if len(block) > 0 {
			w.block(strings.TrimRight(strings.Join(block, "\n"), "\n")+"\n", i+1)
			block = nil
		}
	}
}

// block writes files and executes commands; it ends before line n.
func (w *guide) block(text string, n int) {
	heads := headRE.FindAllStringSubmatchIndex(text, -1)
	if len(heads) == 0 || heads[0][0] > 0 {
		return // an example of something else
	}
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := text[h[1]:end]
		if h[2] < 0 {
			w.step(text[h[4]:h[5]], body, n)
			continue
		}
		name := filepath.Join(w.dir, text[h[2]:h[3]])
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.TrimRight(body, "\n")+"\n"), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}
}

// step executes a command. Its output must contain the lines of want, in this order; dots stand for any
// lines, and for any end of a line.
func (w *guide) step(command, want string, n int) {
	w.commands++
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), w.env...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	w.t.Logf("%.1f s: $ %s", time.Since(begin).Seconds(), command)
	bug := strings.Contains(want, "FAIL")
	if _, failed := err.(*exec.ExitError); err != nil && !failed || failed != bug {
		w.t.Fatalf("%s, before line %d: $ %s: %v\n%s", w.file, n, command, err, out)
	}
	got := timeRE.ReplaceAllString(string(out), "0.00s")
	for line := range strings.Lines(timeRE.ReplaceAllString(want, "0.00s")) {
		line = strings.TrimRight(line, "\n")
		if line == "..." || line == "" {
			continue
		}
		line, open := strings.CutSuffix(line, "...")
		at := strings.Index("\n"+got, "\n"+line)
		if at < 0 || !open && !strings.HasPrefix(command, "go test") && !strings.HasPrefix(got[at+len(line):], "\n") && line != "hbcheck" {
			w.t.Errorf("%s, before line %d: $ %s: no line %q, or not in this place, in\n%s", w.file, n, command, line, out)
			continue
		}
		got = got[at+len(line):]
	}
}

// newGuide makes a directory, and a path with this hbcheck.
func newGuide(t *testing.T, file string) (w *guide, text string) {
	t.Helper()
	repo, err := filepath.Abs(filepath.Join(start, "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(repo, "docs", file))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	return &guide{t: t, file: file, dir: t.TempDir(), env: []string{"CLONE=" + repo, "GOBIN=" + bin, "GOFLAGS=-buildvcs=false",
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HBCHECKCACHE=" + t.TempDir(), "NO_COLOR=1", "GITHUB_ACTIONS="}}, string(content)
}

// TestTour: the commands of docs/tour.md have the output shown there.
func TestTour(t *testing.T) {
	deep.Skip(t, "it builds hbcheck twice")
	w, text := newGuide(t, "tour.md")
	w.execute(text)
	if w.commands < 15 {
		t.Errorf("%d commands", w.commands)
	}
}

// TestCI: the steps of the workflow in docs/ci.md, and the hook, fail for a bug and pass without one.
func TestCI(t *testing.T) {
	deep.Skip(t, "it builds hbcheck")
	w, text := newGuide(t, "ci.md")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	test := func(lock, unlock string) string {
		return "package m\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tvar mu sync.Mutex\n\tvar wg sync.WaitGroup\n\tn := 0\n" +
			"\tfor range 2 {\n\t\twg.Go(func() { " + lock + "n = Add(n, 1)" + unlock + " })\n\t}\n\twg.Wait()\n\tmu.Lock()\n}\n"
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("add.go", "package m\n\nfunc Add(a, b int) int { return a + b }\n")
	write("add_test.go", test("mu.Lock(); ", "; mu.Unlock()"))
	for _, command := range []string{"git init -q", "git config user.email a@example.com", "git config user.name a", "git config core.hooksPath .git/hooks", "git commit -q --allow-empty -m first",
		"go mod edit -replace hbcheck.dev/hbcheck=$CLONE -require hbcheck.dev/hbcheck@v0.0.0 -tool hbcheck.dev/hbcheck/cmd/hbcheck", "go mod tidy"} {
		w.step(command, "", 0)
	}
	w.execute(text)
	summary := filepath.Join(t.TempDir(), "summary.md")
	w.env = append(w.env, "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE="+w.dir, "GITHUB_STEP_SUMMARY="+summary)
	var steps []string
	for _, m := range regexp.MustCompile(`(?m)^ +(?:- )?run: (.*)$`).FindAllStringSubmatch(text, -1) {
		steps = append(steps, m[1])
	}
	if len(steps) != 1 {
		t.Fatalf("steps that run commands: %q", steps)
	}
	for _, s := range steps {
		w.step(s, "", 0)
	}
	for _, name := range []string{"hbcheck.sarif", "cover.out", ".hbcheck/index.html", ".hbcheck/coverage.html"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "TestAdd") {
		t.Errorf("the summary: %v\n%s", err, text)
	}
	const commit = "git add add_test.go && git commit -q -m test"
	w.env = append(w.env, "GITHUB_ACTIONS=")
	w.step(commit, "", 0)
	write("add_test.go", test("", ""))
	w.step(steps[0], "--- FAIL: TestAdd...", 0)
	w.step(commit, "--- FAIL: TestAdd...", 0)
}

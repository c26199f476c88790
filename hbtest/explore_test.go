package hbtest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// hbcheck builds the tool once.
var hbcheck = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hbcheck")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "hbcheck-of-this-test")
	out, err := exec.Command("go", "build", "-o", path, "hbcheck.dev/hbcheck/cmd/hbcheck").CombinedOutput()
	if err != nil {
		err = &buildError{out, err}
	}
	return path, err
})

type buildError struct {
	out []byte
	error
}

func (e *buildError) Error() string { return e.error.Error() + "\n" + string(e.out) }

func TestMain(m *testing.M) {
	code := m.Run()
	if built {
		if path, err := hbcheck(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
	}
	os.Exit(code)
}

var built bool

// A module is a user's module that uses this package.
type module struct {
	*testing.T
	dir, tool string
	env       []string
}

// newModule makes a module with the files of testdata/user, which uses this repository.
func newModule(t *testing.T) *module {
	t.Helper()
	deep.Skip(t, "builds hbcheck, and modules that use it")
	path, err := hbcheck()
	if err != nil {
		t.Fatal(err)
	}
	built = true
	m := &module{T: t, dir: filepath.Join(t.TempDir(), "a [b]"), tool: path} // a pattern that does not match itself
	if err := os.CopyFS(m.dir, os.DirFS("testdata/user")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	m.write("go.mod", "module example.com/user\n\ngo 1.26.0\n\nrequire hbcheck.dev/hbcheck v0.0.0\n\nreplace hbcheck.dev/hbcheck => "+root+"\n")
	m.env = []string{"HBCHECK=" + path}
	return m
}

func (m *module) write(name, text string) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o666); err != nil {
		m.Fatal(err)
	}
}

// edit replaces text in a file.
func (m *module) edit(name, from, to string) {
	m.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		m.Fatal(err)
	}
	if !bytes.Contains(data, []byte(from)) {
		m.Fatalf("there is no %q in %s", from, name)
	}
	m.write(name, strings.ReplaceAll(string(data), from, to))
}

// run runs a command in dir, a directory of the module, and returns its output and whether it succeeds.
func (m *module) run(dir, name string, args ...string) (out string, ok bool) {
	m.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(m.dir, dir)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "HBCHECK=")
	cmd.Env = append(cmd.Env, m.env...)
	b, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		m.Fatal(err)
	}
	return string(b), err == nil
}

// test runs go test, which has to succeed or not, with output that matches the expressions.
func (m *module) test(ok bool, args []string, want ...string) string {
	m.Helper()
	out, succeeded := m.run(".", "go", append([]string{"test", "-v"}, args...)...)
	if succeeded != ok {
		m.Errorf("go test %v: success is %v, want %v", args, succeeded, ok)
	}
	m.want(out, want...)
	if m.Failed() {
		m.Fatalf("go test %v:\n%s", args, out)
	}
	return out
}

func (m *module) want(out string, want ...string) {
	m.Helper()
	for _, w := range want {
		if not, negative := strings.CutPrefix(w, "!"); regexp.MustCompile("(?m)"+not).MatchString(out) == negative {
			m.Errorf("want %q", w)
		}
	}
}

// recordings returns the files of a test's corpus.
func (m *module) recordings(test string) []string {
	m.Helper()
	dir := filepath.Join(m.dir, "testdata", "hbcheck", test)
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	var files []string
	for _, f := range list {
		files = append(files, filepath.Join(dir, f.Name()))
	}
	return files
}

// TestExplore: a test fails with a schedule, which is kept and replayed, and passes when the bug is gone.
func TestExplore(t *testing.T) {
	m := newModule(t)
	m.test(false, []string{"-run=^TestDeposit$"}, `^--- FAIL: TestDeposit`, `^ +stopped at the first bug`, `!^ .*--- FAIL`, `balance 1, want 2`, `◂ g1 preempted`, `^ +why: `,
		`replay: hbcheck replay testdata/hbcheck/TestDeposit/[0-9a-f]{16}\.hbr$`, `page: +\.hbcheck/TestDeposit\.1\.html$`, `!^ +FAIL\t`)
	files := m.recordings("TestDeposit")
	if len(files) != 1 {
		t.Fatalf("recorded: %q", files)
	}
	if page, err := os.ReadFile(filepath.Join(m.dir, ".hbcheck", "TestDeposit.1.html")); err != nil || !strings.Contains(string(page), filepath.Base(files[0])) {
		t.Errorf("the page does not name the file of its schedule (%v)", err)
	}
	if out, _ := m.run(".", m.tool, "replay", files[0]); !strings.Contains(out, "balance 1, want 2") {
		t.Errorf("the file of a schedule does not show it:\n%s", out)
	}
	m.test(false, []string{"-run=^TestDeposit$"}, `testdata/hbcheck/TestDeposit/[0-9a-f]{16}\.hbr still shows its bug`, `balance 1, want 2`)
	if again := m.recordings("TestDeposit"); len(again) != 1 || again[0] != files[0] {
		t.Errorf("recorded after a replay: %q", again)
	}
	m.edit("user_test.go", "want = 2", "want = 1") // the same schedule has no bug, another one has
	m.test(false, []string{"-run=^TestDeposit$"}, `balance 2, want 1`, `!still shows its bug`, `!cannot be replayed any more`)
	if again := m.recordings("TestDeposit"); len(again) != 2 {
		t.Errorf("recorded after another bug: %q", again)
	}
	m.edit("user_test.go", "want = 1", "want = 2")
	m.edit("user.go", "b.set(b.Balance() + n)", "b.mu.Lock(); b.balance += n; b.mu.Unlock()")
	m.test(true, []string{"-run=^TestDeposit$"}, `cannot be replayed any more`, `exhaustive: 2 executions`)
}

// TestNames: subtests with all sorts of names are explored, each alone; the surrounding code is not.
func TestNames(t *testing.T) {
	m := newModule(t)
	out := m.test(false, []string{"-run=^TestNames$"}, `FAIL: TestNames/a_b/c\(d\)`, `odd 1`, `FAIL: TestNames/x#01`, `odd 3`,
		`PASS: TestNames/x `, `--- PASS: TestNames/parallel/1`, `--- PASS: TestNames/parallel/2`)
	if n := strings.Count(out, "exhaustive: "); n != 3 {
		t.Errorf("%d of 3 explored to the end:\n%s", n, out)
	}
	if len(m.recordings("TestNames_a_b_c_d_")) != 1 || len(m.recordings("TestNames_x_01")) != 1 || len(m.recordings("TestNames")) != 0 {
		t.Errorf("recorded: %q", m.recordings("*"))
	}
}

// TestFlags: flags of go test reach the exploration, and so do options.
func TestFlags(t *testing.T) {
	m := newModule(t)
	m.test(true, []string{"-run=^TestShort$", "-short"}, `exhaustive: 1 execution`)
	m.test(false, []string{"-run=^TestShort$"}, `it is long`)
	m.test(false, []string{"-run=^TestTagged$", "-tags=special"}, `tagged`, `HB005`)
	m.test(true, []string{"-run=^TestPreempt$"}, `incomplete: only schedules with at most 0 preemptions`)
	m.test(true, []string{"-run=^TestDirective$"}, `incomplete: only schedules with at most 0 preemptions`)
	m.test(false, []string{"-run=^TestIncomplete$"}, `the search is incomplete, and hbtest\.AllowIncomplete is not given`, `starting a process`)
	m.test(true, []string{"-run=^TestAllowed$"}, `^ +user_test.go:[0-9]+: incomplete`, `starting a process`)
	m.test(true, []string{"-run=^TestAssuming$"}, `exhaustive, assuming no network`)
	m.test(false, []string{"-run=^TestEndless$", "-timeout=20s"}, `the search is incomplete`, `[-]timeout\)`, `!panic: test timed out`)
	m.test(true, []string{"-run=^TestLimited$"}, `incomplete.* stopped after 1s`)
	m.test(false, []string{"-run=^TestWrongFlag$"}, `unknown flag: --no-such-flag`)
	m.test(false, []string{"-run=^TestDeposit$", "-cover", "-count=1"}, `balance 1, want 2`)
}

// TestLinearizable: package lin under go test, with the tool and without.
func TestLinearizable(t *testing.T) {
	m := newModule(t)
	m.test(false, []string{"-run=^TestLinearizable$"}, `not linearizable`, `g1 +├─ Deposit\(1\) ─┤$`, `g2 +├─ Deposit\(1\) ────┤$`, `last +Balance\(\) 1$`,
		`call +Deposit\(1\)`, `return +Deposit\(1\)`, `replay: hbcheck replay testdata/hbcheck/TestLinearizable/`)
	m.test(false, []string{"-run=^TestLinearizable$"}, `still shows its bug`, `not linearizable`)
	m.test(false, []string{"-run=^TestTooMany$"}, `too many scenarios`)
	m.test(false, []string{"-run=^TestModel$"}, `operations of the object: \[Get\(\)\]; of the model: \[\]`)
	m.edit("user.go", "b.set(b.Balance() + n)", "b.mu.Lock(); b.balance += n; b.mu.Unlock()")
	m.test(true, []string{"-run=^TestLinearizable$"}, `exhaustive: [0-9]+ executions`)
	m.env = []string{"HBCHECK=skip"}
	m.test(true, []string{"-run=^TestLinearizable$"}, `1000 native executions of [0-9]+ scenarios`)
	m.edit("user.go", "b.balance += n", "b.balance += n * (b.balance + 1 - b.balance); if b.balance > 2 { b.balance-- }")
	m.test(true, []string{"-run=^TestLinearizable$"}, `1000 native executions`) // it is its own specification
	m.edit("user_test.go", "return b.Balance()", "calls++; return b.Balance() + calls")
	m.edit("user_test.go", "const want", "var calls int\n\nconst want")
	m.test(false, []string{"-run=^TestLinearizable$"}, `not linearizable`)
}

// TestTools: the search for the tool, and the message if there is none.
func TestTools(t *testing.T) {
	m := newModule(t)
	m.env = nil
	m.test(false, []string{"-run=^TestDeposit$"}, `go get -tool hbcheck\.dev/hbcheck/cmd/hbcheck$`, `HBCHECK=skip`)
	m.env = []string{"HBCHECK=skip"}
	m.test(true, []string{"-run=^TestDeposit$"}, `HBCHECK=skip: executed once, not explored`)
	m.env = []string{"HBCHECK=/not/there"}
	m.test(false, []string{"-run=^TestDeposit$"}, `HBCHECK=/not/there: `)
	bin := m.TempDir()
	if err := os.Symlink(m.tool, filepath.Join(bin, "hbcheck")); err != nil {
		t.Fatal(err)
	}
	m.env = []string{"PATH=" + os.Getenv("PATH") + string(filepath.ListSeparator) + bin}
	m.test(false, []string{"-run=^TestDeposit$"}, `balance 1, want 2`)
	// With a tool directive the module needs the dependencies of the tool, which are those of this module.
	m.env = nil
	for from, to := range map[string]string{"../go.mod": "go.mod", "../go.sum": "go.sum"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if to == "go.mod" {
			root, err := filepath.Abs("..")
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ = strings.Cut(text, "\ntool (")
			text = strings.Replace(text, "module hbcheck.dev/hbcheck", "module example.com/user", 1) +
				"\nrequire hbcheck.dev/hbcheck v0.0.0\n\nreplace hbcheck.dev/hbcheck => " + root + "\n\ntool hbcheck.dev/hbcheck/cmd/hbcheck\n"
		}
		m.write(to, text)
	}
	os.RemoveAll(filepath.Join(m.dir, "testdata"))
	m.env = []string{"GOFLAGS=-mod=mod", "GOPROXY=off"}
	m.test(false, []string{"-run=^TestDeposit$"}, `balance 1, want 2`)
}

// TestPlaces: vendored, in a workspace, with a binary that go test -c has made, and from another directory.
func TestPlaces(t *testing.T) {
	m := newModule(t)
	run := func(ok bool, dir, name string, args ...string) string {
		t.Helper()
		out, succeeded := m.run(dir, name, args...)
		if succeeded != ok {
			t.Fatalf("%s %v in %s: success is %v\n%s", name, args, dir, succeeded, out)
		}
		return out
	}
	run(true, ".", "go", "test", "-c", "-o", "user.test", ".")
	m.want(run(false, ".", "./user.test", "-test.run=^TestDeposit$"), `balance 1, want 2`)
	elsewhere := filepath.Join(m.dir, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o777); err != nil {
		t.Fatal(err)
	}
	m.want(run(false, "elsewhere", "../user.test", "-test.run=^TestDeposit$"), `elsewhere`, `!balance`)
	run(true, ".", "go", "mod", "vendor")
	m.test(false, []string{"-run=^TestNames$/^x#01$"}, `odd 3`)
	if err := os.RemoveAll(filepath.Join(m.dir, "vendor")); err != nil {
		t.Fatal(err)
	}
	m.write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+mustAbs(t, "..")+"\n)\n")
	m.edit("go.mod", "replace ", "// replace ")
	m.test(false, []string{"-run=^TestNames$/^a_b$"}, `odd 1`)
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestToolLines: go get -tool and go tool, without a network, in modules that want Go 1.26 and 1.27.
func TestToolLines(t *testing.T) {
	m := newModule(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"1.26.0", "1.27.0"} {
		m.env = []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOTOOLCHAIN=local"}
		if out, _ := m.run(".", "go", "env", "GOVERSION"); line == "1.27.0" && strings.HasPrefix(out, "go1.26") {
			m.env[len(m.env)-1] = "GOTOOLCHAIN=go1.27.1"
		}
		if out, ok := m.run(".", "go", "env", "GOVERSION"); !ok {
			t.Logf("no Go for go %s here: %s", line, out)
			continue
		}
		m.write("go.sum", string(sums))
		m.write("go.mod", "module example.com/user\n\ngo "+line+"\n\nrequire hbcheck.dev/hbcheck v0.0.0\n\nreplace hbcheck.dev/hbcheck => "+root+"\n")
		if out, ok := m.run(".", "go", "get", "-tool", "hbcheck.dev/hbcheck/cmd/hbcheck"); !ok {
			t.Fatalf("go %s: go get -tool: %s", line, out)
		}
		if mod, err := os.ReadFile(filepath.Join(m.dir, "go.mod")); err != nil || !strings.Contains(string(mod), "\ntool hbcheck.dev/hbcheck/cmd/hbcheck\n") || !strings.Contains(string(mod), "\ngo "+line+"\n") {
			t.Errorf("go %s: %v\n%s", line, err, mod)
		}
		if out, ok := m.run(".", "go", "tool", "hbcheck", "version"); !ok || !strings.Contains(out, "models go1.") {
			t.Errorf("go %s: %s", line, out)
		}
		if out, ok := m.run(".", "go", "tool", "hbcheck", "--html=off", "--run", "^TestDeposit$", "."); ok || !strings.Contains(out, "HB005: test failed: balance 1, want 2") {
			t.Errorf("go %s: %s", line, out)
		}
	}
}

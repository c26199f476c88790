package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/verdicts"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/stateful"
)

// asProcess is the environment variable with which the test binary runs as hbcheck.
const asProcess = "HBCHECK_TEST_PROCESS"

// TestMain: a test that uses the cache of results names its directory.
func TestMain(m *testing.M) {
	os.Setenv(verdicts.Variable, "off")
	os.Unsetenv(flagsVariable)
	if from, err := strconv.ParseUint(os.Getenv(roundsVariable), 10, 64); err == nil {
		stateful.Rounds = stateful.RoundSizes{From: from, Work: 1 << 9, More: 8 * from, Each: 2, Way: 8, Check: 1 << 10}
	}
	if share, err := time.ParseDuration(os.Getenv(shareVariable)); err == nil {
		firstTime = share
	}
	if as := os.Getenv(asProcess); as != "" {
		if filepath.IsAbs(as) { // where results are remembered
			os.Setenv(verdicts.Variable, as)
		}
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	stdCache = new(load.Cache)
	os.Exit(m.Run())
}

// roundsVariable has the number of transitions after which a test process searches in rounds, which are
// short then.
const roundsVariable = "HBCHECK_TEST_ROUNDS"

// shareVariable has the time that a test process gives each entry in its first passes, for tests whose
// results must not depend on the load.
const shareVariable = "HBCHECK_TEST_SHARE"

// cachedModule is a module with tests, each of which depends on something different.
var cachedModule = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"a/a.go": "package a\n\nfunc A() int { return 1 }\n",
	"a/a_test.go": `package a

import (
	"os"
	"testing"
)

func TestPlain(t *testing.T) {
	done := make(chan bool)
	go func() { done <- true }()
	<-done
	_ = A()
}

func TestVariable(t *testing.T) {
	if os.Getenv("HBCHECK_TEST_X") == "wrong" {
		t.Error("it is wrong")
	}
}

func TestFile(t *testing.T) {
	data, err := os.ReadFile("testdata/x")
	if err != nil || string(data) != "x" {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	if list, _ := os.ReadDir("testdata"); len(list) != 1 {
		t.Error(len(list))
	}
}

func TestThere(t *testing.T) {
	if _, err := os.Stat("testdata/y"); err == nil {
		t.Error("there it is")
	}
}

func TestRandom(t *testing.T) {
	if os.Getpagesize() == 1 {
		t.Skip()
	}
	m := map[int]bool{}
	for i := range 20 {
		m[i] = true
	}
	for i := range m {
		t.Log(i)
		break
	}
}

func TestSkipped(t *testing.T) { t.Skip("not here") }
`,
	"a/testdata/x": "x",
	"b/b_test.go":  "package b\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/a\"\n)\n\nfunc TestB(t *testing.T) { _ = a.A() }\n",
	"c/c_test.go":  "package c\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) {}\n",
	"d/d_test.go":  "package d\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Fatal(\"bad\") }\n",
}

// TestCached: a result is cached until something changes that it depends on; then the entry is
// explored again.
func TestCached(t *testing.T) {
	deep.Skip(t, "explores three packages two dozen times")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv(verdicts.Variable, filepath.Join(t.TempDir(), "cache"))
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range cachedModule {
		write(name, text)
	}
	// explored returns the entries that are not (cached), and those that are.
	explored := func(args ...string) (fresh, cached string) {
		t.Helper()
		var out bytes.Buffer
		run(args, strings.NewReader(""), &out, &out)
		for line := range strings.Lines(out.String()) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			switch {
			case strings.HasPrefix(line, "--- FAIL: "):
				fresh += strings.Fields(line)[2] + " "
			case len(f) < 4:
			case strings.HasSuffix(line, "(cached)\n"):
				cached += f[2] + " "
			default:
				fresh += f[2] + " "
			}
		}
		return fresh, cached
	}
	const everyA = "TestPlain TestVariable TestFile TestNames TestThere TestRandom TestSkipped "
	const all = everyA + "TestB TestC "
	good := []string{"./a", "./b", "./c"}
	for _, x := range []struct {
		name          string
		change        func()
		args          []string
		fresh, cached string
	}{
		{"first", func() {}, good, all, ""},
		{"second", func() {}, good, "", all},
		{"another order", func() {}, []string{"./c", "./a", "./b"}, "", "TestC " + everyA + "TestB "},
		{"fewer packages", func() {}, []string{"./c"}, "", "TestC "},
		{"with a failing one", func() {}, []string{"./..."}, "TestBad ", all},
		{"once more", func() {}, []string{"./..."}, "TestBad ", all},
		{"another flag", func() {}, append([]string{"-short"}, good...), all, ""},
		{"forced", func() {}, append([]string{"-count=1"}, good...), all, ""},
		{"a variable that nothing reads", func() { t.Setenv("HBCHECK_TEST_Y", "1") }, good, "", all},
		{"a variable", func() { t.Setenv("HBCHECK_TEST_X", "1") }, good, "TestVariable ", strings.ReplaceAll(all, "TestVariable ", "")},
		{"wrong", func() { t.Setenv("HBCHECK_TEST_X", "wrong") }, good, "TestVariable ", strings.ReplaceAll(all, "TestVariable ", "")},
		{"right again", func() { t.Setenv("HBCHECK_TEST_X", "1") }, good, "", all},
		{"a file", func() { write("a/testdata/x", "z") }, good, "TestFile ", strings.ReplaceAll(all, "TestFile ", "")},
		// The file has another modification time now, which the program has read with the size.
		{"the file as it was", func() { write("a/testdata/x", "x") }, good, "TestFile ", strings.ReplaceAll(all, "TestFile ", "")},
		{"a new file", func() { write("a/testdata/y", "") }, good, "TestNames TestThere ",
			"TestPlain TestVariable TestFile TestRandom TestSkipped TestB TestC "},
		{"gone again", func() { os.Remove("a/testdata/y") }, good, "", all},
		{"a package", func() { write("a/a.go", "package a\n\nfunc A() int { return 2 }\n") }, good, everyA + "TestB ", "TestC "},
		{"a new package", func() { write("e/e_test.go", "package e\n\nimport \"testing\"\n\nfunc TestE(t *testing.T) {}\n") },
			append([]string{"./e"}, good...), "TestE ", all},
		{"an embedded file", func() {
			write("e/e_test.go", "package e\n\nimport (\n\t_ \"embed\"\n\t\"testing\"\n)\n\n//go:embed x\nvar x string\n\nfunc TestE(t *testing.T) {}\n")
			write("e/x", "1")
		}, []string{"./e"}, "TestE ", ""},
		{"another one", func() { write("e/x", "2") }, []string{"./e"}, "TestE ", ""},
		{"damage", func() { damage(t) }, good, all, ""},
		{"mended", func() {}, good, "", all},
		{"cleaned", func() { run([]string{"clean", "-cache"}, strings.NewReader(""), os.Stdout, os.Stderr) }, good, all, ""},
		{"off", func() { t.Setenv(verdicts.Variable, "off") }, good, all, ""},
	} {
		x.change()
		fresh, cached := explored(x.args...)
		if fresh != x.fresh || cached != x.cached {
			t.Errorf("%s:\nexplored %s\nwant     %s\ncached %s\nwant   %s", x.name, fresh, x.fresh, cached, x.cached)
		}
	}
}

// damage overwrites a byte in every file of the store.
func damage(t *testing.T) {
	n := 0
	dir, _ := verdicts.Dir()
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(e.Name(), "-") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		n++
		data[len(data)/2] ^= 0x55
		return os.WriteFile(name, data, 0o666)
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files: %v", n, err)
	}
}

// TestCachedSame: a remembered result is written as before, except for the word that says so, and the
// times.
func TestCachedSame(t *testing.T) {
	t.Setenv(verdicts.Variable, t.TempDir())
	assumes := filepath.Join(t.TempDir(), "assumes_test.go") // its result is ok because an assumption is accepted
	if err := os.WriteFile(assumes, []byte("package p\n\nimport (\n\t\"math/rand/v2\"\n\t\"testing\"\n)\n\n"+
		"func TestAssumes(t *testing.T) {\n\tif rand.Uint64()%7 == 0 {\n\t\tt.Log(7)\n\t}\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	same := func(format string, args ...string) {
		t.Helper()
		var out [2]string
		for i := range out {
			var b bytes.Buffer
			run(append([]string{"--format", format}, args...), strings.NewReader(""), &b, &b)
			out[i] = clean(b.String(), "/nowhere")
		}
		if format == "json" && strings.Count(out[1], `,"cached":true`) != strings.Count(out[1], `"action":"result"`) ||
			format == "text" && strings.Count(out[1], "\t(cached)\n") != strings.Count(out[1], "ok  \t") {
			t.Errorf("not all are cached:\n%s", out[1])
		}
		out[1] = strings.NewReplacer(`,"cached":true`, "", "\t(cached)\n", "\t0.00s\n").Replace(out[1])
		out[0] = strings.ReplaceAll(out[0], `,"cached":true`, "")
		out[0] = strings.ReplaceAll(out[0], "\t(cached)\n", "\t0.00s\n")
		if out[0] != out[1] {
			t.Errorf("%s: at first\n%s\nand then\n%s", format, out[0], out[1])
		}
	}
	for _, format := range []string{"text", "json"} {
		same(format, "../../testdata/benchmarks/answers/pool/ok", "../../testdata/benchmarks/answers/rate/ok")
		same(format, assumes)
	}
}

// TestCachedBuild: results of another build of hbcheck are not used.
func TestCachedBuild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv(verdicts.Variable, filepath.Join(dir, "cache"))
	name := filepath.Join(dir, "hbcheck")
	for i, x := range []struct {
		program []byte
		cached  bool
	}{{program, false}, {program, true}, {append(program, 0), false}} {
		if err := os.WriteFile(name, x.program, 0o777); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(name, "../../testdata/benchmarks/answers/pool/ok")
		// TestMain, which this process executes, says that there is no cache.
		cmd.Env = append(os.Environ(), asProcess+"="+os.Getenv(verdicts.Variable))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if cached := bytes.Contains(out, []byte("(cached)")); cached != x.cached {
			t.Errorf("run %d: cached: %t\n%s", i+1, cached, out)
		}
	}
}

package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/internal/deep"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestScripts runs the transcripts in testdata/*.txtar; go127.txtar only with Go 1.27. The comment of an
// archive is a sequence of commands, each with its output and, if it is not 0,
// its exit status:
//
//	$ hbcheck explore bank.go
//	...
//	exit 1
//
// The archive's files are the directory the commands run in. "< file" at the end of a command is its
// standard input. Times are written
// as 0.00s, that directory as $WORK and the module's as $REPO.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	// The entries that the first pass decides come first: on a busy machine half a second is too short for
	// some.
	defer func(d time.Duration) { firstTime = d }(firstTime)
	firstTime = glances * 6 * time.Second
	for i, file := range files {
		if !*update && !deep.Every(12, i) && !given("run") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			needsRelease(t, name)
			script(t, file)
		})
	}
}

// needsRelease skips a script with a name like go127 if the test is built with an older release. A
// script with a name like x_go126 has counts that depend on the release; it is skipped if the test
// is built with another release.
func needsRelease(t *testing.T, name string) {
	if _, minor, ok := strings.Cut(name, "_go1"); ok {
		newest := strings.TrimPrefix(build.Default.ReleaseTags[len(build.Default.ReleaseTags)-1], "go1.")
		if newest != minor {
			t.Skip("it is for Go 1." + minor)
		}
	}
	if minor, ok := strings.CutPrefix(name, "go1"); ok && !slices.Contains(build.Default.ReleaseTags, "go1."+minor) {
		t.Skip("it is for Go 1." + minor)
	}
}

// given reports whether a flag of go test is given: -run names a script that has to run then.
func given(name string) bool {
	f := flag.Lookup("test." + name)
	return f != nil && f.Value.String() != ""
}

// fileOrNone returns the contents of a file; nothing if it has no name.
func fileOrNone(t *testing.T, name string) string {
	if name == "" {
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func script(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GITHUB_ACTIONS", "")
	var got bytes.Buffer
	for line := range strings.Lines(string(ar.Comment)) {
		if strings.HasPrefix(line, "#") {
			got.WriteString(line)
			continue
		}
		cmd, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ hbcheck ")
		if !ok {
			continue // output of the last command
		}
		got.WriteString(line)
		var out bytes.Buffer
		cmd = strings.ReplaceAll(cmd, "$REPO", filepath.Join(start, "..", ".."))
		cmd, input, _ := strings.Cut(cmd, " < ")
		code := run(strings.Fields(cmd), strings.NewReader(fileOrNone(t, input)), &out, &out)
		got.WriteString(clean(out.String(), dir))
		if code != 0 {
			fmt.Fprintf(&got, "exit %d\n", code)
		}
	}
	if *update {
		ar.Comment = got.Bytes()
		back(t, file, txtar.Format(ar))
		return
	}
	have, want := got.String(), string(ar.Comment)
	if strings.Contains(want, ofRelease+"\n") && !slices.Contains(build.Default.ReleaseTags[len(build.Default.ReleaseTags)-1:], countsRelease) {
		have, want = numberRE.ReplaceAllString(have, "N"), numberRE.ReplaceAllString(want, "N")
	}
	sameLines(t, file, have, want)
}

// A transcript with the comment ofRelease has numbers of one release, countsRelease. With others the numbers
// of a program's objects differ, and with them how many executions and states a bounded search has.
const (
	ofRelease     = "# The counts are those of one release of Go."
	countsRelease = "go1.26"
)

var numberRE = regexp.MustCompile(`[0-9]+`)

// back writes a file relative to the directory the test started in.
func back(t *testing.T, file string, data []byte) {
	if err := os.WriteFile(filepath.Join(start, file), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

var start, _ = os.Getwd()

var (
	timeRE = regexp.MustCompile(`\b\d+\.\d\ds\b`)
	tabRE  = regexp.MustCompile(`\\t\d+\.\d\ds\b`) // in JSON
	pcRE   = regexp.MustCompile(` \+0x[0-9a-f]+\b`)
	secRE  = regexp.MustCompile(`("(?:load_s|static_s|explore_s|peak_bytes|Elapsed)":)[0-9.e+-]+`)
	unitRE = regexp.MustCompile(`( time=")\d+\.\d{3}"`) // in JUnit's XML
	workRE = regexp.MustCompile(`("instructions":)[1-9][0-9]*`)
	overRE = regexp.MustCompile(`((?:\$hbcheck/|model of )[^:\s"]+\.go:)\d+(:\d+)?`)
	rootRE = regexp.MustCompile(`(\$GOROOT/src/[^:\s"]+\.go:)\d+(:\d+)?`) // another place in each release
	addrRE = regexp.MustCompile(`0x00c0[0-9a-f]{8}`)
	slowRE = regexp.MustCompile(`(?m)^.* exec  .* steps/s  .*\n`) // progress, on a busy machine
)

// goroot is where the Go distribution is that the go command belongs to.
var goroot = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// clean removes parts of a command's output that differ between runs, or change with every change of the
// compiler.
func clean(s, dir string) string {
	s = strings.ReplaceAll(s, dir, "$WORK")
	s = strings.ReplaceAll(s, goroot(), "$GOROOT")
	s = slowRE.ReplaceAllString(s, "")
	s = timeRE.ReplaceAllString(s, "0.00s")
	s = tabRE.ReplaceAllString(s, `\t0.00s`)
	s = secRE.ReplaceAllString(s, "${1}0")
	s = unitRE.ReplaceAllString(s, `${1}0.000"`)
	s = workRE.ReplaceAllString(s, "${1}1")
	s = pcRE.ReplaceAllString(s, " +0x0")
	s = overRE.ReplaceAllString(s, "${1}1")
	s = rootRE.ReplaceAllString(s, "${1}1")
	s = addrRE.ReplaceAllString(s, "0x00c000000000")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// TestMemoryBudget: a search that runs out of its budget says so.
func TestMemoryBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	src := `package main

import "sync/atomic"

func main() {
	var n [4]atomic.Int64
	for g := range n {
		go func() {
			for i := range int64(30) {
				n[g].Add(i)
			}
		}()
	}
}
`
	if err := os.WriteFile("wide.go", []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := run([]string{"--por", "jpf", "--max-memory", "3M", "--scale", "off", "wide.go"}, strings.NewReader(""), &out, &out)
	if code != exitOK || !strings.Contains(out.String(), "stopped at the memory budget of 3 MiB (--max-memory)") {
		t.Errorf("exit %d: %s", code, &out)
	}
}

// TestTraceSearch: the transcript of a search has an end for each execution.
func TestTraceSearch(t *testing.T) {
	t.Chdir(t.TempDir())
	src := `package main

import "sync/atomic"

func main() {
	var x atomic.Int32
	go func() {
		x.Store(1)
	}()
	x.Load()
}
`
	if err := os.WriteFile("two.go", []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"full", "optimal", "source", "clockvector", "graph"} {
		var out bytes.Buffer
		if code := run([]string{"--por", name, "--trace-search", "out", "two.go"}, strings.NewReader(""), &out, &out); code != exitOK {
			t.Fatalf("%s: exit %d: %s", name, code, &out)
		}
		text, err := os.ReadFile("out")
		if err != nil {
			t.Fatal(err)
		}
		if ends := strings.Count(string(text), "= ended\n"); ends != 2 || !strings.Contains(string(text), "atomic-store two.go:8") {
			t.Errorf("%s: %d ends\n%s", name, ends, text)
		}
	}
}

// sameLines compares the output with the file.
func sameLines(t *testing.T, file, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d:\n got %s\nwant %s\n(-update rewrites it)", file, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%s: %d lines, want %d", file, len(g), len(w))
	}
}

// TestTopFrames: an internal error shows the frames above the panic, and not all of them.
func TestTopFrames(t *testing.T) {
	var deep func(n int) []byte
	deep = func(n int) (stack []byte) {
		if n == 0 {
			defer func() { recover(); stack = debug.Stack() }()
			defer func() { panic(recover()) }()
			panic("boom")
		}
		return deep(n - 1)
	}
	got := topFrames(deep(30))
	lines := strings.Split(got, "\n")
	if len(lines) != 2*mostFrames+2 || !strings.Contains(lines[0], "TestTopFrames") || !strings.HasSuffix(lines[len(lines)-2], " more frames...") {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
	if got := topFrames(nil); got != "\n" {
		t.Errorf("no stack: %q", got)
	}
}

package hbtest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// explore is Explore under go test.
func explore(t *testing.T, f func(t *testing.T), opts []Option) {
	t.Helper()
	if os.Getenv("HBCHECK") == "skip" {
		t.Log("HBCHECK=skip: executed once, not explored")
		f(t)
		return
	}
	tool, err := findTool()
	if err != nil {
		t.Fatal(err)
	}
	s := &settings{}
	for _, o := range opts {
		o.apply(s)
	}
	x := &exploration{tool: tool, test: t.Name(), settings: s}
	if deadline, ok := t.Deadline(); ok {
		left := time.Until(deadline)
		x.end = deadline.Add(-min(left/3, 15*time.Second)) // leaves time for the report
	}
	if !x.replay(t) {
		x.search(t)
	}
}

// startDir is the directory in which the test binary was started, which is the package's.
var startDir, _ = os.Getwd()

// module is the path of the module that this package is in.
const module = "hbcheck.dev/hbcheck"

// findTool returns the path of hbcheck.
var findTool = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("HBCHECK"); path != "" {
		found, err := exec.LookPath(path)
		if err == nil {
			found, err = filepath.Abs(found)
		}
		if err != nil {
			return "", fmt.Errorf("HBCHECK=%s: %v", path, err)
		}
		return found, nil
	}
	cmd := exec.Command("go", "tool", "-n", "hbcheck")
	cmd.Dir = startDir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if path := strings.TrimSpace(string(out)); err == nil && path != "" {
		return path, nil
	}
	if path, err := exec.LookPath("hbcheck"); err == nil {
		return path, nil
	}
	text := "hbcheck, which explores this test, is not installed. In this module, run\n" +
		"\tgo get -tool " + module + "/cmd/hbcheck" + version() + "\n" +
		"or set HBCHECK=/path/to/hbcheck. HBCHECK=skip executes the test once, without exploring it."
	if s := strings.TrimSpace(stderr.String()); s != "" && !strings.Contains(s, "no such tool") {
		text += "\ngo tool hbcheck: " + s
	}
	return "", errors.New(text)
})

// version returns the version of this package for go get, with the @, or "" if it has none.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == module && d.Replace == nil && strings.HasPrefix(d.Version, "v") {
			return "@" + d.Version
		}
	}
	return ""
}

// An exploration is the exploration of one test.
type exploration struct {
	tool, test string
	*settings

	end  time.Time   // time at which the test has to end; zero: no limit
	late atomic.Bool // the test's time is over
}

// run executes hbcheck and returns its stdout, stderr and exit status.
func (x *exploration) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(x.tool, args...)
	cmd.Dir = startDir
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Start()
	if err == nil {
		if !x.end.IsZero() {
			stop := time.AfterFunc(time.Until(x.end), func() {
				x.late.Store(true)
				if cmd.Process.Signal(os.Interrupt) != nil { // the interrupted tool reports its coverage
					cmd.Process.Kill() // Windows has no interrupts of other processes
				}
			})
			defer stop.Stop()
		}
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		if x.late.Load() {
			t.Fatalf("time was up before anything was explored (go test -timeout)\n%s", b.String())
		}
		t.Fatalf("%s: %v\n%s", x.tool, err, b.String())
	}
	return strings.TrimRight(b.String(), "\n"), cmd.ProcessState.ExitCode()
}

// The exit statuses of hbcheck.
const (
	exitOK = iota
	exitBug
	exitError
	exitIncomplete
)

// corpus is the directory of the test's replay files, relative to that of the package.
func (x *exploration) corpus() string {
	name := unusual.ReplaceAllString(x.test, "_")
	if len(name) > 100 {
		sum := sha256.Sum256([]byte(x.test))
		name = strings.ToValidUTF8(name[:90], "") + "-" + hex.EncodeToString(sum[:4]) // file systems allow 255 bytes
	}
	return filepath.Join("testdata", "hbcheck", name)
}

// unusual matches characters that names of files should not contain.
var unusual = regexp.MustCompile(`[^\pL\pN_.=,+-]`)

// replay replays the files of the corpus, and reports whether one of them has failed the test.
func (x *exploration) replay(t *testing.T) bool {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(startDir, x.corpus()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	//mutant: no recorded schedule is replayed [test ./hbtest TestExplore]: "files" -> "files[:0]"
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".hbr" {
			continue
		}
		name := filepath.Join(x.corpus(), file.Name())
		switch out, code := x.run(t, "replay", name); code {
		case exitOK:
		case exitBug:
			t.Errorf("%s still shows its bug:\n%s\nreplay: hbcheck replay %[1]s", name, out)
			return true
		default:
			t.Logf("%s cannot be replayed any more: remove it if the program has changed.\n%s", name, firstLines(out, 3))
		}
	}
	return false
}

// firstLines returns the first n lines of s.
func firstLines(s string, n int) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.TrimRight(strings.Join(lines[:min(n, len(lines))], ""), "\n")
}

// A result is the line of hbcheck --format=json about the test.
type result struct {
	Action, Package, Entry, Verdict, Error string

	Bugs []struct {
		Severity, Replay, Page string
		Code, Pos              string
		Schedule               []json.RawMessage
	}
	Incomplete []string
}

// search explores the test.
func (x *exploration) search(t *testing.T) {
	t.Helper()
	results, err := os.CreateTemp("", "hbcheck-*.json")
	if err != nil {
		t.Fatal(err)
	}
	results.Close()
	defer os.Remove(results.Name())
	args := []string{"explore", "--run=" + pattern(x.test), "--format=text,json:" + results.Name(), "--output=" + x.corpus(), "--html=" + pages}
	clipped := x.limit(&args)
	if testing.Short() {
		args = append(args, "--short")
	}
	if tags := buildTags(); tags != "" {
		args = append(args, "--tags="+tags)
	}
	args = append(append(args, x.flags...), ".")
	out, code := x.run(t, args...)
	list := x.read(t, results.Name())
	if code == exitError || len(list) == 0 {
		t.Fatalf("%s %s (in %s):\n%s", x.tool, strings.Join(args, " "), startDir, out)
	}
	report := plainReport(out)
	for _, r := range list {
		for _, b := range r.Bugs {
			if b.Replay != "" {
				kept := x.keep(t, b.Replay)
				report = strings.ReplaceAll(report, b.Replay, kept)
				rename(b.Page, b.Replay, kept)
			}
		}
	}
	switch code {
	case exitBug:
		t.Error("\n" + report)
	default:
		if rest := x.unexpected(list, clipped); len(rest) > 0 && !x.allow {
			t.Errorf("the search is incomplete, and hbtest.AllowIncomplete is not given: %s\n%s", strings.Join(rest, "; "), report)
			return
		}
		t.Log(report)
	}
}

// limit adds the available time to args, and reports whether that is less than the test wants.
func (x *exploration) limit(args *[]string) (clipped bool) {
	d := x.timeout
	if !x.end.IsZero() {
		left := time.Until(x.end)
		if clipped = d == 0 || left < d; clipped {
			d = max(left, time.Second)
		}
	}
	if d > 0 {
		*args = append(*args, "--timeout="+d.Round(time.Millisecond).String())
	}
	return clipped
}

// unexpected returns the reasons of an incomplete search, except for bounds that the test itself sets.
func (x *exploration) unexpected(list []result, clipped bool) (rest []string) {
	if x.late.Load() {
		rest = append(rest, "time is up (go test -timeout)")
	}
	for _, r := range list {
		// If no option bounds preemptions, only a directive or HBCHECK_FLAGS does.
		bounds := append(slices.Clone(x.bounds), "preempt")
		timeUp := func(why string) bool { return strings.Contains(why, "(--timeout)") }
		if x.timeout > 0 && !clipped && slices.ContainsFunc(r.Incomplete, timeUp) {
			bounds = []string{""} // all searches: this one may be one of several, with bounds of its own
		}
		if r.Action == "error" {
			rest = append(rest, r.Error)
		}
		for _, why := range r.Incomplete {
			if !slices.ContainsFunc(bounds, func(b string) bool { return strings.Contains(why, "(--"+b) }) {
				rest = append(rest, why)
			}
		}
	}
	return rest
}

// read reads the results that hbcheck has written to a file.
func (x *exploration) read(t *testing.T, name string) (list []result) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Action != "summary" {
			list = append(list, r)
		}
	}
	return list
}

// keep gives a replay file a name that depends on its contents, and returns that.
func (x *exploration) keep(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.Join(startDir, name))
	if err != nil {
		t.Log(err)
		return name
	}
	named := filepath.Join(filepath.Dir(name), sum(data)+".hbr")
	if err := os.Rename(filepath.Join(startDir, name), filepath.Join(startDir, named)); err != nil {
		t.Log(err)
		return name
	}
	return named
}

// pages is the directory of the pages that show schedules in a browser, in relation to that of the package.
const pages = ".hbcheck"

// rename changes the name of the replay file in a page, whose commands have it.
func rename(page, from, to string) {
	if page == "" {
		return
	}
	name := filepath.Join(startDir, page)
	if text, err := os.ReadFile(name); err == nil {
		os.WriteFile(name, bytes.ReplaceAll(text, []byte(from), []byte(to)), 0o666)
	}
}

// sum returns a name for a replay file, made from the data that identify its schedule for every version of
// hbcheck.
func sum(data []byte) string {
	var file struct {
		Package, Entry, Code, Pos string
		Schedule                  json.RawMessage
	}
	if err := json.Unmarshal(data, &file); err == nil {
		var b bytes.Buffer
		fmt.Fprintln(&b, file.Package, file.Entry, file.Code, file.Pos)
		json.Compact(&b, file.Schedule)
		data = b.Bytes()
	}
	return digest(data)
}

// plainReport removes the lines that mark the report as one of a test: the name of the test is known, and
// programs that read the output of go test would misinterpret these lines.
func plainReport(out string) string {
	var lines []string
	for line := range strings.SplitSeq(out, "\n") {
		if f := strings.SplitN(line, "\t", 4); len(f) > 1 && (f[0] == "ok  " || f[0] == "??  " || f[0] == "FAIL") {
			if len(f) < 4 {
				continue // such a line ends a package
			}
			line = f[3]
		} else if s, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			if _, what, ok := strings.Cut(s, " ("); ok {
				line = strings.TrimSuffix(what, ")")
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// pattern returns the value of --run that selects exactly the test of that name.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// buildTags returns the tags that the test binary was built with.
func buildTags() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return s.Value
		}
	}
	return ""
}

// digest is a short hash in hexadecimal.
func digest(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:8])
}

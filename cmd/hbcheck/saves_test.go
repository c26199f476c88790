package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
)

// killedSource has a test whose search takes a second or more.
const killedSource = `package killed

import (
	"sync/atomic"
	"testing"
)

func TestWide(t *testing.T) {
	var n, m atomic.Int64
	done := make(chan bool)
	for g := range 3 {
		go func() {
			for i := range 2 {
				n.Store(int64(g*1000 + i))
				m.Add(n.Load())
			}
			done <- true
		}()
	}
	for range 3 {
		<-done
	}
}
`

// process returns a command that is hbcheck.
func process(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProcess+"=1")
	cmd.Stdout, cmd.Stderr = &out, &errs
	return cmd, &out, &errs
}

// saveProgram writes the program into a new directory, changes to it, and returns the directory of its
// saved searches.
func saveProgram(t *testing.T) string {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("killed_test.go", []byte(killedSource), 0o666); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(t.TempDir(), "saves")
}

// timesAndMemory matches the differences between two runs.
var timesAndMemory = regexp.MustCompile(`"(load_s|static_s|explore_s|peak_bytes)":[0-9.e-]+|,"resumed":\{[^}]*\}`)

func counts(out string) string { return timesAndMemory.ReplaceAllString(out, "") }

// TestKill: a killed process loses only the work since its search was last saved. A search that is
// continued and killed again and again ends with the result of an uninterrupted one.
func TestKill(t *testing.T) {
	for _, por := range deep.Pick([]string{"jpf"}, []string{"auto", "optimal", "jpf"}) {
		dir := saveProgram(t)
		args := []string{"explore", "--por", por, "--json", "--save", dir, "--save-every", "1ms", "killed_test.go"}
		cmd, whole, errs := process(t, append([]string{"explore", "--por", por, "--json", "--save=off", "--count=1"}, "killed_test.go")...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", por, err, errs)
		}
		killed := 0
		for {
			cmd, out, errs := process(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			var err error
			if killed < 3 && savedAnew(dir, ended, &err) {
				cmd.Process.Kill()
				<-ended
				if killed++; killed == 1 {
					args = append(args, "--resume")
				}
				continue
			}
			if killed == 3 {
				err = <-ended
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", por, err, errs)
			}
			if got := out.String(); counts(got) != counts(whole.String()) {
				t.Errorf("%s, killed %d times:\n%s\nand not at all:\n%s", por, killed, got, whole)
			}
			break
		}
		if killed == 0 {
			t.Errorf("%s: the search has ended before it could be killed", por)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*", "*.hbs")); files != nil {
			t.Errorf("%s: %v is left though the search has ended", por, files)
		}
	}
}

// savedAnew waits until a search has been saved in dir since now. It reports false if the process has ended.
func savedAnew(dir string, ended <-chan error, err *error) bool {
	begin := time.Now()
	for {
		select {
		case *err = <-ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*.hbs"))
		for _, f := range files {
			if info, err := os.Stat(f); err == nil && info.ModTime().After(begin) {
				return true
			}
		}
	}
}

// TestResume: a stopped search is saved and reported; one that cannot be continued is refused, with the
// reason.
func TestResume(t *testing.T) {
	dir := saveProgram(t)
	hbcheck := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(append([]string{"explore", "--scale=off", "--por=full", "--match=off", "--save", dir}, append(args, "killed_test.go")...), strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	if code, out, errs := hbcheck("--timeout", "300ms"); code != exitOK || !strings.Contains(errs, "saved; the same command with --resume continues it") {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	code, out, errs := hbcheck("--timeout", "500ms", "--resume")
	if code != exitOK || !strings.Contains(out, "resumed after ") || !strings.Contains(out, "stopped after 500ms") {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	if _, out, errs = hbcheck("--timeout", "700ms", "--resume", "--format=json"); !strings.Contains(out, `"resumed":{"after_s":`) {
		t.Errorf("as JSON: %s%s", out, errs)
	}
	if _, out, errs = hbcheck("--timeout", "300ms", "--resume", "--preempt=3"); !strings.Contains(errs, "no saved search to continue") {
		t.Errorf("other flags: %s%s", out, errs)
	}
	refused := func(what, want string, args ...string) {
		t.Helper()
		code, out, errs := hbcheck(append(args, "--timeout", "300ms", "--resume")...)
		if code != exitUsage || !strings.Contains(out+errs, want) {
			t.Errorf("%s: %d\n%s%s", what, code, out, errs)
		}
	}
	if _, out, errs = hbcheck("--timeout", "300ms", "--resume", "-j=2", "--preempt=3"); !strings.Contains(errs, "-j 2: using one worker, because --resume continues") {
		t.Errorf("-j: %s%s", out, errs)
	}
	refused("--save=off", "exclude each other", "--save=off")
	changed := strings.Replace(killedSource, "1000", "1001", 1)
	if err := os.WriteFile("killed_test.go", []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("another program", "program (it has changed since)")
	if err := os.WriteFile("killed_test.go", []byte(killedSource), 0o666); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.hbs"))
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data[:min(len(data), 1000)]), "release of Go") {
			t.Errorf("%s does not begin with the release: %.1000q", name, data)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	refused("a damaged file", "it is damaged")
}

// TestBoundSaves: the oldest searches are removed, and nothing else.
func TestBoundSaves(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	write := func(name string, size int, age time.Duration) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write("ancient/search.hbs", 1, 40*24*time.Hour)
	write("old/0.hbs", 50, 2*time.Hour)
	write("old/1.hbs", 50, 3*time.Hour)
	write("new/search.hbs", 50, time.Minute)
	write("mine/notes.txt", 1000, 40*24*time.Hour)
	left := func() string {
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		for i := range files {
			files[i] = strings.TrimPrefix(files[i], dir+"/")
		}
		text, _ := json.Marshal(files)
		return string(text)
	}
	for _, x := range []struct {
		max  int64
		want string
	}{
		{200, `["mine/notes.txt","new/search.hbs","old/0.hbs","old/1.hbs"]`},
		{149, `["mine/notes.txt","new/search.hbs"]`},
		{-1, `["mine/notes.txt"]`},
	} {
		if boundSaves(dir, x.max, now.Add(-oldestSearch)); left() != x.want {
			t.Errorf("at most %d bytes: %s, want %s", x.max, left(), x.want)
		}
	}
}

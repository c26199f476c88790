package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayOfAnotherRelease: a schedule of another release of Go has other steps in the library, and the
// program has not changed. The message names the releases and the command to use.
func TestReplayOfAnotherRelease(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("lost.go", `package main

import "sync/atomic"

func main() {
	var n atomic.Int32
	done := make(chan bool)
	go func() { n.Store(n.Load() + 1); close(done) }()
	n.Store(n.Load() + 1)
	<-done
	if n.Load() != 2 {
		panic("lost")
	}
}
`)
	hbcheck := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := run(args, strings.NewReader(""), &out, &out)
		return out.String(), code
	}
	if text, code := hbcheck("--html=off", "lost.go"); code != exitBug {
		t.Fatalf("exit %d: %s", code, text)
	}
	const name, another = ".hbcheck/main.1.hbr", "go1.25.3"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), ` "go": "go1.`)
	_, rest, ok2 := strings.Cut(rest, "\n")
	if !ok || !ok2 {
		t.Fatalf("no release: %s", data)
	}
	write("same.hbr", strings.Replace(strings.Replace(string(data), `"dir": ".."`, `"dir": "."`, 1), `"kind":"atomic-load"`, `"kind":"atomic-rmw"`, 1))
	head = strings.Replace(head, `"dir": ".."`, `"dir": "."`, 1)
	write("good.hbr", head+` "go": "`+another+"\",\n"+strings.Replace(rest, `"dir": ".."`, `"dir": "."`, 1))
	write("other.hbr", head+` "go": "`+another+"\",\n"+
		strings.Replace(strings.Replace(rest, `"dir": ".."`, `"dir": "."`, 1), `"kind":"atomic-load"`, `"kind":"atomic-rmw"`, 1))
	if text, code := hbcheck("replay", "good.hbr"); code != exitBug || strings.Contains(text, another) {
		t.Errorf("the same steps: exit %d: %s", code, text)
	}
	if text, code := hbcheck("replay", "other.hbr"); code != exitUsage || strings.Contains(text, "has changed") ||
		!strings.Contains(text, "library of "+another+", and the go command here is go1.") || !strings.Contains(text, "GOTOOLCHAIN="+another+" hbcheck replay other.hbr") {
		t.Errorf("other steps: exit %d: %s", code, text)
	}
	if text, code := hbcheck("replay", "same.hbr"); code != exitUsage || !strings.Contains(text, "the program has changed") {
		t.Errorf("the same release: exit %d: %s", code, text)
	}
}

// TestReplayInit: a schedule that begins in initialisers is replayed with the packages of the search,
// because these also initialise variables of the library that only another package mentions.
func TestReplayInit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/replayinit\n\ngo 1.25\n",
		"early/early.go": "package early\n\nimport \"sync/atomic\"\n\nvar N atomic.Int32\n\nvar Stop = make(chan bool)\n\nfunc init() { c := make(chan bool); go func() { c <- true }(); <-c; N.Add(0) }\n\nfunc init() { go func() { N.Store(1); <-Stop }() }\n",
		"late/late_test.go": "package late\n\nimport (\n\t\"testing\"\n\n\t\"example.com/replayinit/early\"\n)\n\n" +
			"func TestLate(t *testing.T) {\n\tdefer close(early.Stop)\n\tif early.N.Load() == 0 {\n\t\tt.Error(\"not yet\")\n\t}\n}\n",
		"other/other_test.go": "package other\n\nimport (\n\t\"context\"\n\t\"testing\"\n)\n\nfunc TestOther(t *testing.T) { t.Log(context.DeadlineExceeded) }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, args := range [][]string{{"--html=off", "./..."}, {"replay", ".hbcheck/TestLate.1.hbr"}} {
		var out, errs strings.Builder
		if code := run(args, nil, &out, &errs); code != exitBug || !strings.Contains(out.String(), "HB005: test failed: not yet") {
			t.Fatalf("%s: exit status %d\n%s%s", args, code, out.String(), errs.String())
		}
	}
}

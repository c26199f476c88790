package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReplayOfAnotherRelease: a schedule of another release of Go has other steps in the library, and the
// program has not changed. The releases are named, and what to type.
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

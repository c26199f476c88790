package main

import (
	"bytes"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt: an interrupt ends the search like a bound, with the summary
// of what was covered, and says how many entries have not been reached.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	src := `package wide

import (
	"sync/atomic"
	"testing"
)

func TestWide(t *testing.T) {
	var n atomic.Int64
	done := make(chan bool)
	for g := range 4 {
		go func() {
			for i := range 100 {
				n.Store(int64(g*1000 + i))
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
}

func TestNext(t *testing.T) {}
`
	if err := os.WriteFile("wide_test.go", []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	caught := make(chan os.Signal, 100) // so that no signal ends the test
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	for _, format := range []string{"text", "json"} {
		var out, errs bytes.Buffer
		code := make(chan int)
		go func() {
			code <- run([]string{"--por", "full", "--match", "off", "--format", format, "wide_test.go"}, strings.NewReader(""), &out, &errs)
		}()
		for waiting := true; waiting; {
			select {
			case c := <-code:
				if c != exitIncomplete {
					t.Errorf("exit %d", c)
				}
				waiting = false
			case <-time.After(100 * time.Millisecond):
				syscall.Kill(os.Getpid(), syscall.SIGINT)
			}
		}
		want := "incomplete: interrupted; no bug so far in "
		if format == "json" {
			want = `"incomplete":["interrupted"]`
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q in %s", format, want, &out)
		}
		if want := "interrupted: 1 of 2 entries not explored\n"; !strings.Contains(errs.String(), want) {
			t.Errorf("%s: no %q in %s", format, want, &errs)
		}
	}
}

//go:build unix

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

// TestInterrupt: Ctrl-C, and the signals of timeout(1) or a closed terminal, end the search like a bound,
// with a summary of the covered entries and the number of entries not reached.
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
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, x := range []struct {
		format, want string
		signal       syscall.Signal
	}{
		{"text", "incomplete: interrupted; no bug so far in ", syscall.SIGINT},
		{"json", `"incomplete":["interrupted (SIGTERM)"]`, syscall.SIGTERM},
		{"text", "incomplete: interrupted (SIGHUP); no bug so far in ", syscall.SIGHUP},
	} {
		var out, errs bytes.Buffer
		for delay := 100 * time.Millisecond; ; delay *= 2 {
			out.Reset()
			errs.Reset()
			code := make(chan int)
			go func() {
				code <- run([]string{"--parallel", "1", "--por", "full", "--match", "off", "--format", x.format, "wide_test.go"}, strings.NewReader(""), &out, &errs)
			}()
			for waiting := true; waiting; {
				select {
				case c := <-code:
					if c != exitIncomplete {
						t.Errorf("exit %d", c)
					}
					waiting = false
				case <-time.After(delay):
					syscall.Kill(os.Getpid(), x.signal)
				}
			}
			// How long loading takes is not known. A signal that came before the search comes later next time.
			if !strings.Contains(errs.String(), "interrupted: 2 of 2 entries not explored\n") || delay > time.Minute {
				break
			}
		}
		if !strings.Contains(out.String(), x.want) {
			t.Errorf("%v: no %q in %s", x.signal, x.want, &out)
		}
		if want := "interrupted: 1 of 2 entries not explored\n"; !strings.Contains(errs.String(), want) {
			t.Errorf("%v: no %q in %s", x.signal, want, &errs)
		}
	}
}

// Package points asks which goroutines there are, and uses tests from several goroutines.
//
// After "want:" come the outcomes of a test, each in quotes: what it prints and, if it does not
// exit with status 0, how it ends. What go test shows is among them.
package points

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func out(args ...any) { fmt.Fprint(os.Stdout, args...) }

// The goroutines are that of package testing, that of the test, and the one that is started.
// It ends before or after it is counted.
// want: "2" "3"
func TestCount(t *testing.T) {
	var x atomic.Int32
	go x.Store(1)
	out(runtime.NumGoroutine())
}

// want: "2" "3"
func TestCountNothing(t *testing.T) {
	go func() {}()
	out(runtime.NumGoroutine())
}

// The second goroutine counts itself, and perhaps the other ones.
// want: "2" "3" "4"
func TestCountInside(t *testing.T) {
	go func() {}()
	go func() { out(runtime.NumGoroutine()) }()
}

// want: "done"
func TestWaitForCount(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {})
	}
	wg.Wait()
	for runtime.NumGoroutine() > 2 {
		runtime.Gosched()
	}
	out("done")
}

// A coroutine is a goroutine until its function has returned.
// want: "3 3 2"
func TestCountCoroutine(t *testing.T) {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1) })
	a := runtime.NumGoroutine()
	next()
	b := runtime.NumGoroutine()
	stop()
	out(a, b, runtime.NumGoroutine())
}

// The function of a timer has a goroutine, the timer has none.
// want: "2 3" "3 3"
func TestCountTimer(t *testing.T) {
	c := make(chan int)
	time.AfterFunc(1, func() { c <- runtime.NumGoroutine() })
	out(runtime.NumGoroutine(), <-c)
}

// Deferred calls are executed before a goroutine ends, however it does.
// want: "6 2" "6 3" "7 2" "7 3" "7 4" "8 2" "8 3" "8 4"
func TestCountDeferred(t *testing.T) {
	c := make(chan int, 2)
	go func() {
		defer func() { c <- runtime.NumGoroutine() }()
		runtime.Goexit()
	}()
	go func() {
		defer func() { recover(); c <- runtime.NumGoroutine() }()
		panic(1)
	}()
	out(<-c+<-c, runtime.NumGoroutine())
}

// want: "2" "3" "4"
func TestProfile(t *testing.T) {
	go func() {}()
	go func() {}()
	n := pprof.Lookup("goroutine").Count()
	out(n)
}

// want: "3" "4"
func TestCountSub(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		go func() {}()
		out(runtime.NumGoroutine())
	})
}

// want: "" "panic: Log in goroutine after TestLateLog/sub has completed: late"
func TestLateLog(t *testing.T) {
	t.Run("sub", func(t *testing.T) { go t.Log("late") })
}

// want: "" "panic: Log in goroutine after TestLateOutput has completed: late" "panic: Write called after TestLateOutput has completed: late"
func TestLateOutput(t *testing.T) {
	w := t.Output()
	go t.Log("late")
	go w.Write([]byte("late"))
}

// want: "exit 1" "panic: Fail in goroutine after TestLateFail has completed"
func TestLateFail(t *testing.T) { go t.Fail() }

// want: "exit 1" "panic: Log in goroutine after TestLateError has completed: late" "panic: Fail in goroutine after TestLateError has completed"
func TestLateError(t *testing.T) { go t.Error("late") }

// Parallel tests ask whether another one has failed.
// want: "exit 1" "f exit 1"
func TestFailedSiblings(t *testing.T) {
	for range 2 {
		t.Run("s", func(s *testing.T) {
			s.Parallel()
			if t.Failed() {
				out("f")
			}
			s.Fail()
		})
	}
}

// want: "exit 1" "f exit 1"
func TestFailOfOwner(t *testing.T) {
	done := make(chan bool)
	go func() {
		if t.Failed() {
			out("f")
		}
		done <- true
	}()
	t.Fail()
	<-done
}

// Run returns when a parallel test waits; it may have failed by then.
// want: "exit 1" "ok exit 1"
func TestRunParallel(t *testing.T) {
	done := make(chan bool)
	ok := t.Run("s", func(s *testing.T) {
		go func() { s.Fail(); done <- true }()
		s.Parallel()
	})
	if ok {
		out("ok")
	}
	<-done
}

// want: "" "s"
func TestSkipOfOwner(t *testing.T) {
	done := make(chan bool)
	t.Run("s", func(s *testing.T) {
		go func() {
			if s.Skipped() {
				out("s")
			}
			done <- true
		}()
		s.SkipNow()
	})
	<-done
}

// want: "ab" "ba"
func TestCleanups(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { t.Cleanup(func() { out("a") }) })
	t.Cleanup(func() { out("b") })
	wg.Wait()
}

// A cleanup may be registered before another one, while it is run, or too late.
// want: "ba" "ab" "b"
func TestLateCleanup(t *testing.T) {
	go t.Cleanup(func() { out("a") })
	t.Cleanup(func() { out("b") })
}

// want: "TestNames/s" "TestNames/s#01"
func TestNames(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			t.Run("s", func(s *testing.T) {
				if i == 0 {
					out(s.Name())
				}
			})
		})
	}
	wg.Wait()
}

// The context of a test that has ended is canceled, whenever it is asked for.
// want: "canceled"
func TestContext(t *testing.T) {
	done := make(chan bool)
	t.Run("s", func(s *testing.T) {
		go func() {
			<-s.Context().Done()
			out("canceled")
			done <- true
		}()
	})
	<-done
}

// What fails a test commutes.
// want: "exit 1"
// executions: 1
func TestErrors(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { t.Error(i) })
	}
	wg.Wait()
}

// What tests do with their own T does not multiply schedules. (That there are two is due to Parallel.)
// want: ""
// executions: 2
func TestOwners(t *testing.T) {
	for range 2 {
		t.Run("s", func(t *testing.T) {
			t.Parallel()
			t.Log(1)
			t.Helper()
			t.Cleanup(func() { t.Log(2) })
		})
	}
}

// No goroutine is counted: starting and ending one are no operations.
// want: ""
// executions: 1
func TestUncounted(t *testing.T) {
	for range 4 {
		go func() {}()
	}
}

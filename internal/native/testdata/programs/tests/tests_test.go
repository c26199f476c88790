// Package tests has tests: what package testing does beside other goroutines.
package tests

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// say prints a line that counts as an outcome.
func say(args ...any) { fmt.Println(append([]any{">"}, args...)...) }

func TestPass(t *testing.T) { say("ok") }

func TestFails(t *testing.T) { t.Error("bad") }

func TestFatal(t *testing.T) {
	defer say("deferred")
	t.Fatal("bad")
	say("not reached")
}

func TestFatalElsewhere(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		t.Fatal("bad")
	}()
	<-c
	say("after")
}

func TestSkips(t *testing.T) {
	defer func() { say(t.Skipped()) }()
	t.Skip("no")
}

func TestSkipFailed(t *testing.T) {
	t.Fail()
	t.SkipNow()
}

func TestFailBeside(t *testing.T) {
	par(func() { t.Fail() }, func() { say(t.Failed()) })
}

func TestFailOwn(t *testing.T) {
	say(t.Failed())
	t.Fail()
	say(t.Failed())
}

// TestFailPerhaps fails in one of the orders.
func TestFailPerhaps(t *testing.T) {
	var n atomic.Int32
	inc := func() {
		x := n.Load()
		n.Store(x + 1)
	}
	par(inc, inc)
	if n.Load() != 2 {
		t.Error("lost")
	}
}

func TestSkipPerhaps(t *testing.T) {
	var n atomic.Int32
	done := make(chan bool)
	go func() { n.Store(1); close(done) }()
	skip := n.Load() == 1
	<-done
	if skip {
		t.Skip("late")
	}
	t.Fail()
}

// TestSkippedBeside: Skip of the test beside a look at it.
func TestSkippedBeside(t *testing.T) {
	c := make(chan bool, 1)
	go func() { c <- t.Skipped() }()
	t.Cleanup(func() { say(<-c) })
	t.SkipNow()
}

func TestCleanupOrder(t *testing.T) {
	t.Cleanup(func() { say("first") })
	t.Cleanup(func() { say("second") })
}

// TestCleanupBoth: two goroutines register.
func TestCleanupBoth(t *testing.T) {
	par(func() { t.Cleanup(func() { say("a") }) }, func() { t.Cleanup(func() { say("b") }) })
}

func TestCleanupFails(t *testing.T) { t.Cleanup(func() { t.Error("in cleanup") }) }

func TestCleanupPanics(t *testing.T) {
	t.Cleanup(func() { panic("in cleanup") })
}

func TestCleanupNested(t *testing.T) {
	t.Cleanup(func() { t.Cleanup(func() { say("inner") }); say("outer") })
}

func TestRun(t *testing.T) {
	say(t.Run("a", func(t *testing.T) { say("a") }), t.Run("b", func(t *testing.T) { t.Fail() }))
}

func TestRunNames(t *testing.T) {
	for range 2 {
		t.Run("x y", func(t *testing.T) { say(t.Name()) })
	}
}

func TestRunSkip(t *testing.T) {
	say(t.Run("a", func(t *testing.T) { t.Skip() }), t.Skipped())
}

func TestRunFailedParent(t *testing.T) {
	t.Run("a", func(t *testing.T) { t.Fail() })
	say(t.Failed())
}

// TestParallel: subtests in any order after the parent.
func TestParallel(t *testing.T) {
	for _, s := range []string{"a", "b"} {
		t.Run(s, func(t *testing.T) { t.Parallel(); say(s) })
	}
	say("parent")
}

// TestParallelRace: two subtests write one variable.
func TestParallelRace(t *testing.T) {
	n := 0
	for _, s := range []string{"a", "b"} {
		t.Run(s, func(t *testing.T) { t.Parallel(); n++ })
	}
	_ = n
}

// TestParallelParent: the failure of one subtest is seen by the other through the parent.
func TestParallelParent(t *testing.T) {
	t.Run("a", func(u *testing.T) { u.Parallel(); u.Fail() })
	t.Run("b", func(u *testing.T) { u.Parallel(); say(t.Failed()) })
}

// TestParallelCleanup: the parent's cleanup comes last.
func TestParallelCleanup(t *testing.T) {
	t.Cleanup(func() { say("parent") })
	for _, s := range []string{"a", "b"} {
		t.Run(s, func(t *testing.T) { t.Parallel(); t.Cleanup(func() { say(s) }) })
	}
}

// TestParallelGroup: a group waits for its members.
func TestParallelGroup(t *testing.T) {
	t.Run("group", func(t *testing.T) {
		t.Run("a", func(t *testing.T) { t.Parallel(); say("a") })
	})
	say("after")
}

// TestParallelDefer: deferred calls of the parent run before its parallel subtests.
func TestParallelDefer(t *testing.T) {
	defer say("deferred")
	t.Run("a", func(t *testing.T) { t.Parallel(); say("a") })
}

func TestParallelTwice(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		defer func() { say(recover()) }()
		t.Parallel()
		t.Parallel()
	})
}

// TestLateLog: a log after the test's end panics.
//
//native:norace what the detector reports are accesses of package testing
func TestLateLog(t *testing.T) {
	t.Run("sub", func(t *testing.T) { go t.Log("late") })
}

// TestLateLogSeen: certain to be late.
func TestLateLogSeen(t *testing.T) {
	done := make(chan bool)
	end := make(chan bool)
	t.Run("sub", func(t *testing.T) {
		go func() {
			defer close(done)
			<-end
			defer func() { say(recover() != nil) }()
			t.Log("late")
		}()
	})
	close(end)
	<-done
}

// TestLateFail: a failure after the end of the test.
func TestLateFail(t *testing.T) {
	done, end := make(chan bool), make(chan bool)
	t.Run("sub", func(t *testing.T) {
		go func() {
			defer close(done)
			<-end
			defer func() { say(recover() != nil) }()
			t.Fail()
		}()
	})
	close(end)
	<-done
}

func TestPanic(t *testing.T) { panic("boom") }

func TestPanicSub(t *testing.T) {
	t.Run("a", func(t *testing.T) { panic("boom") })
}

func TestPanicElsewhere(t *testing.T) {
	c := make(chan int)
	go func() { panic("elsewhere") }()
	<-c
}

// TestExit ends the process in a test.
//
//native:bug HB005 package testing does not accept it
func TestExit(t *testing.T) { os.Exit(0) }

func TestExitStatus(t *testing.T) { os.Exit(3) }

func TestContext(t *testing.T) {
	ctx := t.Context()
	t.Cleanup(func() { say(ctx.Err()) })
	say(ctx.Err())
}

// TestContextLate: asked for when the test is over.
func TestContextLate(t *testing.T) {
	done := make(chan bool)
	end := make(chan bool)
	t.Run("sub", func(t *testing.T) {
		go func() {
			defer close(done)
			<-end
			<-t.Context().Done()
		}()
	})
	close(end)
	<-done
	say("ok")
}

// TestContextWait: a goroutine that ends with the test.
func TestContextWait(t *testing.T) {
	var wg sync.WaitGroup
	ctx := t.Context()
	wg.Go(func() { <-ctx.Done() })
	t.Cleanup(func() { wg.Wait(); say("ended") })
}

func TestSetenv(t *testing.T) {
	t.Run("a", func(t *testing.T) { t.Setenv("NATIVE_X", "1"); say(os.Getenv("NATIVE_X")) })
	say(os.Getenv("NATIVE_X"))
}

func TestSetenvParallel(t *testing.T) {
	defer func() { say(recover() != nil) }()
	t.Setenv("NATIVE_X", "1")
	t.Parallel()
}

func TestChdir(t *testing.T) {
	old, _ := os.Getwd()
	t.Run("a", func(t *testing.T) { t.Chdir("/"); d, _ := os.Getwd(); say(d) })
	d, _ := os.Getwd()
	say(d == old)
}

func TestHelper(t *testing.T) {
	t.Helper()
	say(t.Name())
}

func TestNow(t *testing.T) {
	_, ok := t.Deadline()
	say(ok, testing.Testing())
}

// TestTimeout: a test with a long timeout of its own.
func TestTimeout(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
		say("ok")
	case <-time.After(time.Hour):
		t.Fatal("timeout")
	}
}

// TestFailNowSub: FailNow of the parent inside of a subtest.
func TestErrorTwo(t *testing.T) {
	par(func() { t.Error("a") }, func() { t.Error("b") })
	say(t.Failed())
}

// TestLeft: a goroutine is left behind.
//
//native:bug HB003 its send has no receiver
func TestLeft(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	say("ok")
}

// TestDeadlocks waits forever.
func TestDeadlocks(t *testing.T) {
	<-make(chan int)
}

func TestRace(t *testing.T) {
	n := 0
	par(func() { n++ }, func() { n++ })
}

// TestTempDir makes directories.
func TestTempDir(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	say(a != b)
}

func TestOutput(t *testing.T) {
	fmt.Fprintln(t.Output(), "x")
	t.Attr("key", "value")
	say("ok")
}

func TestAllocs(t *testing.T) {
	say(testing.AllocsPerRun(1, func() {}) == 0)
}

func TestBenchmark(t *testing.T) {
	say(testing.Short(), testing.Verbose())
}

// TestRunConcurrent: Run from two goroutines.
func TestRunConcurrent(t *testing.T) {
	par(func() { t.Run("a", func(t *testing.T) { say("a") }) }, func() { t.Run("b", func(t *testing.T) { say("b") }) })
}

// TestSubFailNow: a subtest fails in one of the orders.
func TestSubFailNow(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	t.Run("a", func(t *testing.T) {
		if <-c == 2 {
			t.FailNow()
		}
	})
	<-c
	say(t.Failed())
}

// TestStacks: another goroutine waits for the test, and is the first.
func TestStacks(t *testing.T) {
	b := make([]byte, 1<<16)
	text := string(b[:runtime.Stack(b, true)])
	all := strings.Split(text, "\n\n")
	say(len(all), runtime.NumGoroutine(), strings.Contains(all[0], "TestStacks"), strings.HasPrefix(all[0], "goroutine 1 "))
	say(strings.HasPrefix(all[1], "goroutine 1 [chan receive]:\ntesting.(*T).Run("))
}

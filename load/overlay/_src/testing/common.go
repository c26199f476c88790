package testing

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"unicode"
)

// common is what T, B and F have in common.
type common struct {
	name   string
	parent *common
	level  int    // 1: a test function
	owner  uint32 // number of the goroutine that runs it

	failed, skipped bool
	finished        bool // the function has returned or called FailNow or SkipNow
	done            bool // its cleanups and subtests have ended, too
	cleaning        bool
	isParallel      bool
	denyParallel    bool
	isSynctest      bool
	isFuzz          bool
	seed            string // for a fuzz target: the name of the seed with which it is run
	isEntry         bool   // the test is the entry, or one of its tests

	// Arguments of hbTouch besides failed, skipped and finished. Only their addresses are used.
	registered bool // cleanups
	named      bool // names
	tempDirs   bool // tempDir, tempDirSeq

	site     uintptr // where it failed first: makes failures at different places different states
	helpers  []uintptr
	cleanups []func()
	sub      []*T
	names    map[string]int // subtests by name
	signal   chan bool
	barrier  chan bool // closed when parallel subtests may continue

	tempDir    string
	tempDirSeq int

	ctx    context.Context
	cancel context.CancelFunc
}

// TB is the interface common to T, B and F.
type TB interface {
	ArtifactDir() string
	Attr(key, value string)
	Cleanup(func())
	Error(args ...any)
	Errorf(format string, args ...any)
	Fail()
	FailNow()
	Failed() bool
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Helper()
	Log(args ...any)
	Logf(format string, args ...any)
	Name() string
	Setenv(key, value string)
	Chdir(dir string)
	Skip(args ...any)
	SkipNow()
	Skipf(format string, args ...any)
	Skipped() bool
	TempDir() string
	Context() context.Context
	Output() io.Writer

	private()
}

func (c *common) private() {}

// Name returns the name of the running (sub-) test or benchmark.
func (c *common) Name() string { return c.name }

// Fail marks the function as having failed but continues execution.
func (c *common) Fail() { c.fail("") }

// fail is Fail; text is what has been logged.
func (c *common) fail(text string) {
	if c.seed != "" {
		text = c.seed + ": " + text
	}
	if allocations {
		hbUnsupported("testing.AllocsPerRun: how many objects the compiled program allocates")
	}
	c.failFrom(c, text)
}

// failFrom marks c and the tests around it as having failed, because from, which is c or inside of it, has. A
// test fails after those around it. Where no other goroutine can ask whether they have failed, that is one
// step: a test around one that has not completed has not completed either.
func (c *common) failFrom(from *common, text string) {
	if hbAsks(asksFailed) {
		if c.parent != nil {
			c.parent.failFrom(from, text)
		}
		//mutant: Fail of the owner is no operation [points]: "failed, 0" -> "failed, c.owner"
		hbTouch(&c.failed, 0, false)
		c.mark(from, text)
		return
	}
	hbTouch(&c.failed, c.owner, false)
	switch {
	case c.parent == nil:
	case c.done:
		c.parent.failFrom(from, text)
	default:
		c.parent.markAll(from, text)
	}
	c.mark(from, text)
}

// markAll marks c as having failed after the tests around it.
func (c *common) markAll(from *common, text string) {
	if c.parent != nil {
		c.parent.markAll(from, text)
	}
	c.mark(from, text)
}

// mark marks c as having failed because from has, whose helpers are left out of the position.
func (c *common) mark(from *common, text string) {
	if c.done {
		panic("Fail in goroutine after " + c.name + " has completed")
	}
	if !c.failed {
		c.failed = true
		c.site, _ = hbSite(from.helpers)
	}
	hbFailed(from.helpers, text, from.name)
}

// Failed reports whether the function has failed.
func (c *common) Failed() bool {
	hbTouch(&c.failed, 0, true)
	return c.failed
}

// FailNow marks the function as having failed and stops its execution by
// calling runtime.Goexit.
func (c *common) FailNow() {
	c.fail("")
	c.leave()
}

// leave ends the calling goroutine, which has finished the test.
func (c *common) leave() {
	hbTouch(&c.finished, c.owner, false)
	c.finished = true
	runtime.Goexit()
}

// log writes s to the test's log or, if the test has completed, to that of the
// innermost incomplete one around it. It returns the text.
func (c *common) log(s string) string {
	s = strings.TrimSuffix(s, "\n")
	c.write("Log in goroutine", strings.ReplaceAll(s, "\n", "\n    ")+"\n", true)
	return s
}

// incomplete returns c or, if it has completed, the innermost test around it that has not; nil if
// all have.
func (c *common) incomplete() *common {
	//mutant: a late Log is no operation [points]
	hbTouch(&c.failed, c.owner, false)
	to := c
	for to != nil && (to.done || to.isSynctest) {
		late := to.done // if the parent has not ended, it waits for its subtests
		to = to.parent
		if to != nil && late {
			hbTouch(&to.failed, to.owner, false)
		}
	}
	return to
}

func (c *common) write(what, s string, site bool) {
	to := c.incomplete()
	if to == nil {
		panic(what + " after " + c.name + " has completed: " + s)
	}
	if site {
		_, pos := hbSite(c.helpers)
		s = pos + s
	}
	hbLog(strings.Repeat("    ", to.level) + s)
}

// Log formats its arguments like fmt.Println and records the text in the log.
func (c *common) Log(args ...any) { c.log(fmt.Sprintln(args...)) }

// Logf formats its arguments like fmt.Printf and records the text in the log.
func (c *common) Logf(format string, args ...any) { c.log(fmt.Sprintf(format, args...)) }

// Error is equivalent to Log followed by Fail.
func (c *common) Error(args ...any) { c.fail(c.log(fmt.Sprintln(args...))) }

// Errorf is equivalent to Logf followed by Fail.
func (c *common) Errorf(format string, args ...any) { c.fail(c.log(fmt.Sprintf(format, args...))) }

// Fatal is equivalent to Log followed by FailNow.
func (c *common) Fatal(args ...any) {
	c.fail(c.log(fmt.Sprintln(args...)))
	c.leave()
}

// Fatalf is equivalent to Logf followed by FailNow.
func (c *common) Fatalf(format string, args ...any) {
	c.fail(c.log(fmt.Sprintf(format, args...)))
	c.leave()
}

// Skip is equivalent to Log followed by SkipNow.
func (c *common) Skip(args ...any) {
	c.skip(c.log(fmt.Sprintln(args...)))
}

// Skipf is equivalent to Logf followed by SkipNow.
func (c *common) Skipf(format string, args ...any) {
	c.skip(c.log(fmt.Sprintf(format, args...)))
}

// SkipNow marks the test as having been skipped and stops its execution by
// calling runtime.Goexit.
func (c *common) SkipNow() { c.skip("") }

func (c *common) skip(text string) {
	owner := c.owner
	if hbAsks(asksSkipped) {
		owner = 0
	}
	hbTouch(&c.skipped, owner, false)
	c.skipped = true
	if c.isEntry {
		hbSkipped(c.helpers, text)
	}
	c.leave()
}

// Skipped reports whether the test was skipped.
func (c *common) Skipped() bool {
	hbTouch(&c.skipped, 0, true)
	return c.skipped
}

// Helper marks the calling function as a test helper function.
func (c *common) Helper() {
	if c.isSynctest {
		c = c.parent
	}
	f := hbCaller()
	for _, h := range c.helpers {
		if h == f {
			return
		}
	}
	c.helpers = append(c.helpers, f)
}

// Cleanup registers a function to be called when the test and all its subtests
// complete.
func (c *common) Cleanup(f func()) {
	//mutant: Cleanup is no operation [points]
	hbTouch(&c.registered, 0, true)
	c.cleanups = append(c.cleanups, f)
}

// runCleanup calls the cleanup functions, also those after one that panics.
func (c *common) runCleanup() {
	c.cleaning = true
	defer func() {
		if len(c.cleanups) > 0 {
			c.runCleanup()
		}
		c.cleaning = false
	}()
	if c.cancel != nil {
		c.cancel()
	}
	for {
		if hbAsks(asksCleanup) {
			hbTouch(&c.registered, 0, true)
		}
		n := len(c.cleanups)
		if n == 0 {
			return
		}
		f := c.cleanups[n-1]
		c.cleanups = c.cleanups[:n-1]
		f()
	}
}

// Output returns a Writer that writes to the log without positions.
func (c *common) Output() io.Writer {
	if c.incomplete() == nil {
		panic("Output called after " + c.name + " has completed")
	}
	return logWriter{c}
}

type logWriter struct{ c *common }

// Write writes p to the log, line by line.
func (w logWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		w.c.write("Write called", line, false)
	}
	return len(p), nil
}

// Setenv calls os.Setenv and restores the variable after the test.
func (c *common) Setenv(key, value string) {
	old, ok := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		c.Fatalf("cannot set environment variable: %v", err)
	}
	c.Cleanup(func() {
		if ok {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

// Chdir calls os.Chdir, sets PWD and restores both after the test. The working
// directory is the program's own, not the machine's.
func (c *common) Chdir(dir string) {
	old, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err == nil && !strings.HasPrefix(dir, "/") {
		dir, err = os.Getwd()
	}
	if err != nil {
		c.Fatal(err)
	}
	c.Setenv("PWD", dir)
	c.Cleanup(func() {
		if err := os.Chdir(old); err != nil {
			panic("testing.Chdir: " + err.Error())
		}
	})
}

// TempDir returns a temporary directory for the test to use, a new one in each call. They are
// removed when the test and all its subtests complete.
//
// The real function puts random digits into the name. Here the digits are the first ones that are
// free, because no program can rely on them.
func (c *common) TempDir() string {
	hbTouch(&c.tempDirs, 0, true)
	if c.tempDir == "" {
		name := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("!#$%&()+,-.=@^_{}~ ", r) {
				return r
			}
			return -1
		}, c.name[:min(len(c.name), 64)])
		for i := 1; c.tempDir == ""; i++ {
			dir := fmt.Sprintf("%s%c%s%d", os.TempDir(), os.PathSeparator, name, i)
			switch err := os.Mkdir(dir, 0o700); {
			case err == nil:
				c.tempDir = dir
			case !os.IsExist(err):
				c.Fatalf("TempDir: %v", err)
			}
		}
		c.Cleanup(func() {
			if err := os.RemoveAll(c.tempDir); err != nil {
				c.Errorf("TempDir RemoveAll cleanup: %v", err)
			}
		})
	}
	c.tempDirSeq++
	dir := fmt.Sprintf("%s%c%03d", c.tempDir, os.PathSeparator, c.tempDirSeq)
	if err := os.Mkdir(dir, 0o777); err != nil {
		c.Fatalf("TempDir: %v", err)
	}
	return dir
}

// ArtifactDir returns a directory for files that the test produces: without -artifacts, which is
// not known here, a temporary one.
func (c *common) ArtifactDir() string { return c.TempDir() }

// Context returns a context that is canceled just before Cleanup-registered
// functions are called.
func (c *common) Context() context.Context {
	if c.ctx == nil {
		c.makeContext() // asked for by code that hbAsks does not know
	}
	return c.ctx
}

// makeContext makes what Context returns.
func (c *common) makeContext() {
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if c.cleaning || c.done {
		c.cancel()
	}
}

// begin is called by the goroutine that runs the test, before its function.
func (c *common) begin() {
	c.owner = hbG()
	hbRuns(c.name)
	if hbAsks(asksContext) {
		c.makeContext()
	}
}

// Attr emits a test attribute, which nobody reads.
func (c *common) Attr(key, value string) {
	if strings.ContainsFunc(key, unicode.IsSpace) {
		c.Errorf("disallowed whitespace in attribute key %q", key)
		return
	}
	if strings.ContainsAny(value, "\r\n") {
		c.Errorf("disallowed newline in attribute value %q", value)
	}
}

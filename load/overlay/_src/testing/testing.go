package testing

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"time"
	_ "unsafe" // for linkname
)

// T is a type passed to Test functions to manage test state.
type T struct {
	common
}

const parallelConflict = `testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel`

var errNilPanicOrGoexit = errors.New("test executed panic(nil) or runtime.Goexit")

// tRunner runs the test t, whose function is fn, on the calling goroutine. It does not recover a
// panic, so that the trace of the panic is that of the program.
func tRunner(t *T, fn func(t *T)) {
	t.begin()
	defer func() {
		if hbPanicking() {
			t.failed = true
			t.runCleanup()
			return
		}
		signal := true
		var err error
		if !t.finished {
			hbTouch(&t.finished, 0, true)
		}
		if !t.finished {
			err = errNilPanicOrGoexit
			for p := t.parent; p != nil; p = p.parent {
				hbTouch(&p.finished, 0, true)
				if p.finished {
					if !t.isParallel {
						t.Errorf("%v: subtest may have called FailNow on a parent test", err)
						err = nil
					}
					signal = false
					break
				}
			}
		}
		// Deferred, because a cleanup may call FailNow.
		defer func() {
			if hbPanicking() {
				return
			}
			if err != nil {
				panic(err)
			}
			//mutant: the end of a test is no operation [points]
			hbTouch(&t.failed, 0, true)
			t.done = true
			if t.signal != nil {
				hbLeaves()
				t.signal <- signal
			}
		}()
		if len(t.sub) > 0 {
			close(t.barrier)
			for _, sub := range t.sub {
				<-sub.signal
			}
			t.runCleanup()
		}
		t.report()
	}()
	defer func() {
		if len(t.sub) == 0 {
			t.runCleanup()
		}
	}()
	fn(t)
	t.finished = true
}

// report logs how a subtest ended, if that is worth a line.
func (t *T) report() {
	if !t.skipped {
		hbRan(t.name)
	}
	switch {
	case t.isSynctest:
	case t.failed:
		hbLog(fmt.Sprintf("%*s--- FAIL: %s\n", 4*(t.level-1), "", t.name))
	case t.skipped:
		hbLog(fmt.Sprintf("%*s--- SKIP: %s\n", 4*(t.level-1), "", t.name))
	}
}

// Parallel signals that this test is to be run in parallel with other parallel tests. If an entry
// is a single test function, no other test runs beside it.
func (t *T) Parallel() {
	if t.isParallel {
		panic("testing: t.Parallel called multiple times")
	}
	if t.isSynctest {
		panic("testing: t.Parallel called inside synctest bubble")
	}
	if t.denyParallel {
		panic(parallelConflict)
	}
	if t.isFuzz {
		return
	}
	t.isParallel = true
	if t.parent == nil {
		return
	}
	t.parent.sub = append(t.parent.sub, t)
	t.signal <- true
	<-t.parent.barrier
}

// checkParallel is called by testing/cryptotest.SetGlobalRandom.
//
//go:linkname checkParallel testing.checkParallel
func checkParallel(t *T) { t.checkParallel() }

func (t *T) checkParallel() {
	for c := &t.common; c != nil; c = c.parent {
		if c.isParallel {
			panic(parallelConflict)
		}
	}
	t.denyParallel = true
}

// Setenv calls os.Setenv and restores the variable after the test. It cannot
// be used in parallel tests or tests with parallel ancestors.
func (t *T) Setenv(key, value string) {
	t.checkParallel()
	t.common.Setenv(key, value)
}

// Chdir changes the working directory until the test ends. It cannot be used in
// parallel tests or tests with parallel ancestors.
func (t *T) Chdir(dir string) {
	t.checkParallel()
	t.common.Chdir(dir)
}

// Run runs f as a subtest of t called name. It runs f in a separate goroutine
// and blocks until f returns or calls t.Parallel.
func (t *T) Run(name string, f func(t *T)) bool {
	if t.isSynctest {
		panic("testing: t.Run called inside synctest bubble")
	}
	if t.cleaning {
		panic("testing: t.Run called during t.Cleanup")
	}
	name = t.unique(rewrite(name))
	if !hbSelected(name) {
		return true
	}
	s := &T{common{name: name, parent: &t.common, level: t.level + 1,
		signal: make(chan bool, 1), barrier: make(chan bool)}}
	return t.hbRunChild(s, f)
}

// hbRunChild runs s and waits for it. It reports whether s has not failed so far.
func (t *T) hbRunChild(s *T, f func(t *T)) bool {
	go tRunner(s, f)
	if !<-s.signal {
		// FailNow was called on one of the parents by one of the subtests.
		runtime.Goexit()
	}
	if !s.done {
		//mutant: Run's result is no operation [points]
		hbTouch(&s.failed, 0, true)
	}
	return !s.failed
}

// testingSynctestTest runs f within a synctest bubble. It is called by
// synctest.Test, from within an already-created bubble.
//
//go:linkname testingSynctestTest testing/synctest.testingSynctestTest
func testingSynctestTest(t *T, f func(*T)) (ok bool) {
	if t.cleaning {
		panic("testing: synctest.Run called during t.Cleanup")
	}
	s := &T{common{name: t.name, parent: &t.common, level: t.level + 1,
		signal: make(chan bool, 1), barrier: make(chan bool), isSynctest: true}}
	return t.hbRunChild(s, f)
}

// Deadline reports that there is none: time is virtual.
func (t *T) Deadline() (deadline time.Time, ok bool) {
	if t.isSynctest {
		panic("testing: t.Deadline called inside synctest bubble")
	}
	return time.Time{}, false
}

// unique returns a name for the subtest called sub that no other subtest has.
func (c *common) unique(sub string) string {
	owner := c.owner
	if hbAsks(asksName) {
		owner = 0
	}
	//mutant: Run's names are no operations [points]: "owner, true" -> "owner+1, false"
	hbTouch(&c.named, owner, true)
	base := c.name + "/" + sub
	if c.names == nil {
		c.names = make(map[string]int)
	}
	for {
		n := c.names[base]
		c.names[base] = n + 1
		if n == 0 && sub != "" {
			return base
		}
		name := fmt.Sprintf("%s#%02d", base, n)
		if c.names[name] == 0 {
			c.names[name] = 1
			return name
		}
	}
}

// rewrite rewrites a subtest's name to have only printable characters and no
// white space.
func rewrite(s string) string {
	b := []byte{}
	for _, r := range s {
		switch {
		case isSpace(r):
			b = append(b, '_')
		case !strconv.IsPrint(r):
			s := strconv.QuoteRune(r)
			b = append(b, s[1:len(s)-1]...)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(b)
}

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

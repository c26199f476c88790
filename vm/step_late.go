package vm

import (
	"math"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// When the entry has ended, the remaining goroutines continue and are explored: one of them may still fail,
// race or block forever. But a goroutine may run from timer to timer and never end, such as the janitor of a
// cache, or a loop that retries each second. The process does not wait for such a goroutine. Neither does the
// search, which follows a goroutine only until time has woken it lateTimers times. A goroutine inherits the
// count of the one that started it. Afterwards its timers do not fire any more. A goroutine that then remains
// is neither a deadlock nor a leak (query_left.go). The process does not live until the end of time either: a
// goroutine that sleeps for the longest duration, to sleep forever, does not wake.

// lateTimers is how often time wakes a goroutine after the entry has ended.
const lateTimers = 2

// afterEntry reports whether the entry has ended. A main function that has called runtime.Goexit does not
// count as ended, because the program continues without it.
func (m *Machine) afterEntry() bool {
	return m.mainEnd && !m.cfg.Run && !m.Report().MainGoexited()
}

// spent reports whether the search stops following g, which waits for time.
func (m *Machine) spent(g *goroutine) bool {
	return (g.late >= lateTimers || int64(g.label) == math.MaxInt64) && m.afterEntry()
}

// wokenLate records that time has woken g.
func (m *Machine) wokenLate(g *goroutine) {
	if g.late < lateTimers && m.afterEntry() {
		g.late++
	}
}

// os.Exit(0) is a failure before the test has ended, and no failure afterwards:
//
//	func TestServe(t *testing.T) {
//		go func() { serve(); os.Exit(0) }()
//	}
//
// So exits depend on the end of the test. Then each test would have one more operation, although few tests
// exit. When a goroutine other than main exits with status 0, the search begins again, and there the end of
// the test is an operation, on which exits depend (Config.VisibleEnd).

// noteExit records that g exits.
func (m *Machine) noteExit(g *goroutine, status int) {
	if status == 0 && g.parent != trace.NoGID && m.entry.Kind == load.Test && !m.cfg.exits.Load() {
		m.cfg.exits.Store(true)
	}
}

// needsEnd reports whether the search is inconclusive, because the end of the test was no operation.
func (m *Machine) needsEnd() bool {
	//mutant: exits do not depend on the end of the test [test ./cmd/hbcheck TestScripts/exits]: "m.cfg.exits.Load()" -> "false"
	return m.cfg.exits.Load() && !m.cfg.VisibleEnd
}

// accessEnd makes op an access to the word for the end of the test, if the end is visible.
func (m *Machine) accessEnd(op *trace.Op, write bool) {
	if m.endWord != 0 {
		op.Access[0] = accessOf(m.endWord, 8, write)
		op.N = 1
	}
}

package vm

import "math"

// When the entry has ended, the remaining goroutines continue and are explored: one of them may still fail,
// race or block forever. But a goroutine may run from timer to timer and never end, such as the janitor of
// a cache, or a loop that retries each second. The process does not wait for it, and neither does the
// search, which follows a goroutine only until time has woken it lateTimers times. A goroutine inherits the
// count of the one that started it. Afterwards its timers do not fire any more. A goroutine that then
// remains is neither a deadlock nor a leak (query_left.go). The process does not live until the end of time
// either: a goroutine that sleeps for the longest duration, to sleep forever, does not wake.

// lateTimers is how often time wakes a goroutine after the entry has ended.
const lateTimers = 2

// afterEntry reports whether the entry has ended. A main function that has called runtime.Goexit has
// not: the program continues without it.
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

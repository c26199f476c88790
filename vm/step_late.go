package vm

import "math"

// When the entry has ended, what is left of it continues: a goroutine that it has not waited for
// may still fail, race or block forever, and that is explored. But a goroutine may live from
// timer to timer and never end: the janitor of a cache, a loop that tries again each second. The
// process does not wait for it, and neither does the search: each goroutine is followed until time
// has woken it lateTimers times, counted along who started it, and then waits for time in vain.
// What is left then is no deadlock and no leak (query_left.go). Nor does the process live until the
// end of time: what sleeps for as long as there is, to sleep forever, is not woken.

// lateTimers is how often time wakes a goroutine after the entry has ended.
const lateTimers = 2

// afterEntry reports whether the entry has ended. A main function that has called runtime.Goexit has
// not: the program goes on without it.
func (m *Machine) afterEntry() bool {
	return m.mainEnd && !m.cfg.Run && !m.Report().MainGoexited()
}

// spent reports whether g, which waits for time, is not followed any further.
func (m *Machine) spent(g *goroutine) bool {
	return (g.late >= lateTimers || int64(g.label) == math.MaxInt64) && m.afterEntry()
}

// wokenLate notes that time has woken g.
func (m *Machine) wokenLate(g *goroutine) {
	if g.late < lateTimers && m.afterEntry() {
		g.late++
	}
}

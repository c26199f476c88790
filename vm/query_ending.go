package vm

import "hbcheck.dev/hbcheck/trace"

// How the execution has ended, if it has.

// Counters returns the running totals.
func (m *Machine) Counters() Counters { return m.cnt }

// Fault returns how the execution failed, or nil.
func (m *Machine) Fault() *Fault { return m.fault }

// Failure returns the first failure that a test has reported on this path, or nil. Its Message may be
// empty.
func (m *Machine) Failure() *Fault { return m.failure }

// Exited reports whether the program has exited by itself, and its status.
func (m *Machine) Exited() (code int, ok bool) { return m.exit, m.exited }

// ExitedIn returns the goroutine in which the program has exited.
func (m *Machine) ExitedIn() trace.GID { return m.exitG }

// Tested reports whether the test function of the entry has ended.
func (m *Machine) Tested() bool { return m.tested }

// MainEnded reports whether the entry function has returned.
func (m *Machine) MainEnded() bool { return m.mainEnd }

// CutReason says why the execution was abandoned; empty if it was not.
// It is empty, too, if an assumption of the program's did not hold.
func (m *Machine) CutReason() string {
	if m.cut == assumption {
		return ""
	}
	return m.cut
}

// executionOver reports whether the execution has ended, with whatever result.
func (m *Machine) executionOver() bool { return m.fault != nil || m.exited || m.cut != "" }

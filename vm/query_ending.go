package vm

import (
	"go/token"
	"slices"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/hash"
)

// The ending of the execution.

// Counters returns the running totals.
func (v Report) Counters() Counters { return v.m.cnt }

// Fault returns how the execution failed, or nil.
func (v Report) Fault() *Fault { return v.m.fault }

// Failures returns the failures that a test has reported on this path, the first one at each place,
// in their order. Messages may be empty.
func (v Report) Failures() []*Fault { return v.m.failures }

// Failure returns the first of the Failures, or nil.
func (v Report) Failure() *Fault {
	m := v.m
	if len(m.failures) == 0 {
		return nil
	}
	return m.failures[0]
}

// maxFailures is the most places of a path whose failures are kept.
const maxFailures = 64

// fails records that a test has reported a failure, at a program point. Fingerprints include the
// failures, without their order, because package testing's own record of them may be unreachable
// while the test ends.
func (m *Machine) fails(site uint64, f *Fault) {
	known := slices.IndexFunc(m.failures, func(x *Fault) bool { return x.Pos == f.Pos })
	n := len(m.failures)
	if known >= 0 && !slices.Contains(m.failures[known].Tests, f.Tests[0]) { // other paths share the list
		x := *m.failures[known]
		x.Tests = append(slices.Clip(x.Tests), f.Tests[0])
		m.failures = slices.Clone(m.failures)
		m.failures[known] = &x
	}
	if known >= 0 || n == maxFailures {
		return
	}
	m.failures = append(m.failures[:n:n], f)
	m.failed += hash.Mix(1, site)
}

// Exited reports whether the program has exited by itself, and its status.
func (v Report) Exited() (code int, ok bool) { return v.m.exit, v.m.exited }

// ExitedIn returns the goroutine in which the program has exited.
func (v Report) ExitedIn() trace.GID { return v.m.exitG }

// A Skip is the place where a test was skipped, and the reason.
type Skip struct {
	Pos  token.Position
	Text string
}

// Skipped returns the skip of the entry's test on this path, or nil.
func (v Report) Skipped() *Skip { return v.m.skip }

// Testing reports whether the test function of the entry has begun. TestMain need not run it.
func (v Report) Testing() bool { return v.m.testing }

// Tested reports whether the test function of the entry has ended.
func (v Report) Tested() bool { return v.m.tested }

// MainEnded reports whether the entry function has returned.
func (v Report) MainEnded() bool { return v.m.mainEnd }

// MainGoexited reports whether the main function has called runtime.Goexit: the program continues
// without it. A test that calls it has failed or is skipped, and ends like any other.
func (v Report) MainGoexited() bool { return v.m.goexited && v.m.entry.Kind != load.Test }

// Lonely returns the program's end after that, if no goroutine is left.
func (v Report) Lonely() *Fault { return v.m.lonely }

// A Cut says why an execution was abandoned before it ended.
type Cut struct {
	Cause CutCause
	Text  string // the reason, with its position
	// Refused is the refused construct, if the cause is CutUnsupported.
	Refused Refusal
}

// A CutCause is a kind of reason for abandoning an execution.
type CutCause uint8

const (
	CutUnsupported CutCause = iota + 1 // the machine does not model something
	CutMemory                          // Config.MaxHeap
	CutLocal                           // Config.MaxLocal
	CutRun                             // Config.MaxRun
	CutTime                            // a loop ends when time has passed, and no goroutine sleeps
	CutInterrupted                     // Config.Interrupt
	CutAssumption                      // hbtest.Assume does not hold
	CutInfeasible                      // no input leads to this state
	CutUnwound                         // Config.Unwind
)

// Cut returns why the execution was abandoned; the zero Cut if it was not.
func (v Report) Cut() Cut { return v.m.cut }

// Contradicted implements por.Constrained.
func (m *Machine) Contradicted() bool { return m.cut.Cause == CutInfeasible }

// CutReason returns the text of Cut. It is empty if an assumption of the program does not hold, or
// no input leads to the state: neither weakens the verdict.
func (v Report) CutReason() string {
	m := v.m
	//mutant: a cut is not named [inputs Unwind]: "CutInfeasible " -> "CutInfeasible || m.cut.Cause == CutUnwound "
	if m.cut.Cause == CutAssumption || m.cut.Cause == CutInfeasible {
		return ""
	}
	return m.cut.Text
}

// executionOver reports whether the execution has ended, with any result.
func (m *Machine) executionOver() bool { return m.fault != nil || m.exited || m.cut.Cause != 0 }

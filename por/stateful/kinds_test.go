package stateful

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// pendingOp is a system with only a pending operation and a status.
type pendingOp struct {
	por.System
	op     trace.Op
	status por.Status
}

func (s *pendingOp) Next(trace.GID) trace.Op { return s.op }
func (s *pendingOp) Status() por.Status      { return s.status }

// TestKinds compares SyncPolicy on all kinds of operations with the rows of trace's table.
// Exceptions are listed, so that a new kind is not forgotten.
func TestKinds(t *testing.T) {
	on := func(k trace.Kind) *pendingOp {
		lock := trace.Access{Obj: 3, Size: 8, Write: true}
		return &pendingOp{op: trace.Op{Kind: k, N: 1, Access: [2]trace.Access{lock}}}
	}
	for k := range trace.NumKinds {
		row := k.Row()
		aboutLock := row.On == trace.OnLock || row.On == trace.OnOnce
		unlocks := aboutLock && row.Releases != 0
		for _, p := range []SyncPolicy{{}, {UnlockNeedsNoChoice: true}, {IgnoreOutput: true}} {
			// JPF schedules at Thread.yield.
			want := row.Commutes == trace.Always && k != trace.Yield ||
				unlocks && p.UnlockNeedsNoChoice || row.Commutes == trace.UnlessPrinted && p.IgnoreOutput
			if got := p.NeedsNoChoice(&on(k).op); got != want {
				t.Errorf("%+v: %v needs no choice: %v, want %v", p, k, got, want)
			}
		}

		// A lock that is tried, or accessed as memory, shows when it was released. Whatever waits for
		// a lock makes it known; LockPending and WakeLock come after a Lock.
		p := SyncPolicy{UnlockNeedsNoChoice: true}
		p.Before(on(k), 0)
		if want := row.Tries && aboutLock; p.Violated != want {
			t.Errorf("%v refutes that unlocking commutes: %v, want %v", k, p.Violated, want)
		}
		p.Violated = false
		p.Before(on(trace.Write), 0)
		if want := row.Blocks && aboutLock && k != trace.LockPending && k != trace.WakeLock; p.Violated != want {
			t.Errorf("memory is known to be a lock after %v: %v, want %v", k, p.Violated, want)
		}

		// An operation that releases a lock and ends the program, though its goroutine has not ended, may
		// have released a free one. Only package sync releases a Once.
		for next, fails := range map[trace.Kind]bool{trace.None: false, k: true, trace.Crash: true} {
			p = SyncPolicy{UnlockNeedsNoChoice: true}
			sys := on(k)
			p.Before(sys, 0)
			p.Violated, sys.status, sys.op.Kind = false, por.Ended, next
			want := fails && next != trace.None && (unlocks && row.On == trace.OnLock || k == trace.Park)
			if p.After(sys, 0) != want {
				t.Errorf("%v that ends the program before %v refutes that unlocking commutes: %v, want %v", k, next, !want, want)
			}
		}
	}
}

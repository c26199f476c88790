package lookahead

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestKinds checks the oracle's functions of kinds for all kinds, so that a new kind is not
// forgotten.
func TestKinds(t *testing.T) {
	for k := range trace.NumKinds {
		row := k.Row()
		op := &trace.Op{Kind: k, N: 1, Access: [2]trace.Access{{Obj: 3, Size: 8, Write: true}}}

		// Stopping a timer, which is a SyncAccess, empties a channel but moves no goroutine.
		moves := row.Communicates || row.Channels && k != trace.SyncAccess || row.On == trace.OnClock || row.On == trace.OnBubble
		if got := movesAnother(k); got != moves {
			t.Errorf("%v may be an operation of another goroutine, too: %v, want %v", k, got, moves)
		}

		// An operation that enables no other operation releases nothing.
		if enablesNothing(op) && (row.Releases != 0 || moves || row.Ends) {
			t.Errorf("%v is taken to enable nothing", k)
		}
		if row.Plain && !enablesNothing(op) {
			t.Errorf("%v, which is no synchronisation, is taken to enable something", k)
		}

		// Operations that release an object, which is among their accesses.
		f := &reachable{complete: true, waits: true}
		if got := f.releasesUnawaited(op); got && (row.Releases&trace.First == 0 || moves) {
			t.Errorf("%v is taken to release what nothing waits for", k)
		}
		f.awaited = op.Access[:1]
		if f.releasesUnawaited(op) {
			t.Errorf("%v is taken to release nothing that is awaited", k)
		}
	}
}

package hb

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// names are effects that know identities only.
type names struct{ por.Effects }

func (names) Identity(obj uint32) uint64 { return uint64(obj) }

// TestLateSends: after the first execution, an event that reads a channel and a goroutine that
// comes to send to it refute the assumption, in either order; the first execution only records the
// channels to which goroutines send.
func TestLateSends(t *testing.T) {
	receive := func(c uint32, writes bool) *NextOp {
		return &NextOp{Op: trace.Op{Kind: trace.Recv, N: 1, Access: [2]trace.Access{{Obj: c, Size: 8, Write: writes}}}}
	}
	for _, frozen := range []bool{false, true} {
		for _, sendsFirst := range []bool{false, true} {
			x := &Execution{sys: names{}, rel: Relation{OnlyReceived: true}, frozen: frozen}
			x.noteReads(receive(1, false))
			if x.noteSend(2); x.Wrong != 0 {
				t.Fatal("different channels")
			}
			if sendsFirst {
				x.noteSend(3)
				x.noteReads(receive(3, x.sends(3)))
			} else {
				x.noteReads(receive(3, x.sends(3)))
				x.noteSend(3)
			}
			if want := frozen || !sendsFirst; (x.Wrong == OnlyReceived) != want {
				t.Errorf("frozen %v, sends first %v: wrong %v", frozen, sendsFirst, x.Wrong)
			}
		}
	}
}

// TestLateSendsOfWorkers: sends that one worker has seen are compared with reads of another, in either order.
func TestLateSendsOfWorkers(t *testing.T) {
	var reads, sends, other Commuting
	reads.reads.add(1)
	sends.sends.add(1)
	other.sends.add(2)
	for _, list := range [][2]Commuting{{reads, sends}, {sends, reads}} {
		var all Commuting
		if wrong := all.Add(list[0]) | all.Add(other); wrong != 0 {
			t.Errorf("wrong %v", wrong)
		}
		if wrong := all.Add(list[1]); wrong != OnlyReceived {
			t.Errorf("wrong %v, want that no goroutine sends", wrong)
		}
	}
}

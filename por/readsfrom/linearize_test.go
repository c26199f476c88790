package readsfrom

import (
	"testing"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// TestLinearizer: orders of a few events of three goroutines exist or do not.
func TestLinearizer(t *testing.T) {
	op := func(k trace.Kind, obj uint32) *trace.Op {
		return &trace.Op{Kind: k, N: 1, Access: [2]trace.Access{{Obj: obj, Size: 8, Write: k != trace.AtomicLoad}}}
	}
	const x, y = 1, 2
	w, r, a := trace.AtomicStore, trace.AtomicLoad, trace.AtomicRMW
	type event struct {
		at   hb.EventID
		kind trace.Kind
		obj  uint32
		src  hb.EventID
	}
	id := func(g trace.GID, n uint32) hb.EventID { return hb.EventID{G: g, N: n} }
	none := hb.EventID{}
	for _, c := range []struct {
		name   string
		events []event
		want   bool
	}{
		{"store buffering, both read the other's", []event{{id(0, 1), w, x, none}, {id(0, 2), r, y, id(1, 1)}, {id(1, 1), w, y, none}, {id(1, 2), r, x, id(0, 1)}}, true},
		{"store buffering, none does", []event{{id(0, 1), w, x, none}, {id(0, 2), r, y, none}, {id(1, 1), w, y, none}, {id(1, 2), r, x, none}}, false},
		{"two additions to the same value", []event{{id(0, 1), a, x, none}, {id(1, 1), a, x, none}}, false},
		{"two additions", []event{{id(0, 1), a, x, id(1, 1)}, {id(1, 1), a, x, none}}, true},
		{"coherence of two writes", []event{{id(0, 1), w, x, none}, {id(1, 1), w, x, none}, {id(2, 1), r, x, id(0, 1)}, {id(2, 2), r, x, id(1, 1)}, {id(2, 3), r, x, id(0, 1)}}, false},
		{"one that is read late", []event{{id(0, 1), w, x, none}, {id(1, 1), w, x, none}, {id(2, 1), r, x, id(0, 1)}}, true},
	} {
		var l linearizer
		clocks := map[hb.EventID][]uint32{}
		var clock func(n hb.EventID) []uint32
		clock = func(n hb.EventID) []uint32 {
			var v []uint32
			for _, e := range c.events {
				if e.at == n {
					if v = hb.Union(clocks[hb.EventID{G: n.G, N: n.N - 1}], nil); e.src.N > 0 {
						v = hb.Union(v, clock(e.src))
					}
				}
			}
			clocks[n] = hb.WithEvent(v, n)
			return clocks[n]
		}
		for _, e := range c.events {
			l.add(e.at, clock(e.at), op(e.kind, e.obj), e.src)
		}
		if got := l.find(); got != c.want || got && len(l.order) != len(c.events) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

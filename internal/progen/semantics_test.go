package progen_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	. "hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestSemantics: small programs that each test one rule. Their outcomes, written down by hand from the
// specification and the documentation, are those of the reference interpreter and of the machine.
func TestSemantics(t *testing.T) {
	k := func(n int) Expr { return Expr{L: -1, K: n} }
	l := func(n int) Expr { return Expr{L: n} }
	x := []Var{{Place: PkgVar, N: 1}}
	cond := []int{0}
	ch := func(caps ...int) (cs []Chan) {
		for _, c := range caps {
			cs = append(cs, Chan{Cap: c})
		}
		return cs
	}
	tests := []struct {
		name string
		p    Prog
		want string // endings and outputs, sorted; lines of goroutines that wait are left out
	}{
		{"a WaitGroup used again", Prog{WGs: 1, Main: []Stmt{
			{Op: WgAdd, B: 1}, {Op: Go, Body: []Stmt{{Op: WgDone}, {Op: WgAdd, B: 1}}}, {Op: WgWait}, {Op: Print, E: k(1)}}},
			"1|exit; |deadlock; |panic: sync: WaitGroup is reused before previous Wait has returned"},

		{"a WaitGroup used again by one that another Done makes zero", Prog{WGs: 1, Main: []Stmt{
			{Op: WgAdd, B: 2}, {Op: Go, Body: []Stmt{{Op: WgDone}, {Op: WgAdd, B: 1}, {Op: WgDone}}}, {Op: Go, Body: []Stmt{{Op: WgDone}}},
			{Op: WgWait}, {Op: Print, E: k(1)}}},
			"1|exit; |panic: sync: WaitGroup is reused before previous Wait has returned"},

		{"a WaitGroup that is zero only in some orders", Prog{WGs: 1, Chans: ch(0), Main: []Stmt{
			{Op: WgAdd, B: 1}, {Op: Go, Body: []Stmt{{Op: WgWait}, {Op: Print, E: k(1)}}}, {Op: Go, Body: []Stmt{{Op: WgAdd, B: 1}}}, {Op: Go, Body: []Stmt{{Op: WgDone}}},
			{Op: Recv}}},
			"1|deadlock; |deadlock; |panic: sync: WaitGroup is reused before previous Wait has returned"},

		{"tasks that start tasks before they are done", Prog{WGs: 1, Main: []Stmt{
			{Op: WgAdd, B: 1}, {Op: Go, Body: []Stmt{{Op: WgAdd, B: 1}, {Op: Go, Body: []Stmt{{Op: Print, E: k(2)}, {Op: WgDone}}}, {Op: WgDone}}},
			{Op: WgWait}, {Op: Print, E: k(1)}}},
			"2;1|exit"},

		{"a WaitGroup used again in time", Prog{WGs: 1, Main: []Stmt{
			{Op: WgAdd, B: 1}, {Op: Go, Body: []Stmt{{Op: WgDone}, {Op: WgAdd, B: 1}, {Op: WgDone}}}, {Op: WgWait}, {Op: Print, E: k(1)}}},
			"1|exit; |panic: sync: WaitGroup is reused before previous Wait has returned"},

		{"a WaitGroup that is negative only in some orders", Prog{WGs: 1, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: WgDone}}}, {Op: WgAdd, B: 1}, {Op: WgWait}, {Op: Print, E: k(1)}}},
			"1|exit; 1|panic: sync: negative WaitGroup counter; |panic: sync: negative WaitGroup counter"},

		{"length of a channel", Prog{Chans: ch(2), Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Send, E: k(1)}, {Op: Send, E: k(2)}}},
			{Op: ChanLen, B: 0}, {Op: ChanLen, B: 1}, {Op: Print, E: l(0)}, {Op: Print, E: l(1)}}},
			"0;0|exit; 0;1|exit; 0;2|exit; 1;1|exit; 1;2|exit; 2;2|exit"},

		{"two selects that are ready do not meet", Prog{Chans: ch(0, 1, 1), Main: []Stmt{
			{Op: Send, A: 2, E: k(7)},
			{Op: Go, Body: []Stmt{{Op: Select, Cases: []Case{{Send: true, Chan: 0, E: k(5)}, {Send: true, Chan: 1, E: k(6)}}}}},
			{Op: Select, Cases: []Case{{Chan: 0, L: 0, Ok: -1}, {Chan: 2, L: 0, Ok: -1}}}, {Op: Print, E: l(0)}}},
			"7|exit"},

		{"a select that is not ready meets one that is", Prog{Chans: ch(0, 1, 1), Main: []Stmt{
			{Op: Send, A: 2, E: k(7)},
			{Op: Go, Body: []Stmt{{Op: Select, Cases: []Case{{Send: true, Chan: 0, E: k(5)}}}}},
			{Op: Select, Cases: []Case{{Chan: 0, L: 0, Ok: -1}, {Chan: 2, L: 0, Ok: -1}}}, {Op: Print, E: l(0)}}},
			"5|exit; 7|leak"},

		{"trying to receive from a sender", Prog{Chans: ch(0), Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Send, E: k(1)}}},
			{Op: Select, A: 1, Cases: []Case{{L: 0, Ok: -1}}}, {Op: Print, E: l(0)}}},
			"0|leak; 1|exit"},

		{"two that try never meet", Prog{Chans: ch(0), Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Select, A: 1, Cases: []Case{{Send: true, E: k(1)}}}}},
			{Op: Select, A: 1, Cases: []Case{{L: 0, Ok: -1}}}, {Op: Print, E: l(0)}}},
			"0|exit"},

		{"closing wakes senders, who panic", Prog{Chans: ch(0), Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Defer, Body: []Stmt{{Op: Recover, A: 0, B: 9}, {Op: Print, E: l(0)}}}, {Op: Send, E: k(1)}}},
			{Op: Close}}},
			"9|exit"},

		{"closing wakes receivers", Prog{Chans: ch(0), Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Close}}},
			{Op: Recv, B: 0, C: 1}, {Op: Print, E: l(1)}}},
			"0|exit"},

		{"a pending writer keeps readers out", Prog{RWs: 1, Atoms: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: WUnlock}}},
			{Op: TryRLock, Body: []Stmt{{Op: Print, E: k(1)}}, Else: []Stmt{{Op: Print, E: k(0)}}},
			{Op: RUnlock}}},
			"0|exit; 1|exit"},

		{"a reader that comes again behind a pending writer", Prog{RWs: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: WUnlock}}},
			{Op: RLock}, {Op: RUnlock}, {Op: RUnlock}, {Op: Print, E: k(1)}}},
			"1|exit; |deadlock"},

		{"who unlocks for a pending writer lets readers in", Prog{RWs: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: Print, E: k(2)}}},
			{Op: WUnlock}, {Op: RLock}, {Op: Print, E: k(1)}}},
			"1|leak; |fatal: sync: Unlock of unlocked RWMutex"},

		{"readers that leave behind that do not let the writer go", Prog{RWs: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: Print, E: k(2)}}},
			{Op: WUnlock}, {Op: RUnlock}, {Op: Print, E: k(1)}}},
			"1|leak; |fatal: sync: Unlock of unlocked RWMutex"},

		{"unlocking for a writer that has only to wake up", Prog{RWs: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: Print, E: k(2)}}},
			{Op: RUnlock}, {Op: WUnlock}, {Op: RLock}, {Op: Print, E: k(1)}}},
			"1;2|exit; 2;1|exit; |fatal: sync: Unlock of unlocked RWMutex"},

		{"a reader passes the next writer", Prog{RWs: 1, Main: []Stmt{
			{Op: RLock},
			{Op: Go, Body: []Stmt{{Op: WLock}, {Op: Print, E: k(2)}}},
			{Op: WUnlock}, {Op: RUnlock}, {Op: WLock}, {Op: RLock}, {Op: Print, E: k(1)}, {Op: RLock}}},
			"1|deadlock; |fatal: sync: Unlock of unlocked RWMutex"},

		{"a signal without a waiter is lost", Prog{Mus: 1, Conds: cond, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Lock}, {Op: Wait}, {Op: Unlock}, {Op: Print, E: k(1)}}},
			{Op: Signal}}},
			"1|exit; |leak"},

		{"a signal wakes any waiter", Prog{Mus: 1, Conds: cond, Atoms: 1, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Lock}, {Op: Go, Body: []Stmt{{Op: Lock}, {Op: Signal}, {Op: Unlock}}}, {Op: Wait}, {Op: Unlock}, {Op: Print, E: k(1)}}},
			{Op: Lock}, {Op: Wait}, {Op: Unlock}, {Op: Print, E: k(2)}}},
			"1|deadlock; 2|leak"},

		{"deferred calls of a crash go on among the others", Prog{WGs: 1, Main: []Stmt{
			{Op: WgAdd, B: 1},
			{Op: Go, Body: []Stmt{{Op: Defer, Body: []Stmt{{Op: WgDone}}}, {Op: Panic, E: k(3)}}},
			{Op: WgWait}, {Op: Print, E: k(1)}}},
			"1|panic: 3; |panic: 3"},

		{"once waits for the first call, which panics", Prog{Vars: x, Onces: 1, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Defer, Body: []Stmt{{Op: Recover}}}, {Op: Once, Body: []Stmt{{Op: Store, E: k(1)}, {Op: Panic, E: k(1)}}}}},
			{Op: Once, Body: []Stmt{{Op: Store, E: k(2)}}}, {Op: Load}, {Op: Print, E: l(0)}}},
			"1|exit; 2|exit"},

		{"reads and writes of one variable", Prog{Vars: x, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Add, E: k(1)}}},
			{Op: Add, E: k(1)}, {Op: Load}, {Op: Print, E: l(0)}}},
			"1|exit; 2|exit"},

		{"a lock released by another goroutine", Prog{Mus: 1, Main: []Stmt{
			{Op: Lock}, {Op: Go, Body: []Stmt{{Op: Unlock}}}, {Op: Lock}, {Op: Print, E: k(1)}}},
			"1|exit"},

		{"a lock that is free is released", Prog{Mus: 1, Main: []Stmt{
			{Op: Go, Body: []Stmt{{Op: Lock}}}, {Op: Unlock}, {Op: Print, E: k(1)}}},
			"1|exit; |fatal: sync: unlock of unlocked mutex"},
	}
	var progs []*Prog
	for i := range tests {
		p := &tests[i].p
		p.Seed = uint64(i + 1)
		p.Complete()
		progs = append(progs, p)
	}
	b, g := loadBatch(t, progs), loadGroup(t, units(progs))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Explore(&test.p, 100_000)
			got := map[string]bool{}
			for o := range r.Outcomes {
				for _, w := range []string{"deadlock", "leak"} {
					if head, _, ok := strings.Cut(o, "|"+w); ok {
						o = head + "|" + w
					}
				}
				got[o] = true
			}
			want := map[string]bool{}
			for _, o := range strings.Split(test.want, "; ") {
				want[o] = true
			}
			if !maps.Equal(got, want) {
				t.Errorf("the reference says %q, want %q", slices.Sorted(maps.Keys(got)), test.want)
			}
			compare(t, b, &test.p, r)
			for _, name := range []string{"optimal", "source", "context", "clockvector"} {
				e := explorers.Lookup(name)
				g.in(int(test.p.Seed-1), func() {
					o := newObserver(t, g.m)
					e.Explore(g.m, o, por.Config{})
					if d := difference(o.outcomes, r.Outcomes); d != "" {
						t.Errorf("%s: outcomes (extra or missing):\n%s", name, d)
					}
				})
			}
		})
	}
}

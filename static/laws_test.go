package static

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// noProgram is a program without code.
type noProgram struct{ acc *Accesses }

func (p noProgram) Accesses() *Accesses                                      { return p.acc }
func (noProgram) Body(fn *ssa.Function) *ssa.Function                        { return nil }
func (noProgram) Callees(site ssa.CallInstruction) []*ssa.Function           { return nil }
func (noProgram) Plain(fn *ssa.Function) bool                                { return true }
func (noProgram) NativeAccesses(*ssa.Function, ssa.CallInstruction) []Access { return nil }
func (noProgram) Where(ssa.Value) Set                                        { return Empty }
func (noProgram) HasLocks(Set) bool                                          { return false }
func (noProgram) Binding(fv *ssa.FreeVar) ssa.Value                          { return nil }

// randomEvent returns an event on one of three objects.
func randomEvent(b *Base, r *rand.Rand) Event {
	kinds := []EventKind{AccessEvent, LockEvent, UnlockEvent, WaitEvent, SignalEvent, AddEvent, JoinEvent, SendEvent, RecvEvent}
	e := Event{Kind: kinds[r.IntN(len(kinds))], Known: true, Path: b.Paths.At(uint64(r.IntN(3) + 1))}
	switch e.Kind {
	case AccessEvent:
		e.N = r.IntN(4)
	case AddEvent:
		e.N = r.IntN(3) - 1
	}
	return e
}

// laws checks the laws of Domain on random values.
func laws[V comparable](t *testing.T, b *Base, d Domain[V], assoc bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) V
	value = func(depth int) V {
		switch r.IntN(8) {
		case 0:
			return d.Skip()
		case 1:
			return d.Never()
		case 2, 3:
			if depth > 0 {
				return d.Merge(value(depth-1), value(depth-1))
			}
		case 4, 5:
			if depth > 0 {
				return d.Seq(value(depth-1), value(depth-1))
			}
		case 6:
			if depth > 0 {
				return d.Spawn(value(depth - 1))
			}
		}
		e := randomEvent(b, r)
		return d.Event(&e)
	}
	same := func(law string, x, y V, vals ...V) {
		if x != y {
			t.Fatalf("%s: %v != %v for %v", law, x, y, vals)
		}
	}
	for range 3000 {
		x, y, z := value(3), value(3), value(3)
		same("merge is idempotent", d.Merge(x, x), x, x)
		same("merge is commutative", d.Merge(x, y), d.Merge(y, x), x, y)
		same("merge is associative", d.Merge(d.Merge(x, y), z), d.Merge(x, d.Merge(y, z)), x, y, z)
		same("never is neutral", d.Merge(x, d.Never()), x, x)
		same("skip is neutral on the left", d.Seq(d.Skip(), x), x, x)
		same("skip is neutral on the right", d.Seq(x, d.Skip()), x, x)
		same("never comes first", d.Seq(d.Never(), x), d.Never(), x)
		if !assoc {
			continue
		}
		same("seq is associative", d.Seq(d.Seq(x, y), z), d.Seq(x, d.Seq(y, z)), x, y, z)
		same("seq distributes on the left", d.Seq(x, d.Merge(y, z)), d.Merge(d.Seq(x, y), d.Seq(x, z)), x, y, z)
		same("seq distributes on the right", d.Seq(d.Merge(x, y), z), d.Merge(d.Seq(x, z), d.Seq(y, z)), x, y, z)
		same("spawn is idempotent", d.Spawn(d.Spawn(x)), d.Spawn(x), x)
	}
}

func TestLaws(t *testing.T) {
	b := NewBase(noProgram{NewAccesses()})
	for i := range 4 { // numbers of accesses
		b.Acc.Num(Access{Key: i})
	}
	t.Run("fieldaccess", func(t *testing.T) { laws(t, b, NewFieldAccess(b).e.d, true) })
	t.Run("maynotify", func(t *testing.T) { laws(t, b, NewMayNotify(b).d, true) })
	t.Run("mustwait", func(t *testing.T) { laws(t, b, NewMustWait(b, nil).d, true) })
	t.Run("mustlock", func(t *testing.T) { laws[Before](t, b, NewMustLock(b).d, true) })
	t.Run("mustjoin", func(t *testing.T) { laws[Before](t, b, NewMustJoin(b).d, true) })
	t.Run("maywait", func(t *testing.T) { laws[Before](t, b, NewMayWait(b).d, true) })
	t.Run("minprefix", func(t *testing.T) { laws[Prefix](t, b, NewMinPrefix(b).d, true) })
	// Two Locks before two Unlocks differ from two Locks with one Unlock only if they are composed in this
	// order: see TestUnheld.
	t.Run("unheld", func(t *testing.T) { laws[Unlocks](t, b, NewForeignUnlock(b).d, false) })
}

// TestUnheld compares with counting on random sequences, composed in random order: if a mutex is unlocked
// more often than it has been locked before, it is reported.
func TestUnheld(t *testing.T) {
	b := NewBase(noProgram{NewAccesses()})
	a := NewForeignUnlock(b)
	r := rand.New(rand.NewPCG(3, 4))
	exact := 0
	for range 5000 {
		var vals []Unlocks
		var count [3]int
		surplus := map[int]bool{}
		trace := ""
		for range 1 + r.IntN(7) {
			m := r.IntN(2) + 1
			e := Event{Kind: LockEvent, Path: b.Paths.At(uint64(m))}
			if r.IntN(2) == 0 {
				e.Kind = UnlockEvent
				count[m]--
				surplus[m] = surplus[m] || count[m] < 0
				trace += fmt.Sprint(" unlock", m)
			} else if count[m] > 0 {
				continue // it would block
			} else {
				count[m] = max(count[m], 0) + 1
				trace += fmt.Sprint(" lock", m)
			}
			vals = append(vals, a.d.Event(&e))
		}
		for len(vals) > 1 {
			i := r.IntN(len(vals) - 1)
			vals[i] = a.d.Seq(vals[i], vals[i+1])
			vals = slices.Delete(vals, i+1, i+2)
		}
		if len(vals) == 0 {
			continue
		}
		found := map[int]bool{}
		a.Paths(vals[0], func(p Path) {
			m, _ := b.Paths.Addr(p)
			found[int(m)] = true
		})
		for m := range surplus {
			if surplus[m] && !found[m] {
				t.Fatalf("%s: surplus unlock of %d is not reported", trace, m)
			}
		}
		if len(found) == len(surplus) {
			exact++
		}
	}
	if exact < 2500 {
		t.Errorf("only %d of 5000 are exact", exact)
	}
}

// TestFirst: the objects passed before an access are those of the path that passes fewest, or most in a may
// analysis.
func TestFirst(t *testing.T) {
	b := NewBase(noProgram{NewAccesses()})
	lock := func(a *FirstAccess, n uint64) Before {
		return a.d.Event(&Event{Kind: LockEvent, Path: b.Paths.At(n)})
	}
	must := NewMustLock(b)
	access := must.d.Event(&Event{Kind: AccessEvent, N: 0})
	x := must.d.Merge(must.d.Seq(lock(must, 1), must.d.Seq(lock(must, 2), access)), must.d.Seq(lock(must, 2), access))
	s, ok := must.Of(x, func(n int) bool { return n == 0 })
	if want := b.Sets.Of(must.d.objs.Num(Object{Kind: LockEvent, Path: b.Paths.At(2)})); !ok || s != want {
		t.Errorf("got %v", b.Sets.Elems(s))
	}
	if _, ok := must.Of(x, func(n int) bool { return n == 1 }); ok {
		t.Error("an access that is not there is found")
	}
}

// TestUnheldWait: waiting twice is not unlocking twice, as Wait locks again.
func TestUnheldWait(t *testing.T) {
	b := NewBase(noProgram{})
	d := NewForeignUnlock(b).d
	mu := b.Paths.At(1)
	wait := d.Event(&Event{Kind: ReleaseEvent, Path: mu})
	unlock := d.Event(&Event{Kind: UnlockEvent, Path: mu})
	lock := d.Event(&Event{Kind: LockEvent, Path: mu})
	if v := d.Seq(lock, d.Seq(wait, d.Seq(wait, unlock))); v.Unlocked != Empty || v.Foreign != Empty || v.Held != Empty {
		t.Errorf("lock, wait, wait, unlock: %v", v)
	}
	if v := d.Seq(lock, d.Seq(unlock, wait)); v.Unlocked == Empty && v.Foreign == Empty {
		t.Errorf("lock, unlock, wait: %v", v)
	}
	if v := d.Seq(lock, d.Seq(unlock, unlock)); v.Foreign == Empty {
		t.Errorf("lock, unlock, unlock: %v", v)
	}
}

package race

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// An oracle decides the happens-before relation by reachability in a graph of at most 64 events, and
// remembers every access.
type oracle struct {
	before [64]uint64 // events before an event, itself included
	n      int
	last   []int               // latest event of each goroutine
	rel    map[Loc][]int       // releases an acquire has to know
	acc    map[Loc][]oracleAcc // by byte
}

type oracleAcc struct {
	g     uint32
	event int
	Access
	at Stack
}

func newOracle() *oracle {
	o := &oracle{last: []int{0}, rel: map[Loc][]int{}, acc: map[Loc][]oracleAcc{}}
	o.before[0], o.n = 1, 1
	return o
}

func (o *oracle) clone() *oracle {
	c := *o
	c.last = slices.Clone(o.last)
	c.rel, c.acc = map[Loc][]int{}, map[Loc][]oracleAcc{}
	for l, r := range o.rel {
		c.rel[l] = slices.Clone(r)
	}
	for l, a := range o.acc {
		c.acc[l] = slices.Clone(a)
	}
	return &c
}

// event adds an event of g that comes after those in after.
func (o *oracle) event(g uint32, after ...int) int {
	e := o.n
	o.n++
	o.before[e] = 1<<e | o.before[o.last[g]]
	for _, a := range after {
		o.before[e] |= o.before[a]
	}
	o.last[g] = e
	return e
}

func (o *oracle) start(g uint32) {
	o.last = append(o.last, o.event(g))
	o.event(uint32(len(o.last) - 1))
}

func (o *oracle) meet(a, b uint32) {
	x, y := o.event(a), o.event(b)
	o.event(a, y)
	o.event(b, x)
}

// access returns the pairs of stacks that race now, at each byte.
func (o *oracle) access(g uint32, l Loc, size uint32, a Access, at Stack) (races map[Loc][]Stack) {
	e := o.event(g)
	races = map[Loc][]Stack{}
	for ; size > 0; size-- {
		for _, x := range o.acc[l] {
			if o.before[e]>>x.event&1 == 0 && (a.Write || x.Write) && !(a.Atomic && x.Atomic) {
				races[l] = append(races[l], x.at)
			}
		}
		o.acc[l] = append(o.acc[l], oracleAcc{g, e, a, at})
		l++
	}
	return races
}

// TestOracle: on random executions, with random marks and rewinds, an access races if and only if it does
// for the oracle, and with one of its accesses. In most executions goroutine 0 first starts some that
// do nothing, so that the clocks have several chunks.
func TestOracle(t *testing.T) {
	total, racy := 0, 0
	for _, seed := range deep.Seeds(t, 240, 3000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		d, o := New(), newOracle()
		idle := []uint32{0, chunkSize - 3, chunkSize - 1, 2*chunkSize - 2, 3 * chunkSize}[seed%5]
		for range idle {
			d.Go(0, 0)
		}
		number := func(g uint32) uint32 { return g + idle*min(g, 1) }
		type point struct {
			m Mark
			o *oracle
		}
		var marks []point
		text := ""
		say := func(format string, args ...any) { text += fmt.Sprintf(format+"\n", args...) }
		for step := range 150 {
			if o.n > 58 && len(marks) == 0 {
				break
			}
			g := uint32(rnd.IntN(len(o.last)))
			v := At(1, uint32(rnd.IntN(3)))
			op := rnd.IntN(20)
			if o.n > 58 {
				op = 1
			}
			switch {
			case op == 0:
				say("mark")
				marks = append(marks, point{d.Mark(), o.clone()})
			case op == 1 && len(marks) > 0:
				k := rnd.IntN(len(marks))
				say("rewind %d", k)
				d.Rewind(&marks[k].m)
				o = marks[k].o.clone()
				marks = marks[:k+1]
				if rnd.IntN(2) == 0 {
					say("drop")
					d.Drop(&marks[k].m)
					marks = marks[:k]
				}
			case op == 2 && len(o.last) < 5:
				say("%d go", g)
				if n := d.Go(number(g), 0); n != number(uint32(len(o.last))) {
					t.Fatal("number of a goroutine")
				}
				o.start(g)
			case op == 3:
				h := uint32(rnd.IntN(len(o.last)))
				if h != g {
					say("%d meet %d", g, h)
					d.Rendezvous(number(g), number(h))
					o.meet(g, h)
				}
			case op < 6:
				say("%d release %v", g, v)
				d.Release(number(g), v)
				o.rel[v] = append(o.rel[v], o.event(g))
			case op < 7:
				say("%d store %v", g, v)
				d.Store(number(g), v)
				o.rel[v] = []int{o.event(g)}
			case op < 9:
				say("%d acquire %v", g, v)
				d.Acquire(number(g), v)
				o.event(g, o.rel[v]...)
			case op < 10:
				v += 100 // a slot of a channel is used for nothing else
				say("%d exchange %v", g, v)
				d.Exchange(number(g), v)
				old := o.rel[v]
				o.rel[v] = []int{o.event(g)}
				o.event(g, old...)
			default:
				l, size := At(2, uint32(rnd.IntN(20))), uint32(1+rnd.IntN(12))
				if rnd.IntN(2) == 0 {
					l, size = At(2, 8), 8
				}
				a := Access{Write: rnd.IntN(2) == 0, Atomic: rnd.IntN(4) == 0, Tag: uint8(step)}
				at := Stack(step + 1)
				say("%d access %v %d %+v at %d", g, l, size, a, at)
				d.Clear()
				d.Access(number(g), l, size, a, at)
				want := o.access(g, l, size, a, at)
				total++
				if len(want) > 0 {
					racy++
				}
				if (len(want) > 0) != (len(d.Races()) > 0) {
					t.Fatalf("seed %d: races %v, want %v\n%s", seed, d.Races(), want, text)
				}
				for _, r := range d.Races() {
					if r.Second.Stack != at || r.Second.G != number(g) || !slices.Contains(want[r.At], r.First.Stack) {
						t.Fatalf("seed %d: race %+v, want %v\n%s", seed, r, want, text)
					}
				}
			}
		}
	}
	if racy < total/10 || racy > total*9/10 {
		t.Errorf("%d of %d accesses race: the test tests little", racy, total)
	}
}

// TestClone: a detector and its clone have their own accesses, also if both add to a long list.
func TestClone(t *testing.T) {
	d := New()
	for g := range uint32(5) {
		d.Go(0, 0)
		d.Access(g+1, At(7, 0), 8, Access{Write: true, Atomic: true}, Stack(g+1))
	}
	c := d.Clone()
	d.Access(0, At(7, 0), 8, Access{Atomic: true}, 11)
	c.Access(0, At(7, 0), 8, Access{Atomic: true}, 12)
	for i, x := range []*Detector{d, c} {
		x.Go(0, 0)
		x.Forget(6)
		x.Access(6, At(7, 0), 8, Access{Write: true}, 20)
		if r := x.Races(); len(r) != 6 || r[5].First.Stack != Stack(11+i) {
			t.Errorf("detector %d: %v", i, r)
		}
	}
}

// TestLongLists: what a rewind has undone is not in a list to which more is added.
func TestLongLists(t *testing.T) {
	d := New()
	for range 20 {
		d.Go(0, 0)
	}
	add := func(from, to uint32) {
		for g := from; g < to; g++ {
			d.Access(g, At(7, 0), 8, Access{Write: true, Atomic: true}, Stack(g))
		}
	}
	add(1, 6)
	k := d.Mark()
	add(6, 9)
	d.Rewind(&k)
	add(9, 14)
	d.Access(0, At(7, 0), 8, Access{}, 30)
	got := ""
	for _, r := range d.Races() {
		got += fmt.Sprint(r.First.Stack, " ")
	}
	if want := "1 2 3 4 5 9 10 11 12 13 "; got != want {
		t.Errorf("races with %s, want %s", got, want)
	}
}

// TestUndo: marks and rewinds leave nothing in the tables.
func TestUndo(t *testing.T) {
	d := New()
	root := d.Mark()
	for round := range 3 {
		for i := range uint32(1000) {
			d.Access(0, At(i%37, i*8), 16, Access{Write: true}, Stack(i))
			d.Release(0, At(5, i))
		}
		if n := len(d.cells); n < 1000 {
			t.Fatalf("round %d: %d cells", round, n)
		}
		d.Rewind(&root)
		used := 0
		for _, n := range append(d.cellAt.slots, d.varAt.slots...) {
			used += bits.Len32(n)
		}
		if len(d.cells)+len(d.vars)+len(d.cellUndo)+len(d.varUndo)+used != 0 || len(d.threadUndo) != 0 {
			t.Fatalf("round %d: %d cells, %d variables, %d slots left", round, len(d.cells), len(d.vars), used)
		}
	}
}

// TestSweep: a number that is reused for another object has no old data.
func TestSweep(t *testing.T) {
	d := New()
	other := d.Go(0, 0)
	d.Access(0, At(7, 0), 8, Access{Write: true}, 1)
	d.Release(0, At(7, 0))
	k := d.Mark()
	d.Sweep(func(obj uint32) bool { return obj == 7 })
	d.Acquire(other, At(7, 0))
	d.Access(other, At(7, 0), 8, Access{Write: true}, 2)
	if len(d.Races()) != 0 {
		t.Error("race with an access to an object that is gone")
	}
	d.Rewind(&k)
	d.Access(other, At(7, 0), 8, Access{}, 3)
	if len(d.Races()) != 1 {
		t.Error("rewinding does not bring back what was swept")
	}
}

// TestStacks: equal stacks have equal numbers and can be taken apart.
func TestStacks(t *testing.T) {
	var s Stacks
	push := func(calls ...Call) (x Stack) {
		for _, c := range calls {
			x = s.Push(x, c)
		}
		return x
	}
	seen := map[Stack]bool{}
	for i := range uint32(1000) {
		x := push(Call{1, 1}, Call{2, i % 10}, Call{3, i})
		if x != push(Call{1, 1}, Call{2, i % 10}, Call{3, i}) || seen[x] {
			t.Fatal("numbers of stacks")
		}
		seen[x] = true
		c, below := s.Top(x)
		c2, below := s.Top(below)
		c3, bottom := s.Top(below)
		if c != (Call{3, i}) || c2 != (Call{2, i % 10}) || c3 != (Call{1, 1}) || bottom != 0 {
			t.Fatal("taking a stack apart")
		}
	}
	if len(s.nodes) != 1011 {
		t.Errorf("%d nodes", len(s.nodes))
	}
}

package sample

import (
	"cmp"

	"hbcheck.dev/hbcheck/trace"
)

// A predictor reads one execution and predicts bugs of other executions: races by the sync-preserving
// reorderings of Mathur, Pavlogiannis and Viswanathan (POPL 2021), deadlocks by those of Tunç, Mathur,
// Pavlogiannis and Viswanathan (PLDI 2023), and sends after a close in the same way.
//
// A reordering is a part of the execution, in the same order. It contains a prefix of the steps of each
// goroutine. If it contains a step, it also contains
//
//	1  the earlier steps of the goroutine, and those that started it or completed its channel operation
//	2  the last writes of what the step reads, and the additions since then; an addition whose result is
//	   not used reads nothing
//	3  earlier steps that conflict with it, if it is neither a memory access nor on a lock
//	4  the release of each lock that it has acquired before another of its goroutines acquires that lock
//
// so that its steps have the same effects as in the execution. Rule 4 goes beyond happens-before: a
// reordering may contain the later of two critical sections without the earlier one.
//
// The ideal of some steps is the least reordering that contains the preceding steps of their goroutines. If
// it contains none of the steps themselves, they can be reached together. Then two conflicting accesses are
// a race, acquisitions of locks that the other goroutines hold are a deadlock, and a close lets a send
// panic.
//
//	predict(e1 of g1, e2 of g2):
//	5   i, j := the first occurrences of e1 in g1, of e2 in g2
//	6   I := ideal(i, j)
//	7   if i is in I: i := the next occurrence that is not; go to 6, and likewise j
//	8   the schedule is the execution without the steps that are not in I
//
// Line 7 misses nothing: the ideal of i and a later occurrence of e2 contains i, too.
//
// A guess omits rule 2 for plain memory: steps may read other values, but often the same steps follow.
//
// A prediction is not reported: its schedule is executed (follow.go). So a wrong prediction, because the
// rules ignore time and finalizers, costs only an execution.
type predictor struct {
	guesses    bool
	goroutines []predicted
	words      map[uint64]*word
	objects    map[uint64]*synchronised
	locks      map[uint64]*lockHistory
	locksets   map[string]int // indices of sets
	sets       [][]heldAs     // sorted by lock; the first is empty
	orders     []*lockStep
	channels   []uint64           // channels in the order of their first close
	shared     []uint64           // words that several goroutines access, in the order of their second goroutine
	turns      map[turnKey]*turns // see predict_left.go
	turnKeys   []turnKey          // turns in the order of the first one with each key
	heldUp     []*heldUp
	waited     []uint64      // Conds and WaitGroups, in the order of their first use
	interposed []*interposed // see predict_aimed.go
	steps      int
	last       moment // the latest step
	key        []byte
	ideals     int // computed
}

// Bounds of a predictor.
const (
	mostRecorded = 1 << 19 // steps of an execution that a predictor reads
	mostMoments  = 64      // occurrences of an access that are kept
	mostWords    = 64      // words of one access
	mostIdeals   = 20_000  // ideals computed for one execution,
	mostOfPair   = 256     // and ideals computed for two program points
	mostPlans    = 12      // schedules
	mostCycle    = 4       // goroutines of a deadlock
)

// A needed has, for each goroutine, the number of its steps that a certain step needs. It is
// immutable.
type needed []int32

// A moment is step number k, from 0, of goroutine g; it needs the steps in past. If a partner executes the
// operation, by is the partner's step, and there is no step k.
type moment struct {
	g    trace.GID
	k    int32
	past needed
	by   *moment
}

// in reports whether x is in the part of the execution that has these steps.
func (x *moment) in(has needed) bool {
	//mutant: predict: who has gone on is there still [test ./por/sample TestPredictedLeft]: "x.by != nil" -> "x.by != nil && false"
	return has[x.g] > x.k || x.by != nil && has[x.by.g] > x.by.k
}

// predicted describes a goroutine in the execution that is read.
type predicted struct {
	k        int32  // steps made
	past     needed // steps that its next step needs
	held     []*section
	lockset  int
	holdings []holding
}

// A word is eight bytes of memory.
type word struct {
	written bool
	writer  moment
	added   needed // steps needed by additions since then, whose results are not used
	first   trace.GID
	shared  bool
	uses    []*use
}

// A use is the set of accesses to a word at one program point that hold the same locks.
type use struct {
	at           point
	write, plain bool
	lockset      int
	moments      []moments // by goroutine
}

// moments are occurrences of one step of one goroutine.
type moments struct{ sampled[moment] }

// sampled has every stride-th of the values that were added.
type sampled[T any] struct {
	list   []T
	n      int
	stride int
	most   int // bound on the length of list; 0: mostMoments
}

// synchronised is a channel, a WaitGroup or another object whose operations keep their order.
type synchronised struct {
	changed [trace.Receives + 1]needed // by the operations that change it, by Op.Commutes
	asked   needed
	sends   []*use
	closes  []moment
	closing point

	counts             bool // a WaitGroup
	waiters, notifiers []*use
	users              []trace.GID
	arrivals           map[bool][]*turn // of a channel: the arrivals of senders, and those of receivers
}

func newPredictor(guesses bool) *predictor {
	return &predictor{guesses: guesses, words: make(map[uint64]*word), objects: make(map[uint64]*synchronised), locks: make(map[uint64]*lockHistory),
		locksets: map[string]int{"": 0}, sets: [][]heldAs{nil}, last: moment{g: trace.NoGID}, turns: make(map[turnKey]*turns)}
}

// bytes returns approximately the size of p in memory.
func (p *predictor) bytes() int64 {
	return int64(len(p.words))*200 + int64(p.steps)*60 + int64(len(p.turnKeys))*mostTurns*100
}

// joined returns the steps that a or b needs.
func joined(a, b needed) needed {
	if len(b) == 0 || len(a) > 0 && &a[0] == &b[0] {
		return a
	}
	c := a
	for g, n := range b {
		if g < len(c) && c[g] >= n || n == 0 {
			continue
		}
		if len(c) == 0 || len(a) > 0 && &c[0] == &a[0] {
			c = make(needed, max(len(a), len(b)))
			copy(c, a)
		}
		c[g] = n
	}
	return c
}

// with returns the steps that x needs, and x itself.
func (x *moment) with() needed {
	c := make(needed, max(len(x.past), int(x.g)+1))
	copy(c, x.past)
	c[x.g] = x.k + 1
	return c
}

// after returns a joined with x and the steps that x needs.
func after(a needed, x *moment) needed {
	if int(x.g) < len(a) && a[x.g] > x.k {
		return a // a includes x already
	}
	return joined(a, x.with())
}

// add appends x, if x is one of the values that are kept.
func (m *sampled[T]) add(x T) {
	m.stride = max(m.stride, 1)
	if m.n++; (m.n-1)%m.stride > 0 {
		return
	}
	most := cmp.Or(m.most, mostMoments)
	if m.list = append(m.list, x); len(m.list) == most {
		for i := range most / 2 {
			m.list[i] = m.list[2*i]
		}
		m.list, m.stride = m.list[:most/2], 2*m.stride
	}
}

// of returns the occurrences in g.
func (u *use) of(g trace.GID) *moments {
	for int(g) >= len(u.moments) {
		u.moments = append(u.moments, moments{})
	}
	return &u.moments[g]
}

// goroutine returns the description of g.
func (p *predictor) goroutine(g trace.GID) *predicted {
	for int(g) >= len(p.goroutines) {
		p.goroutines = append(p.goroutines, predicted{})
	}
	return &p.goroutines[g]
}

// step notes that g executes op, which touches these locations.
func (p *predictor) step(g trace.GID, op *trace.Op, touched []trace.Access) {
	t := p.goroutine(g)
	row := op.Kind.Row()
	x := moment{g: g, k: t.k, past: t.past}
	switch accesses := op.Access[:op.N]; {
	case op.Kind.Memory():
		p.access(t, x, op)
	case row.On == trace.OnLock && !row.Tries && op.Kind != trace.LockPending:
		for i, a := range accesses {
			if acquires := row.Acquires>>i&1 != 0; acquires {
				p.acquire(t, x, op, address(a), row.Shared)
			} else if row.Releases>>i&1 != 0 {
				p.release(t, x, address(a))
			}
		}
	default:
		for i, a := range touched {
			if op.Kind == trace.Park && row.Releases>>i&1 != 0 {
				p.release(t, x, address(a))
				continue
			}
			p.meet(t, x, op, address(a), a.Write)
		}
	}
	t.k++
	p.steps++
	p.last = moment{g: g, k: x.k, past: t.past}
}

// advanced notes that the latest step has started or advanced g.
func (p *predictor) advanced(g trace.GID) {
	t := p.goroutine(g)
	t.past = after(t.past, &p.last)
}

func address(a trace.Access) uint64 { return uint64(a.Obj)<<32 | uint64(a.Off) }

func (p *predictor) object(c uint64) *synchronised {
	o := p.objects[c]
	if o == nil {
		o = new(synchronised)
		p.objects[c] = o
	}
	return o
}

// access applies rule 2.
func (p *predictor) access(t *predicted, x moment, op *trace.Op) {
	before := t.past
	for _, a := range op.Access[:op.N] {
		first, last := a.Off/8, (a.Off+max(a.Size, 1)-1)/8
		for w := first; w <= min(last, first+mostWords-1); w++ {
			key := uint64(a.Obj)<<32 | uint64(w)
			m := p.words[key]
			if m == nil {
				m = &word{first: x.g}
				p.words[key] = m
			}
			if m.first != x.g && !m.shared {
				m.shared = true
				p.shared = append(p.shared, key)
			}
			u := m.use(op, a.Write, t.lockset)
			u.of(x.g).add(moment{g: x.g, k: x.k, past: before})
			whole := a.Off <= 8*w && 8*w+8 <= a.Off+a.Size
			//mutant: predict: additions keep their order [test ./por/sample TestPredictions]: drop 1
			reads := op.Commutes != trace.Increments && (!a.Write || op.Kind == trace.AtomicRMW || !whole)
			//mutant: predict: nothing is guessed [test ./cmd/hbcheck TestScripts/predicted]: drop 4
			if reads && m.written && m.writer.g != x.g && !(p.guesses && op.Kind.Plain()) {
				t.past = after(t.past, &m.writer)
			}
			if reads && !(p.guesses && op.Kind.Plain()) {
				t.past = joined(t.past, m.added)
			}
		}
	}
	for _, a := range op.Access[:op.N] {
		if !a.Write {
			continue
		}
		for w, last := a.Off/8, (a.Off+max(a.Size, 1)-1)/8; w <= min(last, a.Off/8+mostWords-1); w++ {
			m := p.words[uint64(a.Obj)<<32|uint64(w)]
			//mutant: predict: who reads needs no additions [test ./por/sample TestPredictions]: "op.Commutes == trace.Increments" -> "op.Commutes == trace.Increments && false"
			if op.Commutes == trace.Increments {
				m.added = after(m.added, &moment{g: x.g, k: x.k, past: t.past})
				continue
			}
			m.added = nil
			m.written, m.writer = true, moment{g: x.g, k: x.k, past: t.past}
		}
	}
}

// use returns the use of w by op, with these locks.
func (w *word) use(op *trace.Op, write bool, lockset int) *use {
	at := pointOf(op)
	for _, u := range w.uses {
		if u.at == at && u.write == write && u.lockset == lockset {
			return u
		}
	}
	u := &use{at: at, write: write, plain: op.Kind.Plain(), lockset: lockset}
	w.uses = append(w.uses, u)
	return u
}

// meet applies rule 3: x is an operation on the object at c.
func (p *predictor) meet(t *predicted, x moment, op *trace.Op, c uint64, write bool) {
	o := p.object(c)
	switch {
	case op.Kind == trace.Send:
		u := o.send(pointOf(op))
		u.of(x.g).add(x)
	case op.Kind == trace.Close:
		if o.closes == nil {
			p.channels = append(p.channels, c)
		}
		o.closes, o.closing = append(o.closes, x), pointOf(op)
	case op.Kind.Row().On == trace.OnCond, op.Kind.Row().On == trace.OnWaitGroup:
		if o.users == nil {
			p.waited, o.counts = append(p.waited, c), op.Kind.Row().On == trace.OnWaitGroup
		}
		p.notified(x, op, c)
	}
	for i, past := range o.changed {
		//mutant: predict: operations that commute keep their order [test ./por/sample TestPredictions]: "i == 0 || !write || " -> "true || "
		if i == 0 || !write || uint8(i) != op.Commutes || i >= trace.SubtractsLast {
			t.past = joined(t.past, past)
		}
	}
	if write {
		t.past = joined(t.past, o.asked)
	}
	done := moment{g: x.g, k: x.k, past: t.past}
	if write {
		o.changed[op.Commutes] = after(o.changed[op.Commutes], &done)
	} else {
		o.asked = after(o.asked, &done)
	}
}

// send returns the use of a channel by sends at a point.
func (o *synchronised) send(at point) *use {
	for _, u := range o.sends {
		if u.at == at {
			return u
		}
	}
	u := &use{at: at}
	o.sends = append(o.sends, u)
	return u
}

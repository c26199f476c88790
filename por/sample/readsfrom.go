package sample

import (
	"cmp"
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A source is a pair of program points: an operation at Read has read the value written by an operation at
// Write, or the initial value if Write is initially. Locks and channels are read and written as variables
// are: the source of an acquisition is the release before it.
type source struct{ Write, Read point }

// initially stands for the write of the initial value.
var initially = point{math.MaxUint32, math.MaxUint32}

func (s source) compare(t source) int {
	return cmp.Or(s.Read.compare(t.Read), s.Write.compare(t.Write))
}

// A tally counts executions: those in which the source occurred, and those that aimed at it.
type tally struct {
	Source      source
	Seen, Tried int
}

// A readsFrom has the sources that are possible according to the accesses of earlier executions, sorted.
type readsFrom []tally

// index returns the number of s.
func (r readsFrom) index(s source) (i int, found bool) {
	return slices.BinarySearchFunc(r, s, func(t tally, s source) int { return t.Source.compare(s) })
}

// has reports whether s is possible.
func (r readsFrom) has(s source) bool {
	_, found := r.index(s)
	return found
}

// plus returns the sums of r and o, which are unchanged.
func (r readsFrom) plus(o readsFrom) readsFrom {
	sum := make(readsFrom, 0, len(r)+len(o))
	for len(r) > 0 || len(o) > 0 {
		switch {
		case len(o) == 0 || len(r) > 0 && r[0].Source.compare(o[0].Source) < 0:
			sum, r = append(sum, r[0]), r[1:]
		case len(r) == 0 || o[0].Source.compare(r[0].Source) < 0:
			sum, o = append(sum, o[0]), o[1:]
		default:
			sum = append(sum, tally{r[0].Source, r[0].Seen + o[0].Seen, r[0].Tried + o[0].Tried})
			r, o = r[1:], o[1:]
		}
	}
	return sum
}

// mostSources bounds the sources of one execution, and mostAt the points of one object.
const (
	mostSources = 1 << 12
	mostAt      = 64
)

// A reading records the sources of one execution.
type reading struct {
	index   map[uint64]int // by address of an object: its index in objects
	objects []readObject   // objects in the order of their first access
	seen    map[source]bool
}

// A readObject is the memory at one address.
type readObject struct {
	last             point // the place of its last write
	first            trace.GID
	shared           bool // several goroutines access it
	readers, writers []point
}

// begin forgets the execution before.
func (r *reading) begin() {
	if r.index == nil {
		r.index, r.seen = make(map[uint64]int), make(map[source]bool)
	}
	clear(r.index)
	clear(r.seen)
	r.objects = r.objects[:0]
}

func addressOf(a trace.Access) uint64 { return uint64(a.Obj)<<32 | uint64(a.Off) }

// last returns the point of the last write at the address of a.
func (r *reading) last(a trace.Access) point {
	if i, known := r.index[addressOf(a)]; known {
		return r.objects[i].last
	}
	return initially
}

// step notes that g executes op.
func (r *reading) step(g trace.GID, op *trace.Op) {
	p := pointOf(op)
	for _, a := range op.Access[:op.N] {
		i, known := r.index[addressOf(a)]
		if !known {
			i = len(r.objects)
			r.index[addressOf(a)] = i
			r.objects = append(r.objects, readObject{last: initially, first: g})
		}
		x := &r.objects[i]
		x.shared = x.shared || x.first != g
		//mutant: rff: stores read what they overwrite [test ./por/sample TestSources]: "op.Kind != trace.AtomicStore" -> "true"
		if op.Kind != trace.AtomicStore {
			r.seen[source{x.last, p}] = true
			note(&x.readers, p)
		}
		if a.Write {
			x.last = p
			note(&x.writers, p)
		}
	}
}

// note adds p to a list of points, unless the list has many.
func note(list *[]point, p point) {
	if len(*list) < mostAt && !slices.Contains(*list, p) {
		*list = append(*list, p)
	}
}

// sources returns the sources that are possible for the objects that several goroutines have accessed, with
// those that have occurred.
func (r *reading) sources() readsFrom {
	possible := make(map[source]bool)
	for i := range r.objects {
		x := &r.objects[i]
		if !x.shared || len(x.writers) == 0 {
			continue
		}
		for _, read := range x.readers {
			possible[source{initially, read}] = true
			for _, write := range x.writers {
				possible[source{write, read}] = true
			}
		}
		if len(possible) >= mostSources {
			break
		}
	}
	list := make(readsFrom, 0, len(possible))
	for s := range possible {
		t := tally{Source: s}
		if r.seen[s] {
			t.Seen = 1
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b tally) int { return a.Source.compare(b.Source) })
	return list
}

// A reader is a strategy whose executions show sources.
type reader interface {
	// shown returns the sources of the last execution.
	shown() readsFrom
}

var _ reader = (*rff)(nil)

// pendingAt returns the point and the accesses of the pending operation of g.
func pendingAt(sys por.System, peeker por.Peeker, g trace.GID) (point, []trace.Access) {
	op := peekOf(sys, peeker, g)
	return pointOf(op), op.Access[:op.N]
}

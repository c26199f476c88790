package toys

import (
	"fmt"
	"hash/fnv"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Recorder records everything that a search reports, in order. It is a por.Mergeable, and its own
// por.Subsearch.
type Recorder struct {
	Toy   *System
	Stop  uint32 // it stops the search at a leaf whose hash this divides; 0: never
	Every bool   // races that are reported again are recorded again
	Pause func() // if set, is called at each leaf, so that other goroutines run
	List  []string
	Parts int // merged parts

	races map[racePair]bool
	pairs []racePair // by index in List: the race reported there, or the zero value
	steps int        // calls of Begin and End
}

// racePair is a pair of operations in a race, by their program points.
type racePair struct {
	f1, pc1, f2, pc2 uint32
	k1, k2           trace.Kind
}

// NewRecorder returns the visitor of a search of toy.
func NewRecorder(toy *System, stop uint32) *Recorder {
	return &Recorder{Toy: toy, Stop: stop, races: make(map[racePair]bool)}
}

// Leaves returns the records of ends of executions.
func (r *Recorder) Leaves() (list []string) {
	for i, what := range r.List {
		if r.pairs[i] == (racePair{}) {
			list = append(list, what)
		}
	}
	return list
}

// Leaf implements por.Visitor.
func (r *Recorder) Leaf(path trace.Schedule, st por.Status) bool {
	r.add(racePair{}, fmt.Sprint(path, st, r.Toy.Ending()))
	if r.Pause != nil {
		r.Pause()
	}
	h := fnv.New32a()
	h.Write([]byte(r.Toy.Ending()))
	return r.Stop == 0 || h.Sum32()%r.Stop != 0
}

// Race implements por.Visitor.
func (r *Recorder) Race(path trace.Schedule, a, b trace.Op) bool {
	if b.Func < a.Func || b.Func == a.Func && b.PC < a.PC {
		a, b = b, a
	}
	r.add(racePair{a.Func, a.PC, b.Func, b.PC, a.Kind, b.Kind}, fmt.Sprint(path, RaceName(a, b)))
	return true
}

func (r *Recorder) add(pair racePair, what string) {
	if pair != (racePair{}) {
		if r.races[pair] && !r.Every {
			return
		}
		r.races[pair] = true
	}
	r.List, r.pairs = append(r.List, what), append(r.pairs, pair)
}

// Livelock implements por.Visitor.
func (r *Recorder) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor.
func (r *Recorder) Restart() { r.add(racePair{}, "restart") }

// Begin implements por.Subsearch.
func (r *Recorder) Begin() { r.steps++ }

// End implements por.Subsearch.
func (r *Recorder) End() { r.steps++ }

// Split implements por.Mergeable.
func (r *Recorder) Split(sys por.System) por.Subsearch { return NewRecorder(sys.(*System), r.Stop) }

// Merge implements por.Mergeable.
func (r *Recorder) Merge(p por.Subsearch) bool {
	q := p.(*Recorder)
	if q.steps != 2 {
		panic("a part was not begun and ended once")
	}
	r.Parts++
	for i, what := range q.List {
		r.add(q.pairs[i], what)
	}
	return true
}

// Divide implements por.Sender.
func (r *Recorder) Divide() {}

// Encode implements por.Sender.
func (r *Recorder) Encode(p por.Subsearch) ([]byte, error) {
	q := p.(*Recorder)
	return saved.Marshal(&q.List, &q.pairs, &q.steps)
}

// Decode implements por.Sender.
func (r *Recorder) Decode(data []byte) (por.Subsearch, error) {
	q := NewRecorder(r.Toy, r.Stop)
	err := saved.Unmarshal(data, &q.List, &q.pairs, &q.steps)
	return q, err
}

package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// An operation that waits beside x may be possible before x only if it is possible in the state P of x's
// frame: its set S is empty (reverseWaiting). Otherwise its candidate would be explored for nothing, which
// takes a rewind to P and steps on the way there. Examples are timers and the garbage collector, which act
// only while all goroutines wait: they are pending beside every step of a goroutine.

// possible has the operations that are possible in the state of a frame, besides its own.
type possible struct {
	known    bool        // false: nothing is known
	others   []trace.GID // goroutines with such operations
	channels bool        // one of these operations is on channels
}

// KeepImpossible makes searches explore the candidates that impossible finds, and panic if one of them is
// possible. Tests set it.
var KeepImpossible bool

// rests has the operations that are possible only while goroutines wait.
const rests trace.Kinds = 1<<trace.Sleep | 1<<trace.Timer | 1<<trace.SemAcquire

// notePossible records them for frame f, whose state is the present one, if another goroutine has an
// operation of rests. Without one the record costs more than it saves. Goroutines that have been dropped, or
// belong to another part, count: a candidate for one of these shows that the parts are not independent.
func (s *searcher) notePossible(f *frame) {
	if !slices.ContainsFunc(s.Order, func(g trace.GID) bool { return g != f.g && rests.Has(s.Pending[g].Kind) }) {
		return
	}
	f.possible.known = true
	for _, g := range s.Execution.Enabled() {
		if g != f.g {
			f.possible.others = append(f.possible.others, g)
			f.possible.channels = f.possible.channels || s.Next(g).Kind.Channels()
		}
	}
}

// impossible reports whether the candidate of f with an empty set S and goroutine q (NoGID: any operation on
// channels) would certainly be given up (line 34). x is the operation of f, and y one that waits beside it.
// If the two race, the candidate is needed for reporting that.
func (f *frame) impossible(x, y *hb.NextOp, q trace.GID) bool {
	switch {
	case !f.possible.known, f.outer >= 0, x.Races(&y.Op):
		return false
	case q == trace.NoGID:
		return !f.possible.channels
	}
	//mutant: optimal: what waits is possible nowhere [toySystems]: "!slices.Contains(f.possible.others, q)" -> "true"
	return !slices.Contains(f.possible.others, q)
}

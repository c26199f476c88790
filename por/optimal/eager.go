package optimal

import (
	"cmp"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Eager race reversal (Abdulla, Atig, Das, Jonsson, Sagonas: "Parsimonious Optimal Dynamic Partial
// Order Reduction", CAV 2024, section 4). Frames keep their candidates until what is above them has
// been explored. That costs nothing but memory; but one operation can have as many candidates as a
// part of the program has classes. If they take more than options.prefixMemory the next ones are
// explored as soon as they are found. The frames above are suspended meanwhile:
//
//	found:      p1 p2 │ x  e1 │ z  e2 y     y shows a candidate of F0, and there is no memory
//	                  F0      F1
//	suspend:    p1 p2 │                     F1, and the path from x on, are put aside
//	explore:    p1 p2 │ e1 y │ x ...        as exploreReversal does
//	resume:     p1 p2 │ x  e1 │ z  e2 y     the path is executed again
//
// Guarantees: the same executions, in another order. Besides prefixMemory the memory in use is
// polynomial in the length n of the longest execution: fewer than n² stacks of frames are suspended
// at a time (claim 14).
//
// That does not hold for operations on channels (rule R5), whose fingerprints, and those of
// operations on Conds, are kept in frame.known; for frames whose operations have alternatives, as
// long as these have not all been executed; nor with several workers.

// defaultPrefixMemory is the default of options.prefixMemory.
const defaultPrefixMemory = 32 << 20

// An eagerReversal is a candidate that is to be explored before the search continues.
//
// Its transitions are its own, as the frame's list has no memory for them.
type eagerReversal struct {
	frame       int
	candidate   candidate
	transitions []hb.Transition
}

// mayRetain reports whether there is memory for another candidate of f.
//
// While a frame has alternatives left, and with workers, candidates are kept beyond the bound:
// those may not be explored yet.
func (s *searcher) mayRetain(f *frame) bool {
	most := s.opts.prefixMemory
	if most == 0 {
		most = defaultPrefixMemory
	}
	return s.retained < most || f.nextAlternative < f.numAlternatives || s.worker != nil
}

// retain adds n bytes to what f retains.
func (s *searcher) retain(f *frame, n int64) {
	f.retained += n
	s.retained += n
}

// bytes returns the memory that a candidate takes.
func (c *candidate) bytes() int64 {
	return int64(unsafe.Sizeof(*c)) + int64(c.hi-c.lo)*int64(unsafe.Sizeof(hb.Transition{}))
}

// bytes returns the memory that f takes.
func (f *frame) bytes() int64 {
	return int64(unsafe.Sizeof(*f)) + int64(cap(f.transitions))*int64(unsafe.Sizeof(hb.Transition{})) +
		int64(cap(f.candidates))*int64(unsafe.Sizeof(candidate{})) + int64(len(f.known))*keyBytes
}

// keyBytes is about what an entry of frame.known takes.
const keyBytes = 24

// A suspension is a path, and the frames along it, that are to be resumed.
//
// Frames are kept without marks: the path below them is going to be undone. They get new ones
// when they are resumed.
type suspension struct {
	recordedPath
	frames []frame
}

// A recordedPath is a part of an execution that is to be executed again.
type recordedPath struct {
	path              trace.Schedule
	ended             []bool // by event: it has ended the execution and been undone
	inReversal        []bool // these as in searcher
	frameOf, prevHead []int32
	dropped           []trace.GID
}

// record copies the events of the present execution from number i to number j.
func (s *searcher) record(i, j int) recordedPath {
	p := recordedPath{
		inReversal: slices.Clone(s.inReversal[i:j]),
		frameOf:    slices.Clone(s.frameOf[i:j]),
		prevHead:   slices.Clone(s.prevHead[i:j]),
	}
	for k := i; k < j; k++ {
		e := &s.Events[k]
		p.path, p.ended = append(p.path, e.Step()), append(p.ended, e.EndsExecution)
	}
	return p
}

// executeAgain executes step i of p. What else is recorded is not restored yet.
//
// A step that ended the execution is executed and undone again, so that hb has the event and the
// system has not.
func (s *searcher) executeAgain(p *recordedPath, i int) {
	a := p.path[i]
	if !p.ended[i] {
		s.Repeat(a)
		//mutant: optimal: workers do not know of another's outcomes [test ./por/optimal ^TestWorkersBranch$]
		s.noteBranch()
		return
	}
	m := s.Sys.Mark()
	s.Repeat(a)
	s.Undo(m)
	s.Sys.Release(m)
	s.Retire(a.G)
}

// restoreRecord restores the rest of what is recorded of p, when its steps have been executed.
func (s *searcher) restoreRecord(p *recordedPath) {
	n := len(s.Events) - len(p.path)
	//mutant: what was in a reversal is not when the search resumes [toySystems]: "p.inReversal" -> "make([]bool, len(p.inReversal))"
	s.inReversal = append(s.inReversal[:n], p.inReversal...)
	s.frameOf, s.prevHead = append(s.frameOf[:n], p.frameOf...), append(s.prevHead[:n], p.prevHead...)
	s.dropped = append(s.dropped[:0], p.dropped...)
}

// A reversing is what reverseEagerly has to explore. There is one for each call of it under way.
//
// If it was called by runToEnd, that goes on with g and h when all is explored. Nothing else does: all
// calls of runToEnd are the last of what calls them. So a search that was saved goes on in the youngest
// reversing (reenter).
type reversing struct {
	list       []eagerReversal
	next       int // of the list: it is being explored
	suspension suspension
	running    bool // it was called by runToEnd
	g          trace.GID
	h          int32

	// Of the frame of the candidate that is explored, before that.
	transitions, candidates int
}

// reverseEagerly explores the candidates of s.eager, and returns to the present state.
//
// Youngest frame first: then each of the others only has to suspend what is left below.
func (s *searcher) reverseEagerly(x *reversing) {
	x.list = s.eager
	s.eager = nil // those found from here on are explored from there
	slices.SortStableFunc(x.list, func(a, b eagerReversal) int { return cmp.Compare(b.frame, a.frame) })
	from := s.frames[x.list[len(x.list)-1].frame].depth
	x.suspension = suspension{recordedPath: s.record(from, len(s.Events))}
	x.suspension.dropped = slices.Clone(s.dropped)
	s.reversings = append(s.reversings, x)
	s.reverseList(x)
}

// reverseList explores what is left of the list of x, and returns to the state where that was found.
func (s *searcher) reverseList(x *reversing) {
	for x.next < len(x.list) {
		r := &x.list[x.next]
		s.suspendFrames(&x.suspension, r.frame+1)
		f := &s.frames[r.frame]
		x.transitions, x.candidates = len(f.transitions), len(f.candidates)
		f.transitions = append(f.transitions, r.transitions...)
		r.candidate.lo, r.candidate.hi = x.transitions, len(f.transitions)
		s.rewindTo(f)
		s.exploreReversal(r.frame, r.candidate)
		if s.reverseRest(x); s.Halted {
			return
		}
	}
	s.reversings = s.reversings[:len(s.reversings)-1]
	s.resume(&x.suspension)
}

// reverseRest explores all that is found above the frame of the candidate of x that is being explored.
//
// The loop is run's, but it ends at that frame, which stays as it is: its own candidates are not
// taken here.
func (s *searcher) reverseRest(x *reversing) {
	r := &x.list[x.next]
	for !s.Halted && (len(s.eager) > 0 || len(s.frames) > r.frame+1) {
		if len(s.eager) > 0 {
			s.reverseEagerly(&reversing{})
		} else if s.Keep(); !s.Halted {
			s.backtrack()
		}
	}
	if s.Halted {
		return
	}
	if f := &s.frames[r.frame]; len(f.candidates) == x.candidates {
		f.transitions = f.transitions[:x.transitions]
	}
	x.next++
}

// suspendFrames moves the frames from number i on to p.
//
// Their bytes still count (suspended), or else MaxMemory would not see them.
func (s *searcher) suspendFrames(p *suspension, i int) {
	above := s.frames[i:]
	for j := len(above) - 1; j >= 0; j-- {
		s.release(&above[j])
		s.suspended += above[j].bytes()
	}
	p.frames = append(slices.Clone(above), p.frames...)
	clear(above) // their memory is not to be used again
	s.frames = s.frames[:i]
}

// resume executes the path of p again, after the youngest frame, and puts its frames back.
func (s *searcher) resume(p *suspension) {
	s.rewindTo(&s.frames[len(s.frames)-1])
	for i := 0; ; i++ {
		for len(p.frames) > 0 && p.frames[0].depth == len(s.Events) {
			s.frames = append(s.frames, p.frames[0])
			f := &s.frames[len(s.frames)-1]
			f.at.Mark = s.Sys.Mark()
			s.suspended -= f.bytes()
			p.frames = p.frames[1:]
		}
		if i == len(p.path) {
			break
		}
		s.executeAgain(&p.recordedPath, i)
	}
	s.restoreRecord(&p.recordedPath)
}

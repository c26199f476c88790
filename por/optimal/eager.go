package optimal

import (
	"cmp"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Eager race reversal (Abdulla, Atig, Das, Jonsson, Sagonas: "Parsimonious Optimal Dynamic Partial Order
// Reduction", CAV 2024, section 4). Frames keep their candidates until the frames above have been explored.
// Keeping them costs only memory, but one operation can have as many candidates as a part of the program has
// classes. If the candidates take more than options.prefixMemory, later ones are explored as soon as they are
// found. The frames above are suspended meanwhile:
//
//	found:      p1 p2 │ x  e1 │ z  e2 y     y shows a candidate of F0, and memory is used up
//	                  F0      F1
//	suspend:    p1 p2 │                     F1, and the path from x on, are put aside
//	explore:    p1 p2 │ e1 y │ x ...        as exploreReversal does
//	resume:     p1 p2 │ x  e1 │ z  e2 y     the path is executed again
//
// Guarantees: the same executions, in another order. Besides prefixMemory the memory in use is
// polynomial in the length n of the longest execution: fewer than n² stacks of frames are suspended
// at a time (claim 14).
//
// The bound does not hold in three cases: for operations on channels (rule R5) and on Conds,
// because frame.known keeps their fingerprints; for frames with unexecuted alternatives; and with
// several workers.

// defaultPrefixMemory is the default of options.prefixMemory.
const defaultPrefixMemory = 32 << 20

// An eagerReversal is a candidate that is explored before the search continues. It has its own transitions,
// because the frame's list has no memory left for them.
type eagerReversal struct {
	frame       int
	candidate   candidate
	transitions []hb.Transition
}

// mayRetain reports whether there is memory for another candidate of f.
//
// Two kinds of candidates may not be explored yet, and are kept beyond the bound: those of a frame that has
// unexecuted alternatives, and all candidates with several workers.
func (s *searcher) mayRetain(f *frame) bool {
	most := s.opts.prefixMemory
	if most == 0 {
		most = defaultPrefixMemory
	}
	if s.unstable || s.repeater != nil && !s.repeater.Repeatable() {
		return true // the path of a suspension is executed again
	}
	return s.retained < most || f.nextAlternative < f.numAlternatives || s.worker != nil
}

// retain adds n bytes to the retained memory of f.
func (s *searcher) retain(f *frame, n int64) {
	f.retained += n
	s.retained += n
}

// bytes returns the memory of a candidate.
func (c *candidate) bytes() int64 {
	return int64(unsafe.Sizeof(*c)) + int64(c.hi-c.lo)*int64(unsafe.Sizeof(hb.Transition{}))
}

// bytes returns the memory of f.
func (f *frame) bytes() int64 {
	return int64(unsafe.Sizeof(*f)) + int64(cap(f.transitions))*int64(unsafe.Sizeof(hb.Transition{})) +
		int64(cap(f.candidates))*int64(unsafe.Sizeof(candidate{})) + int64(len(f.known))*keyBytes
}

// keyBytes is roughly the memory of an entry of frame.known.
const keyBytes = 24

// A suspension is a path with its frames, to be resumed later.
//
// Frames are kept without marks, because the path below them will be undone. They get new marks when they
// are resumed.
type suspension struct {
	recordedPath
	frames []frame
}

// A recordedPath is a part of an execution that will be executed again.
type recordedPath struct {
	path              trace.Schedule
	ended             []bool // by event: whether it has ended the execution and been undone
	inReversal        []bool // as in searcher
	frameOf, prevHead []int32
	dropped           []trace.GID
}

// record copies the events of the current execution from index i to index j.
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

// executeAgain executes step i of p. restoreRecord restores the rest of p.
//
// A step that ended the execution is executed and undone again: hb keeps its event, and the system does not.
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

// restoreRecord restores the rest of p, when its steps have been executed.
func (s *searcher) restoreRecord(p *recordedPath) {
	n := len(s.Events) - len(p.path)
	//mutant: what was in a reversal is not when the search resumes [toySystems]: "p.inReversal" -> "make([]bool, len(p.inReversal))"
	s.inReversal = append(s.inReversal[:n], p.inReversal...)
	s.frameOf, s.prevHead = append(s.frameOf[:n], p.frameOf...), append(s.prevHead[:n], p.prevHead...)
	s.dropped = append(s.dropped[:0], p.dropped...)
}

// A reversing is the state of one call of reverseEagerly.
//
// If runToEnd is the caller, it continues with g and h when everything is explored. Every other caller has no
// work left, because its call of runToEnd is its last action. So a saved search continues in the youngest
// reversing (reenter).
type reversing struct {
	list       []eagerReversal
	next       int // index in the list of the candidate that is being explored
	suspension suspension
	running    bool // the caller is runToEnd
	g          trace.GID
	h          int32

	// The lengths of these lists of the candidate's frame, before the candidate's exploration.
	transitions, candidates int
}

// reverseEagerly explores the candidates of s.eager, and returns to the current state.
//
// The youngest frame comes first, so that each older frame only has to suspend the rest of the path.
func (s *searcher) reverseEagerly(x *reversing) {
	s.Freeze() // the first execution is suspended
	x.list = s.eager
	s.eager = nil // candidates found from here on are explored there
	slices.SortStableFunc(x.list, func(a, b eagerReversal) int { return cmp.Compare(b.frame, a.frame) })
	from := s.frames[x.list[len(x.list)-1].frame].depth
	x.suspension = suspension{recordedPath: s.record(from, len(s.Events))}
	x.suspension.dropped = slices.Clone(s.dropped)
	s.reversings = append(s.reversings, x)
	s.reverseList(x)
}

// reverseList explores the rest of the list of x, and returns to the state where it was found.
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

// reverseRest explores all frames above the one of the candidate of x that is being explored.
//
// It has the loop of run, but ends at that frame, and does not take candidates of that frame.
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
// Their bytes still count (suspended) for MaxMemory.
func (s *searcher) suspendFrames(p *suspension, i int) {
	above := s.frames[i:]
	for j := len(above) - 1; j >= 0; j-- {
		s.release(&above[j])
		s.suspended += above[j].bytes()
	}
	p.frames = append(slices.Clone(above), p.frames...)
	clear(above) // pushFrame must not reuse their memory
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

package optimal

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A frame is a state P in which a goroutine was chosen, with the candidates for longer causal
// prefixes of its operation x. Numbers of events are indices of Execution.Events.
//
// While its candidates are explored, the same x is chosen in a
// younger frame, whose prefix is longer and whose newest head is the candidate's y.
//
//	F0:  P │ x             newestHead -1
//	F0': P e1 w y │ x      newestHead y, prevHead[y] -1
//	F0'': ... z │ x        newestHead z, prevHead[z] y: the chain of claim 2, backwards
//
// Invariant: frames are ordered by depth, and candidates[:nextCandidate] have been explored.
type frame struct {
	at         search.Position // P; its mark may be noMark
	depth      int             // number of events before P; also the number of event x, unless a candidate is being explored
	g          trace.GID
	newestHead int32 // the last event of x's prefix on which x depends directly, or -1
	numDropped int   // number of elements of searcher.dropped in P

	noReversals     bool // x depends on no operation that other goroutines can execute
	dependsOnOutput bool // x decides which output exists when the program ends

	numAlternatives   int
	nextAlternative   int // number of executed alternatives
	endedAlternatives int // number of these that have ended the execution

	// See scheduleReversal for the relation of the two lists.
	transitions   []hb.Transition // of candidates
	candidates    []candidate
	nextCandidate int   // number of explored candidates
	retained      int64 // bytes of candidates and known

	// mayRepeat is set if candidates may be found twice, because x, or an operation that depends on x, has
	// several alternatives or waits for several events. Then known has the candidates' fingerprints.
	mayRepeat bool
	known     map[uint64]struct{}

	// If x is on channels:
	alternatives   []uint64  // labels in the order of exploration
	firstPartnerOp hb.NextOp // the pending operation of x's partner in the first alternative
	outer          int32     // the frame below with the same x, if a prefix of rule R3 leads from its state to P; else -1

	// If x is a select: its cases in the state before all of its prefix.
	baseDepth int // events before that state
	cases     []por.Case
	mayPark   bool // the operation may wait there (see por.Effects.Cases)
}

// A candidate is an unexplored causal prefix of a frame's operation x: execute
// frame.transitions[lo:hi] (S), then an operation of q, then x.
//
// S is a set, and any order that happens-before allows leads
// to the same state (claim 4).
type candidate struct {
	lo, hi int
	q      trace.GID // NoGID: x is on channels, and all operations of rule R3 follow S
	named  bool      // execute only the alternative label of q's operation, else all
	label  uint64
	// notFirst is set if the operation of q is not the first of the operations that follow S.
	notFirst bool
	// lastUnseen is set if FindReversals must be called for the last event of S (claim 9).
	lastUnseen bool
	// mayFail is set if S may be impossible, because events of S communicated with x's partner.
	mayFail bool
}

// openFrame is line 17. It returns the number of the first alternative.
//
// mayRepeat: some prefixes may be found twice, so they need fingerprints. An operation that has one
// alternative, waits for one event and depends on each of its peers finds each prefix once (claim 3).
func (s *searcher) openFrame(g trace.GID, h int32, x *hb.NextOp, persistent bool) int {
	n := int(x.Alternatives)
	f := s.pushFrame()
	f.at, f.depth, f.g, f.newestHead = s.checkpoint(&x.Op), len(s.Events), g, h
	f.numAlternatives, f.nextAlternative = n, 1
	f.noReversals, f.numDropped = persistent, len(s.dropped)
	f.mayRepeat = n > 1 || x.Kind.Channels() || x.OnCond() || x.CommutesWithPeers()
	if x.Kind.Channels() {
		s.initChannelFrame(len(s.frames) - 1)
	}
	if n > 1 {
		s.Stats.Choices++
	}
	return f.choice(s, 0)
}

// choice returns the system's number of the alternative that is explored as number k.
func (f *frame) choice(s *searcher, k int) int {
	if len(f.alternatives) == 0 {
		return k
	}
	c, _ := s.choiceOf(hb.Transition{G: f.g, Label: f.alternatives[k]})
	return c
}

// pushFrame opens a frame in the memory of a closed one, to reuse its slices and maps. A new field has to be
// reset here or set by all callers.
func (s *searcher) pushFrame() *frame {
	if len(s.frames) == cap(s.frames) {
		s.frames = append(s.frames, frame{outer: -1})
		return &s.frames[len(s.frames)-1]
	}
	s.frames = s.frames[:len(s.frames)+1]
	f := &s.frames[len(s.frames)-1]
	clear(f.known)
	f.alternatives, f.cases = f.alternatives[:0], f.cases[:0]
	f.transitions, f.candidates, f.nextCandidate, f.retained = f.transitions[:0], f.candidates[:0], 0, 0
	f.endedAlternatives, f.dependsOnOutput, f.mayRepeat = 0, false, false
	f.outer, f.firstPartnerOp.Kind = -1, trace.None
	return f
}

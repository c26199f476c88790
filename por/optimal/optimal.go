// Package optimal explores exactly one execution of every class of equivalent executions and
// begins no others (optimal dynamic partial order reduction). The algorithm is this project's own
// and is published in docs/research/optimal.md. Comments like "line 24" refer to the pseudo-code of its
// section 2, R1 and S1 to the rules for channels of its section 4, and claims to its proofs.
//
// In a state P one goroutine is chosen by a fixed rule; let x be its pending operation. Every execution from
// P has exactly one causal prefix of x: the events after P that happen before x. So the executions from P are
// partitioned by that prefix. If each prefix is taken once, executed, followed by x, and explored in the same
// way, then each class is explored once. The empty prefix is the first. Exploring a prefix finds further
// ones: an operation y that is executed after x, and that conflicts with x, could have come before x,
// together with the part S of y's own causal prefix.
//
//	executed:          p1 p2 │ x  e1 │ z  e2 │ w  y
//	frames:                  F0      F1      F2         the states in which x, z and w were chosen
//
//	y races with x. Of the events between them e1 and w happen before y:
//	candidate of F0:         S = e1 w, then y           z and e2 are left out
//
//	explored later:    p1 p2 │ e1  w  y │ x ...         e1, w and y are "in a reversal"
//	frames:                  F0         F0'             F0' is for x, too: its newest head is y
//
// F1 and F2 have been closed by then, with all their candidates: the youngest frame comes first. An operation
// that is executed above F0' and races with x is a candidate of F0', and makes the prefix e1 w y longer.
//
// # Guarantees
//
// Every class of complete executions is explored once (the theorem of section 3). Every way in which
// the program can end is reported (claim 13). The explored executions, and all counts, depend
// on the program only: neither on the number of workers nor on the memory for candidates.
//
// The search restarts with clockvector for two kinds of programs. Programs of the first kind may make the
// counter of a WaitGroup negative, or raise it while a goroutine waits for it. Whether that happens depends
// on the order of operations that otherwise commute. Programs of the second kind have too many channel
// operations for rule S3, or channel operations that end the program after a longer prefix. If a goroutine
// unlocks an RWMutex that it does not hold, or a loop waits for a location that readers or additions change
// (section 8), the search restarts with readers, or additions, that do not commute.
//
// # Files
//
//	optimal.go      the algorithm, except for the parts in the other files
//	reversal.go     exploring the reversal of a race
//	frames.go       frames: states in which a goroutine was chosen
//	races.go        races, found when an event is executed or an operation becomes pending
//	                (lines 20 to 27)
//	prefixes.go     candidates: scheduling them (lines 28 to 31), their fingerprints and order
//	rendezvous.go   channels (section 4)
//	ideals.go       ideals of a rendezvous
//	selects.go      when a select is disabled (claim 10)
//	endings.go      executions that end early (section 6)
//	eager.go        reversals that are explored at once, to save memory (section 7)
//	parts.go        independent parts of the goroutines (section 9)
//	tail.go         the end of executions, in which there are no races
//	checkpoints.go  which frames have a checkpoint of the system
//	parallel.go     several workers that steal work (section 7)
//	merge.go        merging what workers have found, in order
//	tasks.go        shared data of the workers: frames, and the subtrees below them
//	worker.go       one worker
//	elsewhere.go    workers in other processes
//	transcript.go   the transcript of the search for developers
//	keep.go         resuming a saved search
//	explorer.go     name and options of the explorer
package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Explore explores one execution of every class of sys.
func Explore(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return explore(sys, v, cfg, options{})
}

// options are the explorer's own.
type options struct {
	// prefixMemory is the number of bytes for candidates that are kept. Further ones are explored at once,
	// which takes longer. 0: defaultPrefixMemory; negative: no memory.
	prefixMemory int64
	// shareAll makes workers donate as much as possible, which takes longer.
	shareAll bool
}

func explore(sys por.System, v por.Visitor, cfg por.Config, opts options) por.Result {
	toSource := por.Overtakes(sys)
	if toSource && !por.MayLook(sys) {
		// An operation that depends on all others can come after each prefix of the rest, and the causal
		// prefix does not determine which of these it comes after, because the operation may also be enabled
		// by the absence of events.
		return por.Result{FallbackTo: "source"}
	}
	exact := hb.Relation{IgnoreOutput: cfg.IgnoreOutput, OneCloses: true, OnlyReceived: cfg.Parts == nil, NoneLooks: toSource}
	if cfg.Parts != nil {
		return hb.Refine(v, cfg, exact, func(rel hb.Relation) (por.Result, *hb.Execution) {
			if toSource && !rel.NoneLooks {
				return por.Result{FallbackTo: "source"}, hb.NewExecution(sys, rel)
			}
			return exploreInParts(sys, v, cfg, opts, rel)
		})
	}
	if j, ok := v.(por.Mergeable); ok && (cfg.Jobs > 1 || cfg.Elsewhere != nil) {
		return exploreParallel(sys, j, cfg, opts, exact)
	}
	return hb.Refine(v, cfg, exact, func(rel hb.Relation) (por.Result, *hb.Execution) {
		if toSource && !rel.NoneLooks {
			return por.Result{FallbackTo: "source"}, hb.NewExecution(sys, rel)
		}
		s := newSearcher(sys, v, cfg, opts, rel)
		r := s.run()
		if s.Unsupported {
			r = por.Result{FallbackTo: "clockvector"}
		}
		return r, s.Execution
	})
}

func newSearcher(sys por.System, v por.Visitor, cfg por.Config, opts options, rel hb.Relation) *searcher {
	s := &searcher{
		Execution:  hb.NewExecution(sys, rel),
		Driver:     search.NewDriver(sys, v, cfg),
		opts:       opts,
		duplicates: hb.NewDuplicates(cfg),
		shared:     -1,
	}
	s.Estimate = func(p *por.Progress) {
		if s.division != nil && (s.apart != nil || len(s.nodes) > 1) {
			return
		}
		p.Fraction = search.Done(len(s.frames), func(i int) (explored, of int) {
			f := &s.frames[i]
			return f.nextAlternative + f.nextCandidate - 1, f.numAlternatives + len(f.candidates)
		})
	}
	s.Executor, s.Size = s.Execution, search.Sum{Sys: s.Size, More: s.bytes}
	s.tails = s.mayHaveTails()
	if s.Watcher == nil { // a Watcher has to see repeated steps
		s.repeater = por.CapabilitiesOf(sys).Repeater
	}
	return s
}

// searcher is a search by one worker: the execution up to the current state, and a stack of frames.
type searcher struct {
	*hb.Execution
	search.Driver
	opts       options `saved:"-"`
	duplicates hb.Duplicates

	root      search.Position `saved:"-"`
	repeater  por.Repeater    `saved:"-"` // nil: all frames have checkpoints
	revisited revisitedSites
	unstable  bool      // some steps could not be repeated: see checkpoint
	tails     bool      // see mayHaveTails
	numTails  int       // number of executed tails
	noTail    [256]bool // where no tail is tried, by the number of events of the waiting goroutine
	//mutant: saved: optimal without frames [resumed]: " []frame" -> " []frame `saved:\"-\"`"
	frames   []frame
	branched bool        // a Branch has been executed, in this execution or an earlier one
	dropped  []trace.GID // goroutines whose last events have ended the execution; they do not move

	// Invariant: inReversal, frameOf and prevHead are as long as Execution.Events, which has one
	// event more than Driver.Path for each event that ended the execution and was undone.
	//
	//	events:     p1  p2  x  e1  z  e2
	//	frameOf:    -1  -1  0  -1  1  -1          frames[0].depth is 2, frames[1].depth is 4
	//	while a candidate of frame 0 is explored:
	//	events:     p1  p2  e1  y  x'             frames[0].depth is 2, but x' belongs to frames[1]
	// By event of Execution:
	//mutant: saved: optimal without inReversal [resumed]: "inReversal []bool" -> "inReversal []bool `saved:\"-\"`"
	inReversal []bool // executed as part of a candidate, or not as the first alternative
	//mutant: saved: optimal without frameOf [resumed]: "frameOf    []int32" -> "frameOf    []int32 `saved:\"-\"`"
	frameOf []int32 // the frame whose chosen operation the event is, or -1
	//mutant: saved: optimal without prevHead [resumed]: "prevHead   []int32" -> "prevHead   []int32 `saved:\"-\"`"
	prevHead []int32 // for a head: the head before it, or -1

	ideals int             `saved:"-"` // number of sets scheduled by the newest event: see maxIdeals
	listed int             `saved:"-"` // number of events from which these were taken
	eager  []eagerReversal // reversals to be explored before the search continues
	//mutant: saved: optimal without reversings [resumed]: "*reversing" -> "*reversing `saved:\"-\"`"
	reversings []*reversing // reversals that are under way
	retained   int64        // bytes of candidates
	suspended  int64        // bytes of frames that are suspended

	concurrent []int32 `saved:"-"` // scratch memory of concurrentFrames

	parting
	worker *worker `saved:"-"` // nil: a search by one worker
	shared int     // the frames up to this one are shared with other workers

	scratch scratch `saved:"-"`
}

// scratch is scratch memory of procedures.
type scratch struct {
	transitions []hb.Transition // channelHeads, alternativesOf
	clock       []uint32        // scheduleIdeals, needsAll
	without     []uint32        // clockWithout
	intervals   []interval
	exposed     []exposure
	pair        []*interval // scheduleIdeals
	events      []int       // scheduleIdeals, disabledByProperSubset
	ages        []uint64    // fingerprint
	enabled     []trace.GID // enabled
	join        hb.Join     // executeTail
}

// run is Explore (line 1).
//
// Frames are released youngest first, as marks are last-in first-out.
func (s *searcher) run() por.Result {
	s.root = s.Checkpoint()
	resumed, leave := s.Cfg.Enter(s)
	defer leave()
	if resumed {
		s.reenterPart()
		s.reenter()
	} else {
		if s.runToEnd(trace.NoGID, -1); !s.Unsupported {
			s.Freeze()
		}
	}
	for len(s.frames) > 0 && !s.Halted {
		if s.Keep(); !s.Halted {
			s.backtrack()
		}
	}
	s.Account()
	for i := len(s.frames) - 1; i >= 0; i-- {
		s.release(&s.frames[i])
	}
	s.Leave(s.root.Mark)
	r := s.Result()
	r.Duplicate = s.duplicates.First
	return r
}

// backtrack is lines 4 to 9. The system is rewound only to a state with an unexplored alternative or
// candidate.
//
// Alternatives come before candidates, because some data for comparisons with candidates are known only when
// all alternatives have been executed (dependsOnOutput; firstPartnerOp belongs to the first alternative).
// Candidates are explored in the order in which they were found; the order makes no difference to the
// explored classes.
func (s *searcher) backtrack() {
	if len(s.eager) > 0 {
		if s.reverseEagerly(&reversing{}); s.Halted {
			return
		}
	}
	i := len(s.frames) - 1
	f := &s.frames[i]
	// Steps that are repeated on the way back are not counted, and a candidate may fail without a step.
	//mutant: the way back ignores the time [test ./por/optimal TestWayBack]: "s.Cfg.Over() {" -> "s.Cfg.Over() && false {"
	if f.at.Mark == noMark && s.Cfg.Over != nil && s.Cfg.Over() {
		if s.Poll(s.Account(), s.Progress()); s.Halted {
			return
		}
	}
	switch {
	case f.nextAlternative < f.numAlternatives:
		s.rewindTo(f)
		f.nextAlternative++
		s.exploreAlternative(i, f.nextAlternative-1)
	case f.nextCandidate < len(f.candidates):
		s.rewindTo(f)
		f.nextCandidate++
		s.exploreReversal(i, f.candidates[f.nextCandidate-1])
	default:
		// All candidates of f have been explored. Candidates that f has found for frames below remain
		// there.
		s.release(f)
		s.retained -= f.retained
		s.frames = s.frames[:i]
	}
}

// exploreAlternative is line 6 for alternative k of the operation of frame i.
//
// A further alternative of an operation that is not on channels has the same races as the first one (line 21
// is about operations, not alternatives). But line 23 has to process the arrivals of goroutines that it
// causes. Two rendezvous with different partners have different races.
func (s *searcher) exploreAlternative(i, k int) {
	f := &s.frames[i]
	// The first k alternatives have been executed. If all earlier alternatives have ended the execution,
	// this one is the default (section 1: "another than the first alternative that does not end the
	// program"). Rule B: the first alternative of a Branch may contradict a candidate.
	//mutant: optimal: outcomes do not contradict each other [branches]: drop 2
	inReversal := k > f.endedAlternatives && s.Next(f.g).Kind != trace.Branch
	if f.outer >= 0 {
		//mutant: any alternative counts [mixing]
		inReversal = f.alternatives[k] != s.frames[f.outer].alternatives[0]
	}
	ok := s.execute(f.g, f.choice(s, k), int32(i), inReversal)
	if ok {
		s.findReversals(k == f.endedAlternatives || s.Events[len(s.Events)-1].Op.Kind.Channels())
	}
	if i <= s.shared {
		s.worker.alternativeExecuted(i)
	}
	if ok {
		s.runToEnd(trace.NoGID, -1)
	}
}

// runToEnd is RunToEnd (line 10): it extends the execution to its end. Goroutine g moves
// first, unless it is disabled; h is the newest head of its operation.
//
// Order: eager reversals come before all steps; the end before the bound on
// steps, because an execution that ends with its last allowed step is complete. isEnabled(Cur) comes
// first because nearly always the goroutine that moved last can move.
func (s *searcher) runToEnd(g trace.GID, h int32) {
	for !s.Halted {
		if len(s.eager) > 0 {
			s.reverseEagerly(&reversing{running: true, g: g, h: h})
			continue
		}
		s.Stats.MaxDepth = max(s.Stats.MaxDepth, s.Began+len(s.Events))
		if !s.isEnabled(g) {
			g, h = trace.NoGID, -1
		}
		if g == trace.NoGID && !s.isEnabled(s.Cur) && len(s.enabled()) == 0 {
			if st := s.Sys.Status(); st != por.Running {
				s.endExecution(st) // line 19
			} else if s.apart != nil {
				s.endPart()
			}
			return
		}
		if n := s.Cfg.MaxSteps; n > 0 && s.Began+len(s.Events) >= n*(1+len(s.dropped)) {
			if s.cut(); s.Halted {
				return
			}
			continue
		}
		if s.OutOfExecutions() {
			return
		}
		if g == trace.NoGID {
			if g = s.pickEvent(); s.Lowers(g) && s.executeTail(g) { // line 12
				return
			}
		}
		if !s.executeNext(g, h) {
			return
		}
		g, h = trace.NoGID, -1
	}
}

// enabled returns the enabled goroutines that have not been dropped.
//
// If no goroutine has been dropped, the result is Execution's own list, which is valid until a goroutine
// moves.
func (s *searcher) enabled() []trace.GID {
	if len(s.dropped) == 0 && s.apart == nil {
		return s.Execution.Enabled()
	}
	s.scratch.enabled = append(s.scratch.enabled[:0], s.Execution.Enabled()...)
	s.scratch.enabled = slices.DeleteFunc(s.scratch.enabled, func(g trace.GID) bool { return s.isDropped(g) || s.hides(g) })
	return s.scratch.enabled
}

// isEnabled reports whether g is enabled and has not been dropped.
func (s *searcher) isEnabled(g trace.GID) bool {
	return g != trace.NoGID && s.Next(g).Alternatives > 0 && !s.isDropped(g) && !s.hides(g)
}

// pickEvent is the rule of line 12: the goroutine that moved last continues, or else the first enabled
// one is chosen. A goroutine that is about to call Done is chosen only if all others are about to do so,
// too (see tail.go); with an oracle, which has to be notified of every step, there are no tails.
//
// The theorem holds for every rule that depends only on the state and the events before
// it. With an oracle a goroutine is preferred that needs no frame.
func (s *searcher) pickEvent() trace.GID {
	first := s.Cur
	if !s.isEnabled(first) {
		first = s.enabled()[0]
	}
	if s.Cfg.Oracle == nil {
		return s.notLowering(first)
	}
	if !s.Cfg.AnyGoroutine {
		return first
	}
	enabled := s.enabled()
	for _, g := range enabled[:search.MostAsked(len(enabled))] {
		if g != first && s.persistent(g, s.Next(g)) {
			return g
		}
	}
	return first
}

// notLowering returns first, unless first is about to lower the counter of a WaitGroup. Then it
// returns the first enabled goroutine that is not about to do so, if there is one.
func (s *searcher) notLowering(first trace.GID) trace.GID {
	if s.Lowers(first) {
		for _, g := range s.enabled() {
			if !s.Lowers(g) {
				return g
			}
		}
	}
	return first
}

// executeNext is lines 13 to 18 for the pending operation x of g, whose newest head is h. It
// reports whether the execution continues.
//
// A frame is needed for two reasons: other prefixes, and alternatives. A Choose has alternatives,
// but no other prefixes.
func (s *searcher) executeNext(g trace.GID, h int32) bool {
	x := s.Next(g)
	choice, frame := 0, int32(-1)
	if persistent := s.persistent(g, x); !persistent || x.Alternatives != 1 {
		if s.division != nil && !s.decided {
			return s.divide()
		}
		choice = s.openFrame(g, h, x, persistent)
		frame = int32(len(s.frames) - 1)
	}
	if !s.execute(g, choice, frame, false) {
		return false
	}
	s.findReversals(true)
	return true
}

// persistent is the first half of line 14: it reports whether op, g's pending operation, is independent of
// all operations that other goroutines can execute before it. (So {g} is a persistent set, Godefroid 1996.)
//
// For an operation without accesses its kind is enough; for the others the oracle is queried.
func (s *searcher) persistent(g trace.GID, op *hb.NextOp) bool {
	if op.DependsOnAll {
		return false
	}
	if op.N == 0 {
		return s.Unobservable(op.Kind)
	}
	return s.OracleAllows(g, &op.Op)
}

// reportRace reports the data race of f's operation and q's pending one, if they race. Both are pending in
// the current state. For every two racing operations the search reaches a state in which one is chosen and
// the other can be in its prefix.
func (s *searcher) reportRace(f *frame, q trace.GID) {
	if a, b := s.Next(f.g), s.Next(q); a.Races(&b.Op) {
		s.ReportRace(&a.Op, &b.Op)
	}
}

// execute executes an alternative of g's operation: the one chosen in a frame, or (frame is -1)
// another. It reports whether the execution continues.
func (s *searcher) execute(g trace.GID, choice int, frame int32, inReversal bool) (continues bool) {
	if s.hides(g) { // a select that is not apart races with operations that are apart
		s.mixed, s.Halted = !s.Halted, true
		return false
	}
	s.Step(trace.Step{G: g, Choice: choice})
	s.inReversal = append(s.inReversal, inReversal)
	s.frameOf, s.prevHead = append(s.frameOf, frame), append(s.prevHead, -1)
	s.noteBranch()
	s.Halted = s.Halted || s.Unsupported
	switch {
	case s.Halted:
		return false
	case s.Events[len(s.Events)-1].EndsExecution:
		s.endExecution(s.Sys.Status())
		//mutant: nothing follows the end of the program [toySystems]: false
		return !s.Halted && s.continueWithout()
	}
	return true
}

// noteBranch notes whether the newest event is a branch (rule B), also if another worker has executed it:
// the candidates found after it are found again after its other outcomes.
func (s *searcher) noteBranch() {
	s.branched = s.branched || s.Events[len(s.Events)-1].Op.Kind == trace.Branch
}

// rewindTo goes back to the state of frame f.
//
// restore comes first, because it may replay events of the current execution, which Truncate removes.
func (s *searcher) rewindTo(f *frame) {
	s.restore(f)
	s.Truncate(f.depth)
	s.inReversal, s.frameOf, s.prevHead = s.inReversal[:f.depth], s.frameOf[:f.depth], s.prevHead[:f.depth]
	s.dropped = s.dropped[:f.numDropped]
}

// bytes returns the memory of events and frames. Closed frames keep their memory (pushFrame), so they
// count.
func (s *searcher) bytes() int64 {
	n := s.Bytes() + s.duplicates.Bytes() + s.suspended + s.division.bytes()
	for i := range s.frames[:cap(s.frames)] {
		n += s.frames[:cap(s.frames)][i].bytes()
	}
	return n
}

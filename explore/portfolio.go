package explore

import (
	"context"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/por"
)

// A Portfolio explores an entry with several explorers, because no explorer is the best for all
// programs. A search that stores no states is fast where few operations conflict. One that stores
// them is fast where many orders lead back to few states. Many bugs show in the first execution
// drawn at random.
//
//	1  the first search
//	2  as soon as it has worked aloneWork, or has given up: if its executions are long (see tooLong),
//	       it ends; then, on the same machine, the steps of portfolio_long.go, and line 1 again
//	   beside it all other searches, each on a machine of its own
//	3  as soon as one of them has worked enough to make the cost of random executions small:
//	       beside them the samples, each up to sampleWork, or without end if executions are long (see draws)
//	   as soon as one of them has worked so long that its end is not in sight:
//	       beside them one by increasing preemptions (see ladder)
//	4  the answer that took the least work
//
// An answer is a bug, or that everything is explored; a search that gives up has none. The measure
// is work (por.Stats.Work) and not time, so that the answer is the same on every machine. No work
// is done twice: the first search continues its work beside the others.
//
// Claim 1: line 4 does not depend on the speed of the searches. (1) The work of each search after
// each of its transitions does not depend on the others. Nor does the work at which it begins: line
// 2 determines it by the work of the first search, which has one worker until then. (2) A search is
// stopped only when it has worked more than one that has an answer. (3) So the search with the
// least work is never stopped, and every other one that is not stopped needs more.
//
// Claim 2: an answer counts as soon as it exists: when the others have worked a turn more (see
// portfolio_turns.go).
//
// With as many processors as searches, line 4 takes about as long as the best search. With one
// processor it takes twice as long as the first search, if that is the best.
type Portfolio struct {
	First    *Options  // a sample for programs with long executions; nil: none
	Samples  []Options // of explorers that sample
	Searches []Options // of explorers that can be exhaustive; at least one
	Graded   *Options  // the search to repeat with at most 0, 1, 2, ... preemptions; nil: none
}

// The costs of the phases of a portfolio, in work.
const (
	aloneWork  = 3_800  // of the first search before the others start; until then it has one worker
	drawnFrom  = 40_000 // of any search before the samples start
	sampleWork = 20_000 // each sample
)

// A Share is the work of one explorer of a portfolio.
type Share struct {
	POR   string
	Stats por.Stats
}

// portfolio is one exploration by a Portfolio.
type portfolio struct {
	ctx   context.Context
	entry Entry
	opts  *Options
	begin time.Time

	sampled uint64        // executions of samples
	drawn   bool          // the samples were executed before the searches
	cut     []Options     // samples that had more executions to draw
	worked  uint64        // work before the search that has the answer
	choices choices       // in samples
	longest int           // steps of the longest execution that has ended, if executions are long
	aimed   [][]por.Aimed // of samples: what became of Options.Targets
	shares  []Share       // of searches without an answer, if none has one

	mu     sync.Mutex
	best   uint64 // work of the search with the best answer so far
	winner int    // number of that search,
	bugs   int    // and number of its errors
	others bool   // the other searches have been started
	ended  []bool // by search
	slow   bool   // the first search (see portfolio_slow.go)
	turns  turns
	ladder ladder
	draws  draws
	start  uint64 // work of the others at their start
	size   uint64 // of the program
	done   chan *contender
}

// A contender is one of the searches of lines 1 to 3.
type contender struct {
	number int
	effort
	weight uint64 // of a step; 0: 1
	s      *exploration
	found  por.Result
	long   bool // it has ended because executions are long
	helped bool // the first search has several workers, or pieces elsewhere, once others run beside it
	err    error
	panics any // value of a panic of its goroutine: a mistake of hbcheck itself
}

// effort is the work of a contender. It is saved with its search.
type effort struct {
	start  uint64 // work of others when it began
	last   uint64 // work of the explorer that is running
	before uint64 // work of the explorers that fell back to it
	beside bool   // of the first search: others run beside it

	judged, slow bool // of the first search: see portfolio_slow.go
}

// options returns x with those options that the portfolio takes from the whole, not from its parts.
func (p *portfolio) options(x Options) Options {
	x.Portfolio, x.Ignores, x.Trace = nil, p.opts.Ignores, p.opts.Trace
	x.Targets = p.opts.Targets
	x.Progress, x.ProgressDue = p.opts.Progress, p.opts.ProgressDue
	x.Timeout, x.Share, x.spent = p.opts.Timeout, p.opts.Share, p.opts.spent
	x.awaitLoops, x.Known, x.Leaks, x.tolerated = p.opts.awaitLoops, p.opts.Known, p.opts.Leaks, p.opts.tolerated
	x.doubtsLeft = p.opts.doubtsLeft
	if long := muchLonger * p.longest; x.RaiseSteps && long > x.MaxSteps {
		x.MaxSteps = long
	}
	x.dive = max(por.LongPath, muchLonger*p.longest)
	return x
}

// runPortfolio is explore with opts.Portfolio.
func runPortfolio(ctx context.Context, e Entry, opts Options) (*Result, error) {
	p := &portfolio{ctx: ctx, entry: e, opts: &opts, begin: time.Now()}
	keep := opts.Keep
	if keep.has(longPhase) {
		keep = keep.fresh() // its decision is repeated
	}
	first := p.options(opts.Portfolio.Searches[0])
	helped := p.help(first)
	first.Jobs = 0
	s, err := p.prepare(keep, first, "0", nil)
	if err != nil {
		return nil, err
	}
	load := s.result.Stats.Load
	p.ctx = s.limit.ctx // all searches share one time
	defer s.limit.release()
	s, found, err := p.contest(&contender{s: s, helped: helped.Jobs > 1 || helped.sends()})
	if err == errLong {
		s, found, err = p.long(s, found)
	}
	if err != nil {
		return nil, err
	}
	s.settle()
	if err := s.finish(found); err != nil {
		return nil, err
	}
	s.begin = p.begin.Add(load)
	s.narrate()
	r := s.result
	r.Work = p.worked
	r.Auto, r.Sampled, r.Others, r.Stats.Load = true, p.sampled, p.shares, load
	r.Aimed = nil
	for _, a := range p.aimed {
		r.addAimed(p.opts.Targets, a)
	}
	p.grade(r)
	return r, nil
}

// help returns x, the options of the first search, with what others explore of it.
//
// Its pieces may be explored elsewhere. Those of the other searches may not: what stores states has no
// pieces, and samples and walks are stopped at a certain amount of work, which pieces reach in no order.
func (p *portfolio) help(x Options) Options {
	x.Jobs = p.opts.Portfolio.Searches[0].Jobs
	if x.phase = "0"; x.Jobs <= 1 {
		x.Elsewhere = p.opts.Elsewhere
	}
	return x
}

// interrupted returns why a portfolio that was interrupted while it drew executions is not
// exhaustive. The bounds of the sample are not among the reasons: the portfolio would not have
// ended with the sample.
func interrupted(list []por.Reason, why string) []por.Reason {
	list = slices.DeleteFunc(slices.Clone(list), func(r por.Reason) bool {
		switch r.Bound {
		case por.BoundSampled, por.BoundPreempt, por.BoundExecutions, por.BoundPoll:
			return true
		}
		return false
	})
	return append([]por.Reason{{Bound: por.BoundPoll, Text: why}}, list...)
}

// hasError reports whether the search has found a bug that is not a warning.
func (s *exploration) hasError() bool {
	return slices.ContainsFunc(s.collector.bugs, func(b *Bug) bool { return !b.Warning })
}

// answers reports whether found is an answer, so that no other explorer can have a better one.
func (s *exploration) answers(found *por.Result) bool {
	if found.Stopped && s.hasError() && !s.opts.All {
		return true
	}
	return len(found.Incomplete) == 0 && !found.Stopped && !s.limit.passed()
}

// stopAfter stops the search after the given work.
func (s *exploration) stopAfter(work uint64) { s.stopAfterSome(work, 0) }

// stopAfterSome stops the search after the given work, but not before it has that number of executions,
// unless that takes longWork.
func (s *exploration) stopAfterSome(work, executions uint64) {
	poll := s.cfg.Poll
	s.cfg.Poll = func(p por.Progress) string {
		if why := poll(p); why != "" {
			return why
		}
		if p.Work() >= work && (p.Executions >= executions || p.Work() >= longWork) {
			return "limit"
		}
		return ""
	}
}

// settle marks the ignore rules that the search has used.
func (s *exploration) settle() {
	for _, i := range s.collector.used {
		s.opts.Ignores[i].Used = true
	}
	s.collector.used, s.collector.inSubtree = nil, false
}

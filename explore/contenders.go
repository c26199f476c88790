package explore

import (
	"context"
	"hbcheck.dev/hbcheck/vm"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/por"
)

// This file has the searches of a portfolio, and the condition for an answer.

// The costs of the phases of a portfolio, in work.
const (
	aloneWork  = 3_800  // work of the first search before the others start; until then the first search has one worker
	drawnFrom  = 40_000 // work of any search before the samples start
	sampleWork = 20_000 // each sample
)

// portfolio is one exploration by a Portfolio.
type portfolio struct {
	ctx   context.Context
	entry Entry
	opts  *Options
	begin time.Time

	sampled uint64           // executions of samples
	drawn   bool             // the samples were executed before the searches
	cut     []Options        // samples that had more executions to draw
	worked  uint64           // work before the search that has the answer
	choices strategy.Choices // choices counted in samples
	longest int              // steps of the longest execution that has ended, if executions are long
	aimed   [][]por.Aimed    // by sample: the results for Options.Targets
	shares  []Share          // of each search, if none has an answer

	mu     sync.Mutex
	best   uint64 // work of the search with the best answer so far
	winner int    // number of the search with the best answer
	bugs   int    // number of errors that the winner found
	others bool   // the other searches have been started
	ended  []bool // by search: whether it has ended
	slow   bool   // the first search (see portfolio_slow.go)
	turns  *strategy.Turns
	ladder ladder
	draws  draws
	start  uint64 // work of the others at their start
	size   uint64 // of the program
	done   chan *contender
}

// A contender is one of the searches of lines 1 to 3 of Portfolio.
type contender struct {
	number int
	effort
	weight uint64 // weight of a step; 0: 1
	s      *exploration
	found  por.Result
	long   bool // the search has ended because executions are long
	helped bool // once others run beside it, the first search has several workers, or pieces elsewhere
	err    error
	panics any // value with which its goroutine has panicked: a mistake of hbcheck itself
}

// effort is the work of a contender. It is saved with its search.
type effort struct {
	start  uint64 // work of others when it began
	last   uint64 // work of the explorer that is running
	before uint64 // work of the explorers that fell back to it
	beside bool   // for the first search: other searches run beside it

	patient bool // for the first search: its executions were long when it had worked aloneWork

	judged, slow bool // for the first search: see portfolio_slow.go
}

// options returns x with the options that the portfolio takes from the whole exploration.
func (p *portfolio) options(x Options) Options {
	x.Portfolio, x.Ignores, x.Trace = nil, p.opts.Ignores, p.opts.Trace
	x.Targets = p.opts.Targets
	x.Progress, x.ProgressDue = p.opts.Progress, p.opts.ProgressDue
	x.Timeout, x.Share, x.spent = p.opts.Timeout, p.opts.Share, p.opts.spent
	//mutant: the searches of a portfolio have no time for initialisers [test ./explore TestInitialising]: remove
	x.Initialising = p.opts.Initialising
	x.awaitLoops, x.Known, x.Leaks, x.tolerated = p.opts.awaitLoops, p.opts.Known, p.opts.Leaks, p.opts.tolerated
	x.doubtsLeft = p.opts.doubtsLeft
	if long := muchLonger * p.longest; x.RaiseSteps && long > x.MaxSteps {
		x.MaxSteps = long
	}
	x.dive = max(por.LongPath, muchLonger*p.longest)
	return x
}

// help returns x, the options of the first search, changed so that other processes may explore pieces of
// it.
//
// The other searches have no pieces. Searches that store states cannot be cut. Samples and walks stop at an
// amount of work, and with pieces it would depend on the timing where that is.
func (p *portfolio) help(x Options) Options {
	x.Jobs = p.opts.Portfolio.Searches[0].Jobs
	if x.phase = "0"; x.Jobs <= 1 {
		x.Elsewhere = p.opts.Elsewhere
	}
	return x
}

// interrupted returns the reasons why a portfolio that was interrupted while it drew executions is
// not exhaustive. The bounds of the sample are not among them, because the portfolio would have
// continued after the sample.
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

// workLimit is the reason of a search that stopAfter has ended. No verdict has it.
const workLimit = "limit"

// outOfTime returns the reasons of a search that was ended by its work, or interrupted, after which time was
// up: why.
func outOfTime(list []por.Reason, samples bool, why string) []por.Reason {
	if samples {
		return interrupted(list, why)
	}
	list = slices.Clone(list)
	for i := range list {
		//mutant: a limit of work is a reason of the verdict [test ./explore TestOutOfTime]: "list[i].Text == workLimit" -> "false"
		if list[i].Text == workLimit {
			list[i].Text = why
		}
	}
	return list
}

// stopAfter stops the search after the given work.
func (s *exploration) stopAfter(work uint64) { s.stopAfterSome(work, 0) }

// stopAfterSome stops the search after the given work and number of executions, or after longWork.
func (s *exploration) stopAfterSome(work, executions uint64) {
	poll := s.cfg.Poll
	s.cfg.Poll = func(p por.Progress) string {
		if why := poll(p); why != "" {
			return why
		}
		if p.Work() >= work && (p.Executions >= executions || p.Work() >= longWork) {
			return workLimit
		}
		return ""
	}
}

// An execution is too long if it has more than muchLonger times the steps of the longest that has
// ended.
const muchLonger = 4

// delays reports whether time passes in the search while goroutines can run: clock reads are choices, or the
// moments at which timers are set are.
func (s *exploration) delays() bool {
	r := s.m.Refinement()
	return s.m.Slack() > 0 && (len(r.Jumps) > 0 || r.VisibleArming)
}

// assumingMore returns the searches that follow Portfolio.Whole, which was s:
//
//   - In the first one goroutines of libraries are prompt. It ends soon or not at all.
//   - If clock reads are choices in s, each of them doubles the executions. In the others, time passes only
//     while all goroutines wait. The first search of the portfolio is one of these: without delays it may
//     need few executions, and calls of libraries are interrupted in it.
func (p *portfolio) assumingMore(s *exploration) []Options {
	whole := *p.opts.Portfolio.Whole
	prompt := whole
	prompt.Prompt = true
	list := []Options{prompt}
	//mutant: time passes at clock reads in every search [test ./explore TestUndelayed]: "s.delays()" -> "false"
	if s.delays() {
		first := p.opts.Portfolio.Searches[0]
		first.Jobs = 0
		//mutant: without delays, too, calls of libraries are not interrupted [test ./explore TestUndelayed]: "first, " -> ""
		for _, x := range []Options{first, whole, prompt} {
			x.Undelayed = true
			list = append(list, x)
		}
	}
	return list
}

// assuming returns the entry and the options for one of these searches, on a machine like that of s.
func (p *portfolio) assuming(s *exploration, x Options) (Entry, Options) {
	e := p.entry
	if x.Undelayed {
		e.New = changed(s.m, vm.NoDelays)
	} else {
		e.New = changed(s.m, func(*vm.Config) {})
	}
	return e, p.options(x)
}

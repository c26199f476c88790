package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// prepare makes the machine and everything else that the search needs. The error is an *Illegal or
// the error of Entry.New.
func prepare(ctx context.Context, e Entry, opts Options) (*exploration, error) {
	begin := time.Now()
	l := &limit{ctx: ctx, timeout: opts.Timeout, share: opts.Share, spent: opts.spent, cuttable: true}
	now := l
	// A short share of the time would end before packages are initialised, in every attempt.
	//mutant: short shares do not suffice for initialisers [test ./explore TestInitialising]: "opts.Share && " -> "false && "
	if opts.Share && opts.Timeout > 0 && opts.Initialising > opts.Timeout-opts.spent {
		now = &limit{ctx: ctx, timeout: opts.Initialising, share: true, cuttable: true}
	}
	initialising := now
	//mutant: searches that share a time make their machines in it [test ./explore TestInitialisingRefined]: "outer(ctx)" -> "(*limit)(nil)"
	release := sync.OnceFunc(outer(ctx).hold())
	var entered time.Time
	m, err := e.New(func() bool {
		//mutant: the beginning of an entry is part of initialising its package [test ./explore TestBeginning]: "e.Source != nil" -> "false"
		if e.Source != nil && entered.IsZero() && e.Source.Entering() {
			entered, now = time.Now(), l // no other entry can use what the machine does from here on
			release()
		}
		now.start() // the machine executes already: it initialises packages, or begins the entry
		return now.interrupts()
	})
	release()
	if err != nil {
		initialising.release()
		l.release()
		return nil, err
	}
	if now != l && now.passed() {
		l = now
	} else if initialising != l {
		initialising.release()
	}
	l.start()
	s := &exploration{limit: l, m: m}
	s.result = &Result{Package: e.Package, Entry: e.Name}
	if entered.IsZero() {
		entered = time.Now()
	}
	s.result.Stats.Load = entered.Sub(begin)
	l.extra = max(0, opts.Initialising-s.result.Stats.Load)
	err = s.configure(opts)
	s.begin = entered
	return s, err
}

// again returns another exploration of the entry, on the same machine.
func (s *exploration) again(opts Options) (*exploration, error) {
	if s.broken {
		return nil, errBroken
	}
	s.limit.cuttable = true
	t := &exploration{limit: s.limit, m: s.m}
	t.result = &Result{Package: s.result.Package, Entry: s.result.Entry}
	t.before = s.collector.start
	return t, t.configure(opts)
}

// configure prepares the search according to opts.
func (s *exploration) configure(opts Options) error {
	s.sys = s.m
	if err := opts.Check(); err != nil {
		return err
	}
	if opts.Jobs > 1 && !opts.hasWorkers() {
		opts.Jobs = 1
	}
	s.opts = opts
	s.result.POR, s.result.Match, s.result.Hybrid, s.result.Jobs = opts.POR.Name, opts.Match, opts.kind(), opts.Jobs
	s.begin = time.Now()

	s.collector = newCollector(s.limit, s.m, opts)
	start := s.m.Counters().Instructions
	s.collector.start = tallyOf(s.m)
	s.collector.start.add(s.before) // the machine may have forgotten it
	s.collector.start.instructions = start
	s.cfg = opts.config()
	s.cfg.Describe = s.place
	if opts.POR.Samples {
		s.cfg.Targets = target.On(s.m, opts.Targets)
	}
	s.cfg.Create = func(dir, name string) (io.WriteCloser, error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		file := filepath.Join(dir, FileName(s.result.Entry)+"."+name)
		os.Remove(file) // do not follow a link
		return os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	s.poll()
	s.useFacts()
	if opts.Jobs > 1 {
		s.useWorkers()
	} else if opts.sends() {
		s.useElsewhere()
	}
	s.m.Await(opts.await())
	return s.keep(&opts)
}

// poll makes the search ask now and then whether to stop, and report its progress.
func (s *exploration) poll() {
	var sample *strategy.Estimate
	if s.opts.Progress != nil && s.opts.POR.OnePerClass {
		sample = strategy.NewEstimate(s.m, s.opts.await(), s.cfg, s.limit.ending)
	}
	s.cfg.Poll = func(p por.Progress) string {
		if s.opts.ProgressDue == nil || s.opts.ProgressDue() {
			sample.Update(&p)
		}
		s.limit.reserve(max(p.Depth, p.MaxDepth), p.Transitions, s.begin)
		if s.opts.Progress != nil {
			x := Progress{Progress: p, Bugs: s.collector.numErrors()}
			if s.result.Resumed != nil {
				x.Before = s.result.Resumed.Stats
			}
			s.opts.Progress(x)
		}
		return s.limit.reason()
	}
	s.cfg.Over = s.limit.ending
}

// useFacts gives the search an oracle, and the checks of its answers.
func (s *exploration) useFacts() {
	kind := s.factsKind()
	begin := time.Now()
	if kind != oracle.None {
		s.cfg.AnyGoroutine = true
		if s.opts.CheckStatic || s.opts.Explain != nil {
			s.cfg.Oracle = s.m.Oracle(kind, never) // checks and explanations need the oracle from the beginning of the search
		} else {
			s.lazy = oracle.NewLazy(s.limit.passed, func() por.Oracle { return s.m.Oracle(kind, s.limit.passed) })
			if s.opts.LazyAnalysis {
				s.lazy.Threshold, s.lazy.Thrifty = s.m.Cost(), true
			}
			s.cfg.Oracle = s.lazy
		}
	}
	if kind == oracle.Parts {
		s.cfg.Parts = s.m.Parts()
		if s.opts.LazyAnalysis {
			s.parts = oracle.ThriftyParts(s.cfg.Parts, partsFrom)
			s.cfg.Parts = s.parts
		}
	}
	if s.opts.CheckStatic {
		s.checked = s.m.Check(s.cfg.Oracle)
		s.sys = s.checked
		if s.cfg.Oracle != nil {
			s.cfg.Oracle = s.checked.Oracle(s.cfg.Oracle)
		}
		if s.cfg.Parts != nil {
			s.cfg.Parts = s.checked.Parts(s.cfg.Parts)
		}
	}
	if s.opts.Explain != nil {
		s.explains = oracle.NewExplainer(s.cfg.Oracle, kind, *s.opts.Explain, s.m.UserPos)
		s.cfg.Oracle = s.explains
	}
	if s.opts.CheckStatic || s.opts.Explain != nil {
		s.result.Stats.Static = time.Since(begin)
	}
}

// partsFrom is the number of questions without an answer before a search with a lazy analysis
// computes parts.
const partsFrom = 1000

func never() bool { return false }

// place returns the position of an operation, if the machine knows it.
func (s *exploration) place(op trace.Op) string {
	p := s.m.Pos(op)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// search runs the explorer. A mistake of hbcheck in it does not affect the bugs that have been found before.
func (s *exploration) search() (r por.Result) {
	defer func() {
		s.limit.cuttable = false
		x := recover()
		if x == nil {
			return
		}
		//mutant: a mistake of a search loses its bugs [test ./explore TestMistakeAfterBug]: "!s.hasError()" -> "!s.hasError() || x != nil"
		if !s.hasError() {
			panic(x)
		}
		s.broken = true
		s.result.mistake(x)
		r = por.Result{Stopped: true}
	}()
	if s.keeper == nil {
		return s.opts.POR.Explore(s.sys, s.collector, s.cfg)
	}
	defer func() {
		x := recover()
		switch err, ok := x.(*NotResumed); {
		case ok && (errors.Is(err, saved.ErrStopped) || errors.Is(err, vm.ErrStopped)):
			r = s.keeper.stopped()
			return
		case ok:
			s.failed = err
		case x != nil:
			s.keeper.done() // no other search shall wait for this one
			panic(x)
		}
		s.keeper.end(r)
	}()
	if s.keeper.from != nil {
		if found, over := s.keeper.resume(); over {
			return found
		}
	}
	return s.opts.POR.Explore(s.sys, s.collector, s.cfg)
}

// A Mistake is a mistake of hbcheck itself, found by a check of the options.
type Mistake struct {
	Static    error          // found by Options.CheckStatic, or nil
	Duplicate *por.Duplicate // found by Options.CheckDuplicates, or nil
}

func (e *Mistake) Error() string {
	if e.Static != nil {
		return "explore: static facts are wrong: " + e.Static.Error()
	}
	return fmt.Sprintf("explore: a class is explored twice: %v", e.Duplicate)
}

// finish fills in the result from the search. After a mistake of hbcheck here the result still has the
// bugs; the verdict rests on them alone.
func (s *exploration) finish(found por.Result) (err error) {
	defer func() {
		if x := recover(); x != nil && s.hasError() {
			s.result.mistake(x)
			s.result.Bugs, s.result.Verdict, err = s.collector.found(), Fail, nil
		} else if x != nil {
			panic(x)
		}
	}()
	if s.failed != nil {
		return s.failed
	}
	r, c := s.result, s.collector
	if s.lazy != nil {
		r.Stats.Static = s.lazy.Took
	}
	if s.explains != nil {
		r.Explained = s.explains.Explanations()
	}
	if s.checked != nil {
		if err := s.checked.Err(); err != nil {
			return &Mistake{Static: err}
		}
		r.Stats.Checked = &s.checked.Counts
	}
	if found.Duplicate != nil {
		return &Mistake{Duplicate: found.Duplicate}
	}
	if r.FallbackTo = found.FallbackTo; r.FallbackTo == "" {
		r.Equivalence = s.opts.POR.Equivalence
	}
	r.Stats.Stats = found.Stats
	r.addAimed(s.opts.Targets, found.Aimed)
	r.Stats.Counters = s.m.Counters()
	assumed := s.m.Assumed()
	if c.merged != nil {
		c.merged.end(s.m)
		r.Stats.Counters = describe.Counters{Instructions: c.merged.instructions, Goroutines: len(c.merged.existed)}
		assumed = c.merged.assumed.List
	}
	if found.Whole {
		assumed = append(slices.Clone(assumed), vm.Assumption{What: vm.CallsWhole})
		//mutant: goroutines of libraries wait for their turn [test ./explore TestPrompt]: "s.opts.Prompt" -> "false"
		if s.opts.Prompt {
			assumed = append(assumed, vm.Assumption{What: vm.LibrariesPrompt})
		}
	}
	if s.opts.Undelayed {
		//mutant: a search without delays is one with them [test ./explore TestUndelayed]: remove
		assumed = append(slices.Clone(assumed), vm.Assumption{What: vm.Undelayed})
	}
	isError := func(b *bug.Bug) bool { return !b.Warning }
	//mutant: a bug ends a search for all that begins again [test ./explore TestFiner]: "!s.opts.All && " -> ""
	r.FirstOnly = found.Stopped && !s.opts.All && !s.limit.passed() && slices.ContainsFunc(c.bugs, isError)
	r.LongLoops, r.Known = c.loops.List, c.accepted()
	for _, why := range found.Incomplete {
		ended := why.Bound == por.BoundSteps && s.opts.StopTruncated && len(r.LongLoops) > 0
		r.Incomplete = append(r.Incomplete, Reason{Cause: CauseBound, Bound: why, Ended: ended})
	}
	r.Incomplete = append(r.Incomplete, c.incomplete.List...)
	if c.supposed && found.Executions == 0 && len(r.Incomplete) == 0 {
		r.Incomplete = append(r.Incomplete, Reason{Cause: CauseImpossible})
	}
	s.cover(found.Stopped)
	s.finishTime()
	r.Assumed = slices.SortedFunc(slices.Values(assumed), func(a, b vm.Assumption) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Line-b.Pos.Line, int(a.What)-int(b.What))
	})
	for _, a := range r.Assumed {
		if !s.opts.Assume[a.What] {
			r.Incomplete = append(r.Incomplete, Reason{Cause: CauseAssumed, Assumption: a})
		}
	}
	r.Finals = slices.SortedFunc(maps.Keys(c.finals), func(a, b por.Hash) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	if !c.ran {
		r.NotRun = c.notRun
	}
	r.Subtests, r.Skipped = s.m.Subtests()
	r.SolverTrouble = s.m.SolverTrouble()
	r.Verdict = OK
	if len(r.Incomplete) > 0 {
		r.Verdict = Incomplete
	}
	if r.Bugs = append(c.found(), c.always()...); slices.ContainsFunc(r.Bugs, isError) {
		r.Verdict = Fail
	}
	return nil
}

// narrate simplifies the schedules of bugs, and describes them and those of outcomes step by step.
// When the exploration has to end, it uses only the existing records of the bugs.
func (s *exploration) narrate() {
	s.limit.early.Store(false)
	s.limit.narrating = true
	defer func() { s.limit.narrating = false }()
	if s.broken {
		for _, b := range s.result.Bugs {
			b.DescribeBriefly()
			b.Noted.Movers = nil
		}
		return
	}
	if len(s.result.Bugs)+len(s.collector.outcomes) > 0 {
		s.limit.extend()
	}
	budget := allBudget
	for _, b := range s.result.Bugs {
		if b.Loop >= 0 {
			s.m.Await(vm.AwaitNever)
		}
		budget -= s.narrateBug(b, min(bugBudget, budget))
		s.m.Await(s.opts.await())
	}
	s.m.Await(vm.AwaitNever)
	for _, o := range s.collector.outcomes {
		if s.limit.passed() || s.narrateOutcome(o) == schedule.ErrNoTime {
			break
		}
	}
	for _, o := range s.collector.outcomes {
		s.result.Outcomes = append(s.result.Outcomes, *o)
	}
	s.result.Stats.Explore = time.Since(s.begin)
}

// finishTime fills in the result's facts about time from the machine.
func (s *exploration) finishTime() {
	r, m := s.result, s.m
	r.Modes, r.Slack, r.InputLen, r.Refinement, r.Initialisers = m.Modes(), m.Slack(), m.InputLen(), m.Refinement(), m.ExploresInitialisers()
	r.again = s.refinement()
	r.again.with = func(change func(*vm.Config)) func(interrupted func() bool) (describe.Machine, error) {
		return changed(m, change)
	}
}

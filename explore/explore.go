package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Entry is one program to explore.
type Entry struct {
	Package string // import path
	Name    string // function
	// New makes a machine that stands in the entry's initial state. In a step
	// that takes long the machine asks interrupted whether to cut the execution.
	New func(interrupted func() bool) (Machine, error)
}

// Options say how to explore. The zero value explores everything with no
// reduction and without storing states, stops at the first bug, and never
// gives up.
type Options struct {
	POR             *por.Explorer // with its own options
	Match           bool
	Hybrid          oracle.Kind   // "": none
	Patient         bool          // analyse the program only when the search has become longer than that takes
	All             bool          // go on after the first bug
	CheckStatic     bool          // compare what the machine does with what static analyses say; see check.Machine
	CheckDuplicates bool          // see por.Config.CheckDuplicates
	Jobs            int           // workers; 0: one
	Explain         *oracle.Place // collect Result.Explained for this place
	Outcomes        bool          // collect Result.Outcomes
	Finals          bool          // collect Result.Finals
	MaxExecs        uint64
	MaxSteps        int
	StopTruncated   bool // end the search with the first execution of more than MaxSteps
	MaxStates       uint64
	MaxMemory       int64
	LimitPreempt    bool
	Preempt         int
	Seed            uint64 // of explorers that sample
	// AllowLeak, if set, accepts goroutines that are left behind when one of
	// the functions on their stack matches.
	AllowLeak *regexp.Regexp
	// Ignores accept bugs; those that did are marked.
	Ignores []*Ignore
	// NoMinimise keeps the schedules as they were found.
	NoMinimise bool
	// Progress, if set, is called now and then.
	Progress func(Progress)

	_ struct{}
}

// Progress is a look at a running exploration.
type Progress struct {
	por.Progress
	Bugs int
}

// Run explores one entry. It stops early, with an incomplete result, when ctx
// is done; the cause of ctx is the reason given. An error means that the entry
// could not be explored at all.
func Run(ctx context.Context, e Entry, opts Options) (*Result, error) {
	begin := time.Now()
	searching := true // what comes after the search is not interrupted
	m, err := e.New(func() bool { return searching && ctx.Err() != nil })
	if err != nil {
		return nil, err
	}
	r := &Result{Package: e.Package, Entry: e.Name, POR: opts.POR.Name, Match: opts.Match, Hybrid: cmp.Or(opts.Hybrid, oracle.None)}
	r.Stats.Load = time.Since(begin)
	begin = time.Now()

	c := newCollector(ctx, m, opts)
	cfg := opts.config()
	sample := newEstimate(m, &opts, cfg)
	cfg.Poll = func(p por.Progress) string {
		if sample.update(&p); opts.Progress != nil {
			opts.Progress(Progress{p, len(c.bugs)})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx).Error()
		}
		return ""
	}
	var late *oracle.Lazy
	if opts.Hybrid != "" && opts.Hybrid != oracle.None {
		h, ok := m.(hybridMachine)
		if !ok {
			return nil, fmt.Errorf("--hybrid %s: this machine knows no static facts", opts.Hybrid)
		}
		if opts.CheckStatic || opts.Explain != nil {
			begin := time.Now()
			cfg.Oracle = h.oracle(opts.Hybrid)
			r.Stats.Static = time.Since(begin)
		} else {
			late = oracle.NewLazy(func() por.Oracle { return h.oracle(opts.Hybrid) })
			if opts.Patient {
				late.Threshold = h.patience()
			}
			cfg.Oracle = late
		}
		cfg.AnyGoroutine = true
	}
	if err := opts.jobs(m, c, &cfg); err != nil {
		return nil, err
	}
	cfg.Describe = func(op trace.Op) string { return operationPlace(m, op) }
	cfg.Create = func(dir, name string) (io.WriteCloser, error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		return os.Create(filepath.Join(dir, strings.ReplaceAll(e.Name, "/", "_")+"."+name))
	}
	var sys por.System = m
	var checked *check.Machine
	if opts.CheckStatic {
		h, ok := m.(staticChecker)
		if !ok {
			return nil, errors.New("--check-static: this machine knows no static facts")
		}
		begin := time.Now()
		checked = h.checkStatic(cfg.Oracle)
		r.Stats.Static += time.Since(begin)
		sys = checked
		if cfg.Oracle != nil {
			cfg.Oracle = checked.Oracle(cfg.Oracle)
		}
	}
	var why *oracle.Explainer
	if x, ok := m.(*machine); ok && opts.Explain != nil && cfg.Oracle != nil {
		why = oracle.NewExplainer(cfg.Oracle, opts.Hybrid, *opts.Explain, x.position)
		cfg.Oracle = why
	}
	awaits, _ := m.(awaiter)
	if awaits != nil {
		awaits.Await(opts.await())
	}
	found := opts.POR.Explore(sys, c, cfg)
	if late != nil {
		r.Stats.Static = late.Took
	}
	if why != nil {
		r.Explained = why.Explanations()
	}
	if checked != nil {
		if err := checked.Err(); err != nil {
			return nil, fmt.Errorf("BUG: --check-static: %v", err)
		}
		r.Stats.Checked = &checked.Counts
	}
	if d := found.Duplicate; d != nil {
		return nil, fmt.Errorf("BUG: --check-duplicates: %v", d)
	}
	searching = false
	if r.LeftTo = found.FallbackTo; r.LeftTo == "" {
		r.Equivalence = opts.POR.Equivalence
	}
	r.Stats.Stats = found.Stats
	r.Stats.Counters = m.Counters()
	sampled := m.Ending().Sampled
	if c.sums != nil {
		c.sums.end(m.(twin))
		r.Stats.Counters = Counters{Instructions: c.sums.instructions, Goroutines: len(c.sums.met)}
		sampled = c.sums.sampled.list
	}
	r.FirstOnly = found.Stopped && ctx.Err() == nil && len(c.bugs) > 0
	for _, why := range found.Incomplete {
		text := why.String()
		if why.Bound == por.BoundSteps && len(c.loops.list) > 0 {
			if opts.StopTruncated {
				text += ", which ended the search"
			}
			text += ": " + strings.Join(c.loops.list, ", ")
		}
		r.Incomplete = append(r.Incomplete, text)
	}
	for _, s := range sampled {
		c.incomplete.add(s)
	}
	r.Incomplete = append(r.Incomplete, c.incomplete.list...)

	budget := allBudget
	for _, b := range c.bugs {
		if awaits != nil && b.Loop >= 0 {
			awaits.Await(vm.AwaitNever)
		}
		// Who has interrupted the search wants to see what there is.
		if n := min(bugBudget, budget); !opts.NoMinimise && n > 0 && ctx.Err() == nil {
			budget -= minimise(m, b, opts, n)
		}
		if awaits != nil {
			awaits.Await(vm.AwaitNever)
		}
		if err := tell(m, b); err != nil {
			panic(fmt.Sprintf("BUG: the schedule of %v %q at %v cannot be repeated: %v", b.Kind, b.Message, b.Pos, err))
		}
		if awaits != nil {
			awaits.Await(opts.await())
		}
	}
	if awaits != nil {
		awaits.Await(vm.AwaitNever)
	}
	r.Bugs = c.bugs
	for _, o := range c.outcomes {
		if o.Events, err = Tell(m, o.Schedule); err != nil {
			panic(fmt.Sprintf("BUG: the schedule of outcome %q cannot be repeated: %v", o.Output, err))
		}
		r.Outcomes = append(r.Outcomes, *o)
	}
	r.Finals = slices.SortedFunc(maps.Keys(c.finals), func(a, b por.Hash) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	switch {
	case len(r.Bugs) > 0:
		r.Verdict = Fail
	case len(r.Incomplete) > 0:
		r.Verdict = Incomplete
	default:
		r.Verdict = OK
	}
	r.Stats.Explore = time.Since(begin)
	return r, nil
}

// hybridMachine is a machine that can be asked by static analyses.
type hybridMachine interface {
	oracle(k oracle.Kind) por.Oracle
	// patience is how many choices cost about as much as the analysis.
	patience() int
}

// staticChecker is a machine that can be compared with static analyses.
type staticChecker interface {
	checkStatic(o por.Oracle) *check.Machine
}

// An awaiter is a machine that can leave out iterations of loops that wait.
type awaiter interface {
	Await(vm.Await)
	SpinSchedule() trace.Schedule
}

// await returns what becomes of loops that wait. Where states are matched they are found to lead back.
func (o *Options) await() vm.Await {
	switch {
	case o.Match, o.POR.NoAwaits:
		return vm.AwaitNever
	case o.POR.Samples:
		return vm.AwaitChange
	}
	return vm.AwaitOnce
}

// operationPlace names where an operation is, if m can tell.
func operationPlace(m Machine, op trace.Op) string {
	if x, ok := m.(*machine); ok {
		p := x.Pos(op)
		return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
	}
	return ""
}

// config translates what concerns the explorer.
func (o *Options) config() por.Config {
	return por.Config{
		Match: o.Match, MaxExecutions: o.MaxExecs, MaxSteps: o.MaxSteps, MaxStates: o.MaxStates, MaxMemory: o.MaxMemory,
		LimitPreempt: o.LimitPreempt, Preempt: o.Preempt, Seed: o.Seed, IgnoreOutput: !o.Outcomes,
		CheckDuplicates: o.CheckDuplicates,
	}
}

// collector is the visitor of the main search.
type collector struct {
	ctx  context.Context
	m    Machine
	opts Options

	bugs  []*Bug
	known map[key]bool
	races map[RaceID]bool // that have been described

	outcomes []*Outcome
	index    map[outcomeKey]*Outcome
	finals   map[por.Hash]bool

	incomplete orderedSet
	loops      orderedSet

	apart bool  // it is that of a part,
	used  []int // and these of Options.Ignores have accepted something
	sums  *sums // nil: there are no parts
}

// mostLoops is how many loops that go on for too long are told of.
const mostLoops = 3

type outcomeKey struct{ output, ending string }

// orderedSet is a set of strings in the order of their arrival.
type orderedSet struct {
	list []string
	seen map[string]bool
}

func (s *orderedSet) add(x string) {
	if !s.seen[x] {
		if s.seen == nil {
			s.seen = make(map[string]bool)
		}
		s.seen[x] = true
		s.list = append(s.list, x)
	}
}

func newCollector(ctx context.Context, m Machine, opts Options) *collector {
	return &collector{ctx: ctx, m: m, opts: opts, known: make(map[key]bool), races: make(map[RaceID]bool), index: make(map[outcomeKey]*Outcome),
		finals: make(map[por.Hash]bool)}
}

// add takes a bug unless it is known, and returns whether to go on.
func (c *collector) add(b *Bug, path trace.Schedule) bool {
	if c.known[b.key()] {
		return true
	}
	c.known[b.key()] = true
	if i := slices.IndexFunc(c.opts.Ignores, func(ig *Ignore) bool { return ig.accepts(b) }); i >= 0 {
		if c.apart {
			c.used = append(c.used, i)
		} else {
			c.opts.Ignores[i].Used = true
		}
		return true
	}
	b.Schedule = append(trace.Schedule(nil), path...)
	c.bugs = append(c.bugs, b)
	return c.opts.All
}

// Leaf implements por.Visitor.
func (c *collector) Leaf(path trace.Schedule, status por.Status) bool {
	if status == por.Running {
		c.cut(path)
		return !c.opts.StopTruncated
	}
	end := c.m.Ending()
	if status == por.Cut {
		switch {
		case c.ctx.Err() != nil: // the machine was in a long stretch without a step
			c.incomplete.add(context.Cause(c.ctx).Error())
			return false
		case end.Unsupported != "":
			c.incomplete.add(end.Unsupported)
		}
		return true
	}
	if w, ok := c.m.(awaiter); ok && status == por.Stuck {
		if loop := w.SpinSchedule(); len(loop) > 0 {
			return c.Livelock(slices.Concat(path, loop), len(path))
		}
	}
	if c.opts.Finals {
		c.finals[c.m.Hash()] = true
	}
	bugs, ending := leafBugs(c.m, status, end, c.opts.AllowLeak)
	if c.opts.Outcomes {
		c.outcome(path, string(end.Output), ending)
	}
	for _, b := range bugs {
		if !c.add(b, path) {
			return false
		}
	}
	return true
}

// cut notes where the goroutine that moved most was when the bound on steps
// cut the execution: in the loop that goes on too long, if there is one. The
// explorer tells of the bound.
func (c *collector) cut(path trace.Schedule) {
	if len(path) == 0 || len(c.loops.list) == mostLoops {
		return
	}
	moves := make(map[trace.GID]int)
	busy := path[len(path)-1].G
	for _, a := range path[max(0, len(path)-1000):] {
		if moves[a.G]++; moves[a.G] > moves[busy] {
			busy = a.G
		}
	}
	e := c.m.Describe(busy)
	if x, ok := c.m.(interface {
		Loop(trace.GID) (token.Position, bool)
	}); ok {
		if pos, ok := x.Loop(busy); ok {
			c.loops.add(fmt.Sprintf("%s was then in the loop at %s:%d", e.Name, filepath.Base(pos.Filename), pos.Line))
			return
		}
	}
	c.loops.add(fmt.Sprintf("%s was then in %s at %s:%d", e.Name, ShortFunc(e.Func), filepath.Base(e.Pos.Filename), e.Pos.Line))
}

// outcome counts an execution under what it printed and how it ended.
func (c *collector) outcome(path trace.Schedule, output, ending string) {
	c.count(Outcome{Output: output, Ending: ending, Count: 1, Schedule: path})
}

// count adds o to the outcomes.
func (c *collector) count(x Outcome) {
	k := outcomeKey{x.Output, x.Ending}
	o := c.index[k]
	if o == nil {
		o = &Outcome{Output: x.Output, Ending: x.Ending, Schedule: append(trace.Schedule(nil), x.Schedule...)}
		c.index[k] = o
		c.outcomes = append(c.outcomes, o)
	}
	o.Count += x.Count
}

// Race implements por.Visitor.
func (c *collector) Race(path trace.Schedule, a, b trace.Op) bool {
	return c.add(raceBug(c.m, a, b), path)
}

// Raced implements por.RaceVisitor.
func (c *collector) Raced(path trace.Schedule) bool {
	for _, b := range finished(c.m, c.races) {
		if !c.add(b, path) {
			return false
		}
	}
	return true
}

// Livelock implements por.Visitor.
func (c *collector) Livelock(path trace.Schedule, loop int) bool {
	b := livelockBug(c.m, path, loop, c.opts.AllowLeak)
	if b == nil {
		return true
	}
	if t, ok := c.m.(clockReader); ok && t.ClockStep() > loop {
		// Time passes outside, and the loop ends.
		c.incomplete.add(fmt.Sprintf("the loop at %s:%d iterates until time has passed, which it does here only if a goroutine sleeps",
			filepath.Base(b.Pos.Filename), b.Pos.Line))
		return true
	}
	b.Loop = loop
	return c.add(b, path)
}

// A clockReader knows the last step of the path, counted from 1, that has read
// the clock.
type clockReader interface{ ClockStep() int }

// Restart implements por.Visitor: outcomes will be counted again.
func (c *collector) Restart() {
	c.outcomes, c.index = nil, make(map[outcomeKey]*Outcome)
	if c.sums != nil {
		c.sums.restart(c.m.(twin))
	}
}

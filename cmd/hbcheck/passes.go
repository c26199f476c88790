package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/internal/verdicts"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// firstTime is the time for each entry in the passes before the last one. Tests change it.
var firstTime = 2 * time.Second

const (
	glances   = 4                      // the first pass takes firstTime/glances
	leastTime = 100 * time.Millisecond // even if the budget is used up

	mostInitialising = 10 * time.Second // for initialising the packages of one package's entries, besides the entries' shares
	mostPairs        = 3                // number of unexplored pairs that are named
)

// A wholeRun explores entries in three passes, several of them at the same time. In the first pass each
// gets half a second, so that most bugs and proofs of a repository appear within a minute. Undecided
// entries get firstTime in the second pass, and share the rest of the budget in the third; each pass
// restarts them. The results of a pass are written in the order of the entries, after those of the pass
// before.
type wholeRun struct {
	f       *exploreFlags
	cmd     *cobra.Command
	opts    explore.Options
	dirs    *directives
	mem     *verdictCache
	sv      *saves
	w       report.Writer
	files   *replayFiles
	workers int          // entries that are explored at the same time
	one     bool         // there is one entry
	remote  *coordinator // nil: this process explores all
	entries []explore.Entry
	listing *load.Listing

	code  int
	notOK map[[2]string]bool // package and name
	apart []string           // pairs of tests that were not explored, with reasons

	mu         sync.Mutex // guards the fields below, mem and sv
	progress   *report.Progress
	tally      tally
	running    []begun                  // entries in the order in which they began
	loading    map[string]time.Duration // by package: the time spent on making machines for its entries
	loadingAll time.Duration

	loadedUntil map[string]time.Time // by package: when the last machine for its entries was made
}

// begun is an entry that is being explored.
type begun struct {
	entry *explore.Entry
	at    time.Time
}

// An attempt is one exploration of an entry, with the data for handling its result.
type attempt struct {
	entry   *explore.Entry
	skipped bool   // the run was interrupted before the entry
	beside  string // a test of the pair that is not ok alone, which is why the pair was not explored
	late    bool   // more time, or fewer entries at the same time, could change the result
	result  *explore.Result
	err     error
	cached  bool
	keep    *explore.Keep
	flags   *exploreFlags     // of this entry
	ignores []*ignore.Comment // a copy of the run's comments; the used ones are marked
}

// exploreAll explores the entries until it is interrupted, and returns the exit code. An entry that cannot
// be explored, or a replay file that cannot be written, does not affect other entries.
func (f *exploreFlags) exploreAll(cmd *cobra.Command, entries []explore.Entry, opts explore.Options, dirs *directives,
	mem *verdictCache, sv *saves, w report.Writer, files *replayFiles, listing *load.Listing, remote *coordinator) (code int, err error) {
	stop, release := interrupts(cmd.Context(), true)
	defer release()
	defer tellWaiting(stop, cmd.ErrOrStderr())()
	defer sv.close()
	defer pace(explorePercent)()
	x := &wholeRun{f: f, cmd: cmd, opts: opts, dirs: dirs, mem: mem, sv: sv, w: w, files: files, progress: newProgress(cmd),
		workers: f.atOnce(len(entries)), one: len(entries) == 1, entries: entries, listing: listing, remote: remote, code: exitOK, notOK: make(map[[2]string]bool),
		loading: make(map[string]time.Duration), loadedUntil: make(map[string]time.Time)}
	if remote != nil {
		if err := remote.start(x, cmd, entries); err != nil {
			return exitUsage, err
		}
		x.workers = len(entries)
		x.progress.Start("")
		defer x.follow()()
	}
	end := time.Now().Add(f.budget)
	passes := []time.Duration{0} // the last pass has the rest of the time
	if len(entries) > 1 && !f.resume && f.traceSearch == "" {
		passes = []time.Duration{firstTime / glances, firstTime, 0}
	}
	todo := make([]attempt, len(entries))
	for i := range entries {
		todo[i].entry = &entries[i]
	}
	x.tally.accept = f.accept
	if x.tally.passes = len(passes); len(entries) > 1 && remote == nil {
		if f.budget > 0 {
			x.tally.end = end
		}
		x.progress.Run = func() string { return x.tally.line(time.Now()) }
	}
	left := 0
	enough := time.Duration(0) // twice the time of the pass before; with less time an entry would begin again without a gain
	for _, share := range passes {
		var late []attempt
		x.count(func() { x.tally.begin(len(todo)) })
		after := x.choose(todo, end, enough)
		enough = 2 * share
		q := &queue{
			group: func(i int) string { return todo[i].entry.Package },
			after: func(i int) bool { return len(todo[i].entry.Together) > 0 },
		}
		err = inOrder(x.workers, len(todo), q, func(i int, before func()) attempt {
			u := todo[i]
			if len(u.entry.Together) > 0 {
				before() // the results of its two tests decide whether the pair is explored
			}
			bound := time.Duration(0) // 0: the bound is that of the flags
			switch {
			//mutant: entries begin though the budget is used up [test ./cmd/hbcheck TestScripts/budgets]: "|| x.usedUp(end)" -> ""
			case (stop.Err() != nil || x.usedUp(end)) && u.result == nil:
				return attempt{entry: u.entry, skipped: true}
			case stop.Err() != nil:
				return u
			case share > 0 && len(u.entry.Together) > 0 && besideLate(u.entry, late):
				return attempt{entry: u.entry, late: true}
			case u.result != nil && (after[i] == after[i+1] || x.usedUp(end)):
				u.late = share > 0
				return u
			case share > 0:
				return x.attempt(stop, u.entry, f.earlyShare(share, end, x.capacity(), after[i]),
					x.initialising(u.entry, end, after[i]), false, u.result)
			case f.budget > 0 && len(entries) > 1:
				bound = max(1, time.Until(end)*time.Duration(min(x.capacity(), after[i]))/time.Duration(after[i]))
			}
			if u.late = false; u.result != nil && bound > 0 && bound <= firstTime {
				return u
			}
			return x.attempt(stop, u.entry, bound, x.initialising(u.entry, end, after[i]), true, u.result)
		}, func(i int, a attempt) error {
			x.count(func() { x.tally.add(&a) })
			switch {
			case a.skipped:
				left++
			case a.late:
				late = append(late, a)
			default:
				return x.done(a)
			}
			return nil
		})
		if err != nil {
			return x.code, err
		}
		todo = late
	}
	// If the run was interrupted, late entries keep their results.
	for _, a := range todo {
		if err := x.done(a); err != nil {
			return x.code, err
		}
	}
	if remote != nil {
		remote.complete = stop.Err() == nil
	}
	if n := len(x.apart); n > mostPairs && !f.verbose {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d pairs of parallel tests not explored, because one of the two alone is not ok\n", n)
	} else {
		for _, why := range x.apart {
			fmt.Fprintln(cmd.ErrOrStderr(), why)
		}
	}
	if left > 0 {
		text := "interrupted: %d of %d entries not explored\n"
		if stop.Err() == nil {
			text = "the time for all entries (--budget) is used up: %d of %d not explored\n"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), text, left, len(entries))
		x.code = worse(x.code, explore.Incomplete)
	} else if stop.Err() != nil {
		x.code = worse(x.code, explore.Incomplete)
	}
	return x.code, nil
}

// usedUp reports whether the time for all entries, until end, is used up.
func (x *wholeRun) usedUp(end time.Time) bool {
	return x.f.budget > 0 && len(x.entries) > 1 && time.Now().After(end)
}

// besideLate reports whether e, a pair of tests, has one of late. The caller has waited for all entries
// before e, so late does not change.
func besideLate(e *explore.Entry, late []attempt) bool {
	return slices.ContainsFunc(late, func(a attempt) bool {
		return e.Package == a.entry.Package && slices.Contains(e.Together, a.entry.Name)
	})
}

// atOnce returns how many of n entries are explored at the same time: one with options about a single
// search.
func (f *exploreFlags) atOnce(n int) int {
	if f.jobs > 1 || f.resume || f.traceSearch != "" || f.explain != "" {
		return 1
	}
	return max(1, min(f.parallel, n))
}

// options returns the options and the flags of an entry, which may have directives.
func (x *wholeRun) options(e *explore.Entry) (own explore.Options, flags *exploreFlags, err error) {
	own, flags = x.opts, x.dirs.flags(x.f, e.Source)
	if flags != x.f {
		if own, _, err = flags.options(); err != nil {
			return own, flags, err
		}
		own.Trace = x.opts.Trace
	}
	own.Ignores = nil
	for _, ig := range x.opts.Ignores {
		c := *ig
		c.Used = false
		own.Ignores = append(own.Ignores, &c)
	}
	if x.f.known != nil {
		own.Known = x.f.known.accept(e)
	}
	own.Progress = func(p explore.Progress) { x.show(e, func() { x.progress.Update(p) }) }
	own.ProgressDue = func() (due bool) {
		x.show(e, func() { due = x.progress.Due() })
		return due
	}
	return own, flags, nil
}

// show calls f if the progress of e is shown. The progress is that of the entry that has been explored for
// the longest time.
func (x *wholeRun) show(e *explore.Entry, f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.running[0].entry == e {
		f()
	}
}

// capacity returns the number of entries that are explored at the same time.
func (x *wholeRun) capacity() int {
	if x.remote != nil {
		return x.remote.capacity()
	}
	return x.workers
}

// follow shows the progress of workers, until the function it returns is called.
func (x *wholeRun) follow() (stop func()) {
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Millisecond):
				x.mu.Lock()
				x.remote.progress(x.progress)
				x.mu.Unlock()
			}
		}
	}()
	return func() { close(ended) }
}

// begin records that e is being explored, and end that it no longer is.
func (x *wholeRun) begin(e *explore.Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running = append(x.running, begun{e, time.Now()})
	if len(x.running) == 1 && x.remote == nil {
		x.progress.Start(e.Name)
	}
}

func (x *wholeRun) end(e *explore.Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.IndexFunc(x.running, func(b begun) bool { return b.entry == e })
	x.running = slices.Delete(x.running, i, i+1)
	if i == 0 && x.remote == nil {
		x.progress.Clear()
		if len(x.running) > 0 {
			x.progress.Switch(x.running[0].entry.Name, x.running[0].at)
		}
	}
}

// attempt explores an entry for at most the time bound, if that is not 0. A result that more time
// could change is late, unless this attempt is final; a bug that may turn out to be a warning is
// such a result. earlier is the result of an earlier attempt, or nil: its bug is not lost if this
// attempt decides nothing.
func (x *wholeRun) attempt(stop context.Context, e *explore.Entry, bound, initialising time.Duration, final bool, earlier *explore.Result) (a attempt) {
	a.entry = e
	defer func() {
		//mutant: a mistake beside an exploration ends the process [test ./cmd/hbcheck TestMistakes]: remove
		a.mistaken(recover())
	}()
	// Two tests are explored together only if each alone is ok. Otherwise the bug would be reported again,
	// or the pair would take even longer.
	if k := slices.IndexFunc(e.Together, func(name string) bool { return x.notOK[[2]string{e.Package, name}] }); k >= 0 {
		a.beside = e.Together[k]
		return a
	}
	var own explore.Options
	if own, a.flags, a.err = x.options(e); a.err != nil {
		return a
	}
	a.ignores = own.Ignores
	final = final || own.Timeout > 0 && own.Timeout <= bound
	if bound > 0 && (own.Timeout == 0 || bound < own.Timeout) {
		own.Timeout, own.Share, own.Initialising = bound, true, initialising
	}
	if x.recall(&a, final); a.cached {
		return a
	}
	own.Keep = a.keep
	begin := time.Now()
	x.begin(e)
	defer x.end(e)
	var crowded bool
	done := false
	if x.remote != nil {
		crowded, done = x.elsewhere(stop, &a, bound, initialising, final, earlier)
		own.Elsewhere = withoutHelp{} // gives the same counts as the exploration by a worker
	}
	if !done {
		a.result, crowded, a.err = x.perform(stop, e, own, a.flags, final, earlier)
		x.remember(e)
	}
	if a.err != nil || a.skipped {
		return a
	}
	x.loaded(&a, begin)
	a.late = !final && (a.result.TimedOut() || crowded) && stop.Err() == nil
	a.result = kept(earlier, a.result)
	return a
}

// mistaken makes p the error of a, if p is not nil: the value of a panic of the caller.
func (a *attempt) mistaken(p any) {
	if p != nil {
		a.result, a.late, a.err = nil, false, internalError{p, debug.Stack()}
	}
}

// recall sets a's result if it is cached. Otherwise, if the attempt is the last one, it sets the place
// where the searches are saved.
func (x *wholeRun) recall(a *attempt, final bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if a.result, a.cached = x.mem.recall(verdicts.Name{Package: a.entry.Package, Entry: a.entry.Name}); !a.cached && final {
		a.keep = x.sv.keep(a.entry, x.files.paths.Base)
	}
}

// kept returns the result to keep, r or the earlier result, which may be nil. The earlier one is
// kept if it has a bug and r decides nothing, or if it has executions and no execution has ended in
// r.
func kept(earlier, r *explore.Result) *explore.Result {
	//mutant: a bug of the first pass is lost [test ./cmd/hbcheck TestKept]: "earlier.Verdict == explore.Fail" -> "false"
	if earlier != nil && earlier.Verdict == explore.Fail && r.Verdict == explore.Incomplete {
		return earlier
	}
	//mutant: executions of the first pass are lost [test ./cmd/hbcheck TestKept]: "r.SaysLessThan(earlier)" -> "false"
	if earlier != nil && r.SaysLessThan(earlier) {
		return earlier
	}
	return r
}

// done writes the result of an attempt. A mistake of hbcheck's own there does not affect other attempts.
func (x *wholeRun) done(a attempt) (err error) {
	e, stderr := a.entry, x.cmd.ErrOrStderr()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.progress.Clear()
	defer func() {
		if p := recover(); p != nil {
			complain(stderr, fmt.Errorf("%s.%s: %w", e.Package, e.Name, internalError{p, debug.Stack()}))
			x.code, err = exitUsage, x.w.Failed(e.Package, e.Name, "internal error")
		}
	}()
	name := [2]string{e.Package, e.Name}
	if a.beside != "" {
		x.apart = append(x.apart, fmt.Sprintf("%s.%s: not explored, because %s alone is not ok", e.Package, e.Name, a.beside))
		return nil
	}
	if a.err != nil {
		complain(stderr, fmt.Errorf("%s.%s: %s", e.Package, e.Name, report.Error(a.err)))
		x.code = exitUsage
		x.notOK[name] = true
		return x.w.Failed(e.Package, e.Name, report.Error(a.err))
	}
	r := a.result
	if a.cached {
		x.mem.took(verdicts.Name{Package: e.Package, Entry: e.Name})
	} else {
		if used(a.ignores) == 0 {
			x.mem.keep(e, r)
		}
		for i, ig := range a.ignores {
			x.opts.Ignores[i].Used = x.opts.Ignores[i].Used || ig.Used
		}
		x.sv.reportSaved(a.keep, r)
	}
	x.f.accept(r)
	x.files.flags = a.flags
	if a.cached && roundOf(x.cmd).leavesOut() {
		return nil
	}
	if err := x.w.Result(r, x.files.write(stderr, r)); err != nil {
		return err
	}
	if x.f.writeCorpus && e.Source.Fuzz {
		writeCorpus(stderr, x.files.paths, e.Source, r)
	}
	if x.f.known != nil {
		x.f.known.add(r)
	}
	x.code = x.f.worse(x.code, r)
	for _, what := range r.Mistakes {
		complain(stderr, fmt.Errorf("%s.%s: %w", e.Package, e.Name, internalError{what, nil}))
		x.code = exitUsage
	}
	x.notOK[name] = r.Verdict != explore.OK || r.NotRun != nil
	return nil
}

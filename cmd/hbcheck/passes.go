package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/verdicts"
	"hbcheck.dev/hbcheck/report"
)

// firstTime is how long each entry is explored in the first pass over several. Tests change it.
var firstTime = 2 * time.Second

// A wholeRun explores entries in two passes. In the first one each gets firstTime: within a minute or two
// most bugs and proofs of a repository are there. Those that it leaves undecided share the rest of the
// budget in the second one, and begin again.
type wholeRun struct {
	f        *exploreFlags
	cmd      *cobra.Command
	opts     explore.Options
	dirs     *directives
	mem      *verdictCache
	sv       *saves
	w        report.Writer
	files    *replayFiles
	progress *report.Progress

	code  int
	notOK map[[2]string]bool // package and name
}

// undecided is an entry that the first pass has not decided.
type undecided struct {
	entry  *explore.Entry
	result *explore.Result // nil: it is a pair of entries of which one is undecided
}

// exploreAll explores the entries, as long as it is not interrupted, and returns the exit code.
// An entry that cannot be explored, and a replay file that cannot be written, keep nothing from
// the other ones.
func (f *exploreFlags) exploreAll(cmd *cobra.Command, entries []explore.Entry, opts explore.Options, dirs *directives,
	mem *verdictCache, sv *saves, w report.Writer, files *replayFiles) (code int, err error) {
	stop, release := interrupts(cmd.Context(), true)
	defer release()
	defer tellWaiting(stop, cmd.ErrOrStderr())()
	defer sv.close()
	x := &wholeRun{f: f, cmd: cmd, opts: opts, dirs: dirs, mem: mem, sv: sv, w: w, files: files, progress: newProgress(cmd),
		code: exitOK, notOK: make(map[[2]string]bool)}
	x.opts.Progress, x.opts.ProgressDue = x.progress.Update, x.progress.Due
	end := time.Now().Add(f.budget)
	var late []undecided
	two := len(entries) > 1 && !f.resume && f.traceSearch == ""
	reached := 0
	for i := range entries {
		if stop.Err() != nil {
			break
		}
		reached++
		e := &entries[i]
		if slices.ContainsFunc(late, func(u undecided) bool {
			return e.Package == u.entry.Package && slices.Contains(e.Together, u.entry.Name)
		}) {
			late = append(late, undecided{entry: e})
			continue
		}
		bound := time.Duration(0)
		if two {
			bound = firstTime
		}
		r, err := x.explore(stop, e, bound)
		if err != nil {
			return x.code, err
		}
		if r != nil {
			late = append(late, undecided{e, r})
		}
	}
	for i, u := range late {
		bound := time.Duration(0) // that of the flags
		if f.budget > 0 {
			bound = max(1, time.Until(end)/time.Duration(len(late)-i))
		}
		if u.result == nil && stop.Err() != nil {
			reached--
			continue
		}
		if u.result != nil && (stop.Err() != nil || bound > 0 && bound <= firstTime) {
			if err := x.result(u.entry, u.result); err != nil {
				return x.code, err
			}
			continue
		}
		if err := x.finally(stop, u.entry, bound, u.result); err != nil {
			return x.code, err
		}
	}
	if n := len(entries) - reached; n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "interrupted: %d of %d entries not explored\n", n, len(entries))
		x.code = worse(x.code, explore.Incomplete)
	} else if stop.Err() != nil {
		x.code = worse(x.code, explore.Incomplete)
	}
	return x.code, nil
}

// explore explores an entry for as long as bound says, 0: as the flags say. It returns the result if the
// entry is undecided for no other reason than bound, and nil if the result has been written.
func (x *wholeRun) explore(stop context.Context, e *explore.Entry, bound time.Duration) (late *explore.Result, err error) {
	if bound == 0 {
		return nil, x.finally(stop, e, 0, nil)
	}
	own, err := x.options(e)
	if err != nil {
		return nil, err
	}
	if own.Timeout > 0 && own.Timeout <= bound {
		return nil, x.finally(stop, e, 0, nil)
	}
	return x.once(stop, e, own, bound, false, nil)
}

// finally explores an entry, for at most as long as bound says, if it is not 0, and writes the result. A bug
// of
// an earlier result, which may be nil, is not lost if this time nothing is decided.
func (x *wholeRun) finally(stop context.Context, e *explore.Entry, bound time.Duration, earlier *explore.Result) error {
	own, err := x.options(e)
	if err != nil {
		return err
	}
	_, err = x.once(stop, e, own, bound, true, earlier)
	return err
}

// options returns the options of an entry, for which there may be directives.
func (x *wholeRun) options(e *explore.Entry) (own explore.Options, err error) {
	own = x.opts
	defer func() {
		if x.f.known != nil {
			own.Known = x.f.known.accept(e)
		}
	}()
	x.files.flags = x.dirs.flags(x.f, e.Source)
	if x.files.flags != x.f {
		if own, _, err = x.files.flags.options(); err != nil {
			return own, err
		}
		own.Ignores, own.Trace = x.opts.Ignores, x.opts.Trace
		own.Progress, own.ProgressDue = x.opts.Progress, x.opts.ProgressDue
	}
	return own, nil
}

// once explores an entry once. Unless it is final, it returns a result that more time could change: also
// that of a bug which may turn out to be a warning.
func (x *wholeRun) once(stop context.Context, e *explore.Entry, own explore.Options, bound time.Duration, final bool, earlier *explore.Result) (late *explore.Result, err error) {
	stderr := x.cmd.ErrOrStderr()
	// Two tests are explored together only if nothing is to be said of each alone: it would be
	// said again, or take longer still.
	if k := slices.IndexFunc(e.Together, func(name string) bool { return x.notOK[[2]string{e.Package, name}] }); k >= 0 {
		fmt.Fprintf(stderr, "%s.%s: not explored, because %s alone is not ok\n", e.Package, e.Name, e.Together[k])
		return nil, nil
	}
	if bound > 0 && (own.Timeout == 0 || bound < own.Timeout) {
		own.Timeout, own.Share = bound, true
	}
	x.progress.Start(e.Name)
	r, cached := x.mem.recall(verdicts.Name{Package: e.Package, Entry: e.Name})
	if !cached {
		accepted := used(x.opts.Ignores)
		if final {
			own.Keep = x.sv.keep(e, x.files.paths.Base)
		}
		r, err = x.f.one(stop, *e, own)
		if err == nil && !final && r.TimedOut() && stop.Err() == nil {
			x.progress.Clear()
			return r, nil
		}
		if err == nil {
			r = kept(earlier, r)
		}
		if err == nil && used(x.opts.Ignores) == accepted {
			x.mem.keep(e, r)
		}
	}
	x.progress.Clear()
	if !cached {
		x.sv.tell(own.Keep, r)
	}
	if err == nil {
		return nil, x.result(e, r)
	}
	complain(stderr, fmt.Errorf("%s.%s: %s", e.Package, e.Name, report.Error(err)))
	x.code = exitUsage
	x.notOK[[2]string{e.Package, e.Name}] = true
	return nil, x.w.Failed(e.Package, e.Name, report.Error(err))
}

// kept returns the result that counts of an earlier one, which may be nil, and of r: a bug is not lost if
// nothing is decided the second time.
func kept(earlier, r *explore.Result) *explore.Result {
	//mutant: a bug of the first pass is lost [test ./cmd/hbcheck TestKept]: "earlier.Verdict == explore.Fail" -> "false"
	if earlier != nil && earlier.Verdict == explore.Fail && r.Verdict == explore.Incomplete {
		return earlier
	}
	return r
}

// result writes the result of an entry.
func (x *wholeRun) result(e *explore.Entry, r *explore.Result) error {
	stderr := x.cmd.ErrOrStderr()
	if !x.f.strict && !x.f.refuses {
		r.Accept()
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
	x.notOK[[2]string{e.Package, e.Name}] = r.Verdict != explore.OK || r.NotRun != nil
	return nil
}

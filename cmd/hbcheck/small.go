package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/small"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
	"hbcheck.dev/hbcheck/por/explorers"
)

// The values of --scale that are not numbers.
const (
	scaleAuto = "auto"
	scaleOff  = "off"
)

// parseScale parses the value of --scale.
func (f *exploreFlags) parseScale() error {
	f.wishes = nil
	if f.scale == scaleAuto || f.scale == scaleOff {
		return nil
	}
	for _, s := range strings.Split(f.scale, ",") {
		w, err := scale.ParseWish(strings.TrimSpace(s))
		if err != nil {
			return fmt.Errorf("--scale %v, or off or auto", err)
		}
		f.wishes = append(f.wishes, w)
	}
	return nil
}

// scales reports whether the small version of an entry is explored with these flags if the entry is too big.
func (f *exploreFlags) scales(own *explore.Options) bool {
	return f.scale != scaleOff && f.explores(own)
}

// explores reports whether, with these flags, hbcheck may explore a small version of an entry that is too
// big. Samples end for any size; other flags concern the entry itself.
func (f *exploreFlags) explores(own *explore.Options) bool {
	samples := own.Portfolio == nil && own.POR.Samples
	return !samples && !f.resume && f.traceSearch == "" && f.explain == "" && !f.checkDuplicates && !f.checkStatic && !f.symbolic
}

// smallSample is the number of random executions that test whether a small version passes.
const smallSample = 10

// smallConfig returns how small versions of an entry are explored, with its own options and flags.
func (x *wholeRun) smallConfig(e *explore.Entry, own explore.Options, flags *exploreFlags) *small.Config {
	machine := flags.machineFlags
	machine.host = nil                 // the cache of the entry is not for another program
	own.Keep, own.Elsewhere = nil, nil // other processes do not have the small version
	sample := own
	sample.Portfolio, sample.POR, sample.MaxExecs, sample.Jobs = nil, explorers.Lookup("random"), smallSample, 1
	sample.Match, sample.Symmetry, sample.LimitPreempt, sample.MaxStates = false, false, false, 0
	return &small.Config{
		Prog: x.dirs.prog, Entry: *e, Options: own, Sample: sample, Wishes: flags.wishes, Build: machine.build,
		Load: func(edits []load.Edit) (*load.Program, error) {
			prog, err := x.dirs.prog.Again(edits)
			if !errors.Is(err, load.ErrNotAgain) {
				return prog, err
			}
			cfg := flags.config(x.files.patterns, true)
			cfg.Edits = edits
			return loadProgram(cfg)
		},
		Once: func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Once, error) {
			cfg, err := machine.vmConfig(prog, e, interrupted)
			if err != nil {
				return describe.Once{}, err
			}
			return describe.RunOnce(prog, e, cfg)
		},
		Run: func(ctx context.Context, e explore.Entry, opts explore.Options) (*explore.Result, error) {
			r, _, err := x.f.one(ctx, e, opts)
			return r, err
		},
	}
}

// withoutLimit is the time for a small version before an entry that has no time limit.
const withoutLimit = time.Minute

// errHalf ends the search of one entry when half of its time is over and it has a small version.
var errHalf = errors.New("stopped at half of --timeout, for its small version (--scale)")

// smallShare returns the part of total for a small version. It is half of the time. It is all of the time if
// the entry was explored before, and would now get little more time than before.
func smallShare(total time.Duration, again bool) time.Duration {
	//mutant: little time is shared between the sizes [test ./cmd/hbcheck TestSmallShare]: "total < 4*firstTime" -> "false"
	if again && total < 4*firstTime {
		return total
	}
	return total / 2
}

// explored explores an entry, and its small version if the entry is too big. earlier is the result of an
// earlier exploration, or nil.
//
// If the earlier exploration found the entry too big, the small version comes first, with at most
// half of the time, or with all of it if there is little time; the entry gets the rest. Otherwise
// the entry comes first. When half of the time is over, hbcheck searches for a small version beside
// it, and the small version gets the rest.
func (x *wholeRun) explored(ctx context.Context, e *explore.Entry, own explore.Options, flags *exploreFlags, earlier *explore.Result) (*explore.Result, error) {
	begin, total := time.Now(), own.Left()
	left := func() time.Duration {
		if total == 0 {
			return 0
		}
		return max(1, total-time.Since(begin))
	}
	share := smallShare(total, earlier != nil)
	cfg := x.smallConfig(e, own, flags)
	seekSmall := func(ctx context.Context) (*small.Version, error) {
		cfg.Options = cfg.Options.Within(share)
		v, err := cfg.Find(ctx)
		var unfit *small.Unfit
		if errors.As(err, &unfit) && !x.one && flags.scale == x.f.scale {
			return nil, nil // the numbers are those of another entry
		}
		if errors.Is(err, small.ErrFails) {
			x.mu.Lock()
			defer x.mu.Unlock()
			complain(x.cmd.ErrOrStderr(), fmt.Errorf("%s.%s: --scale %s: %v", e.Package, e.Name, flags.scale, err))
			return nil, nil
		}
		return v, err
	}
	follow := func(v *small.Version, most time.Duration) (*explore.Small, error) {
		if v == nil {
			return nil, nil
		}
		cfg.Options = cfg.Options.Within(most)
		return cfg.Explore(ctx, v)
	}
	if earlier != nil && earlier.TooBig() {
		v, err := seekSmall(ctx)
		if err != nil {
			return nil, err
		}
		most := withoutLimit
		if total > 0 {
			most = max(1, share-time.Since(begin))
		}
		s, err := follow(v, most)
		if err != nil {
			return nil, err
		}
		r := earlier
		if (s == nil || s.Result.Verdict != explore.Fail) && earlier.TimedOut() && ctx.Err() == nil && (total == 0 || left() > firstTime) {
			if r, _, err = x.f.one(ctx, *e, own.After(time.Since(begin))); err != nil {
				return nil, err
			}
			r = kept(earlier, r)
		}
		if s != nil && r.TooBig() {
			r.AddSmall(s)
		}
		return r, nil
	}
	var v *small.Version
	var err error
	found := make(chan struct{})
	half, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	seek := func() {
		defer close(found)
		defer func() {
			if x := recover(); x != nil {
				err = internalError{x, debug.Stack()}
			}
		}()
		if v, err = seekSmall(half); v != nil || err != nil {
			cancel(errHalf)
		}
	}
	var timer *time.Timer
	if total > 0 {
		timer = time.AfterFunc(total/2, seek)
	}
	r, _, failed := x.f.one(half, *e, own)
	if failed != nil {
		return nil, failed
	}
	switch {
	case timer != nil && !timer.Stop():
		if !r.TooBig() {
			cancel(nil)
		}
		<-found
	case r.TooBig():
		seek()
	}
	if err != nil || !r.TooBig() {
		return r, err
	}
	s, err := follow(v, left())
	if s != nil {
		r.AddSmall(s)
	}
	return r, err
}

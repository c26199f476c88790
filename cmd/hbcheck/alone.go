package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/vm"
)

// The subtests of a test that is too big are explored one at a time, so one big subtest does not make all
// of them incomplete.

// leastAlone is the least time for which the exploration of a subtest is worth beginning.
const leastAlone = 50 * time.Millisecond

// alone explores the subtests of an entry, one at a time, for at most the given time; 0: no limit. It
// calls found for each subtest that passes in an execution that schedules goroutines as gc does; the
// others probably depend on earlier subtests. It omits subtests that were exhaustive earlier, and
// ends with the first bug, unless all bugs are wanted.
func (x *wholeRun) alone(ctx context.Context, e *explore.Entry, own explore.Options, flags *exploreFlags, parts []string,
	earlier *explore.Result, most time.Duration, found func(name string, r *explore.Result)) error {
	begin := time.Now()
	own.Keep, own.Elsewhere, own.Trace = nil, nil, nil
	parts = slices.DeleteFunc(parts, func(name string) bool {
		_, known := earlier.KnownAlone(name)
		return known
	})
	for i, name := range parts {
		own.Timeout = withoutLimit
		if most > 0 {
			own.Timeout, own.Share = (most-time.Since(begin))/time.Duration(len(parts)-i), true
		}
		if ctx.Err() != nil || own.Timeout < leastAlone {
			break
		}
		machine := flags.machineFlags
		machine.run = exactly(name)
		if machine.host = x.remote.host(e.Source); machine.host == nil {
			machine.host = x.sv.host(e.Source, x.mem)
		}
		over := time.Now().Add(own.Timeout)
		cfg, err := machine.vmConfig(x.dirs.prog, e.Source, func() bool { return ctx.Err() != nil || time.Now().After(over) })
		if err != nil {
			return err
		}
		once, err := describe.RunOnce(x.dirs.prog, e.Source, cfg)
		//mutant: a subtest that needs those before it fails [test ./cmd/hbcheck TestScripts/alone]: "once.Exit != 0" -> "false"
		if err != nil || once.Exit != 0 || once.Unsupported != "" || once.OverMemory || once.NotRun != nil {
			continue
		}
		part := *e
		part.New = func(interrupted func() bool) (describe.Machine, error) {
			return machine.build(x.dirs.prog, e.Source, interrupted)
		}
		r, _, err := x.f.one(ctx, part, own)
		if err != nil {
			return err
		}
		if found(name, r); r.Verdict == explore.Fail && !own.All {
			break
		}
	}
	return nil
}

// exactly returns the pattern of --run for the subtest of that name.
func exactly(name string) string {
	levels := strings.Split(name, "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}

// withParts explores an entry, and its subtests alone if it is too big. If an earlier exploration shows that
// the entry is too big, the subtests come first, with half of the time. Otherwise they come last, with the
// rest of the time.
func (x *wholeRun) withParts(ctx context.Context, e *explore.Entry, own explore.Options, flags *exploreFlags, earlier *explore.Result,
	whole func(explore.Options) (*explore.Result, error)) (*explore.Result, error) {
	begin := time.Now()
	alone := func(too *explore.Result, most time.Duration) (list []aloneResult, fails bool, err error) {
		if too == nil || !too.TooBig() || len(e.Together) > 0 {
			return nil, false, nil
		}
		err = x.alone(ctx, e, own, flags, too.Parts(), earlier, most, func(name string, r *explore.Result) {
			list = append(list, aloneResult{name, r})
			fails = fails || r.Verdict == explore.Fail
		})
		return list, fails, err
	}
	list, fails, err := alone(earlier, own.Timeout/2)
	if err != nil {
		return nil, err
	}
	r := earlier
	add := func() {
		if r.Verdict == explore.OK {
			return
		}
		for _, name := range r.Parts() {
			if a, ok := earlier.KnownAlone(name); ok {
				r.KeepAlone(a)
			}
		}
		for _, p := range list {
			r.AddAlone(p.name, p.r)
		}
	}
	mayDivide := flags.assumes(vm.SubtestsApart, &own) && !x.dirs.prog.ParallelSubtests(e.Source)
	if list != nil && mayDivide {
		if add(); r.Divide() {
			return r, nil
		}
	}
	if !fails || own.All {
		if r, err = whole(own.After(time.Since(begin))); err != nil {
			return nil, err
		}
	}
	if list == nil {
		left := own.Timeout
		if left > 0 {
			left = max(1, left-time.Since(begin))
		}
		if list, _, err = alone(r, left); err != nil {
			return nil, err
		}
	}
	if add(); mayDivide {
		//mutant: a test is never divided into its subtests [test ./cmd/hbcheck TestScripts/divided]
		r.Divide()
	}
	return r, nil
}

// assumes reports whether a verdict may rest on assumption a, although another search may not need it.
func (f *exploreFlags) assumes(a vm.Assumed, o *explore.Options) bool {
	return !f.refuses && (!f.strict || o.Assume[a])
}

// An aloneResult is the result of a subtest that was explored alone.
type aloneResult struct {
	name string
	r    *explore.Result
}

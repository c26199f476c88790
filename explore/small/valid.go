package small

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hbcheck.dev/hbcheck/load"
)

const (
	mostOnce   = 5 * time.Second // for the reference execution
	mostSample = 5 * time.Second // for the sample

	withoutLimit = 2 * time.Minute // time for each of the two if there is no time limit, so long that the clock does not matter
)

// valid reports whether a version counts. Its execution in the order of gc has to pass. At least half of a
// sample of executions have to pass, too: if most fail, the cause is the smaller numbers and not the
// schedule. If time does not suffice for a sample, the version counts.
func (c *Config) valid(ctx context.Context, v *Version, prog *load.Program) (bool, error) {
	once, err := c.Once(prog, v.entry.Source, interruptedAfter(ctx, c.part(mostOnce)))
	if err != nil {
		return false, nil
	}
	//mutant: a version whose reference execution fails counts [test ./explore/small TestValid]: "once.Exit != 0" -> "false"
	if once.Exit != 0 || once.Unsupported != "" || once.OverMemory || once.Failure != nil || once.NotRun != nil {
		return false, nil
	}
	opts := c.Sample
	opts.Timeout, opts.Share = c.part(mostSample), false
	opts.All, opts.Outcomes, opts.NoMinimise, opts.Observe = true, true, true, false
	opts.Keep, opts.Trace, opts.Explain, opts.Progress = nil, nil, nil, nil
	r, err := c.Run(ctx, v.entry, opts)
	if err != nil {
		return false, nil
	}
	failed := uint64(0)
	for _, o := range r.Outcomes {
		if o.Ending != "exit 0" && !strings.HasPrefix(o.Ending, "waits for") {
			failed += o.Count
		}
	}
	v.times = c.otherTimes(ctx, once.Durations)
	//mutant: a version that fails nearly always counts [test ./explore/small TestValid]: "2*failed <= opts.MaxExecs" -> "true"
	return 2*failed <= opts.MaxExecs, nil
}

// part returns the smaller of most and half of all; a long time if there is no limit.
func (c *Config) part(most time.Duration) time.Duration {
	if c.Options.Timeout == 0 {
		return withoutLimit
	}
	return min(most, c.Options.Timeout/2)
}

// interruptedAfter returns a function that reports whether ctx is done, or the time over.
func interruptedAfter(ctx context.Context, d time.Duration) func() bool {
	var over atomic.Bool
	time.AfterFunc(d, func() { over.Store(true) })
	return func() bool { return over.Load() || ctx.Err() != nil }
}

// otherTimes reports whether the durations of a version differ from those of the entry. They may differ a
// little, because the clock advances while the program computes.
func (c *Config) otherTimes(ctx context.Context, durations []time.Duration) bool {
	if c.full == nil {
		full, err := c.Once(c.Prog, c.Entry.Source, interruptedAfter(ctx, c.part(mostOnce)))
		if err != nil {
			return true
		}
		c.full = &full
	}
	return !within(durations, c.full.Durations) || !within(c.full.Durations, durations)
}

// within reports whether each duration of list is about as long as one of others.
func within(list, others []time.Duration) bool {
	for _, d := range list {
		if !slices.ContainsFunc(others, func(x time.Duration) bool { return (d - x).Abs() <= max(d/50, time.Millisecond/2) }) {
			return false
		}
	}
	return true
}

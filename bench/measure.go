package bench

import (
	"context"
	"runtime"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// onOneMachine returns an entry for main of a program with its arguments (separated by spaces). All
// searches use one machine. Each search leaves the machine in its initial state, with every
// function compiled, for the next one. The current search decides when the machine is interrupted,
// so that it can repeat its findings after its time is up; before the first search, stopped
// decides.
func onOneMachine(
	prog *load.Program, entry *load.Entry, program, args string, cfg vm.Config, stopped func() bool,
) (explore.Entry, error) {
	cfg.Args, cfg.Interrupt = append([]string{program}, strings.Fields(args)...), func() bool { return stopped() }
	cfg.Maps = vm.MapsInsertion // counts are of schedules, as in the papers
	m, err := describe.NewMachine(prog, entry, cfg)
	if err != nil {
		return explore.Entry{}, err
	}
	return explore.Entry{
		Package: program, Name: "main",
		New: func(interrupted func() bool) (describe.Machine, error) {
			if interrupted != nil {
				stopped = interrupted
			}
			return m, nil
		},
	}, nil
}

// measured is what measureProgram returns.
type measured struct {
	result *explore.Result // its statistics include loading and making the machine
	cpu    time.Duration   // of the quickest search
	solver vm.Solving      // the questions about inputs of the first search
}

// measureProgram explores a program with the given arguments on one machine, as often as measureQuickest.
func measureProgram(
	ctx context.Context, load func() (*load.Program, *load.Entry, error), program, args string,
	cfg vm.Config, opts explore.Options, count int,
) (x measured, err error) {
	begin := time.Now()
	prog, entry, err := load()
	if err != nil {
		return x, err
	}
	e, err := onOneMachine(prog, entry, program, args, cfg, func() bool { return ctx.Err() != nil })
	if err != nil {
		return x, err
	}
	loaded := time.Since(begin)
	if x.result, x.cpu, err = measureQuickest(ctx, e, opts, min(count, 1)); err != nil {
		return x, err
	}
	m, err := e.New(nil)
	if err != nil {
		return x, err
	}
	x.solver = m.(interface{ Solving() vm.Solving }).Solving()
	if count > 1 && ctx.Err() == nil {
		_, cpu, err := measureQuickest(ctx, e, opts, count-1)
		if err != nil {
			return x, err
		}
		x.cpu = min(x.cpu, cpu)
	}
	x.result.Stats.Load = loaded
	return x, nil
}

// measure explores e and returns the CPU time that this takes.
func measure(ctx context.Context, e explore.Entry, opts explore.Options) (*explore.Result, time.Duration, error) {
	c := cpuTime()
	r, err := explore.Run(ctx, e, opts)
	return r, cpuTime() - c, err
}

// measureQuickest explores e count times and returns the least CPU time. If count is 0 it explores once, and
// the time means little. The result is that of the first search, because a machine's counters are never set
// back.
func measureQuickest(
	ctx context.Context, e explore.Entry, opts explore.Options, count int,
) (first *explore.Result, least time.Duration, err error) {
	for range max(1, count) {
		if count > 0 {
			runtime.GC() // so that no collection is under way
		}
		r, c, err := measure(ctx, e, opts)
		if err != nil {
			return nil, 0, err
		}
		if first == nil {
			first, least = r, c
		}
		least = min(least, c)
		if ctx.Err() != nil {
			break
		}
	}
	return first, least, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

// benchFlags are the flags of the bench command.
type benchFlags struct {
	found           bool // a program that --run names
	por, hybrid     []string
	run             string
	format, profile string
	plot            string
	size            string
	count           int
	timeout         time.Duration
	maxMemory       byteSize
}

// The suites, in the order they run.
var suites = append([]string{"vm", "jpf", "spin14"}, bench.CountedSuites()...)

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [flags] [suite...]",
		Short: "Measure the machine and the explorers on the programs that come with hbcheck",
		Long: `Bench runs benchmark suites whose programs are part of hbcheck:

  vm      ten sequential programs in the machine and compiled: how many times
          longer the machine takes (this needs the go command)
  jpf     state spaces of concurrent programs, beside what Java Pathfinder 8.0
          reports for the same programs in Java
  spin14  the programs of the paper on may-happen-before analysis (SPIN 2014)
          with every kind of static facts, beside its table 2; it is an error
          if those change the verdict, the bugs or the final states

In the following suites executions are counted, without matching states, and it is an
error if they are not as many as expected:

  litmus  240 litmus tests of GenMC and Nidhugg
  smc     parametric programs of the literature on stateless model checking, with
          formulae for their numbers of executions
  condpor-det  queues, stacks and a list of the paper on concolic model checking with
          optimal DPOR, with atomic variables that have locks as in its tool, and without
  cdpor   the actor programs of the paper on context-sensitive DPOR (CAV 2017)
  clockvector  the programs of the paper on clock vectors in Java Pathfinder, beside its table 3
  dporengine   the programs of the paper on a DPOR engine for Java Pathfinder
  await   locks and barriers that wait in loops

All times are CPU times, in vm and jpf the least of --count repetitions.`,
		ValidArgs: suites,
		Args:      cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.bench(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&f.por, "por", nil, "`names` of the explorers, separated by commas: "+report.ExplorerNames(nil)+" (default jpf; where executions are counted those the suite is about)")
	fs.StringSliceVar(&f.hybrid, "hybrid", nil, "`kinds` of static facts each explorer uses, separated by commas: none, fa, mhb, full (default none; in spin14 all)")
	fs.StringVar(&f.size, "size", "small", "`small|paper`: the programs of spin14 with few operations or as many as in the paper; where executions are counted only the smaller sizes, or all")
	fs.StringVar(&f.run, "run", "", "only the programs whose name with arguments matches `regexp`")
	fs.IntVar(&f.count, "count", 3, "repeat every measurement `n` times")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time for each row; 0: no limit")
	f.maxMemory = byteSize(defaultMemory())
	fs.Var(&f.maxMemory, "max-memory", "memory of a search, as `size` with K, M or G; 0: no limit")
	fs.StringVar(&f.format, "format", "text", "`text|json|csv|md`")
	fs.StringVar(&f.plot, "plot", "", "draw the choices of spin14 to `file`, as SVG")
	fs.StringVar(&f.profile, "cpuprofile", "", "write a CPU profile to `file`")
	fs.SortFlags = false
	return cmd
}

func (f *benchFlags) bench(cmd *cobra.Command, args []string) error {
	w := bench.NewWriter(f.format, cmd.OutOrStdout())
	if w == nil {
		return fmt.Errorf("--format %s: want text, json, csv or md", f.format)
	}
	if f.size != "small" && f.size != "paper" {
		return fmt.Errorf("--size %s: want small or paper", f.size)
	}
	if f.count < 1 {
		return fmt.Errorf("--count %d: want at least 1", f.count)
	}
	run, err := regexp.Compile(f.run)
	if err != nil {
		return fmt.Errorf("--run: %v", err)
	}
	chosen, err := explorersNamed(f.por)
	if err != nil {
		return err
	}
	normal := chosen
	if len(normal) == 0 {
		if normal, err = explorersNamed([]string{"jpf"}); err != nil {
			return err
		}
	}
	var hybrids []oracle.Kind
	for _, name := range f.hybrid {
		h, err := parseHybrid(name)
		if err != nil {
			return err
		}
		hybrids = append(hybrids, h)
	}
	if f.profile != "" {
		out, err := os.Create(f.profile)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx, release := interrupts(cmd.Context())
	defer release()
	space, err := bench.NewWorkspace()
	if err != nil {
		return err
	}
	defer space.Close()
	if len(args) == 0 {
		args = suites
	}
	if slices.Contains(args, "vm") {
		if err := f.speed(ctx, space, w, run); err != nil {
			return err
		}
	}
	if slices.Contains(args, "jpf") {
		none := hybrids
		if len(none) == 0 {
			none = []oracle.Kind{oracle.None}
		}
		if err := f.spaces(ctx, space, w, run, normal, none); err != nil {
			return err
		}
	}
	if slices.Contains(args, "spin14") {
		if err := f.studies(ctx, space, w, run, normal, hybrids); err != nil {
			return err
		}
	}
	if err := f.tallies(ctx, space, w, run, args, chosen, hybrids); err != nil {
		return err
	}
	if !f.found {
		return fmt.Errorf("--run %s: none of the programs has such a name", f.run)
	}
	return w.Close()
}

// wants reports whether the program called name is to be measured, as --run says.
func (f *benchFlags) wants(run *regexp.Regexp, name string) bool {
	ok := run.MatchString(name)
	f.found = f.found || ok
	return ok
}

// explorersNamed returns the explorers called names.
func explorersNamed(names []string) (list []*por.Explorer, err error) {
	for _, name := range names {
		e := explorers.Lookup(name)
		if e == nil {
			return nil, fmt.Errorf("--por %s: no such explorer; there are %s", name, report.ExplorerNames(nil))
		}
		list = append(list, e)
	}
	return list, nil
}

// speed runs the suite vm.
func (f *benchFlags) speed(ctx context.Context, space *bench.Workspace, w bench.Writer, run *regexp.Regexp) error {
	names, err := bench.Sequential()
	if err != nil {
		return err
	}
	var rows []bench.SpeedRow
	for _, name := range names {
		if !f.wants(run, name) {
			continue
		}
		limited, cancel := f.limit(ctx)
		r, err := space.Speed(limited, name, f.count)
		cancel()
		if err != nil {
			return err
		}
		if err := w.Speed(r); err != nil {
			return err
		}
		rows = append(rows, *r)
	}
	if len(rows) == 0 {
		return nil
	}
	return w.SpeedSummary(rows)
}

// spaces runs the suite jpf.
func (f *benchFlags) spaces(ctx context.Context, space *bench.Workspace, w bench.Writer, run *regexp.Regexp, explorers []*por.Explorer, hybrids []oracle.Kind) error {
	for _, s := range bench.JPFPrograms() {
		if !f.wants(run, s.Name()) {
			continue
		}
		for _, e := range explorers {
			for _, h := range hybrids {
				limited, cancel := f.limit(ctx)
				r, err := space.ExploreJPF(limited, s, bench.JPFOptions{POR: e, Hybrid: h, Count: f.count, MaxMemory: int64(f.maxMemory)})
				cancel()
				if err != nil {
					return err
				}
				if err := w.JPF(r); err != nil {
					return err
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
		}
	}
	return nil
}

// studies runs the suite spin14.
func (f *benchFlags) studies(ctx context.Context, space *bench.Workspace, w bench.Writer, run *regexp.Regexp, explorers []*por.Explorer, hybrids []oracle.Kind) error {
	if len(hybrids) == 0 {
		hybrids = bench.Spin14Kinds()
	}
	var programs [][]*bench.Spin14Row
	var problems []string
	for _, s := range bench.Spin14Programs() {
		if !f.wants(run, s.Program) {
			continue
		}
		for _, e := range explorers {
			rows, err := space.ExploreSpin14(ctx, &s, bench.Spin14Options{Size: f.size, Kinds: hybrids, POR: e, Timeout: f.timeout, MaxMemory: int64(f.maxMemory)})
			if err != nil {
				return err
			}
			if err := w.Spin14(rows); err != nil {
				return err
			}
			for _, r := range rows {
				problems = append(problems, r.Check()...)
			}
			programs = append(programs, rows)
		}
	}
	if err := w.Spin14Summary(programs, problems); err != nil {
		return err
	}
	if f.plot != "" {
		out, err := os.Create(f.plot)
		if err != nil {
			return err
		}
		if err := errors.Join(bench.PlotSpin14(out, programs), out.Close()); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		if err := w.Close(); err != nil {
			return err
		}
		return fmt.Errorf("static facts have changed something: %s", strings.Join(problems, "\n"))
	}
	return nil
}

// tallies runs those of the suites in which executions are counted.
func (f *benchFlags) tallies(ctx context.Context, space *bench.Workspace, w bench.Writer, run *regexp.Regexp, suites []string, chosen []*por.Explorer, hybrids []oracle.Kind) error {
	if len(hybrids) == 0 {
		hybrids = []oracle.Kind{oracle.None}
	}
	var problems []string
	any := false
	for _, suite := range bench.CountedSuites() {
		if !slices.Contains(suites, suite) {
			continue
		}
		list, err := bench.CountedPrograms(suite)
		if err != nil {
			return err
		}
		ways := bench.DefaultConfigurations(suite)
		if len(chosen) > 0 {
			ways = nil
			for _, e := range chosen {
				ways = append(ways, bench.ConfigurationsOf(suite, e.Name)...)
			}
		}
		for _, t := range list {
			if !f.wants(run, t.Name()) || t.Large && f.size == "small" {
				continue
			}
			for _, way := range ways {
				for _, h := range hybrids {
					limited, cancel := f.limit(ctx)
					r, err := space.CountExecutions(limited, &t, bench.CountOptions{Configuration: way, Hybrid: h, Count: f.count, MaxMemory: int64(f.maxMemory)})
					cancel()
					if err != nil {
						return err
					}
					if err := w.Counted(r); err != nil {
						return err
					}
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					problems, any = append(problems, r.Check()...), true
				}
			}
		}
	}
	if any {
		if err := w.CountedSummary(problems); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		if err := w.Close(); err != nil {
			return err
		}
		return fmt.Errorf("counts are not as expected: %s", strings.Join(problems, "\n"))
	}
	return nil
}

// limit returns ctx with the time limit of one row.
func (f *benchFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("stopped after %v (--timeout)", f.timeout))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

// benchFlags are the flags of the bench command.
type benchFlags struct {
	por, hybrid     []string
	pattern         string // --run
	format, profile string
	plot            string
	size            string
	count           int
	symmetry        bool
	timeout         time.Duration
	maxMemory       byteSize
}

// The suites, in the order they run.
var suites = append([]string{"vm", "big", "sct", "jacontebe", "racebench", "kernels", "answers", "inputs", "facts", "jpf", "realistic", "spin14"}, bench.CountedSuites()...)

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [flags] [suite...]",
		Short: "Measure the machine and the explorers on the benchmark programs in hbcheck",
		Long: `Bench runs benchmark suites whose programs are part of hbcheck:

  vm      40 sequential programs, interpreted by the machine and compiled: the
          slowdown of the machine (needs the go command)
  big     programs with tens to thousands of goroutines: one execution compiled, with
          -race where a C compiler is found, as hbcheck run executes it, and as a
          random walk; the time of a step (needs the go command)
  sct     programs of SCTBench, written anew: how many executions each explorer that
          samples needs to find the bug, the geometric mean of 20 seeds within 1,000;
          and the work of auto, as a multiple of the steps of an execution of the first
  jacontebe  the same for bugs of JaConTeBe, as their reports describe them
  racebench  the same for programs into which bugs are put as RaceBench does
  kernels    the same for bugs of the classes of GoBench
  answers  everyday tests, and programs of growing size, with every explorer and with
          auto: steps to an answer, as multiples of the steps of the best single explorer
  inputs   fuzz targets with all possible arguments, each correct and with a bug
  facts    the programs of all suites except the largest, explored by jpf with and
          without the default static facts: the ratio of the numbers of steps
  jpf     state spaces of concurrent programs, beside the numbers that Java
          Pathfinder 8.0 reports for the same programs in Java
  realistic  pools, caches, hubs, pipelines, contexts and independent parts of growing
          size: the cost of searches that store states, for each kind of static facts
  spin14  the programs of the paper on may-happen-before analysis (SPIN 2014)
          with every kind of static facts, beside the paper's table 2; it is an error
          if the facts change the verdict, the bugs or the final states

The following suites count executions, without storing states; a count that differs from
the expected one is an error:

  litmus  240 litmus tests of GenMC and Nidhugg
  smc     parametric programs of the literature on stateless model checking, with
          formulae for their numbers of executions
  condpor-det  queues, stacks and a list of the paper on concolic model checking with
          optimal DPOR, each in two versions: with atomic variables, and with plain
          variables guarded by locks, as in the paper's tool
  condpor  the programs of that paper with symbolic values, beside its tables
  cdpor   the actor programs of the paper on context-sensitive DPOR (CAV 2017)
  clockvector  the programs of the paper on clock vectors in Java Pathfinder, beside its table 3
  dporengine   the programs of the paper on a DPOR engine for Java Pathfinder
  await   locks and barriers that wait in loops

All times are CPU times; vm, big and jpf report the minimum of --count repetitions.`,
		ValidArgs: suites,
		Args:      cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.bench(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&f.por, "por", nil, "`names` of the explorers, separated by commas: "+report.ExplorerNames(nil)+" (default jpf; in suites that count executions: the explorers that the suite is about)")
	fs.StringSliceVar(&f.hybrid, "hybrid", nil, "`kinds` of static facts, separated by commas: none, fa, mhb, parts, full, and in facts, jpf, realistic and spin14 also auto, the default of explore (default none; in facts none and auto; in realistic none, mhb and parts; in spin14 all)")
	fs.StringVar(&f.size, "size", "small", "`small|paper`: sizes of the programs. small: the smaller sizes; paper: all sizes, and spin14 with as many operations as in the paper")
	fs.BoolVar(&f.symmetry, "symmetry", false, "in jpf and realistic: treat states as equal that differ only by a permutation of identical goroutines, as explore does")
	fs.StringVar(&f.pattern, "run", "", "run only the programs whose name, with arguments, matches `regexp`")
	fs.IntVar(&f.count, "count", 3, "repeat every measurement `n` times")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time limit for each row; 0: no limit")
	f.maxMemory = byteSize(defaultMemory())
	fs.Var(&f.maxMemory, "max-memory", "memory limit of a search: `size` with K, M or G; 0: no limit")
	fs.StringVar(&f.format, "format", "text", "output format: `text|json|csv|md`")
	fs.StringVar(&f.plot, "plot", "", "draw the choices of spin14 in `file`, as SVG")
	fs.StringVar(&f.profile, "cpuprofile", "", "write a CPU profile to `file`")
	fs.SortFlags = false
	return cmd
}

func (f *benchFlags) bench(cmd *cobra.Command, args []string) error {
	r, err := f.run(cmd)
	if err != nil {
		return err
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
	ctx, release := interrupts(cmd.Context(), false)
	defer release()
	r.ctx = ctx
	if r.space, err = bench.NewWorkspace(); err != nil {
		return err
	}
	defer r.space.Close()
	if len(args) == 0 {
		args = suites
	}
	for _, x := range []struct {
		suite string
		run   func() error
	}{{"vm", r.speed}, {"big", r.big}, {"sct", r.sampledIn("sct")}, {"jacontebe", r.sampledIn("jacontebe")}, {"racebench", r.sampledIn("racebench")}, {"kernels", r.sampledIn("kernels")}, {"answers", r.answers}, {"inputs", r.inputs}, {"facts", r.facts}, {"jpf", r.jpf}, {"realistic", r.realistic}, {"spin14", r.spin14}} {
		if slices.Contains(args, x.suite) {
			if err := r.safely(x.suite, x.run); err != nil {
				return err
			}
		}
	}
	for _, suite := range bench.CountedSuites() {
		if slices.Contains(args, suite) {
			if err := r.safely(suite, func() error { return r.counted(suite) }); err != nil {
				return err
			}
		}
	}
	if err := r.safely("summary", r.sum); err != nil {
		return err
	}
	if !r.found {
		return fmt.Errorf("--run %s matches no program", f.pattern)
	}
	if err := r.w.Close(); err != nil {
		return err
	}
	return errors.Join(r.mistakes...)
}

// A benchRun is one run of the command, with its flags.
type benchRun struct {
	*benchFlags
	ctx       context.Context
	space     *bench.Workspace
	w         bench.Writer
	only      *regexp.Regexp  // programs
	explorers []*por.Explorer // explorers named by the user
	kinds     []oracle.Kind   // kinds named by the user
	found     bool            // some program matches only
	mistakes  []error         // mistakes of hbcheck itself
	problems  []string        // counts that differ from the expected ones
	expects   bool            // there were expected counts
}

// wrong records a mistake of hbcheck's own; bench reports it at the end.
func (r *benchRun) wrong(name string, err error) {
	r.mistakes = append(r.mistakes, fmt.Errorf("%s: %w", name, err))
}

// safely runs a suite. A mistake of hbcheck's own between its rows ends that suite only.
func (r *benchRun) safely(suite string, run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.wrong(suite, internalError{p, debug.Stack()})
			err = nil
		}
	}()
	return run()
}

// row measures one row. A mistake of hbcheck's own in it is reported at the end, and the row is omitted.
func row[R any](r *benchRun, name string, measure func(context.Context) (R, error)) (x R, ok bool, err error) {
	limited, cancel := r.limit()
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.wrong(name, internalError{p, debug.Stack()})
			ok, err = false, nil
		}
	}()
	x, err = measure(limited)
	var m *explore.Mistake
	if errors.As(err, &m) {
		r.wrong(name, err)
		return x, false, nil
	}
	if err == nil {
		for _, what := range mistakes(x) {
			r.wrong(name, internalError{what, nil})
		}
	}
	return x, err == nil, err
}

// mistakes returns hbcheck's own mistakes in describing the findings of a row.
func mistakes(row any) (list []string) {
	switch x := row.(type) {
	case *bench.JPFRow:
		return x.Result.Mistakes
	case *bench.RealisticRow:
		return x.Result.Mistakes
	case *bench.CountedRow:
		return x.Result.Mistakes
	case *bench.AnswerRow:
		return x.Result.Mistakes
	case []*bench.Spin14Row:
		for _, r := range x {
			list = append(list, r.Result.Mistakes...)
		}
	}
	return list
}

// run checks the flags.
func (f *benchFlags) run(cmd *cobra.Command) (r *benchRun, err error) {
	r = &benchRun{benchFlags: f, w: bench.NewWriter(f.format, cmd.OutOrStdout())}
	switch {
	case r.w == nil:
		return nil, fmt.Errorf("--format %s: want text, json, csv or md", f.format)
	case f.size != "small" && f.size != "paper":
		return nil, fmt.Errorf("--size %s: want small or paper", f.size)
	case f.count < 1:
		return nil, fmt.Errorf("--count %d: want at least 1", f.count)
	}
	if r.only, err = regexp.Compile(f.pattern); err != nil {
		return nil, fmt.Errorf("--run: %v", err)
	}
	for _, name := range f.por {
		e := explorers.Lookup(name)
		if e == nil {
			return nil, fmt.Errorf("--por %s: no such explorer; want one of %s", name, report.ExplorerNames(nil))
		}
		r.explorers = append(r.explorers, e)
	}
	for _, name := range f.hybrid {
		k, err := parseHybrid(name)
		if name == string(bench.Auto) {
			k, err = bench.Auto, nil
		}
		if err != nil {
			return nil, err
		}
		r.kinds = append(r.kinds, k)
	}
	return r, nil
}

// wants reports whether --run selects the program called name.
func (r *benchRun) wants(name string) bool {
	ok := r.only.MatchString(name)
	r.found = r.found || ok
	return ok
}

// explorersOr returns the explorers that the user named, otherwise the one called name.
func (r *benchRun) explorersOr(name string) []*por.Explorer {
	if len(r.explorers) == 0 {
		return []*por.Explorer{explorers.Lookup(name)}
	}
	return r.explorers
}

// kindsOr returns the kinds of static facts that the user named, otherwise kinds.
func (r *benchRun) kindsOr(kinds ...oracle.Kind) []oracle.Kind {
	if len(r.kinds) == 0 {
		return kinds
	}
	return r.kinds
}

// limit returns the context with the time limit of one row.
func (r *benchRun) limit() (context.Context, context.CancelFunc) {
	if r.timeout <= 0 {
		return r.ctx, func() {}
	}
	return context.WithTimeoutCause(r.ctx, r.timeout, fmt.Errorf("stopped after %v (--timeout)", r.timeout))
}

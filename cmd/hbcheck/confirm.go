package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// confirmFlags are the flags of hbcheck analyze --confirm.
type confirmFlags struct {
	confirm bool
	work    uint64
	budget  time.Duration
	out     string

	writeTests string
	patterns   []string // patterns of packages
	anywhere   bool     // the places that entries reach are unknown
}

func (f *confirmFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.confirm, "confirm", false, "explore the tests that reach the places of a finding, to confirm or refute it")
	fs.Uint64Var(&f.work, "work", 100_000_000, "with --confirm: limit on the `steps` of exploring, which are the same on every machine")
	fs.DurationVar(&f.budget, "budget", 10*time.Minute, "with --confirm: time limit for exploring; answers then depend on the machine")
	fs.StringVarP(&f.out, "output", "o", ".hbcheck", "with --confirm: write replay files and pages to `dir`")
	fs.StringVar(&f.writeTests, "write-tests", "", "with --confirm: write the drivers that confirm findings as tests, below `dir`")
}

const (
	confirmWork   = 4_000_000 // of one exploration of an entry: some three seconds
	aimedPerEntry = 400       // executions that are aimed at its findings
)

// confirmed explores tests for the findings of x, and records the answers.
func (f *analyzeFlags) confirmed(cmd *cobra.Command, p *analyze.Program, x *report.Findings) error {
	e, err := newConfirmer(cmd, f, p.Prog)
	if err != nil {
		return err
	}
	ctx, release := interrupts(cmd.Context(), true)
	defer release()
	begin := time.Now()
	c := &confirm.Config{Prog: p.Prog, List: x.List, Entries: e.entries, Explore: e.explore, Each: confirmWork}
	c.Work = f.work / 3 * 2 // the rest is for drivers
	if !f.anywhere {
		c.Graph = p.Graph()
	}
	if len(x.List) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d findings: exploring the tests that may reach their places (--work, --budget)\n", len(x.List))
	}
	tests, stop := context.WithTimeout(ctx, f.budget*2/3)
	answers, err := c.Search(tests)
	stop()
	if err != nil {
		return errors.New(report.Error(err))
	}
	x.Answers = e.writeAnswers(cmd, answers)
	c.Work = f.work
	return f.drive(ctx, max(f.budget-time.Since(begin), f.budget/3), cmd, c, e, x)
}

// A confirmer explores entries on behalf of findings.
type confirmer struct {
	flags   exploreFlags
	dirs    *directives
	files   *replayFiles
	entries []explore.Entry
}

// newConfirmer prepares the exploration of the entries of prog, with the default flags of hbcheck explore.
func newConfirmer(cmd *cobra.Command, f *analyzeFlags, prog *load.Program) (*confirmer, error) {
	c := &confirmer{}
	c.flags.register(pflag.NewFlagSet("explore", pflag.ContinueOnError))
	c.flags.loadFlags, c.flags.out = f.loadFlags, f.out
	opts, sel, err := c.flags.options()
	if err != nil {
		return nil, err
	}
	if c.dirs, err = newDirectives(cmd, prog); err != nil {
		return nil, errors.New(report.Error(err))
	}
	build := func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return c.dirs.flags(&c.flags, e).machineFlags.build(prog, e, interrupted)
	}
	c.entries, err = selection.Select(prog, sel, build)
	var none *load.NoEntryError
	if err != nil && !errors.As(err, &none) {
		return nil, errors.New(report.Error(err))
	}
	if err := c.dirs.check(&c.flags, c.entries); err != nil {
		return nil, errors.New(report.Error(err))
	}
	if opts.MaxMemory > 0 {
		c.flags.watch = newMemoryWatch(opts.MaxMemory)
	}
	c.files = &replayFiles{dir: f.out, release: prog.GoVersion, paths: report.Paths{Base: prog.Dir, Source: prog.Source}, flags: &c.flags}
	return c, nil
}

// explore explores an entry, with all explorers or by an aimed sample.
func (c *confirmer) explore(ctx context.Context, e *explore.Entry, sampled bool, change func(*explore.Options)) (*explore.Result, error) {
	flags := c.flags
	if e.Source != nil {
		flags = *c.dirs.flags(&c.flags, e.Source)
	}
	if sampled {
		flags.por, flags.maxExecutions = "surw", aimedPerEntry
	}
	opts, _, err := flags.options()
	if err != nil {
		return nil, err
	}
	opts.Leaks = explore.LeaksAreErrors
	if end, ok := ctx.Deadline(); ok {
		opts.Timeout, opts.Share = max(1, time.Until(end)), true
	}
	change(&opts)
	r, _, err := c.flags.one(ctx, *e, opts)
	return r, err
}

// writeAnswers writes the schedules of confirmed findings, and reports the answers to all findings.
func (c *confirmer) writeAnswers(cmd *cobra.Command, answers []confirm.Answer) (list []report.Answer) {
	written := map[*explore.Result][]report.Files{}
	for _, a := range answers {
		out := report.Answer{Status: a.Status.String(), By: a.By, Why: a.Why}
		if a.Status == confirm.Confirmed {
			r := a.Result
			c.files.flags = c.dirs.flags(&c.flags, sourceOf(c.entries, r))
			names, ok := written[r]
			if !ok {
				names = c.files.write(cmd.ErrOrStderr(), r)
				written[r] = names
			}
			out.Package, out.Entry, out.Bug = r.Package, r.Entry, a.Bug
			if i := slices.Index(r.Bugs, a.Bug); i < len(names) {
				out.Files = names[i]
			}
		}
		list = append(list, out)
	}
	return list
}

// sourceOf returns the source of the entry of r.
func sourceOf(entries []explore.Entry, r *explore.Result) *load.Entry {
	for _, e := range entries {
		if e.Package == r.Package && e.Name == r.Entry {
			return e.Source
		}
	}
	return nil
}

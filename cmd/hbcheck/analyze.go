package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// analyzeFlags are the flags of the analyze command.
type analyzeFlags struct {
	loadFlags
	tests                bool
	analyses             []string
	entry, fn, at        string
	pointsTo             string
	contexts, deps, list bool
	callGraph            string
	format               string
	stats, verbose       bool
	timeout              time.Duration
	findingFlags
	confirmFlags
}

func analyzeCommand() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze [flags] [packages|files]",
		Short: "Find bugs of concurrent code without executing it, or print static facts",
		Long: `Analyze finds mistakes in the use of locks, channels, wait groups and shared memory in
the packages named, without executing them. It prints a line for each finding, with the
code of the check; related places follow. hbcheck explain HBA103 explains a code. A
finding of high confidence holds on every path through the places shown; a note marks
the others: (medium) or (low).

The comment //hbcheck:ignore HBA103 reason, on the line or above it, accepts a finding.
Generated files and packages that are only imported have no findings.

Executions start at main functions, at tests (with --tests), and at calls of exported
functions by code outside the packages, by several goroutines at a time. Analyze knows
nothing about that code, and nothing about the type arguments of generic functions
except their constraints.

With --facts it prints facts that hold in every execution instead: which functions a
call may reach, which variables may be accessed from a point on and under which locks,
which operations wait and which wake others, and why a fact does not hold.

Exit status: 1 a finding at or above --fail-on; 2 usage or load error; 3 an analysis
reached --timeout and is missing.

	hbcheck analyze ./...                              findings
	hbcheck analyze --checks HBA1,HBA301 ./...         only these checks
	hbcheck analyze --facts .                          all facts about a package
	hbcheck analyze --analysis guardedby ./...         which fields have a lock
	hbcheck analyze --at bank.go:31 .                  what holds before this line
	hbcheck analyze --points-to 'b.log@bank.go:31' .   what an expression may refer to
	hbcheck analyze --callgraph dot . | dot -Tsvg      the call graph
	hbcheck analyze --format html . > facts.html       the source with facts beside it

hbcheck analyze --list lists the analyses.`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.analyze(cmd, args) },
	}
	fs := cmd.Flags()
	f.loadFlags.register(fs)
	f.findingFlags.register(fs)
	f.confirmFlags.register(fs)
	fs.BoolVar(&f.tests, "tests", false, "load tests, too: executions start at tests, and facts cover test files; without the flag, only packages without other entries load their tests")
	fs.StringVar(&f.entry, "entry", "", "let executions start at `pkg.Func` only")
	fs.StringSliceVar(&f.analyses, "analysis", nil, "`names` of analyses, separated by commas, or all (the default)")
	fs.BoolVar(&f.list, "list", false, "list the analyses")
	fs.StringVar(&f.fn, "func", "", "print only facts about the function with this `name`: Deposit, Bank.Deposit, pkg.Bank.Deposit")
	fs.StringVar(&f.at, "at", "", "print the facts that hold before `file.go:line`")
	fs.StringVar(&f.pointsTo, "points-to", "", "print the objects to which an expression may refer: `expr@file.go:line[:col]`")
	fs.BoolVar(&f.contexts, "contexts", false, "with --points-to: print one answer for each calling context")
	fs.StringVar(&f.callGraph, "callgraph", "", "write only the call graph, in this `format`: dot or json")
	fs.BoolVar(&f.deps, "deps", false, "print facts about all packages, not only about those named")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time limit for each analysis; the results of a longer one are missing; 0: no limit")
	fs.StringVar(&f.format, "format", "text", "output `format`: text, json, sarif, github or html (html is for facts)")
	fs.BoolVar(&f.stats, "stats", false, "print statistics: time, memory, functions, constraints")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "print every access and every call, too, and lists in full")
	fs.SortFlags = false
	return cmd
}

// check refuses meaningless combinations of flags.
func (f *analyzeFlags) check() error {
	query := 0
	for _, s := range []string{f.at, f.pointsTo, f.callGraph} {
		if s != "" {
			query++
		}
	}
	switch {
	case !slices.Contains([]string{"text", "json", "html", "sarif", "github"}, f.format):
		return fmt.Errorf("--format %s: want text, json, sarif, github or html", f.format)
	case f.wantsFacts() && (f.format == "sarif" || f.format == "github"):
		return fmt.Errorf("--format %s is for findings: it excludes --facts and the flags about facts", f.format)
	case f.wantsFacts() && f.confirm:
		return fmt.Errorf("--confirm is for findings: it excludes --facts and the flags about facts")
	case f.wantsFacts() && f.findingFlags.set():
		return fmt.Errorf("--checks, --baseline, --write-baseline and --generated are for findings: they exclude --facts and the flags about facts")
	case f.callGraph != "" && f.callGraph != "dot" && f.callGraph != "json":
		return fmt.Errorf("--callgraph %s: want dot or json", f.callGraph)
	case query > 1:
		return fmt.Errorf("--at, --points-to and --callgraph exclude each other")
	case f.format == "html" && query > 0:
		return fmt.Errorf("--format html shows whole packages: it excludes --at, --points-to and --callgraph")
	case f.timeout < 0:
		return fmt.Errorf("a limit cannot be negative")
	case f.contexts && f.pointsTo == "":
		return fmt.Errorf("--contexts has no effect without --points-to")
	case f.fn != "" && (f.pointsTo != "" || f.callGraph != ""):
		return fmt.Errorf("--func selects facts: it excludes --points-to and --callgraph")
	}
	return nil
}

// wantsFacts reports whether facts are asked for, not findings.
func (f *analyzeFlags) wantsFacts() bool {
	return f.facts || f.list || f.stats || f.deps || len(f.analyses) > 0 || f.fn != "" || f.at != "" || f.pointsTo != "" || f.callGraph != "" || f.format == "html"
}

// findingWork bounds the points-to analysis for findings to a few seconds; most modules need a sixtieth of
// this work. factWork bounds the analysis for facts, which have no fallback, to about a gigabyte.
const (
	findingWork = 6_000_000
	factWork    = 60_000_000
)

func (f *analyzeFlags) analyze(cmd *cobra.Command, patterns []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	if f.list {
		return analyze.List(cmd.OutOrStdout())
	}
	f.patterns = patterns
	prog, broken, err := f.load(cmd, patterns)
	if err != nil {
		return err
	}
	if broken != nil {
		complain(cmd.ErrOrStderr(), broken.Err)
		fmt.Fprintf(cmd.ErrOrStderr(), "left out, because they do not compile: %s\n", strings.Join(broken.Paths, ", "))
		defer func() {
			if status := exit(exitOK); err == nil || errors.As(err, &status) {
				err = exit(exitUsage)
			}
		}()
	}
	begin := time.Now()
	if !f.confirm {
		defer findPace()()
	}
	entries := analyze.Entries(prog)
	if f.entry != "" {
		e, err := prog.Lookup(f.entry)
		if err != nil {
			return err
		}
		entries = []*load.Entry{e}
	}
	p := analyze.New(prog, vm.NewModels(prog), entries)
	p.Deps, p.Timeout = f.deps, f.timeout
	out := cmd.OutOrStdout()
	paths := report.Paths{Base: prog.Dir}
	if f.pointsTo != "" {
		p.Debug()
	}
	asked := cmd.Flags().Changed("timeout")
	part := false // part of the requested facts is missing
	if !asked {
		p.Work, p.Timeout = findingWork, 0 // the findings are the same on all machines
		if f.wantsFacts() {
			p.Work, p.Timeout = factWork, f.timeout
		}
	}
	if !p.Solve() && !f.wantsFacts() {
		forget()
		if part = asked; asked {
			p.Timeout = 0
		}
		if f.confirm && !f.tests {
			// Tests cause most of the excess. Without them, the findings assume that each test may reach
			// everything.
			p.Entries = slices.DeleteFunc(slices.Clone(entries), func(e *load.Entry) bool { return e.Kind != load.Library })
			f.anywhere = len(p.Entries) > 0
			if !f.anywhere {
				p.Entries = entries
			}
		}
		without := "values that users of the packages may pass in"
		if !p.SolveWithoutUsers() {
			forget()
			without += ", and the code of other modules"
			p.SolveOwn()
		}
		if asked {
			fmt.Fprintf(cmd.ErrOrStderr(), "the points-to analysis did not end within %v (--timeout): it leaves out %s, and some findings with it\n", f.timeout, without)
		} else {
			fmt.Fprintf(cmd.ErrOrStderr(), "the points-to analysis leaves out %s: it would take too long (more findings with --timeout 10m)\n", without)
		}
	}
	if p.Pointer() == nil {
		why := fmt.Sprintf("did not end within %v (--timeout)", f.timeout)
		if !asked {
			why = "would take too long (--timeout 10m gives it more time)"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "the points-to analysis, which all others need, %s\n", why)
		return exit(exitIncomplete)
	}
	switch {
	case !f.wantsFacts():
		if err := f.find(cmd, p, paths); err != nil || !part {
			return err
		}
		return exit(exitIncomplete)
	case f.pointsTo != "":
		var answers []analyze.PointsTo
		if answers, err = p.PointsTo(f.pointsTo, f.contexts); err != nil {
			return err
		}
		if f.format == "json" {
			err = analyze.WritePointsToJSON(out, paths, p, answers)
		} else {
			err = analyze.WritePointsTo(out, paths, p, answers)
		}
	case f.callGraph == "dot":
		err = p.CallGraph().WriteDOT(out, p)
	case f.callGraph == "json":
		err = p.CallGraph().WriteJSON(out, p, paths)
	default:
		return f.writeFacts(cmd, p, paths, begin)
	}
	if err == nil && f.stats {
		err = analyze.WriteStats(cmd.ErrOrStderr(), p.Stats(time.Since(begin), 0))
	}
	return err
}

// load loads the packages; packages that have only tests are loaded with their tests. broken are packages
// that it leaves out.
func (f *analyzeFlags) load(cmd *cobra.Command, patterns []string) (prog *load.Program, broken *load.Broken, err error) {
	cfg := f.config(patterns, f.tests || f.confirm)
	cfg.Cover = f.confirm
	prog, broken, err = listAndLoad(cfg)
	if err != nil && !cmd.Flags().Changed("tests") {
		if prog, broken, err := listAndLoad(f.config(patterns, true)); err == nil {
			return prog, broken, nil
		}
	}
	return prog, broken, err
}

// listAndLoad loads the packages of cfg, except those that do not compile.
func listAndLoad(cfg load.Config) (*load.Program, *load.Broken, error) {
	listing, err := load.List(cfg)
	if err != nil {
		return nil, nil, err
	}
	return listing.LoadRest()
}

// writeFacts writes facts in the format asked for.
func (f *analyzeFlags) writeFacts(cmd *cobra.Command, p *analyze.Program, paths report.Paths, begin time.Time) error {
	sel := analyze.Selection{Analyses: f.analyses, Func: f.fn, At: f.at}
	facts, err := p.Facts(sel)
	if err != nil {
		return err
	}
	stats := p.Stats(time.Since(begin), len(facts))
	var out io.Writer = cmd.OutOrStdout()
	switch f.format {
	case "json":
		err = f.json(out, p, paths, sel, facts, stats)
	case "html":
		err = analyze.WriteHTML(out, paths, p, facts)
	default:
		err = analyze.WriteText(out, paths, facts, f.verbose || f.at != "")
	}
	if err == nil && f.stats && f.format != "json" {
		err = analyze.WriteStats(cmd.ErrOrStderr(), stats)
	}
	if err == nil && len(p.GaveUp) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "left out, because they did not end within %[2]v (--timeout): %[1]s\n", strings.Join(p.GaveUp, ", "), f.timeout)
		return exit(exitIncomplete)
	}
	return err
}

func (f *analyzeFlags) json(out io.Writer, p *analyze.Program, paths report.Paths, sel analyze.Selection, facts []analyze.Fact, stats analyze.Stats) error {
	j, err := analyze.NewJSON(out, paths, p, sel)
	if err != nil {
		return err
	}
	if err := j.Facts(facts); err != nil {
		return err
	}
	if f.stats {
		if err := j.Stats(stats); err != nil {
			return err
		}
	}
	return j.Close()
}

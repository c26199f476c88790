package main

import (
	"fmt"
	"io"
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
}

func analyzeCommand() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze [flags] [packages|files]",
		Short: "Print the facts that static analysis finds about functions and program points",
		Long: `Analyze prints facts that hold in every execution, for the functions of the
packages named: which functions a call may reach, which variables may be accessed
from a point on and under which locks, which operations wait and which wake others,
and why a fact does not hold.

Executions start at main functions, at tests (with --tests), and at calls of exported
functions by code outside the packages. Analyze knows nothing about that code, and
nothing about the type arguments of generic functions except their constraints.

Exit status: 2 usage or load error, 3 an analysis reached --timeout and is left out.

	hbcheck analyze .                                  all facts about a package
	hbcheck analyze --analysis guardedby ./...         which fields have a lock
	hbcheck analyze --at bank.go:31 .                  what holds before this line
	hbcheck analyze --points-to 'b.log@bank.go:31' .   what an expression may refer to
	hbcheck analyze --callgraph dot . | dot -Tsvg      the call graph
	hbcheck analyze --format html . > facts.html       the source with facts beside it

hbcheck analyze --list names the analyses.`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.analyze(cmd, args) },
	}
	fs := cmd.Flags()
	f.loadFlags.register(fs)
	fs.BoolVar(&f.tests, "tests", false, "load tests, too: executions start at tests, and facts cover test files; without the flag only packages without other entries load their tests")
	fs.StringVar(&f.entry, "entry", "", "let executions start at `pkg.Func` only")
	fs.StringSliceVar(&f.analyses, "analysis", nil, "`names` of analyses, separated by commas, or all (the default)")
	fs.BoolVar(&f.list, "list", false, "list the analyses")
	fs.StringVar(&f.fn, "func", "", "print only facts about the function with this `name`: Deposit, Bank.Deposit, pkg.Bank.Deposit")
	fs.StringVar(&f.at, "at", "", "print the facts that hold before `file.go:line`")
	fs.StringVar(&f.pointsTo, "points-to", "", "print the objects that `expr@file.go:line[:col]` may refer to")
	fs.BoolVar(&f.contexts, "contexts", false, "with --points-to: print one answer for each calling context")
	fs.StringVar(&f.callGraph, "callgraph", "", "write the call graph as `dot|json` and nothing else")
	fs.BoolVar(&f.deps, "deps", false, "print facts about all packages, not only about those named")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time limit for each analysis; one that takes longer is left out; 0: no limit")
	fs.StringVar(&f.format, "format", "text", "output format: `text|json|html`")
	fs.BoolVar(&f.stats, "stats", false, "print statistics: time, memory, functions, constraints")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "print every access and every call, too, and lists in full")
	fs.SortFlags = false
	return cmd
}

// check refuses combinations of flags that mean nothing.
func (f *analyzeFlags) check() error {
	query := 0
	for _, s := range []string{f.at, f.pointsTo, f.callGraph} {
		if s != "" {
			query++
		}
	}
	switch {
	case f.format != "text" && f.format != "json" && f.format != "html":
		return fmt.Errorf("--format %s: want text, json or html", f.format)
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

func (f *analyzeFlags) analyze(cmd *cobra.Command, patterns []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.list {
		return analyze.List(cmd.OutOrStdout())
	}
	prog, err := f.load(cmd, patterns)
	if err != nil {
		return err
	}
	begin := time.Now()
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
	if !p.Solve() {
		fmt.Fprintf(cmd.ErrOrStderr(), "the points-to analysis, which all others need, did not end within %v (--timeout)\n", f.timeout)
		return exit(exitIncomplete)
	}
	switch {
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
		return f.facts(cmd, p, paths, begin)
	}
	if err == nil && f.stats {
		err = analyze.WriteStats(cmd.ErrOrStderr(), p.Stats(time.Since(begin), 0))
	}
	return err
}

// load loads the packages; those that have nothing but tests, with them.
func (f *analyzeFlags) load(cmd *cobra.Command, patterns []string) (*load.Program, error) {
	prog, err := load.Load(f.config(patterns, f.tests))
	if err != nil && !cmd.Flags().Changed("tests") {
		if prog, err := load.Load(f.config(patterns, true)); err == nil {
			return prog, nil
		}
	}
	return prog, err
}

// facts writes facts in the format asked for.
func (f *analyzeFlags) facts(cmd *cobra.Command, p *analyze.Program, paths report.Paths, begin time.Time) error {
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

package main

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por/explorers"
)

// answers runs the suite answers: hbcheck without flags, compared with each explorer alone.
func (r *benchRun) answers() error {
	programs, err := r.space.Answers(r.wants)
	if err != nil {
		return err
	}
	var all []string
	for _, e := range explorers.All() {
		if !e.Samples {
			all = append(all, e.Name)
		}
	}
	return r.compared("answers", programs, all)
}

// inputs runs the suite inputs: fuzz targets with all possible arguments.
func (r *benchRun) inputs() error {
	programs, err := r.space.Inputs(r.wants)
	if err != nil {
		return err
	}
	return r.compared("inputs", programs, []string{"jpf", "optimal"})
}

// compared writes rows for programs of a suite, with auto and with the explorers that the user named,
// otherwise with those called names.
func (r *benchRun) compared(suite string, programs []bench.AnswerProgram, names []string) error {
	if len(r.explorers) > 0 {
		names = nil
	}
	for _, e := range r.explorers {
		names = append(names, e.Name)
	}
	names = append(names, autoPOR)
	for _, p := range programs {
		var rows []*bench.AnswerRow
		for _, name := range names {
			x, ok, err := row(r, p.Name(), func(context.Context) (*bench.AnswerRow, error) { return r.answer(&p, name, "auto") })
			if err != nil {
				return err
			}
			if r.ctx.Err() != nil {
				return context.Cause(r.ctx)
			}
			if ok {
				rows = append(rows, x)
			}
		}
		best := uint64(0)
		for _, row := range rows {
			if len(rows) < len(names) {
				break // the row of the best explorer may be missing
			}
			if row.Explorer != autoPOR && row.Answered() && (best == 0 || row.Work() < best) {
				best = row.Work()
			}
		}
		for _, row := range rows {
			row.Best = best
		}
		if err := r.w.Answers(suite, rows); err != nil {
			return err
		}
	}
	return nil
}

// answer explores p with one explorer, or with auto, with these static facts, and with the default values
// of all other flags.
func (r *benchRun) answer(p *bench.AnswerProgram, name, hybrid string) (*bench.AnswerRow, error) {
	var f exploreFlags
	f.register(pflag.NewFlagSet("explore", pflag.ContinueOnError))
	f.por, f.hybrid, f.timeout, f.maxMemory, f.args = name, hybrid, r.timeout, r.maxMemory, strings.Fields(p.Args)
	opts, _, err := f.options()
	if err != nil {
		return nil, err
	}
	e := explore.Entry{Package: p.Entry.Path, Name: p.Entry.Name, New: func(interrupted func() bool) (describe.Machine, error) {
		return f.build(p.Prog, p.Entry, interrupted)
	}}
	return bench.Answer(r.ctx, p, name, e, opts)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// The suites of bench: each measures its programs, row by row, and compares them with known results.

// speed runs the suite vm.
func (r *benchRun) speed() error {
	names, err := bench.Sequential()
	if err != nil {
		return err
	}
	var rows []bench.SpeedRow
	for _, name := range names {
		if !r.wants(name) {
			continue
		}
		x, ok, err := row(r, name, func(ctx context.Context) (*bench.SpeedRow, error) { return r.space.Speed(ctx, name, r.count) })
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := r.w.Speed(x); err != nil {
			return err
		}
		rows = append(rows, *x)
	}
	if len(rows) == 0 {
		return nil
	}
	return r.w.SpeedSummary(rows)
}

// big runs the suite big.
func (r *benchRun) big() error {
	for _, p := range bench.BigPrograms() {
		if !r.wants(p.Name()) || p.Large && r.size == "small" {
			continue
		}
		x, ok, err := row(r, p.Name(), func(ctx context.Context) (*bench.BigRow, error) { return r.space.Big(ctx, p, r.count) })
		if err != nil {
			return err
		}
		if ok {
			if err := r.w.Big(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// sampledIn returns a function that runs a suite that compares samplers.
func (r *benchRun) sampledIn(suite string) func() error {
	return func() error { return r.sampled(suite) }
}

func (r *benchRun) sampled(suite string) error {
	for _, p := range bench.SampledPrograms(suite) {
		if !r.wants(p.Name()) {
			continue
		}
		var rows []*bench.SampledRow
		for _, e := range explorers.All() {
			if !e.Samples || len(r.explorers) > 0 && !slices.ContainsFunc(r.explorers, func(o *por.Explorer) bool { return o.Name == e.Name }) {
				continue
			}
			x, ok, err := row(r, p.Name(), func(ctx context.Context) (*bench.SampledRow, error) { return r.space.Sample(ctx, p, e.Name) })
			if err != nil {
				return err
			}
			if ok {
				rows = append(rows, x)
			}
		}
		if len(rows) == 0 {
			continue
		}
		auto, ok, err := row(r, p.Name(), func(context.Context) (*bench.AnswerRow, error) {
			t, err := r.space.Sampled(&p)
			if err != nil {
				return nil, err
			}
			return r.answer(t, autoPOR, "auto")
		})
		if err != nil {
			return err
		}
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if !ok {
			continue
		}
		if err := r.w.Sampled(suite, rows, auto); err != nil {
			return err
		}
	}
	return nil
}

// jpf runs the suite jpf.
func (r *benchRun) jpf() error {
	for _, p := range bench.JPFPrograms() {
		if !r.wants(p.Name()) {
			continue
		}
		for _, e := range r.explorersOr("jpf") {
			for _, k := range r.kindsOr(oracle.None) {
				x, ok, err := row(r, p.Name(), func(ctx context.Context) (*bench.JPFRow, error) {
					return r.space.ExploreJPF(ctx, p, bench.JPFOptions{POR: e, Hybrid: k, Count: r.count, Symmetry: r.symmetry, MaxMemory: int64(r.maxMemory)})
				})
				if err != nil {
					return err
				}
				if ok {
					if err := r.w.JPF(x); err != nil {
						return err
					}
				}
				if r.ctx.Err() != nil {
					return context.Cause(r.ctx)
				}
			}
		}
	}
	return nil
}

// realistic runs the suite realistic.
func (r *benchRun) realistic() error {
	for _, p := range bench.RealisticPrograms() {
		if p.Large && r.size != "paper" || !r.wants(p.Name()) {
			continue
		}
		for _, e := range r.explorersOr("jpf") {
			for _, k := range r.kindsOr(oracle.None, oracle.MHB, oracle.Parts) {
				x, ok, err := row(r, p.Name(), func(ctx context.Context) (*bench.RealisticRow, error) {
					return r.space.ExploreRealistic(ctx, p, bench.JPFOptions{POR: e, Hybrid: k, Count: r.count, Symmetry: r.symmetry, MaxMemory: int64(r.maxMemory)})
				})
				if err != nil {
					return err
				}
				if ok {
					if err := r.w.Realistic(x); err != nil {
						return err
					}
				}
				if r.ctx.Err() != nil {
					return context.Cause(r.ctx)
				}
			}
		}
	}
	return nil
}

// spin14 runs the suite spin14.
func (r *benchRun) spin14() error {
	var programs [][]*bench.Spin14Row
	var problems []string
	for _, p := range bench.Spin14Programs() {
		if !r.wants(p.Program) {
			continue
		}
		for _, e := range r.explorersOr("jpf") {
			columns := func(kinds ...oracle.Kind) ([]*bench.Spin14Row, bool, error) {
				return row(r, p.Program, func(context.Context) ([]*bench.Spin14Row, error) {
					return r.space.ExploreSpin14(r.ctx, &p, bench.Spin14Options{Size: r.size, Kinds: kinds, POR: e,
						Timeout: r.timeout, MaxMemory: int64(r.maxMemory)})
				})
			}
			kinds := r.kindsOr(bench.Spin14Kinds()...)
			rows, ok, err := columns(kinds...)
			if err != nil {
				return err
			}
			if !ok {
				// The kinds share a machine, and one of them is wrong, so there is nothing to compare.
				for _, k := range kinds[:len(kinds)*min(1, len(kinds)-1)] {
					rows, ok, err := columns(k)
					if err != nil {
						return err
					}
					if ok {
						if err := r.w.Spin14(rows); err != nil {
							return err
						}
					}
				}
				continue
			}
			if err := r.w.Spin14(rows); err != nil {
				return err
			}
			for _, row := range rows {
				problems = append(problems, row.Check()...)
			}
			programs = append(programs, rows)
		}
	}
	if err := r.w.Spin14Summary(programs, problems); err != nil {
		return err
	}
	if r.plot != "" {
		out, err := os.Create(r.plot)
		if err != nil {
			return err
		}
		if err := errors.Join(bench.PlotSpin14(out, programs), out.Close()); err != nil {
			return err
		}
	}
	r.conclude("static facts changed the result of a search", problems)
	return nil
}

// counted runs a suite in which executions are counted.
func (r *benchRun) counted(suite string) error {
	list, err := bench.CountedPrograms(suite)
	if err != nil {
		return err
	}
	for _, p := range list {
		if !r.wants(p.Name()) || p.Large && r.size == "small" {
			continue
		}
		found, err := r.explore(&p)
		if err != nil {
			return err
		}
		r.problems, r.expects = append(r.problems, found...), true
	}
	return nil
}

// sum reports whether the counts are the expected ones.
func (r *benchRun) sum() error {
	if !r.expects {
		return nil
	}
	r.conclude("counts differ from the expected ones", r.problems)
	return r.w.CountedSummary(r.problems)
}

// configurations returns how the programs of a suite are explored.
func (r *benchRun) configurations(suite string) (list []bench.Configuration) {
	if len(r.explorers) == 0 {
		return bench.DefaultConfigurations(suite)
	}
	for _, e := range r.explorers {
		list = append(list, bench.ConfigurationsOf(suite, e.Name)...)
	}
	return list
}

// explore explores p in every configuration, and returns the counts that differ from the expected ones.
func (r *benchRun) explore(p *bench.CountedProgram) (problems []string, err error) {
	for _, c := range r.configurations(p.Suite) {
		for _, k := range r.kindsOr(oracle.None) {
			x, ok, err := row(r, p.Name(), func(ctx context.Context) (*bench.CountedRow, error) {
				return r.space.CountExecutions(ctx, p, bench.CountOptions{Configuration: c, Hybrid: k, Count: r.count, MaxMemory: int64(r.maxMemory)})
			})
			if err != nil {
				return nil, err
			}
			if r.ctx.Err() != nil && !ok {
				return nil, context.Cause(r.ctx)
			}
			if !ok {
				continue
			}
			if err := r.w.Counted(x); err != nil {
				return nil, err
			}
			if r.ctx.Err() != nil {
				return nil, context.Cause(r.ctx)
			}
			problems = append(problems, x.Check()...)
		}
	}
	return problems, nil
}

// conclude records problems, which are reported at the end.
func (r *benchRun) conclude(what string, problems []string) {
	if len(problems) > 0 {
		r.mistakes = append(r.mistakes, fmt.Errorf("%s: %s", what, strings.Join(problems, "\n")))
	}
}

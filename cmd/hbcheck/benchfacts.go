package main

import (
	"context"

	"hbcheck.dev/hbcheck/bench"
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
)

// facts runs the suite facts: the cost of a search that stores states, with the default static facts and
// without facts.
func (r *benchRun) facts() error {
	programs, err := r.space.Facts(r.wants)
	if err != nil {
		return err
	}
	for _, p := range programs {
		var rows []*bench.AnswerRow
		for _, k := range r.kindsOr(oracle.None, bench.Auto) {
			row, ok, err := row(r, p.Name(), func(context.Context) (*bench.AnswerRow, error) { return r.answer(&p, "jpf", string(k)) })
			if err != nil {
				return err
			}
			if r.ctx.Err() != nil {
				return context.Cause(r.ctx)
			}
			if !ok {
				continue
			}
			row.Explorer += " " + string(k)
			if len(rows) == 0 && row.Result.Verdict != explore.Incomplete {
				row.Best = row.Work()
			} else if len(rows) > 0 {
				row.Best = rows[0].Best
			}
			rows = append(rows, row)
		}
		if err := r.w.Answers("facts", rows); err != nil {
			return err
		}
	}
	return nil
}

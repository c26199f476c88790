package bench

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
)

// cell returns the text for a row in a table: the mean, and the number of searches that find the bug unless
// all do.
func (r *SampledRow) cell() string {
	s := tenths(r.Mean())
	if n := r.Found(); n < len(r.First) {
		s += fmt.Sprintf(" (%d of %d)", n, len(r.First))
	}
	return s
}

// inExecutions returns the work of auto until it has found the bug, as a multiple of the steps of an
// execution; or auto's verdict, if it has found no bug.
func inExecutions(auto *AnswerRow, steps uint64) string {
	if v := auto.Verdict(); v == string(explore.OK) || v == string(explore.Incomplete) {
		return v
	}
	return tenths(float64(auto.Work()) / float64(max(1, steps)))
}

func (b *textWriter) Sampled(suite string, rows []*SampledRow, auto *AnswerRow) error {
	heading, cells := []string{suite}, []string{rows[0].Name()}
	for _, r := range rows {
		heading, cells = append(heading, r.POR), append(cells, r.cell())
	}
	b.begin(sampledTable+slices.Index(SampledSuites(), suite), append(heading, "auto")...)
	return b.row(append(cells, inExecutions(auto, rows[0].Steps))...)
}

func (j *jsonWriter) Sampled(suite string, rows []*SampledRow, auto *AnswerRow) error {
	for _, r := range rows {
		err := report.WriteJSON(j.w, jsonRow{Action: "row", Suite: suite, Program: r.Program, Size: r.Args, POR: r.POR, Hybrid: "none",
			Verdict: "fail", Published: struct{}{},
			Stats: struct {
				Mean  float64  `json:"executions_geomean"`
				Found int      `json:"found"`
				First []uint64 `json:"executions"`
				Steps uint64   `json:"steps_per_execution"`
			}{r.Mean(), r.Found(), r.First, r.Steps}})
		if err != nil {
			return err
		}
	}
	return j.Answers(suite, []*AnswerRow{auto})
}

func (c *csvWriter) Sampled(suite string, rows []*SampledRow, auto *AnswerRow) error {
	for _, r := range rows {
		if err := c.row(suite, r.Program, r.Args, r.POR, "none", "fail", "", "", "", "", "", "", "", "", "", decimal(r.Mean())); err != nil {
			return err
		}
	}
	return c.Answers(suite, []*AnswerRow{auto})
}
